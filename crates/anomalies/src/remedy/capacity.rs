//! Remedies of performance and operational anomalies: more of what the resource runs short of.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_estate::{Catalogue, Metric, Money, Resource, ResourceKind};
use reeve_recommend::agent::AgentType;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::plan::relief;
use reeve_recommend::plan::relief::{Relief, Shortage};
use reeve_recommend::recommendation::{Decision, RecommendationType};

use super::super::record::{Anomaly, Reading};
use super::super::words;
use super::proposal::{Facts, Finding, remedy};
use super::{Remedy, Terms};

/// Period for which a group keeps added members.
const MEMBERS_FOR: SignedDuration = SignedDuration::from_hours(6);
/// A group gets at most so many times its members.
const MOST_TIMES: f64 = 2.0;
/// Storage that is added, percent.
const STORAGE_PERCENT: f64 = 25.0;

/// A shortage that a reading shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Size(Shortage),
    Storage,
    Connections,
    /// More of everything that answers requests.
    Requests,
}

const LARGER_SIZE: Finding = Finding {
    agent_type: AgentType::PERFORMANCE_OPTIMIZER,
    kind: RecommendationType::InstanceType,
    rule: "optimize_instance_types",
};
const MORE_MEMBERS: Finding = Finding {
    agent_type: AgentType::PERFORMANCE_OPTIMIZER,
    kind: RecommendationType::AutoScaling,
    rule: "scale_before_traffic_spike",
};
const READ_REPLICA: Finding = Finding {
    agent_type: AgentType::DB_OPTIMIZER,
    kind: RecommendationType::DatabaseTuning,
    rule: "suggest_read_replicas",
};
const MORE_STORAGE: Finding = Finding {
    agent_type: AgentType::OPS_INTELLIGENCE,
    kind: RecommendationType::StorageExpansion,
    rule: "auto_remediate",
};

/// Returns the change that gives a resource more of what it lacks; the error is the reason why
/// there is none. `all` are the resources around it: its group, its disks, the machines behind it
/// and their groups. `account` is what its account costs a month.
pub(crate) fn capacity(
    of: &Anomaly,
    resource: &Resource,
    all: &[Resource],
    account: Option<Money>,
    terms: Terms<'_>,
    now: Timestamp,
) -> Result<Remedy, Obstacle> {
    if is_opted_out(resource) {
        return Err(Obstacle::of("a tag excludes the resource"));
    }

    let mut why = None;
    for reading in &of.readings {
        let found = need(reading)
            .and_then(|need| relieve(need, reading, resource, all, terms.catalogue, now));
        match found {
            Ok((target, relief, finding)) => {
                return Ok(remedy(
                    of,
                    target,
                    relief,
                    finding,
                    facts(reading, target, account, terms.catalogue),
                    terms.matrix,
                ));
            }
            Err(reason) => why = why.or(Some(reason)),
        }
    }

    Err(why.unwrap_or_else(|| "no measured capacity is short".into()))
}

fn need(reading: &Reading) -> Result<Need, Obstacle> {
    let metric = reading.metric.ok_or("no metric was read")?;
    let up = reading.value >= reading.expected;
    let name = words::name(metric);

    match (metric, up) {
        (Metric::CpuUtilization, true) | (Metric::CpuCreditBalance, false) => {
            Ok(Need::Size(Shortage::Processors))
        }
        (Metric::MemoryUtilization, true) => Ok(Need::Size(Shortage::Memory)),
        (Metric::FreeStorage, false) | (Metric::DiskUtilization, true) => Ok(Need::Storage),
        (Metric::DatabaseConnections, true) => Ok(Need::Connections),
        (Metric::RequestRate | Metric::ResponseTime, true) => Ok(Need::Requests),
        (Metric::ErrorRate, true) => Err(Obstacle::of(
            "errors come from what runs on it, and no size makes them fewer",
        )),
        (_, true) => Err(Obstacle::of(format_args!(
            "{} has no limit that Reeve could raise",
            name.to_lowercase()
        ))),
        (_, false) => Err(Obstacle::of(format_args!(
            "{name} fell, so no capacity runs short"
        ))),
    }
}

type Found<'a> = (&'a Resource, Relief, Finding);

fn relieve<'a>(
    need: Need,
    reading: &Reading,
    resource: &'a Resource,
    all: &'a [Resource],
    catalogue: &Catalogue,
    now: Timestamp,
) -> Result<Found<'a>, Obstacle> {
    let more_members = |group: &'a Resource| {
        let times = if reading.expected > 0.0 {
            reading.value / reading.expected
        } else {
            MOST_TIMES
        };
        let wanted = move |desired: u32| {
            let times = times.clamp(1.0, MOST_TIMES);
            ((f64::from(desired) * times).ceil() as u32).max(desired.saturating_add(1))
        };
        (
            group,
            relief::more_members(group, wanted, now, Some(now + MEMBERS_FOR), catalogue),
            MORE_MEMBERS,
        )
    };

    let group = || {
        resource
            .group
            .as_ref()
            .and_then(|group| all.iter().find(|one| one.id == *group))
    };

    match (need, resource.kind) {
        (Need::Size(_), ResourceKind::VirtualMachine) if resource.group.is_some() => group()
            .map(more_members)
            .ok_or_else(|| "its group is not known".into()),
        (Need::Size(_) | Need::Requests, ResourceKind::ScalingGroup) => Ok(more_members(resource)),
        (Need::Size(short), ResourceKind::VirtualMachine | ResourceKind::Database) => {
            let larger = relief::larger_size(resource, short, catalogue).map_err(Obstacle::from)?;
            Ok((resource, larger, LARGER_SIZE))
        }
        (Need::Requests, ResourceKind::LoadBalancer) => relief::group_behind(resource, all)
            .map(more_members)
            .ok_or_else(|| "the machines behind it do not belong to one scaling group".into()),
        (Need::Connections, ResourceKind::Database) => {
            Ok((resource, relief::read_replica(resource), READ_REPLICA))
        }
        (Need::Storage, ResourceKind::Volume | ResourceKind::Database) => Ok((
            resource,
            relief::more_storage(resource, STORAGE_PERCENT, catalogue),
            MORE_STORAGE,
        )),
        (Need::Storage, ResourceKind::VirtualMachine) => {
            let disk = relief::only_disk(resource, all).unwrap_or(resource);
            Ok((
                disk,
                relief::more_storage(disk, STORAGE_PERCENT, catalogue),
                MORE_STORAGE,
            ))
        }
        (_, kind) => Err(Obstacle::of(format_args!(
            "Reeve cannot enlarge a {}",
            kind.as_str().replace('_', " ")
        ))),
    }
}

fn facts(
    reading: &Reading,
    resource: &Resource,
    account: Option<Money>,
    catalogue: &Catalogue,
) -> Facts {
    let own_cost = resource
        .monthly_cost
        .or_else(|| catalogue.monthly_cost(resource).map(|monthly| monthly.cost));
    let detail = words::evidence(reading).unwrap_or_default();
    let sized = reading.metric.is_some_and(|metric| {
        matches!(
            metric,
            Metric::CpuUtilization | Metric::MemoryUtilization | Metric::CpuCreditBalance
        )
    }) && resource.group.is_none()
        && resource.kind != ResourceKind::ScalingGroup;

    Facts {
        check: Decision {
            check: "Is the capacity that the change adds short?".to_owned(),
            answer: Some(true),
            detail,
        },
        degradation_percent: Some(0.0),
        performance: "it gets more of the capacity that was short".to_owned(),
        not_measured: Vec::new(),
        compared_with: if sized { own_cost } else { account },
    }
}

#[cfg(test)]
mod tests;
