//! Findings that one machine takes the place of another, as proposals: what both directions share.

use reeve_estate::{Money, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    Effort, Explanation, Factors, ImpactAssessment, RecommendationSubject,
};

use super::KIND;

/// A finding about a machine that is replaced, without what follows from the machine.
pub(super) struct Replacement {
    pub(super) aspect: &'static str,
    pub(super) rule: &'static str,
    pub(super) title: String,
    /// Steps of the change in one sentence.
    pub(super) action: String,
    pub(super) cost_percent: Option<f64>,
    pub(super) cost: String,
    pub(super) savings: Option<Money>,
    /// Percent.
    pub(super) confidence: f64,
    pub(super) factors: Factors,
    pub(super) data_points: u64,
    pub(super) performance_impact: &'static str,
    pub(super) plan: Option<Plan>,
    pub(super) reason_code: &'static str,
    pub(super) path: Path,
}

impl Replacement {
    /// Makes the proposal about a machine.
    pub(super) fn of(self, machine: &Resource) -> Proposal {
        Proposal::new(
            KIND,
            self.rule,
            self.title,
            RecommendationSubject {
                aspect: Some(self.aspect.to_owned()),
                ..subject(machine, None)
            },
            ImpactAssessment {
                cost_percent: self.cost_percent,
                cost: self.cost.clone(),
                performance_degradation_percent: Some(0.0),
                performance: "it serves until its successor does".to_owned(),
                security: "none: the successor has its groups and its role".to_owned(),
            },
            Explanation::new(self.action, Impact::Medium)
                .with_factors(self.factors)
                .with_data_points(self.data_points)
                .with_cost_reduction(self.cost)
                .with_performance_impact(self.performance_impact)
                .with_decision_path(self.path.into_decisions()),
        )
        .with_confidence(self.confidence, Trust::stated(self.confidence))
        .with_impact_level(Impact::Medium)
        .with_effort(Effort::Low)
        .with_savings(self.savings)
        .with_monthly_cost(machine.monthly_cost)
        .with_plan(self.plan)
        .with_reason_codes(vec![self.reason_code.to_owned()])
    }
}
