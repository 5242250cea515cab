//! Port of the engine for findings that do not come from a run: anomalies and predictive rules
//! offer them, the engine decides about them.

use async_trait::async_trait;
use reeve_estate::{Resource, ResourceId};

use crate::action::ActionId;
use crate::agent::{AgentScope, AgentType};
use crate::approval::ApprovalId;
use crate::approval::matrix::ApprovalMatrix;
use crate::caller::Caller;
use crate::error::EngineError;
use crate::judgement::event::JudgementEvent;
use crate::judgement::proposal::Proposal;
use crate::recommendation::origin::OriginCause;
use crate::recommendation::{Recommendation, RecommendationId};
use reeve_audit::Obstacle;

/// A finding on a resource, with what caused it.
#[derive(Debug, Clone)]
pub struct ResponseOffer {
    pub resource: Resource,
    pub proposal: Proposal,
    /// The anomaly or predictive rule behind it.
    pub cause: OriginCause,
}

/// Remedy that is to be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemedyTarget<'a> {
    /// A change by Reeve is rolled back.
    Undo(&'a ActionId),
    /// An open recommendation is applied.
    Apply(&'a RecommendationId),
}

/// Outcome of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseRemedy {
    /// A change by Reeve that may have caused the problem is being undone.
    Undoing(ActionId),
    /// A recommendation is being executed.
    Began(ActionId),
    /// The signatures that a recommendation needs were requested.
    Asked(ApprovalId),
    /// Nothing, for this reason.
    Nothing(String),
}

/// Keeps findings as recommendations and responds to incidents, within mode, guardrails and
/// approvals.
#[async_trait]
pub trait Responses: Send + Sync {
    /// Keeps findings of an agent type, and applies those that their agent may apply by itself. One
    /// answer for each finding: its recommendation, or the reason why there is none.
    ///
    /// # Errors
    /// The store or the log failed; findings stored before stay.
    async fn offer(
        &self,
        agent_type: AgentType,
        offers: Vec<ResponseOffer>,
    ) -> Result<Vec<Result<RecommendationId, Obstacle>>, EngineError>;

    /// Keeps a finding without applying it: as a recommendation of the agent of the type whose
    /// scope includes the resource, or as advice where there is none. The inner error is the reason
    /// why it was not kept.
    ///
    /// # Errors
    /// The store or the log failed.
    async fn keep(
        &self,
        agent_type: AgentType,
        offer: ResponseOffer,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError>;

    /// Judges an event by the agent types that it wakes, and keeps what they find without applying
    /// it. One answer for each finding: its recommendation, or the reason why there is none.
    ///
    /// # Errors
    /// The store or the log failed.
    async fn judge_event(
        &self,
        event: &JudgementEvent,
    ) -> Result<Vec<Result<Recommendation, Obstacle>>, EngineError>;

    /// Carries out a recommendation for an emergency, or requests its signatures, as standing
    /// approvals and its agent's configuration say. `why` stands in the records.
    ///
    /// # Errors
    /// The store or the log failed.
    async fn respond(
        &self,
        id: &RecommendationId,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError>;

    /// Carries out the remedy of an anomaly as far as an agent in active mode may. `why` stands in
    /// the records.
    ///
    /// # Errors
    /// The store or the log failed.
    async fn remedy(
        &self,
        target: RemedyTarget<'_>,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError>;

    /// Ends the recommendations of a cause that nobody took up: those on the given resources, or
    /// all.
    ///
    /// # Errors
    /// The store or the log failed.
    async fn withdraw(
        &self,
        cause: &OriginCause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError>;

    /// Returns the approval matrix that holds now.
    ///
    /// # Errors
    /// The store failed.
    async fn approval_matrix(&self) -> Result<ApprovalMatrix, EngineError>;

    /// Refuses a scope that names accounts or services which are not connected; `path` is the field
    /// that holds the scope.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every unknown name; the store's failures.
    async fn check_scope(&self, path: &str, scope: &AgentScope) -> Result<(), EngineError>;
}
