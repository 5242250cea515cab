//! A log to test with: keys, drafts, and the whole of a log read back and checked from nothing but
//! its entries.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{Draft, Entry, EventKind, ResourceRef};
use reeve_ledger::disk::{Disk, LocalDisk};
use reeve_ledger::{Config, Ledger, OpenError, Receipt, SegmentStore, StoredEntry};
use reeve_tlog::{Checkpoint, Hash, NoteSigner, Tree, chain_hash, commitment};

use crate::faulty_disk::FaultyDisk;
use crate::segments::MemorySegments;

pub(crate) const ORIGIN: &str = "log.example/test";

pub(crate) fn signer() -> NoteSigner {
    NoteSigner::from_seed(ORIGIN, &[7; 32]).unwrap()
}

pub(crate) fn config(dir: &Path) -> Config {
    Config::new(dir, ORIGIN)
}

pub(crate) async fn open(dir: &Path, segments: &Arc<MemorySegments>) -> Result<Ledger, OpenError> {
    open_on(Arc::new(LocalDisk), config(dir), segments).await
}

pub(crate) async fn open_on(
    disk: Arc<dyn Disk>,
    config: Config,
    segments: &Arc<MemorySegments>,
) -> Result<Ledger, OpenError> {
    Ledger::open_on(disk, config, signer(), segments.clone()).await
}

/// Opens a log on a faulty disk, whose steps those of the segments are too.
pub(crate) async fn open_gated(
    disk: &FaultyDisk,
    segments: &Arc<MemorySegments>,
) -> Result<Ledger, OpenError> {
    let gate = disk.clone();
    segments.gate(move || gate.step().map_err(|error| error.to_string()));
    open_on(Arc::new(disk.clone()), config(Path::new("/data")), segments).await
}

/// An entry of Reeve about a segment.
pub(crate) fn about(kind: &EventKind, path: &str) -> Draft {
    let entry = Entry::for_event(kind).on(ResourceRef::new("segment", path));
    Draft::by_reeve(entry, Timestamp::now()).unwrap()
}

/// A draft with an identifier and something to tell it by.
pub(crate) fn draft(id: &str, note: &str) -> Draft {
    let kinds = [
        "user.login",
        "authentication.login",
        "resource.view",
        "resource.delete",
    ];
    let kind = kinds[id.len() % kinds.len()];

    let text = format!(
        r#"{{"event_id":"{id}","event_type":"{kind}","timestamp":"2026-11-20T10:00:00Z","metadata":{{"note":"{note}"}}}}"#
    );
    Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
}

/// Drafts with the identifiers `<prefix>0`, `<prefix>1`, ...
pub(crate) fn drafts(prefix: &str, count: usize) -> Vec<Draft> {
    (0..count)
        .map(|i| draft(&format!("{prefix}{i}"), prefix))
        .collect()
}

/// Every entry of the log, in order, restored from segments and tail.
pub(crate) async fn read_all(ledger: &Ledger, segments: &MemorySegments) -> Vec<StoredEntry> {
    let view = ledger.view();
    let mut rows = Vec::new();
    for segment in view.segments.iter() {
        rows.extend(segments.read(segment).await.unwrap());
    }

    rows.sort_by_key(|row| row.sequence);
    let mut entries = ledger.restore(rows).await.unwrap();
    entries.extend(view.tail.iter().map(|entry| StoredEntry::clone(entry)));
    entries
}

/// Recomputes sequence, commitments, chain, tree and checkpoint from what is stored, and returns
/// the entries.
pub(crate) async fn check_whole(ledger: &Ledger, segments: &MemorySegments) -> Vec<StoredEntry> {
    let entries = read_all(ledger, segments).await;
    assert_eq!(entries.len() as u64, ledger.size());

    let mut previous = Hash::ZERO;
    let mut tree = Tree::new();

    for (sequence, entry) in (0..).zip(&entries) {
        assert_eq!(entry.sequence, sequence);
        assert_eq!(entry.commitment, commitment(&entry.salt, &entry.canonical));
        assert_eq!(entry.leaf_hash, entry.commitment.leaf_hash());
        assert_eq!(entry.previous_hash, previous);
        previous = chain_hash(&previous, &entry.leaf_hash);
        assert_eq!(entry.hash, previous);
        tree.append(entry.leaf_hash, |_, _| {});
    }

    let checkpoint = Checkpoint::open(
        ledger.checkpoint().as_bytes(),
        &[signer().verifier().clone()],
    )
    .unwrap();

    assert_eq!(
        (checkpoint.size, checkpoint.root),
        (tree.size(), tree.root())
    );
    entries
}

/// Asserts that each receipt is that of the entry in its place.
pub(crate) fn check_receipts(entries: &[StoredEntry], receipts: &[Receipt]) {
    for receipt in receipts {
        let entry = &entries[receipt.sequence as usize];
        assert_eq!(entry.entry.event_id.as_str(), receipt.event_id);
        assert_eq!(entry.recorded_at, receipt.recorded_at);
        assert_eq!(entry.leaf_hash, receipt.leaf_hash);
        assert_eq!(entry.previous_hash, receipt.previous_hash);
        assert_eq!(entry.hash, receipt.hash);
    }
}
