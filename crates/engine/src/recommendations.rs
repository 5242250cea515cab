//! The service behind people's answers to recommendations: approvals, schedules, dismissals,
//! feedback, exclusions, diagnosis.

use std::sync::Arc;

use reeve_estate::EstateStore;

use super::{Approvals, ExecutionService, GuardrailService, Records};

/// Answers of people to recommendations.
pub struct RecommendationService {
    pub(super) records: Arc<Records>,
    pub(super) guardrails: Arc<GuardrailService>,
    pub(super) approvals: Arc<Approvals>,
    pub(super) execution: Arc<ExecutionService>,
    pub(super) estate: Arc<dyn EstateStore>,
}

impl RecommendationService {
    /// Creates the service over the services that it uses, and the inventory.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        guardrails: Arc<GuardrailService>,
        approvals: Arc<Approvals>,
        execution: Arc<ExecutionService>,
        estate: Arc<dyn EstateStore>,
    ) -> Self {
        RecommendationService {
            records,
            guardrails,
            approvals,
            execution,
            estate,
        }
    }
}
