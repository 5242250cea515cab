//! The entries of a page: read by their rows, several segments side by side, and restored against
//! the tree.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reeve_ledger::{LogView, SealedEntry, SegmentMeta, StoredEntry, TrailError};

use super::job::Found;
use super::workers::share_out;
use crate::entries::faults::damaged;
use crate::entries::scan::{sequence_in, sequences_between};
use crate::entries::segments::EntrySegments;
use crate::entries::views::Views;

/// Sequences of matches in one segment, with their rows if an index found them.
type Places = Vec<(u64, Option<usize>)>;

/// Reads the entries of a page, in its order.
pub(super) async fn entries(
    segments: &Arc<EntrySegments>,
    views: &Arc<dyn Views>,
    page: Vec<Found>,
    view: &LogView,
) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
    let mut wanted: BTreeMap<usize, Places> = BTreeMap::new();
    for found in &page {
        if let Found::Sealed {
            sequence,
            segment,
            row,
        } = found
        {
            wanted.entry(*segment).or_default().push((*sequence, *row));
        }
    }

    let restored = share_out(wanted.into_iter().collect(), |queue| {
        let (segments, listed, views) = (
            Arc::clone(segments),
            Arc::clone(&view.segments),
            Arc::clone(views),
        );
        async move {
            let mut sealed = Vec::new();
            while let Some((segment, places)) = queue.take() {
                sealed.extend(sealed_entries(&segments, &listed[*segment], places).await?);
            }
            views.restore(sealed).await
        }
    });
    let restored: Vec<Vec<StoredEntry>> = restored.await?;

    let mut by_sequence: HashMap<u64, Arc<StoredEntry>> = restored
        .into_iter()
        .flatten()
        .map(|entry| (entry.sequence, Arc::new(entry)))
        .collect();

    page.into_iter()
        .map(|found| match found {
            Found::Tail(entry) => Ok(entry),
            Found::Sealed { sequence, .. } => by_sequence
                .remove(&sequence)
                .ok_or_else(|| TrailError::Backend(format!("entry {sequence} was not restored"))),
        })
        .collect()
}

/// Reads the entries that were found in a segment.
async fn sealed_entries(
    segments: &EntrySegments,
    segment: &SegmentMeta,
    places: &Places,
) -> Result<Vec<SealedEntry>, TrailError> {
    let mut places = places.clone();
    places.sort_unstable();
    let sequences: Vec<u64> = places.iter().map(|(sequence, _)| *sequence).collect();
    let (Some(&first), Some(&last)) = (sequences.first(), sequences.last()) else {
        return Ok(Vec::new());
    };

    let rows: Option<Vec<usize>> = places.iter().map(|(_, row)| *row).collect();
    // Ascending sequences stand in ascending rows, or the index is of another segment.
    let in_order = |rows: &Vec<usize>| {
        rows.is_sorted_by(|a, b| a < b)
            && rows.last().is_some_and(|&row| row < segment.count as usize)
    };

    let entries = match rows.filter(in_order) {
        Some(rows) => segments.rows(segment, &rows).await?,
        None => {
            let mut conditions = sequences_between(first, last).to_vec();
            if first < last {
                conditions.push(sequence_in(&sequences));
            }
            segments.sealed(segment, None, &conditions).await?
        }
    };

    if !entries.iter().map(|entry| entry.sequence).eq(sequences) {
        return Err(damaged(
            &segment.path,
            "it does not give the entries that were found in it",
        )
        .into());
    }

    Ok(entries)
}
