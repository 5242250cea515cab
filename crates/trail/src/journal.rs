//! The journal of Reeve's own acts: entries that Reeve writes about itself, on behalf of callers
//! and by itself.
//!
//! An entry about something that is still to be done must be in the log first
//! ([`Journal::record`]). An entry about something that has happened waits in bounded memory while
//! the log cannot be written ([`Journal::record_or_keep`]): a full disk does not blind the auditor.

mod waiting;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Draft, Entry, EventId, Json, ResourceRef, Severity, events,
};
use reeve_ledger::{AppendError, Receipt, TrailError};

use crate::log::Log;
use crate::tallies::Tallies;

/// Failures of one part within this time are one entry, after the first.
const FAILURES: SignedDuration = SignedDuration::from_mins(10);
/// Longest text of a failure in an entry, characters.
const LONGEST_FAILURE: usize = 500;

/// Reason why an entry was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The entry breaks a rule of the log.
    #[error("the entry is not valid: {0}")]
    Unsound(String),
    /// The log did not take it.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The entry that has its identifier could not be read.
    #[error(transparent)]
    Read(#[from] TrailError),
}

/// Writes entries about Reeve's own acts.
pub struct Journal {
    log: Log,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    waiting: Mutex<VecDeque<Entry>>,
    failures: Tallies,
    displaced: AtomicU64,
}

impl Journal {
    /// Returns a journal in a log, with the clock of the service.
    #[must_use]
    pub fn new(log: Log, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let failures = Tallies::new("occurrences", FAILURES);
        Journal {
            log,
            now: Box::new(now),
            waiting: Mutex::default(),
            failures,
            displaced: AtomicU64::new(0),
        }
    }

    /// Returns the present time, in whole milliseconds.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let now = (self.now)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// Records an entry.
    ///
    /// # Errors
    /// It is not sound, or the log did not take it; nothing was written.
    pub async fn record(&self, entry: Entry) -> Result<(), JournalError> {
        self.append(vec![entry]).await.map(drop)
    }

    /// Records an entry whose identifier follows from its content ([`EventId::derived`]), so that
    /// it exists once however often it is recorded. Returns the identifier that the entry has in
    /// the log.
    ///
    /// An entry of another submitter never counts as recorded: somebody who took the identifier in
    /// advance would silence an alert. The entry is then recorded under a fresh identifier, with
    /// the intended one in `metadata.intended_id`, together with an entry of high severity about
    /// the conflict.
    ///
    /// # Errors
    /// The entry is not sound, the log did not take it, or the entry that has its identifier could
    /// not be read.
    pub async fn record_once(&self, entry: Entry) -> Result<EventId, JournalError> {
        match self.append(vec![entry.clone()]).await {
            Ok(receipts) if !receipts.iter().any(|receipt| receipt.duplicate) => {
                return Ok(entry.event_id);
            }
            // A foreign entry may have the very same content.
            Ok(_) | Err(JournalError::Append(AppendError::Conflict { .. })) => {}
            Err(error) => return Err(error),
        }
        if self.log.has_own(&entry).await? {
            Ok(entry.event_id)
        } else {
            self.record_displaced(entry).await
        }
    }

    /// Records entries as [`Journal::record_once`] does each, with one write where none of their
    /// identifiers is taken.
    ///
    /// # Errors
    /// One is not sound, or the log did not take them.
    pub async fn record_all_once(&self, entries: Vec<Entry>) -> Result<(), JournalError> {
        if entries.is_empty() {
            return Ok(());
        }

        match self.append(entries.clone()).await {
            Ok(receipts) if !receipts.iter().any(|receipt| receipt.duplicate) => return Ok(()),
            Ok(_) | Err(JournalError::Append(AppendError::Conflict { .. })) => {}
            Err(error) => return Err(error),
        }

        for entry in entries {
            self.record_once(entry).await?;
        }

        Ok(())
    }

    /// Records an entry under a fresh identifier because a foreign entry has its own, and reports
    /// that.
    async fn record_displaced(&self, entry: Entry) -> Result<EventId, JournalError> {
        let intended = entry.event_id.as_str().to_owned();
        let entry = Entry {
            event_id: EventId::fresh(),
            ..entry
        }
        .with_metadata("intended_id", Json::from(intended.clone()));
        let id = entry.event_id.clone();
        tracing::error!(
            intended,
            recorded = id.as_str(),
            "an entry of another submitter has an identifier of Reeve"
        );

        let text = format!(
            "an entry of another submitter has the identifier {intended}; Reeve's own entry was recorded as {id}"
        );
        let alarm = failure("identifiers", &text).with_severity(Severity::High);
        let alarm = alarm
            .with_metadata("intended_id", intended)
            .with_metadata("recorded_id", id.as_str());
        self.append(vec![entry, alarm]).await?;
        self.displaced.fetch_add(1, Ordering::Relaxed);

        Ok(id)
    }

    /// Returns the number of entries since the start whose identifier a foreign entry had.
    #[must_use]
    pub fn displaced(&self) -> u64 {
        self.displaced.load(Ordering::Relaxed)
    }

    async fn append(&self, entries: Vec<Entry>) -> Result<Vec<Receipt>, JournalError> {
        let now = self.now();
        let drafts = entries
            .into_iter()
            .map(|entry| Draft::by_reeve(entry, now))
            .collect::<Result<Vec<_>, _>>();
        let drafts = drafts.map_err(|errors| JournalError::Unsound(format!("{errors:?}")))?;
        Ok(self.log.append(drafts).await?)
    }

    /// Records the outcome of something that is done: the change stands, and an error would tell
    /// the caller that it does not.
    pub async fn record_outcome(&self, entry: Entry) {
        let id = entry.event_id.clone();
        if let Err(error) = self.record_or_keep(entry).await {
            tracing::error!(event = id.as_str(), %error, "an outcome was not recorded");
        }
    }

    /// Says in the service's own log and in the audit log that a part of Reeve failed; the latter
    /// at most twice in ten minutes.
    pub async fn failed(&self, part: &'static str, error: impl std::fmt::Display + Send) {
        let error = error.to_string();
        tracing::warn!(part, error, "a part of Reeve failed; it is tried again");
        if let Some(entry) = self
            .failures
            .note(part.to_owned(), failure(part, &error), self.now())
        {
            self.record_outcome(entry).await;
        }
    }

    /// Records the failures that were counted in windows that are over, or in every window when the
    /// service stops.
    pub async fn record_failures(&self, every: bool) {
        let counted = if every {
            self.failures.all()
        } else {
            self.failures.ended(self.now())
        };
        for entry in counted {
            self.record_outcome(entry).await;
        }
    }
}

/// Returns the entry about a failure inside Reeve.
fn failure(part: &str, error: &str) -> Entry {
    Entry::for_event(&events::ERROR)
        .by(Actor::system())
        .on(ResourceRef::new("reeve", part))
        .with_action("fail", ActionStatus::Failed, ActionMethod::System)
        .with_metadata(
            "error",
            error.chars().take(LONGEST_FAILURE).collect::<String>(),
        )
}
