//! The fence: a writer that may not write does not, acknowledges nothing, and what a replaced
//! writer still writes does not count.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use reeve_ledger::disk::LocalDisk;
use reeve_ledger::{AppendError, Config, Fence, Fenced, Ledger};

use crate::log::{config, draft, drafts, open, open_on, read_all};
use crate::segments::MemorySegments;

/// A fence that holds for a number of questions.
#[derive(Debug)]
struct Counted {
    epoch: u64,
    left: AtomicU32,
}

impl Fence for Counted {
    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn check(&self) -> Result<(), Fenced> {
        let took = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        took.map(|_| ()).map_err(|_| Fenced {
            reason: "another server is active".to_owned(),
        })
    }
}

async fn open_as(dir: &Path, segments: &Arc<MemorySegments>, epoch: u64) -> (Ledger, Arc<Counted>) {
    let fence = Arc::new(Counted {
        epoch,
        left: AtomicU32::new(u32::MAX),
    });
    let config = Config {
        fence: fence.clone(),
        ..config(dir)
    };
    (
        open_on(Arc::new(LocalDisk), config, segments)
            .await
            .unwrap(),
        fence,
    )
}

/// Bytes of the files of the write-ahead log.
fn wal_bytes(dir: &Path) -> u64 {
    fs::read_dir(dir.join("ledger/wal"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[tokio::test]
async fn a_fenced_writer_writes_and_acknowledges_nothing() {
    let (dir, segments) = (
        tempfile::tempdir().unwrap(),
        Arc::new(MemorySegments::default()),
    );
    let (ledger, fence) = open_as(dir.path(), &segments, 1).await;
    ledger.append(drafts("a", 3)).await.unwrap();
    let before = wal_bytes(dir.path());
    fence.left.store(0, Ordering::SeqCst);
    let refused = ledger.append(drafts("b", 1)).await;
    assert!(
        matches!(&refused, Err(AppendError::Fenced(fenced)) if fenced.reason.contains("another server")),
        "{refused:?}"
    );
    assert!(
        ledger.append(drafts("a", 3)).await.is_err(),
        "not even an earlier receipt"
    );
    assert!(ledger.seal().await.is_err());
    assert_eq!((ledger.size(), wal_bytes(dir.path())), (3, before));

    // Its turn came back before anybody else took it.
    fence.left.store(u32::MAX, Ordering::SeqCst);
    assert_eq!(ledger.append(drafts("b", 1)).await.unwrap()[0].sequence, 3);
}

#[tokio::test]
async fn a_pause_between_the_frame_and_its_acknowledgement_is_noticed() {
    let (dir, segments) = (
        tempfile::tempdir().unwrap(),
        Arc::new(MemorySegments::default()),
    );
    let (ledger, fence) = open_as(dir.path(), &segments, 1).await;
    ledger.append(drafts("a", 1)).await.unwrap();
    fence.left.store(1, Ordering::SeqCst);
    let refused = ledger.append(vec![draft("b", "b")]).await;
    assert!(
        matches!(refused, Err(AppendError::Fenced(_))),
        "{refused:?}"
    );
    fence.left.store(u32::MAX, Ordering::SeqCst);
    let again = ledger.append(vec![draft("b", "b")]).await.unwrap();
    assert!(
        again[0].duplicate,
        "it was written once, and is acknowledged now"
    );
}

#[tokio::test]
async fn what_a_replaced_writer_still_writes_is_not_part_of_the_log() {
    let segments = Arc::new(MemorySegments::default());
    let home = tempfile::tempdir().unwrap();
    let (dir, late) = (home.path().join("log"), home.path().join("late"));
    let (first, _) = open_as(&dir, &segments, 1).await;
    first.append(drafts("a", 3)).await.unwrap();
    first.close().await;
    copy(&dir, &late);

    let (second, _) = open_as(&dir, &segments, 2).await;
    second.append(drafts("b", 2)).await.unwrap();
    second.close().await;

    // The first writer goes on in the file that it has open.
    let replaced = open(&late, &segments).await.unwrap();
    replaced.append(drafts("c", 4)).await.unwrap();
    replaced.close().await;
    let file = "ledger/wal/00000000000000000000.wal";
    fs::copy(late.join(file), dir.join(file)).unwrap();

    let (third, _) = open_as(&dir, &segments, 3).await;
    let ids: Vec<String> = read_all(&third, &segments)
        .await
        .iter()
        .map(|entry| entry.entry.event_id.as_str().to_owned())
        .collect();
    assert_eq!(ids, ["a0", "a1", "a2", "b0", "b1"]);
    assert_eq!(third.append(drafts("d", 1)).await.unwrap()[0].sequence, 5);

    let root = third.root_at(3).unwrap();
    assert_eq!(
        (root, third.root_at(7).unwrap()),
        (replaced.root_at(3).unwrap(), None)
    );
    assert_ne!(
        third.root_at(5).unwrap(),
        replaced.root_at(5).unwrap(),
        "a fork has another root"
    );
}

fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status()
        .unwrap();
    assert!(copied.success());
}
