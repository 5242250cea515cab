//! Keeps the findings of predictive rules as recommendations: one for each resource and type, in
//! the name of an agent whose scope includes the resource. Mode, guardrails and approvals apply as
//! to any other.

use std::collections::{BTreeMap, HashMap};

use reeve_audit::Obstacle;
use reeve_estate::ResourceId;
use reeve_recommend::agent::{Agent, AgentId, AgentType, RunExtent, RunReport};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::ports::responses::ResponseOffer;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::agent::ownership::OwnershipHolder;
use crate::automatic::policy::AutomaticCandidate;
use crate::finding::judged::Judged;
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
        offers: Vec<ResponseOffer>,
    ) -> Result<Vec<Result<RecommendationId, Obstacle>>, EngineError> {
        if offers.is_empty() {
            return Ok(Vec::new());
        }

        let agents = self.records.agents.agent_list(Some(of_type)).await?;
        let connections = self.scopes.connections().await?;
        let mut answers = Vec::with_capacity(offers.len());
        let mut kept: BTreeMap<AgentId, Vec<Recommendation>> = BTreeMap::new();

        for one in offers {
            let holder = OwnershipHolder::covering(of_type, &one.resource, &agents, &connections);
            let answer = self.keep_offered(holder, one).await?;
            if let (Some(id), Ok(found)) = (holder.id(), &answer) {
                kept.entry(id).or_default().push(found.clone());
            }
            answers.push(answer.map(|recommendation| recommendation.id));
        }

        for (id, found) in kept {
            if let Some(agent) = agents.iter().find(|agent| agent.id == id) {
                let (applied, left) = self.let_act(agent, &found).await?;
                let agent = &agent.name;
                tracing::debug!(agent, applied, ?left, "predictions were submitted");
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
        offer: ResponseOffer,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError> {
        let agents = self.records.agents.agent_list(Some(of_type)).await?;
        let connections = self.scopes.connections().await?;
        let holder = OwnershipHolder::covering(of_type, &offer.resource, &agents, &connections);
        self.keep_offered(holder, offer).await
    }

    /// Keeps an offered finding of a holder.
    async fn keep_offered(
        &self,
        holder: OwnershipHolder<'_>,
        offer: ResponseOffer,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError> {
        let judgement = Judgement {
            proposals: vec![offer.proposal],
            ..Judgement::default()
        };
        let judged = Judged::new(offer.resource, judgement);
        let answers = self.findings.keep_one(holder, &offer.cause, judged).await?;
        let nothing = || Err(Obstacle::of("nothing was offered"));
        Ok(answers.into_iter().next().unwrap_or_else(nothing))
    }

    /// Lets an agent apply findings of its own, as far as its mode, its configuration and the
    /// guardrails allow. Returns the number of those that began, and the reasons why others did
    /// not.
    pub(crate) async fn let_act(
        &self,
        agent: &Agent,
        found: &[Recommendation],
    ) -> Result<(u64, BTreeMap<String, u64>), EngineError> {
        let now = self.records.clock.now();
        let mut report = RunReport {
            resources_seen: found.len() as u64,
            days_observed: self.scopes.days_known(agent).await?,
            recommendations: found.len() as u64,
            ..RunReport::begun(fresh_id(), RunExtent::Changes, now)
        };

        let mut left = BTreeMap::new();
        let found = found.iter().map(AutomaticCandidate::from).collect();
        self.automatic
            .apply_what_it_may(agent, found, &mut report, &mut left)
            .await?;
        Ok((report.applied, left))
    }

    /// Ends recommendations of a cause that nobody took up: those on the given resources, or all.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn withdraw(
        &self,
        cause: &OriginCause,
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
