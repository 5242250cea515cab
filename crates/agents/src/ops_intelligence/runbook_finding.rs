//! The finding of a runbook: its change with a plan where the cloud has one for this resource, else
//! advice with the reason.

use std::collections::BTreeMap;

use reeve_audit::Obstacle;
use reeve_controls::change_by_row;
use reeve_estate::{Money, Resource, ResourceState};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::ConfigurationRow;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, is_production, risk};
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{advice_only, fail_over, run_document, subject};
use reeve_recommend::plan::relief::{
    Relief, larger_size, more_members, more_storage, read_replica,
};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, Explanation, FactorKind, Factors, ImpactAssessment, NEEDS_PERSON, Priority,
    RecommendationSubject,
};
use reeve_recommend::runbook::RunbookRemedy;
use reeve_recommend::runbook::breaker::{Breaker, Gate};
use reeve_recommend::runbook::condition::ConditionAnswer;
use reeve_recommend::runbook::facts::RunbookCase;
use reeve_recommend::words::minute;

use super::runbook::{KIND, RULE};

/// Confidence of a finding at most, percent.
const MOST_CONFIDENCE: f64 = 95.0;
/// Applications that a runbook is taken to have had before its first, of which one did not help.
const BEFORE: f64 = 20.0;

/// Change of a finding with its effects.
struct Mending {
    relief: Relief,
    /// Words on the performance, and the degradation in percent; `None` where it is not known.
    performance: (Option<f64>, String),
    /// Impact of the change apart from its cost.
    level: Impact,
    /// Cost in words, and in percent of what it is compared with.
    cost: (Option<f64>, String),
}

/// Makes the finding of a runbook whose condition holds.
pub(super) fn propose(
    facts: &Facts<'_>,
    case: &RunbookCase,
    answers: &[ConditionAnswer],
    path: Path,
) -> Proposal {
    let (resource, runbook) = (facts.resource, &case.runbook);
    let breaker = match &case.gate {
        Gate::Open(breaker) => Some(breaker),
        Gate::Free { .. } | Gate::Verifying { .. } => None,
    };
    let mending = mend(facts, case, breaker);
    let code_owner = owned_by_code(resource);
    let relief = &mending.relief;
    let by_cost = relief.added.map_or(Impact::Low, |added| {
        facts.guardrails.approval_matrix.impact_by_cost(added)
    });

    let mut codes = vec![RULE.to_owned(), runbook.name.aspect()];
    if breaker.is_some() {
        codes.extend(["breaker_open".to_owned(), NEEDS_PERSON.to_owned()]);
    }
    if relief.plan.as_ref().is_some_and(|plan| !plan.reversible) {
        codes.push("cannot_be_undone".to_owned());
    }
    codes.extend(code_owner.as_ref().map(|_| "iac_managed".to_owned()));

    let (degradation, performance) = mending.performance.clone();
    let (cost_percent, cost) = mending.cost.clone();
    let words = match (&relief.plan, breaker) {
        (Some(_), _) => relief.words.clone(),
        (None, _) => runbook.advice.clone(),
    };
    let raw = (BEFORE - 1.0 + f64::from(case.helped))
        / (BEFORE + f64::from(case.helped) + f64::from(case.failed));
    let mut proposal = Proposal::new(
        KIND,
        RULE,
        title("", &resource.name, &format!(": {}", runbook.title)),
        RecommendationSubject {
            aspect: Some(runbook.name.aspect()),
            ..subject(resource, relief.target.clone())
        },
        ImpactAssessment {
            cost_percent,
            cost: cost.clone(),
            performance_degradation_percent: degradation,
            performance: performance.clone(),
            security: "none".to_owned(),
        },
        Explanation::new(words, mending.level)
            .with_factors(factors(
                case,
                answers,
                relief,
                breaker,
                code_owner.as_deref(),
            ))
            .with_data_points(answers.iter().map(|one| one.points.max(1)).sum())
            .with_cost_reduction(format!("none: {cost}"))
            .with_performance_impact(performance)
            .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority(resource, runbook.priority, breaker.is_some()))
    .with_confidence(
        (raw * 100.0).min(MOST_CONFIDENCE),
        Trust {
            raw,
            features: Vec::new(),
            cap_percent: Some(MOST_CONFIDENCE),
        },
    )
    .with_impact_level(by_cost.max(mending.level))
    .with_effort(relief.effort)
    .with_savings(relief.added.filter(|_| !relief.once).map(|added| -added))
    .with_monthly_cost(resource.monthly_cost)
    .with_reason_codes(codes);
    if relief.added.is_none() {
        proposal = proposal.with_not_measured(vec!["price".to_owned()]);
    }
    proposal.with_plan(mending.relief.plan)
}

/// Returns the change that the runbook names for this resource.
fn mend(facts: &Facts<'_>, case: &RunbookCase, breaker: Option<&Breaker>) -> Mending {
    let resource = facts.resource;
    let advice = |why: &str| {
        let relief = Relief::advice(case.runbook.title.clone(), Effort::Medium, why);
        advised(resource, relief.free())
    };
    if let Some(breaker) = breaker {
        let of = match breaker.resource {
            Some(_) => "on this resource",
            None => "on all resources",
        };
        return advice(&format!(
            "the runbook did not help, and its breaker {of} is open until {}",
            minute(breaker.closes_at)
        ));
    }

    match &case.runbook.remedy {
        RunbookRemedy::Advice => advice("Reeve has no change that mends it"),
        RunbookRemedy::GrowStorage { by_percent } => relieved(
            facts,
            more_storage(resource, *by_percent, facts.catalogue),
            // Storage does not shrink again.
            Impact::Medium,
        ),
        RunbookRemedy::Resize { short } => match larger_size(resource, *short, facts.catalogue) {
            Ok(relief) => relieved(facts, relief, Impact::Medium),
            Err(why) => advice(why),
        },
        RunbookRemedy::ScaleGroup { by_percent, hold } => {
            let seconds = i64::try_from(hold.seconds()).unwrap_or(i64::MAX);
            let until = facts
                .now
                .checked_add(jiff::SignedDuration::from_secs(seconds))
                .ok();
            let wanted = |now: u32| {
                let more = (f64::from(now) * by_percent / 100.0).ceil().max(1.0);
                now.saturating_add(more as u32)
            };
            let relief = more_members(resource, wanted, facts.now, until, facts.catalogue);
            relieved(facts, relief, Impact::Low)
        }
        RunbookRemedy::FailOver => {
            let spec = &resource.specification;
            match (&spec.zone, &spec.standby_zone) {
                (Some(from), Some(to)) => {
                    let words = format!("Let the standby of {} in {to} take over", resource.name);
                    let relief = Relief::advice(words, Effort::Medium, "")
                        .free()
                        .planned(fail_over(resource, from, to));
                    relieved(facts, relief, Impact::Medium)
                }
                _ => advice("the zones of its primary and its standby are not known"),
            }
        }
        RunbookRemedy::Replicate => relieved(facts, read_replica(resource), Impact::Medium),
        RunbookRemedy::RunDocument { document } => run(facts, document),
        RunbookRemedy::Configuration { row } => configured(facts, row)
            .unwrap_or_else(|why| advice(&format!("{} cannot be offered here: {why}", row.name))),
    }
}

/// Effects of advice: none until people act.
fn advised(resource: &Resource, relief: Relief) -> Mending {
    Mending {
        level: risk(resource, Hazards::default()),
        performance: (None, "Not measured".to_owned()),
        cost: (None, "Not known: people choose the change".to_owned()),
        relief,
    }
}

/// Effects of a change that gives a resource more of what is short.
fn relieved(facts: &Facts<'_>, relief: Relief, least: Impact) -> Mending {
    let resource = facts.resource;
    let hazards = Hazards {
        iac: owned_by_code(resource).is_some(),
        unpriced: relief.added.is_none(),
        idle: true,
        ..Hazards::default()
    };
    let percent = relief.cost_percent(resource.monthly_cost);
    let words = if relief.plan.as_ref().is_some_and(|plan| plan.restart_needed) {
        "it is away while it restarts, and has more of what is short afterwards"
    } else {
        "it serves on, with more of what is short"
    };
    Mending {
        level: relief.risk(resource, hazards).max(least),
        performance: (Some(0.0), words.to_owned()),
        cost: (percent, relief.cost_words(None)),
        relief,
    }
}

/// Runs a document of people, once an hour at most: the hour is its occasion.
fn run(facts: &Facts<'_>, document: &str) -> Mending {
    let resource = facts.resource;
    let words = format!("Run the document {document} on {}", resource.name);
    let relief = Relief::advice(words, Effort::Low, "").free();
    let relief = if resource.state == ResourceState::Running {
        let occasion = facts.now.strftime("%Y-%m-%dT%H").to_string();
        relief.planned(run_document(resource, document, false, &occasion))
    } else {
        relief
    };
    let hazards = Hazards {
        unmeasured: true,
        ..Hazards::default()
    };
    Mending {
        level: risk(resource, hazards),
        performance: (
            Some(0.0),
            "by the document, which people wrote for this".to_owned(),
        ),
        cost: (Some(0.0), "none".to_owned()),
        relief,
    }
}

/// Changes a setting by a row of the catalogue.
fn configured(facts: &Facts<'_>, row: &'static ConfigurationRow) -> Result<Mending, Obstacle> {
    let resource = facts.resource;
    let document = facts
        .document
        .ok_or_else(|| Obstacle::of("its configuration was not read"))?;
    let change = change_by_row(row, resource, document, &BTreeMap::new(), facts.now)?;
    let words = format!("Change {} of {}", row.about, resource.name);
    let mut relief =
        Relief::advice(words, Effort::Low, "").planned(Plan::new(&change, resource.id.as_str()));
    relief.notes.extend(row.loses.map(str::to_owned));

    let cost = match row.billed {
        Some(billed) => (None, billed.to_owned()),
        None => {
            relief.added = Some(Money::ZERO);
            (Some(0.0), "none: the setting is not charged".to_owned())
        }
    };
    let performance = match (row.loses, row.restarts) {
        (None, false) => (Some(0.0), "none: it serves on as before".to_owned()),
        (Some(loses), _) => (None, loses.to_owned()),
        (None, true) => (None, "it restarts".to_owned()),
    };
    Ok(Mending {
        relief,
        performance,
        level: row.risk,
        cost,
    })
}

/// An issue whose runbook did not help is for people, and no less grave than high.
fn priority(resource: &Resource, own: Priority, is_escalated: bool) -> Priority {
    match (is_escalated, is_production(resource)) {
        (true, true) => Priority::Critical,
        (true, false) => own.min(Priority::High),
        (false, _) => own,
    }
}

fn factors(
    case: &RunbookCase,
    answers: &[ConditionAnswer],
    relief: &Relief,
    breaker: Option<&Breaker>,
    code_owner: Option<&str>,
) -> Factors {
    let runbook = &case.runbook;
    let mut factors: Factors = answers
        .iter()
        .map(|answer| (FactorKind::Measured, answer.words.clone()))
        .collect();
    factors.extend(
        relief
            .consequences(code_owner)
            .map(|text| (FactorKind::Consequence, text)),
    );
    if let Some(breaker) = breaker {
        let words = format!(
            "Escalated: {} changes by the runbook {} failed or did not help; the last: {}",
            breaker.failures, runbook.name.0, breaker.reason
        );
        factors.add(FactorKind::Consequence, words);
    } else if relief.plan.is_some() {
        let tests: Vec<String> = runbook.when.iter().map(|test| test.words()).collect();
        let words = format!(
            "Verified {} after the change by the condition itself ({}): if the issue is still there, the change counts as failed",
            runbook.verify_after,
            tests.join("; ")
        );
        factors.add(FactorKind::Consequence, words);
    }
    let words = format!(
        "The confidence follows from the past of the runbook {}: it helped {} times and failed {} times in 90 days",
        runbook.name.0, case.helped, case.failed
    );
    factors.add(FactorKind::Confidence, words);
    if relief.plan.is_none() && relief.by_hand.is_none() {
        factors.add(
            FactorKind::Consequence,
            advice_only("the resource does not run"),
        );
    }
    factors
}
