//! The stores of a life: in memory, behind the hazard. Each call may be the process's last; writes
//! and their answers get lost. Whatever people set is noted in the journal in the moment it is
//! kept.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_estate::{
    Connection, ConnectionId, EstateStore, IsSeen, Metric, Resource, ResourceChange,
    ResourceFilter, ResourceId, ResourceKind, ResourceTotal, Sample, SampleSeries, SampleStore,
    StoreError,
};
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::agent::{Agent, AgentId, AgentType};
use reeve_recommend::approval::{Approval, ApprovalId};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::{AgentStore, Clock, RecommendationFilter};
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use reeve_recommend::recommendation::totals::{
    ActionCounts, ActionFilter, ApprovalFilter, DailySavings, Dismissals, OpenSavings,
    RecommendationTotal, StepOutcomes,
};
use reeve_recommend::recommendation::{
    Feedback, Recommendation, RecommendationId, RecommendationType,
};

use super::hazard::{Hazard, Lost};
use super::load::Loads;
use crate::clock::TestClock;
use crate::journal::{Journal, Note, Policy};
use crate::store::Memory;

pub(crate) struct Shaky {
    pub(crate) memory: Arc<Memory>,
    pub(crate) loads: Loads,
    pub(crate) connections: Mutex<Vec<Connection>>,
    pub(crate) hazard: Arc<Hazard>,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<TestClock>,
}

impl Shaky {
    async fn write<T>(
        &self,
        done: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        self.kept(done, false).await
    }

    async fn policy<T>(
        &self,
        done: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        self.kept(done, true).await
    }

    async fn read<T>(
        &self,
        done: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        self.hazard.moment().await;
        if self.hazard.read_fails() {
            return Err(StoreError::Backend("the connection was reset".to_owned()));
        }
        done.await
    }

    async fn kept<T>(
        &self,
        done: impl Future<Output = Result<T, StoreError>> + Send,
        policy: bool,
    ) -> Result<T, StoreError> {
        self.hazard.moment().await;
        let lost = self.hazard.store();
        if lost == Some(Lost::Request) {
            return Err(StoreError::Backend("the write was lost".to_owned()));
        }

        let done = done.await;
        if policy && done.is_ok() {
            self.note_policy().await;
        }

        self.hazard.moment().await;
        if lost == Some(Lost::Answer) {
            Err(StoreError::Backend("no answer".to_owned()))
        } else {
            done
        }
    }

    /// Notes what people have set. Nothing in it waits, so that no other task comes between the
    /// write and the note.
    pub(crate) async fn note_policy(&self) {
        let agents = self.memory.agent_list(None).await.unwrap();
        let observe_only: BTreeSet<String> = self
            .connections
            .lock()
            .iter()
            .filter(|c| !c.allow_actions)
            .map(|c| c.id.0.clone())
            .collect();

        let policy = Policy {
            at: self.clock.now(),
            guardrails: self.memory.guardrails_get().await.unwrap(),
            agents: agents
                .into_iter()
                .map(|agent| (agent.id.0.clone(), agent))
                .collect(),
            exclusions: self.memory.exclusion_list().await.unwrap(),
            observe_only,
        };

        self.journal.lock().push(Note::Policy(Arc::new(policy)));
    }
}

/// The methods of a port, each passed on as a read, a write, or a write of what people set.
macro_rules! pass_on {
    ($port:ident { $($how:ident $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)* }) => {
        #[async_trait::async_trait]
        impl $port for Shaky {
            $(async fn $name(&self, $($arg: $type),*) -> Result<$out, StoreError> {
                self.$how(self.memory.$name($($arg),*)).await
            })*
        }
    };
}

pass_on!(AgentStore {
    policy agent_insert(agent: &Agent) -> ();
    policy agent_update(agent: &Agent) -> ();
    policy agent_delete(id: &AgentId) -> ();
    read agent_get(id: &AgentId) -> Agent;
    read agent_list(of_type: Option<AgentType>) -> Vec<Agent>;
    write recommendation_insert(recommendation: &Recommendation) -> ();
    write recommendation_insert_all(recommendations: &[Recommendation]) -> ();
    write recommendation_update(recommendation: &Recommendation) -> ();
    read recommendation_get(id: &RecommendationId) -> Recommendation;
    read recommendation_list(filter: &RecommendationFilter) -> (Vec<Recommendation>, u64);
    read recommendation_totals() -> Vec<RecommendationTotal>;
    read recommendation_savings(filter: &RecommendationFilter) -> OpenSavings;
    read recommendation_savings_by_day() -> Vec<DailySavings>;
    read standing_savings(
        before: Option<(Timestamp, RecommendationId)>,
        limit: u64
    ) -> Vec<(Recommendation, Option<Action>)>;
    read recommendation_dismissals(kinds: &[RecommendationType]) -> Vec<Dismissals>;
    read recommendation_outcomes(kinds: &[RecommendationType]) -> Vec<StepOutcomes>;
    write approval_insert(approval: &Approval) -> ();
    write approval_update(approval: &Approval) -> ();
    read approval_get(id: &ApprovalId) -> Approval;
    read approval_list(recommendation: Option<&RecommendationId>) -> Vec<Approval>;
    read approval_page(filter: &ApprovalFilter) -> (Vec<Approval>, u64);
    write action_insert(action: &Action) -> ();
    write action_update(action: &Action) -> ();
    read action_get(id: &ActionId) -> Action;
    read action_list(recommendation: Option<&RecommendationId>, since: Option<Timestamp>) -> Vec<Action>;
    read action_page(filter: &ActionFilter) -> (Vec<Action>, u64);
    read action_counts(after: Timestamp) -> ActionCounts;
    read action_count_of_run(run_id: &str) -> u64;
    read action_statuses(since: Timestamp) -> Vec<(ActionStatus, u64)>;
    read action_on(resource: &ResourceId, since: Timestamp) -> Vec<Action>;
    read action_unsettled(since: Timestamp) -> Vec<Action>;
    write feedback_insert(feedback: &Feedback) -> ();
    read feedback_list(recommendation: Option<&RecommendationId>) -> Vec<Feedback>;
    policy exclusion_insert(exclusion: &Exclusion) -> ();
    policy exclusion_delete(id: &ExclusionId) -> ();
    read exclusion_list() -> Vec<Exclusion>;
    read exclusions_ended(by: Timestamp) -> Vec<Exclusion>;
    write exclusion_settle(id: &ExclusionId) -> ();
    read event_cursor() -> Option<u64>;
    policy event_advance(from: Option<u64>, to: u64) -> ();
    read guardrails_get() -> Guardrails;
    policy standing_approval_insert(approval: &StandingApproval) -> ();
    policy standing_approval_update(approval: &StandingApproval) -> ();
    read standing_approval_list(agent: &AgentId) -> Vec<StandingApproval>;
    policy guardrails_put(guardrails: &Guardrails) -> ();
});

#[async_trait::async_trait]
impl EstateStore for Shaky {
    async fn connection_insert(&self, _: &Connection) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_update(&self, _: &Connection) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_delete(&self, _: &ConnectionId) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_get(&self, id: &ConnectionId) -> Result<Connection, StoreError> {
        self.hazard.moment().await;
        let found = self
            .connections
            .lock()
            .iter()
            .find(|connection| connection.id == *id)
            .cloned();

        found.ok_or_else(|| StoreError::NotFound {
            what: "connection",
            id: id.0.clone(),
        })
    }
    async fn connection_list(&self) -> Result<Vec<Connection>, StoreError> {
        self.hazard.moment().await;
        Ok(self.connections.lock().clone())
    }
    async fn resource_sync(
        &self,
        id: &ConnectionId,
        seen: &[Resource],
        recommendation: &[ResourceKind],
    ) -> Result<(), StoreError> {
        self.memory.resource_sync(id, seen, recommendation).await
    }
    async fn resource_end(
        &self,
        id: &ConnectionId,
        complete: &[ResourceKind],
        is_seen: &IsSeen<'_>,
        observed: (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        self.memory
            .resource_end(id, complete, is_seen, observed)
            .await
    }
    async fn resource_put(&self, resource: &Resource) -> Result<(), StoreError> {
        self.write(self.memory.resource_put(resource)).await
    }
    async fn resource_get(&self, id: &ResourceId) -> Result<Resource, StoreError> {
        self.read(self.memory.resource_get(id)).await
    }
    async fn resource_list(
        &self,
        filter: &ResourceFilter,
    ) -> Result<(Vec<Resource>, u64), StoreError> {
        self.read(self.memory.resource_list(filter)).await
    }
    async fn resource_page(
        &self,
        filter: &ResourceFilter,
        after: Option<&(ResourceId, ConnectionId)>,
        limit: u64,
    ) -> Result<Vec<Resource>, StoreError> {
        self.read(self.memory.resource_page(filter, after, limit))
            .await
    }
    async fn resource_totals(&self) -> Result<Vec<ResourceTotal>, StoreError> {
        self.read(self.memory.resource_totals()).await
    }
    async fn resource_changes(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        since: Timestamp,
    ) -> Result<Vec<ResourceChange>, StoreError> {
        self.read(self.memory.resource_changes(connection, resources, since))
            .await
    }
}

#[async_trait::async_trait]
impl SampleStore for Shaky {
    async fn sample_insert(&self, _: &[Sample]) -> Result<(), StoreError> {
        Ok(())
    }
    fn sample_sources(&self, _: &[ConnectionId]) {}
    async fn sample_series(
        &self,
        _: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        self.hazard.moment().await;
        Ok(self.loads.series(resources, metrics, start, end))
    }
    async fn sample_maxima(
        &self,
        id: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        self.read(
            self.memory
                .sample_maxima(id, resources, metrics, start, end),
        )
        .await
    }
    fn sample_revision(&self, id: &ConnectionId) -> u64 {
        self.memory.sample_revision(id)
    }
    async fn sample_newest(
        &self,
        _: &ConnectionId,
    ) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError> {
        Ok(Vec::new())
    }
}
