//! An erasure held against its tombstone, its request and the legal holds of the log.

use std::collections::BTreeSet;

use super::ignored_holds;
use crate::expiry::erasure::ErasedRuns;
use crate::expiry::evidence::{EarlierTombstone, ErasureTombstone, ExpiryEvidence};
use crate::manifest::{ErasureMark, Listed, TierName};

/// Approvals that a request needs.
const APPROVALS: usize = 2;

/// Reasons why the log does not allow an erasure.
pub(super) fn violations(
    runs: &ErasedRuns,
    mark: &ErasureMark,
    evidence: &ExpiryEvidence,
) -> Vec<String> {
    let at = mark.entry;
    let Some(tombstone) = evidence.erasures.get(&at) else {
        return vec![format!("entry {at} of the log is not their tombstone")];
    };
    let mut faults = Vec::new();
    if !describes(tombstone, &runs.segment, mark) {
        faults.push(format!(
            "the tombstone (entry {at}) describes other entries"
        ));
    }
    if at <= runs.segment.last_sequence {
        faults.push(format!(
            "the tombstone (entry {at}) is older than the entries"
        ));
    }
    if let Some(root) = runs.root()
        && root.to_string() != tombstone.commitments_root
    {
        faults.push(format!(
            "the tombstone (entry {at}) names another root of their commitments than the log has"
        ));
    }
    if runs.met != tombstone.entries {
        faults.push(format!(
            "the tombstone (entry {at}) names {} entries, but {} are gone",
            tombstone.entries, runs.met
        ));
    }
    faults.extend(files(runs, tombstone, evidence));
    match &tombstone.reapplied {
        Some(earlier) => faults.extend(not_restored(tombstone, earlier, mark, evidence)),
        None => {
            faults.extend(unapproved(tombstone, evidence));
            faults.extend(ignored_holds(at, &tombstone.holds, evidence));
        }
    }
    faults
}

fn describes(tombstone: &ErasureTombstone, segment: &Listed, mark: &ErasureMark) -> bool {
    let stated = (
        tombstone.first_sequence,
        tombstone.last_sequence,
        &tombstone.class,
        &tombstone.request,
        &tombstone.sequences,
        tombstone.tier,
    );
    let held = (
        segment.first_sequence,
        segment.last_sequence,
        &segment.class,
        &mark.request,
        &mark.sequences,
        mark.tier.unwrap_or(TierName::Hot),
    );
    stated == held
}

/// The reason if the file after the erasure is neither the manifest's nor the one that the next
/// erasure began with.
fn files(
    runs: &ErasedRuns,
    tombstone: &ErasureTombstone,
    evidence: &ExpiryEvidence,
) -> Option<String> {
    let next = runs.segment.erased.get(runs.nth + 1);
    let expected = match next {
        None => Some(&runs.segment.sha256),
        Some(next) => evidence.erasures.get(&next.entry).map(|next| &next.sha256),
    };
    let is_same = expected.is_none_or(|expected| *expected == tombstone.sha256_after)
        && tombstone.path_after == runs.segment.path_after(runs.nth + 1);
    (!is_same).then(|| {
        format!(
            "the tombstone (entry {}) names another file than the segment has since",
            tombstone.sequence
        )
    })
}

/// The reason if the log does not have the request with two approvals by others before the
/// tombstone.
fn unapproved(tombstone: &ErasureTombstone, evidence: &ExpiryEvidence) -> Option<String> {
    let (at, id) = (tombstone.sequence, &tombstone.request);
    let request = evidence.requests.get(id);
    let created = request.and_then(|request| request.created.as_ref());
    let Some((_, requester)) = created.filter(|(created, _)| *created < at) else {
        return Some(format!("the log does not have the request {id} before it"));
    };
    let approvals = request.into_iter().flat_map(|request| &request.approvals);
    let people: BTreeSet<&str> = approvals
        .filter(|(approved, person)| *approved < at && person != requester)
        .map(|(_, person)| person.as_str())
        .collect();
    (people.len() < APPROVALS).then(|| {
        format!(
            "the request {id} had approvals by {} people other than its requester, and {APPROVALS} are needed",
            people.len()
        )
    })
}

/// The reason if a tombstone repeats one that no restore took out of the log: the restore must come
/// before it, of a backup that has the entries and not the earlier tombstone.
fn not_restored(
    tombstone: &ErasureTombstone,
    earlier: &EarlierTombstone,
    mark: &ErasureMark,
    evidence: &ExpiryEvidence,
) -> Option<String> {
    let last = mark.sequences.last().map_or(0, |run| run.1);
    let mut restores = evidence.restores.range(..tombstone.sequence);
    let fits = restores.any(|(_, size)| last < *size && earlier.sequence >= *size);
    (!fits).then(|| {
        format!(
            "the tombstone (entry {}) repeats one of entry {}, but no restore before it took that out of the log",
            tombstone.sequence, earlier.sequence
        )
    })
}
