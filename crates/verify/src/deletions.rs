//! Deletions held against the policies and holds of the log.
//!
//! A range counts as expired if the manifest marks its segment, the log has the tombstone that the
//! mark names, the tombstone describes that segment, the policies it names were in force in the log
//! when it was recorded, the period of every event type had passed, and every hold that was in
//! force then was looked at. Everything else is a finding.

mod erasure;

use jiff::Timestamp;

use crate::audit::Audit;
use crate::expiry::evidence::{ExpiryEvidence, Tombstone};
use crate::expiry::gaps::ExpiredGap;
use crate::expiry::policy::Policies;
use crate::expiry::{ErasedRange, ExpiredRange};
use crate::finding::Finding;
use crate::manifest::{Listed, MANIFEST};

/// Holds everything that the manifest marks as expired against the log.
pub(crate) fn check(audit: &mut Audit) {
    let gaps = std::mem::take(&mut audit.expiries.gaps);
    let mut evidence = std::mem::take(&mut audit.expiries.evidence);
    evidence.finish();
    let evidence = &evidence;
    check_erasures(audit, evidence);
    let (policies, faults) = Policies::new(&evidence.policies);
    for (sequence, message) in faults {
        audit
            .findings
            .add(Finding::new("ledger", message).entry(sequence));
    }

    for ((event_type, class), sequence) in &evidence.classes {
        if !policies.ever_gave(event_type, class) {
            let message = format!(
                "the entry of type {event_type} is in a segment of class {class}, which no version of the policies gives it"
            );
            audit
                .findings
                .add(Finding::new(MANIFEST, message).entry(*sequence));
        }
    }

    for gap in gaps {
        let listed = &gap.segment;
        let finding = |message: String| {
            Finding::new(MANIFEST, message).entries(listed.first_sequence, listed.last_sequence)
        };
        if gap.left > 0 {
            let message = format!(
                "{} is marked as expired, but {} of its entries are elsewhere",
                listed.path, gap.left
            );
            audit.findings.add(finding(message));
        }

        let Some(mark) = listed.expired else { continue };
        let Some(tombstone) = evidence.tombstones.get(&mark.entry) else {
            let message = format!(
                "{} is marked as expired, but entry {} of the log is not its tombstone",
                listed.path, mark.entry
            );
            audit.findings.add(finding(message));
            continue;
        };

        let faults = violations(listed, &gap, tombstone, &policies, evidence);
        if faults.is_empty() {
            audit.expiries.ranges.push(ExpiredRange {
                first: listed.first_sequence,
                last: listed.last_sequence,
                entries: listed.count,
                class: listed.class.clone(),
                policy_version: mark.policy_version,
                tombstone: mark.entry,
            });
        }
        for fault in faults {
            audit
                .findings
                .add(finding(format!("{} was deleted, and {fault}", listed.path)));
        }
    }
}

/// Holds everything that the manifest marks as erased against the log.
fn check_erasures(audit: &mut Audit, evidence: &ExpiryEvidence) {
    for runs in std::mem::take(&mut audit.expiries.erased) {
        let Some(mark) = runs.mark() else { continue };
        let ends = mark.sequences.first().zip(mark.sequences.last());
        let (first, last) = ends.map_or((0, 0), |(first, last)| (first.0, last.1));
        let path = runs.segment.path_after(runs.nth);
        let faults = erasure::violations(&runs, mark, evidence);
        if faults.is_empty() {
            audit.expiries.erasures.push(ErasedRange {
                first,
                last,
                entries: runs.met,
                class: runs.segment.class.clone(),
                request: mark.request.clone(),
                tombstone: mark.entry,
            });
        }
        for fault in faults {
            let message = format!("entries of {path} were erased, and {fault}");
            audit
                .findings
                .add(Finding::new(MANIFEST, message).entries(first, last));
        }
    }
}

/// Reasons why a tombstone does not allow the deletion.
fn violations(
    listed: &Listed,
    gap: &ExpiredGap,
    tombstone: &Tombstone,
    policies: &Policies,
    evidence: &ExpiryEvidence,
) -> Vec<String> {
    let mut faults = Vec::new();
    let at = tombstone.sequence;
    let stated = (
        tombstone.first_sequence,
        tombstone.last_sequence,
        tombstone.entries,
        tombstone.sha256.as_str(),
        tombstone.class.as_str(),
    );
    let held = (
        listed.first_sequence,
        listed.last_sequence,
        listed.count,
        listed.sha256.as_str(),
        listed.class.as_str(),
    );
    if stated != held || tombstone.event_types.values().sum::<u64>() != listed.count {
        faults.push(format!(
            "its tombstone (entry {at}) describes another segment"
        ));
    }
    if at <= listed.last_sequence {
        faults.push(format!(
            "its tombstone (entry {at}) is older than its entries"
        ));
    }
    if let Some(root) = gap.root()
        && root.to_string() != tombstone.commitments_root
    {
        faults.push(format!(
            "its tombstone (entry {at}) names another root of its commitments than the log has"
        ));
    }

    let version = listed.expired.map_or(0, |mark| mark.policy_version);
    if tombstone.policy_version != version || policies.in_force(at) != version {
        faults.push(format!(
            "version {version} of the policies was not in force in the log at its tombstone (entry {at}, which names version {}; version {} was)",
            tombstone.policy_version,
            policies.in_force(at)
        ));
    } else {
        faults.extend(too_early(listed, tombstone, policies, version));
    }

    faults.extend(ignored_holds(at, &tombstone.holds, evidence));
    faults
}

/// Holds that were in force at a tombstone, and that it did not look at.
fn ignored_holds(at: u64, looked_at: &[String], evidence: &ExpiryEvidence) -> Vec<String> {
    let in_force = evidence.holds.iter().filter(|(_, (placed, released))| {
        *placed < at && released.is_none_or(|released| released > at)
    });
    let ignored = in_force.filter(|(id, _)| !looked_at.contains(id));
    ignored
        .map(|(id, (placed, _))| {
            format!("the legal hold {id} (entry {placed}) was in force and was not looked at")
        })
        .collect()
}

/// The reason if the period of an event type had not passed when the tombstone was recorded.
fn too_early(
    listed: &Listed,
    tombstone: &Tombstone,
    policies: &Policies,
    version: u64,
) -> Option<String> {
    let known = [
        Some(listed.max_timestamp_ms),
        listed.max_recorded_at_ms,
        Some(tombstone.newest_timestamp.as_millisecond()),
        Some(tombstone.newest_recorded_at.as_millisecond()),
    ];
    let clock = known.into_iter().flatten().max()?;
    let clock = Timestamp::from_millisecond(clock).ok()?;

    tombstone.event_types.keys().find_map(|event_type| {
        match policies.delete_at(version, event_type, clock) {
            Some(at) if at <= tombstone.recorded_at => None,
            Some(at) => Some(format!(
                "entries of type {event_type} expire at {at}, after its tombstone of {}",
                tombstone.recorded_at
            )),
            None => Some(format!(
                "entries of type {event_type} never expire by version {version} of the policies"
            )),
        }
    })
}
