//! The sealed entries: segments on all cores, their commitments brought back into order, walked
//! over leaf by leaf.
//!
//! Needs memory for the commitments of the segments in hand, not for the log.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::audit::Audit;
use crate::error::CannotVerify;
use crate::expiry::erasure::ErasedSequences;
use crate::expiry::gaps::{ExpiredGaps, Gone};
use crate::finding::Finding;
use crate::manifest::{Listed, MANIFEST, Manifest};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::records::{COMMITMENTS, Records};
use crate::segment::{self, Checked, CheckedRow, SegmentFiles};
use crate::tier_folder::TierFolder;

type Outcome = (usize, Result<Checked, CannotVerify>);

/// Checks all sealed entries and walks over them.
pub(crate) fn check(
    dir: &Path,
    tiers: &[TierFolder],
    manifest: &Manifest,
    audit: &mut Audit,
    progress: &Progress,
) -> Result<(), CannotVerify> {
    let mut listed = manifest.segments.clone();
    listed.sort_by_key(|segment| (segment.first_sequence, segment.last_sequence));
    let edge = Arc::new(manifest.edge.clone());
    let open = || Records::open(dir, manifest.sealed_size, Arc::clone(&edge));
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(listed.len().max(1));
    let mut order = InOrder {
        next: 0,
        rows: Vec::new(),
        missing: Missing::default(),
        expired: ExpiredGaps::new(&listed),
        erased: ErasedSequences::new(&listed),
        records: open()?,
    };

    let readers = (0..workers)
        .map(|_| open())
        .collect::<Result<Vec<_>, _>>()?;
    let hasher = audit.sequence.hasher.clone();
    let outcome = thread::scope(|scope| {
        let (sender, receiver) = sync_channel(workers);
        for mut records in readers {
            let (sender, next, stop, listed, hasher) =
                (sender.clone(), &next, &stop, &listed, &hasher);
            scope.spawn(move || {
                work((next, stop), listed, &sender, |segment| {
                    let files = SegmentFiles {
                        dir,
                        known: manifest.length,
                        tiers,
                    };
                    segment::check(files, segment, &mut records, hasher, progress)
                })
            });
        }
        drop(sender);
        let outcome = collect(&listed, &receiver, &mut order, audit);
        stop.store(true, Ordering::Relaxed);
        outcome
    });
    outcome?;

    order.up_to(manifest.sealed_size, audit)?;
    edge_holds(manifest, &mut order.records, audit)?;

    if order.missing.total > 0 {
        let message = format!(
            "{} entries are in none of the segments: {}",
            order.missing.total, order.missing
        );
        audit.findings.add(Finding::new(MANIFEST, message));
        audit.missing = order.missing;
    }
    audit.expiries.gaps = order.expired.finish();
    audit.expiries.erased = order.erased.finish();

    Ok(())
}

fn work(
    (next, stop): (&AtomicUsize, &AtomicBool),
    listed: &[Listed],
    sender: &SyncSender<Outcome>,
    mut check: impl FnMut(&Listed) -> Result<Checked, CannotVerify>,
) {
    while !stop.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(segment) = listed.get(index) else {
            return;
        };
        if sender.send((index, check(segment))).is_err() {
            return;
        }
    }
}

/// Takes segments as they come and walks over their entries in order. Segments overlap within a
/// seal only, so entries are known to be complete up to where the next segment begins.
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
            audit.counts.submitters.add(checked.submitters);
            audit.findings.take(checked.findings);
            for (sequence, canonical) in checked.evidence {
                audit.expiries.evidence.entry(sequence, &canonical);
            }
            if let Some(segment) = listed.get(wanted - 1) {
                if checked.elsewhere {
                    audit.counts.segments_elsewhere += 1;
                    order.expired.elsewhere(segment);
                }
                for (event_type, sequence) in checked.other_types {
                    audit
                        .expiries
                        .evidence
                        .class(event_type, segment.class.clone(), sequence);
                }
            }
            order.rows.extend(checked.rows);
            if let Some(following) = listed.get(wanted) {
                order.up_to(following.first_sequence, audit)?;
            }
        }
    }

    Ok(())
}

/// The manifest repeats the commitments beyond the last full tile.
fn edge_holds(
    manifest: &Manifest,
    records: &mut Records,
    audit: &mut Audit,
) -> Result<(), CannotVerify> {
    let full = manifest.sealed_size - manifest.sealed_size % 256;
    for (sequence, repeated) in (full..).zip(&manifest.edge) {
        let held = records.commitment(sequence)?;
        if let (Some(repeated), Some(held)) = (repeated, held)
            && *repeated != held
        {
            let message = format!("edge differs from {COMMITMENTS}");
            audit.findings.add(
                Finding::new(MANIFEST, message)
                    .entry(sequence)
                    .differs(held, repeated),
            );
        }
    }

    let last = manifest.sealed_size.checked_sub(1);
    if let Some(last) = last.filter(|_| audit.walk.lost.is_none())
        && records.commitment(last)?.is_none()
    {
        let message = "the file ends before the last sealed entry, or is missing";
        audit
            .findings
            .add(Finding::new(COMMITMENTS, message).entry(last));
    }

    Ok(())
}

/// Entries on their way into the tree.
struct InOrder {
    /// The sequence that comes next.
    next: u64,
    /// Rows of segments in hand that have not been walked over.
    rows: Vec<CheckedRow>,
    missing: Missing,
    expired: ExpiredGaps,
    erased: ErasedSequences,
    records: Records,
}

impl InOrder {
    /// Walks over all entries before a sequence.
    fn up_to(&mut self, end: u64, audit: &mut Audit) -> Result<(), CannotVerify> {
        if end <= self.next {
            return Ok(());
        }

        // Segments come one after another, so this merges a few sorted runs.
        self.rows.sort_by_key(|row| row.sequence);
        let cut = self.rows.partition_point(|row| row.sequence < end);
        let later = self.rows.split_off(cut);

        for CheckedRow {
            sequence,
            leaf,
            mark,
        } in std::mem::replace(&mut self.rows, later)
        {
            if sequence < self.next {
                audit.findings.add(
                    Finding::new(MANIFEST, "an entry is in its segments twice").entry(sequence),
                );
                continue;
            }
            self.gap(sequence, audit)?;
            if self.erased.includes(sequence) {
                let message = "an entry is in its segment that the manifest marks as erased";
                audit
                    .findings
                    .add(Finding::new(MANIFEST, message).entry(sequence));
            }
            audit.walk.append(leaf, &mut audit.findings)?;
            audit.sequence.entry(sequence, mark);
            self.next = sequence + 1;
        }

        self.gap(end, audit)
    }

    /// Walks over entries that no segment has, as far as the log still has their commitments.
    fn gap(&mut self, end: u64, audit: &mut Audit) -> Result<(), CannotVerify> {
        while self.next < end {
            // Without the commitments before it nothing of the rest can be vouched for.
            if audit.walk.lost.is_some() {
                self.missing.add(self.next, end);
                break;
            }
            let held = self.records.commitment(self.next)?;
            if self.erased.take(self.next, held) {
                audit.counts.erased += 1;
            } else {
                match self.expired.take(self.next, held) {
                    Some(Gone::Expired) => audit.counts.expired += 1,
                    Some(Gone::Elsewhere) => audit.counts.elsewhere += 1,
                    None => self.missing.add(self.next, self.next + 1),
                }
            }
            match held {
                Some(held) => audit.walk.append(held.leaf_hash(), &mut audit.findings)?,
                None => audit.walk.lose(self.next),
            }
            self.next += 1;
        }

        self.next = self.next.max(end);
        Ok(())
    }
}
