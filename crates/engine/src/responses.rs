//! The engine behind the port that anomalies and predictive rules use.

use std::sync::Arc;

use async_trait::async_trait;
use reeve_estate::ResourceId;
use reeve_recommend::agent::{AgentType, Scope};
use reeve_recommend::origin::Cause;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use reeve_recommend::{ActionId, Caller, EngineError, Offer, Remedy, Responses};

use super::Engine;

/// The engine as the port [`Responses`].
pub struct Responder(pub Arc<Engine>);

#[async_trait]
impl Responses for Responder {
    async fn offer(
        &self,
        agent_type: AgentType,
        offers: Vec<Offer>,
    ) -> Result<Vec<Result<RecommendationId, String>>, EngineError> {
        self.0.propose(agent_type, offers).await
    }

    async fn keep(&self, agent_type: AgentType, offer: Offer) -> Result<Result<Recommendation, String>, EngineError> {
        self.0.keep_offer(agent_type, offer).await
    }

    async fn respond(&self, id: &RecommendationId, why: &str) -> Result<Remedy, EngineError> {
        self.0.quarantine(id, why).await
    }

    async fn remedy(
        &self,
        resource: &ResourceId,
        suspect: Option<&ActionId>,
        why: &str,
    ) -> Result<Remedy, EngineError> {
        self.0.remedy(resource, suspect, why).await
    }

    async fn withdraw(
        &self,
        cause: &Cause,
        on: Option<&[ResourceId]>,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        self.0.withdraw(cause, on, reason, caller).await
    }

    async fn check_scope(&self, path: &str, scope: &Scope) -> Result<(), EngineError> {
        self.0.is_connected(path, scope).await
    }
}
