//! Replacement of segments by what they are after an erasure.

use super::super::{ManifestError, has_sound_runs};
use super::{contradicts, found};
use crate::segment::SegmentMeta;

/// Replaces segments of a list, which is in the order of the manifest. The new file lies on the local
/// disk, and the mark names the tier that the old one lies in. Refuses segments that are not in the
/// list, have expired or are being moved, and an erasure that takes another back, takes entries
/// twice, names another tier, or does not account for each entry that is gone.
pub(crate) fn replace(
    segments: &mut [SegmentMeta],
    rewritten: &[SegmentMeta],
) -> Result<(), ManifestError> {
    for change in rewritten {
        let refused = |what: &str| Err(contradicts(change, what));
        let segment = found(segments, change)?;
        if segment.expired.is_some() || change.expired.is_some() {
            return refused("an erasure names a segment that has expired");
        }
        if change.moved.is_some() {
            return refused("an erasure writes a segment to another tier than the local disk");
        }
        // Nothing would name the file in the tier before.
        if segment.leaving().is_some() {
            return refused("an erasure names a segment whose move has not ended");
        }

        let Some((newest, before)) = change.erased.split_last() else {
            return refused("an erasure erases nothing");
        };
        if newest.tier != segment.moved.as_ref().map(|moved| moved.tier) {
            return refused("an erasure names another tier than the one that its segment lies in");
        }
        if before != segment.erased || change.last_sequence != segment.last_sequence {
            return refused("an erasure describes the segment differently");
        }
        if change.path != segment.path_after(change.erased.len()) {
            return refused("an erasure names another file than the next of the segment");
        }
        let twice = newest.sequences.iter().any(|(first, last)| {
            let others = before.iter().flat_map(|erased| &erased.sequences);
            others
                .into_iter()
                .any(|other| other.0 <= *last && *first <= other.1)
        });
        if twice || !has_sound_runs(change) {
            return refused("the erased sequences are not in order, not of it, or erased before");
        }
        if change.sealed_count() != segment.sealed_count() {
            return refused("an erasure does not account for each entry that is gone");
        }

        *segment = change.clone();
    }

    Ok(())
}
