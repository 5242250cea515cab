//! Storage of incidents, playbooks and their runs, and sources of members.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::IncidentId;

use crate::incident::{Incident, IncidentStatus};
use crate::member::{IncidentMember, MemberKind};
use crate::playbook::{Playbook, PlaybookName};
use crate::run::{PlaybookRun, PlaybookRunId};

/// Filter of incidents; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct IncidentFilter {
    /// In any of these states; empty is all.
    pub status: Vec<IncidentStatus>,
    /// Of any of these severities; empty is all.
    pub severity: Vec<Priority>,
    /// Person who is responsible.
    pub owner: Option<String>,
    /// Any of these; empty is all.
    pub ids: Vec<IncidentId>,
    /// Last sign of a member at or after.
    pub active_since: Option<Timestamp>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of matches to skip.
    pub offset: u64,
}

/// Filter of runs; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    pub incident: Option<IncidentId>,
    /// Only runs with steps that go on.
    pub is_active: bool,
    /// At most this many; 0 is no limit.
    pub limit: u64,
}

/// Keeps incidents, playbooks and runs. Updates compare versions: the record's is the stored one
/// plus one.
#[async_trait]
pub trait IncidentStore: Send + Sync {
    /// Adds an incident. One with its identifier is a conflict.
    async fn incident_insert(&self, incident: &Incident) -> Result<(), StoreError>;
    async fn incident_update(&self, incident: &Incident) -> Result<(), StoreError>;
    async fn incident_get(&self, id: &IncidentId) -> Result<Incident, StoreError>;
    /// Incidents, those that need people first, then by severity and last sign, and how many there
    /// are in all. Merged ones are left out.
    async fn incident_list(
        &self,
        filter: &IncidentFilter,
    ) -> Result<(Vec<Incident>, u64), StoreError>;
    /// Returns the incident that has a member.
    async fn incident_of(
        &self,
        kind: MemberKind,
        id: &str,
    ) -> Result<Option<IncidentId>, StoreError>;
    /// Removes an incident with its runs.
    async fn incident_delete(&self, id: &IncidentId) -> Result<(), StoreError>;

    /// Adds a playbook of people. A name in use is a conflict.
    async fn playbook_insert(&self, playbook: &Playbook) -> Result<(), StoreError>;
    async fn playbook_update(&self, playbook: &Playbook) -> Result<(), StoreError>;
    async fn playbook_delete(&self, name: &PlaybookName) -> Result<(), StoreError>;
    /// Playbooks of people by name.
    async fn playbook_list(&self) -> Result<Vec<Playbook>, StoreError>;

    async fn playbook_run_insert(&self, run: &PlaybookRun) -> Result<(), StoreError>;
    async fn playbook_run_update(&self, run: &PlaybookRun) -> Result<(), StoreError>;
    async fn playbook_run_get(&self, id: &PlaybookRunId) -> Result<PlaybookRun, StoreError>;
    /// Runs, newest first.
    async fn playbook_run_list(&self, filter: &RunFilter) -> Result<Vec<PlaybookRun>, StoreError>;
}

/// Findings of a source that may join incidents: firings of alert rules, alerts of other tools.
#[async_trait]
pub trait MemberSource: Send + Sync {
    /// Returns findings whose last sign lies at or after a time, some hundred at most.
    async fn recent(&self, since: Timestamp) -> Result<Vec<IncidentMember>, StoreError>;

    /// Returns a finding by its identifier; `None` for a kind of another source, or an unknown one.
    async fn member(
        &self,
        kind: MemberKind,
        id: &str,
    ) -> Result<Option<IncidentMember>, StoreError>;
}
