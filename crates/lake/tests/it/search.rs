//! Searching agrees with asking every entry in turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::format_instant;
use reeve_audit::query::{Column, Query, column_text};
use reeve_ledger::{SearchRequest, StoredEntry, Trail, TrailError};

use crate::generate::{self, NOW_S};
use crate::log::Log;

const COUNTED: [&str; 8] =
    ["hour", "day", "event_type", "actor.email", "severity", "event_id", "recorded_at", "resource_id"];

fn now() -> Timestamp {
    Timestamp::from_second(NOW_S).unwrap()
}

fn request(query: Query) -> SearchRequest {
    SearchRequest {
        query,
        limit: 50,
        offset: 0,
        before_sequence: None,
        count_total: false,
        aggregations: Vec::new(),
        now: now(),
    }
}

fn value(stored: &StoredEntry, field: &str) -> Option<String> {
    let ms = stored.entry.timestamp.as_millisecond();
    let span = |length: i64| Some(format_instant(Timestamp::from_millisecond(ms.div_euclid(length) * length).unwrap()));
    match field {
        "hour" => span(3_600_000),
        "day" => span(86_400_000),
        "recorded_at" => Some(format_instant(stored.recorded_at)),
        "resource_id" => column_text(&stored.entry, Column::ResourceId).map(Into::into),
        "actor.email" => column_text(&stored.entry, Column::ActorEmail).map(Into::into),
        "severity" => column_text(&stored.entry, Column::Severity).map(Into::into),
        "event_type" => column_text(&stored.entry, Column::EventType).map(Into::into),
        _ => column_text(&stored.entry, Column::EventId).map(Into::into),
    }
}

/// The plain truth: every entry is asked.
pub(crate) fn check(page: &reeve_ledger::Page, request: &SearchRequest, entries: &[Arc<StoredEntry>], seed: &str) {
    let matching: Vec<&Arc<StoredEntry>> = entries
        .iter()
        .rev()
        .filter(|stored| request.query.matches(&stored.entry, stored.recorded_at, request.now))
        .collect();
    let below = request.before_sequence.unwrap_or(u64::MAX);
    let rest: Vec<u64> = matching
        .iter()
        .map(|stored| stored.sequence)
        .filter(|&sequence| sequence < below)
        .skip(request.offset)
        .collect();
    let expect = &rest[..request.limit.min(rest.len())];
    let found: Vec<u64> = page.entries.iter().map(|stored| stored.sequence).collect();
    assert_eq!(found, expect, "{seed}: {:?}", request.query);
    for stored in &page.entries {
        let original = &entries[stored.sequence as usize];
        assert_eq!(
            (&stored.canonical, stored.hash, &stored.entry),
            (&original.canonical, original.hash, &original.entry)
        );
    }
    assert_eq!(page.next_before, expect.last().copied().filter(|_| rest.len() > request.limit), "{seed}");
    assert_eq!(page.total, request.count_total.then_some(matching.len() as u64), "{seed}: {:?}", request.query);
    assert_eq!(page.aggregations.len(), request.aggregations.len());
    for ((field, counts), asked) in page.aggregations.iter().zip(&request.aggregations) {
        assert_eq!(field, asked);
        let mut expect: BTreeMap<String, u64> = BTreeMap::new();
        for value in matching.iter().filter_map(|stored| value(stored, field)) {
            *expect.entry(value).or_default() += 1;
        }
        let mut expect: Vec<(String, u64)> = expect.into_iter().collect();
        expect.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        expect.truncate(1_000);
        assert_eq!(counts, &expect, "{seed}: {field} of {:?}", request.query);
    }
}

/// A log of random entries, sealed at random points.
async fn random_log(random: &mut StdRng, folder: &std::path::Path, size: usize) -> Arc<Log> {
    let log = Log::open(folder).await;
    for number in 0..size {
        let entry = generate::entry(random, number);
        let received = generate::received(random, &entry);
        log.append(entry, received);
    }
    let mut sealed = 0;
    while sealed < size && random.random_bool(0.8) {
        sealed = random.random_range(sealed + 1..=size);
        log.seal(sealed).await;
    }
    log
}

#[tokio::test]
async fn random_queries_over_random_logs_agree_with_asking_every_entry() {
    let mut matched = 0;
    for seed in 0..8 {
        let mut random = StdRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        let size = random.random_range(1..600);
        let mut log = random_log(&mut random, folder.path(), size).await;
        let entries = log.entries();
        for turn in 0..150 {
            if turn == 75 {
                log = log.reopen(folder.path()).await;
            }
            let mut request = request(generate::query(&mut random));
            request.limit = [0, 1, 7, 50, 1_000][random.random_range(0..5)];
            request.offset = if random.random_bool(0.3) { random.random_range(0..30) } else { 0 };
            request.before_sequence = random.random_bool(0.3).then(|| random.random_range(0..size as u64 + 2));
            request.count_total = random.random_bool(0.4);
            if random.random_bool(0.3) {
                request.aggregations =
                    (0..3).map(|_| COUNTED[random.random_range(0..COUNTED.len())].to_owned()).collect();
            }
            let page = log.search().search(&request).await.unwrap();
            check(&page, &request, &entries, &format!("seed {seed} turn {turn}"));
            matched += page.entries.len();
        }
    }
    assert!(matched > 8_000, "the queries must find something: {matched}");
}

#[tokio::test]
async fn pages_follow_one_another_without_gap_or_repetition() {
    let mut random = StdRng::seed_from_u64(77);
    let folder = tempfile::tempdir().unwrap();
    let log = random_log(&mut random, folder.path(), 9_000).await;
    log.seal(8_500).await;
    for query in ["", "severity:high", "alice", "resource.view NOT status:success"] {
        let mut request = request(Query::parse(query).unwrap());
        let mut seen = Vec::new();
        loop {
            let page = log.search().search(&request).await.unwrap();
            check(&page, &request, &log.entries(), query);
            seen.extend(page.entries.iter().map(|stored| stored.sequence));
            let Some(next) = page.next_before else { break };
            request.before_sequence = Some(next);
        }
        let matches = |stored: &&Arc<StoredEntry>| request.query.matches(&stored.entry, stored.recorded_at, now());
        let expect: Vec<u64> = log.entries().iter().rev().filter(matches).map(|stored| stored.sequence).collect();
        assert_eq!(seen, expect, "{query}");
        assert!(seen.len() > 100, "{query}");
    }
}

#[tokio::test]
async fn one_entry_is_found_by_its_position_and_by_its_name_wherever_it_is() {
    let mut random = StdRng::seed_from_u64(5);
    let folder = tempfile::tempdir().unwrap();
    let log = random_log(&mut random, folder.path(), 300).await;
    let search = log.search();
    for stored in log.entries() {
        let by_sequence = search.by_sequence(stored.sequence).await.unwrap().unwrap();
        let by_id = search.by_event_id(stored.entry.event_id.as_str()).await.unwrap().unwrap();
        assert_eq!((&by_sequence.canonical, by_sequence.sequence), (&stored.canonical, stored.sequence));
        assert_eq!((by_id.sequence, by_id.hash), (stored.sequence, stored.hash));
    }
    assert!(search.by_sequence(300).await.unwrap().is_none());
    for unknown in ["evt-300", "EVT-0", "", "' OR 1=1"] {
        assert!(search.by_event_id(unknown).await.unwrap().is_none(), "{unknown}");
    }
}

#[tokio::test]
async fn what_cannot_be_counted_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;
    let mut request = request(Query::all());
    request.aggregations = vec!["hour".into(), "changes.after.size".into()];
    let refused = log.search().search(&request).await;
    assert!(matches!(refused, Err(TrailError::Invalid(message)) if message.contains("changes.after.size")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_entry_is_neither_missed_nor_doubled_while_it_is_sealed() {
    let mut random = StdRng::seed_from_u64(11);
    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;
    for number in 0..2_000 {
        let entry = generate::entry(&mut random, number);
        log.append(entry, now());
    }
    let sealing = tokio::spawn({
        let log = Arc::clone(&log);
        async move {
            for until in (200..=2_000).step_by(200) {
                log.seal(until).await;
            }
        }
    });
    let mut request = request(Query::parse("severity:info OR alice").unwrap());
    (request.limit, request.count_total) = (3_000, true);
    let mut turns = 0;
    while !sealing.is_finished() || turns < 2 {
        let page = log.search().search(&request).await.unwrap();
        check(&page, &request, &log.entries(), "while sealing");
        turns += 1;
    }
    sealing.await.unwrap();
}
