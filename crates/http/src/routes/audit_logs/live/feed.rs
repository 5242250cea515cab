//! What one live view is fed with: entries in order, none twice, none left out.
//!
//! Only this side ever waits. New entries come through the ledger's broadcast, whose ring is bounded and never waits for a
//! reader; a reader that is overtaken reads what it missed from the trail, a page at a time, and then joins in again. Nothing is
//! produced before the client has taken what came before, so that a client that does not read holds one page at most.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reeve_access::{Principal, RowFilter};
use reeve_audit::query::Query;
use reeve_ledger::{SearchRequest, StoredEntry};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

use super::credentials::Credentials;
use crate::app::App;
use crate::streams::Slot;

/// Entries read from the trail at once.
const PAGE: usize = 128;
/// How often a quiet stream says that it is there.
const QUIET: Duration = Duration::from_secs(15);
/// How often it is asked whether the caller is still who they were.
const CHECK: Duration = Duration::from_secs(2);

/// The next thing to tell.
pub(super) enum Moment {
    /// An entry that the query finds and the caller may see.
    Entry(Arc<StoredEntry>),
    /// Nothing for a while; everything up to this sequence has been looked at.
    Quiet {
        /// The sequence, once there is any entry.
        reached: Option<u64>,
    },
    /// The stream ends, and why.
    End(&'static str),
}

/// The feed of one live view.
pub(super) struct Feed {
    app: Arc<App>,
    principal: Arc<Principal>,
    credentials: Credentials,
    visible: RowFilter,
    query: Query,
    /// New entries from before `position` was taken.
    new: Receiver<Arc<StoredEntry>>,
    /// The next sequence to look at.
    position: u64,
    /// Entries from `position` on are in the trail and may be missing in `new`.
    behind: bool,
    /// Found in the trail and not told yet.
    found: VecDeque<Arc<StoredEntry>>,
    check_at: Instant,
    quiet_at: Instant,
    _slot: Slot,
}

impl Feed {
    /// A feed from after a sequence, or from now on.
    pub(super) fn open(
        app: Arc<App>,
        principal: Arc<Principal>,
        credentials: Credentials,
        query: Query,
        after: Option<u64>,
        slot: Slot,
    ) -> Self {
        let new = app.ledger.subscribe();
        let end = app.ledger.tail().end_sequence();
        Feed {
            visible: RowFilter::of(&principal),
            principal,
            credentials,
            query,
            new,
            position: after.map_or(end, |after| after.saturating_add(1)),
            behind: after.is_some(),
            found: VecDeque::new(),
            check_at: Instant::now() + CHECK,
            quiet_at: Instant::now() + QUIET,
            _slot: slot,
            app,
        }
    }

    /// The next thing to tell; waits for it.
    pub(super) async fn next(&mut self) -> Moment {
        loop {
            if let Some(end) = self.due().await {
                return end;
            }
            if let Some(stored) = self.found.pop_front() {
                self.quiet_at = Instant::now() + QUIET;
                return Moment::Entry(stored);
            }
            if self.behind {
                if let Err(error) = self.catch_up().await {
                    tracing::warn!(%error, "a live view could not read the log; it is ended");
                    return Moment::End("unavailable");
                }
                continue;
            }
            tokio::select! {
                biased;
                () = self.app.streams.closed() => return Moment::End("stopping"),
                () = sleep_until(self.check_at) => {}
                () = sleep_until(self.quiet_at) => {
                    self.quiet_at = Instant::now() + QUIET;
                    return Moment::Quiet { reached: self.position.checked_sub(1) };
                }
                new = self.new.recv() => match new {
                    Ok(stored) => self.take(stored),
                    Err(RecvError::Lagged(_)) => self.behind = true,
                    Err(RecvError::Closed) => return Moment::End("stopping"),
                },
            }
        }
    }

    /// Whether the stream is to end, asked at most every few seconds.
    async fn due(&mut self) -> Option<Moment> {
        if self.app.streams.is_closed() {
            return Some(Moment::End("stopping"));
        }
        if Instant::now() < self.check_at {
            return None;
        }
        self.check_at = Instant::now() + CHECK;
        // Whoever is not exactly who they were when the stream was opened opens another one.
        match self.credentials.still_name(&self.app, &self.principal).await {
            Ok(true) => None,
            Ok(false) => Some(Moment::End("signed_out")),
            Err(problem) if problem.status().is_client_error() => Some(Moment::End("signed_out")),
            Err(_) => Some(Moment::End("unavailable")),
        }
    }

    /// An entry that just arrived.
    fn take(&mut self, stored: Arc<StoredEntry>) {
        if stored.sequence > self.position {
            self.behind = true;
        } else if stored.sequence == self.position {
            self.position += 1;
            let found = self.query.matches(&stored.entry, stored.recorded_at, self.app.now());
            if found && self.visible.allows(&stored.entry) {
                self.found.push_back(stored);
            }
        }
    }

    /// Reads the next page of what was missed.
    async fn catch_up(&mut self) -> Result<(), reeve_ledger::TrailError> {
        // What is acknowledged by now is in the trail; the search may see more.
        let end = self.app.ledger.tail().end_sequence();
        let now = self.app.now();
        let request = SearchRequest::onwards(self.visible.restrict(self.query.resolve(now)), self.position, PAGE, now);
        let page = self.app.trail.search(&request).await?;
        let seen = page.entries.last().map_or(self.position, |last| last.sequence + 1);
        self.behind = page.next_cursor.is_some() && !page.entries.is_empty();
        self.position = if self.behind { seen } else { seen.max(end) };
        self.found.extend(page.entries);
        Ok(())
    }
}
