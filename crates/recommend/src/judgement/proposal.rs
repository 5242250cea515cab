//! Results of a judgement: a proposal with all data of a recommendation, or an abstention with its
//! reason.

use reeve_estate::Money;

use crate::agent::Impact;
use crate::judgement::trust::Trust;
use crate::plan::Plan;
use crate::recommendation::{
    Effort, Explanation, ImpactAssessment, Priority, RecommendationDecision, RecommendationSubject,
    RecommendationType,
};

/// A finding, ready to become a recommendation.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Kind of the change.
    pub kind: RecommendationType,
    /// Action of the agent type that found it, such as `downsize_underutilized`.
    pub rule: &'static str,
    /// Title of one line, for lists.
    pub title: String,
    pub subject: RecommendationSubject,
    pub priority: Priority,
    /// Percent, 0 to 100.
    pub confidence: f64,
    /// Inputs of the confidence.
    pub trust: Trust,
    /// Impact level, which decides the approval that the change needs.
    pub impact_level: Impact,
    /// Impact in words and figures.
    pub impact: ImpactAssessment,
    /// Effort of executing the change.
    pub effort: Effort,
    /// At list price; negative when it costs more; `None` where there is no price (then
    /// `not_measured` has `price`).
    pub savings_monthly: Option<Money>,
    /// After discounts and commitments, where they are known.
    pub savings_after_discounts: Option<Money>,
    /// Present monthly cost of the resource.
    pub monthly_cost: Option<Money>,
    /// The plan; `None` for advice.
    pub plan: Option<Plan>,
    /// Stable codes of what decided.
    pub reason_codes: Vec<String>,
    /// Metrics that were not measured.
    pub not_measured: Vec<String>,
    /// Explanation; the engine fills in `similar_cases` and `success_rate`.
    pub explanation: Explanation,
}

impl Proposal {
    /// Creates a finding of a rule with its impact and explanation.
    ///
    /// The methods `with_*` add the rest. What they do not add is on the safe side: no confidence,
    /// no plan, no saving, and the highest impact level, which needs the most approval. Priority
    /// and effort are low.
    #[must_use]
    pub fn new(
        kind: RecommendationType,
        rule: &'static str,
        title: impl Into<String>,
        subject: RecommendationSubject,
        impact: ImpactAssessment,
        explanation: Explanation,
    ) -> Self {
        Proposal {
            kind,
            rule,
            title: title.into(),
            subject,
            priority: Priority::Low,
            confidence: 0.0,
            trust: Trust::default(),
            impact_level: Impact::High,
            impact,
            effort: Effort::Low,
            savings_monthly: None,
            savings_after_discounts: None,
            monthly_cost: None,
            plan: None,
            reason_codes: Vec::new(),
            not_measured: Vec::new(),
            explanation,
        }
    }

    /// Sets the priority, which is low by default.
    #[must_use]
    pub fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the confidence, percent from 0 to 100, and its inputs.
    #[must_use]
    pub fn with_confidence(mut self, percent: f64, trust: Trust) -> Self {
        self.confidence = percent;
        self.trust = trust;
        self
    }

    /// Sets the impact level, which decides the approval that the change needs.
    #[must_use]
    pub fn with_impact_level(mut self, level: Impact) -> Self {
        self.impact_level = level;
        self
    }

    /// Sets the effort of executing the change.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the monthly saving at list price.
    #[must_use]
    pub fn with_savings(mut self, monthly: impl Into<Option<Money>>) -> Self {
        self.savings_monthly = monthly.into();
        self
    }

    /// Sets the monthly saving after discounts and commitments.
    #[must_use]
    pub fn with_savings_after_discounts(mut self, monthly: impl Into<Option<Money>>) -> Self {
        self.savings_after_discounts = monthly.into();
        self
    }

    /// Sets the present monthly cost of the resource.
    #[must_use]
    pub fn with_monthly_cost(mut self, cost: impl Into<Option<Money>>) -> Self {
        self.monthly_cost = cost.into();
        self
    }

    /// Sets the plan; without one the finding is advice.
    #[must_use]
    pub fn with_plan(mut self, plan: impl Into<Option<Plan>>) -> Self {
        self.plan = plan.into();
        self
    }

    /// Sets the stable codes of what decided.
    #[must_use]
    pub fn with_reason_codes(mut self, codes: Vec<String>) -> Self {
        self.reason_codes = codes;
        self
    }

    /// Sets the metrics that were not measured.
    #[must_use]
    pub fn with_not_measured(mut self, names: Vec<String>) -> Self {
        self.not_measured = names;
        self
    }
}

/// Reason why a rule, or the whole judgement, made no proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstention {
    /// The recommendation type the rule would have made; `None` when the resource was not judged at
    /// all.
    pub kind: Option<RecommendationType>,
    /// Part of the resource that was judged, as [`RecommendationSubject::aspect`]; with a colon at its end, all parts
    /// that begin with it. `None` for all of the resource.
    pub aspect: Option<String>,
    /// Stable code (`thin_data`, `group_member`, `cpu_not_low`, ...).
    pub code: &'static str,
    /// Numbers that it rests on, in words.
    pub detail: String,
    /// `true` if the resource was judged and the finding is refuted, so that an earlier
    /// recommendation expires; `false` if data was missing, so that it stays.
    pub decisive: bool,
}

impl Abstention {
    /// Judged, and there is nothing to do.
    pub fn decided(
        kind: RecommendationType,
        code: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Abstention {
            kind: Some(kind),
            aspect: None,
            code,
            detail: detail.into(),
            decisive: true,
        }
    }

    /// The whole resource is left alone because one of its tags says so.
    #[must_use]
    pub fn opted_out() -> Self {
        Abstention {
            kind: None,
            aspect: None,
            code: "opted_out",
            detail: "its tag reeve:ignore excludes it".to_owned(),
            decisive: true,
        }
    }

    /// Narrows it to findings about one part of the resource.
    #[must_use]
    pub fn with_aspect(mut self, aspect: impl Into<String>) -> Self {
        self.aspect = Some(aspect.into());
        self
    }

    /// Returns `true` if it is about findings of a type and an aspect.
    #[must_use]
    pub fn is_about(&self, kind: RecommendationType, aspect: Option<&str>) -> bool {
        let is_own_aspect = match (self.aspect.as_deref(), aspect) {
            (None, _) => true,
            (Some(own), Some(aspect)) if own.ends_with(':') => aspect.starts_with(own),
            (own, aspect) => own == aspect,
        };
        self.kind.is_none_or(|own| own == kind) && is_own_aspect
    }

    /// Not judged: data or facts are missing.
    pub fn unjudged(
        kind: RecommendationType,
        code: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Abstention {
            kind: Some(kind),
            aspect: None,
            code,
            detail: detail.into(),
            decisive: false,
        }
    }
}

/// The numbered checks of a rule, as they are asked.
#[derive(Debug, Clone, Default)]
pub struct Path(Vec<RecommendationDecision>);

impl Path {
    /// Notes a check and passes its answer on.
    pub fn ask(
        &mut self,
        check: impl Into<String>,
        answer: bool,
        detail: impl Into<String>,
    ) -> bool {
        self.0.push(RecommendationDecision {
            check: check.into(),
            answer: Some(answer),
            detail: detail.into(),
        });
        answer
    }

    /// Notes a check that could not be answered.
    pub fn unanswered(&mut self, check: impl Into<String>, detail: impl Into<String>) {
        self.0.push(RecommendationDecision {
            check: check.into(),
            answer: None,
            detail: detail.into(),
        });
    }

    /// Adds the checks of another path.
    pub fn extend(&mut self, other: Path) {
        self.0.extend(other.0);
    }

    /// Returns the checks as decisions.
    pub fn into_decisions(self) -> Vec<RecommendationDecision> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abstention_is_about_all_aspects_that_its_own_begins() {
        let kind = RecommendationType::DatabaseTuning;
        let of = |aspect| Abstention::decided(kind, "read", "").with_aspect(aspect);
        assert!(of("index:").is_about(kind, Some("index:unused:a")));
        assert!(!of("index:").is_about(kind, Some("query:spill:1")));
        assert!(!of("index:").is_about(kind, None));
        assert!(!of("index").is_about(kind, Some("index:unused:a")));
        assert!(of("index").is_about(kind, Some("index")));
    }
}
