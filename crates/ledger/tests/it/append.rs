//! Appending: order, atomicity, idempotency, concurrency, back-pressure.

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::Draft;
use reeve_ledger::{AppendError, Config};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{check_receipts, check_whole, config, draft, drafts, open, open_on};
use crate::segments::MemorySegments;

#[tokio::test]
async fn entries_are_numbered_in_order_and_survive_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    assert_eq!(ledger.append(Vec::new()).await.unwrap(), []);

    let mut receipts = ledger.append(drafts("a", 3)).await.unwrap();
    receipts.extend(ledger.append(drafts("b", 300)).await.unwrap());
    let sequences: Vec<_> = receipts.iter().map(|receipt| receipt.sequence).collect();
    assert_eq!(sequences, (0..303).collect::<Vec<_>>());
    assert!(receipts.iter().all(|receipt| !receipt.duplicate));
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    let checkpoint = ledger.checkpoint();
    ledger.close().await;
    assert_eq!(
        ledger.append(drafts("c", 1)).await,
        Err(AppendError::Closed)
    );
    assert_eq!(ledger.tail().len(), 303);
    assert_eq!(
        std::fs::read_to_string(dir.path().join("ledger/checkpoint")).unwrap(),
        checkpoint
    );

    let again = open(dir.path(), &segments).await.unwrap();
    assert_eq!(again.checkpoint(), checkpoint);
    check_receipts(&check_whole(&again, &segments).await, &receipts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_share_commits() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let mut live = ledger.subscribe();
    let writers = (0..64).map(|writer| {
        let ledger = ledger.clone();
        tokio::spawn(async move {
            let mut receipts = Vec::new();
            for round in 0..10 {
                let batch = ledger
                    .append(drafts(&format!("{writer}-{round}-"), 1 + writer % 3))
                    .await
                    .unwrap();
                assert!(
                    batch
                        .windows(2)
                        .all(|pair| pair[1].sequence == pair[0].sequence + 1)
                );
                receipts.extend(batch);
            }
            receipts
        })
    });

    let mut receipts = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        receipts.extend(writer.await.unwrap());
    }

    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    let mut sequences: Vec<_> = receipts.iter().map(|receipt| receipt.sequence).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (0..ledger.size()).collect::<Vec<_>>());
    for sequence in 0..ledger.size() {
        assert_eq!(live.recv().await.unwrap().sequence, sequence);
    }

    // One frame a submission would be 640; sharing makes fewer.
    ledger.close().await;
    let wal = std::fs::read(dir.path().join("ledger/wal/00000000000000000000.wal")).unwrap();
    let frames = reeve_ledger::wal::FrameReader::new(&wal, reeve_ledger::wal::HEADER_LEN);
    let frames = frames.collect::<Result<Vec<_>, _>>().unwrap().len();
    assert!(frames < 640, "{frames} frames for 640 submissions");
}

/// A repeated submission is recognised in the tail, after a restart, after sealing, and after both.
#[tokio::test]
async fn sending_again_gives_the_first_receipt() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let mut ledger = open(dir.path(), &segments).await.unwrap();
    let first = ledger.append(drafts("a", 300)).await.unwrap();

    for stage in ["tail", "restarted", "sealed", "restarted again", "rebuilt"] {
        match stage {
            "tail" => {}
            "sealed" => assert_eq!(ledger.seal().await.unwrap(), 300),
            _ => {
                ledger.close().await;
                if stage == "rebuilt" {
                    std::fs::remove_dir_all(dir.path().join("ledger/ids")).unwrap();
                    std::fs::remove_file(dir.path().join("ledger/chain")).unwrap();
                }
                ledger = open(dir.path(), &segments).await.unwrap();
            }
        }
        let again = ledger.append(drafts("a", 300)).await.unwrap();
        let expect: Vec<_> = first
            .iter()
            .cloned()
            .map(|mut r| {
                r.duplicate = true;
                r
            })
            .collect();
        assert_eq!(again, expect, "{stage}");
        let mixed = vec![draft("a7", "a"), draft("a8", "something else")];
        let refused = ledger.append(mixed).await;
        assert_eq!(
            refused,
            Err(AppendError::Conflict {
                index: 1,
                event_id: "a8".into()
            }),
            "{stage}"
        );
        assert_eq!(ledger.size(), 300, "{stage}");
    }
}

#[tokio::test]
async fn duplicates_and_conflicts_within_a_batch() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let twice = ledger
        .append(vec![draft("x", "1"), draft("y", "1"), draft("x", "1")])
        .await
        .unwrap();
    assert_eq!(
        twice
            .iter()
            .map(|r| (r.sequence, r.duplicate))
            .collect::<Vec<_>>(),
        [(0, false), (1, false), (0, true)]
    );

    let conflict = ledger
        .append(vec![draft("z", "1"), draft("w", "1"), draft("z", "2")])
        .await;
    assert_eq!(
        conflict,
        Err(AppendError::Conflict {
            index: 2,
            event_id: "z".into()
        })
    );

    // Nothing of the refused submission is in the log, so its identifiers are free.
    let after = ledger
        .append(vec![draft("z", "2"), draft("w", "2"), draft("y", "1")])
        .await
        .unwrap();
    assert_eq!(
        after
            .iter()
            .map(|r| (r.sequence, r.duplicate))
            .collect::<Vec<_>>(),
        [(2, false), (3, false), (1, true)]
    );

    check_whole(&ledger, &segments).await;
}

/// A claim without a timestamp is stamped with the time of receipt, so it never has the same bytes
/// twice.
#[tokio::test]
async fn a_claim_without_timestamp_is_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let at = |second| Timestamp::from_second(second).unwrap();
    let claim = br#"{"event_id":"e","event_type":"user.login"}"#;
    let other = br#"{"event_id":"e","event_type":"user.logout"}"#;
    let first = ledger
        .append(vec![Draft::from_bytes(claim, at(1)).unwrap()])
        .await
        .unwrap();

    for sealed in [false, true] {
        if sealed {
            ledger.seal().await.unwrap();
        }
        let again = ledger
            .append(vec![Draft::from_bytes(claim, at(9)).unwrap()])
            .await
            .unwrap();
        assert_eq!(
            (again[0].recorded_at, again[0].hash, again[0].duplicate),
            (first[0].recorded_at, first[0].hash, true)
        );
        let refused = ledger
            .append(vec![Draft::from_bytes(other, at(9)).unwrap()])
            .await;
        assert!(
            matches!(refused, Err(AppendError::Conflict { .. })),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn the_same_entry_from_many_at_once_is_recorded_once() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let sends = (0..50).map(|_| ledger.append(vec![draft("one", "same")]));
    let mut all = Vec::new();
    for receipts in futures_all(sends).await {
        all.extend(receipts.unwrap());
    }

    assert_eq!(ledger.size(), 1);
    assert_eq!(all.iter().filter(|receipt| !receipt.duplicate).count(), 1);
    assert!(
        all.iter()
            .all(|receipt| receipt.sequence == 0 && receipt.hash == all[0].hash)
    );
}

/// Runs futures at the same time, on tasks of their own.
async fn futures_all<F: Future + Send>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pinned: Vec<_> = futures.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in pinned.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) {
            return std::task::Poll::Ready(
                std::mem::take(&mut done).into_iter().flatten().collect(),
            );
        }
        std::task::Poll::Pending
    })
    .await
}

/// While the disk is stuck, submissions wait as far as there is room; the others are refused as
/// busy and succeed later.
#[tokio::test]
async fn a_full_queue_is_busy_and_an_oversized_submission_refused() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let small = Config {
        queue_capacity_bytes: 10_000,
        ..config(Path::new("/data"))
    };
    let ledger = open_on(Arc::new(disk.clone()), small, &segments)
        .await
        .unwrap();
    let refused = ledger.append(drafts("big", 100)).await;
    assert!(
        matches!(refused, Err(AppendError::TooLarge { limit: 10_000, .. })),
        "{refused:?}"
    );

    let stall = Arc::new(Mutex::new(()));
    disk.set(Faults {
        stall: Some(stall.clone()),
        ..Faults::default()
    });
    let stalled = stall.lock();
    let mut waiting = Vec::new();

    for i in 0..20 {
        let mut send = Box::pin(ledger.append(drafts(&format!("{i}-"), 5)));
        match send.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => waiting.push(send),
            Poll::Ready(answer) => assert_eq!(answer, Err(AppendError::Busy { retry_after_s: 1 })),
        }
    }

    assert!(
        (2..20).contains(&waiting.len()),
        "{} of 20 wait",
        waiting.len()
    );

    let health = ledger.health().waiting_bytes;
    assert!((7_500..=10_000).contains(&health), "{health} bytes wait");
    drop(stalled);
    let taken = waiting.len() as u64;
    for send in waiting {
        send.await.unwrap();
    }

    assert_eq!(
        (ledger.size(), ledger.health().waiting_bytes),
        (taken * 5, 0)
    );
    for i in taken..20 {
        ledger.append(drafts(&format!("{i}-"), 5)).await.unwrap();
    }

    assert_eq!(check_whole(&ledger, &segments).await.len(), 100);
}

#[tokio::test]
async fn one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    let second = open(dir.path(), &segments).await.unwrap_err();
    assert!(
        second.to_string().contains("ledger/lock is locked"),
        "{second}"
    );
    drop(ledger);
    open(dir.path(), &segments).await.unwrap();
}
