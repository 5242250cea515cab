//! Entries that were erased from segments of the warm tier: the manifest names the tier that each lay
//! in, and a record that says something else is found.

use std::path::Path;
use std::sync::Arc;

use reeve_audit::{ResourceRef, Tier, events};
use reeve_lake::{EntrySegments, FolderPlace, TierPlaces};
use reeve_ledger::{Config, Ledger, Relocation, SegmentStore as _, keys};
use reeve_verify::{DirectoryOptions, Progress, Report, TierFolder, verify_directory};
use serde_json::json;

use crate::erasure::{entry, erase_in, found, requested};
use crate::log::{Log, ORIGIN};

/// A log whose segments went to the warm tier, were erased from there, and went back.
struct MovedLog {
    log: Log,
    warm: tempfile::TempDir,
    /// Number of erased entries.
    erased: u64,
}

async fn store(log: &Log, warm: &Path) -> EntrySegments {
    let places = TierPlaces {
        warm: Some(Arc::new(FolderPlace::new(warm.to_owned()))),
        cold: None,
    };
    let store = EntrySegments::open(log.dir()).await.unwrap();
    store.with_tiers(places, 0).unwrap()
}

async fn move_all(log: &Log, store: &EntrySegments) {
    let ledger = log.ledger.as_ref().unwrap();
    for segment in ledger.segments().iter() {
        let resource = ResourceRef::new("segment", &segment.path);
        let relocation = Relocation {
            path: segment.path.clone(),
            to: Tier::Warm,
            content: store.content(segment).await.unwrap(),
            entry: entry(&events::MOVE, resource, "reeve", json!({})),
        };
        ledger.relocate(relocation).await.unwrap();
        ledger.settle(&segment.path).await.unwrap();
    }
}

impl MovedLog {
    async fn new() -> MovedLog {
        let warm = tempfile::tempdir().unwrap();
        let mut log = requested(&["berta", "carl"]).await;
        log.close().await;
        let segments = Arc::new(store(&log, warm.path()).await);
        let signer = keys::load_or_create(log.dir(), Some(ORIGIN)).unwrap();
        let config = Config::new(log.dir(), ORIGIN);
        log.ledger = Some(
            Ledger::open(config, signer, Arc::clone(&segments) as _)
                .await
                .unwrap(),
        );
        move_all(&log, &segments).await;
        let erased = erase_in(&log, &segments, |_| {}).await;
        move_all(&log, &segments).await;
        log.close().await;
        MovedLog { log, warm, erased }
    }

    fn verify(&self, tiers: Vec<TierFolder>) -> Report {
        let options = DirectoryOptions {
            tiers,
            ..DirectoryOptions::default()
        };
        verify_directory(self.log.dir(), &options, &Progress::hidden()).unwrap()
    }

    fn warm(&self) -> Vec<TierFolder> {
        vec![TierFolder {
            tier: "warm".to_owned(),
            folder: self.warm.path().to_owned(),
        }]
    }
}

#[tokio::test]
async fn entries_that_were_erased_from_the_warm_tier_count_as_erased() {
    let moved = MovedLog::new().await;
    for tiers in [moved.warm(), Vec::new()] {
        let report = moved.verify(tiers);
        assert_eq!(report.findings, []);
        assert_eq!(report.missing.total, 0);
        assert_eq!(report.counts.erased, moved.erased);
    }
}

#[tokio::test]
async fn a_record_that_names_another_tier_or_keeps_the_segment_there_is_found() {
    const MARK: &str = "]],\"tier\":\"warm\"}]";
    const KEPT: &str =
        "]],\"tier\":\"warm\"}],\"moved\":{\"tier\":\"warm\",\"entry\":1,\"content\":{}}";
    type Change = fn(&str) -> Option<String>;
    let cases: [(&str, Change); 4] = [
        ("names the cold tier", |line| {
            Some(line.replace(MARK, "]],\"tier\":\"cold\"}]"))
        }),
        ("names no tier", |line| Some(line.replace(MARK, "]]}]"))),
        ("keeps the segment in its tier", |line| {
            let is_erasure = line.contains("\"kind\":\"erase\"");
            Some(match is_erasure {
                true => line.replace(MARK, KEPT),
                false => line.to_owned(),
            })
        }),
        ("erases before the move has ended", |line| {
            let is_settled = line.contains("\"kind\":\"move\"")
                && !line.contains("\"leaving\"")
                && !line.contains(MARK);
            (!is_settled).then(|| line.to_owned())
        }),
    ];
    let moved = MovedLog::new().await;
    let path = moved.log.path("ledger/manifest.journal");
    let whole = std::fs::read(&path).unwrap();
    for (case, change) in cases {
        std::fs::write(&path, &whole).unwrap();
        moved.log.edit_manifest(|text| {
            let changed: Vec<String> = text.lines().filter_map(change).collect();
            let changed = changed.join("\n");
            assert_ne!(changed, text.trim_end(), "{case}");
            changed
        });
        let report = moved.verify(moved.warm());
        found(
            &report,
            "the record erase does not follow from the records before",
        );
    }
}
