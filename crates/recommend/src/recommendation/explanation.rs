//! Explanation of a finding: reasons, numbers and the checks that decided.

use crate::agent::Impact;
use crate::models::ModelUse;
use crate::recommendation::{ConfidenceRange, ExpectedEffect, Factors, RecommendationDecision};

/// Explanation of a recommendation, with the deciding numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The change in words.
    pub action: String,
    /// Sentences, each with its numbers, in the order of their kinds.
    pub factors: Factors,
    /// Range around the confidence; `None` where nothing was tried out.
    pub confidence_range: Option<ConfidenceRange>,
    /// Samples that were looked at.
    pub data_points: u64,
    /// Ended recommendations of the same type and size step, counted.
    pub similar_cases: u64,
    /// Share of those that succeeded, percent; `None` when there are none.
    pub success_rate: Option<f64>,
    /// Risk of the change, regardless of its cost.
    pub risk: Impact,
    /// Estimated cost reduction, in words.
    pub cost_reduction: String,
    /// Estimated performance impact, in words.
    pub performance_impact: String,
    /// Checks in the order in which they decided.
    pub decision_path: Vec<RecommendationDecision>,
    /// Models that took part in the decision, each with what it said.
    pub models: Vec<ModelUse>,
    /// The figure that the change affects, before and after; `None` where it is told in words alone.
    pub effect: Option<ExpectedEffect>,
}

impl Explanation {
    /// Creates the explanation of an action with its risk. The methods `with_*` add the rest.
    #[must_use]
    pub fn new(action: impl Into<String>, risk: Impact) -> Self {
        Explanation {
            action: action.into(),
            factors: Factors::default(),
            confidence_range: None,
            data_points: 0,
            similar_cases: 0,
            success_rate: None,
            risk,
            cost_reduction: String::new(),
            performance_impact: String::new(),
            decision_path: Vec::new(),
            models: Vec::new(),
            effect: None,
        }
    }

    /// Sets the sentences with their numbers.
    #[must_use]
    pub fn with_factors(mut self, factors: Factors) -> Self {
        self.factors = factors;
        self
    }

    /// Sets the range around the confidence.
    #[must_use]
    pub fn with_confidence_range(mut self, range: impl Into<Option<ConfidenceRange>>) -> Self {
        self.confidence_range = range.into();
        self
    }

    /// Sets the number of samples that were looked at.
    #[must_use]
    pub fn with_data_points(mut self, count: u64) -> Self {
        self.data_points = count;
        self
    }

    /// Sets the estimated cost reduction, in words.
    #[must_use]
    pub fn with_cost_reduction(mut self, words: impl Into<String>) -> Self {
        self.cost_reduction = words.into();
        self
    }

    /// Sets the estimated performance impact, in words.
    #[must_use]
    pub fn with_performance_impact(mut self, words: impl Into<String>) -> Self {
        self.performance_impact = words.into();
        self
    }

    /// Sets the checks in the order in which they decided.
    #[must_use]
    pub fn with_decision_path(mut self, path: impl Into<Vec<RecommendationDecision>>) -> Self {
        self.decision_path = path.into();
        self
    }

    /// Sets the models that took part in the decision.
    #[must_use]
    pub fn with_models(mut self, models: Vec<ModelUse>) -> Self {
        self.models = models;
        self
    }

    /// Sets the figure that the change affects.
    #[must_use]
    pub fn with_effect(mut self, effect: ExpectedEffect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Takes the explanation out and leaves one without texts.
    #[must_use]
    pub fn take(&mut self) -> Explanation {
        let emptied = Explanation {
            confidence_range: self.confidence_range,
            data_points: self.data_points,
            similar_cases: self.similar_cases,
            success_rate: self.success_rate,
            ..Explanation::new(String::new(), self.risk)
        };
        std::mem::replace(self, emptied)
    }
}
