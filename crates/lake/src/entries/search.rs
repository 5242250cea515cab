//! Finding entries: from either end over the tail and the segments, stopping when the page is full.
//!
//! A page alone is searched in windows of sequences, nearest first and ever larger, so that a common word costs one window
//! and a rare one costs a scan. Totals and counts need every match: then one pass over everything gives the page too.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use reeve_ledger::{GroupBy, Order, Page, SearchRequest, SegmentMeta, StoredEntry, Trail, TrailError, View};

use super::parts::{Found, Job, Part, entries_of, in_order, on_worker, scan, tail};
use super::predicate::Predicate;
use super::segments::EntrySegments;
use super::tally::countable;
use super::views::Views;

/// Segments scanned at a time.
pub(super) const PARALLEL: usize = 4;
/// Sequences of the first window: a page of a segment.
const FIRST_WINDOW: u64 = 4_096;
/// How much larger each window is than the one before.
const GROWTH: u64 = 4;

/// Searches sealed segments and the unsealed tail as one log.
pub struct EntrySearch {
    pub(super) segments: Arc<EntrySegments>,
    pub(super) views: Arc<dyn Views>,
}

impl std::fmt::Debug for EntrySearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntrySearch").finish_non_exhaustive()
    }
}

impl EntrySearch {
    /// A search over these segments, seeing the log through `views`.
    pub fn new(segments: Arc<EntrySegments>, views: Arc<dyn Views>) -> Self {
        EntrySearch { segments, views }
    }

    /// Everything at once: page, total and counts.
    async fn pass(&self, job: &Job, view: &View) -> Result<Part, TrailError> {
        let scans: Vec<_> = relevant(job, view).into_iter().map(|index| self.scan(job, view, index, None)).collect();
        let mut all = tail(view.tail.clone(), job.clone(), true).await?;
        let mut parts = stream::iter(scans).buffer_unordered(PARALLEL);
        while let Some(part) = parts.try_next().await? {
            all.found.extend(part.found);
            all.total += part.total;
            for (tally, more) in all.tallies.iter_mut().zip(part.tallies) {
                tally.merge(more);
            }
        }
        in_order(&mut all.found, job);
        Ok(all)
    }

    /// The page alone, in windows. The tail comes first or last.
    async fn page(&self, job: &Job, view: &View) -> Result<Vec<Found>, TrailError> {
        let sealed = 0..view.tail.first_sequence();
        let (mut found, mut left) = match job.order {
            Order::NewestFirst => {
                let found = tail(view.tail.clone(), job.clone(), false).await?.found;
                (found, 0..job.cursor.map_or(sealed.end, |cursor| cursor.min(sealed.end)))
            }
            Order::OldestFirst => (Vec::new(), job.cursor.map_or(0, |cursor| cursor.saturating_add(1))..sealed.end),
        };
        let relevant = relevant(job, view);
        let mut size = FIRST_WINDOW;
        while found.len() < job.wanted {
            let Some(window) = next_window(job.order, &left, size, relevant.iter().map(|&at| &view.segments[at]))
            else {
                break;
            };
            let within = |&&index: &&usize| {
                let segment = &view.segments[index];
                segment.first_sequence < window.end && window.start <= segment.last_sequence
            };
            let scans: Vec<_> = relevant
                .iter()
                .filter(within)
                .map(|&index| self.scan(job, view, index, Some(window.clone())))
                .collect();
            let parts: Vec<Part> = stream::iter(scans).buffer_unordered(PARALLEL).try_collect().await?;
            found.extend(parts.into_iter().flat_map(|part| part.found));
            match job.order {
                Order::NewestFirst => left.end = window.start,
                Order::OldestFirst => left.start = window.end,
            }
            size = size.saturating_mul(GROWTH);
        }
        if job.order == Order::OldestFirst && found.len() < job.wanted {
            found.extend(tail(view.tail.clone(), job.clone(), false).await?.found);
        }
        in_order(&mut found, job);
        Ok(found)
    }

    fn scan(
        &self,
        job: &Job,
        view: &View,
        index: usize,
        window: Option<Range<u64>>,
    ) -> impl Future<Output = Result<Part, TrailError>> + use<> {
        on_worker(scan(Arc::clone(&self.segments), job.clone(), Arc::clone(&view.segments), index, window))
    }

    /// Reads the entries of a page.
    async fn fetch(&self, page: Vec<Found>, view: &View) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
        let mut wanted: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for found in &page {
            if let Found::Sealed { sequence, segment } = found {
                wanted.entry(*segment).or_default().push(*sequence);
            }
        }
        let mut reads = Vec::new();
        for (index, sequences) in wanted {
            let (segments, listed) = (Arc::clone(&self.segments), Arc::clone(&view.segments));
            reads.push(on_worker(async move { entries_of(&segments, &listed[index], &sequences).await }));
        }
        let sealed: Vec<_> = stream::iter(reads).buffered(PARALLEL).try_collect().await?;
        let restored = self.views.restore(sealed.into_iter().flatten().collect()).await?;
        let mut by_sequence: HashMap<u64, Arc<StoredEntry>> =
            restored.into_iter().map(|entry| (entry.sequence, Arc::new(entry))).collect();
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
impl Trail for EntrySearch {
    async fn search(&self, request: &SearchRequest) -> Result<Page, TrailError> {
        let predicate = Arc::new(Predicate::new(&request.query, request.now));
        for aggregation in &request.aggregations {
            countable(&aggregation.by)?;
        }
        let counted: Vec<GroupBy> = request.aggregations.iter().map(|aggregation| aggregation.by.clone()).collect();
        let view = self.views.view();
        let wanted =
            if request.limit == 0 { 0 } else { request.offset.saturating_add(request.limit).saturating_add(1) };
        let job = Job { predicate, order: request.order, cursor: request.cursor, wanted, counted };
        let (mut found, total, tallies) = if job.counted.is_empty()
            && (!request.count_total || job.predicate.is_everything())
        {
            let everything = view.segments.iter().map(|segment| segment.count).sum::<u64>() + view.tail.len() as u64;
            (self.page(&job, &view).await?, everything, Vec::new())
        } else {
            let part = self.pass(&job, &view).await?;
            (part.found, part.total, part.tallies)
        };
        found.drain(..request.offset.min(found.len()));
        let more = found.len() > request.limit;
        found.truncate(request.limit);
        let entries = self.fetch(found, &view).await?;
        let next_cursor = entries.last().filter(|_| more).map(|entry| entry.sequence);
        let aggregations =
            request.aggregations.iter().zip(tallies).map(|(asked, tally)| tally.finish(asked.limit)).collect();
        Ok(Page { entries, total: request.count_total.then_some(total), next_cursor, aggregations })
    }

    async fn by_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.find_event_id(event_id).await
    }

    async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.find_sequence(sequence).await
    }
}

/// Positions of the segments that can have matches.
fn relevant(job: &Job, view: &View) -> Vec<usize> {
    (0..view.segments.len()).filter(|&index| job.predicate.may_match(&view.segments[index])).collect()
}

/// The next window of at most `size` sequences to look at, of those that are left; sequences that no segment spans are
/// passed over.
fn next_window<'a>(
    order: Order,
    left: &Range<u64>,
    size: u64,
    segments: impl Iterator<Item = &'a SegmentMeta>,
) -> Option<Range<u64>> {
    let spans = segments
        .map(|segment| segment.first_sequence.max(left.start)..(segment.last_sequence + 1).min(left.end))
        .filter(|span| !span.is_empty());
    match order {
        Order::NewestFirst => spans.map(|span| span.end).max().map(|end| end.saturating_sub(size).max(left.start)..end),
        Order::OldestFirst => {
            spans.map(|span| span.start).min().map(|start| start..start.saturating_add(size).min(left.end))
        }
    }
}
