//! Segments: written and read back, described truly, and cleaned up after an interrupted seal.

use std::sync::Arc;

use jiff::Timestamp;
use parquet::basic::{LogicalType, TimeUnit};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use rand::SeedableRng;
use rand::rngs::StdRng;
use reeve_audit::query::QueryColumn;
use reeve_lake::EntrySegments;
use reeve_ledger::{SegmentError, SegmentStore};
use sha2::{Digest, Sha256};

use crate::generate;
use crate::log::Log;

async fn sealed_log(folder: &std::path::Path, size: usize) -> Arc<Log> {
    let mut random = StdRng::seed_from_u64(3);
    let log = Log::open(folder).await;

    for number in 0..size {
        let entry = generate::entry(&mut random, number);
        let received = generate::received(&mut random, &entry);
        log.append(entry, received);
    }

    log.seal(size).await;
    log
}

#[tokio::test]
async fn what_is_read_back_is_what_was_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let log = sealed_log(folder.path(), 500).await;
    let entries = log.entries();
    let mut seen = 0;

    for segment in log.segments() {
        let read = log.store.read(&segment).await.unwrap();
        assert_eq!(read.len() as u64, segment.count);
        for sealed in read {
            let original = &entries[sealed.sequence as usize];
            assert_eq!(
                (&sealed.salt, &sealed.canonical),
                (&original.salt, &original.canonical)
            );
            seen += 1;
        }
    }

    assert_eq!(seen, 500);
}

#[tokio::test]
async fn the_description_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let log = sealed_log(folder.path(), 500).await;

    for segment in log.segments() {
        let bytes = std::fs::read(folder.path().join(&segment.path)).unwrap();
        let sequences = format!(
            "{:020}-{:020}",
            segment.first_sequence, segment.last_sequence
        );
        assert_eq!(
            segment.path,
            format!("lake/entries/{}/{sequences}.parquet", segment.class)
        );
        assert_eq!(
            (segment.bytes, &segment.sha256),
            (bytes.len() as u64, &hex::encode(Sha256::digest(&bytes)))
        );
        let held = log.store.read(&segment).await.unwrap();
        let entries = log.entries();
        let times = || {
            held.iter().map(|sealed| {
                entries[sealed.sequence as usize]
                    .entry
                    .timestamp
                    .as_millisecond()
            })
        };
        assert_eq!(
            (segment.min_timestamp_ms, segment.max_timestamp_ms),
            (times().min().unwrap(), times().max().unwrap())
        );

        let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let metadata: Vec<(String, Option<String>)> = file
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .unwrap()
            .iter()
            .filter(|pair| pair.key.starts_with("reeve."))
            .map(|pair| (pair.key.clone(), pair.value.clone()))
            .collect();
        let expect = [
            ("reeve.format", "reeve/segment/v4".to_owned()),
            ("reeve.class", segment.class.clone()),
            ("reeve.first_sequence", segment.first_sequence.to_string()),
            ("reeve.last_sequence", segment.last_sequence.to_string()),
        ];
        assert_eq!(
            metadata,
            expect.map(|(key, value)| (key.to_owned(), Some(value)))
        );
        let names: Vec<&str> = file
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns()
            .iter()
            .map(|column| column.name())
            .collect();
        let typed: Vec<&str> = QueryColumn::ALL
            .iter()
            .map(|column| column.segment_name())
            .collect();
        assert_eq!(
            names,
            [&["sequence"], &typed[..], &["salt", "canonical", "cut"]].concat()
        );
        has_types_of_other_engines(file.metadata().file_metadata().schema_descr());
        for row_group in file.metadata().row_groups() {
            for column in row_group.columns() {
                assert!(
                    column.bloom_filter_offset().is_none(),
                    "{}",
                    column.column_descr().name()
                );
                assert!(column.offset_index_offset().is_some());
            }
        }
    }
}

/// Integers are signed, times are microseconds in UTC, and each column has a field id.
fn has_types_of_other_engines(schema: &SchemaDescriptor) {
    for (column, number) in schema.columns().iter().zip(1..) {
        let (name, info) = (column.name(), column.self_type().get_basic_info());
        assert_eq!(info.has_id().then(|| info.id()), Some(number), "{name}");
        let expect = match name {
            "timestamp" | "recorded_at" => Some(LogicalType::timestamp(true, TimeUnit::MICROS)),
            "sequence" | "salt" | "canonical" | "cut" => None,
            _ => Some(LogicalType::String),
        };
        assert_eq!(column.logical_type_ref(), expect.as_ref(), "{name}");
    }
}

#[tokio::test]
async fn a_segment_without_entries_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = EntrySegments::open(folder.path()).await.unwrap();
    assert!(matches!(
        store.write("default", &[]).await,
        Err(SegmentError::Io { .. })
    ));
}

#[tokio::test]
async fn leftovers_of_an_interrupted_seal_go_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let log = sealed_log(folder.path(), 200).await;
    let orphan = folder
        .path()
        .join("lake/entries/default/00000000000000000200-00000000000000000250.parquet");
    let rewritten = folder
        .path()
        .join("lake/entries/default/00000000000000000000-00000000000000000000.parquet");
    for path in [&orphan, &rewritten] {
        std::fs::write(path, b"left behind").unwrap();
    }

    let store = EntrySegments::open(folder.path()).await.unwrap();
    assert_eq!(
        store.sweep().await.unwrap(),
        0,
        "not before the ledger has spoken"
    );

    let one = log.entries().remove(0);
    let again = store.write("default", &[one]).await.unwrap();
    store.publish(Arc::new(log.segments()));
    assert_eq!(store.sweep().await.unwrap(), 1);
    assert_eq!(store.sweep().await.unwrap(), 0);
    assert!(!orphan.exists());
    assert_eq!(store.read(&again).await.unwrap().len(), 1);

    for segment in log.segments() {
        store.read(&segment).await.unwrap();
    }
}

#[tokio::test]
async fn a_segment_of_many_pages_and_row_groups_is_searched_across_all_of_them() {
    use reeve_ledger::{Aggregation, EntryReader, GroupBy, Order, SearchRequest};

    let folder = tempfile::tempdir().unwrap();
    let log = Log::open(folder.path()).await;
    let mut random = StdRng::seed_from_u64(9);
    let mut template = generate::entry(&mut random, 0);
    template.event_type = reeve_audit::EventType::new("cost.report").unwrap();
    template.submitted_by = None;
    let received: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    let size = 70_000;

    for number in 0..size {
        let mut entry = template.clone();
        entry.event_id = reeve_audit::EventId::new(format!("evt-{number}")).unwrap();
        entry.actor.id = Some(format!("user-{}", number % 10_000));
        log.append(entry, received);
    }

    log.seal(size).await;
    assert_eq!(log.segments().len(), 1);

    let search = log.search();
    let mut request = SearchRequest {
        query: "user:USER-17".parse().unwrap(),
        limit: 3,
        offset: 2,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: vec![Aggregation {
            by: GroupBy::Column(QueryColumn::ActorId),
            limit: 1_000,
        }],
        now: received,
    };
    let page = search.search(&request).await.unwrap();
    let sequences: Vec<u64> = page.entries.iter().map(|stored| stored.sequence).collect();

    assert_eq!(
        (sequences, page.total),
        (vec![40_017, 30_017, 20_017], Some(7))
    );
    assert_eq!(page.aggregations[0].values, [("user-17".to_owned(), 7)]);
    (request.count_total, request.aggregations) = (false, Vec::new());
    assert_eq!(
        search.search(&request).await.unwrap().next_cursor,
        Some(20_017)
    );

    // Where one window of sequences ends and the next begins, and the ends of the log.
    for sequence in [0, 1, 49_519, 49_520, 65_535, 65_536, 65_903, 65_904, 69_999] {
        request.query = format!("event_id:EVT-{sequence}").parse().unwrap();
        (request.limit, request.offset) = (1, 0);
        let page = search.search(&request).await.unwrap();
        assert_eq!(
            page.entries
                .iter()
                .map(|stored| stored.sequence)
                .collect::<Vec<_>>(),
            [sequence]
        );
    }

    // Pages out of both row groups.
    for (user, expect) in [
        (5_600, vec![65_600, 55_600, 45_600]),
        (9_999, vec![69_999, 59_999, 49_999]),
    ] {
        request.query = format!("user:user-{user}").parse().unwrap();
        request.limit = 3;
        let page = search.search(&request).await.unwrap();
        let found = page
            .entries
            .iter()
            .map(|stored| (stored.sequence, stored.entry.event_id.as_str().to_owned()));
        let expect: Vec<_> = expect
            .into_iter()
            .map(|sequence| (sequence, format!("evt-{sequence}")))
            .collect();
        assert_eq!(found.collect::<Vec<_>>(), expect);
    }

    let stored = search.by_event_id("evt-65536").await.unwrap().unwrap();
    assert_eq!(stored.sequence, 65_536);
    assert_eq!(
        search
            .by_sequence(69_999)
            .await
            .unwrap()
            .unwrap()
            .entry
            .event_id
            .as_str(),
        "evt-69999"
    );
}
