//! The lake under the real ledger: appended, sealed, searched, restarted.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::Draft;
use reeve_lake::{EntrySearch, EntrySegments};
use reeve_ledger::{Config, EntryReader, Ledger, Order, SearchRequest, StoredEntry, keys};

use crate::generate::{self, NOW_S};
use crate::search::{self, check};

async fn open(folder: &Path) -> (Ledger, Arc<EntrySegments>, EntrySearch) {
    let config = Config::new(folder, "reeve.local/lake-test");
    let segments = Arc::new(EntrySegments::open(folder).await.unwrap());
    let signer = keys::load_or_create(folder, Some(&config.origin)).unwrap();
    let ledger = Ledger::open(config, signer, Arc::clone(&segments) as _)
        .await
        .unwrap();
    let search = EntrySearch::new(Arc::clone(&segments), Arc::new(ledger.clone()));
    (ledger, segments, search)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_ledger_acknowledged_is_found_sealed_or_not_and_after_a_restart() {
    let mut random = StdRng::seed_from_u64(42);
    let folder = tempfile::tempdir().unwrap();
    let (mut ledger, mut segments, mut search) = open(folder.path()).await;
    let mut entries: Vec<Arc<StoredEntry>> = Vec::new();

    for turn in 0..60 {
        match random.random_range(0..6) {
            0 => {
                ledger.seal().await.unwrap();
            }
            1 => {
                ledger.close().await;
                drop((ledger, segments, search));
                (ledger, segments, search) = open(folder.path()).await;
                assert_eq!(segments.sweep().await.unwrap(), 0);
            }
            _ => {
                let drafts: Vec<Draft> = (0..random.random_range(1..40))
                    .map(|number| {
                        let entry = generate::entry(&mut random, turn * 1_000 + number);
                        let received = generate::received(&mut random, &entry);
                        Draft::from_entry(entry, received).unwrap()
                    })
                    .collect();
                let receipts = ledger.append(drafts).await.unwrap();
                let tail = ledger.tail();
                entries.extend(
                    receipts
                        .iter()
                        .map(|receipt| Arc::clone(tail.get(receipt.sequence).unwrap())),
                );
            }
        }
        for _ in 0..10 {
            let request = SearchRequest {
                query: generate::query(&mut random),
                limit: random.random_range(0..60),
                offset: random.random_range(0..3),
                order: if random.random() {
                    Order::NewestFirst
                } else {
                    Order::OldestFirst
                },
                sort: None,
                cursor: random
                    .random_bool(0.3)
                    .then(|| random.random_range(0..1_000)),
                count_total: random.random(),
                aggregations: if random.random_bool(0.2) {
                    search::aggregations(&mut random, 2)
                } else {
                    Vec::new()
                },
                now: Timestamp::from_second(NOW_S).unwrap(),
            };
            let page = search.search(&request).await.unwrap();
            check(&page, &request, &entries, &format!("turn {turn}"));
        }
    }

    assert!(entries.len() > 300 && ledger.view().segments.len() > 5);
    for stored in entries.iter().step_by(7) {
        let found = search
            .by_event_id(stored.entry.event_id.as_str())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (found.sequence, found.hash, found.previous_hash),
            (stored.sequence, stored.hash, stored.previous_hash)
        );
    }

    assert!(
        search
            .by_event_id("nobody-wrote-this")
            .await
            .unwrap()
            .is_none()
    );

    let sealed = ledger.view().tail.first_sequence();
    let place = |sequence: u64| {
        ledger
            .sealed_place(entries[sequence as usize].entry.event_id.as_str())
            .unwrap()
    };
    assert_eq!(place(0), (Some(0), sealed));

    assert_eq!(place(sealed - 1), (Some(sealed - 1), sealed));
    ledger.close().await;
}
