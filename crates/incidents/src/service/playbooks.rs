//! Playbooks: those of the program, and those that people write.

use std::collections::BTreeSet;

use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use super::IncidentService;
use crate::log_entry;
use crate::playbook::{Playbook, PlaybookName, PlaybookStep, Trigger, builtin};

/// A playbook as a person writes it.
#[derive(Debug, Clone)]
pub struct PlaybookInput {
    pub title: String,
    pub description: String,
    pub trigger: Trigger,
    pub steps: Vec<PlaybookStep>,
}

impl IncidentService {
    /// Returns every playbook: those of the program first, then those of people by name.
    ///
    /// # Errors
    /// The store failed.
    pub async fn playbooks(&self) -> Result<Vec<Playbook>, EngineError> {
        let own = self.ports.incidents.playbook_list().await?;
        Ok(builtin().iter().cloned().chain(own).collect())
    }

    /// Returns the playbook of a name.
    ///
    /// # Errors
    /// Not found; the store failed.
    pub async fn playbook(&self, name: &PlaybookName) -> Result<Playbook, EngineError> {
        let all = self.playbooks().await?;
        let found = all.into_iter().find(|playbook| playbook.name == *name);
        found.ok_or_else(|| EngineError::NotFound {
            what: "playbook",
            id: name.0.clone(),
        })
    }

    /// Adds a playbook of people.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict for a name in use.
    pub async fn playbook_create(
        &self,
        name: PlaybookName,
        input: PlaybookInput,
        caller: &Caller,
    ) -> Result<Playbook, EngineError> {
        let playbook = self.written(name, input, 1, caller);
        checked(&playbook)?;
        let entry = log_entry::playbook("playbook.create", None, Some(&playbook), caller);
        self.change(entry, self.ports.incidents.playbook_insert(&playbook))
            .await?;
        Ok(playbook)
    }

    /// Replaces a playbook of people. Runs keep the steps that they began with.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict for one of the program.
    pub async fn playbook_replace(
        &self,
        name: &PlaybookName,
        input: PlaybookInput,
        caller: &Caller,
    ) -> Result<Playbook, EngineError> {
        let before = self.own(name).await?;
        let after = self.written(name.clone(), input, before.version + 1, caller);
        checked(&after)?;
        let entry = log_entry::playbook("playbook.update", Some(&before), Some(&after), caller);
        self.change(entry, self.ports.incidents.playbook_update(&after))
            .await?;
        Ok(after)
    }

    /// Removes a playbook of people. Its runs stay.
    ///
    /// # Errors
    /// Not found; a conflict for one of the program.
    pub async fn playbook_remove(
        &self,
        name: &PlaybookName,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let before = self.own(name).await?;
        let entry = log_entry::playbook("playbook.delete", Some(&before), None, caller);
        self.change(entry, self.ports.incidents.playbook_delete(name))
            .await
    }

    async fn own(&self, name: &PlaybookName) -> Result<Playbook, EngineError> {
        let playbook = self.playbook(name).await?;
        if playbook.is_builtin {
            let message = "it comes with Reeve; write one of your own under another name";
            return Err(EngineError::Conflict(message.to_owned()));
        }
        Ok(playbook)
    }

    fn written(
        &self,
        name: PlaybookName,
        input: PlaybookInput,
        version: u64,
        caller: &Caller,
    ) -> Playbook {
        let trimmed = |values: BTreeSet<String>| {
            let values = values.into_iter().map(|one| one.trim().to_owned());
            values.filter(|one| !one.is_empty()).collect()
        };
        Playbook {
            name,
            title: input.title.trim().to_owned(),
            description: input.description.trim().to_owned(),
            trigger: Trigger {
                subjects: trimmed(input.trigger.subjects),
                techniques: trimmed(input.trigger.techniques),
                ..input.trigger
            },
            steps: input.steps,
            is_builtin: false,
            changed_by: Some(caller.name.clone()),
            changed_at: Some(self.now()),
            version,
        }
    }
}

fn checked(playbook: &Playbook) -> Result<(), EngineError> {
    let faults = playbook.faults();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(EngineError::Invalid(faults))
    }
}
