//! Searching agrees with asking every entry in turn.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Unit, Zoned};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::query::{FieldPath, Query, QueryColumn, Sort, SortKey, column_text};
use reeve_audit::{Json, SubmitterField, format_instant};
use reeve_ledger::{
    Aggregation, EntryCounts, EntryReader, GroupBy, Order, SearchRequest, StoredEntry, TimeUnit,
    TrailError,
};

use crate::generate::{self, NOW_S};
use crate::log::Log;

/// Everything that can be counted.
pub(crate) fn counted() -> Vec<GroupBy> {
    let units = [
        TimeUnit::Minute,
        TimeUnit::FiveMinutes,
        TimeUnit::QuarterHour,
        TimeUnit::Hour,
        TimeUnit::Day,
        TimeUnit::Week,
        TimeUnit::Month,
    ];

    let times = [QueryColumn::Timestamp, QueryColumn::RecordedAt];
    let mut all: Vec<GroupBy> = times
        .into_iter()
        .flat_map(|column| units.map(|unit| GroupBy::Time { column, unit }))
        .collect();
    all.extend(QueryColumn::ALL.map(GroupBy::Column));
    let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
    let fields = [
        FieldPath::Tags,
        FieldPath::MetadataTags,
        FieldPath::ApiVersion,
        FieldPath::ResourceTags,
        FieldPath::ResourceTag("ENV".into()),
        FieldPath::Before(path("env")),
        FieldPath::After(path("size.list")),
        FieldPath::After(path("list.0")),
        FieldPath::Metadata(path("size")),
        FieldPath::Column(QueryColumn::ActorEmail),
        FieldPath::User,
        FieldPath::Submitter(SubmitterField::Type),
        FieldPath::Submitter(SubmitterField::IpAddress),
        FieldPath::Submitter(SubmitterField::TokenName),
    ];
    all.extend(fields.map(GroupBy::Field));

    all.push(GroupBy::User);
    let nested = |outer: &GroupBy, inner: &GroupBy| {
        GroupBy::Nested(Box::new(outer.clone()), Box::new(inner.clone()))
    };

    let hours = GroupBy::Time {
        column: QueryColumn::Timestamp,
        unit: TimeUnit::Hour,
    };
    let env = GroupBy::Field(FieldPath::After(path("env")));
    all.extend([
        nested(
            &GroupBy::User,
            &GroupBy::Column(QueryColumn::ActorIpAddress),
        ),
        nested(&hours, &GroupBy::Column(QueryColumn::Severity)),
        nested(&GroupBy::Field(FieldPath::Tags), &env),
        nested(&env, &hours),
    ]);

    all
}

fn now() -> Timestamp {
    Timestamp::from_second(NOW_S).unwrap()
}

fn request(query: Query) -> SearchRequest {
    SearchRequest {
        query,
        limit: 50,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: false,
        aggregations: Vec::new(),
        now: now(),
    }
}

/// The values of an entry, as they should be counted.
fn values(stored: &StoredEntry, by: &GroupBy) -> BTreeSet<String> {
    let one = |value: Option<Cow<'_, str>>| value.into_iter().map(Cow::into_owned).collect();
    let entry = &stored.entry;

    match by {
        GroupBy::User => one(entry
            .actor
            .email
            .as_deref()
            .or(entry.actor.id.as_deref())
            .map(Cow::Borrowed)),
        GroupBy::Field(FieldPath::User) => values(stored, &GroupBy::User),
        GroupBy::Column(QueryColumn::Timestamp) => {
            one(Some(format_instant(entry.timestamp).into()))
        }
        GroupBy::Column(QueryColumn::RecordedAt) => {
            one(Some(format_instant(stored.recorded_at).into()))
        }
        GroupBy::Column(column) | GroupBy::Field(FieldPath::Column(column)) => {
            one(column_text(entry, *column))
        }
        GroupBy::Time { column, unit } => {
            let at = if *column == QueryColumn::Timestamp {
                entry.timestamp
            } else {
                stored.recorded_at
            };
            let day = at.to_zoned(TimeZone::UTC).date();
            let start = match unit {
                TimeUnit::Minute => {
                    Zoned::round(&at.to_zoned(TimeZone::UTC), floor(Unit::Minute)).unwrap()
                }
                TimeUnit::FiveMinutes => Zoned::round(
                    &at.to_zoned(TimeZone::UTC),
                    floor(Unit::Minute).increment(5),
                )
                .unwrap(),
                TimeUnit::QuarterHour => Zoned::round(
                    &at.to_zoned(TimeZone::UTC),
                    floor(Unit::Minute).increment(15),
                )
                .unwrap(),
                TimeUnit::Hour => {
                    Zoned::round(&at.to_zoned(TimeZone::UTC), floor(Unit::Hour)).unwrap()
                }
                TimeUnit::Day => day.to_zoned(TimeZone::UTC).unwrap(),
                TimeUnit::Week => {
                    let back = day.weekday().to_monday_zero_offset();
                    day.checked_sub(Span::new().days(back))
                        .unwrap()
                        .to_zoned(TimeZone::UTC)
                        .unwrap()
                }
                TimeUnit::Month => day.first_of_month().to_zoned(TimeZone::UTC).unwrap(),
            };
            one(Some(format_instant(start.timestamp()).into()))
        }
        GroupBy::Field(FieldPath::Tags) => {
            let tags = entry
                .resource
                .tags
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            entry.metadata.tags.iter().cloned().chain(tags).collect()
        }
        GroupBy::Field(FieldPath::MetadataTags) => entry.metadata.tags.iter().cloned().collect(),
        GroupBy::Field(FieldPath::ApiVersion) => [entry.metadata.api_version.clone()].into(),
        GroupBy::Field(FieldPath::ResourceTags) => {
            entry.resource.tags.values().map(str::to_owned).collect()
        }
        GroupBy::Field(FieldPath::ResourceTag(name)) => {
            let named = entry
                .resource
                .tags
                .iter()
                .filter(|(tag, _)| tag.to_lowercase() == name.to_lowercase());
            named.map(|(_, value)| value.to_string()).collect()
        }
        GroupBy::Field(FieldPath::Before(path)) => leaves_at(entry.changes.before.as_ref(), path),
        GroupBy::Field(FieldPath::After(path)) => leaves_at(entry.changes.after.as_ref(), path),
        GroupBy::Field(FieldPath::Metadata(path)) => {
            leaves_at(Some(&Json::Object(entry.metadata.extra.clone())), path)
        }
        GroupBy::Field(FieldPath::Submitter(field)) => one(entry
            .submitted_by
            .as_ref()
            .and_then(|submitter| submitter.text(*field))),
        GroupBy::Field(FieldPath::Changes) | GroupBy::Nested(..) => BTreeSet::new(),
    }
}

/// Every leaf of a state whose place agrees with a path.
fn leaves_at(state: Option<&Json>, path: &[String]) -> BTreeSet<String> {
    let mut all = Vec::new();
    state
        .into_iter()
        .for_each(|state| leaves(state, &mut Vec::new(), &mut all));
    all.into_iter()
        .filter(|(place, _)| agrees(place, path))
        .map(|(_, value)| value)
        .collect()
}

/// Leaves with their places: the name of a member, or the number of an element.
fn leaves(
    value: &Json,
    place: &mut Vec<Result<String, usize>>,
    all: &mut Vec<(Vec<Result<String, usize>>, String)>,
) {
    let members: Vec<(Result<String, usize>, &Json)> = match value {
        Json::Object(object) => object
            .iter()
            .map(|(name, value)| (Ok(name.to_lowercase()), value))
            .collect(),
        Json::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (Err(at), item))
            .collect(),
        Json::Null => return,
        Json::String(text) => return all.push((place.clone(), text.clone())),
        other => return all.push((place.clone(), other.to_string())),
    };
    for (step, value) in members {
        place.push(step);
        leaves(value, place, all);
        place.pop();
    }
}

/// Numbers of elements may be named or left out.
fn agrees(place: &[Result<String, usize>], path: &[String]) -> bool {
    match (place.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Ok(name), place)), Some((first, path))) => {
            *name == first.to_lowercase() && agrees(place, path)
        }
        (Some((Ok(_), _)), None) => false,
        (Some((Err(at), rest)), named) => {
            agrees(rest, path)
                || named.is_some_and(|(first, path)| first.parse() == Ok(*at) && agrees(rest, path))
        }
    }
}

fn floor(unit: Unit) -> jiff::ZonedRound {
    jiff::ZonedRound::new()
        .smallest(unit)
        .mode(jiff::RoundMode::Trunc)
}

/// The plain truth: every entry is asked.
pub(crate) fn check(
    page: &reeve_ledger::EntryPage,
    request: &SearchRequest,
    entries: &[Arc<StoredEntry>],
    seed: &str,
) {
    let mut matching: Vec<&Arc<StoredEntry>> = entries
        .iter()
        .filter(|stored| {
            request
                .query
                .matches(&stored.entry, stored.recorded_at, request.now)
        })
        .collect();

    if request.order == Order::NewestFirst {
        matching.reverse();
    }

    let key = |stored: &StoredEntry, sort: Sort| {
        SortKey::of_entry(&stored.entry, stored.recorded_at, sort.column)
    };

    if let Some(sort) = request.sort {
        matching.sort_by(|a, b| {
            sort.compare(
                (key(a, sort).as_ref(), a.sequence),
                (key(b, sort).as_ref(), b.sequence),
            )
        });
    }

    let is_beyond =
        |stored: &&&Arc<StoredEntry>| match (request.sort, request.cursor, request.order) {
            (_, None, _) => true,
            (Some(sort), Some(cursor), _) => {
                let last = key(&entries[cursor as usize], sort);
                let own = key(stored, sort);
                sort.compare((own.as_ref(), stored.sequence), (last.as_ref(), cursor))
                    .is_gt()
            }
            (None, Some(cursor), Order::NewestFirst) => stored.sequence < cursor,
            (None, Some(cursor), Order::OldestFirst) => stored.sequence > cursor,
        };

    let rest: Vec<u64> = matching
        .iter()
        .filter(is_beyond)
        .map(|stored| stored.sequence)
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

    assert_eq!(
        page.next_cursor,
        expect
            .last()
            .copied()
            .filter(|_| rest.len() > request.limit),
        "{seed}"
    );

    assert_eq!(
        page.total,
        request.count_total.then_some(matching.len() as u64),
        "{seed}: {:?}",
        request.query
    );

    assert_eq!(page.aggregations.len(), request.aggregations.len());
    for (counts, asked) in page.aggregations.iter().zip(&request.aggregations) {
        if let GroupBy::Nested(outer, inner) = &asked.by {
            check_nested(counts, (outer, inner), asked.limit, &matching);
            continue;
        }
        let (mut expect, mut missing): (BTreeMap<String, u64>, u64) = (BTreeMap::new(), 0);
        for stored in &matching {
            let found = values(stored, &asked.by);
            missing += u64::from(found.is_empty());
            found
                .into_iter()
                .for_each(|value| *expect.entry(value).or_default() += 1);
        }
        let (all, distinct): (u64, u64) = (expect.values().sum(), expect.len() as u64);
        let mut expect: Vec<(String, u64)> = expect.into_iter().collect();
        if !matches!(asked.by, GroupBy::Time { .. }) {
            expect.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            expect.truncate(asked.limit.min(1_000));
        }
        let other = all - expect.iter().map(|(_, count)| count).sum::<u64>();
        let expect = EntryCounts {
            values: expect,
            nested: Vec::new(),
            distinct,
            other,
            missing,
        };
        assert_eq!(
            counts, &expect,
            "{seed}: {:?} of {:?}",
            asked.by, request.query
        );
    }
}

/// Every value of the first field is counted as if it alone were, and the second field among the
/// entries that have it.
fn check_nested(
    counts: &EntryCounts,
    (outer, inner): (&GroupBy, &GroupBy),
    limit: usize,
    matching: &[&Arc<StoredEntry>],
) {
    assert_eq!(counts.nested.len(), counts.values.len());

    let all: BTreeSet<String> = matching
        .iter()
        .flat_map(|stored| values(stored, outer))
        .collect();
    assert_eq!(counts.distinct, all.len() as u64);

    for ((value, count), nested) in counts.values.iter().zip(&counts.nested) {
        let having: Vec<_> = matching
            .iter()
            .filter(|stored| values(stored, outer).contains(value))
            .collect();
        assert_eq!(*count, having.len() as u64, "{value}");
        let mut expect: BTreeMap<String, u64> = BTreeMap::new();
        having
            .iter()
            .flat_map(|stored| values(stored, inner))
            .for_each(|value| *expect.entry(value).or_default() += 1);
        assert_eq!(nested.distinct, expect.len() as u64, "{value}");
        assert!(
            nested
                .values
                .iter()
                .all(|(value, count)| expect.get(value) == Some(count)),
            "{nested:?}"
        );
        assert!(
            nested.values.len() == expect.len().min(limit.min(100))
                || matches!(inner, GroupBy::Time { .. })
        );
        assert_eq!(
            nested.missing,
            having
                .iter()
                .filter(|stored| values(stored, inner).is_empty())
                .count() as u64
        );
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

/// Some of what can be counted.
pub(crate) fn aggregations(random: &mut StdRng, count: usize) -> Vec<Aggregation> {
    let all = counted();
    let mut one = || Aggregation {
        by: all[random.random_range(0..all.len())].clone(),
        limit: [0, 1, 3, 5_000][random.random_range(0..4)],
    };
    (0..count).map(|_| one()).collect()
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
            request.offset = if random.random_bool(0.3) {
                random.random_range(0..30)
            } else {
                0
            };
            request.cursor = random
                .random_bool(0.3)
                .then(|| random.random_range(0..size as u64 + 2));
            request.order = if random.random() {
                Order::NewestFirst
            } else {
                Order::OldestFirst
            };
            request.count_total = random.random_bool(0.4);
            if random.random_bool(0.3) {
                let column = QueryColumn::ALL[random.random_range(0..QueryColumn::ALL.len())];
                request.sort = Some(Sort {
                    column,
                    descending: random.random(),
                });
                request.cursor = request.cursor.map(|cursor| cursor % size as u64);
            }
            if random.random_bool(0.3) {
                request.aggregations = aggregations(&mut random, 3);
            }
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
        matched > 8_000,
        "the queries must find something: {matched}"
    );
}

#[tokio::test]
async fn pages_follow_one_another_without_gap_or_repetition() {
    let mut random = StdRng::seed_from_u64(77);
    let folder = tempfile::tempdir().unwrap();
    let log = random_log(&mut random, folder.path(), 9_000).await;
    log.seal(8_500).await;
    let queries = [
        "",
        "severity:high",
        "alice",
        "resource.view NOT status:success",
    ];

    let orders = [
        (Order::NewestFirst, None),
        (Order::OldestFirst, None),
        (
            Order::NewestFirst,
            Some(Sort {
                column: QueryColumn::Timestamp,
                descending: true,
            }),
        ),
        (
            Order::NewestFirst,
            Some(Sort {
                column: QueryColumn::ActorEmail,
                descending: false,
            }),
        ),
    ];

    for (query, (order, sort)) in queries
        .into_iter()
        .flat_map(|query| orders.map(|order| (query, order)))
    {
        let mut request = request(Query::parse(query).unwrap());
        (request.order, request.sort) = (order, sort);
        let mut seen = Vec::new();
        loop {
            let page = log.search().search(&request).await.unwrap();
            check(&page, &request, &log.entries(), query);
            seen.extend(page.entries.iter().map(|stored| stored.sequence));
            let Some(next) = page.next_cursor else { break };
            request.cursor = Some(next);
        }
        let matches = |stored: &&Arc<StoredEntry>| {
            request
                .query
                .matches(&stored.entry, stored.recorded_at, now())
        };
        let mut expect: Vec<u64> = log
            .entries()
            .iter()
            .filter(matches)
            .map(|stored| stored.sequence)
            .collect();
        if sort.is_some() {
            // Each page was compared with the order; here none may be missing or come twice.
            seen.sort_unstable();
        } else if order == Order::NewestFirst {
            expect.reverse();
        }
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
        let by_id = search
            .by_event_id(stored.entry.event_id.as_str())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (&by_sequence.canonical, by_sequence.sequence),
            (&stored.canonical, stored.sequence)
        );
        assert_eq!((by_id.sequence, by_id.hash), (stored.sequence, stored.hash));
    }

    assert!(search.by_sequence(300).await.unwrap().is_none());

    // Without any time for a search of the segments: the index of identifiers gives the place.
    let hurried = log.search().with_limit(Duration::ZERO);
    let asked = log.looked_up.load(Ordering::Relaxed);

    for stored in log.entries().iter().step_by(20) {
        let found = hurried
            .by_event_id(stored.entry.event_id.as_str())
            .await
            .unwrap();
        assert_eq!(found.map(|found| found.sequence), Some(stored.sequence));
    }

    assert!(hurried.by_event_id("evt-300").await.unwrap().is_none());
    assert!(log.looked_up.load(Ordering::Relaxed) > asked);

    for unknown in ["evt-300", "EVT-0", "", "' OR 1=1"] {
        assert!(
            search.by_event_id(unknown).await.unwrap().is_none(),
            "{unknown}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_counted_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;
    let mut request = request(Query::all());

    for by in [
        GroupBy::Field(FieldPath::Changes),
        GroupBy::Time {
            column: QueryColumn::EventId,
            unit: TimeUnit::Day,
        },
        GroupBy::Field(FieldPath::Metadata(Vec::new())),
    ] {
        let fine = Aggregation {
            by: GroupBy::User,
            limit: 1,
        };
        request.aggregations = vec![
            fine,
            Aggregation {
                by: by.clone(),
                limit: 1,
            },
        ];
        let refused = log.search().search(&request).await;
        assert!(matches!(refused, Err(TrailError::Invalid(_))), "{by:?}");
    }
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

#[tokio::test]
async fn a_search_without_time_left_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = StdRng::seed_from_u64(3);
    let log = Log::open(folder.path()).await;

    for number in 0..600 {
        log.append(
            generate::entry(&mut random, number),
            Timestamp::from_second(NOW_S).unwrap(),
        );
    }

    log.seal(300).await;
    let words: Vec<String> = (0..256).map(|number| format!("{number:04x}")).collect();

    for (query, order) in [
        (words.join(" OR "), Order::NewestFirst),
        (words.join(" OR "), Order::OldestFirst),
        ("severity:high".to_owned(), Order::NewestFirst),
    ] {
        for count_total in [false, true] {
            let request = SearchRequest {
                query: query.parse().unwrap(),
                limit: 50,
                offset: 0,
                order,
                sort: None,
                cursor: None,
                count_total,
                aggregations: Vec::new(),
                now: Timestamp::from_second(NOW_S).unwrap(),
            };
            let given_up = log
                .search()
                .with_limit(Duration::ZERO)
                .search(&request)
                .await;
            assert!(
                matches!(given_up, Err(TrailError::TooCostly { limit_s: 0.0 })),
                "{given_up:?}"
            );
            // An index that ran out of time is no damaged one: the next search uses it.
            check(
                &log.search().search(&request).await.unwrap(),
                &request,
                &log.entries(),
                &query[..4],
            );
        }
    }
}
