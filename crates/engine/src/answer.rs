//! The service behind people's answers to recommendations: approvals, schedules, dismissals,
//! feedback, exclusions, diagnosis.

pub(crate) mod accepted_results;
pub(crate) mod approvals;
pub(crate) mod decisions;
pub(crate) mod diagnosis;
pub(crate) mod exceptions;
pub(crate) mod exclusions;
pub(crate) mod feedback;
pub(crate) mod signatures;

use std::sync::Arc;

use reeve_estate::EstateStore;

use crate::answer::approvals::Approvals;
use crate::execution::ExecutionService;
use crate::guard::limits::GuardrailService;
use crate::records::Records;

/// Answers of people to recommendations.
pub struct RecommendationService {
    pub(crate) records: Arc<Records>,
    pub(crate) guardrails: Arc<GuardrailService>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) execution: Arc<ExecutionService>,
    pub(crate) estate: Arc<dyn EstateStore>,
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
