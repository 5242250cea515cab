//! Keeps the findings of predictive rules as recommendations: one for each resource and type, in
//! the name of an agent whose scope includes the resource. Mode, guardrails and approvals apply as
//! to any other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reeve_audit::Obstacle;
use reeve_estate::ResourceId;
use reeve_recommend::agent::{Agent, AgentId, AgentType, RunExtent, RunReport};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::ports::responses::Offer;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::Cause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::agent::ownership::Holder;
use crate::automatic::policy::Candidate;
use crate::finding::earlier_recommendations::{Past, open_on};
use crate::finding::judged::Judged;
use crate::finding::upsert::{Findings, Upserted, proposed_kinds};
use crate::records::fresh_id;
use crate::response::ResponseService;

impl ResponseService {
    /// Keeps findings of a type of agent as recommendations: of the agent of the type whose scope
    /// includes the resource, which may then apply them, or as advice where there is none. One
    /// answer for each finding: its recommendation, or why there is none.
    ///
    /// # Errors
    /// The store or the log failed; findings stored before stay.
    pub async fn propose(
        &self,
        of_type: AgentType,
        offers: Vec<Offer>,
    ) -> Result<Vec<Result<RecommendationId, Obstacle>>, EngineError> {
        if offers.is_empty() {
            return Ok(Vec::new());
        }

        let agents = self.records.agents.agent_list(Some(of_type)).await?;
        let connections = self.scopes.connections().await?;
        let mut answers = Vec::with_capacity(offers.len());
        let mut kept: BTreeMap<AgentId, Vec<Recommendation>> = BTreeMap::new();

        for one in offers {
            let holder = Holder::covering(of_type, &one.resource, &agents, &connections);
            let judgement = Judgement {
                proposals: vec![one.proposal],
                ..Judgement::default()
            };
            let judged = Judged::new(one.resource, judgement);
            let protected = judged.protected();
            let found = self
                .findings
                .keep_forecast(holder, &one.cause, judged)
                .await?;
            let answer = found
                .kept
                .first()
                .map(|recommendation| recommendation.id.clone());
            let reason = || Obstacle::from(protected.unwrap_or_else(|| skipped_reason(&found)));
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

    /// Keeps a finding without applying it: of the agent of the type whose scope includes the
    /// resource, or as advice where there is none. The inner error is the reason why it was not
    /// kept.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn keep_offer(
        &self,
        of_type: AgentType,
        offer: Offer,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError> {
        let agents = self.records.agents.agent_list(Some(of_type)).await?;
        let connections = self.scopes.connections().await?;
        let holder = Holder::covering(of_type, &offer.resource, &agents, &connections);
        let judgement = Judgement {
            proposals: vec![offer.proposal],
            ..Judgement::default()
        };
        let judged = Judged::new(offer.resource, judgement);
        let protected = judged.protected();
        let found = self
            .findings
            .keep_forecast(holder, &offer.cause, judged)
            .await?;
        let reason = || Obstacle::from(protected.unwrap_or_else(|| skipped_reason(&found)));

        Ok(found.kept.first().cloned().ok_or_else(reason))
    }

    async fn let_act(&self, agent: &Agent, found: Vec<Recommendation>) -> Result<(), EngineError> {
        let now = self.records.clock.now();
        let mut report = RunReport {
            resources_seen: found.len() as u64,
            days_observed: self.scopes.days_known(agent).await?,
            recommendations: found.len() as u64,
            ..RunReport::begun(fresh_id(), RunExtent::Changes, now)
        };

        let mut left = BTreeMap::new();
        let found = found.iter().map(Candidate::from).collect();
        self.automatic
            .apply_what_it_may(agent, found, &mut report, &mut left)
            .await?;
        tracing::debug!(
            agent = agent.name,
            applied = report.applied,
            ?left,
            "a prediction was submitted"
        );

        Ok(())
    }

    /// Ends recommendations of a cause that nobody took up: those on the given resources, or all.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn withdraw(
        &self,
        cause: &Cause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let _turn = self.records.turn.lock().await;
        let filter = RecommendationFilter {
            status: vec![Status::Open, Status::PendingApproval, Status::Snoozed],
            cause: Some(cause.clone()),
            ..RecommendationFilter::default()
        };
        let (waiting, _) = self.records.agents.recommendation_list(&filter).await?;
        let wanted: Option<HashMap<&ResourceId, ()>> =
            on.map(|ids| ids.iter().map(|id| (id, ())).collect());
        let own = |recommendation: &&Recommendation| {
            recommendation.status.may_become(Status::Expired)
                && recommendation.origin.cause == *cause
                && wanted
                    .as_ref()
                    .is_none_or(|ids| ids.contains_key(&recommendation.subject.id))
        };

        for recommendation in waiting.iter().filter(own) {
            self.records
                .close_approvals(recommendation, ApprovalStatus::Expired, reason, caller)
                .await?;
            self.records
                .settle_at(
                    &recommendation.id,
                    "recommendation.expire",
                    Status::Expired,
                    Some(reason),
                    caller,
                )
                .await?;
        }

        Ok(())
    }
}

/// Reason why a finding was not kept.
fn skipped_reason(found: &Upserted) -> String {
    found
        .skipped
        .first()
        .map_or("a change is in progress", |reason| *reason)
        .to_owned()
}

impl Findings {
    pub(crate) async fn keep_forecast(
        &self,
        holder: Holder<'_>,
        cause: &Cause,
        mut judged: Judged,
    ) -> Result<Upserted, EngineError> {
        let _turn = self.records.turn.lock().await;
        let open = open_on(&self.records, &BTreeSet::from([judged.resource.id.clone()])).await?;
        let judged = std::slice::from_mut(&mut judged);
        let past = Past::read(&self.records, &proposed_kinds(judged)).await?;
        let (found, _) = self.keep(holder, cause, judged, open, &past).await?;
        Ok(found)
    }
}
