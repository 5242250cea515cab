//! Sealing while readers and writers go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reeve_ledger::disk::LocalDisk;
use reeve_ledger::{Config, SegmentStore};

use crate::log::{check_receipts, check_whole, config, draft, drafts, open, open_on};
use crate::segments::MemorySegments;

#[tokio::test]
async fn sealed_entries_move_by_retention_class() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    assert_eq!(ledger.seal().await.unwrap(), 0);

    let receipts = ledger.append(vec![
        draft("1", ""),
        draft("12", ""),
        draft("123", ""),
        draft("1234", ""),
        draft("2", ""),
    ]);
    let receipts = receipts.await.unwrap();

    assert_eq!(ledger.seal().await.unwrap(), 5);

    let view = ledger.view();
    let spans: Vec<_> = view
        .segments
        .iter()
        .map(|s| (s.class.as_str(), s.first_sequence, s.last_sequence, s.count))
        .collect();

    assert_eq!(
        spans,
        [
            ("authentication", 0, 4, 2),
            ("view", 1, 1, 1),
            ("change", 2, 2, 1),
            ("default", 3, 3, 1)
        ]
    );

    assert_eq!(segments.published(), view.segments);
    assert!(view.tail.is_empty() && view.tail.first_sequence() == 5);

    let wal: Vec<_> = std::fs::read_dir(dir.path().join("ledger/wal"))
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    // The old file goes once the sequencer hears of the seal; closing makes sure it has.
    assert!(wal.contains(&"00000000000000000005.wal".into()), "{wal:?}");
    ledger.close().await;
    assert_eq!(
        std::fs::read_dir(dir.path().join("ledger/wal"))
            .unwrap()
            .count(),
        1
    );

    let again = open(dir.path(), &segments).await.unwrap();
    assert_eq!(segments.published(), again.view().segments);
    check_receipts(&check_whole(&again, &segments).await, &receipts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_never_miss_or_double_an_entry() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (ledger, segments, done) = (ledger.clone(), segments.clone(), done.clone());
            tokio::spawn(async move {
                let mut looks = 0;
                while !done.load(Ordering::Acquire) || looks == 0 {
                    let size = ledger.size();
                    let view = ledger.view();
                    let mut held = vec![0; view.tail.end_sequence() as usize];
                    for segment in view.segments.iter() {
                        for row in segments.read(segment).await.unwrap() {
                            held[row.sequence as usize] += 1;
                        }
                    }
                    for entry in view.tail.iter() {
                        held[entry.sequence as usize] += 1;
                        assert_eq!(view.tail.get(entry.sequence).unwrap().hash, entry.hash);
                    }
                    assert!(held.iter().all(|times| *times == 1));
                    assert!(held.len() as u64 >= size);
                    looks += 1;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();

    let sealer = {
        let (ledger, done) = (ledger.clone(), done.clone());
        tokio::spawn(async move {
            let mut sealed = 0;
            while !done.load(Ordering::Acquire) {
                sealed += ledger.seal().await.unwrap();
                tokio::task::yield_now().await;
            }
            sealed
        })
    };

    let mut receipts = Vec::new();
    for round in 0..150 {
        receipts.extend(
            ledger
                .append(drafts(&format!("{round}-"), 1 + round % 20))
                .await
                .unwrap(),
        );
        // Sent again while it moves from tail to segment, it is still recognised.
        let again = ledger
            .append(drafts(&format!("{}-", round / 2), 1))
            .await
            .unwrap();
        assert!(again[0].duplicate);
    }

    done.store(true, Ordering::Release);
    for reader in readers {
        reader.await.unwrap();
    }

    assert!(sealer.await.unwrap() > 0);
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    ledger.close().await;
    let again = open(dir.path(), &segments).await.unwrap();
    check_receipts(&check_whole(&again, &segments).await, &receipts);
}

/// Many small seals: identifier files are merged, segments add up, everything is still found.
#[tokio::test]
async fn many_seals() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let mut ledger = open(dir.path(), &segments).await.unwrap();
    let mut receipts = Vec::new();

    for round in 0..70 {
        receipts.extend(
            ledger
                .append(drafts(&format!("{round}-"), 7))
                .await
                .unwrap(),
        );
        ledger.seal().await.unwrap();
        if round % 30 == 29 {
            ledger.close().await;
            ledger = open(dir.path(), &segments).await.unwrap();
        }
    }

    let ids = std::fs::read_dir(dir.path().join("ledger/ids"))
        .unwrap()
        .count();
    assert!(ids < 10, "{ids} files of identifiers after 70 seals");

    for round in 0..70 {
        let again = ledger
            .append(drafts(&format!("{round}-"), 7))
            .await
            .unwrap();
        assert!(again.iter().all(|receipt| receipt.duplicate));
    }

    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
}

#[tokio::test]
async fn a_seal_that_fails_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let mut receipts = ledger.append(drafts("a", 300)).await.unwrap();
    segments.gate(|| Err("the bucket is gone".into()));
    let error = ledger.seal().await.unwrap_err();
    assert!(
        std::error::Error::source(&error)
            .unwrap()
            .to_string()
            .contains("the bucket is gone")
    );

    receipts.extend(ledger.append(drafts("b", 10)).await.unwrap());
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    ledger.close().await;

    // Two files of the log, nothing sealed.
    let ledger = open(dir.path(), &segments).await.unwrap();
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    segments.ungate();
    assert_eq!(ledger.seal().await.unwrap(), 310);
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
}

#[tokio::test]
async fn a_seal_is_due_by_count_and_by_age() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let by_count = Config {
        seal_after_entries: 10,
        ..config(dir.path())
    };
    let ledger = open_on(Arc::new(reeve_ledger::disk::LocalDisk), by_count, &segments)
        .await
        .unwrap();
    let waiting = {
        let ledger = ledger.clone();
        tokio::spawn(async move { ledger.seal_due().await })
    };
    ledger.append(drafts("a", 9)).await.unwrap();
    assert!(!waiting.is_finished());
    ledger.append(drafts("b", 16)).await.unwrap();
    waiting.await.unwrap();
    assert_eq!(ledger.seal().await.unwrap(), 25);

    // No segment is much larger than what makes a seal due.
    assert!(
        ledger
            .view()
            .segments
            .iter()
            .all(|segment| segment.count <= 15)
    );

    ledger.close().await;

    let by_age = Config {
        seal_after: std::time::Duration::from_millis(30),
        ..config(dir.path())
    };
    let ledger = open_on(Arc::new(reeve_ledger::disk::LocalDisk), by_age, &segments)
        .await
        .unwrap();
    let waiting = {
        let ledger = ledger.clone();
        tokio::spawn(async move { ledger.seal_due().await })
    };
    ledger.append(drafts("c", 1)).await.unwrap();
    waiting.await.unwrap();
    assert_eq!(ledger.seal().await.unwrap(), 1);
}

#[tokio::test]
async fn a_load_waits_for_a_seal_and_what_one_person_does_passes_it() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let limit = 1 << 20;
    let config = Config {
        tail_limit_bytes: limit,
        ..config(dir.path())
    };
    let ledger = open_on(Arc::new(LocalDisk), config, &segments)
        .await
        .unwrap();
    let mut round = 0;

    while ledger.tail().weight() < limit {
        ledger
            .append(drafts(&format!("load-{round}-"), 200))
            .await
            .unwrap();
        round += 1;
    }

    let waiting = tokio::spawn({
        let ledger = ledger.clone();
        async move { ledger.append(drafts("waits-", 200)).await }
    });
    tokio::task::yield_now().await;
    let size = ledger.size();

    for alone in 1..=20 {
        ledger
            .append(vec![draft(&format!("alone-{alone}"), "")])
            .await
            .unwrap();
        assert_eq!(ledger.size(), size + alone);
    }

    assert_eq!(ledger.seal().await.unwrap() as u64, size + 20);
    assert_eq!(waiting.await.unwrap().unwrap().len(), 200);
    check_whole(&ledger, &segments).await;
}
