//! Findings of the rules as proposals: what all of them share.

use reeve_estate::Money;
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::Hazards;
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use reeve_recommend::words::dollars;

/// A finding of one rule, without what follows from the resource.
pub(super) struct PerformanceFinding {
    pub(super) kind: RecommendationType,
    pub(super) rule: &'static str,
    /// Part of the resource that it is about; `None` for all of it.
    pub(super) aspect: Option<&'static str>,
    /// Stable codes of what decided.
    pub(super) codes: Vec<&'static str>,
    pub(super) priority: Priority,
    /// Percent, and its inputs.
    pub(super) confidence: (f64, Trust),
    pub(super) factors: Factors,
    pub(super) performance: String,
    /// Code of the reason why the plan is withheld; `None` where it may be applied.
    pub(super) withheld: Option<&'static str>,
    pub(super) data_points: u64,
    pub(super) relief: Relief,
    /// Monthly cost that the added cost is compared with.
    pub(super) compared_with: Option<Money>,
    pub(super) path: Path,
}

impl PerformanceFinding {
    /// The proposal about the judged resource.
    pub(super) fn propose(self, facts: &Facts<'_>) -> Proposal {
        let resource = facts.resource;
        let code = owned_by_code(resource);
        let plan = self.relief.plan.clone().filter(|_| self.withheld.is_none());
        let hazards = Hazards {
            iac: code.is_some(),
            unpriced: self.relief.added.is_none(),
            idle: true,
            ..Hazards::default()
        };
        let risk = self.relief.risk(resource, hazards);
        let cost_level = self.relief.added.map_or(Impact::Low, |added| {
            facts.guardrails.approval_matrix.impact_by_cost(added)
        });

        let monthly = resource.monthly_cost;
        let cost_percent = self.relief.cost_percent(self.compared_with);
        let saved = self.relief.added.filter(|added| added.usd() < 0.0);
        let cost = saved.map_or_else(
            || self.relief.cost_words(None),
            |saved| format!("{} a month less at list price", dollars(-saved)),
        );
        let mut factors = self.factors;
        let consequences = self.relief.consequences(code.as_deref());
        factors.extend(consequences.map(|text| (FactorKind::Consequence, text)));

        let mut reason_codes: Vec<String> = self.codes.into_iter().map(str::to_owned).collect();
        reason_codes.extend(self.withheld.map(str::to_owned));
        reason_codes.extend(plan.is_none().then(|| "advice_only".to_owned()));
        reason_codes.extend(code.is_some().then(|| "iac_managed".to_owned()));
        let is_unpriced = self.relief.added.is_none();

        let mut proposal = Proposal::new(
            self.kind,
            self.rule,
            self.relief.title.clone(),
            subject(resource, self.relief.target.clone()),
            ImpactAssessment {
                cost_percent,
                cost: cost.clone(),
                performance_degradation_percent: Some(0.0),
                performance: self.performance.clone(),
                security: "none".to_owned(),
            },
            Explanation::new(self.relief.words.clone(), risk)
                .with_factors(factors)
                .with_data_points(self.data_points)
                .with_cost_reduction(if saved.is_some() {
                    cost
                } else {
                    format!("none: {cost}")
                })
                .with_performance_impact(self.performance)
                .with_decision_path(self.path.into_decisions()),
        )
        .with_priority(self.priority)
        .with_confidence(self.confidence.0, self.confidence.1)
        .with_impact_level(cost_level.max(risk))
        .with_effort(self.relief.effort)
        .with_savings(self.relief.added.map(|added| -added))
        .with_monthly_cost(monthly)
        .with_plan(plan)
        .with_reason_codes(reason_codes)
        .with_not_measured(
            is_unpriced
                .then(|| "price".to_owned())
                .into_iter()
                .collect(),
        );

        proposal.subject.aspect = self.aspect.map(str::to_owned);
        proposal
    }
}
