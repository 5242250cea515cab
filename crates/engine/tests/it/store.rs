//! Stores in memory, with the version comparison and the uniqueness that the ports' contracts
//! require.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_estate::change::between;
use reeve_estate::{
    Connection, ConnectionId, EstateStore, IsSeen, Metric, Money, Resource, ResourceChange,
    ResourceFilter, ResourceId, ResourceKind, ResourceState, ResourceTotal, Sample, SampleSeries,
    SampleStore, StoreError,
};
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::agent::{Agent, AgentId, AgentType};
use reeve_recommend::approval::{Approval, ApprovalId};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::combined::{added_cost, combined_savings};
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::{
    ActionCounts, ActionFilter, ApprovalFilter, DailySavings, Dismissals, OpenSavings,
    RecommendationTotal, StepOutcomes,
};
use reeve_recommend::recommendation::{
    Closing, Feedback, Recommendation, RecommendationId, RecommendationType,
};
use reeve_recommend::rollout::{Rollout, RolloutFilter, RolloutId, RolloutStore};

use crate::large_runs::Progress;
use crate::pages::{self, begun, paged};
use crate::world::connection;

/// A store of agents and their records in memory.
#[derive(Default)]
pub(crate) struct Memory {
    agents: Mutex<BTreeMap<String, Agent>>,
    pub(crate) recommendations: Mutex<BTreeMap<String, Recommendation>>,
    approvals: Mutex<BTreeMap<String, Approval>>,
    standing: Mutex<BTreeMap<String, StandingApproval>>,
    actions: Mutex<BTreeMap<String, Action>>,
    feedback: Mutex<Vec<Feedback>>,
    exclusions: Mutex<Vec<Exclusion>>,
    /// Exclusions whose end was recorded.
    settled: Mutex<Vec<ExclusionId>>,
    pub(crate) guardrails: Mutex<Guardrails>,
    rollouts: Mutex<BTreeMap<String, Rollout>>,
    pub(crate) resources: Mutex<BTreeMap<ResourceId, Resource>>,
    pub(crate) seen: Mutex<Vec<ResourceChange>>,
    pub(crate) series: Mutex<Vec<SampleSeries>>,
    pub(crate) maxima: Mutex<Vec<SampleSeries>>,
    sample_looks: AtomicU64,
    /// The series are as they were when they were last asked for.
    pub(crate) no_new_samples: AtomicBool,
    /// Times that resources were listed.
    pub(crate) listings: AtomicU64,
    pub(crate) progress: Progress,
    /// The connection lets Reeve look and not act.
    pub(crate) observe_only: AtomicBool,
}

impl Memory {
    fn connection(&self) -> Connection {
        Connection {
            allow_actions: !self.observe_only.load(Ordering::SeqCst),
            ..connection()
        }
    }
}

fn missing(what: &'static str, id: &str) -> StoreError {
    StoreError::NotFound {
        what,
        id: id.to_owned(),
    }
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
        return Err(StoreError::Conflict(format!(
            "{what} {id} is at version {}",
            version(stored)
        )));
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
        self.agents
            .lock()
            .remove(&id.0)
            .map(drop)
            .ok_or_else(|| missing("agent", &id.0))?;

        for recommendation in self
            .recommendations
            .lock()
            .values_mut()
            .filter(|r| r.agent_id.as_ref() == Some(id))
        {
            if recommendation.status.may_become(Status::Expired) {
                recommendation.status = Status::Expired;
                recommendation.version += 1;
            }
        }

        Ok(())
    }
    async fn agent_get(&self, id: &AgentId) -> Result<Agent, StoreError> {
        self.agents
            .lock()
            .get(&id.0)
            .cloned()
            .ok_or_else(|| missing("agent", &id.0))
    }
    async fn agent_list(&self, of_type: Option<AgentType>) -> Result<Vec<Agent>, StoreError> {
        Ok(self
            .agents
            .lock()
            .values()
            .filter(|a| of_type.is_none_or(|t| a.agent_type == t))
            .cloned()
            .collect())
    }

    async fn recommendation_insert(
        &self,
        recommendation: &Recommendation,
    ) -> Result<(), StoreError> {
        let mut all = self.recommendations.lock();
        let clash = |r: &&Recommendation| {
            !r.status.is_end()
                && r.kind == recommendation.kind
                && r.subject.id == recommendation.subject.id
                && r.subject.connection == recommendation.subject.connection
        };

        if all.values().find(clash).is_some() {
            return Err(StoreError::Conflict(
                "one of this type that has not ended exists".to_owned(),
            ));
        }

        all.insert(recommendation.id.0.clone(), recommendation.clone());
        self.progress.write();
        Ok(())
    }
    async fn recommendation_insert_all(
        &self,
        recommendations: &[Recommendation],
    ) -> Result<(), StoreError> {
        for recommendation in recommendations {
            self.recommendation_insert(recommendation).await?;
        }
        Ok(())
    }
    async fn recommendation_totals(&self) -> Result<Vec<RecommendationTotal>, StoreError> {
        let all = self.recommendations.lock();
        let total = |r: &Recommendation| RecommendationTotal {
            agent: r.agent_id.clone(),
            status: r.status,
            priority: r.priority,
            is_by_hand: r.is_by_hand(),
            is_taken_back: r.taken_back_by.is_some(),
            count: 1,
            unpriced: u64::from(r.expected_savings().is_none()),
            expected: r.expected_savings().unwrap_or_default(),
            measured: 0,
            measured_expected: Money::ZERO,
            realised: Money::ZERO,
        };

        Ok(all.values().map(total).collect())
    }
    async fn recommendation_savings(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<OpenSavings, StoreError> {
        let (open, _) = self
            .recommendation_list(&RecommendationFilter {
                is_open: true,
                ..filter.clone()
            })
            .await?;

        let unpriced = open
            .iter()
            .filter(|r| r.expected_savings().is_none())
            .count() as u64;
        Ok(OpenSavings {
            combined: combined_savings(&open),
            added: added_cost(&open),
            unpriced,
        })
    }
    async fn recommendation_savings_by_day(&self) -> Result<Vec<DailySavings>, StoreError> {
        Ok(Vec::new())
    }
    async fn standing_savings(
        &self,
        before: Option<(Timestamp, RecommendationId)>,
        limit: u64,
    ) -> Result<Vec<(Recommendation, Option<Action>)>, StoreError> {
        Ok(pages::standing_savings(
            &self.recommendations.lock(),
            &self.actions.lock(),
            before,
            limit,
        ))
    }
    async fn recommendation_dismissals(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<Dismissals>, StoreError> {
        let feedback = self.feedback.lock();
        let all = self.recommendations.lock();
        let alone = |r: &&Recommendation| {
            r.status == Status::Dismissed
                && r.closing != Some(Closing::Excluded)
                && kinds.contains(&r.kind)
                && !feedback.iter().any(|said| said.recommendation == r.id)
        };

        let dismissed = |r: &Recommendation| Dismissals {
            kind: r.kind,
            provider: r.subject.provider,
            resource_kind: r.subject.kind,
            service: r.subject.service.clone(),
            at: r.updated_at,
            count: 1,
        };

        Ok(all.values().filter(alone).map(dismissed).collect())
    }
    async fn recommendation_outcomes(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<StepOutcomes>, StoreError> {
        let feedback = self.feedback.lock();
        let all = self.recommendations.lock();
        let alone = |r: &&Recommendation| {
            let failed = r.status == Status::Failed
                || (r.status == Status::RolledBack && r.taken_back_by.is_none());
            (failed || r.status == Status::Succeeded)
                && kinds.contains(&r.kind)
                && !feedback.iter().any(|said| said.recommendation == r.id)
        };

        let outcome = |r: &Recommendation| StepOutcomes {
            kind: r.kind,
            instance_type: r.subject.instance_type.clone(),
            target_type: r.subject.target_type.clone(),
            succeeded: u64::from(r.status == Status::Succeeded),
            failed: u64::from(r.status != Status::Succeeded),
        };

        Ok(all.values().filter(alone).map(outcome).collect())
    }
    async fn recommendation_update(
        &self,
        recommendation: &Recommendation,
    ) -> Result<(), StoreError> {
        let from = self.recommendation_get(&recommendation.id).await?.status;
        assert!(
            from == recommendation.status || from.may_become(recommendation.status),
            "illegal move from {from} to {}",
            recommendation.status
        );

        replace(
            &self.recommendations,
            "recommendation",
            &recommendation.id.0,
            |r| r.version,
            recommendation,
        )
    }
    async fn recommendation_get(
        &self,
        id: &RecommendationId,
    ) -> Result<Recommendation, StoreError> {
        self.recommendations
            .lock()
            .get(&id.0)
            .cloned()
            .ok_or_else(|| missing("recommendation", &id.0))
    }
    async fn recommendation_list(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<(Vec<Recommendation>, u64), StoreError> {
        let all = self.recommendations.lock();
        let feedback = self.feedback.lock();
        let has_feedback =
            |r: &Recommendation| feedback.iter().any(|said| said.recommendation == r.id);
        let wanted =
            |r: &&Recommendation| filter.matches(r) && (!filter.has_feedback || has_feedback(r));
        let mut found: Vec<Recommendation> = all.values().filter(wanted).cloned().collect();
        found.sort_by(|a, b| {
            b.ranking
                .expected_value
                .total_cmp(&a.ranking.expected_value)
        });

        Ok(paged(found, filter.limit, filter.offset))
    }

    async fn approval_insert(&self, approval: &Approval) -> Result<(), StoreError> {
        self.approvals
            .lock()
            .insert(approval.id.0.clone(), approval.clone());
        Ok(())
    }
    async fn approval_update(&self, approval: &Approval) -> Result<(), StoreError> {
        replace(
            &self.approvals,
            "approval",
            &approval.id.0,
            |a| a.version,
            approval,
        )
    }
    async fn approval_get(&self, id: &ApprovalId) -> Result<Approval, StoreError> {
        self.approvals
            .lock()
            .get(&id.0)
            .cloned()
            .ok_or_else(|| missing("approval", &id.0))
    }
    async fn approval_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Approval>, StoreError> {
        let all = self.approvals.lock();
        let mut found: Vec<Approval> = all
            .values()
            .filter(|a| recommendation.is_none_or(|id| a.recommendation == *id))
            .cloned()
            .collect();
        found.reverse();
        Ok(found)
    }

    async fn approval_page(
        &self,
        filter: &ApprovalFilter,
    ) -> Result<(Vec<Approval>, u64), StoreError> {
        let mut found = self.approval_list(filter.recommendation.as_ref()).await?;
        found.retain(|approval| filter.status.is_none_or(|status| approval.status == status));
        Ok(paged(found, filter.limit, filter.offset))
    }

    async fn action_insert(&self, action: &Action) -> Result<(), StoreError> {
        self.actions
            .lock()
            .insert(action.id.0.clone(), action.clone());
        Ok(())
    }
    async fn action_update(&self, action: &Action) -> Result<(), StoreError> {
        replace(&self.actions, "action", &action.id.0, |a| a.version, action)
    }
    async fn action_get(&self, id: &ActionId) -> Result<Action, StoreError> {
        self.actions
            .lock()
            .get(&id.0)
            .cloned()
            .ok_or_else(|| missing("action", &id.0))
    }
    async fn action_list(
        &self,
        recommendation: Option<&RecommendationId>,
        since: Option<Timestamp>,
    ) -> Result<Vec<Action>, StoreError> {
        let all = self.actions.lock();
        let wanted = |a: &&Action| {
            recommendation.is_none_or(|id| a.recommendation == *id)
                && since.is_none_or(|at| a.started_at >= at)
        };
        let mut found: Vec<Action> = all.values().filter(wanted).cloned().collect();

        found.sort_by(|a, b| {
            b.started_at
                .cmp(&a.started_at)
                .then_with(|| b.id.cmp(&a.id))
        });
        Ok(found)
    }
    async fn action_page(&self, filter: &ActionFilter) -> Result<(Vec<Action>, u64), StoreError> {
        let mut found = self.action_list(None, filter.since).await?;
        found.retain(|action| {
            (filter.recommendations.is_empty()
                || filter.recommendations.contains(&action.recommendation))
                && (filter.resources.is_empty() || filter.resources.contains(&action.resource))
                && filter
                    .purpose
                    .is_none_or(|purpose| action.purpose == purpose)
        });

        Ok(paged(found, filter.limit, filter.offset))
    }
    async fn action_counts(&self, after: Timestamp) -> Result<ActionCounts, StoreError> {
        let mut counts = ActionCounts::default();
        for action in self
            .action_list(None, None)
            .await?
            .iter()
            .filter(|a| begun(a) && a.started_at > after)
        {
            counts.begun += 1;
            if let Some(agent) = action.agent_id.clone().filter(|_| action.run_id.is_some()) {
                *counts.begun_by_agents.entry(agent).or_default() += 1;
            }
        }

        Ok(counts)
    }
    async fn action_count_of_run(&self, run_id: &str) -> Result<u64, StoreError> {
        let all = self.action_list(None, None).await?;
        Ok(all
            .iter()
            .filter(|a| begun(a) && a.run_id.as_deref() == Some(run_id))
            .count() as u64)
    }
    async fn action_statuses(
        &self,
        since: Timestamp,
    ) -> Result<Vec<(ActionStatus, u64)>, StoreError> {
        let all = self.action_list(None, Some(since)).await?;
        Ok(all
            .iter()
            .filter(|a| a.purpose != Purpose::Simulate)
            .map(|action| (action.status, 1))
            .collect())
    }
    async fn action_on(
        &self,
        resource: &ResourceId,
        since: Timestamp,
    ) -> Result<Vec<Action>, StoreError> {
        let mut found = self.action_list(None, Some(since)).await?;
        found.retain(|action| action.resource == *resource);
        Ok(found)
    }
    async fn action_unsettled(&self, undone_since: Timestamp) -> Result<Vec<Action>, StoreError> {
        let undone = |a: &Action| {
            a.status == ActionStatus::RolledBack
                && a.finished_at.is_some_and(|at| at >= undone_since)
        };

        let all = self.action_list(None, None).await?;
        Ok(all
            .into_iter()
            .filter(|a| a.is_unsettled() || undone(a))
            .collect())
    }

    async fn feedback_insert(&self, feedback: &Feedback) -> Result<(), StoreError> {
        self.feedback.lock().push(feedback.clone());
        Ok(())
    }
    async fn feedback_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Feedback>, StoreError> {
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

        if all.len() == before {
            Err(missing("exclusion", &id.0))
        } else {
            Ok(())
        }
    }
    async fn exclusion_list(&self) -> Result<Vec<Exclusion>, StoreError> {
        Ok(self.exclusions.lock().clone())
    }
    async fn exclusions_ended(&self, by: Timestamp) -> Result<Vec<Exclusion>, StoreError> {
        let (settled, all) = (self.settled.lock(), self.exclusions.lock());
        let is_ended = |one: &&Exclusion| {
            one.until.is_some_and(|until| until <= by) && !settled.contains(&one.id)
        };
        Ok(all.iter().filter(is_ended).cloned().collect())
    }
    async fn exclusion_settle(&self, id: &ExclusionId) -> Result<(), StoreError> {
        self.settled.lock().push(id.clone());
        Ok(())
    }
    async fn standing_approval_insert(
        &self,
        approval: &StandingApproval,
    ) -> Result<(), StoreError> {
        self.standing
            .lock()
            .insert(approval.id.0.clone(), approval.clone());
        Ok(())
    }
    async fn standing_approval_update(
        &self,
        approval: &StandingApproval,
    ) -> Result<(), StoreError> {
        replace(
            &self.standing,
            "standing approval",
            &approval.id.0,
            |a| a.version,
            approval,
        )
    }
    async fn standing_approval_list(
        &self,
        agent: &AgentId,
    ) -> Result<Vec<StandingApproval>, StoreError> {
        let all = self.standing.lock();
        let own = all.values().filter(|approval| approval.agent == *agent);
        let mut found: Vec<StandingApproval> = own.cloned().collect();
        found.reverse();
        Ok(found)
    }

    async fn event_cursor(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }
    async fn event_advance(&self, _: Option<u64>, _: u64) -> Result<(), StoreError> {
        Ok(())
    }

    async fn guardrails_get(&self) -> Result<Guardrails, StoreError> {
        Ok(self.guardrails.lock().clone())
    }
    async fn guardrails_put(&self, guardrails: &Guardrails) -> Result<(), StoreError> {
        let mut stored = self.guardrails.lock();
        if stored.version + 1 != guardrails.version {
            return Err(StoreError::Conflict(format!(
                "the guardrails are at version {}",
                stored.version
            )));
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
    async fn resource_sync(
        &self,
        _: &ConnectionId,
        seen: &[Resource],
        _: &[ResourceKind],
    ) -> Result<(), StoreError> {
        for resource in seen {
            if let Ok(known) = self.resource_get(&resource.id).await {
                self.seen.lock().extend(between(&known, resource));
            }
            self.resource_put(resource).await?;
        }
        Ok(())
    }
    async fn resource_end(
        &self,
        _: &ConnectionId,
        _: &[ResourceKind],
        _: &IsSeen<'_>,
        _: (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        Ok(())
    }
    async fn resource_put(&self, resource: &Resource) -> Result<(), StoreError> {
        self.resources
            .lock()
            .insert(resource.id.clone(), resource.clone());
        Ok(())
    }
    async fn resource_get(&self, id: &ResourceId) -> Result<Resource, StoreError> {
        self.resources
            .lock()
            .get(id)
            .cloned()
            .ok_or_else(|| missing("resource", id.as_str()))
    }
    async fn resource_list(
        &self,
        filter: &ResourceFilter,
    ) -> Result<(Vec<Resource>, u64), StoreError> {
        self.listings.fetch_add(1, Ordering::SeqCst);
        let all = self.resources.lock();
        let wanted = |r: &&Resource| {
            (r.state != ResourceState::Deleted
                || filter
                    .ended_since
                    .is_some_and(|since| r.observed_at >= since))
                && filter
                    .group
                    .as_ref()
                    .is_none_or(|group| r.group.as_ref() == Some(group))
                && filter
                    .connection
                    .as_ref()
                    .is_none_or(|connection| r.connection == *connection)
                && filter.kind.is_none_or(|kind| r.kind == kind)
                && (filter.ids.is_empty() || filter.ids.contains(&r.id))
                && filter
                    .attached_to
                    .as_ref()
                    .is_none_or(|id| r.attached_to.contains(id))
        };
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
        Ok(all
            .into_iter()
            .filter(next)
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect())
    }
    async fn resource_totals(&self) -> Result<Vec<ResourceTotal>, StoreError> {
        let (all, _) = self.resource_list(&ResourceFilter::default()).await?;
        let total = |r: Resource| ResourceTotal {
            connection: r.connection,
            provider: r.provider,
            account: r.account,
            region: r.region,
            service: r.service,
            kind: r.kind,
            resources: 1,
            unpriced: u64::from(r.monthly_cost.is_none()),
            monthly_cost: r.monthly_cost.unwrap_or_default(),
        };

        Ok(all.into_iter().map(total).collect())
    }
    async fn resource_changes(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        since: Timestamp,
    ) -> Result<Vec<ResourceChange>, StoreError> {
        let all = self.seen.lock();
        let is_own = |one: &&ResourceChange| {
            one.connection == *connection && resources.contains(&one.resource)
        };

        Ok(all
            .iter()
            .filter(is_own)
            .filter(|one| one.seen_at >= since)
            .cloned()
            .collect())
    }
}

#[async_trait]
impl SampleStore for Memory {
    async fn sample_insert(&self, _: &[Sample]) -> Result<(), StoreError> {
        Ok(())
    }
    fn sample_sources(&self, _: &[ConnectionId]) {}
    /// The series of tests came over the connection `c-1`.
    async fn sample_series(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        _: Timestamp,
        _: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        self.progress.look(resources.len())?;
        let all = self.series.lock();
        let all = if connection.0 == "c-1" {
            all.as_slice()
        } else {
            &[]
        };

        Ok(all
            .iter()
            .filter(|s| resources.contains(&s.resource) && metrics.contains(&s.metric))
            .cloned()
            .collect())
    }
    async fn sample_maxima(
        &self,
        _: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError> {
        let is_wanted = |one: &&SampleSeries| {
            resources.contains(&one.resource) && metrics.contains(&one.metric)
        };
        let within = |one: &SampleSeries| SampleSeries {
            points: one
                .points
                .iter()
                .copied()
                .filter(|(at, _)| (start..end).contains(at))
                .collect(),
            ..one.clone()
        };
        Ok(self
            .maxima
            .lock()
            .iter()
            .filter(is_wanted)
            .map(within)
            .collect())
    }
    fn sample_revision(&self, _: &ConnectionId) -> u64 {
        // Tests set the series themselves: there may be something new each time.
        let step = u64::from(!self.no_new_samples.load(Ordering::SeqCst));
        self.sample_looks.fetch_add(step, Ordering::SeqCst)
    }
    async fn sample_newest(
        &self,
        _: &ConnectionId,
    ) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError> {
        let all = self.series.lock();
        Ok(all
            .iter()
            .filter_map(|s| Some((s.resource.clone(), s.metric, s.points.last()?.0)))
            .collect())
    }
}

#[async_trait]
impl RolloutStore for Memory {
    async fn rollout_insert(&self, rollout: &Rollout) -> Result<(), StoreError> {
        self.rollouts
            .lock()
            .insert(rollout.id.0.clone(), rollout.clone());
        Ok(())
    }
    async fn rollout_update(&self, rollout: &Rollout) -> Result<(), StoreError> {
        replace(
            &self.rollouts,
            "rollout",
            &rollout.id.0,
            |r| r.version,
            rollout,
        )
    }
    async fn rollout_get(&self, id: &RolloutId) -> Result<Rollout, StoreError> {
        self.rollouts
            .lock()
            .get(&id.0)
            .cloned()
            .ok_or_else(|| missing("rollout", &id.0))
    }
    async fn rollout_list(
        &self,
        filter: &RolloutFilter,
    ) -> Result<(Vec<Rollout>, u64), StoreError> {
        let all = self.rollouts.lock();
        let wanted = |r: &&Rollout| {
            (filter.status.is_empty() || filter.status.contains(&r.status))
                && filter
                    .agent
                    .as_ref()
                    .is_none_or(|agent| *agent == r.agent_id)
                && filter.kind.is_none_or(|kind| kind == r.kind)
        };

        // Identifiers sort by time.
        let found: Vec<Rollout> = all.values().rev().filter(wanted).cloned().collect();
        let total = found.len() as u64;
        Ok((found, total))
    }
}
