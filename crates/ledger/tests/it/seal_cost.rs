//! A seal reads and writes what it seals, and no more after many seals than after few. Bytes are
//! counted, not time.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use reeve_ledger::Ledger;
use reeve_ledger::disk::{Disk, DiskFile, DiskLock, LocalDisk};

use crate::log::{config, drafts, open_on};
use crate::segments::MemorySegments;

/// Entries of a seal.
const SEALED: usize = 300;

#[derive(Debug, Default)]
struct Counts {
    read: AtomicU64,
    written: AtomicU64,
}

/// The real disk, with its traffic counted.
struct CountingDisk(Arc<Counts>);

struct CountingFile(Box<dyn DiskFile>, Arc<Counts>);

impl CountingDisk {
    fn counted(&self, file: io::Result<Box<dyn DiskFile>>) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(CountingFile(file?, self.0.clone())))
    }
}

impl Disk for CountingDisk {
    fn create_dirs(&self, dir: &Path) -> io::Result<()> {
        LocalDisk.create_dirs(dir)
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.counted(LocalDisk.open(path))
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.counted(LocalDisk.create(path))
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = LocalDisk.read(path)?;
        self.0.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        LocalDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        LocalDisk.remove(path)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        LocalDisk.list(dir)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        LocalDisk.sync_dir(dir)
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        LocalDisk.lock(path)
    }
}

impl DiskFile for CountingFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.1
            .read
            .fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.0.read_at(offset, buffer)
    }
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.1
            .written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.0.write_at(offset, bytes)
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
    fn truncate(&self, len: u64) -> io::Result<()> {
        self.0.truncate(len)
    }
    fn is_linked(&self) -> io::Result<bool> {
        self.0.is_linked()
    }
}

async fn append(ledger: &Ledger, round: usize) {
    ledger
        .append(drafts(&format!("{round}-"), SEALED))
        .await
        .unwrap();
}

/// Bytes read and written by the seal after `seals` of them.
async fn cost_after(seals: usize) -> (u64, u64) {
    let (dir, segments, counts) = (
        tempfile::tempdir().unwrap(),
        MemorySegments::new(),
        Arc::<Counts>::default(),
    );
    let disk = Arc::new(CountingDisk(counts.clone()));
    let ledger = open_on(disk, config(dir.path()), &segments).await.unwrap();
    for round in 0..seals {
        append(&ledger, round).await;
        ledger.seal().await.unwrap();
    }

    append(&ledger, seals).await;
    let taken = || {
        (
            counts.read.load(Ordering::Relaxed),
            counts.written.load(Ordering::Relaxed),
        )
    };
    let before = taken();

    ledger.seal().await.unwrap();
    let after = taken();
    ledger.close().await;

    (after.0 - before.0, after.1 - before.1)
}

/// Neither of the two seals merges files of identifiers: eight of a level become one, so every
/// eighth does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seal_costs_what_it_seals() {
    let (few, many) = (cost_after(3).await, cost_after(131).await);
    println!(
        "bytes read and written by a seal of {SEALED} entries: after 3 seals {few:?}, after 131 {many:?}"
    );

    // A few tiles and the digits of larger numbers; the manifest of 131 seals alone has 180,000
    // bytes.
    assert!(many.0 <= few.0 + 16_384, "read: {few:?}, {many:?}");
    assert!(many.1 <= few.1 + 4_096, "written: {few:?}, {many:?}");
}
