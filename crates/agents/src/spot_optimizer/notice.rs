//! Notices: a spot machine that is taken back gets an on-demand successor. A rebalance
//! recommendation is weighed with the hazard and is no order.

use jiff::SignedDuration;
use reeve_audit::Entry;
use reeve_estate::{Money, Provider, Purchase, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::ReplaceMachine;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::spot::NoticeKind;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{FactorKind, Factors, Priority};

use super::market;
use super::pools;
use super::replacement::Replacement;
use super::settings::Thresholds;
use super::{KIND, NOTICE};

/// Rule of the findings, as the capability of the agent type is called.
pub(super) const RULE: &str = "auto_fallback";
/// Age below which a rebalance recommendation is ignored: capacity that has just started is often
/// called at risk, and nodes that obey it thrash.
const YOUNG: SignedDuration = SignedDuration::from_mins(10);
/// Chance of an interruption within an hour from which a rebalance recommendation is followed.
const LIKELY: f64 = 0.1;
/// Confidence of an announced interruption, percent.
const ANNOUNCED: f64 = 97.0;

fn no(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail.into()).with_aspect(NOTICE)
}

/// Judges a notice about a machine.
pub(super) fn judge(entry: &Entry, facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let machine = facts.resource;
    let settings = Thresholds::from(facts.settings);
    let kind = entry
        .action
        .operation
        .as_deref()
        .and_then(NoticeKind::parse);
    let Some(kind @ (NoticeKind::Interruption | NoticeKind::Rebalance)) = kind else {
        return Err(no("no_notice", "the event announces no interruption"));
    };
    admit(machine, &settings)?;

    let mut path = Path::default();
    path.ask(
        "Does its provider announce it?",
        true,
        format!("{kind} notice {}", entry.timestamp),
    );
    let confidence = match kind {
        NoticeKind::Rebalance => weighed(machine, facts, &mut path)?,
        _ => ANNOUNCED,
    };
    let falls_back = settings.falls_back;
    path.ask(
        "Is lost capacity replaced on demand?",
        falls_back,
        "the setting auto_fallback.on_demand",
    );
    Ok(proposal(
        machine,
        facts,
        (kind, confidence),
        falls_back,
        path,
    ))
}

fn admit(machine: &Resource, settings: &Thresholds) -> Result<(), Abstention> {
    if !settings.predict {
        return Err(no(
            "switched_off",
            "the setting predict_interruptions.enabled is off",
        ));
    }
    if machine.kind != ResourceKind::VirtualMachine || machine.provider != Provider::Aws {
        return Err(no(
            "no_machine",
            format!("{} is no machine on AWS", machine.id),
        ));
    }
    if machine.purchase != Some(Purchase::Spot) {
        return Err(no("not_spot", "it is not on spot capacity"));
    }
    if let Some(group) = &machine.group {
        return Err(no(
            "group_member",
            format!(
                "its group {group} replaces it, before it ends where capacity rebalancing is on; the successor is kept with the notice once it is in service"
            ),
        ));
    }
    match machine.state {
        ResourceState::Running => Ok(()),
        state => Err(no("not_running", format!("it is {state}"))),
    }
}

/// Weighs a rebalance recommendation: the confidence that the machine is lost.
fn weighed(machine: &Resource, facts: &Facts<'_>, path: &mut Path) -> Result<f64, Abstention> {
    let age = machine.created_at.map(|at| facts.now.duration_since(at));
    if age.is_some_and(|age| age < YOUNG) {
        return Err(no(
            "too_young",
            "it started less than ten minutes ago, when the recommendation says little",
        ));
    }
    let Some(risk) = pools::risk(facts).risk_of(machine, facts.now) else {
        return Err(no("size_not_known", "its instance type is not known"));
    };
    let words = format!(
        "chance of an interruption within 10 minutes {:.1} %, an hour {:.1} %, a day {:.1} %",
        risk.ten_minutes.value * 100.0,
        risk.hour.value * 100.0,
        risk.day.value * 100.0
    );
    if risk.hour.value < LIKELY {
        return Err(no(
            "risk_not_high",
            format!("a rebalance recommendation is no order, and the hazard is low: {words}"),
        ));
    }
    path.ask("Is the hazard high as well?", true, words);
    Ok((risk.day.high * 100.0).min(ANNOUNCED))
}

fn proposal(
    machine: &Resource,
    facts: &Facts<'_>,
    (kind, confidence): (NoticeKind, f64),
    falls_back: bool,
    path: Path,
) -> Proposal {
    let size = machine.specification.instance_type.clone();
    let change = size.map(|size| ReplaceMachine {
        size,
        from: Purchase::Spot,
        to: Purchase::OnDemand,
    });
    let plan = change
        .filter(|_| falls_back)
        .map(|change| Plan::new(&change, machine.id.as_str()));
    let costs = costs(machine, facts);
    let cost = match costs {
        Some((spot, on_demand)) => format!(
            "${on_demand:.4} an hour on demand in the place of about ${spot:.4} on spot capacity"
        ),
        None => "not known: the catalogue has no price of it".to_owned(),
    };
    let savings = costs.map(|(spot, on_demand)| Money::per_month(spot - on_demand));
    let percent = costs.map(|(spot, on_demand)| (on_demand / spot - 1.0) * 100.0);
    let words = match kind {
        NoticeKind::Interruption => "Its provider takes it back within two minutes of the notice",
        _ => "Its provider sees an elevated risk for it, and so does the learned hazard",
    };
    let mut factors = Factors::from([
        (FactorKind::Measured, words),
        (
            FactorKind::Consequence,
            "The successor has its image, network, role, user data and tags, and joins its target groups; what lies on its disks and its addresses is not carried over",
        ),
        (
            FactorKind::Consequence,
            "It returns to spot capacity after a hold time that the hazard of its pool sets",
        ),
    ]);
    if !falls_back {
        factors.add(
            FactorKind::Consequence,
            "The setting auto_fallback.on_demand is off: replace it manually".to_owned(),
        );
    }

    Replacement {
        aspect: NOTICE,
        rule: RULE,
        title: title("Replace ", &machine.name, ", which is taken back"),
        action: format!(
            "Launch an on-demand successor of {} and register it",
            machine.name
        ),
        cost_percent: percent,
        cost,
        savings,
        confidence,
        factors,
        data_points: 1,
        performance_impact: "none once the successor serves",
        plan,
        reason_code: kind.as_str(),
        path,
    }
    .of(machine)
    .with_priority(Priority::Critical)
}

/// Prices an hour on spot capacity and on demand.
pub(super) fn costs(machine: &Resource, facts: &Facts<'_>) -> Option<(f64, f64)> {
    let spec = &machine.specification;
    let (size, platform) = (spec.instance_type.as_deref()?, spec.platform.as_deref());
    let (catalogue, region) = (facts.catalogue, machine.region.as_str());
    let zones = spec.zone.clone().into_iter().collect::<Vec<_>>();
    let spot = match market::level(facts, size, &zones) {
        Some(level) => level.mean_usd,
        None => {
            let average = catalogue.spot_average(machine.provider, region, size, platform)?;
            average.usd_per_hour
        }
    };
    let on_demand = catalogue.hourly_usd(machine.provider, region, size, platform)?;
    (spot > 0.0).then_some((spot, on_demand.usd_per_hour))
}
