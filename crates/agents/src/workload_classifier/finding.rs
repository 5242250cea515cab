//! Findings of the checks as proposals: what all of them share.

use reeve_estate::Money;
use reeve_learn::Backtest;
use reeve_learn::calibrate::Daily;
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::judgement::workload::WorkloadClass;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::{
    ConfidenceRange, Effort, Explanation, FactorKind, Factors, ImpactAssessment, Priority,
    RecommendationType,
};
use reeve_recommend::words::dollars;

use super::METRICS;
use super::classify::Classified;
use super::settings::WorkloadThresholds;
use crate::confidence::{Confidence, confidence, signs};
use crate::discounts;
use crate::load::data_points;

/// Inputs of a check.
pub(super) struct WorkloadCase<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) settings: &'a WorkloadThresholds,
    pub(super) classified: &'a Classified,
    pub(super) class: WorkloadClass,
}

/// A finding of one check, without what follows from the resource and its class.
pub(super) struct WorkloadFinding {
    pub(super) kind: RecommendationType,
    /// Stable code of the check.
    pub(super) code: &'static str,
    pub(super) title: String,
    /// The change in words.
    pub(super) action: String,
    /// Sentences with numbers, without the confidence and the class.
    pub(super) factors: Factors,
    /// `None` for an architecture that people have to build.
    pub(super) plan: Option<Plan>,
    pub(super) target_type: Option<String>,
    pub(super) effort: Effort,
    /// At list price; negative when it costs more; `None` without a price.
    pub(super) savings: Option<Money>,
    /// Change of the resource's cost in percent; negative saves.
    pub(super) cost_percent: Option<f64>,
    pub(super) cost: String,
    pub(super) performance: String,
    pub(super) security: String,
    /// Past days on which the check itself would have been right, with the distance of each day to
    /// its limit; `None` for a check of the configuration, which is a fact.
    pub(super) tried: Option<(Backtest, Daily)>,
    pub(super) path: Path,
}

impl WorkloadCase<'_> {
    /// Abstains where a switch of the agent is off.
    pub(super) fn switched(
        &self,
        on: bool,
        kind: RecommendationType,
        setting: &str,
    ) -> Result<(), Abstention> {
        let off = || {
            Abstention::decided(
                kind,
                "switched_off",
                format!("the setting {setting} is off"),
            )
        };
        if on { Ok(()) } else { Err(off()) }
    }

    /// The path of a check, which begins with the class.
    pub(super) fn path(&self) -> Path {
        let mut path = Path::default();
        let likely = format!("{}: {}", self.words(), self.signals());
        path.ask(
            format!("Is its workload {}?", self.class.as_str()),
            true,
            likely,
        );
        path
    }

    fn words(&self) -> String {
        format!(
            "{} with a confidence of {:.1} %",
            self.class.as_str(),
            self.classified.classification.confidence
        )
    }

    /// Saving of a second resource like this one at list price, which is negative: it costs what
    /// the first one does. `None` without a price.
    pub(super) fn second_costs(&self) -> Option<Money> {
        self.listed().map(|cost| Money::ZERO - cost)
    }

    /// Cost of the resource a month at list price; that which the cloud itself gives where the
    /// catalogue has no price.
    fn listed(&self) -> Option<Money> {
        let resource = self.facts.resource;
        self.facts
            .catalogue
            .monthly_cost(resource)
            .map(|month| month.cost)
            .or(resource.monthly_cost)
    }

    /// The signals that decided, in words.
    fn signals(&self) -> String {
        let class = self.class as usize;
        let speaks = |weights: &[f64; 4]| weights[class] > 0.0;
        let signals = self.classified.classification.signals.iter();
        let telling: Vec<String> = signals
            .filter(|signal| speaks(&signal.weights) || signal.name == "correction")
            .take(4)
            .map(|signal| format!("{} ({})", signal.name, signal.detail))
            .collect();
        telling.join(", ")
    }

    /// The proposal of a finding.
    pub(super) fn propose(&self, finding: WorkloadFinding) -> Proposal {
        let resource = self.facts.resource;
        let own = finding
            .tried
            .as_ref()
            .map(|(tried, margins)| confidence(*tried, margins, 0.0, None));
        let (percent, raw, range) = self.certainty(own.as_ref());
        let margins = finding
            .tried
            .as_ref()
            .map(|(_, margins)| margins.clone())
            .unwrap_or_default();
        let windows =
            self.classified.stable.windows + own.as_ref().map_or(0, |own| own.backtest.windows);
        let iac = owned_by_code(resource);
        let hazards = Hazards {
            iac: iac.is_some(),
            unpriced: finding.savings.is_none(),
            ..Hazards::default()
        };
        let price = finding.savings.is_none().then(|| "price".to_owned());
        let architecture = finding.plan.is_none();
        let mut reason_codes = vec![finding.code.to_owned()];
        reason_codes.extend(architecture.then(|| "advice_only".to_owned()));
        let mut proposal = Proposal::new(
            finding.kind,
            if architecture {
                "recommend_architectures"
            } else {
                "apply_best_practices"
            },
            finding.title,
            subject(resource, finding.target_type),
            ImpactAssessment {
                cost_percent: finding.cost_percent,
                cost: finding.cost.clone(),
                performance_degradation_percent: Some(0.0),
                performance: finding.performance.clone(),
                security: finding.security,
            },
            Explanation::new(finding.action, risk(resource, hazards))
                .with_factors(self.factors(own.as_ref(), finding.factors, architecture))
                .with_data_points(data_points(self.facts, METRICS))
                .with_confidence_range(range)
                .with_cost_reduction(finding.cost)
                .with_performance_impact(finding.performance)
                .with_decision_path(finding.path.into_decisions())
                .with_models(self.classified.models.clone()),
        )
        .with_priority(self.priority(finding.kind, finding.savings))
        .with_confidence(
            percent,
            Trust::new(raw, None, &signs(self.facts, margins, windows, 0.0)),
        )
        .with_impact_level(self.impact(finding.savings, hazards))
        .with_effort(finding.effort)
        .with_savings(finding.savings)
        .with_monthly_cost(resource.monthly_cost)
        .with_plan(finding.plan)
        .with_reason_codes(reason_codes)
        .with_not_measured(price.into_iter().collect());

        if let Some(tag) = iac {
            iac_note(&mut proposal, &tag);
        }

        discounts::apply(self.facts, self.listed(), &mut proposal);
        proposal
    }

    /// Confidence in percent, the same from 0 to 1 before rounding, and its range: both the class
    /// and the check have to be right.
    fn certainty(&self, own: Option<&Confidence>) -> (f64, f64, Option<ConfidenceRange>) {
        let class = self.classified.classification.confidence;
        let (share, low, high) = own.map_or((1.0, 1.0, 1.0), |own| {
            (
                own.raw,
                own.range.low_percent / 100.0,
                own.range.high_percent / 100.0,
            )
        });

        let around = self.classified.range.unwrap_or(ConfidenceRange {
            low_percent: class,
            high_percent: class,
        });
        let known = own.is_some() || self.classified.range.is_some();
        let range = ConfidenceRange {
            low_percent: around.low_percent * low,
            high_percent: around.high_percent * high,
        };

        (
            (class * share * 10.0).round() / 10.0,
            class * share / 100.0,
            known.then_some(range),
        )
    }

    fn factors(
        &self,
        own: Option<&Confidence>,
        mut factors: Factors,
        architecture: bool,
    ) -> Factors {
        let Backtest { held, windows } = self.classified.stable;
        let steady = match windows {
            0 => String::new(),
            _ => format!(
                "; same class on {held} of {windows} past days, each judged by the week before"
            ),
        };

        factors.add(
            FactorKind::Confidence,
            format!("Its workload is {}{steady}", self.words()),
        );
        factors.add(
            FactorKind::Confidence,
            format!("Signals: {}", self.signals()),
        );
        factors.extend(own.map(|own| (FactorKind::Confidence, own.words())));

        if architecture {
            factors.add(
                FactorKind::Consequence,
                "Reeve cannot build this automatically: apply it manually",
            );
        }

        factors
    }

    fn priority(&self, kind: RecommendationType, savings: Option<Money>) -> Priority {
        match kind {
            // What one failure stops is no matter of money.
            RecommendationType::HighAvailability => Priority::Medium,
            _ => priority_by_savings(savings),
        }
    }

    fn impact(&self, savings: Option<Money>, hazards: Hazards) -> Impact {
        let (matrix, resource) = (&self.facts.guardrails.approval_matrix, self.facts.resource);
        impact_level(matrix, resource, savings, resource.monthly_cost, hazards)
    }
}

/// A saving in words.
pub(super) fn saved(savings: Option<Money>, basis: &str) -> String {
    match savings {
        Some(savings) => format!("{} a month at list price, {basis}", dollars(savings)),
        None => "not claimed: the catalogue has no price of it".to_owned(),
    }
}
