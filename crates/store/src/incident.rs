//! Incidents, playbooks and their runs: the port [`IncidentStore`].

mod playbook;
mod record;
mod run;

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_incidents::{
    Incident, IncidentFilter, IncidentId, IncidentStore, MemberKind, Playbook, PlaybookName,
    PlaybookRun, PlaybookRunId, RunFilter,
};

use crate::database::Store;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl IncidentStore for Store {
    async fn incident_insert(&self, incident: &Incident) -> Result<()> {
        Ok(record::insert(self, incident).await?)
    }
    async fn incident_update(&self, incident: &Incident) -> Result<()> {
        Ok(record::update(self, incident).await?)
    }
    async fn incident_get(&self, id: &IncidentId) -> Result<Incident> {
        Ok(record::get(self, id).await?)
    }
    async fn incident_list(&self, filter: &IncidentFilter) -> Result<(Vec<Incident>, u64)> {
        Ok(record::list(self, filter).await?)
    }
    async fn incident_of(&self, kind: MemberKind, id: &str) -> Result<Option<IncidentId>> {
        Ok(record::of_member(self, kind, id).await?)
    }
    async fn incident_delete(&self, id: &IncidentId) -> Result<()> {
        Ok(record::delete(self, id).await?)
    }

    async fn playbook_insert(&self, playbook: &Playbook) -> Result<()> {
        Ok(playbook::insert(self, playbook).await?)
    }
    async fn playbook_update(&self, playbook: &Playbook) -> Result<()> {
        Ok(playbook::update(self, playbook).await?)
    }
    async fn playbook_delete(&self, name: &PlaybookName) -> Result<()> {
        Ok(playbook::delete(self, name).await?)
    }
    async fn playbook_list(&self) -> Result<Vec<Playbook>> {
        Ok(playbook::list(self).await?)
    }

    async fn playbook_run_insert(&self, run: &PlaybookRun) -> Result<()> {
        Ok(run::insert(self, run).await?)
    }
    async fn playbook_run_update(&self, run: &PlaybookRun) -> Result<()> {
        Ok(run::update(self, run).await?)
    }
    async fn playbook_run_get(&self, id: &PlaybookRunId) -> Result<PlaybookRun> {
        Ok(run::get(self, id).await?)
    }
    async fn playbook_run_list(&self, filter: &RunFilter) -> Result<Vec<PlaybookRun>> {
        Ok(run::list(self, filter).await?)
    }
}
