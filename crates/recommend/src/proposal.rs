//! What a judgement gives back: a proposal with everything a recommendation needs, or an abstention with its reason.

use reeve_estate::Money;

use super::trust::Trust;
use crate::agent::Impact;
use crate::plan::Plan;
use crate::recommendation::{Decision, Effort, Explanation, ImpactAssessment, Priority, RecommendationType, Subject};

/// A finding, ready to become a recommendation.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What kind of change.
    pub kind: RecommendationType,
    /// The specification's action that found it.
    pub rule: &'static str,
    /// One line for people.
    pub title: String,
    /// The resource.
    pub subject: Subject,
    /// Priority.
    pub priority: Priority,
    /// Percent, 0 to 100.
    pub confidence: f64,
    /// What the confidence is made of.
    pub trust: Trust,
    /// Which approval it needs.
    pub impact_level: Impact,
    /// Impact in words and figures.
    pub impact: ImpactAssessment,
    /// How hard it is.
    pub effort: Effort,
    /// At list price; negative when it costs more; `None` where there is no price (then `not_measured` has `price`).
    pub savings_monthly: Option<Money>,
    /// After discounts and commitments, where they are known.
    pub savings_after_discounts: Option<Money>,
    /// What the resource costs a month now.
    pub monthly_cost: Option<Money>,
    /// The plan; `None` for advice.
    pub plan: Option<Plan>,
    /// Stable codes of what decided.
    pub reason_codes: Vec<String>,
    /// What was not measured.
    pub not_measured: Vec<String>,
    /// Why; `similar_cases` and `success_rate` are for the engine to fill in.
    pub explanation: Explanation,
}

/// Why a rule, or the judgement as a whole, made no proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstention {
    /// The recommendation type the rule would have made; `None` when the resource was not judged at all.
    pub kind: Option<RecommendationType>,
    /// Stable code (`thin_data`, `group_member`, `cpu_not_low`, ...).
    pub code: &'static str,
    /// The numbers.
    pub detail: String,
    /// Whether it was judged and found wanting (an earlier recommendation no longer holds), rather than not judged for
    /// want of data (an earlier recommendation may still hold).
    pub decisive: bool,
}

impl Abstention {
    /// Judged, and there is nothing to do.
    pub fn decided(kind: RecommendationType, code: &'static str, detail: impl Into<String>) -> Self {
        Abstention { kind: Some(kind), code, detail: detail.into(), decisive: true }
    }

    /// Not judged: data or facts are missing.
    pub fn unjudged(kind: RecommendationType, code: &'static str, detail: impl Into<String>) -> Self {
        Abstention { kind: Some(kind), code, detail: detail.into(), decisive: false }
    }
}

/// The numbered checks of a rule, as they are asked.
#[derive(Debug, Clone, Default)]
pub struct Path(Vec<Decision>);

impl Path {
    /// Notes a check and passes its answer on.
    pub fn ask(&mut self, check: impl Into<String>, answer: bool, detail: impl Into<String>) -> bool {
        self.0.push(Decision { check: check.into(), answer: Some(answer), detail: detail.into() });
        answer
    }

    /// Notes a check that could not be answered.
    pub fn unanswered(&mut self, check: impl Into<String>, detail: impl Into<String>) {
        self.0.push(Decision { check: check.into(), answer: None, detail: detail.into() });
    }

    /// Adds the checks of another path.
    pub fn extend(&mut self, other: Path) {
        self.0.extend(other.0);
    }

    /// The checks.
    pub fn into_decisions(self) -> Vec<Decision> {
        self.0
    }
}
