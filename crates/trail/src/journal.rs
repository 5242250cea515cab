//! The journal of Reeve's own acts: entries that Reeve writes about itself, on behalf of callers and by itself.
//!
//! An entry about something that is still to be done must be in the log first ([`Journal::record`]). An entry about something that has
//! happened waits in bounded memory while the log cannot be written ([`Journal::record_or_keep`]): a full disk does not blind the auditor.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Draft, Entry, ResourceRef, events};
use reeve_ledger::AppendError;

use crate::log::Log;
use crate::tallies::Tallies;

/// Entries that may wait for the log while it cannot be written.
const MOST_WAITING: usize = 10_000;
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
}

/// Writes entries about Reeve's own acts.
pub struct Journal {
    log: Log,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    waiting: Mutex<VecDeque<Entry>>,
    failures: Tallies,
}

impl Journal {
    /// Returns a journal in a log, with the clock of the service.
    #[must_use]
    pub fn new(log: Log, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let failures = Tallies::new("occurrences", FAILURES);
        Journal { log, now: Box::new(now), waiting: Mutex::default(), failures }
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
        let draft =
            Draft::by_reeve(entry, self.now()).map_err(|errors| JournalError::Unsound(format!("{errors:?}")))?;
        self.log.append(vec![draft]).await?;
        Ok(())
    }

    /// Records an entry whose identifier follows from what it tells: recording it twice is once. If another entry has the identifier, that is
    /// told in the service's own log.
    ///
    /// # Errors
    /// It is not sound, or the log did not take it.
    pub async fn record_once(&self, entry: Entry) -> Result<(), JournalError> {
        match self.record(entry).await {
            Err(JournalError::Append(AppendError::Conflict { event_id, .. })) => {
                tracing::warn!(event_id, "another entry has the identifier of one that Reeve records");
                Ok(())
            }
            other => other,
        }
    }

    /// Records entries as [`Journal::record_once`] does each, with one write where none of their identifiers is taken.
    ///
    /// # Errors
    /// One is not sound, or the log did not take them.
    pub async fn record_all_once(&self, entries: Vec<Entry>) -> Result<(), JournalError> {
        if entries.is_empty() {
            return Ok(());
        }
        let now = self.now();
        let draft = |entry: &Entry| {
            Draft::by_reeve(entry.clone(), now).map_err(|errors| JournalError::Unsound(format!("{errors:?}")))
        };
        let drafts = entries.iter().map(draft).collect::<Result<_, _>>()?;
        match self.log.append(drafts).await {
            Ok(_) => Ok(()),
            Err(AppendError::Conflict { .. }) => {
                for entry in entries {
                    self.record_once(entry).await?;
                }
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Records an entry about something that has happened. While the log cannot be written it waits with others in bounded memory.
    ///
    /// # Errors
    /// Neither the log nor the memory has room.
    pub async fn record_or_keep(&self, entry: Entry) -> Result<(), AppendError> {
        let mut waiting: Vec<Entry> = self.waiting.lock().drain(..).collect();
        waiting.push(entry);
        let now = self.now();
        let drafts: Vec<Draft> = waiting.iter().filter_map(|entry| Draft::by_reeve(entry.clone(), now).ok()).collect();
        if let Err(error) = self.log.append(drafts).await {
            tracing::warn!(%error, "a record of what has happened waits for the log");
            let mut kept = self.waiting.lock();
            if kept.len() + waiting.len() > MOST_WAITING {
                waiting.pop();
                kept.extend(waiting);
                return Err(error);
            }
            kept.extend(waiting);
        }
        Ok(())
    }

    /// Records the outcome of something that is done: the change stands, and an error would tell the caller that it does not.
    pub async fn record_outcome(&self, entry: Entry) {
        let id = entry.event_id.clone();
        if let Err(error) = self.record_or_keep(entry).await {
            tracing::error!(event = id.as_str(), %error, "an outcome was not recorded");
        }
    }

    /// Says in the service's own log and in the audit log that a part of Reeve failed; the latter at most twice in ten minutes.
    pub async fn failed(&self, part: &'static str, error: impl std::fmt::Display + Send) {
        let error = error.to_string();
        tracing::warn!(part, error, "a part of Reeve failed; it is tried again");
        if let Some(entry) = self.failures.note(part.to_owned(), failure(part, &error), self.now()) {
            self.record_outcome(entry).await;
        }
    }

    /// Records the failures that were counted in windows that are over, or in every window when the service stops.
    pub async fn record_failures(&self, every: bool) {
        let counted = if every { self.failures.all() } else { self.failures.ended(self.now()) };
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
        .with_metadata("error", error.chars().take(LONGEST_FAILURE).collect::<String>())
}
