//! The job of a search, and the matches that one part of the log has for it.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use reeve_audit::query::{Sort, SortKey};
use reeve_ledger::{GroupBy, Order, StoredEntry};

use crate::entries::budget::EntryBudget;
use crate::entries::index::IndexCount;
use crate::entries::predicate::Predicate;
use crate::entries::tally::EntryTally;

/// Matches that are gathered beyond the page before they are put into order.
const SORTED_AT_ONCE: usize = 4_096;

/// A search as every part of the log gets it.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) predicate: Arc<Predicate>,
    /// End of the log that comes first on the page.
    pub(super) order: Order,
    /// Sequence beyond which matches go on the page.
    pub(super) cursor: Option<u64>,
    /// Matches that the page can use: those skipped, those shown, and one more that says whether
    /// there is more.
    pub(super) wanted: usize,
    pub(super) counted: Vec<GroupBy>,
    /// `true` if a total or counts need every match, `false` if the matches of the page are enough.
    pub(super) every_match: bool,
    /// Order by a column; `None` for the order of the log.
    pub(super) sort: Option<SortedPage>,
    pub(super) budget: Arc<EntryBudget>,
}

impl Job {
    /// Returns a job that finds a page of matches and counts nothing.
    pub(super) fn page(
        predicate: Predicate,
        order: Order,
        cursor: Option<u64>,
        wanted: usize,
        budget: Arc<EntryBudget>,
    ) -> Job {
        Job {
            predicate: Arc::new(predicate),
            order,
            cursor,
            wanted,
            counted: Vec::new(),
            every_match: false,
            sort: None,
            budget,
        }
    }

    /// Returns `true` if every match has to be looked at.
    pub(super) fn needs_every_match(&self) -> bool {
        self.every_match || self.sort.is_some()
    }

    /// Returns `true` if a match with this sequence goes on the page.
    pub(super) fn on_page(&self, sequence: u64) -> bool {
        self.cursor
            .is_none_or(|cursor| self.order.is_beyond(sequence, cursor))
    }

    /// Returns the sequences that can be on the page.
    pub(super) fn reach(&self) -> Range<u64> {
        match (self.order, self.cursor) {
            (_, None) => 0..u64::MAX,
            (Order::NewestFirst, Some(cursor)) => 0..cursor,
            (Order::OldestFirst, Some(cursor)) => cursor.saturating_add(1)..u64::MAX,
        }
    }
}

/// Order of a page by a column, and where it begins.
#[derive(Debug, Clone)]
pub(super) struct SortedPage {
    pub(super) sort: Sort,
    /// Key and sequence of the entry after which the page begins.
    pub(super) after: Option<(Option<SortKey>, u64)>,
}

impl SortedPage {
    /// Returns `true` if a match goes on the page.
    fn is_beyond(&self, key: Option<&SortKey>, sequence: u64) -> bool {
        let is_after = |(last, at): &(Option<SortKey>, u64)| {
            self.sort.compare((key, sequence), (last.as_ref(), *at)) == Ordering::Greater
        };
        self.after.as_ref().is_none_or(is_after)
    }
}

/// A match and its place.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Tail(Arc<StoredEntry>),
    Sealed {
        sequence: u64,
        /// Position of the segment in the list of the view.
        segment: usize,
        /// Row of the segment, if an index found the match.
        row: Option<usize>,
    },
}

impl Found {
    pub(super) fn sequence(&self) -> u64 {
        match self {
            Found::Tail(entry) => entry.sequence,
            Found::Sealed { sequence, .. } => *sequence,
        }
    }
}

/// Matches in a part of the log.
#[derive(Debug)]
pub(super) struct Matches {
    /// First matches that the page can use, in its order.
    pub(super) found: Vec<Found>,
    /// The same of a sorted page, with the keys of the matches.
    pub(super) sorted: Vec<(Option<SortKey>, Found)>,
    pub(super) total: u64,
    pub(super) tallies: Vec<EntryTally>,
    /// Counts of indexes with the position of their tally. They are added to it when this part is
    /// merged: by then its index has been read to the end.
    counted: Vec<(usize, IndexCount)>,
}

impl Matches {
    pub(super) fn new(job: &Job) -> Self {
        Matches {
            found: Vec::new(),
            sorted: Vec::new(),
            total: 0,
            tallies: job.counted.iter().cloned().map(EntryTally::new).collect(),
            counted: Vec::new(),
        }
    }

    /// Keeps the counts of an index for the tally at a position.
    pub(super) fn add_counted(&mut self, tally: usize, counted: IndexCount) {
        self.counted.push((tally, counted));
    }

    /// Adds the matches of another part; the page keeps its order and length.
    pub(super) fn merge(&mut self, other: Matches, job: &Job) {
        self.total += other.total;
        for (tally, more) in self.tallies.iter_mut().zip(other.tallies) {
            tally.merge(more);
        }

        other
            .counted
            .iter()
            .for_each(|(tally, counted)| counted.add_to(&mut self.tallies[*tally]));
        self.found.extend(other.found);
        self.sorted.extend(other.sorted);
        self.trim(job);
    }

    /// Adds a match to a sorted page.
    pub(super) fn add_sorted(
        &mut self,
        page: &SortedPage,
        job: &Job,
        key: Option<SortKey>,
        found: Found,
    ) {
        if !page.is_beyond(key.as_ref(), found.sequence()) {
            return;
        }
        self.sorted.push((key, found));
        if self.sorted.len() >= 2 * job.wanted + SORTED_AT_ONCE {
            self.trim(job);
        }
    }

    /// Returns the page, once everything was merged.
    pub(super) fn into_page(mut self, job: &Job) -> (Vec<Found>, u64, Vec<EntryTally>) {
        self.trim(job);
        let found = match job.sort {
            Some(_) => self.sorted.into_iter().map(|(_, found)| found).collect(),
            None => self.found,
        };
        (found, self.total, self.tallies)
    }

    /// Puts the matches into the order of the page and drops those that it cannot use.
    pub(super) fn trim(&mut self, job: &Job) {
        self.found.sort_unstable_by_key(Found::sequence);
        if job.order == Order::NewestFirst {
            self.found.reverse();
        }

        self.found.truncate(job.wanted);
        if let Some(page) = &job.sort {
            self.sorted.sort_unstable_by(|(a, one), (b, other)| {
                page.sort
                    .compare((a.as_ref(), one.sequence()), (b.as_ref(), other.sequence()))
            });
            self.sorted.truncate(job.wanted);
        }
    }
}
