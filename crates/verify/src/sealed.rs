//! The sealed entries: segments on all cores, their commitments brought back into order, walked over leaf by leaf.
//!
//! Needs memory for the commitments of the segments in hand, not for the log.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use reeve_tlog::{Commitment, Hash};

use crate::directory::Audit;
use crate::error::CannotVerify;
use crate::finding::Finding;
use crate::manifest::{Listed, MANIFEST, Manifest};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::records::Records;
use crate::segment::{self, Checked};

type Outcome = (usize, Result<Checked, CannotVerify>);

/// Checks all sealed entries and walks over them.
pub(crate) fn check(
    dir: &Path,
    manifest: &Manifest,
    audit: &mut Audit,
    progress: &Progress,
) -> Result<(), CannotVerify> {
    let mut listed = manifest.segments.clone();
    listed.sort_by_key(|segment| (segment.first_sequence, segment.last_sequence));
    let records = Records::new(dir, manifest.sealed_size, Arc::new(manifest.edge.clone()));
    let edge = Arc::new(manifest.edge.clone());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let workers = thread::available_parallelism().map_or(1, usize::from).min(listed.len().max(1));
    let mut order = InOrder { next: 0, rows: Vec::new(), missing: Missing::default(), records };
    let outcome = thread::scope(|scope| {
        let (sender, receiver) = sync_channel(workers);
        for _ in 0..workers {
            let mut records = Records::new(dir, manifest.sealed_size, Arc::clone(&edge));
            let (sender, next, stop, listed) = (sender.clone(), &next, &stop, &listed);
            scope.spawn(move || work(dir, listed, next, stop, &mut records, progress, &sender));
        }
        drop(sender);
        let outcome = collect(&listed, &receiver, &mut order, audit);
        stop.store(true, Ordering::Relaxed);
        outcome
    });
    outcome?;
    order.up_to(manifest.sealed_size, audit)?;
    if order.missing.total > 0 {
        let what = format!("{} entries are in none of the segments: {}", order.missing.total, order.missing);
        audit.findings.add(Finding::new(MANIFEST, what));
        audit.missing = order.missing;
    }
    Ok(())
}

fn work(
    dir: &Path,
    listed: &[Listed],
    next: &AtomicUsize,
    stop: &AtomicBool,
    records: &mut Records,
    progress: &Progress,
    sender: &SyncSender<Outcome>,
) {
    while !stop.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(segment) = listed.get(index) else { return };
        if sender.send((index, segment::check(dir, segment, records, progress))).is_err() {
            return;
        }
    }
}

/// Takes segments as they come and walks over their entries in order. Segments overlap within a seal only, so entries are
/// known to be complete up to where the next segment begins.
fn collect(
    listed: &[Listed],
    receiver: &Receiver<Outcome>,
    order: &mut InOrder,
    audit: &mut Audit,
) -> Result<(), CannotVerify> {
    let mut early = BTreeMap::new();
    let mut wanted = 0;
    for (index, outcome) in receiver {
        early.insert(index, outcome?);
        while let Some(checked) = early.remove(&wanted) {
            wanted += 1;
            audit.counts.segments += u64::from(checked.present);
            audit.counts.sealed_entries += checked.rows.len() as u64;
            audit.findings.take(checked.findings);
            order.rows.extend(checked.rows);
            if let Some(following) = listed.get(wanted) {
                order.up_to(following.first_sequence, audit)?;
            }
        }
    }
    Ok(())
}

/// Entries on their way into the tree.
struct InOrder {
    /// The sequence that comes next.
    next: u64,
    /// Rows of segments in hand that have not been walked over.
    rows: Vec<(u64, Commitment)>,
    missing: Missing,
    records: Records,
}

impl InOrder {
    /// Walks over all entries before a sequence.
    fn up_to(&mut self, end: u64, audit: &mut Audit) -> Result<(), CannotVerify> {
        if end <= self.next {
            return Ok(());
        }
        self.rows.sort_by_key(|(sequence, _)| *sequence);
        let cut = self.rows.partition_point(|(sequence, _)| *sequence < end);
        let later = self.rows.split_off(cut);
        for (sequence, commitment) in std::mem::replace(&mut self.rows, later) {
            if sequence < self.next {
                audit.findings.add(Finding::new(MANIFEST, "an entry is in its segments twice").entry(sequence));
                continue;
            }
            self.gap(sequence, audit)?;
            let leaf = self.leaf(sequence, commitment, audit)?;
            audit.walk.append(leaf, &mut audit.findings)?;
            self.next = sequence + 1;
        }
        self.gap(end, audit)
    }

    /// Walks over entries that no segment has, as far as the log still has their commitments or leaf hashes.
    fn gap(&mut self, end: u64, audit: &mut Audit) -> Result<(), CannotVerify> {
        self.missing.add(self.next, end);
        while self.next < end && audit.walk.lost.is_none() {
            let held = self.held(self.next, audit)?.map(|held| held.leaf_hash());
            let leaf = match held {
                Some(leaf) => Some(leaf),
                None => self.records.leaf(self.next)?,
            };
            match leaf {
                Some(leaf) => audit.walk.append(leaf, &mut audit.findings)?,
                None => audit.walk.lose(self.next),
            }
            self.next += 1;
        }
        self.next = self.next.max(end);
        Ok(())
    }

    /// The leaf of an entry: by its payload, unless the log's own record and leaf hash agree on another.
    fn leaf(&mut self, sequence: u64, payload: Commitment, audit: &mut Audit) -> Result<Hash, CannotVerify> {
        let leaf = payload.leaf_hash();
        Ok(match self.held(sequence, audit)? {
            Some(held) if held != payload && self.records.leaf(sequence)? == Some(held.leaf_hash()) => held.leaf_hash(),
            _ => leaf,
        })
    }

    fn held(&mut self, sequence: u64, audit: &mut Audit) -> Result<Option<Commitment>, CannotVerify> {
        let held = self.records.commitment(sequence)?;
        if sequence.is_multiple_of(256) && self.records.place(sequence).0 != MANIFEST {
            match self.records.bundle_fault(sequence)? {
                Some(fault) => audit.findings.add(fault),
                None => audit.counts.bundles += 1,
            }
        }
        Ok(held)
    }
}
