//! Finding entries: from either end over the tail and the segments, stopping when the page is full.
//!
//! A page alone is searched segment by segment, the nearest first and ever more of them side by side, until no segment that is
//! left could add to it. Totals and counts need every segment; those whose index knows the answer are not read.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use reeve_ledger::{
    EntryReader, GroupBy, Order, Page, ReadOn, SearchRequest, SegmentMeta, StoredEntry, Stretch, TrailError, View,
};

use super::budget::Budgets;
use super::parts::{Found, Job, Part, entries_of, in_order, on_worker, segment};
use super::predicate::Predicate;
use super::segments::EntrySegments;
use super::tail::{Pieces, tail};
use super::tally::countable;
use super::views::Views;

/// Parts of the log that are searched at a time.
pub(super) const PARALLEL: usize = 4;
/// How many segments more are searched for a page when those before had too little.
const GROWTH: usize = 4;

/// Searches sealed segments and the unsealed tail as one log.
pub struct EntrySearch {
    pub(super) segments: Arc<EntrySegments>,
    pub(super) views: Arc<dyn Views>,
    mending: Arc<AtomicBool>,
    pieces: Arc<Pieces>,
    pub(super) budgets: Budgets,
}

impl std::fmt::Debug for EntrySearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntrySearch").finish_non_exhaustive()
    }
}

impl EntrySearch {
    /// A search over these segments, seeing the log through `views`.
    pub fn new(segments: Arc<EntrySegments>, views: Arc<dyn Views>) -> Self {
        EntrySearch { segments, views, mending: Arc::default(), pieces: Arc::default(), budgets: Budgets::default() }
    }

    /// Gives each search this much time instead of ten seconds.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        EntrySearch { budgets: Budgets::new(limit), ..self }
    }

    /// How many pieces of the tail have an index by now: those that several searches have looked through.
    pub fn indexed_pieces(&self) -> usize {
        self.pieces.indexed()
    }

    /// Everything at once: page, total and counts.
    async fn pass(&self, job: &Job, view: &View) -> Result<Part, TrailError> {
        let mut all = tail(&view.tail, &self.pieces, job).await?;
        let relevant: Vec<usize> =
            (0..view.segments.len()).filter(|&at| job.predicate.may_match(&view.segments[at])).collect();
        all.merge(self.segments_at(job, view, relevant).await?, job);
        Ok(all)
    }

    /// The page alone. The tail comes first or last.
    pub(super) async fn page(&self, job: &Job, view: &View) -> Result<Vec<Found>, TrailError> {
        let mut part = Part::new(job);
        if job.order == Order::NewestFirst {
            part = tail(&view.tail, &self.pieces, job).await?;
        }
        let mut left = self.nearest_last(job, view);
        let mut size = 1;
        while let Some(&next) = left.last() {
            let full = part.found.len() >= job.wanted;
            if full && part.found.last().is_none_or(|last| !reaches(&view.segments[next], last.sequence(), job.order)) {
                break;
            }
            let batch = left.split_off(left.len().saturating_sub(size));
            part.merge(self.segments_at(job, view, batch).await?, job);
            size = (size * GROWTH).min(1_024);
        }
        if job.order == Order::OldestFirst && part.found.len() < job.wanted {
            part.merge(tail(&view.tail, &self.pieces, job).await?, job);
        }
        Ok(part.found)
    }

    /// Segments that can have something for the page, the nearest last.
    fn nearest_last(&self, job: &Job, view: &View) -> Vec<usize> {
        let reach = job.reach();
        let mut left: Vec<usize> = (0..view.segments.len())
            .filter(|&at| {
                let segment = &view.segments[at];
                segment.first_sequence < reach.end
                    && reach.start <= segment.last_sequence
                    && job.predicate.may_match(segment)
            })
            .collect();
        match job.order {
            Order::NewestFirst => left.sort_by_key(|&at| view.segments[at].last_sequence),
            Order::OldestFirst => left.sort_by_key(|&at| std::cmp::Reverse(view.segments[at].first_sequence)),
        }
        left
    }

    /// What some segments have, several looked at side by side.
    async fn segments_at(&self, job: &Job, view: &View, at: Vec<usize>) -> Result<Part, TrailError> {
        let workers = at.len().min(PARALLEL);
        let next = Arc::new(AtomicUsize::new(0));
        let at = Arc::new(at);
        let looks = (0..workers).map(|_| {
            let (segments, job, listed) = (Arc::clone(&self.segments), job.clone(), Arc::clone(&view.segments));
            let (next, at) = (Arc::clone(&next), Arc::clone(&at));
            on_worker(async move {
                let mut part = Part::new(&job);
                while let Some(&at) = at.get(next.fetch_add(1, Ordering::Relaxed)) {
                    part.merge(segment(&segments, &job, &listed, at).await?, &job);
                }
                Ok(part)
            })
        });
        let parts: Vec<Part> = stream::iter(looks).buffer_unordered(PARALLEL).try_collect().await?;
        self.mend_later();
        let mut all = Part::new(job);
        for part in parts {
            all.merge(part, job);
        }
        Ok(all)
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

    /// Reads the entries of a page.
    pub(super) async fn fetch(&self, page: Vec<Found>, view: &View) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
        let mut wanted: BTreeMap<usize, Vec<(u64, Option<usize>)>> = BTreeMap::new();
        for found in &page {
            if let Found::Sealed { sequence, segment, row } = found {
                wanted.entry(*segment).or_default().push((*sequence, *row));
            }
        }
        // Which worker takes which segment shows when they get there: some have one row and some have fifty.
        let workers = wanted.len().min(PARALLEL);
        let (wanted, next) = (Arc::new(wanted.into_iter().collect::<Vec<_>>()), Arc::new(AtomicUsize::new(0)));
        let reads = (0..workers).map(|_| {
            let (segments, listed, views) =
                (Arc::clone(&self.segments), Arc::clone(&view.segments), Arc::clone(&self.views));
            let (next, wanted) = (Arc::clone(&next), Arc::clone(&wanted));
            on_worker(async move {
                let mut sealed = Vec::new();
                while let Some((at, found)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    sealed.extend(entries_of(&segments, &listed[*at], found).await?);
                }
                views.restore(sealed).await
            })
        });
        let restored: Vec<_> = stream::iter(reads).buffer_unordered(PARALLEL).try_collect().await?;
        let mut by_sequence: HashMap<u64, Arc<StoredEntry>> =
            restored.into_iter().flatten().map(|entry| (entry.sequence, Arc::new(entry))).collect();
        page.into_iter()
            .map(|found| match found {
                Found::Tail(entry) => Ok(entry),
                Found::Sealed { sequence, .. } => by_sequence
                    .remove(&sequence)
                    .ok_or_else(|| TrailError::Backend(format!("entry {sequence} was not restored"))),
            })
            .collect()
    }
}

#[async_trait]
impl EntryReader for EntrySearch {
    async fn search(&self, request: &SearchRequest) -> Result<Page, TrailError> {
        let predicate = Arc::new(Predicate::new(&request.query, request.now));
        for aggregation in &request.aggregations {
            countable(&aggregation.by)?;
        }
        let counted: Vec<GroupBy> = request.aggregations.iter().map(|aggregation| aggregation.by.clone()).collect();
        let view = self.views.view();
        let wanted =
            if request.limit == 0 { 0 } else { request.offset.saturating_add(request.limit).saturating_add(1) };
        let all = !counted.is_empty() || (request.count_total && !predicate.is_everything());
        let job = Job {
            predicate,
            order: request.order,
            cursor: request.cursor,
            wanted,
            counted,
            all,
            budget: self.budgets.begin(),
        };
        let (mut found, total, tallies) = if all {
            let part = self.pass(&job, &view).await?;
            (part.found, part.total, part.tallies)
        } else {
            let everything = view.segments.iter().map(|segment| segment.count).sum::<u64>() + view.tail.len() as u64;
            (if wanted == 0 { Vec::new() } else { self.page(&job, &view).await? }, everything, Vec::new())
        };
        in_order(&mut found, &job);
        found.drain(..request.offset.min(found.len()));
        let more = found.len() > request.limit;
        found.truncate(request.limit);
        let entries = self.fetch(found, &view).await?;
        let next_cursor = entries.last().filter(|_| more).map(|entry| entry.sequence);
        let aggregations =
            request.aggregations.iter().zip(tallies).map(|(asked, tally)| tally.finish(asked.limit)).collect();
        Ok(Page { entries, total: request.count_total.then_some(total), next_cursor, aggregations })
    }

    async fn read_on(&self, request: &ReadOn) -> Result<Stretch, TrailError> {
        self.stretch(request).await
    }

    async fn by_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.find_event_id(event_id).await
    }

    async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.find_sequence(sequence).await
    }
}

/// Whether a segment has sequences nearer than this one.
fn reaches(segment: &SegmentMeta, sequence: u64, order: Order) -> bool {
    match order {
        Order::NewestFirst => segment.last_sequence > sequence,
        Order::OldestFirst => segment.first_sequence < sequence,
    }
}
