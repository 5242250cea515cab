//! `suggest_reserved_instances`: consistent usage. Advice only: Reeve buys nothing.

use reeve_estate::{Money, Purchase, ResourceKind};
use reeve_learn::{HOUR_MS, Steadiness, Window};

use super::confidence::{backtest, confidence};
use super::evidence::{Evidence, Load};
use super::margin::{self, signs};
use super::price::hourly;
use super::procedure::{iac_note, subject};
use super::proposal::{Abstention, Path, Proposal};
use super::trust::Trust;
use super::weigh::{Hazards, impact_level, priority_by_savings, risk};
use super::words::{dollars, percent};
use super::{HISTORY_DAYS, gate};
use crate::recommendation::{Effort, Explanation, ImpactAssessment, RecommendationType};

/// Share of the hours it must have run.
pub(super) const HOURS_RUNNING: f64 = 0.95;
/// Variation of the daily means at most.
const DAY_TO_DAY: f64 = 0.5;
/// A month says little about a year: failures believed in beforehand.
const A_YEAR_IS_LONG: f64 = 2.0;

const KIND: RecommendationType = RecommendationType::ReservedInstances;

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Proposal, Abstention> {
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
    let mut path = Path::default();
    let no_data = || Abstention::unjudged(KIND, "no_cpu_samples", "nothing was measured");
    let cpu = evidence.cpu.as_ref().ok_or_else(no_data)?;
    let steady = Steadiness::of(&cpu.points, evidence.history()).ok_or_else(no_data)?;
    let running = format!("{} of the hours of {HISTORY_DAYS} days", percent(steady.hours_running * 100.0));
    if !path.ask("Did it run 95 % of the hours of 30 days?", steady.hours_running >= HOURS_RUNNING, running.clone()) {
        return Err(Abstention::unjudged(KIND, "not_always_on", running));
    }
    let variation = steady.day_to_day_cv.unwrap_or(0.0);
    let even = format!("daily means vary by {} around {}", percent(variation * 100.0), percent(steady.typical_day));
    if !path.ask("Is its usage even from day to day?", variation <= DAY_TO_DAY, even.clone()) {
        return Err(Abstention::decided(KIND, "not_steady", even));
    }
    propose(evidence, cpu, [running, even], path)
}

fn ran(cpu: &Load, window: Window) -> bool {
    let hours = window.blocks(HOUR_MS);
    let with_points = hours.iter().filter(|hour| !hour.of(&cpu.points).is_empty()).count();
    !hours.is_empty() && with_points as f64 >= HOURS_RUNNING * hours.len() as f64
}

/// Whether it ran through a window; `None` when nothing was ever measured.
pub(super) fn ran_through(evidence: &Evidence<'_>, window: Window) -> Option<bool> {
    evidence.cpu.as_ref().map(|cpu| ran(cpu, window))
}

fn reason_codes(discount_assumed: bool) -> Vec<String> {
    let mut codes = vec!["consistent_usage", "advice_only"];
    if discount_assumed {
        codes.push("discount_assumed");
    }
    codes.into_iter().map(str::to_owned).collect()
}

fn propose(
    evidence: &Evidence<'_>,
    cpu: &Load,
    [running, even]: [String; 2],
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let facts = evidence.facts;
    let resource = facts.resource;
    let size = resource.specification.instance_type.as_deref().unwrap_or_default();
    let no_price = || Abstention::unjudged(KIND, "no_price", format!("no list price is known for {size}"));
    let usd = hourly(facts.catalogue, resource, size).ok_or_else(no_price)?;
    let discount =
        facts.catalogue.reservation_discount(resource.provider, &resource.region, size).ok_or_else(no_price)?;
    let monthly = Money::per_month(usd);
    let saved = Money::from_usd(monthly.usd() * discount.share);
    let savings = Some(saved);
    let counted = backtest(evidence, cpu, 7, |before, day| ran(cpu, before).then(|| ran(cpu, day)));
    let trust = confidence(counted, A_YEAR_IS_LONG, None);
    let signs = signs(evidence, margin::commitment(evidence), counted.windows, 1.0);
    path.ask("Did it run through the held-out days?", counted.held == counted.windows, trust.words());
    let cost = format!(
        "{} a month x {} = {} a month. {}",
        dollars(monthly),
        percent(discount.share * 100.0),
        dollars(saved),
        discount.wording
    );
    let reason_codes = reason_codes(discount.assumed);
    let iac = gate::managed_by(resource);
    let hazards = Hazards { iac: iac.is_some(), ..Hazards::default() };
    let nothing = "none: the machine stays as it is";
    let mut proposal = Proposal {
        kind: KIND,
        rule: "suggest_reserved_instances",
        title: format!("Commit to {} ({size}) for a year: it ran {}", resource.name, running),
        subject: subject(resource, None),
        priority: priority_by_savings(savings),
        confidence: trust.percent,
        trust: Trust::of(&trust, None, &signs),
        impact_level: impact_level(resource, savings, resource.monthly_cost.or(Some(monthly)), hazards),
        impact: ImpactAssessment {
            cost_percent: Some(-discount.share * 100.0),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: nothing.to_owned(),
            security: nothing.to_owned(),
        },
        effort: Effort::High,
        savings_monthly: savings,
        savings_after_discounts: None,
        monthly_cost: resource.monthly_cost.or(Some(monthly)),
        plan: None,
        reason_codes,
        not_measured: vec!["usage_beyond_30_days".to_owned()],
        explanation: Explanation {
            action: format!("Buy a one-year commitment for {size}, as {} uses it; Reeve buys nothing", resource.name),
            factors: vec![format!("It ran {running}"), format!("Its {even}"), trust.words(), cost],
            data_points: evidence.data_points(),
            similar_cases: 0,
            success_rate: None,
            risk: risk(resource, hazards),
            cost_reduction: format!("{} a month ({})", dollars(saved), percent(discount.share * 100.0)),
            performance_impact: nothing.to_owned(),
            decision_path: path.into_decisions(),
        },
    };
    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }
    Ok(proposal)
}
