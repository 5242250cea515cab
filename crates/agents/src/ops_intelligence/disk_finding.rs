//! The finding about storage that is about to be full: more of it, or advice where no call of the cloud
//! enlarges it.

use jiff::Timestamp;
use reeve_estate::Resource;
use reeve_learn::DAY_MS;
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, is_production};
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::plan::relief::{Relief, more_storage};
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority,
};
use reeve_recommend::words::{minute, percent};

use super::disk::{Forecast, RULE};
use super::settings::Thresholds;

/// Probability that a finding claims at most: the forecast is of one series, and people clean up.
const MOST_CONFIDENCE: f64 = 95.0;
/// Days before it is full from which a finding in production is critical.
const CRITICAL_MS: i64 = 2 * DAY_MS;

pub(super) fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    forecast: &Forecast,
    path: Path,
) -> Proposal {
    let resource = facts.resource;
    let relief = more_storage(resource, settings.enlarge_percent, facts.catalogue);
    let code_owner = owned_by_code(resource);
    let hazards = Hazards {
        iac: code_owner.is_some(),
        unpriced: relief.added.is_none(),
        idle: true,
        ..Hazards::default()
    };
    let risk = relief.risk(resource, hazards);

    // Storage does not shrink again: its growth is never of low impact, however cheap it is.
    let by_cost = relief.added.map_or(Impact::Low, |added| {
        facts.guardrails.approval_matrix.impact_by_cost(added)
    });
    let level = by_cost.max(risk).max(Impact::Medium);

    let cost = relief.cost_words(None);
    let confidence = (forecast.probability * 100.0).min(MOST_CONFIDENCE);
    let keeps = format!("keeps {} from running out of storage", resource.name);
    let mut codes = vec![RULE.to_owned()];
    if relief.plan.as_ref().is_some_and(|plan| !plan.reversible) {
        codes.push("cannot_be_undone".to_owned());
    }
    codes.extend(code_owner.as_ref().map(|_| "iac_managed".to_owned()));
    let factors = factors(forecast, &relief, code_owner.as_deref());

    Proposal::new(
        reeve_recommend::recommendation::RecommendationType::StorageExpansion,
        RULE,
        relief.title.clone(),
        subject(resource, relief.target.clone()),
        ImpactAssessment {
            cost_percent: relief.cost_percent(resource.monthly_cost),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: keeps.clone(),
            security: "none".to_owned(),
        },
        Explanation::new(relief.words.clone(), risk)
            .with_factors(factors)
            .with_data_points(forecast.points)
            .with_cost_reduction(format!("none: {cost}"))
            .with_performance_impact(keeps)
            .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority(resource, facts.now, forecast))
    .with_confidence(
        confidence,
        Trust {
            raw: forecast.probability,
            features: Vec::new(),
            cap_percent: Some(MOST_CONFIDENCE),
        },
    )
    .with_impact_level(level)
    .with_effort(relief.effort)
    .with_savings(relief.added.map(|added| -added))
    .with_monthly_cost(resource.monthly_cost)
    .with_plan(relief.plan)
    .with_reason_codes(codes)
    .with_not_measured(if relief.added.is_none() {
        vec!["price".to_owned()]
    } else {
        Vec::new()
    })
}

fn factors(forecast: &Forecast, relief: &Relief, code_owner: Option<&str>) -> Factors {
    let outlook = &forecast.outlook;
    let mut factors = Factors::from([(
        FactorKind::Measured,
        format!("{}; measured on {} days", forecast.now_words, forecast.days),
    )]);

    let time = |ms: Option<i64>| {
        ms.and_then(|ms| Timestamp::from_millisecond(ms).ok())
            .map(minute)
    };
    if let Some(median) = time(outlook.median_ms) {
        let mut words = format!("Full around {median}");
        if let Some(earliest) = time(outlook.earliest_ms) {
            words.push_str(&format!("; with 5 % probability before {earliest}"));
        }
        if let Some(latest) = time(outlook.latest_ms) {
            words.push_str(&format!(", with 95 % before {latest}"));
        }
        factors.add(FactorKind::Forecast, words);
    }
    if !outlook.releases.is_empty() {
        let words = format!(
            "It was cleaned up {} times in the history, which the probability counts",
            outlook.releases.len()
        );
        factors.add(FactorKind::Forecast, words);
    }

    let consequences = relief.consequences(code_owner);
    factors.extend(consequences.map(|text| (FactorKind::Consequence, text)));
    let words = format!(
        "Probability {} within the days of the warning, from {} samples",
        percent(forecast.probability * 100.0),
        forecast.points
    );
    factors.add(FactorKind::Confidence, words);

    factors
}

fn priority(resource: &Resource, now: Timestamp, forecast: &Forecast) -> Priority {
    let soon = forecast
        .outlook
        .median_ms
        .is_some_and(|at| at - now.as_millisecond() <= CRITICAL_MS);
    match (is_production(resource), soon) {
        (true, true) => Priority::Critical,
        (true, false) | (false, true) => Priority::High,
        (false, false) => Priority::Medium,
    }
}
