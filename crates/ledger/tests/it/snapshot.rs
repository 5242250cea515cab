//! Snapshots: taken while entries are appended and sealed, each a log that opens and holds exactly
//! what was acknowledged by then.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use reeve_ledger::{Ledger, Snapshot};

use crate::log::{drafts, open};
use crate::segments::MemorySegments;

/// Writes a snapshot into a folder. Segments are shared: they are in memory here.
fn put(snapshot: &Snapshot, dir: &Path) {
    for file in &snapshot.files {
        let path = dir.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = Vec::new();
        file.reader().read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, file.bytes, "{}", file.path);
        fs::write(path, bytes).unwrap();
    }
}

async fn snapshot(ledger: &Ledger) -> Snapshot {
    ledger.snapshot(|_| Ok(())).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_opens_and_goes_on_while_the_log_grows() {
    let home = tempfile::tempdir().unwrap();
    let segments = Arc::new(MemorySegments::default());
    let ledger = open(&home.path().join("log"), &segments).await.unwrap();
    let writer = {
        let ledger = ledger.clone();
        tokio::spawn(async move {
            for n in 0..120 {
                ledger.append(drafts(&format!("w{n}-"), 7)).await.unwrap();
                if n % 25 == 24 {
                    ledger.seal().await.unwrap();
                }
            }
        })
    };

    let mut taken = Vec::new();
    while !writer.is_finished() {
        let before = ledger.size();
        if taken
            .last()
            .is_some_and(|last: &Snapshot| before < last.size + 80)
        {
            tokio::task::yield_now().await;
            continue;
        }
        let snapshot = snapshot(&ledger).await;
        assert!(
            snapshot.size >= before,
            "what was acknowledged before is in it"
        );
        taken.push(snapshot);
    }

    writer.await.unwrap();
    taken.push(snapshot(&ledger).await);
    assert!(taken.len() > 2, "{} snapshots", taken.len());
    assert_eq!(taken.last().unwrap().size, 840);

    for (n, snapshot) in taken.iter().enumerate() {
        let dir = home.path().join(format!("copy-{n}"));
        put(snapshot, &dir);
        let copy = open(&dir, &segments).await.unwrap();
        assert_eq!(copy.size(), snapshot.size);
        assert_eq!(
            copy.checkpoint().lines().nth(1),
            snapshot.note.lines().nth(1)
        );
        copy.append(drafts("after-", 3)).await.unwrap();
        assert_eq!(copy.size(), snapshot.size + 3);
        copy.close().await;
    }
}

#[tokio::test]
async fn an_empty_log_and_one_that_is_sealed_to_its_end_are_snapshots_too() {
    let home = tempfile::tempdir().unwrap();
    let segments = Arc::new(MemorySegments::default());
    let ledger = open(&home.path().join("log"), &segments).await.unwrap();
    let empty = snapshot(&ledger).await;
    assert_eq!(empty.size, 0);
    ledger.append(drafts("a-", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let sealed = snapshot(&ledger).await;
    assert!(
        sealed
            .files
            .iter()
            .any(|file| file.path == "ledger/tree/1" && file.bytes == 32)
    );

    for (name, snapshot, size) in [("empty", &empty, 0), ("sealed", &sealed, 300)] {
        let dir = home.path().join(name);
        put(snapshot, &dir);
        let copy = open(&dir, &segments).await.unwrap();
        assert_eq!(copy.size(), size, "{name}");
        copy.append(drafts("after-", 1)).await.unwrap();
    }
}
