//! The job of a search, and the matches that one part of the log has for it.

use std::ops::Range;
use std::sync::Arc;

use reeve_ledger::{GroupBy, Order, StoredEntry};

use crate::entries::budget::Budget;
use crate::entries::index::Counted;
use crate::entries::predicate::Predicate;
use crate::entries::tally::Tally;

/// A search as every part of the log gets it.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) predicate: Arc<Predicate>,
    /// End of the log that comes first on the page.
    pub(super) order: Order,
    /// Sequence beyond which matches go on the page.
    pub(super) cursor: Option<u64>,
    /// Matches that the page can use: those skipped, those shown, and one more that says whether there is more.
    pub(super) wanted: usize,
    pub(super) counted: Vec<GroupBy>,
    /// `true` if a total or counts need every match, `false` if the matches of the page are enough.
    pub(super) every_match: bool,
    pub(super) budget: Arc<Budget>,
}

impl Job {
    /// Returns a job that finds a page of matches and counts nothing.
    pub(super) fn page(
        predicate: Predicate,
        order: Order,
        cursor: Option<u64>,
        wanted: usize,
        budget: Arc<Budget>,
    ) -> Job {
        Job { predicate: Arc::new(predicate), order, cursor, wanted, counted: Vec::new(), every_match: false, budget }
    }

    /// Returns `true` if a match with this sequence goes on the page.
    pub(super) fn on_page(&self, sequence: u64) -> bool {
        self.cursor.is_none_or(|cursor| self.order.is_beyond(sequence, cursor))
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
    pub(super) total: u64,
    pub(super) tallies: Vec<Tally>,
    /// Counts of indexes with the position of their tally. They are added to it when this part is merged: by then its index has
    /// been read to the end.
    counted: Vec<(usize, Counted)>,
}

impl Matches {
    pub(super) fn new(job: &Job) -> Self {
        Matches {
            found: Vec::new(),
            total: 0,
            tallies: job.counted.iter().cloned().map(Tally::new).collect(),
            counted: Vec::new(),
        }
    }

    /// Keeps the counts of an index for the tally at a position.
    pub(super) fn add_counted(&mut self, tally: usize, counted: Counted) {
        self.counted.push((tally, counted));
    }

    /// Adds the matches of another part; the page keeps its order and length.
    pub(super) fn merge(&mut self, other: Matches, job: &Job) {
        self.total += other.total;
        for (tally, more) in self.tallies.iter_mut().zip(other.tallies) {
            tally.merge(more);
        }
        other.counted.iter().for_each(|(tally, counted)| counted.add_to(&mut self.tallies[*tally]));
        self.found.extend(other.found);
        self.trim(job);
    }

    /// Puts the matches into the order of the page and drops those that it cannot use.
    pub(super) fn trim(&mut self, job: &Job) {
        self.found.sort_unstable_by_key(Found::sequence);
        if job.order == Order::NewestFirst {
            self.found.reverse();
        }
        self.found.truncate(job.wanted);
    }
}
