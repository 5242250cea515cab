//! A segment without an index, scanned by the whole predicate: all of it, or, when only a page is
//! wanted, in windows of sequences, nearest first and ever larger.

use reeve_ledger::{GroupBy, TrailError};

use super::rows::{SegmentRows, sequences_of};
use super::windows::Windows;
use crate::entries::scan::sequences_between;
use crate::entries::search::job::Matches;

/// Returns the matches of a segment, read from its rows.
pub(super) async fn matches(rows: &SegmentRows<'_>) -> Result<Matches, TrailError> {
    let mut matches = Matches::new(rows.job);
    if rows.job.needs_every_match() {
        add_every_match(rows, &mut matches).await?;
    } else {
        add_nearest(rows, &mut matches).await?;
        matches.trim(rows.job);
    }
    Ok(matches)
}

/// Adds page, total and counts.
async fn add_every_match(rows: &SegmentRows<'_>, matches: &mut Matches) -> Result<(), TrailError> {
    let job = rows.job;
    let key = job
        .sort
        .as_ref()
        .map(|page| GroupBy::Column(page.sort.column));
    let mut scan = rows
        .open(
            None,
            job.predicate.conditions(),
            job.counted.iter().chain(&key),
        )
        .await?;

    while let Some(batch) = scan.next().await? {
        matches.total += batch.num_rows() as u64;
        for tally in 0..job.counted.len() {
            scan.count(&batch, matches, tally)?;
        }
        if let Some(page) = &job.sort {
            for (sequence, key) in scan.keys(&batch, page.sort.column) {
                matches.add_sorted(page, job, key, rows.found(sequence, None));
            }
            continue;
        }
        let on_page =
            sequences_of(&batch).filter(|&sequence| job.wanted > 0 && job.on_page(sequence));
        matches
            .found
            .extend(on_page.map(|sequence| rows.found(sequence, None)));
        matches.trim(job);
    }

    Ok(())
}

/// Adds the matches nearest to the page, at least as many as it can use.
async fn add_nearest(rows: &SegmentRows<'_>, matches: &mut Matches) -> Result<(), TrailError> {
    let (job, segment) = (rows.job, rows.segment);
    let reach = job.reach();
    let range = reach.start.max(segment.first_sequence)..reach.end.min(segment.last_sequence + 1);

    for window in Windows::new(range, job.order) {
        if matches.found.len() >= job.wanted {
            break;
        }
        let mut conditions = sequences_between(window.start, window.end - 1).to_vec();
        conditions.extend_from_slice(job.predicate.conditions());
        let sequences = rows.sequences(None, &conditions).await?;
        matches.found.extend(
            sequences
                .into_iter()
                .map(|sequence| rows.found(sequence, None)),
        );
    }

    Ok(())
}
