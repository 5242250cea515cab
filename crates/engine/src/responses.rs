//! The engine behind the port that anomalies and predictive rules use.

use std::sync::Arc;

use async_trait::async_trait;
use reeve_estate::ResourceId;
use reeve_recommend::agent::{AgentType, Scope};
use reeve_recommend::origin::Cause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use reeve_recommend::{
    ApprovalMatrix, Caller, EngineError, Offer, Remedy, RemedyTarget, Responses,
};

use super::{
    Approvals, AutomaticExecution, ExecutionService, Findings, GuardrailService, Records,
    ScopeService,
};

/// Answers what anomalies and predictive rules find: keeps it, carries it out, takes it back.
pub struct ResponseService {
    pub(super) records: Arc<Records>,
    pub(super) scopes: Arc<ScopeService>,
    pub(super) findings: Arc<Findings>,
    pub(super) approvals: Arc<Approvals>,
    pub(super) guardrails: Arc<GuardrailService>,
    pub(super) execution: Arc<ExecutionService>,
    pub(super) automatic: Arc<AutomaticExecution>,
}

impl ResponseService {
    /// Creates the service over the services that it uses.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        findings: Arc<Findings>,
        approvals: Arc<Approvals>,
        guardrails: Arc<GuardrailService>,
        execution: Arc<ExecutionService>,
        automatic: Arc<AutomaticExecution>,
    ) -> Self {
        ResponseService {
            records,
            scopes,
            findings,
            approvals,
            guardrails,
            execution,
            automatic,
        }
    }
}

#[async_trait]
impl Responses for ResponseService {
    async fn offer(
        &self,
        agent_type: AgentType,
        offers: Vec<Offer>,
    ) -> Result<Vec<Result<RecommendationId, String>>, EngineError> {
        self.propose(agent_type, offers).await
    }

    async fn keep(
        &self,
        agent_type: AgentType,
        offer: Offer,
    ) -> Result<Result<Recommendation, String>, EngineError> {
        self.keep_offer(agent_type, offer).await
    }

    async fn respond(&self, id: &RecommendationId, why: &str) -> Result<Remedy, EngineError> {
        self.quarantine(id, why).await
    }

    async fn remedy(&self, target: RemedyTarget<'_>, why: &str) -> Result<Remedy, EngineError> {
        self.remedy(target, why).await
    }

    async fn withdraw(
        &self,
        cause: &Cause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        self.withdraw(cause, on, reason, caller).await
    }

    async fn approval_matrix(&self) -> Result<ApprovalMatrix, EngineError> {
        self.records.approval_matrix().await
    }

    async fn check_scope(&self, path: &str, scope: &Scope) -> Result<(), EngineError> {
        self.scopes.is_connected(path, scope).await
    }
}
