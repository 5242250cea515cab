//! The engine behind the port that anomalies and predictive rules use.

pub(crate) mod predictions;
pub(crate) mod remedies;

use std::sync::Arc;

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_estate::ResourceId;
use reeve_recommend::agent::{AgentScope, AgentType};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::event::JudgementEvent;
use reeve_recommend::ports::responses::{RemedyTarget, ResponseOffer, ResponseRemedy, Responses};
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::agent::scope::ScopeService;
use crate::automatic::AutomaticExecution;
use crate::emergency::EmergencyService;
use crate::execution::ExecutionService;
use crate::finding::upsert::Findings;
use crate::records::Records;

/// Answers what anomalies and predictive rules find: keeps it, carries it out, takes it back.
pub struct ResponseService {
    pub(crate) records: Arc<Records>,
    pub(crate) scopes: Arc<ScopeService>,
    pub(crate) findings: Arc<Findings>,
    pub(crate) execution: Arc<ExecutionService>,
    pub(crate) automatic: Arc<AutomaticExecution>,
    pub(crate) emergencies: Arc<EmergencyService>,
}

impl ResponseService {
    /// Creates the service over the services that it uses.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        findings: Arc<Findings>,
        execution: Arc<ExecutionService>,
        automatic: Arc<AutomaticExecution>,
        emergencies: Arc<EmergencyService>,
    ) -> Self {
        ResponseService {
            records,
            scopes,
            findings,
            execution,
            automatic,
            emergencies,
        }
    }
}

#[async_trait]
impl Responses for ResponseService {
    async fn offer(
        &self,
        agent_type: AgentType,
        offers: Vec<ResponseOffer>,
    ) -> Result<Vec<Result<RecommendationId, Obstacle>>, EngineError> {
        self.propose(agent_type, offers).await
    }

    async fn keep(
        &self,
        agent_type: AgentType,
        offer: ResponseOffer,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError> {
        self.keep_offer(agent_type, offer).await
    }

    async fn respond(
        &self,
        id: &RecommendationId,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError> {
        self.emergencies.respond(id, why).await
    }

    async fn judge_event(
        &self,
        event: &JudgementEvent,
    ) -> Result<Vec<Result<Recommendation, Obstacle>>, EngineError> {
        self.emergencies.judge_event(event).await
    }

    async fn remedy(
        &self,
        target: RemedyTarget<'_>,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError> {
        self.remedy(target, why).await
    }

    async fn withdraw(
        &self,
        cause: &OriginCause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        self.withdraw(cause, on, reason, caller).await
    }

    async fn approval_matrix(&self) -> Result<ApprovalMatrix, EngineError> {
        self.records.approval_matrix().await
    }

    async fn check_scope(&self, path: &str, scope: &AgentScope) -> Result<(), EngineError> {
        self.scopes.is_connected(path, scope).await
    }
}
