//! One sealed segment: by its index if it has a sound one, otherwise by a scan of its rows.

mod by_index;
mod by_scan;
mod rows;
mod uuid_words;
mod windows;

use reeve_ledger::{SegmentMeta, TrailError};

use self::rows::SegmentRows;
use super::job::{Job, Matches};
use crate::entries::segments::EntrySegments;

/// Returns the matches of the segment at a position of the list: all of them, or those that the
/// page can use.
pub(super) async fn matches(
    segments: &EntrySegments,
    job: &Job,
    listed: &[SegmentMeta],
    position: usize,
) -> Result<Matches, TrailError> {
    let segment = &listed[position];
    segments.present(segment)?;
    let rows = SegmentRows {
        segments,
        job,
        segment,
        position,
    };

    if let Some(index) = segments.index(segment) {
        match by_index::matches(&rows, &index).await {
            Ok(matches) => return Ok(matches),
            Err(by_index::IndexFailure::Search(error)) => return Err(error),
            // The rows decide instead, and the index is built anew.
            Err(by_index::IndexFailure::Index) => segments.distrust(segment),
        }
    }

    by_scan::matches(&rows).await
}
