//! `identify_idle_resources`: 0 % utilization for 7 days, and no work in the whole history that is
//! known, or none since a day that the finding names ([`super::ended`]). The plan stops, after a
//! snapshot; nothing is ever deleted. What works at times that come again is left to
//! [`super::schedule`].
//!
//! No cloud reports an exact 0 for a machine that is on, so 0 % is what rounds to it: mean below
//! 0.5, p99 below 1, and no hour of work in any dimension ([`super::work`]). A machine must also be
//! silent on the network, which has to be measured: what is not measured is not idle. A database is
//! idle when nobody connected, whatever its CPU says.

use reeve_estate::ResourceKind;
use reeve_learn::{Summary, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::models::ModelUse;
use reeve_recommend::plan::procedure::{iac_note, restarts_by_itself, stop_idle, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, NEEDS_PERSON, RecommendationType,
};
use reeve_recommend::words::{byte_rate, dollars, percent, thousands};

use super::bill::MachineBill;
use super::ended::EndedWork;
use super::evidence::CostEvidence;
use super::idleness::{MEAN_PERCENT, NETWORK_MEAN, NETWORK_P99, P99_PERCENT, is_quiet, is_zero};
use super::rhythm::{NoRhythm, UsageRhythm};
use super::work::{CPU_PERCENT, NETWORK_BYTES, Work};
use super::{margin, outlook, schedule};
use crate::confidence::{Confidence, backtest, confidence, signs};
use crate::load::Load;

const COVERAGE: f64 = 0.9;
/// Share of the hours from which on a resource is simply in use.
const IN_USE: f64 = 0.5;

/// Measured days from which a job of the quarter would have shown.
const QUARTER_DAYS: f64 = 85.0;

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;
const RULE: &str = "identify_idle_resources";

pub(super) fn judge(evidence: &CostEvidence<'_>) -> Result<Proposal, Abstention> {
    let mut path = Path::default();
    let database = evidence.facts.resource.kind == ResourceKind::Database;
    can_stop(evidence)?;
    let load = if database {
        covered(
            evidence.connections.as_ref(),
            evidence,
            "connections",
            &mut path,
        )?;
        evidence.connections.as_ref()
    } else {
        covered(evidence.cpu.as_ref(), evidence, "CPU", &mut path)?;
        covered(
            evidence.network.as_ref(),
            evidence,
            "network traffic",
            &mut path,
        )?;
        evidence.cpu.as_ref()
    };

    let unmeasured = || Abstention::unjudged(KIND, "not_measured", "nothing was measured");
    let (load, work) = load
        .zip(Work::from_evidence(evidence))
        .ok_or_else(unmeasured)?;
    let days = work.days_observed();
    let words = format!(
        "No work in {days:.0} days of {}: highest {}",
        work.dimensions.join(", "),
        work.peak_words()
    );
    let worked = work.worked().count();
    let detail = match worked {
        0 => words.clone(),
        _ => format!(
            "it worked in {} of {} hours, on {} of {days:.0} days (highest {})",
            thousands(worked as u64),
            thousands(work.measured() as u64),
            work.days_worked(),
            work.peak_words()
        ),
    };

    let never = path.ask(
        "Did it work in no hour of the whole history?",
        worked == 0,
        detail.clone(),
    );
    let ended = EndedWork::from_work(&work, evidence.settings.idle_days, evidence.now_ms)
        .filter(|_| !never);
    let words = match ended {
        Some(ended) => {
            path.ask("Has its work ended?", true, ended.words());
            ended.words()
        }
        None if never => words,
        None => return worked_sometimes(evidence, &work, &detail, path),
    };
    let mut factors = Factors::from([(FactorKind::Measured, words)]);
    let outlook = will_stay_idle(evidence, days, &mut factors, &mut path)?;

    let silence = if database {
        silent_database(evidence, &mut path)?
    } else {
        silent_machine(evidence, &mut path)?
    };
    factors.add(FactorKind::Measured, silence);

    let mut proposal = propose(evidence, load, days, factors, path);
    proposal.explanation.models = outlook.models;

    if outlook.needs_person {
        proposal.reason_codes.extend([
            "history_below_a_quarter".to_owned(),
            NEEDS_PERSON.to_owned(),
        ]);
    }

    if let Some(ended) = ended {
        leave_to_people(&mut proposal, &evidence.facts.resource.name, &ended);
    }

    Ok(proposal)
}

/// Names the day on which the work stopped. Whether the resource is still needed is a question for
/// its team.
fn leave_to_people(proposal: &mut Proposal, name: &str, ended: &EndedWork) {
    let (day, days) = (ended.day(), ended.silent_days());
    proposal.title = title(
        "Stop ",
        name,
        &format!(": idle since {day}, for {days:.0} days"),
    );
    proposal.reason_codes.push("idle_since_work".to_owned());
    if !proposal
        .reason_codes
        .iter()
        .any(|code| code == NEEDS_PERSON)
    {
        proposal.reason_codes.push(NEEDS_PERSON.to_owned());
    }

    proposal.explanation.risk = proposal.explanation.risk.max(Impact::Medium);
    let text = format!(
        "It was in use until {day}. No agent stops it automatically: ask its team whether the work has ended"
    );
    proposal
        .explanation
        .factors
        .add(FactorKind::Consequence, text);
}

/// Abstains where a stop is refused, so that it is not proposed as advice either.
fn can_stop(evidence: &CostEvidence<'_>) -> Result<(), Abstention> {
    let resource = evidence.facts.resource;
    let change = if resource.kind == ResourceKind::Database {
        "stop_database"
    } else {
        "stop_machine"
    };

    match refusal(resource, change, evidence.facts.catalogue) {
        Some(protected) => Err(protected.into_abstention(Some(KIND))),
        None => Ok(()),
    }
}

/// Answer about the weeks to come.
struct Outlook {
    models: Vec<ModelUse>,
    /// Neither a model nor the measured days reach over a quarter.
    needs_person: bool,
}

/// Asks the usage model whether work comes again after a pause that is longer than what a judgement
/// looks at: a job of the quarter is not idle in between. Where no model has learned the resource,
/// either the measured days are as long as a model's history, or a person decides.
fn will_stay_idle(
    evidence: &CostEvidence<'_>,
    days: f64,
    factors: &mut Factors,
    path: &mut Path,
) -> Result<Outlook, Abstention> {
    let question = "Does it stay idle, by the weeks that the usage model has learned?";
    match outlook::recurrence(evidence, |_| true) {
        Ok((model, measured, None)) => {
            let statement = format!("no use that comes again in {measured} days");
            path.ask(question, true, format!("{statement} ({})", model.words()));
            Ok(Outlook {
                models: vec![model.says(statement)],
                needs_person: false,
            })
        }
        Ok((model, measured, Some(found))) => {
            let detail = outlook::recurrence_words(model, measured, &found);
            path.ask(question, false, detail.clone());
            Err(Abstention::decided(KIND, "use_comes_again", detail))
        }
        Err(reason) => {
            let needs_person = days < QUARTER_DAYS;
            let basis = if needs_person {
                "A job of the quarter would not show in the measured days: a person decides, or a history of 90 days"
            } else {
                "The measured days alone decide"
            };
            factors.add(
                FactorKind::Confidence,
                format!("No longer history: {reason}. {basis}"),
            );
            path.unanswered(question, reason);
            Ok(Outlook {
                models: Vec::new(),
                needs_person,
            })
        }
    }
}

/// Decides on a resource that is used at times: a recurring schedule leads to stopping it outside
/// of those times; any other use means that it is not idle.
fn worked_sometimes(
    evidence: &CostEvidence<'_>,
    work: &Work,
    detail: &str,
    path: Path,
) -> Result<Proposal, Abstention> {
    let database = evidence.facts.resource.kind == ResourceKind::Database;
    let in_use = if database {
        "connections_in_use"
    } else {
        "cpu_in_use"
    };

    let why = match UsageRhythm::from_work(work, evidence.now_ms) {
        Ok(rhythm) => match schedule::judge(evidence, work, &rhythm, path) {
            Ok(proposal) => return Ok(proposal),
            Err(_) if work.share() > IN_USE => in_use,
            Err(abstention) => return Err(abstention),
        },
        Err(NoRhythm::Ended) => "worked_before",
        Err(_) if work.share() > IN_USE => in_use,
        Err(NoRhythm::TooShort) => {
            let detail =
                format!("{detail}: three whole weeks are needed to learn its working hours");
            return Err(Abstention::unjudged(KIND, "rhythm_unknown", detail));
        }
        Err(NoRhythm::Rare) => "rare_work",
        Err(NoRhythm::Irregular) => "irregular_work",
    };

    Err(Abstention::decided(KIND, why, detail))
}

/// Returns `true` if the resource was unused during a window; `None` without measurements.
pub(super) fn stayed_idle(evidence: &CostEvidence<'_>, window: Window) -> Option<bool> {
    if evidence.facts.resource.kind == ResourceKind::Database {
        return evidence
            .connections
            .as_ref()?
            .summary(window)
            .map(|s| s.coverage >= 0.8 && s.max <= 0.0);
    }

    let quiet = evidence
        .network
        .as_ref()
        .and_then(|n| n.summary(window))
        .is_some_and(|n| is_quiet(&n) && n.max < NETWORK_BYTES);

    evidence
        .cpu
        .as_ref()?
        .summary(window)
        .map(|s| s.coverage >= 0.8 && is_zero(&s) && s.max < CPU_PERCENT && quiet)
}

fn covered(
    load: Option<&Load>,
    evidence: &CostEvidence<'_>,
    name: &str,
    path: &mut Path,
) -> Result<Summary, Abstention> {
    let days = evidence.settings.idle_days;
    let window = evidence.last_days(days);
    let question = format!("Was {name} measured for {days} days?");
    let Some(summary) = load.and_then(|load| load.summary(window)) else {
        path.unanswered(question, "not measured");
        return Err(Abstention::unjudged(
            KIND,
            "not_measured",
            format!("{name} was not measured, and that is not idle"),
        ));
    };

    let detail = format!(
        "{} points, {} of the last {days} days",
        thousands(summary.count),
        percent(summary.coverage * 100.0)
    );

    if path.ask(question, summary.coverage >= COVERAGE, detail.clone()) {
        Ok(summary)
    } else {
        Err(Abstention::unjudged(
            KIND,
            "thin_data",
            format!("{name}: {detail}"),
        ))
    }
}

fn silent_machine(evidence: &CostEvidence<'_>, path: &mut Path) -> Result<String, Abstention> {
    let days = evidence.settings.idle_days;
    let window = evidence.last_days(days);
    let unmeasured =
        || Abstention::unjudged(KIND, "not_measured", "CPU and network were not measured");
    let summary = |load: &Option<Load>| {
        load.as_ref()
            .and_then(|load| load.summary(window))
            .ok_or_else(unmeasured)
    };
    let (cpu, network) = (summary(&evidence.cpu)?, summary(&evidence.network)?);

    let cpu_words = format!(
        "CPU over {days} days: mean {:.2} %, p99 {:.2} %, highest {:.2} %, {} points; 0 % is mean below {MEAN_PERCENT} and p99 below {P99_PERCENT}",
        cpu.mean,
        cpu.p99,
        cpu.max,
        thousands(cpu.count)
    );

    if !path.ask(
        format!("Was CPU 0 % for {days} days?"),
        is_zero(&cpu),
        cpu_words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "cpu_in_use", cpu_words));
    }

    let network_words = format!(
        "Network over {days} days: mean {}, p99 {}; limits {} and {}",
        byte_rate(network.mean),
        byte_rate(network.p99),
        byte_rate(NETWORK_MEAN),
        byte_rate(NETWORK_P99)
    );

    if !path.ask(
        "Was the network silent?",
        is_quiet(&network),
        network_words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "network_in_use", network_words));
    }

    Ok(format!("{cpu_words}. {network_words}"))
}

fn silent_database(evidence: &CostEvidence<'_>, path: &mut Path) -> Result<String, Abstention> {
    let days = evidence.settings.idle_days;
    let connections = covered(evidence.connections.as_ref(), evidence, "connections", path)?;
    Ok(format!(
        "Connections over {days} days: highest {:.0}, {} points",
        connections.max,
        thousands(connections.count)
    ))
}

fn propose(
    evidence: &CostEvidence<'_>,
    load: &Load,
    days: f64,
    mut factors: Factors,
    mut path: Path,
) -> Proposal {
    let resource = evidence.facts.resource;
    let counted = backtest(
        evidence.history(),
        load,
        evidence.settings.idle_days,
        |before, day| {
            stayed_idle(evidence, before)
                .filter(|idle| *idle)
                .and_then(|_| stayed_idle(evidence, day))
        },
    );

    let margins = margin::idle(evidence);
    let trust: Confidence = confidence(counted, &margins, 0.0, None);
    let signs = signs(evidence.facts, margins, counted.windows, 0.0);
    path.ask(
        "Backtest: was it idle on unseen days?",
        counted.held == counted.windows,
        trust.words(),
    );
    let bill = MachineBill::from_evidence(evidence);
    let iac = owned_by_code(resource);
    let hazards = Hazards {
        unmeasured: false,
        iac: iac.is_some(),
        unpriced: bill.compute.is_none(),
        idle: true,
    };

    let savings = bill.compute;
    let monthly_cost = resource.monthly_cost.or(bill.compute);
    factors.add(FactorKind::Confidence, trust.words());
    factors.add(FactorKind::Price, bill.words(resource, 1.0));
    let mut reason_codes = vec![
        if resource.kind == ResourceKind::Database {
            "no_connections"
        } else {
            "cpu_and_network_zero"
        }
        .to_owned(),
        "stop_not_delete".to_owned(),
    ];

    if restarts_by_itself(resource) {
        reason_codes.push("restarts_after_seven_days".to_owned());
        let text = "RDS starts a stopped database again after seven days; stop it again or delete it by hand";
        factors.add(FactorKind::Consequence, text);
    }

    let not_measured = evidence.not_measured(bill.compute.is_none());
    let impact = ImpactAssessment {
        cost_percent: bill.share_percent(1.0).map(|share| -share),
        cost: bill.words(resource, 1.0),
        performance_degradation_percent: Some(0.0),
        performance: "none expected: nothing used it; starting it again takes minutes".to_owned(),
        security: "one machine less that can be reached".to_owned(),
    };

    let level = risk(resource, hazards);
    let explanation =
        explain(evidence, factors, path, &bill, &impact, level).with_confidence_range(trust.range);

    let mut proposal = Proposal::new(
        KIND,
        RULE,
        title(
            "Stop ",
            &resource.name,
            &format!(": idle for {days:.0} days"),
        ),
        subject(resource, None),
        impact,
        explanation,
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(trust.percent, Trust::new(trust.raw, None, &signs))
    .with_impact_level(evidence.impact_level(savings, monthly_cost, hazards))
    .with_savings(savings)
    .with_monthly_cost(monthly_cost)
    .with_plan(stop_idle(resource, evidence.facts.volumes))
    .with_reason_codes(reason_codes)
    .with_not_measured(not_measured);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    bill.apply_discounts(evidence.facts, &mut proposal);
    proposal
}

fn explain(
    evidence: &CostEvidence<'_>,
    factors: Factors,
    path: Path,
    bill: &MachineBill,
    impact: &ImpactAssessment,
    risk: Impact,
) -> Explanation {
    let resource = evidence.facts.resource;
    Explanation::new(
        format!(
            "Stop {} ({}) after a snapshot; nothing is deleted",
            resource.name, resource.id
        ),
        risk,
    )
    .with_factors(factors)
    .with_data_points(evidence.data_points())
    .with_cost_reduction(match bill.compute {
        Some(compute) => format!("{} a month of compute", dollars(compute)),
        None => "not claimed: no list price".to_owned(),
    })
    .with_performance_impact(impact.performance.clone())
    .with_decision_path(path.into_decisions())
}
