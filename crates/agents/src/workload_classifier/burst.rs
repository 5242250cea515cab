//! `analytics = burst_capable`: a size that is paid for around the clock for work that comes in
//! bursts.
//!
//! A burstable size of the same processors and memory is proposed where its CPU credits would have
//! covered every burst of the history. Where they would not, bursts belong on capacity that comes
//! and goes with them, which is an architecture.

use reeve_estate::{InstanceSpec, Metric, Money, Resource, ResourceKind};
use reeve_learn::calibrate::Daily;
use reeve_learn::{Backtest, DAY_MS, HOUR_MS, Window};
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::plan::procedure::resize;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, RecommendationType};
use reeve_recommend::words::percent;

use super::finding::{WorkloadCase, WorkloadFinding, saved};
use crate::confidence::backtest;
use crate::cost_optimizer::baseline_percent;
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::RightSize;
pub(super) const ADVICE: RecommendationType = RecommendationType::AutoScaling;
/// Highest hours over the mean from which work comes in bursts.
const BURSTS: f64 = 3.0;
/// Mean CPU from which it is in use around the clock, percent.
const IN_USE: f64 = 40.0;
/// Savings a month below which no size is proposed, US dollars.
const LEAST_SAVINGS_USD: f64 = 1.0;

/// Checks an analytics machine.
pub(super) fn check(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let machine = case.facts.resource;
    let mut path = case.path();
    if machine.kind != ResourceKind::VirtualMachine || machine.group.is_some() {
        let detail = "its group, or the database service, decides about its capacity";
        return Err(Abstention::decided(ADVICE, "not_a_single_machine", detail));
    }
    if let Some(protected) = refusal(machine, "resize_machine", case.facts.catalogue) {
        return Err(protected.into_abstention(Some(ADVICE)));
    }

    let unmeasured = || Abstention::unjudged(ADVICE, "not_measured", "CPU was not measured");
    let cpu = Load::measured(case.facts, Metric::CpuUtilization).ok_or_else(unmeasured)?;
    let history = Window::ending(
        case.facts.now.as_millisecond(),
        case.settings.history_days * DAY_MS,
    );
    let all = cpu.summary(history).ok_or_else(unmeasured)?;
    let words = format!(
        "mean CPU {}, 99 % of the time below {}",
        percent(all.mean),
        percent(all.p99)
    );
    let bursts = all.mean < IN_USE && all.p99 >= BURSTS * all.mean;
    if !path.ask("Does its work come in bursts?", bursts, words.clone()) {
        return Err(Abstention::decided(ADVICE, "steady", words));
    }

    let from = machine
        .specification
        .instance_type
        .as_deref()
        .unwrap_or_default();

    match burstable(case, from, &cpu, history) {
        Some((to, baseline)) if case.settings.practices => {
            let reason = format!(
                "{} sustains {}; its credits last for every burst",
                to.name,
                percent(baseline)
            );
            path.ask(
                "Does a burstable size hold its bursts?",
                true,
                reason.clone(),
            );
            Ok(smaller(
                case,
                from,
                to,
                [words, reason],
                tried(&cpu, history, baseline),
                path,
            ))
        }
        _ => {
            path.ask(
                "Does a burstable size hold its bursts?",
                false,
                "none that the catalogue has a baseline of, and that is cheaper",
            );
            case.switched(
                case.settings.architectures,
                ADVICE,
                "recommend_architectures.enabled",
            )?;
            Ok(elastic(case, words, path))
        }
    }
}

/// The cheapest burstable size with the same processors and no less memory, whose credits last.
fn burstable<'c>(
    case: &WorkloadCase<'c>,
    from: &str,
    cpu: &Load,
    history: Window,
) -> Option<(&'c InstanceSpec, f64)> {
    let (machine, catalogue) = (case.facts.resource, case.facts.catalogue);
    let now = catalogue.instance(machine.provider, from)?;
    if now.burstable {
        return None;
    }

    let price = |size: &str| {
        catalogue
            .hourly_for(machine, size)
            .map(|price| price.usd_per_hour)
    };

    let fits = |spec: &&InstanceSpec| spec.vcpu == now.vcpu && spec.memory_gib >= now.memory_gib;
    let lasts = |spec: &'c InstanceSpec| {
        let baseline = baseline_percent(spec)?;
        credits_last(cpu, history, baseline).then_some((spec, baseline))
    };

    let cheaper = |spec: &InstanceSpec| {
        let saved = Money::per_month(price(from)? - price(&spec.name)?);
        (saved.usd() >= LEAST_SAVINGS_USD).then_some(saved)
    };

    let sizes = catalogue
        .exchangeable(machine.provider, from)
        .into_iter()
        .filter(fits)
        .filter_map(lasts);

    sizes
        .filter_map(|(spec, baseline)| Some((cheaper(spec)?, spec, baseline)))
        .max_by_key(|(saved, ..)| *saved)
        .map(|(_, spec, baseline)| (spec, baseline))
}

/// Returns `true` if a machine that earns its baseline and keeps a day's earnings at most never
/// runs out of credits. It begins with half of them.
fn credits_last(cpu: &Load, window: Window, baseline: f64) -> bool {
    let most = baseline * 24.0;
    let hours = cpu.period_ms as f64 / HOUR_MS as f64;
    let mut kept = most / 2.0;
    window.select(&cpu.points).iter().all(|(_, used)| {
        kept = (kept + (baseline - used) * hours).min(most);
        kept > 0.0
    })
}

/// Each past day: whether credits last, and the share of the baseline that the day leaves.
fn tried(cpu: &Load, history: Window, baseline: f64) -> (Backtest, Daily) {
    let held = backtest(history, cpu, 1, |before, day| {
        let both = Window {
            start_ms: before.start_ms,
            end_ms: day.end_ms,
        };
        Some(credits_last(cpu, both, baseline))
    });

    let margin = |day| Some((1.0 - cpu.summary(day)?.mean / baseline).max(0.0));
    (
        held,
        history.blocks(DAY_MS).into_iter().map(margin).collect(),
    )
}

fn smaller(
    case: &WorkloadCase<'_>,
    from: &str,
    to: &InstanceSpec,
    [words, reason]: [String; 2],
    tried: (Backtest, Daily),
    path: reeve_recommend::judgement::proposal::Path,
) -> Proposal {
    let machine: &Resource = case.facts.resource;
    let hourly = |size: &str| {
        case.facts
            .catalogue
            .hourly_for(machine, size)
            .map(|price| price.usd_per_hour)
    };
    let prices = hourly(from).zip(hourly(&to.name));
    let savings = prices.map(|(now, after)| Money::per_month(now - after));

    let (name, id) = (&machine.name, &machine.id);
    case.propose(WorkloadFinding {
        kind: KIND,
        code: "analytics_steady_size",
        title: title(
            "Change ",
            name,
            &format!(" from {from} to the burstable {}", to.name),
        ),
        action: format!("Change {name} ({id}) from {from} to {}", to.name),
        factors: Factors::from([
            (FactorKind::Measured, words),
            (FactorKind::Measured, reason),
            (
                FactorKind::Consequence,
                format!("{} has as many processors and as much memory", to.name),
            ),
        ]),
        plan: Some(resize(machine, from, &to.name)),
        target_type: Some(to.name.clone()),
        effort: Effort::Medium,
        savings,
        cost_percent: prices.map(|(now, after)| (after / now - 1.0) * 100.0),
        cost: saved(savings, "for a size that is paid by its mean use"),
        performance: "none while credits last; a burst that outlasts them is held to the baseline"
            .to_owned(),
        security: "none: access stays as it is".to_owned(),
        tried: Some(tried),
        path,
    })
}

fn elastic(
    case: &WorkloadCase<'_>,
    words: String,
    path: reeve_recommend::judgement::proposal::Path,
) -> Proposal {
    let machine = case.facts.resource;
    let name = &machine.name;
    case.propose(WorkloadFinding {
        kind: ADVICE,
        code: "analytics_burst",
        title: title("Give ", name, " its capacity only for its bursts"),
        action: format!(
            "Run the work of {name} ({}) in a scaling group that grows with it and shrinks to none",
            machine.id
        ),
        factors: Factors::from([
            (FactorKind::Measured, words.as_str()),
            (
                FactorKind::Price,
                "Between its bursts the machine is paid for and idle",
            ),
        ]),
        plan: None,
        target_type: None,
        effort: Effort::High,
        savings: None,
        cost_percent: None,
        cost: "not claimed: it depends on the group that is built".to_owned(),
        performance: "a burst waits until its members have started".to_owned(),
        security: "none: access stays as it is".to_owned(),
        tried: None,
        path,
    })
}
