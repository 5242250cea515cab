//! Searching with indexes, without them, and with indexes that are damaged or of another file: the
//! same answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use reeve_audit::entry::SOURCE_ID_PREFIX;
use reeve_audit::query::{Expr, Match, Pattern, Query, QueryColumn, TextMatch};
use reeve_audit::{Entry, EventId};
use reeve_ledger::{EntryReader, Order, SearchRequest};

use crate::generate::{self, NOW_S};
use crate::log::Log;
use crate::search::{aggregations, check};

fn uuid(random: &mut StdRng) -> String {
    uuid::Builder::from_random_bytes(random.random())
        .into_uuid()
        .to_string()
}

/// An entry with values that hardly repeat: identifiers, and notes of words some of which do.
fn entry(random: &mut StdRng, number: usize) -> Entry {
    let mut entry = generate::entry(random, number);
    // Identifiers of a source's entries begin with its name.
    let is_of_source = entry.event_id.as_str().starts_with(SOURCE_ID_PREFIX);
    if !is_of_source && random.random_bool(0.8) {
        let id = uuid(random);
        entry.event_id = EventId::new(if random.random_bool(0.2) {
            id.to_uppercase()
        } else {
            id
        })
        .unwrap();
    }

    if random.random_bool(0.7) {
        entry.metadata.request_id = Some(uuid(random));
    }
    if random.random_bool(0.6) {
        entry.metadata.extra.insert("note", note(random));
    }

    if random.random_bool(0.3) {
        entry.metadata.extra.insert(
            "bytes",
            reeve_audit::Json::Number(f64::from(random.random_range(0..1 << 20)) / 4.0),
        );
    }

    entry
}

fn note(random: &mut StdRng) -> String {
    let word = |random: &mut StdRng| match random.random_range(0..4) {
        0 => ["Deploy", "rollback", "école", "beef", "cafe", "2024"]
            .choose(random)
            .unwrap()
            .to_string(),
        1 => format!("w{}", random.random_range(0..50)),
        2 => format!("{:04x}", random.random_range(0..65_536)),
        _ => format!("n{}", random.next_u32()),
    };
    (0..random.random_range(1..6))
        .map(|_| word(random))
        .collect::<Vec<_>>()
        .join([" ", "-", ", "][random.random_range(0..3)])
}

/// A query that asks for something that one of the entries has, or for anything.
fn query(random: &mut StdRng, entries: &[Arc<reeve_ledger::StoredEntry>]) -> Query {
    let stored = entries.choose(random).unwrap();
    let note = match stored.entry.metadata.extra.get("note") {
        Some(reeve_audit::Json::String(note)) => note.clone(),
        _ => "deploy".to_owned(),
    };
    let id = stored.entry.event_id.as_str().to_owned();
    let text =
        |text: &str, prefix: bool| TextMatch::new(text, prefix).map_or(Expr::All, Expr::Text);
    let piece = |random: &mut StdRng, text: &str| {
        let pieces: Vec<&str> = text
            .split(['-', ' ', ','])
            .filter(|piece| !piece.is_empty())
            .collect();
        pieces.choose(random).copied().unwrap_or("x").to_owned()
    };

    let known = match random.random_range(0..12) {
        0 => text(&id, false),
        1 => Expr::field(QueryColumn::EventId, Match::Exact(id.to_uppercase())),
        2 => Expr::field(QueryColumn::EventId, Match::Identical(id)),
        3 => Expr::field(
            QueryColumn::EventId,
            Match::Prefix(id.chars().take(5).collect()),
        ),
        4 => text(&piece(random, &id), random.random_bool(0.3)),
        5 => text(&piece(random, &note), random.random_bool(0.3)),
        6 => text(&note, random.random_bool(0.3)),
        7 => text(
            &piece(random, &note).chars().take(2).collect::<String>(),
            true,
        ),
        8 => Expr::field(
            reeve_audit::query::FieldPath::Metadata(vec!["note".into()]),
            Match::Exact(note),
        ),
        9 => Expr::field(
            reeve_audit::query::FieldPath::Metadata(vec!["NOTE".into()]),
            Match::from(Pattern::starred(["", piece(random, &note).as_str(), ""])),
        ),
        10 => Expr::field(
            QueryColumn::RequestId,
            Match::Exact(stored.entry.metadata.request_id.clone().unwrap_or_default()),
        ),
        _ => generate::query(random).expr,
    };

    let other = generate::query(random).expr;
    Query {
        expr: match random.random_range(0..6) {
            0 => Expr::and([known, other]),
            1 => Expr::or([known, other]),
            2 => Expr::negate(known),
            3 => Expr::and([Expr::negate(known), other]),
            _ => known,
        },
    }
}

fn request(random: &mut StdRng, query: Query, size: usize) -> SearchRequest {
    SearchRequest {
        query,
        limit: [0, 1, 7, 50, 5_000][random.random_range(0..5)],
        offset: if random.random_bool(0.2) {
            random.random_range(0..30)
        } else {
            0
        },
        order: if random.random() {
            Order::NewestFirst
        } else {
            Order::OldestFirst
        },
        sort: None,
        cursor: random
            .random_bool(0.3)
            .then(|| random.random_range(0..size as u64 + 2)),
        count_total: random.random_bool(0.5),
        aggregations: if random.random_bool(0.3) {
            aggregations(random, 2)
        } else {
            Vec::new()
        },
        now: Timestamp::from_second(NOW_S).unwrap(),
    }
}

fn indexes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for class in std::fs::read_dir(folder.join("lake/index")).unwrap() {
        let files = std::fs::read_dir(class.unwrap().path())
            .unwrap()
            .map(|file| file.unwrap().path());
        // Others may be written at this moment.
        found.extend(files.filter(|path| path.extension().is_some_and(|end| end == "idx")));
    }

    found.sort();
    found
}

/// Damages an index file in one of the ways that happen.
fn damage(random: &mut StdRng, path: &Path, all: &[PathBuf]) {
    let mut bytes = std::fs::read(path).unwrap();
    match random.random_range(0..5) {
        0 => return std::fs::remove_file(path).unwrap(),
        1 => bytes.truncate(random.random_range(0..bytes.len())),
        2 => {
            let at = random.random_range(0..bytes.len());
            bytes[at] ^= 1 << random.random_range(0..8);
        }
        3 => bytes.extend_from_slice(b"more"),
        _ => {
            let other = all.choose(random).unwrap();
            if other == path || !other.exists() {
                return;
            }
            bytes = std::fs::read(other).unwrap();
        }
    }

    std::fs::write(path, bytes).unwrap();
}

async fn log(random: &mut StdRng, folder: &Path, size: usize) -> Arc<Log> {
    let log = Log::open(folder).await;
    for number in 0..size {
        let entry = entry(random, number);
        let received = generate::received(random, &entry);
        log.append(entry, received);
    }

    let mut sealed = 0;
    while sealed < size && random.random_bool(0.85) {
        sealed = random.random_range(sealed + 1..=size);
        log.seal(sealed).await;
    }

    log
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexes_change_how_long_a_search_takes_and_nothing_else() {
    let mut matched = 0;
    for seed in 0..6 {
        let mut random = StdRng::seed_from_u64(1_000 + seed);
        let folder = tempfile::tempdir().unwrap();
        let size = [40, 700, 2_500][seed as usize % 3];
        let mut log = log(&mut random, folder.path(), size).await;
        let entries = log.entries();
        for turn in 0..160 {
            if turn % 40 == 20 && folder.path().join("lake/index").exists() {
                let all = indexes(folder.path());
                for path in &all {
                    if random.random_bool(0.6) {
                        damage(&mut random, path, &all);
                    }
                }
                if random.random() {
                    log = log.reopen(folder.path()).await;
                }
            }
            let query = query(&mut random, &entries);
            let request = request(&mut random, query, size);
            let page = log.search().search(&request).await.unwrap();
            check(
                &page,
                &request,
                &entries,
                &format!("seed {seed} turn {turn}"),
            );
            matched += page.entries.len();
        }
    }

    assert!(
        matched > 20_000,
        "the queries must find something: {matched}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tail_that_is_asked_often_is_indexed_and_answers_the_same() {
    let mut random = StdRng::seed_from_u64(77);
    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;
    let size = 20_000;

    for number in 0..size {
        let entry = entry(&mut random, number);
        let received = generate::received(&mut random, &entry);
        log.append(entry, received);
    }

    let search = log.search();
    let count = SearchRequest {
        count_total: true,
        ..request(&mut random, Query::parse("rollback").unwrap(), size)
    };

    for number in 0..3 {
        search.search(&count).await.unwrap();
        // A tenth of a second of a busy log passes until the next question.
        for more in 0..9_000 {
            let entry = generate::entry(&mut random, size + number * 9_000 + more);
            log.append(entry, Timestamp::from_second(NOW_S).unwrap());
        }
    }

    let size = size + 27_000;
    let entries = log.entries();
    assert_eq!(
        search.indexed_pieces(),
        0,
        "a tail that is filled and hardly asked costs nothing"
    );

    let begun = std::time::Instant::now();
    while search.indexed_pieces() < 2 {
        search.search(&count).await.unwrap();
        assert!(
            begun.elapsed().as_secs() < 60,
            "pieces that are asked again and again are indexed"
        );
    }

    let mut matched = 0;
    for turn in 0..50 {
        if turn == 25 {
            // A seal cuts into a piece that has an index.
            log.seal(10_007).await;
        }
        let query = query(&mut random, &entries);
        let request = request(&mut random, query, size);
        let page = search.search(&request).await.unwrap();
        check(&page, &request, &entries, &format!("turn {turn}"));
        matched += page.entries.len();
    }

    assert!(
        matched > 5_000,
        "the queries must find something: {matched}"
    );
    assert_eq!(search.indexed_pieces(), 2);
    log.seal(16_384).await;
    search.search(&count).await.unwrap();
    assert_eq!(search.indexed_pieces(), 1, "what is sealed is let go of");
}

#[tokio::test]
async fn damaged_indexes_are_noticed_and_built_anew() {
    let mut random = StdRng::seed_from_u64(5);
    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;

    for number in 0..600 {
        log.append(
            entry(&mut random, number),
            Timestamp::from_second(NOW_S).unwrap(),
        );
    }

    log.seal(300).await;
    log.seal(600).await;
    let written: Vec<_> = indexes(folder.path())
        .into_iter()
        .map(|path| (std::fs::read(&path).unwrap(), path))
        .collect();
    assert_eq!(written.len(), log.segments().len());
    assert_eq!(
        log.store.mend_indexes(log.as_ref()).await.unwrap(),
        0,
        "sound ones stay"
    );

    let (whole, first) = &written[0];
    let other = &written[1].0;
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;

    for bytes in [&b""[..], &whole[..whole.len() - 1], &flipped, other] {
        std::fs::write(first, bytes).unwrap();
        assert_eq!(log.store.mend_indexes(log.as_ref()).await.unwrap(), 1);
        assert_eq!(
            &std::fs::read(first).unwrap(),
            whole,
            "an index depends on its segment alone"
        );
    }

    let orphan = first.with_file_name("0-0.idx");
    std::fs::write(&orphan, whole).unwrap();
    std::fs::remove_dir_all(folder.path().join("lake/index")).unwrap();
    assert_eq!(
        log.store.mend_indexes(log.as_ref()).await.unwrap(),
        written.len()
    );
    std::fs::write(&orphan, whole).unwrap();
    assert_eq!(log.store.mend_indexes(log.as_ref()).await.unwrap(), 0);
    assert!(!orphan.exists());
}

#[tokio::test]
async fn a_cursor_stands_while_entries_come_and_are_sealed() {
    let mut random = StdRng::seed_from_u64(8);
    for order in [Order::NewestFirst, Order::OldestFirst] {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::open(folder.path()).await;
        let (mut number, mut sealed) = (0, 0);
        let mut append = |count: usize| {
            for _ in 0..count {
                log.append(
                    entry(&mut random, number),
                    Timestamp::from_second(NOW_S).unwrap(),
                );
                number += 1;
            }
        };
        append(800);
        let before = log.entries();
        let query: Query = "severity:>=medium OR deploy".parse().unwrap();
        let mut request = SearchRequest {
            query,
            limit: 37,
            offset: 0,
            order,
            sort: None,
            cursor: None,
            count_total: false,
            aggregations: Vec::new(),
            now: Timestamp::from_second(NOW_S).unwrap(),
        };
        let mut seen = Vec::new();
        for _ in 0..1_000 {
            let page = log.search().search(&request).await.unwrap();
            seen.extend(page.entries.iter().map(|stored| stored.sequence));
            request.cursor = page.next_cursor;
            let past = order == Order::OldestFirst && seen.last().is_some_and(|&last| last >= 800);
            if request.cursor.is_none() || past {
                break;
            }
            append(11);
            sealed = (sealed + 53).min(log.entries().len());
            log.seal(sealed).await;
        }
        let old: Vec<u64> = seen
            .into_iter()
            .filter(|sequence| *sequence < 800)
            .collect();
        let matches = |stored: &&Arc<reeve_ledger::StoredEntry>| {
            request
                .query
                .matches(&stored.entry, stored.recorded_at, request.now)
        };
        let mut expect: Vec<u64> = before
            .iter()
            .filter(matches)
            .map(|stored| stored.sequence)
            .collect();
        if order == Order::NewestFirst {
            expect.reverse();
        }
        assert_eq!(old, expect, "{order:?}");
    }
}
