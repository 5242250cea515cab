//! Following a trail as it grows: entries in order, none twice, none left out.
//!
//! Only this side ever waits. New entries come through the ledger's broadcast, whose ring is
//! bounded and never waits for a reader; a reader that is overtaken reads what it missed from the
//! trail, a stretch at a time, and then joins in again. Nothing is produced before the host has
//! taken what came before, so that a host that does not take holds one stretch at most.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_ledger::{StoredEntry, Stretch, TrailError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::follower::Follower;
use crate::trail::Trail;

/// Entries read from the trail at once.
const ENTRIES: usize = 128;
/// Canonical bytes of them at most.
const BYTES: usize = 4 << 20;

/// Reason why a live trail ends.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The log was closed.
    #[error("the log is closed")]
    Closed,
    /// Missed entries could not be read.
    #[error(transparent)]
    Trail(#[from] TrailError),
}

/// A stretch that is being read, and the end of the log when it began.
type Reading = Pin<Box<dyn Future<Output = (Result<Option<Stretch>, TrailError>, u64)> + Send>>;

/// The entries of a trail that a query finds, as they arrive.
pub struct Live {
    trail: Trail,
    query: Query,
    follower: Follower,
    /// New entries, from before `position` was taken.
    new: Receiver<Arc<StoredEntry>>,
    /// The next sequence to look at.
    position: u64,
    /// Entries from `position` on are in the trail and may be missing in `new`.
    behind: bool,
    /// The stretch that is being read. It outlives a call of [`Live::next`] that is given up: the
    /// host of a live view looks at other things every two seconds, and a search that began again
    /// each time would never get anywhere.
    reading: Option<Reading>,
    /// Found and not handed out yet.
    found: VecDeque<Arc<StoredEntry>>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("query", &self.query)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl Live {
    /// `new` was subscribed to before this is called: what arrives in between is seen.
    pub(crate) fn new(
        trail: Trail,
        new: Receiver<Arc<StoredEntry>>,
        query: Query,
        after: Option<u64>,
    ) -> Self {
        Live {
            position: after.map_or_else(|| trail.end(), |after| after.saturating_add(1)),
            behind: after.is_some(),
            follower: trail
                .follow(query.clone())
                .with_entries(ENTRIES)
                .with_bytes(BYTES),
            reading: None,
            found: VecDeque::new(),
            trail,
            query,
            new,
        }
    }

    /// Returns the sequence up to which everything has been looked at, once there is any entry.
    #[must_use]
    pub fn reached(&self) -> Option<u64> {
        self.position.checked_sub(1)
    }

    /// Waits for the next entry. Dropping the future loses nothing, not even a search that has
    /// begun. `now` gives the time that `now` stands for in the query.
    ///
    /// # Errors
    /// The log was closed or could not be read.
    pub async fn next(
        &mut self,
        now: impl Fn() -> Timestamp,
    ) -> Result<Arc<StoredEntry>, LiveError> {
        loop {
            if let Some(stored) = self.found.pop_front() {
                return Ok(stored);
            }
            if self.behind {
                self.catch_up(&now).await?;
                continue;
            }
            match self.new.recv().await {
                Ok(stored) => self.take(stored, now()),
                Err(RecvError::Lagged(_)) => self.behind = true,
                Err(RecvError::Closed) => return Err(LiveError::Closed),
            }
        }
    }

    /// Takes an entry that just arrived.
    fn take(&mut self, stored: Arc<StoredEntry>, now: Timestamp) {
        if stored.sequence > self.position {
            self.behind = true;
        } else if stored.sequence == self.position {
            self.position += 1;
            if self.trail.allows(&stored)
                && self.query.matches(&stored.entry, stored.recorded_at, now)
            {
                self.found.push_back(stored);
            }
        }
    }

    /// Reads the next stretch of what was missed.
    async fn catch_up(&mut self, now: &impl Fn() -> Timestamp) -> Result<(), TrailError> {
        let reading = self.reading.get_or_insert_with(|| {
            let (follower, position, now) = (self.follower.clone(), self.position, now());
            Box::pin(async move {
                let end = follower.end();
                (follower.next(position, end, now).await, end)
            })
        });
        let (stretch, end) = reading.await;

        self.reading = None;
        match stretch? {
            Some(stretch) => {
                self.position = stretch.to;
                self.behind = stretch.to < end;
                self.found.extend(stretch.entries);
            }
            None => self.behind = false,
        }

        Ok(())
    }
}
