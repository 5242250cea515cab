//! `suggest_reserved_instances`: consistent usage. Advice only: Reeve buys nothing.

use reeve_estate::{Discount, Money, Purchase, ResourceKind};
use reeve_learn::{DAY_MS, HOUR_MS, Steadiness, Window};

use super::ahead;
use super::evidence::Evidence;
use super::margin;
use super::price::hourly;
use super::work::Work;
use crate::confidence::{backtest, confidence, signs};
use crate::discounts::{Billed, CHARGE_DAYS};
use crate::load::Load;
use reeve_recommend::Facts;
use reeve_recommend::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::owned_by_code;
use reeve_recommend::procedure::{iac_note, subject};
use reeve_recommend::proposal::{Abstention, Path, Proposal};
use reeve_recommend::recommendation::{Effort, Explanation, ImpactAssessment, RecommendationType};
use reeve_recommend::trust::Trust;
use reeve_recommend::words::{dollars, percent};

/// Share of the hours it must have run.
pub(super) const HOURS_RUNNING: f64 = 0.95;
/// Variation of the daily means at most.
const DAY_TO_DAY: f64 = 0.5;
/// The last day's mean may differ from a typical day's by this factor: what has just changed is no use to commit to.
const SHIFT: f64 = 1.5;
/// Share of the history's points that have to be there.
const COVERAGE: f64 = 0.8;
/// Growth within the coming weeks up to which it keeps its size, as a share of its level.
const GROWTH: f64 = 0.25;
/// Share of its use that commitments pay from which it needs no further one. The cloud itself calls such a machine on demand.
const COMMITTED: f64 = 0.5;
/// Days of a year.
const YEAR_DAYS: f64 = 365.0;

const KIND: RecommendationType = RecommendationType::ReservedInstances;

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Proposal, Abstention> {
    let days = evidence.settings.history_days;
    let facts = evidence.facts;
    let resource = facts.resource;
    if resource.kind != ResourceKind::VirtualMachine {
        return Err(Abstention::decided(KIND, "kind_not_covered", "there are no prices for commitments of this kind"));
    }
    match resource.purchase {
        Some(Purchase::OnDemand) => {}
        Some(other) => return Err(Abstention::decided(KIND, "not_on_demand", format!("it is paid as {other}"))),
        None => return Err(Abstention::unjudged(KIND, "purchase_unknown", "the cloud did not say how it is paid")),
    }
    if let Some(billed) = Billed::from_charges(facts.charges).filter(|billed| billed.committed >= COMMITTED) {
        let share = percent(billed.committed * 100.0);
        let detail = format!("the bill of the last {CHARGE_DAYS} days says that commitments pay {share} of its use");
        return Err(Abstention::decided(KIND, "already_committed", detail));
    }
    let mut path = Path::default();
    let no_data = || Abstention::unjudged(KIND, "no_cpu_samples", "nothing was measured");
    let cpu = evidence.cpu.as_ref().ok_or_else(no_data)?;
    let steady = Steadiness::measure(&cpu.points, evidence.history()).ok_or_else(no_data)?;
    let work = Work::from_evidence(evidence).ok_or_else(no_data)?;
    let covered = cpu.summary(evidence.history()).map_or(0.0, |summary| summary.coverage);
    let detail = format!("{} of the points of {days} days", percent(covered * 100.0));
    if covered < COVERAGE && steady.hours_running >= HOURS_RUNNING {
        return Err(Abstention::unjudged(KIND, "thin_data", detail));
    }
    let running = format!("{} of the hours of {days} days", percent(steady.hours_running * 100.0));
    if !path.ask(
        format!("Did it run 95 % of the hours of {days} days?"),
        steady.hours_running >= HOURS_RUNNING,
        running.clone(),
    ) {
        return Err(Abstention::unjudged(KIND, "not_always_on", running));
    }
    let variation = steady.day_to_day_cv.unwrap_or(0.0);
    let even = format!("daily means vary by {} around {}", percent(variation * 100.0), percent(steady.typical_day));
    let lately = cpu.summary(evidence.last_days(1)).map_or(steady.typical_day, |day| day.mean);
    let usual = (1.0 / SHIFT..=SHIFT).contains(&(lately / steady.typical_day.max(0.1)));
    let even = if usual { even } else { format!("{even}, and the last day's mean was {}", percent(lately)) };
    if !path.ask("Is its usage even from day to day?", variation <= DAY_TO_DAY && usual, even.clone()) {
        return Err(Abstention::decided(KIND, "not_steady", even));
    }
    let growth = ahead::cpu_grows(evidence, GROWTH);
    let still = "no growth that changes its size".to_owned();
    if !path.ask("Will it have the same size in a month?", growth.is_none(), growth.clone().unwrap_or(still)) {
        return Err(Abstention::decided(KIND, "growing", growth.unwrap_or_default()));
    }
    propose(evidence, cpu, &work, [running, even], path)
}

fn ran(cpu: &Load, window: Window) -> bool {
    let hours = window.blocks(HOUR_MS);
    let with_points = hours.iter().filter(|hour| !hour.select(&cpu.points).is_empty()).count();
    !hours.is_empty() && with_points as f64 >= HOURS_RUNNING * hours.len() as f64
}

/// Returns `true` if the resource ran for the whole window; `None` if it was never measured.
pub(super) fn ran_through(evidence: &Evidence<'_>, window: Window) -> Option<bool> {
    evidence.cpu.as_ref().map(|cpu| ran(cpu, window))
}

/// A month says little about a year, and the less the younger the machine is: failures assumed in advance. What has been
/// there for a year is as likely to be there for another (Lindy's law); an unknown age counts as half a year.
fn a_year_ahead(evidence: &Evidence<'_>) -> f64 {
    let created = evidence.facts.resource.created_at;
    let age_days = created.map(|at| (evidence.now_ms - at.as_millisecond()) as f64 / DAY_MS as f64);
    (YEAR_DAYS / age_days.unwrap_or(YEAR_DAYS / 2.0).max(1.0)).clamp(0.5, 6.0)
}

fn reason_codes(discount_assumed: bool) -> Vec<String> {
    let mut codes = vec!["consistent_usage", "advice_only"];
    if discount_assumed {
        codes.push("discount_assumed");
    }
    codes.into_iter().map(str::to_owned).collect()
}

/// Effect of a commitment on the machine.
const UNTOUCHED: &str = "none: the machine stays as it is";

fn assess(share: f64, cost: String) -> ImpactAssessment {
    ImpactAssessment {
        cost_percent: Some(-share * 100.0),
        cost,
        performance_degradation_percent: Some(0.0),
        performance: UNTOUCHED.to_owned(),
        security: UNTOUCHED.to_owned(),
    }
}

/// Run on demand for the hours of work alone, it costs less than the commitment below a share of them.
fn worth_it(work: &Work, break_even: f64, path: &mut Path) -> Result<String, Abstention> {
    let (share, least) = (percent(work.share() * 100.0), percent(break_even * 100.0));
    let used = format!("it worked in {share} of the measured hours, break-even is {least}");
    let question = "Does it work more of the hours than the commitment breaks even at?";
    if path.ask(question, work.share() >= break_even, used.clone()) {
        Ok(used)
    } else {
        Err(Abstention::decided(KIND, "hardly_used", used))
    }
}

fn discount(facts: &Facts<'_>, size: &str) -> Option<Discount> {
    let (machine, platform) = (facts.resource, facts.resource.specification.platform.as_deref());
    facts.catalogue.reservation_discount(machine.provider, &machine.region, size, platform)
}

fn propose(
    evidence: &Evidence<'_>,
    cpu: &Load,
    work: &Work,
    [running, even]: [String; 2],
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let facts = evidence.facts;
    let resource = facts.resource;
    let size = resource.specification.instance_type.as_deref().unwrap_or_default();
    let no_price = || Abstention::unjudged(KIND, "no_price", format!("no list price is known for {size}"));
    let usd = hourly(facts.catalogue, resource, size).ok_or_else(no_price)?;
    let discount = discount(facts, size).ok_or_else(no_price)?;
    let monthly = Money::per_month(usd);
    let break_even = 1.0 - discount.share;
    let used = worth_it(work, break_even, &mut path)?;
    let saved = Money::from_usd(monthly.usd() * discount.share);
    let savings = Some(saved);
    let counted = backtest(evidence.history(), cpu, 7, |before, day| ran(cpu, before).then(|| ran(cpu, day)));
    let margins = margin::commitment(evidence, work, break_even);
    let trust = confidence(counted, &margins, a_year_ahead(evidence), None);
    let signs = signs(evidence.facts, margins, counted.windows, 1.0);
    path.ask("Backtest: did it run on unseen days?", counted.held == counted.windows, trust.words());
    let cost = format!(
        "{} a month x {} = {} a month. {}",
        dollars(monthly),
        percent(discount.share * 100.0),
        dollars(saved),
        discount.wording
    );
    let iac = owned_by_code(resource);
    let hazards = Hazards { iac: iac.is_some(), ..Hazards::default() };
    let explanation = Explanation {
        action: format!("Buy a one-year commitment for {size}, as {} uses it; Reeve buys nothing", resource.name),
        factors: vec![trust.words(), format!("It ran {running}; {used}"), format!("Its {even}"), cost.clone()],
        data_points: evidence.data_points(),
        confidence_range: Some(trust.range),
        similar_cases: 0,
        models: Vec::new(),
        success_rate: None,
        risk: risk(resource, hazards),
        cost_reduction: format!("{} a month ({})", dollars(saved), percent(discount.share * 100.0)),
        performance_impact: UNTOUCHED.to_owned(),
        decision_path: path.into_decisions(),
    };
    let mut proposal = Proposal {
        kind: KIND,
        rule: "suggest_reserved_instances",
        title: format!("Commit to {} ({size}) for a year: it ran {}", resource.name, running),
        subject: subject(resource, None),
        priority: priority_by_savings(savings),
        confidence: trust.percent,
        trust: Trust::new(trust.raw, None, &signs),
        impact_level: evidence.impact_level(savings, resource.monthly_cost.or(Some(monthly)), hazards),
        impact: assess(discount.share, cost.clone()),
        effort: Effort::High,
        savings_monthly: savings,
        savings_after_discounts: None,
        monthly_cost: resource.monthly_cost.or(Some(monthly)),
        plan: None,
        reason_codes: reason_codes(discount.assumed),
        not_measured: vec!["usage_beyond_30_days".to_owned()],
        explanation,
    };
    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }
    Ok(proposal)
}
