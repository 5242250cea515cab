//! Answer to a predictive rule: the change with its plan where Reeve has one, its cost, and the
//! approval it needs. The rules of the agent types choose the change.

use reeve_estate::{Resource, TimeSpan};
use reeve_recommend::agent::Impact;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::judgement::assessment::{Hazards, is_production};
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::observation::{AnswerTerms, ForeseenCondition, ObservationAnswer};
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::predictive::{
    ApprovalKind, Foreseen, Prediction, PredictiveReason, PredictiveRule, Signal,
};
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationDecision,
};
use reeve_recommend::words::{figures, minute};

/// The code that every recommendation of a rule carries.
const CODE: &str = "predictive_rule";

/// Makes the answer to a rule that fired: the change, with the prediction as its reason.
pub(crate) fn answer(
    foreseen: &ForeseenCondition<'_>,
    change: Relief,
    terms: AnswerTerms<'_>,
) -> ObservationAnswer {
    let (rule, found, resource) = (foreseen.rule, foreseen.prediction, foreseen.target);
    let (level, approval) = approval(rule, &change, terms.matrix);
    let code = reeve_recommend::guardrail::ownership::owned_by_code(resource);
    let hazards = Hazards {
        iac: code.is_some(),
        unpriced: change.added.is_none(),
        idle: true,
        ..Hazards::default()
    };
    let risk = change.risk(resource, hazards);

    // The rule sets the approval for cost only. An executable plan also needs the approval for its
    // risk.
    let level = if change.plan.is_some() {
        level.max(risk)
    } else {
        level
    };

    let monthly = resource.monthly_cost;
    let cost_percent = change.cost_percent(if change.against_bill {
        foreseen.account_cost
    } else {
        monthly
    });
    let cost_words = change.cost_words(cost_percent);
    let degradation = Some(0.0);
    let mut reason_codes = vec![
        CODE.to_owned(),
        rule.code(),
        rule.condition.foreseen.as_str().to_owned(),
    ];

    if change.plan.as_ref().is_some_and(|plan| !plan.reversible) {
        reason_codes.push("cannot_be_undone".to_owned());
    }
    if code.is_some() {
        reason_codes.push("iac_managed".to_owned());
    }

    let factors = factors(rule, foreseen.measured, found, &change, code.as_deref());
    let confidence = found.probability_percent.unwrap_or(0.0);
    let by_hand = change.by_hand;
    let proposal = Proposal::new(
        rule.response.kind.recommendation(),
        rule.response.kind.as_str(),
        change.title,
        reeve_recommend::plan::procedure::subject(resource, change.target),
        ImpactAssessment {
            cost_percent,
            cost: cost_words.clone(),
            performance_degradation_percent: degradation,
            performance: format!("keeps {} from the predicted problem", resource.name),
            security: "none".to_owned(),
        },
        Explanation::new(change.words, risk)
            .with_factors(factors)
            .with_data_points(found.points)
            .with_cost_reduction(format!("none: {cost_words}"))
            .with_performance_impact("the predicted problem does not occur".to_owned())
            .with_decision_path(vec![asked(rule, found), approval]),
    )
    .with_priority(priority(rule, foreseen.measured, found))
    .with_confidence(confidence, Trust::stated(confidence))
    .with_impact_level(level)
    .with_effort(change.effort)
    .with_savings(change.added.map(|added| -added))
    .with_monthly_cost(monthly)
    .with_plan(change.plan)
    .with_reason_codes(reason_codes)
    .with_not_measured(if change.added.is_none() {
        vec!["price".to_owned()]
    } else {
        Vec::new()
    });

    ObservationAnswer {
        resource: resource.clone(),
        proposal,
        by_hand,
    }
}

/// Describes the time at which a prediction comes true.
pub(crate) fn when(found: &Prediction) -> String {
    found.expected_at.map_or_else(
        || "it".to_owned(),
        |at| at.strftime("%H:%M UTC").to_string(),
    )
}

/// Sentences of the explanation.
fn factors(
    rule: &PredictiveRule,
    measured: &Resource,
    found: &Prediction,
    change: &Relief,
    code: Option<&str>,
) -> Factors {
    let mut factors: Factors = found
        .reasons
        .iter()
        .map(|reason| (FactorKind::Measured, measurement(reason, measured, found)))
        .collect();
    factors.add(FactorKind::Forecast, sentence(rule, measured, found));
    factors.extend(
        found
            .event
            .iter()
            .map(|event| (FactorKind::Forecast, format!("The calendar has {event}"))),
    );

    let consequences = change.consequences(code);
    factors.extend(consequences.map(|text| (FactorKind::Consequence, text)));
    let probability = found.probability_percent;
    let probability = probability
        .map(|percent| format!("Probability {percent:.0} %, from {} samples", found.points));
    factors.extend(probability.map(|text| (FactorKind::Confidence, text)));

    factors
}

/// Describes a reason of the prediction; the present value with its name, since no sentence comes
/// before it.
fn measurement(reason: &PredictiveReason, measured: &Resource, found: &Prediction) -> String {
    match (reason, found.signal) {
        (PredictiveReason::Now { value }, Some(signal)) => {
            format!(
                "{} of {} is {} now",
                shown(signal),
                measured.name,
                figures(*value)
            )
        }
        (reason, _) => reason.to_string(),
    }
}

fn shown(signal: Signal) -> String {
    signal.as_str().replace('_', " ")
}

/// Describes the prediction in one sentence.
fn sentence(rule: &PredictiveRule, resource: &Resource, found: &Prediction) -> String {
    let when = found
        .expected_at
        .map_or_else(String::new, |at| format!(" around {}", minute(at)));
    let limit = found
        .limit
        .map_or_else(String::new, |limit| format!(" {}", figures(limit)));
    let what = found.signal.map_or_else(String::new, shown);
    let name = &resource.name;

    match rule.condition.foreseen {
        Foreseen::Full => format!("The storage of {name} is full{when}"),
        Foreseen::Saturation | Foreseen::Exhaustion => {
            format!("{what} of {name} reaches{limit}{when}")
        }
        Foreseen::Above => format!("{what} of {name} rises above{limit}{when}"),
        Foreseen::Below => format!("{what} of {name} falls below{limit}{when}"),
        Foreseen::Spike => format!("{what} of {name} peaks above{limit}{when}"),
        Foreseen::Event => format!(
            "{} begins{when}",
            found.event.as_deref().unwrap_or("an event")
        ),
    }
}

fn asked(rule: &PredictiveRule, found: &Prediction) -> RecommendationDecision {
    let condition = &rule.condition;
    let what = condition
        .signal
        .map_or_else(String::new, |signal| format!(" of {signal}"));
    let seconds = u64::try_from(condition.horizon_s).unwrap_or(0);
    let horizon = TimeSpan::from_seconds(seconds);
    RecommendationDecision {
        check: format!(
            "Is {}{what} predicted within {}, with at least {:.0} %?",
            condition.foreseen, horizon, condition.probability_percent
        ),
        answer: Some(true),
        detail: format!(
            "probability {:.1} % from {} samples; limit {}: {}",
            found.probability_percent.unwrap_or(0.0),
            found.points,
            found
                .limit
                .map_or_else(|| "none".to_owned(), |limit| format!("{limit:.4}")),
            if found.limit_source.is_empty() {
                "a calendar's event"
            } else {
                found.limit_source.as_str()
            }
        ),
    }
}

fn priority(rule: &PredictiveRule, resource: &Resource, found: &Prediction) -> Priority {
    let likely = found
        .probability_percent
        .is_some_and(|percent| percent >= 90.0);
    match (rule.condition.foreseen.fills(), is_production(resource)) {
        (true, true) if likely => Priority::Critical,
        (true, _) => Priority::High,
        (false, true) => Priority::High,
        (false, false) => Priority::Medium,
    }
}

/// The impact level that carries the rule's approval into the approval matrix, and the check in
/// words. The matrix's own word on cost always holds: a rule can require more approval, never less.
fn approval(
    rule: &PredictiveRule,
    change: &Relief,
    matrix: &ApprovalMatrix,
) -> (Impact, RecommendationDecision) {
    let by_cost = change
        .added
        .map_or(Impact::Low, |added| matrix.impact_by_cost(added));
    let said = |answer, detail: String| RecommendationDecision {
        check: format!(
            "Does the rule's approval setting ({}) permit it?",
            rule.approval.kind
        ),
        answer: Some(answer),
        detail: format!("{detail}; by cost alone its impact is {by_cost}"),
    };

    match (rule.approval.kind, rule.approval.below_gb, change.after_gb) {
        (ApprovalKind::Auto, _, _) => (
            by_cost,
            said(true, "the rule requires no approval".to_owned()),
        ),
        (ApprovalKind::AutoBelow, Some(limit), Some(after)) if after < limit => (
            by_cost,
            said(
                true,
                format!("{after:.0} GB after the change, below {limit:.0} GB"),
            ),
        ),
        (ApprovalKind::AutoBelow, Some(limit), Some(after)) => (
            by_cost.max(Impact::Medium),
            said(
                false,
                format!("{after:.0} GB after the change, not below {limit:.0} GB"),
            ),
        ),
        (ApprovalKind::AutoBelow, _, _) => (
            by_cost.max(Impact::Medium),
            said(false, "the size after the change is not known".to_owned()),
        ),
        (ApprovalKind::Required, _, _) => (
            by_cost.max(Impact::Medium),
            said(false, "approval is required".to_owned()),
        ),
    }
}

#[cfg(test)]
mod tests;
