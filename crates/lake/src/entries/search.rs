//! Searches as the rest of Reeve asks them: requests become jobs, and matches become answers.

mod fetch;
mod job;
mod log_parts;
mod lookup;
mod read_on;
mod segment;
mod tail;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reeve_audit::query::{Sort, SortKey};
use reeve_ledger::{
    EntryPage, EntryReader, LeftOut, LogView, MOST_SORTED, ReadOn, SearchRequest, StoredEntry,
    Stretch, TrailError,
};

use self::job::{Job, Matches, SortedPage};
use self::log_parts::LogParts;
use super::budget::Budgets;
use super::predicate::Predicate;
use super::segments::EntrySegments;
use super::tally::countable;
use super::views::Views;

/// Searches sealed segments and the unsealed tail as one log.
pub struct EntrySearch {
    log: LogParts,
    budgets: Budgets,
}

impl std::fmt::Debug for EntrySearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntrySearch").finish_non_exhaustive()
    }
}

impl EntrySearch {
    /// Returns a search over these segments that sees the log through `views`.
    pub fn new(segments: Arc<EntrySegments>, views: Arc<dyn Views>) -> Self {
        EntrySearch {
            log: LogParts::new(segments, views),
            budgets: Budgets::default(),
        }
    }

    /// Gives each search this much time instead of ten seconds.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        EntrySearch {
            budgets: Budgets::new(limit),
            ..self
        }
    }

    /// Returns the number of pieces of the tail that have an index: those that several searches
    /// have looked through.
    pub fn indexed_pieces(&self) -> usize {
        self.log.indexed_pieces()
    }

    /// Returns the job of a request; refuses fields that cannot be counted.
    fn job(&self, request: &SearchRequest) -> Result<Job, TrailError> {
        for aggregation in &request.aggregations {
            countable(&aggregation.by)?;
        }

        let reached = request.offset.saturating_add(request.limit);
        if request.sort.is_some() && reached > MOST_SORTED {
            return Err(TrailError::Invalid(format!(
                "a sorted search reaches {MOST_SORTED} entries, not {reached}"
            )));
        }

        let predicate = Predicate::new(&request.query, request.now);
        let wanted = match request.limit {
            0 => 0,
            limit => request.offset.saturating_add(limit).saturating_add(1),
        };
        Ok(Job {
            every_match: !request.aggregations.is_empty()
                || (request.count_total && !predicate.is_everything()),
            counted: request
                .aggregations
                .iter()
                .map(|aggregation| aggregation.by.clone())
                .collect(),
            ..Job::page(
                predicate,
                request.order,
                request.cursor,
                wanted,
                self.budgets.begin(),
            )
        })
    }

    /// Returns where a page begins that follows the entry with the sequence of a cursor.
    async fn sorted_page(&self, sort: Sort, cursor: Option<u64>) -> Result<SortedPage, TrailError> {
        let after = match cursor {
            None => None,
            Some(sequence) => match lookup::by_sequence(&self.log, sequence).await? {
                Some(last) => Some((
                    SortKey::of_entry(&last.entry, last.recorded_at, sort.column),
                    sequence,
                )),
                None => return Err(TrailError::Invalid("the cursor names no entry".to_owned())),
            },
        };
        Ok(SortedPage { sort, after })
    }

    /// Returns matches for the page, and totals and counts where the job asks for them.
    async fn matches(&self, job: &Job, view: &LogView) -> Result<Matches, TrailError> {
        if let Some(page) = job.sort.as_ref().filter(|_| !job.every_match) {
            let mut matches = self.log.sorted(job, page, view).await?;
            matches.total = view.count();
            return Ok(matches);
        }

        if job.every_match {
            return self.log.every_match(job, view).await;
        }

        let mut matches = if job.wanted == 0 {
            Matches::new(job)
        } else {
            self.log.page(job, view).await?
        };

        // Without a condition the size of the log is the total.
        matches.total = view.count();
        Ok(matches)
    }
}

/// Returns what a search cannot find because it lies in the cold tier.
fn left_out(job: &Job, view: &LogView) -> LeftOut {
    let touched = view
        .archived
        .iter()
        .filter(|segment| job.predicate.may_match(segment));
    touched.fold(LeftOut::default(), |sum, segment| LeftOut {
        segments: sum.segments + 1,
        entries: sum.entries + segment.count,
    })
}

impl EntrySearch {
    async fn search_once(&self, request: &SearchRequest) -> Result<EntryPage, TrailError> {
        let mut job = self.job(request)?;
        let _attended = job.budget.attended();
        if let Some(sort) = request.sort {
            job.sort = Some(self.sorted_page(sort, request.cursor).await?);
            job.cursor = None;
        }

        let view = self.log.view();
        let (mut page, total, tallies) = self.matches(&job, &view).await?.into_page(&job);
        page.drain(..request.offset.min(page.len()));
        let more = page.len() > request.limit;
        page.truncate(request.limit);
        let entries = self.log.fetch(page, &view).await?;
        let next_cursor = entries.last().filter(|_| more).map(|entry| entry.sequence);
        let counts = request.aggregations.iter().zip(tallies);
        let aggregations = counts
            .map(|(aggregation, tally)| tally.finish(aggregation.limit))
            .collect::<Result<_, _>>()?;

        Ok(EntryPage {
            entries,
            total: request.count_total.then_some(total),
            next_cursor,
            aggregations,
            left_out: left_out(&job, &view),
        })
    }

    /// Reads, and reads once more among the segments of now if a part of the log was missing because
    /// an expiry, erasure or move replaced it after the segments were listed.
    async fn settled<T, R>(&self, read: impl Fn() -> R) -> Result<T, TrailError>
    where
        R: Future<Output = Result<T, TrailError>>,
    {
        let segments = self.log.view().segments;
        let outcome = read().await;
        let is_outdated = matches!(outcome, Err(TrailError::Damaged(_)))
            && !Arc::ptr_eq(&segments, &self.log.view().segments);
        if is_outdated { read().await } else { outcome }
    }
}

#[async_trait]
impl EntryReader for EntrySearch {
    async fn search(&self, request: &SearchRequest) -> Result<EntryPage, TrailError> {
        self.settled(|| self.search_once(request)).await
    }

    async fn read_on(&self, request: &ReadOn) -> Result<Stretch, TrailError> {
        self.settled(|| read_on::stretch(&self.log, request, self.budgets.begin_stretch()))
            .await
    }

    async fn by_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.settled(|| lookup::by_event_id(&self.log, event_id, self.budgets.begin()))
            .await
    }

    async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        self.settled(|| lookup::by_sequence(&self.log, sequence))
            .await
    }
}
