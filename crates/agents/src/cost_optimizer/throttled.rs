//! `upgrade_throttled`: CPU above 90 % for 3 days, or a burstable machine held down at its baseline
//! without credits.

use reeve_estate::{InstanceSpec, Money};
use reeve_learn::calibrate::Daily;
use reeve_learn::{Summary, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::assessment::{Hazards, is_production, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::iac_note;
use reeve_recommend::recommendation::{
    Effort, Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use reeve_recommend::words::{dollars, figures, percent, thousands};

use super::burstable::baseline_percent;
use super::evidence::CostEvidence;
use super::fit::vcpu_ratio;
use super::larger::{self, Larger, Short, sustained};
use super::margin;
use super::outlook::{self, Passing};
use super::price::PriceStep;
use crate::confidence::{Confidence, backtest, confidence, signs};
use crate::discounts;
use crate::load::Load;

const COVERAGE: f64 = 0.9;
/// Median CPU of a held-out day above which the larger size is still needed, percent.
pub(super) const STILL_WANTED_PERCENT: f64 = 80.0;
/// Credits below this are as good as none.
pub(super) const NO_CREDITS: f64 = 1.0;

/// Confidence at most of a need that is forecast and was not measured yet, percent.
const FORECAST_CAP: f64 = 60.0;

const KIND: RecommendationType = RecommendationType::InstanceType;
const RULE: &str = "upgrade_throttled";
/// Reason code of a need that shows in CPU credits.
pub(super) const CREDITS_EXHAUSTED: &str = "cpu_credits_exhausted";

pub(super) fn judge(evidence: &CostEvidence<'_>) -> Result<Proposal, Abstention> {
    let (limit, days) = (
        evidence.settings.upgrade_above_percent,
        evidence.settings.upgrade_days,
    );
    let window = evidence.last_days(days);
    let none = || {
        Abstention::unjudged(
            KIND,
            "no_cpu_samples",
            format!("no CPU samples in {days} days"),
        )
    };
    let cpu = evidence.cpu.as_ref().ok_or_else(none)?;
    let summary = cpu.summary(window).ok_or_else(none)?;

    let mut path = Path::default();
    let detail = format!(
        "{} points, {} of the last {days} days",
        thousands(summary.count),
        percent(summary.coverage * 100.0)
    );

    if !path.ask(
        format!("Was CPU measured for {days} days?"),
        summary.coverage >= COVERAGE,
        detail.clone(),
    ) {
        return Err(Abstention::unjudged(KIND, "thin_data", detail));
    }

    let saturated = path.ask(
        format!("Are mean and median CPU above {limit:.0} % over {days} days?"),
        is_saturated(&summary, limit),
        cpu_words(evidence, &summary),
    );
    let starved = !saturated && is_starved(evidence, &summary, &mut path);
    let foreseen = if saturated || starved {
        None
    } else {
        outlook::passes(evidence, &summary)
    };

    if !saturated && !starved && foreseen.is_none() {
        return Err(Abstention::decided(
            KIND,
            "cpu_not_throttled",
            cpu_words(evidence, &summary),
        ));
    }

    let from = evidence.size.as_ref().ok_or_else(|| {
        Abstention::unjudged(
            KIND,
            "size_unknown",
            "its size is not in the catalogue".to_owned(),
        )
    })?;

    let short = if starved {
        Short::Credits
    } else {
        Short::Processors(summary.mean)
    };

    let short = foreseen.as_ref().map_or(short, |passing| {
        path.ask(
            format!("Does the forecast pass {limit:.0} %?"),
            true,
            passing.words.clone(),
        );
        Short::Processors(passing.mean)
    });
    let to = larger::choose(evidence, from, short)
        .map_err(|why| Abstention::decided(KIND, "no_larger_size", why))?;

    path.ask(
        "Is there a size with more of what is short?",
        true,
        format!("{} is the cheapest that holds the whole load", to.name),
    );

    let need = match (starved, &foreseen) {
        (true, _) => Need::Credits,
        (false, Some(_)) => Need::Foreseen,
        (false, None) => Need::Measured,
    };
    let mut proposal = propose(evidence, from, to, cpu, &summary, need, path);
    if let Some(passing) = foreseen {
        add_forecast(&mut proposal, passing);
    }

    Ok(proposal)
}

/// Evidence of the need for a larger size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// CPU that was measured above the threshold.
    Measured,
    /// CPU that is forecast above the threshold.
    Foreseen,
    /// A burstable machine that ran out of credits.
    Credits,
}

impl Need {
    /// Reason code of a proposal.
    fn code(self, limit_percent: f64) -> String {
        match self {
            Need::Measured => format!("cpu_above_{limit_percent:.0}"),
            Need::Foreseen => format!("forecast_above_{limit_percent:.0}"),
            Need::Credits => CREDITS_EXHAUSTED.to_owned(),
        }
    }
}

/// Makes a proposal one of a need that is to come: it rests on the forecast, no past day can
/// confirm it, and it is less urgent.
fn add_forecast(proposal: &mut Proposal, passing: Passing) {
    proposal.priority = Priority::Medium;
    proposal.confidence = proposal.confidence.min(FORECAST_CAP);
    proposal.trust.cap_percent = Some(FORECAST_CAP);
    proposal
        .explanation
        .factors
        .add(FactorKind::Forecast, passing.words);
    proposal.explanation.models.push(passing.model);
}

fn is_saturated(summary: &Summary, limit: f64) -> bool {
    summary.mean > limit && summary.p50 > limit
}

fn cpu_words(evidence: &CostEvidence<'_>, summary: &Summary) -> String {
    let (limit, days) = (
        evidence.settings.upgrade_above_percent,
        evidence.settings.upgrade_days,
    );
    format!(
        "CPU mean {}, median {} over {days} days, {} points, limit {limit:.0} %",
        percent(summary.mean),
        percent(summary.p50),
        thousands(summary.count)
    )
}

/// Returns `true` if a burstable machine ran out of credits and was limited to its baseline; mean
/// CPU alone does not show that.
fn is_starved(evidence: &CostEvidence<'_>, cpu: &Summary, path: &mut Path) -> bool {
    let days = evidence.settings.upgrade_days;
    let Some(spec) = evidence.size.as_ref().filter(|spec| spec.burstable) else {
        return false;
    };

    let question = "Was it held at its baseline for want of CPU credits?";
    let window = evidence.last_days(days);
    let credits = evidence
        .credits
        .as_ref()
        .and_then(|load| load.summary(window))
        .filter(|c| c.coverage >= COVERAGE);

    let (Some(credits), Some(baseline)) = (credits, baseline_percent(spec)) else {
        path.unanswered(question, "credit balance or baseline is not known");
        return false;
    };

    let held = credits.p95 < NO_CREDITS && cpu.mean >= baseline * 0.9;
    let detail = format!(
        "95 % of the time fewer than {:.1} credits, mean CPU {} at a baseline of {}",
        credits.p95,
        percent(cpu.mean),
        percent(baseline)
    );

    path.ask(question, held, detail)
}

/// Returns `true` if the demand for a larger size lasted through a window; `None` if it was not
/// measured well enough.
pub(super) fn still_wanted(
    evidence: &CostEvidence<'_>,
    window: Window,
    starved: bool,
) -> Option<bool> {
    let load = if starved {
        evidence.credits.as_ref()
    } else {
        evidence.cpu.as_ref()
    };

    let summary = load?
        .summary(window)
        .filter(|summary| summary.coverage >= 0.7)?;
    Some(if starved {
        summary.p50 < NO_CREDITS
    } else {
        summary.p50 > STILL_WANTED_PERCENT
    })
}

/// Returns the confidence: the share of days that still needed the larger size after three such
/// days.
fn trust(evidence: &CostEvidence<'_>, cpu: &Load, margins: &Daily, starved: bool) -> Confidence {
    let empty = |window| {
        evidence
            .credits
            .as_ref()
            .and_then(|c| c.summary(window))
            .map(|c| c.p95 < NO_CREDITS)
    };

    let counted = backtest(
        evidence.history(),
        cpu,
        evidence.settings.upgrade_days,
        |before, day| {
            if starved {
                return empty(before)
                    .filter(|empty| *empty)
                    .and_then(|_| empty(day));
            }
            let earlier = cpu.summary(before)?;
            if earlier.coverage < COVERAGE
                || !is_saturated(&earlier, evidence.settings.upgrade_above_percent)
            {
                return None;
            }
            Some(cpu.summary(day)?.p50 > STILL_WANTED_PERCENT)
        },
    );

    confidence(counted, margins, 0.0, None)
}

/// Returns `true` if the price rises by no more than the guardrail allows, or is not known.
fn is_within_guardrail(price: Option<&PriceStep>, limit: f64, path: &mut Path) -> bool {
    let rise = price.map(PriceStep::percent);
    let words = rise.map_or("no list price".to_owned(), |rise| {
        format!("cost rises by {}", percent(rise))
    });
    let detail = format!("{words}, limit {}", percent(limit));

    path.ask(
        "Is the price within the cost guardrail?",
        rise.is_none_or(|rise| rise <= limit),
        detail,
    )
}

fn propose(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: Larger,
    cpu: &Load,
    summary: &Summary,
    need: Need,
    mut path: Path,
) -> Proposal {
    let facts = evidence.facts;
    let resource = facts.resource;
    let Larger {
        spec: to,
        name: to_name,
        price,
    } = to;
    let from_name = evidence.size_name(from);
    let starved = need == Need::Credits;
    let margins = margin::larger(evidence, starved);
    let trust = trust(evidence, cpu, &margins, starved);
    let signs = signs(evidence.facts, margins, trust.backtest.windows, 0.0);
    path.ask(
        "Backtest: need on unseen days as well?",
        trust.backtest.held == trust.backtest.windows,
        trust.words(),
    );

    let beyond_guardrail = !is_within_guardrail(
        price.as_ref(),
        facts.guardrails.max_cost_increase_percent,
        &mut path,
    );
    let savings = price.as_ref().map(PriceStep::savings);
    let list_now = price.as_ref().map(|price| price.now);
    let monthly_cost = resource.monthly_cost.or(list_now);
    let iac = owned_by_code(resource);
    let hazards = Hazards {
        unmeasured: false,
        iac: iac.is_some(),
        unpriced: price.is_none(),
        idle: false,
    };

    let impact = assess(evidence, price.as_ref(), summary, from, &to, starved);
    let mut reason_codes = vec![need.code(evidence.settings.upgrade_above_percent)];
    if beyond_guardrail {
        reason_codes.push("guardrail_max_increase".to_owned());
    }
    if to.family != from.family {
        reason_codes.push(larger::OTHER_FAMILY.to_owned());
    }

    let factors = factors(evidence, (from, &to), summary, need, &trust, &impact);
    let explanation = explain(
        evidence,
        [&from_name, &to_name],
        factors,
        path,
        price.as_ref(),
        &impact,
        risk(resource, hazards),
    )
    .with_confidence_range(trust.range);

    let mut proposal = Proposal::new(
        KIND,
        RULE,
        evidence.resize_title(&from_name, &to_name),
        evidence.subject(&to_name),
        impact,
        explanation,
    )
    .with_priority(if is_production(resource) {
        Priority::Critical
    } else {
        Priority::High
    })
    .with_confidence(trust.percent, Trust::new(trust.raw, None, &signs))
    .with_impact_level(evidence.impact_level(savings, monthly_cost, hazards))
    .with_effort(Effort::Medium)
    .with_savings(savings)
    .with_monthly_cost(monthly_cost)
    .with_plan(evidence.resize(&from_name, &to_name))
    .with_reason_codes(reason_codes)
    .with_not_measured(evidence.not_measured(price.is_none()));

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    // A larger size costs more by what is paid, not by the list price: its card has both costs on
    // one basis.
    discounts::apply(evidence.facts, list_now, &mut proposal);
    proposal
}

fn factors(
    evidence: &CostEvidence<'_>,
    (from, to): (&InstanceSpec, &InstanceSpec),
    summary: &Summary,
    need: Need,
    trust: &Confidence,
    impact: &ImpactAssessment,
) -> Factors {
    let mut factors = Factors::default();
    if need == Need::Credits {
        let text = format!(
            "Out of CPU credits: held at {} of its CPU",
            percent(summary.mean)
        );
        factors.add(FactorKind::Measured, text);
    }

    factors.add(FactorKind::Measured, cpu_words(evidence, summary));
    factors.add(FactorKind::Price, impact.cost.clone());
    factors.add(FactorKind::Consequence, impact.performance.clone());

    // Only a measurement has a ceiling; a forecast may say how far it goes beyond.
    if need != Need::Foreseen {
        factors.add(FactorKind::Consequence, CEILING);
    }
    if to.family != from.family {
        factors.add(FactorKind::Consequence, larger::other_family(from, to));
    }

    factors.add(FactorKind::Confidence, trust.words());
    factors
}

/// Limitation that every finding of this rule states.
const CEILING: &str =
    "Demand beyond 100 % cannot be measured: how much more is wanted shows only on the larger size";

fn explain(
    evidence: &CostEvidence<'_>,
    [from_name, to_name]: [&str; 2],
    factors: Factors,
    path: Path,
    price: Option<&PriceStep>,
    impact: &ImpactAssessment,
    risk: Impact,
) -> Explanation {
    let resource = evidence.facts.resource;
    Explanation::new(
        format!(
            "Resize {} ({}) from {from_name} to {to_name}",
            evidence.named(),
            resource.id
        ),
        risk,
    )
    .with_factors(factors)
    .with_data_points(evidence.data_points())
    .with_cost_reduction(match price {
        Some(price) if price.savings() > Money::ZERO => {
            format!("{} a month", dollars(price.savings()))
        }
        Some(price) => format!("none: it costs {} a month more", dollars(-price.savings())),
        None => "none; no list price is known".to_owned(),
    })
    .with_performance_impact(impact.performance.clone())
    .with_decision_path(path.into_decisions())
}

fn assess(
    evidence: &CostEvidence<'_>,
    price: Option<&PriceStep>,
    summary: &Summary,
    from: &InstanceSpec,
    to: &InstanceSpec,
    starved: bool,
) -> ImpactAssessment {
    let interruption = evidence.interruption();
    let performance = if starved {
        let vcpus =
            |spec: &InstanceSpec| sustained(spec).map_or_else(|| "unknown".to_owned(), figures);
        format!(
            "{} sustains {} vCPU without credits (now {}); {interruption}",
            to.name,
            vcpus(to),
            vcpus(from)
        )
    } else {
        format!(
            "the same work takes {} of {} vCPU (now {} of {}); {interruption}",
            percent(summary.mean * vcpu_ratio(from, to)),
            to.vcpu,
            percent(summary.mean),
            from.vcpu
        )
    };

    ImpactAssessment {
        cost_percent: price.map(PriceStep::percent),
        cost: price.map_or("no list price is known".to_owned(), PriceStep::words),
        performance_degradation_percent: Some(0.0),
        performance,
        security: evidence.security(),
    }
}
