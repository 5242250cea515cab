//! Agents and everything that comes of them: the port [`AgentStore`].

mod action;
mod agent;
mod approval;
mod exclusion;
mod feedback;
mod guardrails;
mod recommendation;
mod standing_approval;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ResourceId, StoreError};
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::agent::{Agent, AgentId, AgentType};
use reeve_recommend::approval::{Approval, ApprovalId};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use reeve_recommend::recommendation::totals::{
    ActionCounts, ActionFilter, ApprovalFilter, DailySavings, Dismissals, OpenSavings,
    RecommendationTotal, StepOutcomes,
};
use reeve_recommend::recommendation::{
    Feedback, Recommendation, RecommendationId, RecommendationType,
};

use crate::cursor;
use crate::database::Store;

/// The next sequence of the log whose entries wake agents.
const EVENTS: &str = "intelligence.emergencies.cursor";

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl AgentStore for Store {
    async fn agent_insert(&self, agent: &Agent) -> Result<()> {
        Ok(agent::insert(self, agent).await?)
    }
    async fn agent_update(&self, agent: &Agent) -> Result<()> {
        Ok(agent::update(self, agent).await?)
    }
    async fn agent_delete(&self, id: &AgentId) -> Result<()> {
        Ok(agent::delete(self, id).await?)
    }
    async fn agent_get(&self, id: &AgentId) -> Result<Agent> {
        Ok(agent::get(self, id).await?)
    }
    async fn agent_list(&self, of_type: Option<AgentType>) -> Result<Vec<Agent>> {
        Ok(agent::list(self, of_type).await?)
    }

    async fn recommendation_insert(&self, recommendation: &Recommendation) -> Result<()> {
        Ok(recommendation::insert(self, recommendation).await?)
    }
    async fn recommendation_insert_all(&self, recommendations: &[Recommendation]) -> Result<()> {
        Ok(recommendation::insert_all(self, recommendations).await?)
    }
    async fn recommendation_update(&self, recommendation: &Recommendation) -> Result<()> {
        Ok(recommendation::update_one(self, recommendation).await?)
    }
    async fn recommendation_get(&self, id: &RecommendationId) -> Result<Recommendation> {
        Ok(recommendation::get(self, id).await?)
    }
    async fn recommendation_list(
        &self,
        filter: &RecommendationFilter,
    ) -> Result<(Vec<Recommendation>, u64)> {
        Ok(recommendation::list(self, filter).await?)
    }
    async fn standing_savings(
        &self,
        before: Option<(Timestamp, RecommendationId)>,
        limit: u64,
    ) -> Result<Vec<(Recommendation, Option<Action>)>> {
        Ok(recommendation::standing_savings(self, before, limit).await?)
    }
    async fn recommendation_totals(&self) -> Result<Vec<RecommendationTotal>> {
        Ok(recommendation::totals(self).await?)
    }
    async fn recommendation_savings(&self, filter: &RecommendationFilter) -> Result<OpenSavings> {
        Ok(recommendation::savings(self, filter).await?)
    }
    async fn recommendation_savings_by_day(&self) -> Result<Vec<DailySavings>> {
        Ok(recommendation::savings_by_day(self).await?)
    }
    async fn recommendation_dismissals(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<Dismissals>> {
        Ok(recommendation::dismissals(self, kinds).await?)
    }
    async fn recommendation_outcomes(
        &self,
        kinds: &[RecommendationType],
    ) -> Result<Vec<StepOutcomes>> {
        Ok(recommendation::outcomes(self, kinds).await?)
    }

    async fn approval_insert(&self, approval: &Approval) -> Result<()> {
        Ok(approval::insert(self, approval).await?)
    }
    async fn approval_update(&self, approval: &Approval) -> Result<()> {
        Ok(approval::update(self, approval).await?)
    }
    async fn approval_get(&self, id: &ApprovalId) -> Result<Approval> {
        Ok(approval::get(self, id).await?)
    }
    async fn approval_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Approval>> {
        let filter = ApprovalFilter {
            recommendation: recommendation.cloned(),
            ..ApprovalFilter::default()
        };
        Ok(approval::list(self, &filter).await?.0)
    }
    async fn approval_page(&self, filter: &ApprovalFilter) -> Result<(Vec<Approval>, u64)> {
        Ok(approval::list(self, filter).await?)
    }

    async fn action_insert(&self, action: &Action) -> Result<()> {
        Ok(action::insert(self, action).await?)
    }
    async fn action_update(&self, action: &Action) -> Result<()> {
        Ok(action::update(self, action).await?)
    }
    async fn action_get(&self, id: &ActionId) -> Result<Action> {
        Ok(action::get(self, id).await?)
    }
    async fn action_list(
        &self,
        recommendation: Option<&RecommendationId>,
        since: Option<Timestamp>,
    ) -> Result<Vec<Action>> {
        Ok(action::list(self, recommendation, since).await?)
    }
    async fn action_page(&self, filter: &ActionFilter) -> Result<(Vec<Action>, u64)> {
        Ok(action::page(self, filter).await?)
    }
    async fn action_counts(&self, after: Timestamp) -> Result<ActionCounts> {
        Ok(action::counts(self, after).await?)
    }
    async fn action_count_of_run(&self, run_id: &str) -> Result<u64> {
        Ok(action::count_of_run(self, run_id).await?)
    }
    async fn action_statuses(&self, since: Timestamp) -> Result<Vec<(ActionStatus, u64)>> {
        Ok(action::statuses(self, since).await?)
    }
    async fn action_on(&self, resource: &ResourceId, since: Timestamp) -> Result<Vec<Action>> {
        Ok(action::on(self, resource, since).await?)
    }
    async fn action_unsettled(&self, undone_since: Timestamp) -> Result<Vec<Action>> {
        Ok(action::unsettled(self, undone_since).await?)
    }
    async fn feedback_insert(&self, feedback: &Feedback) -> Result<()> {
        Ok(feedback::insert(self, feedback).await?)
    }
    async fn feedback_list(
        &self,
        recommendation: Option<&RecommendationId>,
    ) -> Result<Vec<Feedback>> {
        Ok(feedback::list(self, recommendation).await?)
    }

    async fn exclusion_insert(&self, exclusion: &Exclusion) -> Result<()> {
        Ok(exclusion::insert(self, exclusion).await?)
    }
    async fn exclusion_delete(&self, id: &ExclusionId) -> Result<()> {
        Ok(exclusion::delete(self, id).await?)
    }
    async fn exclusion_list(&self) -> Result<Vec<Exclusion>> {
        Ok(exclusion::list(self).await?)
    }
    async fn exclusions_ended(&self, by: Timestamp) -> Result<Vec<Exclusion>> {
        Ok(exclusion::ended(self, by).await?)
    }
    async fn exclusion_settle(&self, id: &ExclusionId) -> Result<()> {
        Ok(exclusion::settle(self, id).await?)
    }

    async fn standing_approval_insert(&self, approval: &StandingApproval) -> Result<()> {
        Ok(standing_approval::insert(self, approval).await?)
    }
    async fn standing_approval_update(&self, approval: &StandingApproval) -> Result<()> {
        Ok(standing_approval::update(self, approval).await?)
    }
    async fn standing_approval_list(&self, agent: &AgentId) -> Result<Vec<StandingApproval>> {
        Ok(standing_approval::list(self, agent).await?)
    }

    async fn event_cursor(&self) -> Result<Option<u64>> {
        Ok(cursor::read(self, EVENTS).await?)
    }
    async fn event_advance(&self, from: Option<u64>, to: u64) -> Result<()> {
        Ok(cursor::advance(self, EVENTS, from, to).await?)
    }

    async fn guardrails_get(&self) -> Result<Guardrails> {
        Ok(guardrails::get(self).await?)
    }
    async fn guardrails_put(&self, guardrails: &Guardrails) -> Result<()> {
        Ok(guardrails::put(self, guardrails).await?)
    }
}
