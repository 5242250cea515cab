//! Changes of Reeve's own state and their record: the intent before, the outcome after.
//!
//! The log and the state store are two systems that no transaction spans. So each change is written
//! down twice: `pending` before it is tried, then `success` or `failed` once that is known. A log
//! that refuses the first entry keeps the change from being tried. A crash between the two leaves a
//! `pending` entry, which claims nothing that did not happen.

use std::future::Future;

use axum::http::StatusCode;
use reeve_audit::events::EventKind;
use reeve_audit::{Entry, EventId, FieldCode, Json, ResourceRef};

use crate::app::App;
use crate::error::{Code, Problem};
use crate::extract::Caller;
use crate::log_entry;

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

/// Definition that people make, and that the log describes when they change it.
pub(crate) trait Recorded {
    /// Resource of the entries about it.
    fn resource(&self) -> ResourceRef;

    /// State as it stands in the log, without a secret.
    fn record(&self) -> Json;

    /// Adds what every entry about it says.
    fn described(&self, entry: Entry) -> Entry {
        entry
    }
}

/// Returns an entry about an act on a definition that changes nothing of it.
pub(crate) fn acted(
    caller: &Caller,
    kind: &EventKind,
    operation: &str,
    definition: &impl Recorded,
) -> Entry {
    definition.described(log_entry::did(
        caller,
        kind,
        operation,
        definition.resource(),
    ))
}

/// Returns an entry about a definition that is new.
pub(crate) fn created(
    caller: &Caller,
    kind: &EventKind,
    operation: &str,
    after: &impl Recorded,
) -> Entry {
    acted(caller, kind, operation, after).after(after.record())
}

/// Returns an entry about a definition that changes.
pub(crate) fn modified<T: Recorded>(
    caller: &Caller,
    kind: &EventKind,
    operation: &str,
    (before, after): (&T, &T),
) -> Entry {
    acted(caller, kind, operation, after)
        .before(before.record())
        .after(after.record())
}

impl App {
    /// Records the removal of a definition, and removes it.
    ///
    /// # Errors
    /// As [`App::change`].
    pub(crate) async fn remove<E: Into<Problem>>(
        &self,
        caller: &Caller,
        kind: &EventKind,
        operation: &str,
        before: &impl Recorded,
        removal: impl Future<Output = Result<(), E>> + Send,
    ) -> Result<StatusCode, Problem> {
        let entry = acted(caller, kind, operation, before).before(before.record());
        self.change(entry, removal).await?;
        Ok(StatusCode::NO_CONTENT)
    }

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

/// Refuses other settings without the secret, where one is kept or needed: whoever may change an
/// address need not know the secret, so it is not sent to another one.
pub(crate) fn secret_again(settings_change: bool, is_needed: bool) -> Result<(), Problem> {
    if !(settings_change && is_needed) {
        return Ok(());
    }
    Err(Problem::field(
        "secret",
        FieldCode::MissingField,
        "is required again when settings change",
    ))
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
