//! A disk that is full, broken or forgetful, while the log is open.

use std::path::Path;
use std::sync::Arc;

use reeve_ledger::{AppendError, Ledger, OpenError};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{check_receipts, check_whole, config, draft, drafts, open_on};
use crate::segments::MemorySegments;

async fn open(disk: &FaultyDisk, segments: &Arc<MemorySegments>) -> Result<Ledger, OpenError> {
    open_on(Arc::new(disk.clone()), config(Path::new("/data")), segments).await
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_heals() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    let mut receipts = ledger.append(drafts("a", 20)).await.unwrap();

    for room in [0, 1, 9, 100, 400] {
        disk.set(Faults {
            room: Some(room),
            ..Faults::default()
        });
        let refused = ledger
            .append(drafts(&format!("r{room}-"), 20))
            .await
            .unwrap_err();
        let AppendError::Storage {
            message,
            full_disk: true,
        } = &refused
        else {
            panic!("{refused}")
        };
        assert!(
            message.contains("no space is left") && message.contains("/data/ledger/wal/"),
            "{message}"
        );
        assert_eq!(ledger.size(), receipts.len() as u64);
        check_receipts(&check_whole(&ledger, &segments).await, &receipts);
        let full = ledger.seal().await.unwrap_err();
        assert!(full.to_string().contains("no space is left"), "{full}");
        // Space is back.
        disk.set(Faults::default());
        receipts.extend(
            ledger
                .append(drafts(&format!("r{room}-"), 20))
                .await
                .unwrap(),
        );
        check_receipts(&check_whole(&ledger, &segments).await, &receipts);
        assert_eq!(ledger.health().fault, None);
    }

    assert_eq!(ledger.seal().await.unwrap(), receipts.len());
    drop(ledger);
    for found in [disk.after_power_cut(1), disk.after_restart()] {
        let ledger = open(&found, &segments).await.unwrap();
        check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    }
}

/// After a failed sync nobody knows what the disk holds: nothing more is taken until a restart has
/// read it.
#[tokio::test]
async fn a_failed_sync_stops_the_log_until_it_is_read_anew() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    let receipts = ledger.append(drafts("a", 3)).await.unwrap();
    disk.set(Faults {
        sync: true,
        ..Faults::default()
    });
    let doubtful = ledger.append(drafts("b", 3)).await.unwrap_err();
    disk.set(Faults::default());
    let refused = ledger.append(drafts("c", 3)).await.unwrap_err();
    assert_eq!(doubtful, refused);
    assert!(
        matches!(&refused, AppendError::Storage { message, full_disk: false } if message.contains("syncing failed"))
    );
    assert!(ledger.health().fault.unwrap().contains("restart"));
    assert!(ledger.seal().await.is_err());

    // Reading, and recognising what was recorded, go on.
    assert!(
        ledger
            .append(drafts("a", 3))
            .await
            .unwrap()
            .iter()
            .all(|receipt| receipt.duplicate)
    );

    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    drop(ledger);

    for found in [
        disk.after_power_cut(1),
        disk.after_power_cut(2),
        disk.after_restart(),
    ] {
        let ledger = open(&found, &segments).await.unwrap();
        check_receipts(&check_whole(&ledger, &segments).await, &receipts);
        ledger.append(drafts("b", 3)).await.unwrap();
        assert_eq!(ledger.size(), 6);
        drop(ledger);
        // What was read and counted is durable, also if it had only been in memory.
        let ledger = open(&found.after_power_cut(3), &segments).await.unwrap();
        assert_eq!(check_whole(&ledger, &segments).await.len(), 6);
    }
}

#[tokio::test]
async fn a_frame_that_cannot_be_cut_off_stops_the_log() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    let receipts = ledger.append(drafts("a", 3)).await.unwrap();
    disk.set(Faults {
        room: Some(50),
        truncate: true,
        ..Faults::default()
    });
    let refused = ledger.append(drafts("b", 3)).await.unwrap_err();
    assert!(
        matches!(&refused, AppendError::Storage { message, .. } if message.contains("cutting off")),
        "{refused}"
    );
    disk.set(Faults::default());
    assert_eq!(ledger.append(drafts("b", 3)).await.unwrap_err(), refused);
    drop(ledger);
    let ledger = open(&disk.after_restart(), &segments).await.unwrap();
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
    ledger.append(drafts("b", 3)).await.unwrap();
}

#[tokio::test]
async fn a_broken_anchor_disk_is_reported_and_stops_nothing() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    disk.set(Faults {
        write_to: Some("/anchor/"),
        ..Faults::default()
    });
    let receipts = ledger.append(drafts("a", 3)).await.unwrap();
    assert!(
        ledger
            .health()
            .anchor_fault
            .unwrap()
            .contains("/data/anchor/head")
    );

    disk.set(Faults::default());
    ledger.append(drafts("b", 3)).await.unwrap();
    assert_eq!(ledger.health().anchor_fault, None);
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
}

/// A log file removed underneath is noticed, and healed by sealing what it held.
#[tokio::test]
async fn a_removed_file_is_noticed_and_healed() {
    use reeve_ledger::disk::Disk as _;

    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    let mut receipts = ledger.append(drafts("a", 300)).await.unwrap();
    disk.remove(Path::new("/data/ledger/wal/00000000000000000000.wal"))
        .unwrap();
    ledger.seal_due().await;
    let refused = ledger.append(vec![draft("b", "")]).await.unwrap_err();
    assert!(
        matches!(&refused, AppendError::Storage { message, .. } if message.contains("was removed")),
        "{refused}"
    );
    assert_eq!(ledger.seal().await.unwrap(), 300);
    receipts.extend(ledger.append(vec![draft("b", "")]).await.unwrap());
    assert_eq!(ledger.health().fault, None);
    drop(ledger);
    let ledger = open(&disk.after_power_cut(5), &segments).await.unwrap();
    check_receipts(&check_whole(&ledger, &segments).await, &receipts);
}

#[tokio::test]
async fn a_flipped_byte_in_memory_of_the_disk_is_refused() {
    let disk = FaultyDisk::default();
    let segments = MemorySegments::new();
    let ledger = open(&disk, &segments).await.unwrap();
    ledger.append(drafts("a", 3)).await.unwrap();
    drop(ledger);
    disk.flip(Path::new("/data/ledger/wal/00000000000000000000.wal"), 100);
    let error = open(&disk, &segments).await.unwrap_err();
    assert!(
        matches!(
            &error,
            OpenError::Damaged {
                offset: 64,
                sequence: 0,
                ..
            }
        ),
        "{error}"
    );
}
