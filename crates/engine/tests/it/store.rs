//! Stores in memory, with the version comparison and the uniqueness that the ports' contracts require.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_estate::change::between;
use reeve_estate::{
    Connection, ConnectionId, EstateStore, Metric, Resource, ResourceChange, ResourceFilter, ResourceId, ResourceKind,
    ResourceState, Sample, SampleStore, Series, StoreError,
};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::rollout::RolloutFilter;
use reeve_recommend::{
    Action, ActionId, ActionStatus, Agent, AgentId, AgentStore, AgentType, Approval, ApprovalId, Exclusion,
    ExclusionId, Feedback, Guardrails, Recommendation, RecommendationId, Rollout, RolloutId, RolloutStore, Status,
};

use crate::world::connection;

/// Everything in memory.
#[derive(Default)]
pub(crate) struct Memory {
    agents: Mutex<BTreeMap<String, Agent>>,
    pub(crate) recommendations: Mutex<BTreeMap<String, Recommendation>>,
    approvals: Mutex<BTreeMap<String, Approval>>,
    actions: Mutex<BTreeMap<String, Action>>,
    feedback: Mutex<Vec<Feedback>>,
    exclusions: Mutex<Vec<Exclusion>>,
    guardrails: Mutex<Guardrails>,
    rollouts: Mutex<BTreeMap<String, Rollout>>,
    pub(crate) resources: Mutex<BTreeMap<ResourceId, Resource>>,
    pub(crate) seen: Mutex<Vec<ResourceChange>>,
    pub(crate) series: Mutex<Vec<Series>>,
    /// The connection lets Reeve look and not act.
    pub(crate) observe_only: AtomicBool,
}

impl Memory {
    fn connection(&self) -> Connection {
        Connection { allow_actions: !self.observe_only.load(Ordering::SeqCst), ..connection() }
    }
}

fn missing(what: &'static str, id: &str) -> StoreError {
    StoreError::NotFound { what, id: id.to_owned() }
}

fn replace<T: Clone>(
    all: &Mutex<BTreeMap<String, T>>,
    what: &'static str,
    id: &str,
    version: impl Fn(&T) -> u64,
    next: &T,
) -> Result<(), StoreError> {
    let mut all = all.lock();
    let stored = all.get_mut(id).ok_or_else(|| missing(what, id))?;
    if version(stored) + 1 != version(next) {
        return Err(StoreError::Conflict(format!("{what} {id} is at version {}", version(stored))));
    }
    *stored = next.clone();
    Ok(())
}

#[async_trait]
impl AgentStore for Memory {
    async fn agent_insert(&self, agent: &Agent) -> Result<(), StoreError> {
        self.agents.lock().insert(agent.id.0.clone(), agent.clone());
        Ok(())
    }
    async fn agent_update(&self, agent: &Agent) -> Result<(), StoreError> {
        replace(&self.agents, "agent", &agent.id.0, |a| a.version, agent)
    }
    async fn agent_delete(&self, id: &AgentId) -> Result<(), StoreError> {
        self.agents.lock().remove(&id.0).map(drop).ok_or_else(|| missing("agent", &id.0))?;
        for recommendation in self.recommendations.lock().values_mut().filter(|r| r.agent_id.as_ref() == Some(id)) {
            if recommendation.status.may_become(Status::Expired) {
                recommendation.status = Status::Expired;
                recommendation.version += 1;
            }
        }
        Ok(())
    }
    async fn agent_get(&self, id: &AgentId) -> Result<Agent, StoreError> {
        self.agents.lock().get(&id.0).cloned().ok_or_else(|| missing("agent", &id.0))
    }
    async fn agent_list(&self, of_type: Option<AgentType>) -> Result<Vec<Agent>, StoreError> {
        Ok(self.agents.lock().values().filter(|a| of_type.is_none_or(|t| a.agent_type == t)).cloned().collect())
    }

    async fn recommendation_insert(&self, recommendation: &Recommendation) -> Result<(), StoreError> {
        let mut all = self.recommendations.lock();
        let clash = |r: &&Recommendation| {
            !r.status.is_end()
                && r.kind == recommendation.kind
                && r.subject.id == recommendation.subject.id
                && r.subject.connection == recommendation.subject.connection
        };
        if all.values().find(clash).is_some() {
            return Err(StoreError::Conflict("one of this type that has not ended exists".to_owned()));
        }
        all.insert(recommendation.id.0.clone(), recommendation.clone());
        Ok(())
    }
    async fn recommendation_update(&self, recommendation: &Recommendation) -> Result<(), StoreError> {
        let from = self.recommendation_get(&recommendation.id).await?.status;
        assert!(
            from == recommendation.status || from.may_become(recommendation.status),
            "illegal move from {from} to {}",
            recommendation.status
        );
        replace(&self.recommendations, "recommendation", &recommendation.id.0, |r| r.version, recommendation)
    }
    async fn recommendation_get(&self, id: &RecommendationId) -> Result<Recommendation, StoreError> {
        self.recommendations.lock().get(&id.0).cloned().ok_or_else(|| missing("recommendation", &id.0))
    }
    async fn recommendation_list(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<(Vec<Recommendation>, u64), StoreError> {
        let all = self.recommendations.lock();
        let wanted = |r: &&Recommendation| filter.status.is_empty() || filter.status.contains(&r.status);
        let mut found: Vec<Recommendation> = all.values().filter(wanted).cloned().collect();
        found.sort_by(|a, b| b.ranking.expected_value.total_cmp(&a.ranking.expected_value));
        let total = found.len() as u64;
        Ok((found, total))
    }

    async fn approval_insert(&self, approval: &Approval) -> Result<(), StoreError> {
        self.approvals.lock().insert(approval.id.0.clone(), approval.clone());
        Ok(())
    }
    async fn approval_update(&self, approval: &Approval) -> Result<(), StoreError> {
        replace(&self.approvals, "approval", &approval.id.0, |a| a.version, approval)
    }
    async fn approval_get(&self, id: &ApprovalId) -> Result<Approval, StoreError> {
        self.approvals.lock().get(&id.0).cloned().ok_or_else(|| missing("approval", &id.0))
    }
    async fn approval_list(&self, recommendation: Option<&RecommendationId>) -> Result<Vec<Approval>, StoreError> {
        let all = self.approvals.lock();
        let mut found: Vec<Approval> =
            all.values().filter(|a| recommendation.is_none_or(|id| a.recommendation == *id)).cloned().collect();
        found.reverse();
        Ok(found)
    }

    async fn action_insert(&self, action: &Action) -> Result<(), StoreError> {
        self.actions.lock().insert(action.id.0.clone(), action.clone());
        Ok(())
    }
    async fn action_update(&self, action: &Action) -> Result<(), StoreError> {
        replace(&self.actions, "action", &action.id.0, |a| a.version, action)
    }
    async fn action_get(&self, id: &ActionId) -> Result<Action, StoreError> {
        self.actions.lock().get(&id.0).cloned().ok_or_else(|| missing("action", &id.0))
    }
    async fn action_list(
        &self,
        recommendation: Option<&RecommendationId>,
        since: Option<Timestamp>,
    ) -> Result<Vec<Action>, StoreError> {
        let all = self.actions.lock();
        let wanted = |a: &&Action| {
            recommendation.is_none_or(|id| a.recommendation == *id) && since.is_none_or(|at| a.started_at >= at)
        };
        let mut found: Vec<Action> = all.values().filter(wanted).cloned().collect();
        found.sort_by(|a, b| b.started_at.cmp(&a.started_at).then_with(|| b.id.cmp(&a.id)));
        Ok(found)
    }
    async fn action_on(&self, resource: &ResourceId, since: Timestamp) -> Result<Vec<Action>, StoreError> {
        let mut found = self.action_list(None, Some(since)).await?;
        found.retain(|action| action.resource == *resource);
        Ok(found)
    }
    async fn action_unsettled(&self, undone_since: Timestamp) -> Result<Vec<Action>, StoreError> {
        let undone =
            |a: &Action| a.status == ActionStatus::RolledBack && a.finished_at.is_some_and(|at| at >= undone_since);
        let all = self.action_list(None, None).await?;
        Ok(all.into_iter().filter(|a| a.is_unsettled() || undone(a)).collect())
    }

    async fn feedback_insert(&self, feedback: &Feedback) -> Result<(), StoreError> {
        self.feedback.lock().push(feedback.clone());
        Ok(())
    }
    async fn feedback_list(&self, recommendation: Option<&RecommendationId>) -> Result<Vec<Feedback>, StoreError> {
        Ok(self
            .feedback
            .lock()
            .iter()
            .filter(|f| recommendation.is_none_or(|id| f.recommendation == *id))
            .cloned()
            .collect())
    }

    async fn exclusion_insert(&self, exclusion: &Exclusion) -> Result<(), StoreError> {
        self.exclusions.lock().push(exclusion.clone());
        Ok(())
    }
    async fn exclusion_delete(&self, id: &ExclusionId) -> Result<(), StoreError> {
        let mut all = self.exclusions.lock();
        let before = all.len();
        all.retain(|exclusion| exclusion.id != *id);
        if all.len() == before { Err(missing("exclusion", &id.0)) } else { Ok(()) }
    }
    async fn exclusion_list(&self) -> Result<Vec<Exclusion>, StoreError> {
        Ok(self.exclusions.lock().clone())
    }
    async fn guardrails_get(&self) -> Result<Guardrails, StoreError> {
        Ok(self.guardrails.lock().clone())
    }
    async fn guardrails_put(&self, guardrails: &Guardrails) -> Result<(), StoreError> {
        let mut stored = self.guardrails.lock();
        if stored.version + 1 != guardrails.version {
            return Err(StoreError::Conflict(format!("the guardrails are at version {}", stored.version)));
        }
        *stored = guardrails.clone();
        Ok(())
    }
}

#[async_trait]
impl EstateStore for Memory {
    async fn connection_insert(&self, _: &Connection) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_update(&self, _: &Connection) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_delete(&self, _: &ConnectionId) -> Result<(), StoreError> {
        Ok(())
    }
    async fn connection_get(&self, _: &ConnectionId) -> Result<Connection, StoreError> {
        Ok(self.connection())
    }
    async fn connection_list(&self) -> Result<Vec<Connection>, StoreError> {
        Ok(vec![self.connection()])
    }
    async fn resource_sync(&self, _: &ConnectionId, seen: &[Resource], _: &[ResourceKind]) -> Result<(), StoreError> {
        for resource in seen {
            if let Ok(known) = self.resource_get(&resource.id).await {
                self.seen.lock().extend(between(&known, resource));
            }
            self.resource_put(resource).await?;
        }
        Ok(())
    }
    async fn resource_put(&self, resource: &Resource) -> Result<(), StoreError> {
        self.resources.lock().insert(resource.id.clone(), resource.clone());
        Ok(())
    }
    async fn resource_get(&self, id: &ResourceId) -> Result<Resource, StoreError> {
        self.resources.lock().get(id).cloned().ok_or_else(|| missing("resource", id.as_str()))
    }
    async fn resource_list(&self, filter: &ResourceFilter) -> Result<(Vec<Resource>, u64), StoreError> {
        let all = self.resources.lock();
        let wanted = |r: &&Resource| r.state != ResourceState::Deleted && filter.kind.is_none_or(|kind| r.kind == kind);
        let found: Vec<Resource> = all.values().filter(wanted).cloned().collect();
        let total = found.len() as u64;
        Ok((found, total))
    }
    async fn resource_page(
        &self,
        filter: &ResourceFilter,
        after: Option<&(ResourceId, ConnectionId)>,
        limit: u64,
    ) -> Result<Vec<Resource>, StoreError> {
        let (all, _) = self.resource_list(filter).await?;
        let next = |resource: &Resource| after.is_none_or(|(id, _)| resource.id > *id);
        Ok(all.into_iter().filter(next).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }
    async fn resource_changes(
        &self,
        resources: &[ResourceId],
        since: Timestamp,
    ) -> Result<Vec<ResourceChange>, StoreError> {
        let all = self.seen.lock();
        Ok(all.iter().filter(|one| resources.contains(&one.resource) && one.seen_at >= since).cloned().collect())
    }
}

#[async_trait]
impl SampleStore for Memory {
    async fn sample_insert(&self, _: &[Sample]) -> Result<(), StoreError> {
        Ok(())
    }
    async fn sample_series(
        &self,
        resources: &[ResourceId],
        metrics: &[Metric],
        _: Timestamp,
        _: Timestamp,
    ) -> Result<Vec<Series>, StoreError> {
        let all = self.series.lock();
        Ok(all.iter().filter(|s| resources.contains(&s.resource) && metrics.contains(&s.metric)).cloned().collect())
    }
    async fn sample_newest(&self, _: &ConnectionId) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl RolloutStore for Memory {
    async fn rollout_insert(&self, rollout: &Rollout) -> Result<(), StoreError> {
        self.rollouts.lock().insert(rollout.id.0.clone(), rollout.clone());
        Ok(())
    }
    async fn rollout_update(&self, rollout: &Rollout) -> Result<(), StoreError> {
        replace(&self.rollouts, "rollout", &rollout.id.0, |r| r.version, rollout)
    }
    async fn rollout_get(&self, id: &RolloutId) -> Result<Rollout, StoreError> {
        self.rollouts.lock().get(&id.0).cloned().ok_or_else(|| missing("rollout", &id.0))
    }
    async fn rollout_list(&self, filter: &RolloutFilter) -> Result<(Vec<Rollout>, u64), StoreError> {
        let all = self.rollouts.lock();
        let wanted = |r: &&Rollout| {
            (filter.status.is_empty() || filter.status.contains(&r.status))
                && filter.agent.as_ref().is_none_or(|agent| *agent == r.agent_id)
                && filter.kind.is_none_or(|kind| kind == r.kind)
        };
        // Identifiers sort by time.
        let found: Vec<Rollout> = all.values().rev().filter(wanted).cloned().collect();
        let total = found.len() as u64;
        Ok((found, total))
    }
}
