//! Scaling groups: `downsize_underutilized` and `upgrade_throttled` for all members of a group
//! together, by its launch template.
//!
//! A smaller size must hold the highest value that any member had at each time, and a larger one is
//! proposed where even the member with the lowest CPU is above the limit. One member that was not
//! measured leaves the group as it is.

use reeve_estate::{
    Metric, Provider, Purchase, Resource, ResourceId, ResourceKind, ResourceState, SampleSeries,
};
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Fleet, Judgement};
use reeve_recommend::recommendation::{FactorKind, RecommendationType};
use serde_json::Value;

use super::evidence::CostEvidence;
use super::replaced::Replaced;
use super::settings::Thresholds;
use super::{downsize, throttled};
use crate::group_document::protects_new_members;

const KIND: RecommendationType = RecommendationType::RightSize;
/// Processes of a group without which no member is replaced.
const PROCESSES: &[&str] = &[
    "Launch",
    "Terminate",
    "HealthCheck",
    "ReplaceUnhealthy",
    "InstanceRefresh",
];

/// Judges one scaling group by its members.
pub(super) fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    let (replaced, fleet, size) = match admit(facts) {
        Ok(admitted) => admitted,
        Err(abstention) => {
            judgement.abstentions.push(abstention);
            return judgement;
        }
    };

    let machine = machine(facts.resource, &fleet.members[0], size);
    let highest = fleet.highest(&machine.id);
    let mut lowest: Vec<SampleSeries> = highest.clone();
    lowest.retain(|series| series.metric != Metric::CpuUtilization);
    lowest.extend(fleet.lowest(&machine.id, Metric::CpuUtilization));
    let as_one = |series| Facts {
        resource: &machine,
        series,
        volumes: &[],
        ..*facts
    };
    let (least, most) = (as_one(&lowest), as_one(&highest));

    judgement.take(throttled::judge(&CostEvidence::of_group(&least, &replaced)));
    if judgement.proposals.is_empty() {
        judgement.take(downsize::judge(&CostEvidence::of_group(&most, &replaced)));
    }

    let notes = notes(replaced.members);
    for proposal in &mut judgement.proposals {
        proposal.explanation.factors.extend(notes.clone());
    }

    judgement
}

/// Facts that the figures of a group do not show.
fn notes(members: u32) -> [(FactorKind, String); 2] {
    [
        (
            FactorKind::Measured,
            format!(
                "The figures are those of {members} members together: the highest, for CPU above its limit the lowest, at each time"
            ),
        ),
        (
            FactorKind::Consequence,
            "Scaling policies stay: one that scales by CPU adds members sooner where each of them is smaller"
                .to_owned(),
        ),
    ]
}

/// The group as a machine of its members' kind.
fn machine(group: &Resource, member: &Resource, size: String) -> Resource {
    let mut machine = group.clone();
    machine.kind = ResourceKind::VirtualMachine;
    machine.state = ResourceState::Running;
    machine.specification = member.specification.clone();
    machine.specification.instance_type = Some(size);
    machine.purchase = Some(Purchase::OnDemand);
    machine
}

/// The group with its launch template, its members and their size; an abstention if they cannot be
/// judged or replaced.
fn admit<'a>(facts: &Facts<'a>) -> Result<(Replaced<'a>, &'a Fleet, String), Abstention> {
    let group = facts.resource;
    excluded(group, facts)?;
    let wanted = group
        .specification
        .capacity
        .map_or(0, |capacity| capacity.desired);
    if wanted == 0 {
        return Err(decided("no_members", "it has no members"));
    }

    let (template, version) = template(facts)?;
    let missing = |known: usize| {
        Abstention::unjudged(
            KIND,
            "members_unknown",
            format!("{known} of its {wanted} members are in the inventory"),
        )
    };
    let fleet = facts.get::<Fleet>().ok_or_else(|| missing(0))?;

    if fleet.members.len() != wanted as usize {
        return Err(missing(fleet.members.len()));
    }

    let size = same_size(group, fleet)?;
    let unmeasured = fleet.unmeasured(Metric::CpuUtilization);

    if unmeasured > 0 {
        let detail =
            format!("the CPU of {unmeasured} of its {wanted} members was not measured throughout");
        return Err(Abstention::unjudged(KIND, "members_unmeasured", detail));
    }

    Ok((
        Replaced {
            group,
            members: wanted,
            template,
            version,
        },
        fleet,
        size,
    ))
}

fn excluded(group: &Resource, facts: &Facts<'_>) -> Result<(), Abstention> {
    if let Some(protected) = refusal(group, "change_group_size", facts.catalogue) {
        return Err(protected.into_abstention(Some(KIND)));
    }
    if !Thresholds::from(facts.settings).rightsizing {
        return Err(decided("switched_off", "right-sizing is off"));
    }

    if group.provider != Provider::Aws {
        let detail = format!(
            "Reeve does not replace the members of groups of {}",
            group.provider
        );
        return Err(decided("cloud_not_covered", detail));
    }

    match group.state {
        ResourceState::Available => Ok(()),
        state => Err(Abstention::unjudged(
            KIND,
            "changing",
            format!("it is {state}"),
        )),
    }
}

/// The launch template and its version, by the group's description.
fn template(facts: &Facts<'_>) -> Result<(String, String), Abstention> {
    let unread = || Abstention::unjudged(KIND, "not_described", "its description was not read");
    let group = facts.document.ok_or_else(unread)?.json();
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    if group.get("MixedInstancesPolicy").is_some() {
        let detail = "its mixed instances policy names several instance types; change them there";
        return Err(decided("mixed_instances", detail));
    }

    let Some(template) = group.get("LaunchTemplate") else {
        let detail =
            "it uses a launch configuration, which has no versions; move it to a launch template";
        return Err(decided("launch_configuration", detail));
    };

    let version = text(template, "Version").unwrap_or_else(|| "$Default".to_owned());
    if version == "$Latest" {
        let detail = "it follows the newest version of its launch template, which a version of Reeve would become at once; set it to a version number";
        return Err(decided("follows_latest", detail));
    }

    if protects_new_members(group) {
        return Err(decided(
            "scale_in_protected",
            "its members are protected from being replaced",
        ));
    }

    let suspended = group
        .get("SuspendedProcesses")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut names =
        suspended.filter_map(|process| process.get("ProcessName").and_then(Value::as_str));

    if let Some(process) = names.find(|name| PROCESSES.contains(name)) {
        return Err(decided(
            "suspended",
            format!("its process {process} is suspended"),
        ));
    }

    Ok((
        text(template, "LaunchTemplateId").ok_or_else(unread)?,
        version,
    ))
}

/// The size of every member, which is that of the launch template.
fn same_size(group: &Resource, fleet: &Fleet) -> Result<String, Abstention> {
    let spot = |member: &&Resource| member.purchase == Some(Purchase::Spot);
    if let Some(member) = fleet.members.iter().find(spot) {
        return Err(decided(
            "spot",
            format!("{} is spot capacity, which comes and goes", member.id),
        ));
    }

    let size = group.specification.instance_type.clone();
    let size = size.ok_or_else(|| {
        Abstention::unjudged(KIND, "size_unknown", "its launch template names no size")
    })?;
    let other = |member: &&Resource| member.specification.instance_type.as_ref() != Some(&size);

    match fleet.members.iter().find(other) {
        Some(Resource {
            id: ResourceId(id), ..
        }) => Err(Abstention::unjudged(
            KIND,
            "members_differ",
            format!("{id} is no {size}, as its launch template says"),
        )),
        None => Ok(size),
    }
}

fn decided(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail)
}
