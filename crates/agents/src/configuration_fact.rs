//! Findings that a configuration proves: facts, not estimates, and without a saving.

use reeve_estate::{Money, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::{
    Effort, Explanation, Factors, ImpactAssessment, Priority, RecommendationSubject,
    RecommendationType,
};

/// Confidence of a fact, percent.
const CERTAIN: f64 = 99.0;

/// Finding about the configuration of a resource.
pub(crate) struct ConfigurationFact {
    pub(crate) kind: RecommendationType,
    pub(crate) rule: &'static str,
    pub(crate) title: String,
    /// Part of the resource that the finding is about.
    pub(crate) aspect: String,
    pub(crate) priority: Priority,
    /// Impact of the change, and the risk of carrying it out.
    pub(crate) risk: Impact,
    pub(crate) impact: ImpactAssessment,
    pub(crate) effort: Effort,
    pub(crate) plan: Option<Plan>,
    pub(crate) reason_code: String,
    /// Steps that people carry out, one or two sentences.
    pub(crate) action: String,
    pub(crate) factors: Factors,
    pub(crate) data_points: u64,
    pub(crate) path: Path,
}

impl ConfigurationFact {
    /// Makes the proposal; it says so where code owns the resource.
    pub(crate) fn about(self, resource: &Resource) -> Proposal {
        let mut proposal = Proposal::new(
            self.kind,
            self.rule,
            self.title,
            RecommendationSubject {
                aspect: Some(self.aspect),
                ..subject(resource, None)
            },
            self.impact,
            Explanation::new(self.action, self.risk)
                .with_factors(self.factors)
                .with_data_points(self.data_points)
                .with_cost_reduction("None: the finding saves nothing".to_owned())
                .with_performance_impact("Not measured".to_owned())
                .with_decision_path(self.path.into_decisions()),
        )
        .with_priority(self.priority)
        .with_confidence(CERTAIN, Trust::default())
        .with_impact_level(self.risk)
        .with_effort(self.effort)
        .with_savings(Money::ZERO)
        .with_monthly_cost(resource.monthly_cost)
        .with_plan(self.plan)
        .with_reason_codes(vec![self.reason_code]);

        if let Some(tag) = owned_by_code(resource) {
            iac_note(&mut proposal, &tag);
        }
        proposal
    }
}
