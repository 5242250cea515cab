//! Successors of machines on other capacity, in the target groups of the machine.

use std::collections::BTreeMap;

use reeve_connect_aws_ec2::{AwsEc2Fault, FoundSuccessor, Place};
use reeve_estate::{ActError, Applied, Operation, Resource, Successor};
use reeve_recommend::change::ReplaceOperation;

use super::{Answer, other};
use crate::inventory::elb;
use crate::session::AwsConnection;

/// Takes operations on a machine and its successor.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<ReplaceOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    machine: &Resource,
    operation: &ReplaceOperation,
) -> Result<Applied, ActError> {
    let place = cloud.place(&machine.account, &machine.region);
    let ec2 = cloud.ec2(place.clone());
    let id = machine.id.as_str();
    if let ReplaceOperation::Launch { purchase } = operation {
        let groups = elb::groups_of(cloud, place, &[id]).await?;
        let names: Vec<String> = groups.into_keys().collect();
        ec2.launch_successor(id, *purchase, &names).await?;
        return Ok(Applied::Accepted);
    }

    let Some(successor) = ec2.successor(id).await? else {
        return match operation {
            ReplaceOperation::Remove => Ok(Applied::Accepted),
            _ => Err(other(format!("{id} has no successor"))),
        };
    };
    let other_id = successor.id.as_str();
    let groups = groups_of(cloud, place.clone(), id, &successor).await?;
    match operation {
        ReplaceOperation::Attach => join(cloud, &place, &groups, other_id).await?,
        ReplaceOperation::Retire => {
            leave(cloud, &place, &groups, id).await?;
            ec2.stop(id).await?;
        }
        ReplaceOperation::GiveBack => {
            ec2.start(id).await?;
            join(cloud, &place, &groups, id).await?;
        }
        ReplaceOperation::Remove => {
            // The machine is asked for first: nothing leaves a group that nothing else serves.
            ec2.may_end_successor(id).await?;
            leave(cloud, &place, &groups, other_id).await?;
            ec2.end_successor(id).await?;
        }
        ReplaceOperation::Launch { .. } => {}
    }
    Ok(Applied::Accepted)
}

/// Target groups of a machine and its successor, each with those of the two that are registered:
/// the groups that have either, and those that the machine was in at the launch.
async fn groups_of(
    cloud: &AwsConnection,
    place: Place,
    machine: &str,
    successor: &FoundSuccessor,
) -> Result<BTreeMap<String, Vec<String>>, AwsEc2Fault> {
    let mut groups = elb::groups_of(cloud, place, &[machine, &successor.id]).await?;
    for group in &successor.groups {
        groups.entry(group.clone()).or_default();
    }
    Ok(groups)
}

/// Registers a machine in the groups that do not have it.
async fn join(
    cloud: &AwsConnection,
    place: &Place,
    groups: &BTreeMap<String, Vec<String>>,
    machine: &str,
) -> Result<(), AwsEc2Fault> {
    for (group, _) in groups.iter().filter(|(_, own)| !has(own, machine)) {
        elb::set_registered(cloud, place, group, (machine, true)).await?;
    }
    Ok(())
}

/// Takes a machine out of the groups that have it.
async fn leave(
    cloud: &AwsConnection,
    place: &Place,
    groups: &BTreeMap<String, Vec<String>>,
    machine: &str,
) -> Result<(), AwsEc2Fault> {
    for (group, _) in groups.iter().filter(|(_, own)| has(own, machine)) {
        elb::set_registered(cloud, place, group, (machine, false)).await?;
    }
    Ok(())
}

fn has(registered: &[String], machine: &str) -> bool {
    registered.iter().any(|one| one == machine)
}

/// Reads the successor of a machine; `None` where there is none.
///
/// # Errors
/// A call's failure.
pub(crate) async fn successor(
    cloud: &AwsConnection,
    place: Place,
    machine: &str,
) -> Result<Option<Successor>, AwsEc2Fault> {
    let Some(found) = cloud.ec2(place.clone()).successor(machine).await? else {
        return Ok(None);
    };
    let groups = groups_of(cloud, place, machine, &found).await?;
    let everywhere = |id: &str| groups.values().all(|own| has(own, id));
    Ok(Some(Successor {
        running: found.running,
        attached: everywhere(&found.id),
        machine_attached: everywhere(machine),
        id: found.id,
    }))
}
