//! Runbooks of people, and breakers that people close.

use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::runbook::breaker::Breaker;
use reeve_recommend::runbook::{Runbook, RunbookName, WrittenRunbook, builtin};

use super::{RunbookService, RunbookState, log_entry, not_found, stored};

/// Names that stand for something else in addresses.
const RESERVED: [&str; 1] = ["try"];

/// Reads the text of a person.
pub(super) fn read(source: &str) -> Result<Runbook, EngineError> {
    let runbook = Runbook::read(source).map_err(EngineError::Invalid)?;
    if RESERVED.contains(&runbook.name.0.as_str()) {
        let message = "is reserved";
        return Err(EngineError::Invalid(vec![FieldError::new(
            "name",
            FieldCode::Reserved,
            message,
        )]));
    }
    Ok(runbook)
}

impl RunbookService {
    /// Adds a runbook of people.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict for a name in use.
    pub async fn create(&self, source: &str, caller: &Caller) -> Result<RunbookState, EngineError> {
        let runbook = read(source)?;
        if builtin().iter().any(|one| one.name == runbook.name) {
            let message = "is the name of a runbook that comes with Reeve";
            let fault = FieldError::new("name", FieldCode::Reserved, message);
            return Err(EngineError::Invalid(vec![fault]));
        }
        let written = stored(&runbook, &caller.name, self.records.clock.now(), 1);
        let entry = log_entry::runbook("runbook.create", None, Some(&written), caller);
        self.records
            .change(entry, self.ports.runbooks.runbook_insert(&written))
            .await?;
        self.get(&runbook.name).await
    }

    /// Replaces a runbook of people. Its applications and breakers stay.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict for one of the program.
    pub async fn replace(
        &self,
        name: &RunbookName,
        source: &str,
        caller: &Caller,
    ) -> Result<RunbookState, EngineError> {
        let before = self.own(name).await?;
        let runbook = read(source)?;
        if runbook.name != *name {
            let message = format!(
                "must stay {:?}: add another runbook under a new name",
                name.0
            );
            let fault = FieldError::new("name", FieldCode::Conflicting, message);
            return Err(EngineError::Invalid(vec![fault]));
        }
        let now = self.records.clock.now();
        let written = stored(&runbook, &caller.name, now, before.version + 1);
        let entry = log_entry::runbook("runbook.update", Some(&before), Some(&written), caller);
        self.records
            .change(entry, self.ports.runbooks.runbook_update(&written))
            .await?;
        self.get(name).await
    }

    /// Removes a runbook of people with its breakers. Its applications stay.
    ///
    /// # Errors
    /// Not found; a conflict for one of the program.
    pub async fn remove(&self, name: &RunbookName, caller: &Caller) -> Result<(), EngineError> {
        let before = self.own(name).await?;
        let entry = log_entry::runbook("runbook.delete", Some(&before), None, caller);
        let store = &self.ports.runbooks;
        self.records
            .change(entry, store.runbook_delete(name))
            .await?;
        Ok(store.breaker_delete(name).await?)
    }

    /// Closes the open breakers of a runbook: that of one resource, or all of them.
    ///
    /// # Errors
    /// No such runbook; no breaker of it is open.
    pub async fn close_breakers(
        &self,
        name: &RunbookName,
        resource: Option<&str>,
        caller: &Caller,
    ) -> Result<RunbookState, EngineError> {
        let _turn = self.settling.lock().await;
        let now = self.records.clock.now();
        let mut open = self.get(name).await?.open;
        if let Some(id) = resource {
            open.retain(|one| one.resource.as_ref().is_some_and(|own| own.id.0 == id));
        }
        if open.is_empty() {
            return Err(EngineError::Conflict("no such breaker is open".to_owned()));
        }
        for breaker in open {
            let closed = Breaker {
                closed_at: Some(now),
                closed_by: Some(caller.name.clone()),
                ..breaker
            };
            let entry = log_entry::breaker("runbook.breaker_close", &closed, caller);
            self.records
                .change(entry, self.ports.runbooks.breaker_put(&closed))
                .await?;
        }
        self.get(name).await
    }

    /// Returns a runbook of people, also one that this release cannot read.
    async fn own(&self, name: &RunbookName) -> Result<WrittenRunbook, EngineError> {
        if builtin().iter().any(|one| one.name == *name) {
            let message = "it comes with Reeve; write one of your own under another name";
            return Err(EngineError::Conflict(message.to_owned()));
        }
        let all = self.ports.runbooks.runbook_list().await?;
        let found = all.into_iter().find(|one| one.name == *name);
        found.ok_or_else(|| not_found(name))
    }
}
