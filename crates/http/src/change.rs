//! Changes of Reeve's own state and their record: the intent before, the outcome after.
//!
//! The log and the state store are two systems that no transaction spans. So each change is written
//! down twice: `pending` before it is tried, then `success` or `failed` once that is known. A log
//! that refuses the first entry keeps the change from being tried. A crash between the two leaves a
//! `pending` entry, which claims nothing that did not happen.

use std::future::Future;

use reeve_audit::{Entry, EventId};

use crate::app::App;
use crate::error::{Code, Problem};

/// A change whose intent is in the log and whose outcome is not yet.
#[derive(Debug)]
#[must_use = "an intent without an outcome says that the service stopped in between"]
pub(crate) struct Announced {
    entry: Entry,
    intent: EventId,
}

impl Announced {
    /// Adds something to the record of the outcome.
    pub(crate) fn with_metadata(mut self, name: &str, value: reeve_audit::Json) -> Self {
        self.entry = self.entry.with_metadata(name, value);
        self
    }
}

impl App {
    /// Records the intent, makes the change, and records its outcome. `entry` describes the change;
    /// its status is set here.
    ///
    /// The guard runs every request that may change something in a task of its own, so that a
    /// client that goes away does not end this between the change and the record of its outcome.
    ///
    /// # Errors
    /// The log's refusal, then nothing was tried; otherwise the failure of the change itself.
    pub async fn change<T, E>(
        &self,
        entry: Entry,
        change: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, Problem>
    where
        E: Into<Problem>,
    {
        let announced = self.announce(entry).await?;
        let result = change.await.map_err(Into::into);
        let failure = result
            .as_ref()
            .err()
            .map(|problem: &Problem| problem.body().detail.clone());
        self.conclude(announced, failure.as_deref()).await;
        result
    }

    /// Records the intent of a change.
    ///
    /// # Errors
    /// The log's refusal; the change must not be tried then.
    pub(crate) async fn announce(&self, entry: Entry) -> Result<Announced, Problem> {
        let intent = entry.intent();
        let announced = Announced {
            entry,
            intent: intent.event_id.clone(),
        };
        self.record(intent).await?;
        Ok(announced)
    }

    /// Records the outcome of a change: `failure` is the reason when it did not succeed.
    pub(crate) async fn conclude(&self, announced: Announced, failure: Option<&str>) {
        let Announced { entry, intent } = announced;
        self.journal
            .record_outcome(entry.outcome(&intent, failure))
            .await;
    }
}

/// Refuses a change made from another version than the stored one.
pub(crate) fn same_version(what: &str, stored: u64, read: Option<u64>) -> Result<(), Problem> {
    match read.filter(|read| *read != stored) {
        None => Ok(()),
        Some(read) => Err(Problem::new(
            Code::Conflict,
            format!(
                "The {what} was changed by someone else: version {stored} is stored, you sent version {read}. Reload it and try again."
            ),
        )),
    }
}
