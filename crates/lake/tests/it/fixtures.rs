//! Files of every version of the formats, written once and kept: later versions must read them as
//! they are.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::{ConnectionId, Metric, ResourceId, SampleStore};
use reeve_lake::{EntrySearch, EntrySegments, SampleLake, Views};
use reeve_ledger::{
    Aggregation, EntryReader, GroupBy, LogView, Order, SealedEntry, SearchRequest, SegmentMeta,
    SegmentStore, StoredEntry, Tail, TrailError,
};
use reeve_tlog::{Hash, commitment};
use sha2::{Digest, Sha256};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(name),
    )
    .unwrap()
}

/// The manifest's line of a fixture.
fn segment(name: &str) -> SegmentMeta {
    let file = fixture(name);
    SegmentMeta {
        path: "lake/entries/default/00000000000000000004-00000000000000000009.parquet".into(),
        class: "default".into(),
        first_sequence: 4,
        last_sequence: 9,
        count: 3,
        bytes: file.len() as u64,
        sha256: hex::encode(Sha256::digest(&file)),
        min_timestamp_ms: 946_684_799_999,
        max_timestamp_ms: 1_795_168_800_001,
        max_recorded_at_ms: None,
        expired: None,
        erased: Vec::new(),
        moved: None,
    }
}

/// `segment.tsv`, what all versions hold: sequence, salt in hex, canonical bytes.
fn expected() -> Vec<SealedEntry> {
    let text = String::from_utf8(fixture("segment.tsv")).unwrap();
    let lines = text.lines().map(|line| {
        let mut cells = line.splitn(3, '\t');
        let sequence = cells.next().unwrap().parse().unwrap();
        let salt = hex::decode(cells.next().unwrap())
            .unwrap()
            .try_into()
            .unwrap();
        SealedEntry {
            sequence,
            salt,
            canonical: cells.next().unwrap().as_bytes().to_vec(),
        }
    });

    lines.collect()
}

struct OneSegment(SegmentMeta);

#[async_trait]
impl Views for OneSegment {
    fn view(&self) -> LogView {
        LogView {
            segments: Arc::new(vec![self.0.clone()]),
            archived: Arc::default(),
            tail: Tail::starting_at(10),
        }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        let restored = sealed.into_iter().map(
            |SealedEntry {
                 sequence,
                 salt,
                 canonical,
             }| {
                let (entry, recorded_at) = Entry::from_canonical(&canonical).unwrap();
                let commitment = commitment(&salt, &canonical);
                let (leaf_hash, previous_hash, hash) =
                    (commitment.leaf_hash(), Hash::ZERO, Hash::ZERO);
                StoredEntry {
                    sequence,
                    recorded_at,
                    salt,
                    canonical,
                    entry,
                    commitment,
                    leaf_hash,
                    previous_hash,
                    hash,
                }
            },
        );
        Ok(restored.collect())
    }
}

#[tokio::test]
async fn segments_of_every_version_are_read_and_searched() {
    for name in [
        "segment-v1.parquet",
        "segment-v2.parquet",
        "segment-v3.parquet",
        "segment-v4.parquet",
    ] {
        is_read_and_searched(name).await;
    }
}

async fn is_read_and_searched(name: &str) {
    let (folder, segment) = (tempfile::tempdir().unwrap(), segment(name));
    let path = folder.path().join(&segment.path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, fixture(name)).unwrap();
    let store = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
    assert_eq!(store.read(&segment).await.unwrap(), expected(), "{name}");

    let search = EntrySearch::new(store, Arc::new(OneSegment(segment)));
    for (query, expect) in [
        ("", &[9, 5, 4][..]),
        ("severity:>=high", &[9, 4]),
        ("ip:2001:db8::/32", &[9]),
        ("user:Alice resource.tags.env:PROD équipe", &[4]),
        ("changes.after.count:>1", &[4]),
        ("timestamp:<2000-01-01", &[9]),
        ("recorded_at:2026-11-20 -status:*", &[5]),
    ] {
        let request = SearchRequest {
            query: query.parse().unwrap(),
            limit: 10,
            offset: 0,
            order: Order::NewestFirst,
            sort: None,
            cursor: None,
            count_total: true,
            aggregations: vec![Aggregation {
                by: GroupBy::User,
                limit: 10,
            }],
            now: Timestamp::UNIX_EPOCH,
        };
        let page = search.search(&request).await.unwrap();
        assert_eq!(
            page.entries
                .iter()
                .map(|stored| stored.sequence)
                .collect::<Vec<_>>(),
            expect,
            "{query}"
        );
        assert_eq!(page.total, Some(expect.len() as u64), "{query}");
    }

    assert_eq!(
        search
            .by_event_id("evt 2 \"quoted\"")
            .await
            .unwrap()
            .unwrap()
            .sequence,
        9
    );
}

#[tokio::test]
async fn samples_of_version_1_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("lake/samples/conn/2026-11-20");
    std::fs::create_dir_all(&day).unwrap();
    std::fs::write(
        day.join("00000000000000000001-00000000000000000001.parquet"),
        fixture("samples-v1.parquet"),
    )
    .unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let at = |second: i64| Timestamp::from_second(1_795_168_800 + second).unwrap();
    let resources = ["i-1", "db/é"].map(ResourceId::new);
    let metrics = [
        Metric::CpuUtilization,
        Metric::FreeStorage,
        Metric::NetworkIn,
    ];

    let found = lake
        .sample_series(
            &ConnectionId("conn".into()),
            &resources,
            &metrics,
            at(0),
            at(86_400),
        )
        .await
        .unwrap();

    let found: Vec<_> = found
        .into_iter()
        .map(|line| (line.resource.0, line.metric, line.points, line.period_s))
        .collect();
    let expect = [
        (
            "i-1".to_owned(),
            Metric::CpuUtilization,
            vec![(at(0), 1.5), (at(300), -0.25)],
            300,
        ),
        (
            "i-1".to_owned(),
            Metric::NetworkIn,
            vec![(at(900), 0.0)],
            300,
        ),
        (
            "db/é".to_owned(),
            Metric::FreeStorage,
            vec![(at(600), 1e12)],
            60,
        ),
    ];
    assert_eq!(found, expect);

    assert_eq!(
        lake.sample_newest(&ConnectionId("conn".into()))
            .await
            .unwrap()
            .len(),
        3
    );
}
