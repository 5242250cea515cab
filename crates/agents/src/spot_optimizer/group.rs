//! Scaling groups: which of them may move to spot capacity, and which have too few pools.

use reeve_estate::{Purchase, Resource};
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::workload::{Classification, WorkloadClass};
use reeve_recommend::judgement::{Facts, Fleet, Judgement};
use serde_json::Value;

use super::finding::{self, REBALANCE, SpotStanding, USE_MIXED};
use super::market;
use super::pools::{candidates, split, spot_of};
use super::settings::Thresholds;
use super::{DIVERSIFY, ELIGIBLE, KIND};
use crate::group_document::{is_on, protects_new_members};
use crate::workload_classifier;

/// Share of a production group's machines above the base that stays on demand, percent.
const PRODUCTION_ON_DEMAND: u32 = 50;

/// A scaling group as its configuration tells.
pub(super) struct SpotGroup<'a> {
    pub(super) resource: &'a Resource,
    pub(super) desired: u32,
    pub(super) zones: Vec<String>,
    pub(super) size: String,
    /// Launch template: its identifier and version.
    pub(super) template: Option<(String, String)>,
    /// Mixed instances policy of the group.
    pub(super) policy: Option<&'a Value>,
    pub(super) rebalances: bool,
    /// Longest time that a member takes to serve, seconds; `None` where nothing tells.
    pub(super) start_s: Option<u64>,
}

/// Judges one scaling group.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Judgement {
    let mut judgement = Judgement::default();
    let group = match admit(facts) {
        Ok(group) => group,
        Err(abstention) => {
            judgement.abstentions.push(abstention);
            return judgement;
        }
    };

    match on_spot(facts, &group) {
        true => judgement.take(diversified(facts, settings, &group)),
        false => judgement.take(eligible(facts, settings, &group)),
    }
    judgement
}

fn decided(aspect: &str, code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail.into()).with_aspect(aspect)
}

fn admit<'a>(facts: &Facts<'a>) -> Result<SpotGroup<'a>, Abstention> {
    let resource = facts.resource;
    let out = |code, detail: &str| Err(Abstention::decided(KIND, code, detail));
    if is_opted_out(resource) {
        return out("opted_out", "its tag reeve:ignore excludes it");
    }
    if resource.provider != reeve_estate::Provider::Aws {
        return out("cloud_not_covered", "only scaling groups on AWS are judged");
    }
    let desired = resource.specification.capacity.map_or(0, |one| one.desired);
    if desired == 0 {
        return out("no_members", "it has no members");
    }
    let Some(document) = facts.document else {
        let detail = "its configuration was not read".to_owned();
        return Err(Abstention::unjudged(KIND, "not_described", detail));
    };
    let Some(size) = resource.specification.instance_type.clone() else {
        let detail = "its instance type is not known".to_owned();
        return Err(Abstention::unjudged(KIND, "size_not_known", detail));
    };

    let json: &'a Value = document.json();
    let policy = json
        .get("MixedInstancesPolicy")
        .filter(|one| one.is_object());
    let own = json.get("LaunchTemplate").filter(|one| one.is_object());
    let mixed = policy.and_then(|one| one.pointer("/LaunchTemplate/LaunchTemplateSpecification"));
    let zones = json.get("AvailabilityZones").and_then(Value::as_array);
    let zones = zones.into_iter().flatten().filter_map(Value::as_str);
    Ok(SpotGroup {
        resource,
        desired,
        zones: zones.map(str::to_owned).collect(),
        size,
        template: own.or(mixed).and_then(template),
        policy,
        rebalances: is_on(json.get("CapacityRebalance")),
        start_s: number(json, "DefaultInstanceWarmup").or(number(json, "HealthCheckGracePeriod")),
    })
}

fn template(value: &Value) -> Option<(String, String)> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let version = text("Version").unwrap_or_else(|| "$Default".to_owned());
    Some((text("LaunchTemplateId")?, version))
}

/// Reads a number that a document has as a number or as text.
pub(super) fn number(json: &Value, name: &str) -> Option<u64> {
    let value = json.get(name)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// Returns `true` if the group starts spot capacity: by its policy, or because its members have it.
fn on_spot(facts: &Facts<'_>, group: &SpotGroup<'_>) -> bool {
    let by_policy = group.policy.is_some_and(|policy| {
        let distribution = policy.get("InstancesDistribution").unwrap_or(&Value::Null);
        number(distribution, "OnDemandPercentageAboveBaseCapacity").unwrap_or(100) < 100
    });
    by_policy || members_on_spot(facts) > 0
}

/// Number of members on spot capacity.
fn members_on_spot(facts: &Facts<'_>) -> usize {
    let members = facts.get::<Fleet>().map_or(&[][..], |fleet| &fleet.members);
    let is_spot = |member: &&Resource| member.purchase == Some(Purchase::Spot);
    members.iter().filter(is_spot).count()
}

/// Judges whether a group on demand may move to spot capacity.
fn eligible(
    facts: &Facts<'_>,
    settings: &Thresholds,
    group: &SpotGroup<'_>,
) -> Result<Proposal, Abstention> {
    let no = |code, detail: String| Err(decided(ELIGIBLE, code, detail));
    if !settings.eligible {
        return no(
            "switched_off",
            "the setting recommend_spot_eligible.enabled is off".to_owned(),
        );
    }

    let mut path = Path::default();
    let least_percent = class_of(facts, settings, &mut path)?;
    let json = facts
        .document
        .map_or(&Value::Null, |document| document.json());
    if protects_new_members(json) {
        let detail =
            "its members are protected from being replaced, so that they hold work or data";
        return no("stateful", detail.to_owned());
    }
    path.ask(
        "May its members be replaced?",
        true,
        "they are not protected from it, and a group replaces its members at any time",
    );

    let limit_s = settings.start_minutes * 60;
    match group.start_s {
        Some(start) if start > limit_s => {
            return no(
                "starts_slowly",
                format!("a member takes {start} seconds to serve, more than {limit_s}"),
            );
        }
        Some(start) => {
            path.ask(
                "Does a member serve soon enough?",
                true,
                format!("within {start} seconds by the group's settings, at most {limit_s}"),
            );
        }
        None => {
            let detail = "neither warm-up nor grace period shows how long a member takes to serve";
            return Err(
                Abstention::unjudged(KIND, "start_not_known", detail.to_owned())
                    .with_aspect(ELIGIBLE),
            );
        }
    }

    let types = candidates(facts, &group.size, &group.zones, settings.predict);
    let pools = types.len() * group.zones.len();
    if types.len() < settings.types as usize {
        return no(
            "too_few_pools",
            format!(
                "{} instance types like {} have a spot price below the on-demand price here ({pools} pools), {} are needed",
                types.len(),
                group.size,
                settings.types
            ),
        );
    }

    if let Err(why) = market::to_be_had(facts, &group.zones, settings.least_score, &mut path) {
        return no("capacity_short", why.into());
    }

    let base = u32::try_from(settings.base).unwrap_or(u32::MAX);
    let split = split(
        group.desired,
        u32::try_from(group.zones.len()).unwrap_or(1),
        settings.lost_at_once,
        base,
        least_percent,
    );
    let spot = spot_of(group.desired, split);
    if spot == 0 {
        return no(
            "nothing_left",
            format!(
                "of {} machines in {} zones none may be on spot capacity where one pool takes at most {:.0} % at once and {base} stay on demand",
                group.desired,
                group.zones.len(),
                settings.lost_at_once
            ),
        );
    }
    path.ask(
        "May a part of it be lost at once?",
        true,
        format!(
            "{spot} of {} machines on spot capacity in {} zones: one pool takes {} at most",
            group.desired,
            group.zones.len(),
            spot.div_ceil(u32::try_from(group.zones.len()).unwrap_or(1).max(1))
        ),
    );

    finding::propose(
        facts,
        settings,
        group,
        &SpotStanding {
            aspect: ELIGIBLE,
            rule: "recommend_spot_eligible",
            change: USE_MIXED,
            names: types.iter().map(|one| one.name.clone()).collect(),
            types,
            split,
            spot,
            faults: Vec::new(),
        },
        path,
    )
}

/// Returns the share of machines that the class of the group keeps on demand, percent.
fn class_of(facts: &Facts<'_>, settings: &Thresholds, path: &mut Path) -> Result<u32, Abstention> {
    if !settings.classes {
        path.unanswered(
            "Does its workload class permit interruptions?",
            "the setting workload_classification.enabled is off",
        );
        return Ok(0);
    }

    let defaults = reeve_recommend::agent::settings::AgentSettings::default();
    let series = if settings.patterns { facts.series } else { &[] };
    let judged = workload_classifier::judge(&Facts {
        settings: &defaults,
        series,
        ..*facts
    });
    let found = judged.outputs.get::<Classification>();
    let class = found.and_then(|one| one.class);
    let Some((class, confidence)) = class.zip(found.map(|one| one.confidence)) else {
        let reason = found.and_then(|one| one.unclassified.as_ref());
        let detail = reason.map_or("no tag or metric shows what it does", |one| {
            one.detail.as_str()
        });
        return Err(Abstention::unjudged(
            KIND,
            "class_not_known",
            format!("its workload has no class: {detail}"),
        )
        .with_aspect(ELIGIBLE));
    };

    let percent = match class {
        WorkloadClass::Production => PRODUCTION_ON_DEMAND,
        WorkloadClass::Batch | WorkloadClass::Development | WorkloadClass::Analytics => 0,
    };
    path.ask(
        "Does its workload class permit interruptions?",
        true,
        format!(
            "{} with a confidence of {confidence:.1} %: {percent} % of the machines above the base stay on demand",
            class.as_str()
        ),
    );
    Ok(percent)
}

/// Judges whether a group on spot capacity has enough pools.
fn diversified(
    facts: &Facts<'_>,
    settings: &Thresholds,
    group: &SpotGroup<'_>,
) -> Result<Proposal, Abstention> {
    if !settings.diversify {
        return Err(decided(
            DIVERSIFY,
            "switched_off",
            "the setting diversify_instance_types.enabled is off",
        ));
    }

    let policy = group.policy.unwrap_or(&Value::Null);
    let overrides = policy.pointer("/LaunchTemplate/Overrides");
    let overrides: Vec<&Value> = overrides
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let plain = |one: &&Value| one.as_object().is_some_and(|one| one.len() == 1);
    if overrides.iter().any(|one| !plain(one)) {
        let detail =
            "its policy weighs instance types or names their properties, which people chose";
        return Err(decided(DIVERSIFY, "policy_of_people", detail));
    }

    let own: Vec<&str> = overrides
        .iter()
        .filter_map(|one| one.get("InstanceType").and_then(Value::as_str))
        .collect();
    let distribution = policy.get("InstancesDistribution").unwrap_or(&Value::Null);
    let strategy = distribution
        .get("SpotAllocationStrategy")
        .and_then(Value::as_str);
    let mut faults = Vec::new();
    if own.len().max(1) < settings.types as usize {
        faults.push(format!(
            "it may start {} instance type{}, {} are needed",
            own.len().max(1),
            if own.len() > 1 { "s" } else { "" },
            settings.types
        ));
    }
    if !group.rebalances {
        faults.push("it does not start a successor when a machine's risk rises (capacity rebalancing is off)".to_owned());
    }
    if group.policy.is_some() && strategy == Some("lowest-price") {
        faults.push("it takes the cheapest pool, which is interrupted most".to_owned());
    }
    if faults.is_empty() {
        return Err(decided(
            DIVERSIFY,
            "diversified",
            format!("it may start {} instance types and rebalances", own.len()),
        ));
    }

    let types = candidates(facts, &group.size, &group.zones, settings.predict);
    // Types that people chose stay, also those without a price here.
    let mut names: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
    for one in &types {
        if !names.contains(&one.name) {
            names.push(one.name.clone());
        }
    }
    let mut path = Path::default();
    path.ask(
        "Is it on spot capacity with too few pools?",
        true,
        faults.join("; "),
    );
    // A group whose policy is as it should be, or that cannot have one, is only told to rebalance.
    let rebalances_only = !group.rebalances && (group.policy.is_none() || faults.len() == 1);
    if !rebalances_only && names.len() < settings.types as usize {
        return Err(decided(
            DIVERSIFY,
            "too_few_pools",
            format!(
                "{} instance types like {} have a spot price here, {} are needed",
                names.len(),
                group.size,
                settings.types
            ),
        ));
    }

    let given = |name: &str| number(distribution, name).and_then(|one| u32::try_from(one).ok());
    let zones = u32::try_from(group.zones.len()).unwrap_or(1);
    let safe = split(
        group.desired,
        zones,
        settings.lost_at_once,
        given("OnDemandBaseCapacity").unwrap_or(0),
        given("OnDemandPercentageAboveBaseCapacity").unwrap_or(0),
    );
    let spot = spot_of(group.desired, safe);
    finding::propose(
        facts,
        settings,
        group,
        &SpotStanding {
            aspect: DIVERSIFY,
            rule: "diversify_instance_types",
            change: if rebalances_only {
                REBALANCE
            } else {
                USE_MIXED
            },
            names,
            types,
            split: safe,
            spot,
            faults,
        },
        path,
    )
}
