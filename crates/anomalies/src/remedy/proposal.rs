//! Proposal of a remedy: the change with the anomaly as its reason.

use reeve_estate::{Money, Resource};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::judgement::assessment::Hazards;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::{
    Decision, Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};

use super::super::record::Anomaly;
use super::Remedy;

/// Code that every proposal of an anomaly carries.
const CODE: &str = "anomaly";
/// Confidence of a remedy at most, percent: that the change relieves it shows only afterwards.
const MOST_CONFIDENCE: f64 = 95.0;
/// Evidence of the anomaly that is taken over.
const MOST_EVIDENCE: usize = 4;

/// Kind of finding that a remedy is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) agent_type: AgentType,
    pub(super) kind: RecommendationType,
    /// Action of the agent type, such as `optimize_instance_types`.
    pub(super) rule: &'static str,
}

/// Facts about a change beside its relief.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// Check that led to the change.
    pub(super) check: Decision,
    /// Expected degradation, percent; `None` where it was not measured.
    pub(super) degradation_percent: Option<f64>,
    /// The same in words.
    pub(super) performance: String,
    /// Dimensions that were not measured.
    pub(super) not_measured: Vec<String>,
    /// Monthly cost that the added cost is compared with.
    pub(super) compared_with: Option<Money>,
}

pub(super) fn remedy(
    of: &Anomaly,
    resource: &Resource,
    relief: Relief,
    finding: Finding,
    facts: Facts,
    matrix: &ApprovalMatrix,
) -> Remedy {
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
    let score = of.score();
    let factors = factors(of, &relief, code_owner.as_deref());
    let mut reason_codes = vec![CODE.to_owned(), format!("anomaly:{}", of.id.0)];
    reason_codes.extend(code_owner.map(|_| "iac_managed".to_owned()));
    let mut not_measured = facts.not_measured;
    if relief.added.is_none() {
        not_measured.push("price".to_owned());
    }

    let saves = relief.added.is_some_and(|added| added.usd() < 0.0);
    let explanation = Explanation::new(relief.words.clone(), risk)
        .with_factors(factors)
        .with_data_points(of.readings.len() as u64)
        .with_cost_reduction(if saves {
            cost.clone()
        } else {
            format!("none: {cost}")
        })
        .with_performance_impact(facts.performance.clone())
        .with_decision_path(vec![is_anomalous(of, score), facts.check]);

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
    .with_priority(of.severity)
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
            .map_or(Impact::Low, |added| matrix.impact_by_cost(added))
            .max(risk),
    )
    .with_effort(relief.effort)
    .with_savings(relief.added.map(|added| -added))
    .with_monthly_cost(resource.monthly_cost)
    .with_plan(relief.plan)
    .with_reason_codes(reason_codes)
    .with_not_measured(not_measured);

    Remedy {
        resource: resource.clone(),
        agent_type: finding.agent_type,
        proposal,
        by_hand: relief.by_hand,
    }
}

/// Reasons for the proposal, in sentences.
fn factors(of: &Anomaly, relief: &Relief, code_owner: Option<&str>) -> Factors {
    let mut factors = Factors::from([(FactorKind::Measured, of.title.clone())]);
    factors.extend(
        of.evidence_in_words()
            .take(MOST_EVIDENCE)
            .map(|text| (FactorKind::Measured, text)),
    );

    let by_hand = relief
        .by_hand
        .as_ref()
        .map(|why| format!("Advice only, no automatic change: {why}"));
    let code = code_owner
        .map(|tag| format!("It is managed by infrastructure as code ({tag}): change it there"));
    let consequences = relief.notes.iter().cloned().chain(by_hand).chain(code);
    factors.extend(consequences.map(|text| (FactorKind::Consequence, text)));

    factors
}

fn is_anomalous(of: &Anomaly, score: f64) -> Decision {
    Decision {
        check: "Anomaly detected?".to_owned(),
        answer: Some(true),
        detail: format!("{}, anomaly score {score:.2} of 1", of.title),
    }
}

fn cost_words(relief: &Relief, percent: Option<f64>) -> String {
    match relief.added.filter(|added| added.usd() < 0.0) {
        Some(added) => format!("${:.2} a month less", -added.usd()),
        None => relief.cost_words(percent),
    }
}
