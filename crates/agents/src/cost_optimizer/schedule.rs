//! Stopping a resource outside its working times: for what works at hours of the week that come
//! again and is idle between them. Advice: Reeve has no step that starts a machine again by the
//! clock; the cloud's own scheduler has.

use reeve_estate::{Money, ResourceKind};
use reeve_learn::calibrate::Daily;
use reeve_learn::{DAY_MS, HOUR_MS, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::models::ModelUse;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};
use reeve_recommend::words::{byte_rate, dollars, percent};

use super::bill::MachineBill;
use super::evidence::CostEvidence;
use super::outlook;
use super::rhythm::UsageRhythm;
use super::work::Work;
use crate::confidence::{backtest, confidence, signs};
use crate::load::Load;

/// The code of a proposal to stop outside the working times.
pub(super) const CODE: &str = "works_at_known_times";
/// Share of the week that it can be off at least.
const LEAST_OFF: f64 = 0.3;
/// Mean CPU between the working times at most, percent.
const BETWEEN_CPU: f64 = 1.0;
/// Mean network between the working times at most, bytes a second.
const BETWEEN_NETWORK: f64 = 5_000.0;
/// Days of training in the backtest: three weeks are a rhythm.
const TRAINING_DAYS: i64 = 21;

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;

pub(super) fn judge(
    evidence: &CostEvidence<'_>,
    work: &Work,
    rhythm: &UsageRhythm,
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let off = rhythm.off_share();
    let reason = format!(
        "{}, which leaves {} of the week",
        rhythm.words(),
        percent(off * 100.0)
    );

    if !path.ask(
        "Do its working times come again and leave it off for long?",
        off >= LEAST_OFF,
        reason.clone(),
    ) {
        return Err(Abstention::decided(KIND, "works_most_hours", reason));
    }

    let between = |load: &Option<Load>| {
        load.as_ref()
            .and_then(|load| mean_between(evidence, load, rhythm))
    };
    let (cpu, network) = (between(&evidence.cpu), between(&evidence.network));

    let database = evidence.facts.resource.kind == ResourceKind::Database;
    let quiet = database
        || cpu.is_some_and(|cpu| cpu < BETWEEN_CPU)
            && network.is_some_and(|network| network < BETWEEN_NETWORK);
    let reason = if database {
        "there are no connections between them".to_owned()
    } else {
        let unknown = || "not measured".to_owned();
        let (cpu, network) = (
            cpu.map_or_else(unknown, percent),
            network.map_or_else(unknown, byte_rate),
        );
        format!("between them mean CPU {cpu}, network {network}")
    };

    if !path.ask(
        "Is it idle between its working times?",
        quiet,
        reason.clone(),
    ) {
        return Err(Abstention::decided(KIND, "busy_between", reason));
    }

    let models = keeps_to_times(evidence, rhythm, &mut path)?;
    let mut proposal = propose(evidence, work, rhythm, reason, path);

    if models.is_empty() {
        let untold = "No usage model covers a longer history, so only the measured days decide";
        proposal
            .explanation
            .factors
            .add(FactorKind::Confidence, untold);
    }

    proposal.explanation.models = models;
    Ok(proposal)
}

/// Asks the usage model whether it is used outside its working times after a pause that is longer
/// than what a judgement looks at.
fn keeps_to_times(
    evidence: &CostEvidence<'_>,
    rhythm: &UsageRhythm,
    path: &mut Path,
) -> Result<Vec<ModelUse>, Abstention> {
    let question = "Is it used at no other time, by the weeks that the usage model has learned?";
    match outlook::recurrence(evidence, |hour| !rhythm.foretells(hour)) {
        Ok((model, measured, None)) => {
            let statement =
                format!("no use outside these times that comes again in {measured} days");
            path.ask(question, true, format!("{statement} ({})", model.words()));
            Ok(vec![model.says(statement)])
        }
        Ok((model, measured, Some(found))) => {
            let detail = format!(
                "outside these times {}",
                outlook::recurrence_words(model, measured, &found)
            );
            path.ask(question, false, detail.clone());
            Err(Abstention::decided(KIND, "used_at_other_times", detail))
        }
        Err(reason) => {
            path.unanswered(question, reason);
            Ok(Vec::new())
        }
    }
}

/// The mean of a load outside the working times and the hours beside them.
fn mean_between(evidence: &CostEvidence<'_>, load: &Load, rhythm: &UsageRhythm) -> Option<f64> {
    let points = evidence.history().select(&load.points).iter();
    let between: Vec<f64> = points
        .filter(|(at, _)| !rhythm.foretells(at.div_euclid(HOUR_MS)))
        .map(|(_, value)| *value)
        .collect();
    (!between.is_empty()).then(|| between.iter().sum::<f64>() / between.len() as f64)
}

/// Returns `true` where all work of a window is in the working times or beside them.
fn holds(work: &Work, rhythm: &UsageRhythm, window: Window) -> bool {
    let hours = window.start_ms.div_euclid(HOUR_MS)..window.end_ms.div_euclid(HOUR_MS);
    work.worked()
        .filter(|hour| hours.contains(hour))
        .all(|hour| rhythm.foretells(hour))
}

/// Returns `true` if the use after a time stayed within the working hours known by then; `None` if
/// none were known.
pub(super) fn kept_to(
    before: &CostEvidence<'_>,
    evidence: &CostEvidence<'_>,
    after: Window,
) -> Option<bool> {
    let rhythm = UsageRhythm::from_work(&Work::from_evidence(before)?, before.now_ms).ok()?;
    Some(holds(&Work::from_evidence(evidence)?, &rhythm, after))
}

fn propose(
    evidence: &CostEvidence<'_>,
    work: &Work,
    rhythm: &UsageRhythm,
    between: String,
    mut path: Path,
) -> Proposal {
    let resource = evidence.facts.resource;
    let load = evidence.cpu.as_ref().or(evidence.connections.as_ref());
    let counted = load.map(|load| {
        backtest(evidence.history(), load, TRAINING_DAYS, |before, day| {
            let known = UsageRhythm::from_work(&work.until(before.end_ms), before.end_ms).ok()?;
            Some(holds(work, &known, day))
        })
    });

    let margins = margins(evidence, work, rhythm);
    let trust = confidence(counted.unwrap_or_default(), &margins, 0.0, None);
    let signs = signs(evidence.facts, margins, trust.backtest.windows, 0.0);
    path.ask(
        "Backtest: did it keep to them on unseen days?",
        trust.backtest.held == trust.backtest.windows,
        trust.words(),
    );
    let off = rhythm.off_share();
    let bill = MachineBill::from_evidence(evidence);
    let savings = bill.saving(off);
    let monthly_cost = resource.monthly_cost.or(bill.compute);
    let iac = owned_by_code(resource);
    let hazards = Hazards {
        unmeasured: false,
        iac: iac.is_some(),
        unpriced: savings.is_none(),
        idle: true,
    };

    let times = rhythm.words();
    let cost = bill.words(resource, off);
    let explanation = explain(
        evidence,
        work,
        &times,
        [trust.words(), between, cost.clone()],
        savings,
        risk(resource, hazards),
    )
    .with_confidence_range(trust.range)
    .with_decision_path(path.into_decisions());

    let mut proposal = Proposal::new(
        KIND,
        "identify_idle_resources",
        title("Stop ", &resource.name, " outside its working times"),
        subject(resource, None),
        ImpactAssessment {
            cost_percent: bill.share_percent(off).map(|share| -share),
            cost,
            performance_degradation_percent: None,
            performance: explanation.performance_impact.clone(),
            security: "one machine less that can be reached outside its working times".to_owned(),
        },
        explanation,
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(trust.percent, Trust::new(trust.raw, None, &signs))
    .with_impact_level(evidence.impact_level(savings, monthly_cost, hazards))
    .with_savings(savings)
    .with_monthly_cost(monthly_cost)
    .with_reason_codes(vec![CODE.to_owned(), "advice_only".to_owned()])
    .with_not_measured(evidence.not_measured(savings.is_none()));

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    bill.apply_discounts(evidence.facts, &mut proposal);
    proposal
}

/// The explanation; its path and the range of its confidence are added by the caller.
fn explain(
    evidence: &CostEvidence<'_>,
    work: &Work,
    times: &str,
    [trust, between, cost]: [String; 3],
    savings: Option<Money>,
    risk: Impact,
) -> Explanation {
    let resource = evidence.facts.resource;
    Explanation::new(
        format!(
            "Stop and start {} ({}) by the clock, so that it runs {times} and an hour before",
            resource.name, resource.id
        ),
        risk,
    )
    .with_factors(Factors::from([
        (
            FactorKind::Measured,
            format!(
                "It worked on {} of {:.0} days, each time {times}; {between}",
                work.days_worked(),
                work.days_observed()
            ),
        ),
        (FactorKind::Price, cost),
        (FactorKind::Confidence, trust),
    ]))
    .with_data_points(evidence.data_points())
    .with_cost_reduction(match savings {
        Some(saved) => format!("{} a month of compute", dollars(saved)),
        None => "not claimed: no list price".to_owned(),
    })
    .with_performance_impact(format!(
        "none at its working times ({times}); at others it does not answer"
    ))
}

/// Returns each day's adherence to the working hours: 1 without use outside of them, less for each
/// hour with such use.
fn margins(evidence: &CostEvidence<'_>, work: &Work, rhythm: &UsageRhythm) -> Daily {
    let days = evidence.history().blocks(DAY_MS);
    let margin = |day: &Window| {
        let hours = day.start_ms.div_euclid(HOUR_MS)..day.end_ms.div_euclid(HOUR_MS);
        if !hours.clone().any(|hour| work.is_measured(hour)) {
            return None;
        }
        let outside = hours
            .clone()
            .filter(|hour| work.worked_in(*hour) && !rhythm.works_at(*hour))
            .count();
        // Working times that it did not use say that they are wider than its work.
        let unused = hours
            .clone()
            .filter(|hour| rhythm.works_at(*hour) && !work.worked_in(*hour))
            .count();
        Some(1.0 - 0.25 * outside as f64 - 0.02 * unused as f64)
    };

    days.iter().map(margin).collect()
}
