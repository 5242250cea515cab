//! Answer to an anomaly: the change, with the anomaly as its reason. The rules of the agent types
//! choose the change.

use reeve_audit::Obstacle;
use reeve_estate::{Money, PriceCatalogue, Resource, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::assessment::Hazards;
use reeve_recommend::judgement::event::AnomalyReport;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::observation::{AnswerTerms, ObservationAnswer, ShortCapacity, Shortage};
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, RecommendationDecision, RecommendationType,
};

/// Code that every proposal of an anomaly carries.
const CODE: &str = "anomaly";
/// Confidence of a remedy at most, percent: that the change relieves it shows only afterwards.
const MOST_CONFIDENCE: f64 = 95.0;
/// Evidence of the anomaly that is taken over.
const MOST_EVIDENCE: usize = 4;

/// Kind of finding that an answer is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerKind {
    pub(crate) kind: RecommendationType,
    /// Action of the agent type, such as `optimize_instance_types`.
    pub(crate) rule: &'static str,
}

/// Facts about a change beside its relief.
#[derive(Debug, Clone)]
pub(crate) struct ChangeFacts {
    /// Check that led to the change.
    pub(crate) check: RecommendationDecision,
    /// Expected degradation, percent; `None` where it was not measured.
    pub(crate) degradation_percent: Option<f64>,
    /// The same in words.
    pub(crate) performance: String,
    /// Dimensions that were not measured.
    pub(crate) not_measured: Vec<String>,
    /// Monthly cost that the added cost is compared with.
    pub(crate) compared_with: Option<Money>,
}

/// Makes the answer: the change of a rule, with the anomaly as its reason.
pub(crate) fn answer(
    anomaly: &AnomalyReport,
    resource: &Resource,
    relief: Relief,
    finding: AnswerKind,
    facts: ChangeFacts,
    terms: AnswerTerms<'_>,
) -> ObservationAnswer {
    let code_owner = reeve_recommend::guardrail::ownership::owned_by_code(resource);
    let hazards = Hazards {
        iac: code_owner.is_some(),
        unpriced: relief.added.is_none(),
        unmeasured: !facts.not_measured.is_empty(),
        idle: facts.degradation_percent == Some(0.0),
    };
    let risk = relief.risk(resource, hazards);

    let cost_percent = relief.cost_percent(facts.compared_with);
    let cost = cost_words(&relief, cost_percent);
    let score = anomaly.score;
    let factors = factors(anomaly, &relief, code_owner.as_deref());
    let mut reason_codes = vec![CODE.to_owned(), format!("anomaly:{}", anomaly.anomaly.0)];
    reason_codes.extend(code_owner.map(|_| "iac_managed".to_owned()));
    let mut not_measured = facts.not_measured;
    if relief.added.is_none() {
        not_measured.push("price".to_owned());
    }

    let saves = relief.added.is_some_and(|added| added.usd() < 0.0);
    let explanation = Explanation::new(relief.words.clone(), risk)
        .with_factors(factors)
        .with_data_points(anomaly.readings)
        .with_cost_reduction(if saves {
            cost.clone()
        } else {
            format!("none: {cost}")
        })
        .with_performance_impact(facts.performance.clone())
        .with_decision_path(vec![is_anomalous(anomaly), facts.check]);

    let proposal = Proposal::new(
        finding.kind,
        finding.rule,
        relief.title,
        reeve_recommend::plan::procedure::subject(resource, relief.target.clone()),
        ImpactAssessment {
            cost_percent,
            cost,
            performance_degradation_percent: facts.degradation_percent,
            performance: facts.performance,
            security: "none".to_owned(),
        },
        explanation,
    )
    .with_priority(anomaly.severity)
    .with_confidence(
        (score * 100.0).clamp(0.0, MOST_CONFIDENCE),
        Trust {
            raw: score,
            features: Vec::new(),
            cap_percent: Some(MOST_CONFIDENCE),
        },
    )
    .with_impact_level(
        relief
            .added
            .map_or(Impact::Low, |added| terms.matrix.impact_by_cost(added))
            .max(risk),
    )
    .with_effort(relief.effort)
    .with_savings(relief.added.map(|added| -added))
    .with_monthly_cost(resource.monthly_cost)
    .with_plan(relief.plan)
    .with_reason_codes(reason_codes)
    .with_not_measured(not_measured);

    ObservationAnswer {
        resource: resource.clone(),
        proposal,
        by_hand: relief.by_hand,
    }
}

/// Reasons for the proposal, in sentences.
fn factors(anomaly: &AnomalyReport, relief: &Relief, code_owner: Option<&str>) -> Factors {
    let mut factors = Factors::from([(FactorKind::Measured, anomaly.title.clone())]);
    factors.extend(
        anomaly
            .evidence
            .iter()
            .take(MOST_EVIDENCE)
            .map(|text| (FactorKind::Measured, text.clone())),
    );

    let consequences = relief.consequences(code_owner);
    factors.extend(consequences.map(|text| (FactorKind::Consequence, text)));

    factors
}

fn is_anomalous(anomaly: &AnomalyReport) -> RecommendationDecision {
    RecommendationDecision {
        check: "Anomaly detected?".to_owned(),
        answer: Some(true),
        detail: format!("{}, anomaly score {:.2} of 1", anomaly.title, anomaly.score),
    }
}

fn cost_words(relief: &Relief, percent: Option<f64>) -> String {
    match relief.added.filter(|added| added.usd() < 0.0) {
        Some(added) => format!("${:.2} a month less", -added.usd()),
        None => relief.cost_words(percent),
    }
}

/// Facts about a change that adds the capacity which is short.
pub(crate) fn shortage_facts(
    shortage: &Shortage<'_>,
    target: &Resource,
    catalogue: &PriceCatalogue,
) -> ChangeFacts {
    let own_cost = target
        .monthly_cost
        .or_else(|| catalogue.monthly_cost(target).map(|monthly| monthly.cost));
    let is_sized = matches!(
        shortage.capacity,
        ShortCapacity::Processors | ShortCapacity::Memory
    ) && target.group.is_none()
        && target.kind != ResourceKind::ScalingGroup;

    ChangeFacts {
        check: RecommendationDecision {
            check: "Is the capacity that the change adds short?".to_owned(),
            answer: Some(true),
            detail: shortage.evidence.to_owned(),
        },
        degradation_percent: Some(0.0),
        performance: "it gets more of the capacity that was short".to_owned(),
        not_measured: Vec::new(),
        compared_with: if is_sized {
            own_cost
        } else {
            shortage.account_cost
        },
    }
}

/// Reason why a kind of resource gets no more of a capacity.
pub(crate) fn cannot_enlarge(kind: ResourceKind) -> Obstacle {
    Obstacle::of(format_args!(
        "Reeve cannot enlarge a {}",
        kind.as_str().replace('_', " ")
    ))
}

#[cfg(test)]
pub(crate) mod tests;
