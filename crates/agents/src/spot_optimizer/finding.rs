//! Standing findings as proposals: the policy of a group, its saving and the way there.

use std::collections::BTreeMap;

use reeve_audit::Obstacle;
use reeve_controls::change_by_row;
use reeve_estate::Money;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::ConfigurationRow;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, Explanation, FactorKind, Factors, ImpactAssessment};
use reeve_recommend::words::dollars;
use serde_json::{Value, json};

use super::group::SpotGroup;
use super::market;
use super::pools::{self, PoolCandidate, Split};
use super::savings::{SpotSaving, saving};
use super::settings::Thresholds;
use super::{ELIGIBLE, KIND};

/// Change that gives a group its policy.
pub(super) const USE_MIXED: &str = "use_mixed_instances";
/// Change that lets a group start successors early.
pub(super) const REBALANCE: &str = "rebalance_group_capacity";
/// Confidence of a finding that rests on the configuration and the beliefs about hazards, percent.
const BY_CONFIGURATION: f64 = 80.0;
/// The same where the estate's own interruptions are known.
const BY_INTERRUPTIONS: f64 = 88.0;

/// A standing finding about a group, without what follows from the group.
pub(super) struct SpotStanding {
    pub(super) aspect: &'static str,
    pub(super) rule: &'static str,
    /// Name of the change.
    pub(super) change: &'static str,
    /// Types with their prices, the group's own first.
    pub(super) types: Vec<PoolCandidate>,
    /// Names of the types that the policy is given.
    pub(super) names: Vec<String>,
    pub(super) split: Split,
    /// Spot machines of the group as it is now.
    pub(super) spot: u32,
    /// Reasons why the pools are too few; none for a group on demand.
    pub(super) faults: Vec<String>,
}

/// Makes the proposal, or abstains where nothing is saved.
pub(super) fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    group: &SpotGroup<'_>,
    standing: &SpotStanding,
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let resource = facts.resource;
    let is_move = standing.aspect == ELIGIBLE;
    let saved = saving(&standing.types, standing.spot).filter(|_| is_move && settings.savings);
    if let Some(saved) = saved {
        if saved.value.usd() <= 0.0 {
            let detail = format!(
                "interruptions would cost what spot capacity saves: {}",
                words_of(&saved)
            );
            return Err(Abstention::decided(KIND, "no_saving", detail).with_aspect(standing.aspect));
        }
        path.ask(
            "Does it save after the cost of interruptions?",
            true,
            words_of(&saved),
        );
    }

    let plan = plan(facts, group, standing);
    let iac = owned_by_code(resource);
    let hazards = Hazards {
        iac: iac.is_some(),
        unpriced: is_move && saved.is_none(),
        ..Hazards::default()
    };
    let savings = match is_move {
        true => saved.map(|one| one.value),
        false => Some(Money::ZERO),
    };
    let monthly = resource.monthly_cost;
    let cost_percent = match (savings, monthly) {
        (Some(saved), Some(cost)) if cost > Money::ZERO => Some(-saved.usd() / cost.usd() * 100.0),
        (Some(saved), _) if saved == Money::ZERO => Some(0.0),
        _ => None,
    };
    let cost = match (is_move, &saved) {
        (true, Some(saved)) => words_of(saved),
        (true, None) => "not claimed: the setting predict_savings.enabled is off".to_owned(),
        (false, _) => "not claimed: the machines cost what their pools cost".to_owned(),
    };
    let known = pools::risk(facts);
    let confidence = match known.interruptions {
        0 => BY_CONFIGURATION,
        _ => BY_INTERRUPTIONS,
    };
    let performance = "interrupted machines are replaced from further pools".to_owned();
    let level = impact_level(
        &facts.guardrails.approval_matrix,
        resource,
        savings,
        monthly,
        hazards,
    );
    let mut reason_codes = vec![standing.aspect.to_owned()];
    reason_codes.extend(plan.is_err().then(|| "advice_only".to_owned()));

    let mut proposal = Proposal::new(
        KIND,
        standing.rule,
        match is_move {
            true => title("Run ", &resource.name, " on spot capacity in part"),
            false if standing.change == REBALANCE => {
                title("Let ", &resource.name, " replace spot machines early")
            }
            false => title("Give ", &resource.name, " more spot pools"),
        },
        reeve_recommend::recommendation::RecommendationSubject {
            aspect: Some(standing.aspect.to_owned()),
            ..subject(resource, None)
        },
        ImpactAssessment {
            cost_percent,
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: performance.clone(),
            security: "none: access stays as it is".to_owned(),
        },
        Explanation::new(action(group, standing), risk(resource, hazards))
            .with_factors(factors(
                facts,
                standing,
                saved.as_ref(),
                plan.as_ref().err(),
            ))
            .with_cost_reduction(cost)
            .with_performance_impact(performance)
            .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(confidence, Trust::stated(confidence))
    .with_impact_level(level.max(Impact::Medium))
    .with_effort(if plan.is_ok() {
        Effort::Low
    } else {
        Effort::Medium
    })
    .with_savings(savings)
    .with_monthly_cost(monthly)
    .with_plan(plan.ok())
    .with_reason_codes(reason_codes)
    .with_not_measured(match savings {
        Some(_) => Vec::new(),
        None => vec!["price".to_owned()],
    });

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }
    Ok(proposal)
}

fn words_of(saved: &SpotSaving) -> String {
    format!(
        "{} a month at the {}, 90 % range {} to {}, after {:.1} interruptions a month that cost {}",
        dollars(saved.value),
        match saved.is_measured {
            true => "spot prices of its zones",
            false => "average spot price of the region",
        },
        dollars(saved.low),
        dollars(saved.high),
        saved.interruptions,
        dollars(saved.cost)
    )
}

fn action(group: &SpotGroup<'_>, standing: &SpotStanding) -> String {
    if standing.change == REBALANCE {
        return format!(
            "Let {} start a successor when the risk of a spot machine rises",
            group.resource.name
        );
    }
    format!(
        "Let {} start {} above {} on-demand machines, with capacity rebalancing",
        group.resource.name,
        standing.names.join(", "),
        standing.split.base
    )
}

/// The plan, or the reason why Reeve has none.
fn plan(
    facts: &Facts<'_>,
    group: &SpotGroup<'_>,
    standing: &SpotStanding,
) -> Result<Plan, Obstacle> {
    let document = facts.document.ok_or("its configuration was not read")?;
    let row = ConfigurationRow::named(standing.change).ok_or("the change is not known")?;
    if standing.change == REBALANCE {
        let change = change_by_row(row, facts.resource, document, &BTreeMap::new(), facts.now)?;
        return Ok(Plan::new(&change, facts.resource.id.as_str()));
    }
    let Some((id, version)) = &group.template else {
        return Err("it uses a launch configuration, which has no mixed instances policy: move it to a launch template".into());
    };
    if group.policy.is_none() && !standing.faults.is_empty() {
        return Err("its launch template asks for spot capacity, and a mixed instances policy takes no such template: remove the market options from it".into());
    }

    let types: Vec<Value> = standing
        .names
        .iter()
        .map(|name| json!({ "InstanceType": name }))
        .collect();
    let split = standing.split;
    let given = BTreeMap::from([
        (
            "template".to_owned(),
            json!({ "LaunchTemplateId": id, "Version": version }),
        ),
        ("types".to_owned(), Value::from(types)),
        (
            "distribution".to_owned(),
            json!({
                "OnDemandBaseCapacity": split.base.to_string(),
                "OnDemandPercentageAboveBaseCapacity": split.percent.to_string(),
                "SpotAllocationStrategy": "price-capacity-optimized",
            }),
        ),
    ]);
    let change = change_by_row(row, facts.resource, document, &given, facts.now)?;
    Ok(Plan::new(&change, facts.resource.id.as_str()))
}

fn factors(
    facts: &Facts<'_>,
    standing: &SpotStanding,
    saved: Option<&SpotSaving>,
    by_hand: Option<&Obstacle>,
) -> Factors {
    let mut factors = Factors::default();
    for fault in &standing.faults {
        factors.add(FactorKind::Measured, fault.clone());
    }
    for one in standing.types.iter().take(4) {
        factors.add(
            FactorKind::Price,
            format!(
                "{}: ${:.4} an hour on demand, ${:.4} {}; chance of an interruption within a day {:.2} % ({:.2} to {:.2} %)",
                one.name,
                one.on_demand,
                one.spot,
                match one.is_measured {
                    true => format!("on spot capacity of its zones (${:.4} to ${:.4})", one.spot_range.0, one.spot_range.1),
                    false => "at the average spot price of the region".to_owned(),
                },
                one.day.value * 100.0,
                one.day.low * 100.0,
                one.day.high * 100.0
            ),
        );
    }
    if let Some(saved) = saved {
        factors.add(FactorKind::Price, words_of(saved));
    }

    market::explain(facts, &mut factors);
    let known = pools::risk(facts);
    factors.add(
        FactorKind::Confidence,
        match known.interruptions {
            0 => "No interruption of the estate is known: the chances are beliefs about spot capacity in general".to_owned(),
            count => format!(
                "The chances are learned from {count} interruptions of {} spot machines within {} days",
                known.lives, known.history_days
            ),
        },
    );
    factors.add(
        FactorKind::Consequence,
        "Auto Scaling spreads a group evenly over zones and not over types: the share of one zone is what one pool may hold".to_owned(),
    );
    if let Some(reason) = by_hand {
        factors.add(
            FactorKind::Consequence,
            format!("Reeve cannot apply it: {reason}"),
        );
    }
    factors
}
