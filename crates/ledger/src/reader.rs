//! The port through which entries are read: search, list, count, read onwards, one entry.
//! Implemented by `lake` over sealed segments and the ledger's unsealed tail, so that an entry is
//! found as soon as it is acknowledged.
//!
//! It knows nobody's rights: what serves callers reads through `reeve_trail::Trail`, which narrows
//! every request.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use reeve_audit::query::{FieldPath, Query, QueryColumn, Sort};

use crate::entry::StoredEntry;
use crate::segment::SegmentError;

/// Search over the entries of the log. `query` already includes the caller's row visibility.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The whole predicate, times resolved.
    pub query: Query,
    /// At most this many entries.
    pub limit: usize,
    /// After skipping this many.
    pub offset: usize,
    /// Order of the results.
    pub order: Order,
    /// Order by a column in place of `order`. Every match is looked at, and `offset` and `limit`
    /// reach [`MOST_SORTED`] together.
    pub sort: Option<Sort>,
    /// Only entries strictly beyond the one with this sequence in the direction of `order` or
    /// `sort`. Totals and counts do not heed it.
    pub cursor: Option<u64>,
    /// Counts all matches if `true`, which reads more than one page.
    pub count_total: bool,
    /// Value counts to compute over all matches.
    pub aggregations: Vec<Aggregation>,
    /// Time that `now` in the query means.
    pub now: Timestamp,
}

impl SearchRequest {
    /// The newest entries, uncounted.
    pub fn newest(query: Query, limit: usize, now: Timestamp) -> Self {
        Self {
            query,
            limit,
            offset: 0,
            order: Order::NewestFirst,
            sort: None,
            cursor: None,
            count_total: false,
            aggregations: Vec::new(),
            now,
        }
    }
}

/// Places of a sorted search: those skipped and those shown. They are held in memory.
pub const MOST_SORTED: usize = 10_000;

/// In which order entries are found: by sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The highest sequence first.
    #[default]
    NewestFirst,
    /// The lowest sequence first.
    OldestFirst,
}

impl Order {
    /// Returns `true` if `sequence` comes strictly after `cursor` in this order.
    pub fn is_beyond(self, sequence: u64, cursor: u64) -> bool {
        match self {
            Self::NewestFirst => sequence < cursor,
            Self::OldestFirst => sequence > cursor,
        }
    }
}

/// Request for the most frequent values of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// Field or time span to group by.
    pub by: GroupBy,
    /// Largest number of values returned, the most frequent first; at most 1,000. Time spans are
    /// all returned, up to the newest 10,000.
    pub limit: usize,
}

/// Grouping of an aggregation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupBy {
    /// A typed field; of the two times, each instant.
    Column(QueryColumn),
    /// `actor.email`, else `actor.id`.
    User,
    /// Time spans in UTC, named by their start.
    Time {
        /// Either `timestamp` or `recorded_at`.
        column: QueryColumn,
        /// Length of each time span.
        unit: TimeUnit,
    },
    /// Open members. An entry that has several values counts once for each distinct one. A tag of a
    /// resource counts for `tags` as `name=value`; objects and null are no values.
    Field(FieldPath),
    /// Values of the second for each value of the first, at most [`MOST_PAIRS`] pairs. An entry
    /// that has several values counts once for each pair.
    Nested(Box<GroupBy>, Box<GroupBy>),
}

/// Pairs of values that a nested aggregation may have.
pub const MOST_PAIRS: usize = 200_000;
/// Different values that an aggregation may have.
pub const MOST_VALUES: usize = 1_000_000;

/// Length of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    Minute,
    FiveMinutes,
    /// A quarter of an hour.
    QuarterHour,
    Hour,
    Day,
    /// A week, from Monday on.
    Week,
    /// A calendar month of UTC.
    Month,
}

/// A page of entries.
#[derive(Debug, Clone, Default)]
pub struct EntryPage {
    /// Entries, in the order asked for.
    pub entries: Vec<Arc<StoredEntry>>,
    /// All matches, when asked for.
    pub total: Option<u64>,
    /// The cursor of the next page (a sequence); `None` at the end.
    pub next_cursor: Option<u64>,
    /// One for each aggregation asked for, in that order.
    pub aggregations: Vec<EntryCounts>,
    /// Part of the period asked for that was not searched.
    pub left_out: LeftOut,
}

/// Segments of the cold tier that the period of a search touches and that were not restored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Number of the segments; 0 if everything was searched.
    pub segments: u64,
    /// Entries in them, whatever the search asks for.
    pub entries: u64,
}

/// A request for the next entries between two positions, in the order of the log.
#[derive(Debug, Clone)]
pub struct ReadOn {
    /// The whole predicate, times resolved.
    pub query: Query,
    /// First sequence to look at.
    pub from: u64,
    /// One past the last sequence to look at.
    pub to: u64,
    /// Entries at most, at least 1.
    pub entries: usize,
    /// Canonical bytes at most; an entry that is larger comes alone.
    pub bytes: usize,
    /// Time that `now` in the query means.
    pub now: Timestamp,
}

/// Matching entries of a part of the log.
#[derive(Debug, Clone, Default)]
pub struct Stretch {
    /// Entries in the order of their sequence.
    pub entries: Vec<Arc<StoredEntry>>,
    /// The next sequence to look at; the request's `to` once nothing is left.
    pub to: u64,
}

/// Number of matches for each value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryCounts {
    /// Values and how many entries have them: the most frequent first, equal ones by value; spans
    /// of time in their order.
    pub values: Vec<(String, u64)>,
    /// Counts of the second field for each of `values`, if the aggregation is nested; else empty.
    pub nested: Vec<EntryCounts>,
    /// Number of different values, also of those that fell off the limit.
    pub distinct: u64,
    /// The sum of the counts that fell off the limit.
    pub other: u64,
    /// Entries without a value.
    pub missing: u64,
}

/// Reason why the log was not read.
#[derive(Debug, thiserror::Error)]
pub enum TrailError {
    /// A field that cannot be aggregated, or the like.
    #[error("{0}")]
    Invalid(String),
    /// A part of the log that the answer needs is missing or is not what was written; the text
    /// names it.
    #[error("{0}")]
    Damaged(String),
    /// The place of a farther tier does not answer; the text names it.
    #[error("{0}")]
    Away(String),
    /// The answer may lie in the cold tier, which is not read before it was restored.
    #[error("{0}")]
    Archived(String),
    /// The search took longer than a search may.
    #[error(
        "the search was cancelled after {limit_s} s because it reads too much of the log; narrow the time range or name a field"
    )]
    TooCostly {
        /// Time that a search may take, seconds.
        limit_s: f64,
    },
    /// The disk or the query engine failed.
    #[error("the log could not be read: {0}")]
    Backend(String),
}

impl From<SegmentError> for TrailError {
    fn from(error: SegmentError) -> Self {
        match error {
            SegmentError::Damaged { .. } => TrailError::Damaged(error.to_string()),
            SegmentError::Away { .. } => TrailError::Away(error.to_string()),
            SegmentError::Io { .. } => TrailError::Backend(error.to_string()),
        }
    }
}

/// Port for reading the log without regard to the caller.
#[async_trait]
pub trait EntryReader: Send + Sync {
    /// Returns a page of the entries that satisfy a query.
    async fn search(&self, request: &SearchRequest) -> Result<EntryPage, TrailError>;
    /// Reads entries onwards, as many as one stretch may hold: in bounded memory, however large the
    /// entries are. A stretch whose search takes long ends early, possibly without an entry, but
    /// always beyond where it began: it never fails as too costly.
    async fn read_on(&self, request: &ReadOn) -> Result<Stretch, TrailError>;
    /// One entry by its identifier.
    async fn by_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError>;
    /// One entry by its position.
    async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError>;
}
