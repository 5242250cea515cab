//! What predictive rules foresee becomes a recommendation like any other: kept once for each resource and type, in the
//! name of an agent whose scope covers the resource, and from there in the hands of mode, guardrails and approvals.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reeve_estate::{Connection, Resource, ResourceId};

use super::holder::Holder;
use super::run::{Judged, in_scope};
use super::upsert::Upserted;
use super::{Caller, Engine, EngineError, fresh_id};
use crate::agent::{Agent, AgentId, AgentType, RunReport, Scope};
use crate::approval::ApprovalStatus;
use crate::cost::{Judgement, Proposal};
use crate::lifecycle::Status;
use crate::origin::Cause;
use crate::ports::RecommendationFilter;
use crate::predictive::RuleId;
use crate::recommendation::{Recommendation, RecommendationId};

/// A finding about what is to come.
#[derive(Debug, Clone)]
pub struct Foretold {
    /// The resource.
    pub resource: Resource,
    /// What to do.
    pub proposal: Proposal,
    /// The predictive rule that fired.
    pub rule: RuleId,
}

/// Whether a scope covers a resource.
#[must_use]
pub fn covers(scope: &Scope, resource: &Resource, connections: &[Connection]) -> bool {
    in_scope(scope, resource, connections)
}

impl Engine {
    /// Keeps findings of a type of agent as recommendations: of the agent of the type whose scope includes the resource, which may
    /// then apply them, or as advice where there is none. One answer for each finding: its recommendation, or why there is none.
    ///
    /// # Errors
    /// When the store or the log fails; what was kept before stays.
    pub async fn propose(
        self: &Arc<Self>,
        of_type: AgentType,
        foretold: Vec<Foretold>,
    ) -> Result<Vec<Result<RecommendationId, String>>, EngineError> {
        if foretold.is_empty() {
            return Ok(Vec::new());
        }
        let agents = self.ports.agents.agent_list(Some(of_type)).await?;
        let connections = self.ports.estate.connection_list().await?;
        let mut answers = Vec::with_capacity(foretold.len());
        let mut kept: BTreeMap<AgentId, Vec<Recommendation>> = BTreeMap::new();
        for one in foretold {
            let holder = Holder::covering(of_type, &one.resource, &agents, &connections);
            let judgement = Judgement { proposals: vec![one.proposal], abstentions: Vec::new() };
            let cause = Cause::PredictiveRule(one.rule);
            let found = self.keep_foretold(holder, &cause, Judged { resource: one.resource, judgement }).await?;
            let answer = found.kept.first().map(|of| of.id.clone());
            let reason = || found.skipped.first().map_or("a change is under way", |reason| *reason).to_owned();
            answers.push(answer.ok_or_else(reason));
            if let Some(id) = holder.id() {
                kept.entry(id).or_default().extend(found.kept);
            }
        }
        for (id, found) in kept {
            if let Some(agent) = agents.iter().find(|agent| agent.id == id) {
                self.let_act(agent, found).await?;
            }
        }
        Ok(answers)
    }

    pub(super) async fn keep_foretold(
        &self,
        holder: Holder<'_>,
        cause: &Cause,
        judged: Judged,
    ) -> Result<Upserted, EngineError> {
        let _turn = self.turn.lock().await;
        let (found, _) = self.keep(holder, cause, std::slice::from_ref(&judged)).await?;
        Ok(found)
    }

    async fn let_act(self: &Arc<Self>, agent: &Agent, found: Vec<Recommendation>) -> Result<(), EngineError> {
        let now = self.ports.clock.now();
        let mut report = RunReport {
            run_id: fresh_id(),
            started_at: now,
            finished_at: now,
            resources_seen: found.len() as u64,
            days_observed: self.days_observed(agent).await?,
            recommendations: found.len() as u64,
            applied: 0,
            skipped: Vec::new(),
            error: None,
        };
        let mut left = BTreeMap::new();
        self.apply_what_it_may(agent, found, &mut report, &mut left).await?;
        tracing::debug!(agent = agent.name, applied = report.applied, ?left, "what was foreseen was handed on");
        Ok(())
    }

    /// Ends recommendations of a cause that nobody took up: those on the given resources, or all.
    ///
    /// # Errors
    /// When the store or the log fails.
    pub async fn withdraw(
        &self,
        cause: &Cause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let _turn = self.turn.lock().await;
        let filter = RecommendationFilter {
            status: vec![Status::Open, Status::PendingApproval, Status::Snoozed],
            ..RecommendationFilter::default()
        };
        let (waiting, _) = self.ports.agents.recommendation_list(&filter).await?;
        let wanted: Option<HashMap<&ResourceId, ()>> = on.map(|ids| ids.iter().map(|id| (id, ())).collect());
        let own = |of: &&Recommendation| {
            of.status.may_become(Status::Expired)
                && of.origin.cause == *cause
                && wanted.as_ref().is_none_or(|ids| ids.contains_key(&of.subject.id))
        };
        for of in waiting.iter().filter(own) {
            self.close_approvals(of, ApprovalStatus::Expired, reason, caller).await?;
            self.settle_at(&of.id, "recommendation.expire", Status::Expired, Some(reason), caller).await?;
        }
        Ok(())
    }
}
