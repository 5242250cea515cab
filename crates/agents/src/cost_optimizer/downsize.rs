//! `downsize_underutilized`: CPU below 20 % for 14 days, and a smaller size that holds everything
//! else too.

use reeve_estate::{InstanceSpec, Money};
use reeve_learn::{Backtest, Summary, bursts};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::iac_note;
use reeve_recommend::recommendation::{
    Effort, Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};
use reeve_recommend::words;
use reeve_recommend::words::{dollars, percent, thousands};

use super::dimension::CostDimension;
use super::evidence::CostEvidence;
use super::fit::{
    CPU_MAX_BOUND, MEMORY_BOUND, SizeFit, degradation_percent, fit, memory_ratio, vcpu_ratio,
};
use super::larger::{OTHER_FAMILY, other_family};
use super::margin;
use super::price::PriceStep;
use crate::confidence::{Confidence, backtest, confidence, signs};
use crate::discounts;
use crate::load::Load;

/// Share of the expected points that must be there.
pub(super) const COVERAGE: f64 = 0.9;
/// Confidence at most while memory shrinks unmeasured, percent.
pub(super) const UNMEASURED_MEMORY_CAP: f64 = 80.0;

/// Share of the memory bound that another family may fill: a move is not made to the very limit.
const ROOM: f64 = 0.9;
/// Another family has to be cheaper by this, percent.
const WORTH_A_MOVE: f64 = 25.0;

const KIND: RecommendationType = RecommendationType::RightSize;
const RULE: &str = "downsize_underutilized";
/// Days of training in the backtest.
const TRAINING_DAYS: i64 = 7;

/// A size that would do.
struct Candidate {
    spec: InstanceSpec,
    name: String,
    fit: SizeFit,
    price: Option<PriceStep>,
}

pub(super) fn judge(evidence: &CostEvidence<'_>) -> Result<Proposal, Abstention> {
    let (limit, days) = (
        evidence.settings.downsize_below_percent,
        evidence.settings.downsize_days,
    );
    let mut path = Path::default();
    let (cpu, summary) = measured(evidence, &mut path)?;
    let low = path.ask(
        format!("Is p95 CPU below {limit:.0} % over {days} days?"),
        summary.p95 < limit,
        cpu_words(evidence, &summary),
    );

    if !low {
        return Err(Abstention::decided(
            KIND,
            "cpu_not_low",
            cpu_words(evidence, &summary),
        ));
    }

    let from = evidence.size.as_ref().ok_or_else(|| {
        let size = evidence
            .facts
            .resource
            .specification
            .instance_type
            .as_deref()
            .unwrap_or("its size");
        Abstention::unjudged(
            KIND,
            "size_unknown",
            format!("{size} is not in the catalogue"),
        )
    })?;
    let chosen = choose(evidence, from, &mut path)?;

    Ok(propose(evidence, from, chosen, cpu, &summary, path))
}

/// CPU over the rule's window, when enough of it is there.
fn measured<'e>(
    evidence: &'e CostEvidence<'_>,
    path: &mut Path,
) -> Result<(&'e Load, Summary), Abstention> {
    let days = evidence.settings.downsize_days;
    let window = evidence.last_days(days);
    let cpu = evidence
        .cpu
        .as_ref()
        .ok_or_else(|| Abstention::unjudged(KIND, "no_cpu_samples", "CPU was not measured"))?;
    let summary = cpu.summary(window).ok_or_else(|| {
        Abstention::unjudged(
            KIND,
            "no_cpu_samples",
            format!("no CPU samples in {days} days"),
        )
    })?;

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

    Ok((cpu, summary))
}

fn cpu_words(evidence: &CostEvidence<'_>, summary: &Summary) -> String {
    let (limit, days) = (
        evidence.settings.downsize_below_percent,
        evidence.settings.downsize_days,
    );
    format!(
        "p95 CPU {} over {days} days (mean {}, highest {}), {} points, limit {limit:.0} %",
        percent(summary.p95),
        percent(summary.mean),
        percent(summary.max),
        thousands(summary.count)
    )
}

/// The smallest size of the family that holds the load and stays within the cost guardrail, else
/// one of another family that is much cheaper and holds it too.
fn choose(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    path: &mut Path,
) -> Result<Candidate, Abstention> {
    let (chosen, refusal) = in_family(evidence, from);
    let Some(chosen) = chosen.or_else(|| elsewhere(evidence, from)) else {
        let none = (
            "no_smaller_size",
            format!("{} has no smaller size in its family", from.name),
        );
        let (code, detail) = refusal.unwrap_or(none);
        return Err(Abstention::decided(KIND, code, detail));
    };

    path.extend(chosen.fit.path.clone());
    if let Some((_, detail)) = refusal {
        path.ask(
            "Would a still smaller size of its family do?",
            false,
            detail,
        );
    }

    Ok(chosen)
}

/// A size with its fit over the whole history and the weeks to come.
fn candidate(evidence: &CostEvidence<'_>, from: &InstanceSpec, spec: &InstanceSpec) -> Candidate {
    let name = evidence.size_name(spec);
    let mut fit = fit(evidence, from, spec, evidence.history());
    fit.look_ahead(evidence, from, spec);
    let price = evidence.price(from, &name);

    Candidate {
        spec: spec.clone(),
        name,
        fit,
        price,
    }
}

fn boots(evidence: &CostEvidence<'_>, from: &InstanceSpec, spec: &InstanceSpec) -> bool {
    let architecture = evidence
        .facts
        .resource
        .specification
        .architecture
        .as_deref();
    spec.gpus == from.gpus
        && architecture.is_none_or(|a| spec.architectures.iter().any(|own| own == a))
}

type Refusal = Option<(&'static str, String)>;

/// The smallest of the family that does, and why nothing smaller does.
fn in_family(evidence: &CostEvidence<'_>, from: &InstanceSpec) -> (Option<Candidate>, Refusal) {
    let facts = evidence.facts;
    let mut chosen = None;
    let smaller = facts
        .catalogue
        .smaller_in_family(facts.resource.provider, &from.name);
    for (step, spec) in smaller
        .into_iter()
        .filter(|spec| boots(evidence, from, spec))
        .enumerate()
    {
        let found = candidate(evidence, from, spec);
        let price = || {
            price_refusal(
                step,
                found.price.as_ref(),
                facts.guardrails.max_cost_decrease_percent,
            )
        };
        if let Some((code, detail)) = found.fit.refused.clone().or_else(price) {
            return (chosen, Some((code, format!("{}: {detail}", found.name))));
        }
        chosen = Some(found);
    }

    (chosen, None)
}

/// The cheapest size of another family, where everything was measured and every figure is known:
/// what is short in the own family (memory beside idle processors) another has in another
/// proportion. A little cheaper is not worth a move.
fn elsewhere(evidence: &CostEvidence<'_>, from: &InstanceSpec) -> Option<Candidate> {
    let facts = evidence.facts;
    let provider = facts.resource.provider;
    if evidence.measured().iter().any(|(_, measured)| !measured) || from.memory_gib.is_none() {
        return None;
    }

    let others = facts
        .catalogue
        .exchangeable(provider, &from.name)
        .into_iter();
    let cheap = others
        .filter(|spec| boots(evidence, from, spec) && spec.family != from.family)
        .filter_map(|spec| {
            let name = evidence.size_name(spec);
            let price = evidence.price(from, &name)?;
            let decrease = -price.percent();
            let within = (WORTH_A_MOVE..=facts.guardrails.max_cost_decrease_percent + 0.05)
                .contains(&decrease);
            within.then_some((price.hourly.1, spec))
        });
    let mut cheap: Vec<(f64, &InstanceSpec)> = cheap.collect();
    cheap.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));

    // Most are out by processors and memory alone, without another look at every sample.
    let highest = |load: &Option<Load>| {
        load.as_ref()?
            .summary(evidence.history())
            .map(|summary| summary.max)
    };
    let (cpu, memory) = (highest(&evidence.cpu)?, highest(&evidence.memory)?);

    cheap.retain(|(_, spec)| {
        let (memory_ratio, _) = memory_ratio(from, spec);
        // At most half of the processors go at once, as within a family.
        spec.vcpu * 2 >= from.vcpu
            && memory * memory_ratio <= MEMORY_BOUND * ROOM
            && cpu * vcpu_ratio(from, spec) <= CPU_MAX_BOUND.max(cpu)
    });

    let mut found = cheap
        .into_iter()
        .map(|(_, spec)| candidate(evidence, from, spec));
    found.find(|one| one.fit.refused.is_none() && one.fit.doubts.is_empty())
}

/// Reason why a size's price rules it out. Without a price only the next smaller size is
/// considered.
fn price_refusal(
    step: usize,
    price: Option<&PriceStep>,
    max_decrease: f64,
) -> Option<(&'static str, String)> {
    let Some(price) = price else {
        return (step > 0).then(|| {
            (
                "no_price",
                "without a price only one step down is considered".to_owned(),
            )
        });
    };

    if price.savings() <= Money::ZERO {
        return Some(("no_saving", "it does not cost less".to_owned()));
    }

    let decrease = -price.percent();
    (decrease > max_decrease + 0.05).then(|| {
        let detail = format!(
            "cost would fall by {}, guardrail {}",
            percent(decrease),
            percent(max_decrease)
        );
        ("guardrail_max_decrease", detail)
    })
}

/// Returns the backtest of the change: the days on which the smaller size would have been
/// sufficient.
fn try_out(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
    cpu: &Load,
) -> Backtest {
    let limit = evidence.settings.downsize_below_percent;
    let ratio = vcpu_ratio(from, to);
    let allowed = evidence.facts.guardrails.max_degradation_percent;

    backtest(evidence.history(), cpu, TRAINING_DAYS, |before, day| {
        let earlier = cpu.summary(before)?;
        if earlier.coverage < 0.8 || earlier.p95 >= limit {
            return None;
        }
        // The day alone is held to the same bounds: what a month's percentile hides, a day's shows.
        Some(
            degradation_percent(cpu, day, ratio)? <= allowed
                && fit(evidence, from, to, day).refused.is_none(),
        )
    })
}

fn propose(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    chosen: Candidate,
    cpu: &Load,
    summary: &Summary,
    mut path: Path,
) -> Proposal {
    let resource = evidence.facts.resource;
    let from_name = evidence.size_name(from);
    let memory_doubt = chosen.fit.doubts.contains(&CostDimension::Memory);
    let doubts = chosen
        .fit
        .doubts
        .iter()
        .map(|dimension| dimension.doubt())
        .sum();

    let counted = try_out(evidence, from, &chosen.spec, cpu);
    let cap = memory_doubt.then_some(UNMEASURED_MEMORY_CAP);
    let margins = margin::smaller(evidence, from, &chosen.spec);
    let trust = confidence(counted, &margins, doubts, cap);
    let signs = signs(evidence.facts, margins, counted.windows, doubts);
    path.ask(
        "Backtest: was it safe on unseen days?",
        counted.held == counted.windows,
        trust.words(),
    );

    let (savings, list_now) = chosen
        .price
        .as_ref()
        .map(|price| (price.savings(), price.now))
        .unzip();
    let monthly_cost = resource.monthly_cost.or(list_now);
    let iac = owned_by_code(resource);
    let hazards = Hazards {
        unmeasured: !chosen.fit.doubts.is_empty(),
        iac: iac.is_some(),
        unpriced: chosen.price.is_none(),
        idle: false,
    };

    let degradation = degradation_percent(cpu, evidence.history(), vcpu_ratio(from, &chosen.spec));
    let impact = assess(
        evidence,
        &chosen,
        degradation.filter(|_| !memory_doubt),
        summary,
    );

    let level = risk(resource, hazards);
    let explanation = explain(
        evidence, &from_name, &chosen, summary, cpu, &trust, path, &impact, level,
    );

    let mut proposal = Proposal::new(
        KIND,
        RULE,
        evidence.resize_title(&from_name, &chosen.name),
        evidence.subject(&chosen.name),
        impact,
        explanation,
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(trust.percent, Trust::new(trust.raw, cap, &signs))
    .with_impact_level(evidence.impact_level(savings, monthly_cost, hazards))
    .with_effort(Effort::Medium)
    .with_savings(savings)
    .with_monthly_cost(monthly_cost)
    .with_plan(evidence.resize(&from_name, &chosen.name))
    .with_reason_codes(codes(evidence, &chosen))
    .with_not_measured(not_measured(evidence, &chosen));

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    if chosen.spec.family != from.family {
        proposal.reason_codes.push(OTHER_FAMILY.to_owned());
        proposal
            .explanation
            .factors
            .add(FactorKind::Consequence, other_family(from, &chosen.spec));
    }

    proposal.reason_codes.push(format!("risk_{level}"));
    discounts::apply(evidence.facts, list_now, &mut proposal);

    proposal
}

fn codes(evidence: &CostEvidence<'_>, chosen: &Candidate) -> Vec<String> {
    let mut codes = vec![format!(
        "cpu_p95_below_{:.0}",
        evidence.settings.downsize_below_percent
    )];
    codes.extend(
        chosen
            .fit
            .doubts
            .iter()
            .map(|dimension| format!("unchecked_{dimension}")),
    );

    if chosen.price.is_none() {
        codes.push("no_list_price".to_owned());
    }

    codes
}

fn not_measured(evidence: &CostEvidence<'_>, chosen: &Candidate) -> Vec<String> {
    let mut names = Vec::new();
    for (dimension, measured) in evidence.measured() {
        match (measured, chosen.fit.doubts.contains(&dimension)) {
            (false, _) => names.push(dimension.as_str().to_owned()),
            // Measured, but what the smaller size sustains is not known.
            (true, true) => names.push(format!("{dimension}_baseline")),
            (true, false) => {}
        }
    }

    if chosen.fit.doubts.contains(&CostDimension::CpuCredits) {
        names.push(CostDimension::CpuCredits.as_str().to_owned());
    }
    if chosen.price.is_none() {
        names.push("price".to_owned());
    }

    names
}

fn assess(
    evidence: &CostEvidence<'_>,
    chosen: &Candidate,
    degradation: Option<f64>,
    summary: &Summary,
) -> ImpactAssessment {
    let interruption = evidence.interruption();
    let cost = match &chosen.price {
        Some(price) => price.words(),
        None => format!(
            "no list price is known for {}, so no saving is claimed",
            chosen.name
        ),
    };

    let performance = match degradation {
        Some(value) => format!(
            "{} of the measured CPU work would have had to wait; {interruption}",
            percent(value)
        ),
        None => format!(
            "not claimed: memory was not measured and gets smaller (CPU p99 now {}); {interruption}",
            percent(summary.p99)
        ),
    };

    ImpactAssessment {
        cost_percent: chosen.price.as_ref().map(PriceStep::percent),
        cost,
        performance_degradation_percent: degradation,
        performance,
        security: evidence.security(),
    }
}

#[allow(clippy::too_many_arguments)]
fn explain(
    evidence: &CostEvidence<'_>,
    from_name: &str,
    chosen: &Candidate,
    summary: &Summary,
    cpu: &Load,
    trust: &Confidence,
    path: Path,
    impact: &ImpactAssessment,
    risk: Impact,
) -> Explanation {
    let limit = evidence.settings.downsize_below_percent;
    let mut factors = Factors::from([
        (FactorKind::Measured, cpu_words(evidence, summary)),
        (FactorKind::Price, impact.cost.clone()),
        (FactorKind::Confidence, trust.words()),
    ]);
    let peaks = bursts(evidence.history().select(&cpu.points), limit, cpu.period_ms);

    if let Some(highest) = peaks.iter().map(|burst| burst.peak).max_by(f64::total_cmp) {
        let bursts = thousands(peaks.len() as u64);
        let text = format!(
            "{bursts} bursts above {limit:.0} % in the history, the highest {}",
            percent(highest)
        );
        factors.add(FactorKind::Measured, text);
    }

    factors.extend(chosen.fit.factors.clone());
    for doubt in &chosen.fit.doubts {
        factors.add(
            FactorKind::Consequence,
            format!("{} gets smaller and was not measured", doubt.words()),
        );
    }

    let resource = evidence.facts.resource;
    let saving = chosen
        .price
        .as_ref()
        .map_or("not claimed: no list price".to_owned(), |price| {
            format!(
                "{} a month ({})",
                dollars(price.savings()),
                words::percent(-price.percent())
            )
        });

    Explanation::new(
        format!(
            "Resize {} ({}) from {from_name} to {}",
            evidence.named(),
            resource.id,
            chosen.name
        ),
        risk,
    )
    .with_factors(factors)
    .with_data_points(evidence.data_points())
    .with_confidence_range(trust.range)
    .with_cost_reduction(saving)
    .with_performance_impact(impact.performance.clone())
    .with_decision_path(path.into_decisions())
    .with_models(chosen.fit.models.clone())
}
