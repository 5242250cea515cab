//! Reading on by sequence, from a cursor that the host keeps.
//!
//! A follower reads the entries from a position to the end of what is acknowledged, in order, a
//! stretch at a time. It keeps nothing itself: the host keeps what follows from a stretch, and
//! moves its cursor to the stretch's end, in one transaction that compares the cursor with where
//! the stretch began. So state in the store is moved exactly once, whatever stops in between and
//! however many processes follow; what goes outward is derived from that state, at least once.

use std::ops::Range;

use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_ledger::{ReadOn, Stretch, TrailError};

use crate::trail::Trail;

/// Entries of a stretch unless the host says otherwise.
const ENTRIES: usize = 1000;
/// Canonical bytes of a stretch unless the host says otherwise: an entry may have a mebibyte.
const BYTES: usize = 16 << 20;

/// Reads a trail on.
#[derive(Debug, Clone)]
pub struct Follower {
    trail: Trail,
    query: Query,
    entries: usize,
    bytes: usize,
    reads_together: bool,
}

impl Follower {
    pub(crate) fn new(trail: Trail, query: Query) -> Self {
        Follower {
            trail,
            query,
            entries: ENTRIES,
            bytes: BYTES,
            reads_together: false,
        }
    }

    /// Reads sealed entries together with the other followers of this trail that were made so: each
    /// entry is read from its segment once for all of them. For what follows the whole log as it
    /// grows; a rare match far back is found faster by the index of its segment.
    #[must_use]
    pub fn reading_together(self) -> Self {
        Follower {
            reads_together: true,
            ..self
        }
    }

    /// Gives a stretch this many entries at most, in place of 1,000.
    #[must_use]
    pub fn with_entries(self, entries: usize) -> Self {
        Follower { entries, ..self }
    }

    /// Gives a stretch this many canonical bytes at most, in place of 16 MiB. An entry that is
    /// larger comes alone.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Self {
        Follower { bytes, ..self }
    }

    /// Returns the position after the last acknowledged entry. A host without a cursor begins
    /// there.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.trail.end()
    }

    /// Reads the next stretch from a position; `None` at the end. The end is asked for by the host
    /// before it reads what it judges entries by, so that an entry that was written after a change
    /// is never judged by what was before it.
    ///
    /// # Errors
    /// The log could not be read; the position stays.
    pub async fn next(
        &self,
        from: u64,
        end: u64,
        now: Timestamp,
    ) -> Result<Option<Stretch>, TrailError> {
        if from >= end {
            return Ok(None);
        }

        let (entries, bytes) = (self.entries, self.bytes);
        let request = ReadOn {
            query: self.query.resolve(now),
            from,
            to: end,
            entries,
            bytes,
            now,
        };

        if self.reads_together {
            self.trail.read_on_together(request).await.map(Some)
        } else {
            self.trail.read_on(request).await.map(Some)
        }
    }
}

/// Reads a part of the trail once, from its beginning to its end.
#[derive(Debug, Clone)]
pub struct Scan {
    follower: Follower,
    position: u64,
    end: u64,
    now: Timestamp,
}

impl Scan {
    pub(crate) fn new(follower: Follower, range: Range<u64>, now: Timestamp) -> Self {
        Scan {
            follower,
            position: range.start,
            end: range.end,
            now,
        }
    }

    /// Gives a stretch this many entries and canonical bytes at most.
    #[must_use]
    pub fn with_stretches_of(self, entries: usize, bytes: usize) -> Self {
        Scan {
            follower: self.follower.with_entries(entries).with_bytes(bytes),
            ..self
        }
    }

    /// Returns the next sequence to look at: what a job keeps to go on from here after a restart.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Reads the next stretch, which may be empty; `None` at the end.
    ///
    /// # Errors
    /// The log could not be read; asking again tries the same stretch.
    pub async fn next(&mut self) -> Result<Option<Stretch>, TrailError> {
        let stretch = self
            .follower
            .next(self.position, self.end, self.now)
            .await?;
        if let Some(stretch) = &stretch {
            self.position = stretch.to;
        }
        Ok(stretch)
    }
}
