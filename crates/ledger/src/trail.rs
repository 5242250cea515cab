//! The port through which the log is read: search, list, count, one entry. Implemented by `lake` over sealed segments and
//! the ledger's unsealed tail, so that an entry is found as soon as it is acknowledged.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use reeve_audit::query::Query;

use crate::entry::StoredEntry;

/// What to look for. Row visibility is already part of `query` when it arrives here.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The whole predicate, times resolved.
    pub query: Query,
    /// At most this many entries, newest (highest sequence) first.
    pub limit: usize,
    /// After skipping this many.
    pub offset: usize,
    /// Only entries with a sequence below this one (cursor).
    pub before_sequence: Option<u64>,
    /// Whether to count all matches.
    pub count_total: bool,
    /// Fields to count values of (`event_type`, `actor.email`, `resource.id`, `severity`, `action.status`, `hour`, `day`, ...).
    pub aggregations: Vec<String>,
    /// The time that `now` stands for.
    pub now: Timestamp,
}

/// A page of entries.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Entries, newest first.
    pub entries: Vec<Arc<StoredEntry>>,
    /// All matches, when asked for.
    pub total: Option<u64>,
    /// The cursor of the next page (a sequence); `None` at the end.
    pub next_before: Option<u64>,
    /// Counts per asked field: (field, [(value, count)] most first, at most 1000).
    pub aggregations: Vec<(String, Vec<(String, u64)>)>,
}

/// Why the log was not read.
#[derive(Debug, thiserror::Error)]
pub enum TrailError {
    /// A field that cannot be aggregated, or the like.
    #[error("{0}")]
    Invalid(String),
    /// The disk or the query engine failed.
    #[error("the log could not be read: {0}")]
    Backend(String),
}

/// Reads the log.
#[async_trait]
pub trait Trail: Send + Sync {
    /// Finds entries.
    async fn search(&self, request: &SearchRequest) -> Result<Page, TrailError>;
    /// One entry by its identifier.
    async fn by_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError>;
    /// One entry by its position.
    async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError>;
}
