//! Reading as one caller: every request is narrowed, every answer checked.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_access::RowFilter;
use reeve_audit::query::Query;
use reeve_ledger::{
    Aggregation, EntryCounts, EntryPage, EntryReader, Ledger, Order, ReadError, ReadOn,
    SearchRequest, StoredEntry, Stretch, TrailError,
};

use crate::follower::{Follower, Scan};
use crate::live::Live;
use crate::recent;
use crate::shared::SharedReader;

/// The entries of the log that somebody may see.
#[derive(Clone)]
pub struct Trail {
    ledger: Ledger,
    reader: Arc<dyn EntryReader>,
    rows: RowFilter,
    /// Sealed entries that followers of every entry read together.
    shared: Arc<SharedReader>,
}

impl Trail {
    /// Returns a trail of every entry, for background work that acts for no one person. Whoever
    /// answers a caller asks [`crate::Log::trail_of`].
    #[must_use]
    pub fn service_wide(ledger: Ledger, reader: Arc<dyn EntryReader>) -> Self {
        Self::bound(ledger, reader, RowFilter::All)
    }

    pub(crate) fn bound(ledger: Ledger, reader: Arc<dyn EntryReader>, rows: RowFilter) -> Self {
        Trail {
            ledger,
            reader,
            rows,
            shared: Arc::default(),
        }
    }

    /// Returns `true` if every entry of the log may be seen.
    #[must_use]
    pub fn sees_all(&self) -> bool {
        self.rows == RowFilter::All
    }

    /// Returns `true` if the entry may be seen.
    #[must_use]
    pub fn allows(&self, stored: &StoredEntry) -> bool {
        self.rows.allows(&stored.entry)
    }

    /// Finds entries. Totals, counts and pages know nothing of other entries.
    ///
    /// # Errors
    /// The log could not be read, or not in the time that a search may take.
    pub async fn search(&self, request: &SearchRequest) -> Result<EntryPage, TrailError> {
        if self.rows == RowFilter::All {
            return self.reader.search(request).await;
        }
        // The place of an entry that may not be seen would tell about its values.
        if let (Some(_), Some(cursor)) = (request.sort, request.cursor)
            && self.by_sequence(cursor).await?.is_none()
        {
            return Err(TrailError::Invalid("the cursor names no entry".to_owned()));
        }

        let query = self.rows.restrict(request.query.clone());
        self.reader
            .search(&SearchRequest {
                query,
                ..request.clone()
            })
            .await
    }

    /// Counts the entries that a query finds, and how often values occur among them, in the order
    /// of `aggregations`.
    ///
    /// # Errors
    /// As [`Trail::search`].
    pub async fn count(
        &self,
        query: Query,
        aggregations: Vec<Aggregation>,
        now: Timestamp,
    ) -> Result<(u64, Vec<EntryCounts>), TrailError> {
        let page = self.tally(query, aggregations, now).await?;
        Ok((page.total.unwrap_or_default(), page.aggregations))
    }

    /// Makes sure that whatever a query may find can be read: for what is handed out as complete, such
    /// as an export or a report.
    ///
    /// # Errors
    /// Entries that the query may find lie in the cold tier, or the log could not be read.
    pub async fn complete(&self, query: &Query, now: Timestamp) -> Result<(), TrailError> {
        let nothing = SearchRequest::newest(query.clone(), 0, now);
        let left_out = self.search(&nothing).await?.left_out;
        if left_out.segments == 0 {
            return Ok(());
        }
        Err(TrailError::Archived(format!(
            "{} entries of the period lie in the cold tier and may belong to the answer: restore the period, or choose a later one",
            left_out.entries
        )))
    }

    /// Counts as [`Trail::count`], and tells what was not searched.
    ///
    /// # Errors
    /// As [`Trail::search`].
    pub async fn tally(
        &self,
        query: Query,
        aggregations: Vec<Aggregation>,
        now: Timestamp,
    ) -> Result<EntryPage, TrailError> {
        let request = SearchRequest {
            query,
            limit: 0,
            offset: 0,
            order: Order::NewestFirst,
            sort: None,
            cursor: None,
            count_total: true,
            aggregations,
            now,
        };
        self.search(&request).await
    }

    /// Returns the entry with an identifier; `None` where there is none that may be seen.
    ///
    /// # Errors
    /// The log could not be read.
    pub async fn by_event_id(
        &self,
        event_id: &str,
    ) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        Ok(self
            .reader
            .by_event_id(event_id)
            .await?
            .filter(|stored| self.allows(stored)))
    }

    /// Returns the entry at a position; `None` where there is none that may be seen.
    ///
    /// # Errors
    /// The log could not be read.
    pub async fn by_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        Ok(self
            .reader
            .by_sequence(sequence)
            .await?
            .filter(|stored| self.allows(stored)))
    }

    /// Returns the `.tlog-proof` of an entry, which carries the entry; `None` for one that may not
    /// be seen.
    ///
    /// # Errors
    /// The tree could not be read.
    pub async fn proof(&self, stored: &StoredEntry) -> Result<Option<String>, ReadError> {
        if self.allows(stored) {
            self.ledger.proof(stored).await.map(Some)
        } else {
            Ok(None)
        }
    }

    /// Returns the position after the last acknowledged entry.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.ledger.tail().end_sequence()
    }

    /// Reads the entries that a query finds onwards from a position that the host keeps. Distances
    /// from now in the query stay distances.
    #[must_use]
    pub fn follow(&self, query: Query) -> Follower {
        Follower::new(self.clone(), query)
    }

    /// Reads the entries that a query finds between two positions, each once, in order and in
    /// bounded memory. Entries that arrive meanwhile are left out when the range ends at
    /// [`Trail::end`].
    #[must_use]
    pub fn scan(&self, query: Query, range: Range<u64>, now: Timestamp) -> Scan {
        Scan::new(self.follow(query), range, now)
    }

    /// Reads the entries that a query finds as they arrive; first those after a sequence, when one
    /// is given.
    #[must_use]
    pub fn live(&self, query: Query, after: Option<u64>) -> Live {
        Live::new(self.clone(), self.ledger.subscribe(), query, after)
    }

    pub(crate) async fn read_on(&self, request: ReadOn) -> Result<Stretch, TrailError> {
        let query = self.rows.restrict(request.query);
        let request = ReadOn { query, ..request };
        match recent::stretch(&self.ledger.tail(), &request) {
            Some(stretch) => Ok(stretch),
            None => self.reader.read_on(&request).await,
        }
    }

    /// As [`Trail::read_on`], with sealed entries from what all clones of this trail read.
    pub(crate) async fn read_on_together(&self, request: ReadOn) -> Result<Stretch, TrailError> {
        let query = self.rows.restrict(request.query);
        let request = ReadOn { query, ..request };
        let tail = self.ledger.tail();
        if let Some(stretch) = recent::stretch(&tail, &request) {
            return Ok(stretch);
        }

        let sealed = tail.first_sequence();
        self.shared.next(&*self.reader, sealed, &request).await
    }
}

impl std::fmt::Debug for Trail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trail")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
