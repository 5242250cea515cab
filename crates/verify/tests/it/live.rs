//! A log that is written to while it is verified is intact at every moment.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::log::{Log, draft};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_log_passes_at_any_time() {
    let log = Log::new().await;
    let ledger = log.ledger.clone().unwrap();
    let done = std::sync::Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let done = done.clone();
        async move {
            let (mut number, mut appended) = (0, 0);
            while !done.load(Ordering::Relaxed) {
                let count = number % 23 + 1;
                ledger
                    .append((number..number + count).map(draft).collect())
                    .await
                    .unwrap();
                number += count;
                appended += 1;
                if appended % 5 == 0 {
                    ledger.seal().await.unwrap();
                }
            }
            number
        }
    });

    let (mut largest, mut segments, mut turn) = (0, 0, 0);
    while turn < 60 || segments < 20 {
        turn += 1;
        let report = tokio::task::block_in_place(|| log.verify());
        assert!(report.is_intact(), "turn {turn}:\n{report}");
        assert!(report.size >= largest);
        largest = report.size;
        segments = report.counts.segments;
    }

    done.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap() as u64;
    assert!(largest <= written);
    assert_eq!(log.verify().size, written);
}
