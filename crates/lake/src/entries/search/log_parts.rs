//! The parts of the log, asked one after the other or side by side: the unsealed tail and the
//! sealed segments.
//!
//! A page alone is searched segment by segment, the nearest first and ever more of them side by
//! side, until no segment that is left could add to it. Totals and counts need every segment; those
//! whose index knows the answer are not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reeve_audit::query::{QueryColumn, SortKey};
use reeve_ledger::{LogView, Order, SegmentMeta, StoredEntry, TrailError};

use super::fetch;
use super::job::{Found, Job, Matches, SortedPage};
use super::segment;
use super::tail::{self, Pieces};
use super::workers::{on_worker, share_out};
use crate::entries::segments::EntrySegments;
use crate::entries::views::{SealedPlace, Views};

/// Factor by which more segments are searched for a page when those before had too few matches.
const GROWTH: usize = 4;
/// Segments that are searched between two looks at how full the page is, at most.
const MOST_AT_ONCE: usize = 1_024;

/// Everything that a search reads.
pub(super) struct LogParts {
    pub(super) segments: Arc<EntrySegments>,
    views: Arc<dyn Views>,
    pieces: Arc<Pieces>,
    /// `true` while indexes are built.
    mending: Arc<AtomicBool>,
}

impl LogParts {
    pub(super) fn new(segments: Arc<EntrySegments>, views: Arc<dyn Views>) -> Self {
        LogParts {
            segments,
            views,
            pieces: Arc::default(),
            mending: Arc::default(),
        }
    }

    /// Returns the log as it stands now.
    pub(super) fn view(&self) -> LogView {
        self.views.view()
    }

    /// Returns the place of an identifier among the sealed entries.
    pub(super) async fn sealed_place(&self, event_id: &str) -> Result<SealedPlace, TrailError> {
        let (views, event_id) = (Arc::clone(&self.views), event_id.to_owned());
        on_worker(async move { Ok(views.sealed_place(&event_id)) }).await
    }

    /// Returns the number of pieces of the tail that have an index.
    pub(super) fn indexed_pieces(&self) -> usize {
        self.pieces.indexed()
    }

    /// Returns page, total and counts at once.
    pub(super) async fn every_match(
        &self,
        job: &Job,
        view: &LogView,
    ) -> Result<Matches, TrailError> {
        let mut matches = tail::matches(&view.tail, &self.pieces, job).await?;
        let relevant = (0..view.segments.len())
            .filter(|&at| job.predicate.may_match(&view.segments[at]))
            .collect();
        matches.merge(self.segments_at(job, view, relevant).await?.0, job);
        Ok(matches)
    }

    /// Returns the matches of the page alone. The tail is newer than most segments, so that it
    /// comes first or last.
    pub(super) async fn page(&self, job: &Job, view: &LogView) -> Result<Matches, TrailError> {
        let mut matches = Matches::new(job);
        if job.order == Order::NewestFirst {
            matches = tail::matches(&view.tail, &self.pieces, job).await?;
        }

        let mut left = nearest_last(job, view);
        let mut size = 1;

        while let Some(&next) = left.last() {
            if is_complete(&matches, job, &view.segments[next]) {
                break;
            }
            let batch = left.split_off(left.len().saturating_sub(size));
            matches.merge(self.segments_at(job, view, batch).await?.0, job);
            size = (size * GROWTH).min(MOST_AT_ONCE);
        }

        if job.order == Order::OldestFirst && matches.found.len() < job.wanted {
            matches.merge(tail::matches(&view.tail, &self.pieces, job).await?, job);
        }

        Ok(matches)
    }

    /// Returns the matches of a sorted page. By time, segments are asked from the near end on,
    /// until none that is left can add to the page.
    pub(super) async fn sorted(
        &self,
        job: &Job,
        page: &SortedPage,
        view: &LogView,
    ) -> Result<Matches, TrailError> {
        let mut matches = tail::matches(&view.tail, &self.pieces, job).await?;
        let mut left: Vec<usize> = (0..view.segments.len())
            .filter(|&at| job.predicate.may_match(&view.segments[at]))
            .collect();
        let by_time = page.sort.column == QueryColumn::Timestamp;

        // The nearest last, as its best key would be.
        let best = |at: usize| {
            let segment = &view.segments[at];
            if page.sort.descending {
                segment.max_timestamp_ms
            } else {
                -segment.min_timestamp_ms
            }
        };

        if by_time {
            left.sort_by_key(|&at| best(at));
        }

        let mut size = if by_time { 1 } else { MOST_AT_ONCE };
        while let Some(&next) = left.last() {
            let worst = matches
                .sorted
                .last()
                .filter(|_| matches.sorted.len() >= job.wanted);
            if let Some((Some(SortKey::Time(worst)), _)) = worst
                && best(next) < if page.sort.descending { *worst } else { -worst }
            {
                break;
            }
            let batch = left.split_off(left.len().saturating_sub(size));
            matches.merge(self.segments_at(job, view, batch).await?.0, job);
            size = (size * GROWTH).min(MOST_AT_ONCE);
        }

        Ok(matches)
    }

    /// Returns the matches of the page, the oldest first, and the sequence up to which the log was
    /// searched. Where the budget pauses, that is the beginning of the nearest part that was not
    /// searched; it always lies beyond where the search began.
    pub(super) async fn onwards(
        &self,
        job: &Job,
        view: &LogView,
    ) -> Result<(Matches, u64), TrailError> {
        let start = job.reach().start;
        let mut matches = Matches::new(job);
        let mut left = nearest_last(job, view);
        let mut size = 1;

        while let Some(&next) = left.last() {
            let first = view.segments[next].first_sequence;
            if is_complete(&matches, job, &view.segments[next]) {
                return Ok((matches, u64::MAX));
            }
            if first > start && job.budget.is_paused() {
                return Ok((matches, first));
            }
            let mut batch = left.split_off(left.len().saturating_sub(size));
            batch.reverse();
            let (more, skipped) = self.segments_at(job, view, batch).await?;
            matches.merge(more, job);
            if let Some(first) = skipped
                .iter()
                .map(|&at| view.segments[at].first_sequence)
                .min()
            {
                return Ok((matches, first));
            }
            size = (size * GROWTH).min(MOST_AT_ONCE);
        }

        let first = view.tail.first_sequence();
        if first > start && job.budget.is_paused() {
            return Ok((matches, first));
        }
        if matches.found.len() < job.wanted {
            matches.merge(tail::matches(&view.tail, &self.pieces, job).await?, job);
        }

        Ok((matches, u64::MAX))
    }

    /// Reads the entries of a page.
    pub(super) async fn fetch(
        &self,
        page: Vec<Found>,
        view: &LogView,
    ) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
        fetch::entries(&self.segments, &self.views, page, view).await
    }

    /// Returns the matches of some segments, several searched side by side, and the positions of
    /// those that were left out because the budget paused: never one that the search must pass to
    /// advance.
    async fn segments_at(
        &self,
        job: &Job,
        view: &LogView,
        positions: Vec<usize>,
    ) -> Result<(Matches, Vec<usize>), TrailError> {
        let searched = share_out(positions, |queue| {
            let (segments, job, listed) = (
                Arc::clone(&self.segments),
                job.clone(),
                Arc::clone(&view.segments),
            );
            async move {
                let (mut matches, mut skipped) = (Matches::new(&job), Vec::new());
                let start = job.reach().start;
                while let Some(&position) = queue.take() {
                    if listed[position].first_sequence > start && job.budget.is_paused() {
                        skipped.push(position);
                        continue;
                    }
                    matches.merge(
                        segment::matches(&segments, &job, &listed, position).await?,
                        &job,
                    );
                }
                Ok((matches, skipped))
            }
        });
        let searched: Vec<(Matches, Vec<usize>)> = searched.await?;

        self.mend_later();
        let (mut matches, mut skipped) = (Matches::new(job), Vec::new());
        for (more, left_out) in searched {
            matches.merge(more, job);
            skipped.extend(left_out);
        }

        Ok((matches, skipped))
    }

    /// Has indexes built that a search missed, one round at a time.
    fn mend_later(&self) {
        if !self.segments.misses_indexes() || self.mending.swap(true, Ordering::AcqRel) {
            return;
        }

        let (segments, mending) = (Arc::clone(&self.segments), Arc::clone(&self.mending));
        let views = Arc::clone(&self.views);
        tokio::spawn(async move {
            if let Err(error) = segments.mend_indexes(views.as_ref()).await {
                tracing::warn!(%error, "indexes were not built");
            }
            mending.store(false, Ordering::Release);
        });
    }
}

/// Returns the segments that can have matches for the page, the nearest last.
fn nearest_last(job: &Job, view: &LogView) -> Vec<usize> {
    let reach = job.reach();
    let can_have = |segment: &SegmentMeta| {
        segment.first_sequence < reach.end
            && reach.start <= segment.last_sequence
            && job.predicate.may_match(segment)
    };

    let mut left: Vec<usize> = (0..view.segments.len())
        .filter(|&at| can_have(&view.segments[at]))
        .collect();
    match job.order {
        Order::NewestFirst => left.sort_by_key(|&at| view.segments[at].last_sequence),
        Order::OldestFirst => {
            left.sort_by_key(|&at| std::cmp::Reverse(view.segments[at].first_sequence))
        }
    }

    left
}

/// Returns `true` if the page is full and the nearest segment that is left has no sequences nearer
/// than its last match.
fn is_complete(matches: &Matches, job: &Job, next: &SegmentMeta) -> bool {
    matches.found.len() >= job.wanted
        && matches.found.last().is_none_or(|last| match job.order {
            Order::NewestFirst => next.last_sequence <= last.sequence(),
            Order::OldestFirst => next.first_sequence >= last.sequence(),
        })
}
