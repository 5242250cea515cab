//! Machines: what is known of the risk of one on spot capacity, and the way back of one that Reeve
//! launched on demand.

use jiff::SignedDuration;
use reeve_estate::{Money, Purchase, Resource, ResourceState, SUCCEEDS_TAG};
use reeve_learn::interruption::{Purchase as Capacity, PurchasePolicy};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::change::ReplaceMachine;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::spot::SpotRisk;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{FactorKind, Factors};
use reeve_recommend::words::dollars;

use super::notice::costs;
use super::replacement::Replacement;
use super::settings::SWITCHES;
use super::{KIND, RETURN, market, pools};

/// Time between two looks at a pool when its past is followed.
const STEP: SignedDuration = SignedDuration::from_hours(1);
/// Confidence of a way back, percent.
const CONFIDENCE: f64 = 85.0;

fn no(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail.into()).with_aspect(RETURN)
}

pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let machine = facts.resource;
    let risk = pools::risk(facts);
    if machine.purchase == Some(Purchase::Spot) {
        let Some(found) = risk.risk_of(machine, facts.now) else {
            return Err(no("size_not_known", "its instance type is not known"));
        };
        return Err(no(
            "watched",
            format!(
                "chance of an interruption within 10 minutes {:.2} %, an hour {:.2} %, a day {:.2} %, {}",
                found.ten_minutes.value * 100.0,
                found.hour.value * 100.0,
                found.day.value * 100.0,
                match found.cold_start {
                    true => "by beliefs about spot capacity in general",
                    false => "learned from the estate's own interruptions",
                }
            ),
        ));
    }
    if machine.tag(SUCCEEDS_TAG).is_none() {
        return Err(no(
            "lone_machine",
            "a running machine cannot become spot capacity: workload_classifier says which jobs could",
        ));
    }
    if machine.state != ResourceState::Running {
        return Err(no("not_running", format!("it is {}", machine.state)));
    }
    way_back(machine, facts, risk)
}

/// The way back of a machine that took the place of a spot machine.
fn way_back(
    machine: &Resource,
    facts: &Facts<'_>,
    risk: &SpotRisk,
) -> Result<Proposal, Abstention> {
    let Some(size) = machine.specification.instance_type.clone() else {
        return Err(no("size_not_known", "its instance type is not known"));
    };
    if !returns(facts.settings, facts, risk) {
        return Err(no(
            "held",
            format!(
                "{} interruptions of its pool are known, the last one {}: the hold time that the hazard sets is not over, or the switches of a day are used up",
                risk.losses.len(),
                risk.losses
                    .last()
                    .map_or("never".to_owned(), ToString::to_string)
            ),
        ));
    }

    let Some((spot, on_demand)) = costs(machine, facts).filter(|(spot, usual)| spot < usual) else {
        return Err(no(
            "no_saving",
            "spot capacity of its type has no lower price in its zone",
        ));
    };
    let savings = Money::per_month(on_demand - spot);
    let cost = format!(
        "{} a month at the {}",
        dollars(savings),
        market::basis(facts, &size, machine.specification.zone.as_ref())
    );
    let mut path = Path::default();
    path.ask(
        "Is the hold time of its pool over?",
        true,
        "by the policy that has cost least over the pool's past",
    );
    path.ask("Is spot capacity cheaper?", true, cost.clone());
    let change = ReplaceMachine {
        size,
        from: Purchase::OnDemand,
        to: Purchase::Spot,
    };
    Ok(Replacement {
        aspect: RETURN,
        rule: "recommend_spot_eligible",
        title: title("Return ", &machine.name, " to spot capacity"),
        action: format!(
            "Launch a spot successor of {}, then stop the machine",
            machine.name
        ),
        cost_percent: Some((spot / on_demand - 1.0) * 100.0),
        cost,
        savings: Some(savings),
        confidence: CONFIDENCE,
        factors: Factors::from([(
            FactorKind::Consequence,
            "The machine is stopped and kept: rolling back starts it again before its successor ends",
        )]),
        data_points: 0,
        performance_impact: "none",
        plan: Some(Plan::new(&change, machine.id.as_str())),
        reason_code: "hold_time_over",
        path,
    }
    .of(machine))
}

/// Returns `true` if the purchase policy of the pool buys spot capacity now: its past is followed
/// by the hour, with each known interruption.
fn returns(settings: &AgentSettings, facts: &Facts<'_>, risk: &SpotRisk) -> bool {
    let switches = usize::try_from(settings.count(&SWITCHES)).unwrap_or(usize::MAX);
    let mut policy = PurchasePolicy::new(switches);
    let Some(first) = risk.losses.first() else {
        return true;
    };
    let mut at = *first - STEP * 24;
    let mut losses = risk.losses.iter().peekable();
    let mut chosen = Capacity::Spot;
    while at <= facts.now {
        let next = at + STEP;
        let mut is_lost = false;
        while losses.peek().is_some_and(|loss| **loss < next) {
            is_lost = losses.next().is_some();
        }
        chosen = policy.observe(at.as_millisecond(), Some(!is_lost));
        at = next;
    }
    chosen == Capacity::Spot
}
