//! Auto Scaling groups: their members, the launch template they grow by, and its instance type; and how many members they
//! are to have. A number beyond a group's maximum is refused before it is asked for, as Auto Scaling refuses it.

use std::collections::BTreeMap;

use aws_config::SdkConfig;
use aws_sdk_autoscaling::Client;
use aws_sdk_autoscaling::types::{AutoScalingGroup, LaunchTemplateSpecification, LifecycleState};
use aws_smithy_types::retry::RetryConfig;
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, Cursor, Fault, FaultKind, Listing, Pace, Place, refused_only};
use reeve_estate::{Capacity, Resource, ResourceId, ResourceKind, ResourceState};

use crate::session::AwsConnection;

/// Groups in a page, the most there may be.
const PAGE: i32 = 100;

fn client(config: &SdkConfig, place: &Place) -> Client {
    let own = aws_sdk_autoscaling::config::Builder::from(config).retry_partition(place.retries("autoscaling"));
    Client::from_conf(own.build())
}

/// Every group of a region. A launch template that may not be read leaves the group listed, with its members' type.
pub(super) async fn groups(connection: &AwsConnection, place: Place) -> Listing {
    let client = client(&connection.config(&place.region), &place);
    let ec2 = connection.ec2(place.clone());
    let mut listing = Listing::new(ResourceKind::ScalingGroup);
    let mut found = Vec::new();
    let outcome = read(&client, &place, &mut found).await;
    listing.end(outcome);
    for group in &found {
        let Some(mut resource) = resource(&place, group) else { continue };
        if let Some(template) = template(group) {
            let (id, version) =
                (template.launch_template_id().unwrap_or_default(), template.version().unwrap_or("$Default"));
            match ec2.launch_template_type(id, version).await {
                Ok(Some(named)) => resource.specification.instance_type = Some(named),
                Ok(None) => {}
                Err(fault) => listing.faults.push(fault),
            }
        }
        listing.resources.push(resource);
    }
    listing
}

/// Auto Scaling in one region.
#[derive(Debug, Clone)]
pub(crate) struct Scaling {
    client: Client,
    /// Without the SDK's retries: it must not repeat what may have happened.
    changes: Client,
    place: Place,
    pace: Pace,
}

impl Scaling {
    pub(crate) fn new(config: &SdkConfig, place: Place, pace: Pace) -> Self {
        let once = config.clone().into_builder().retry_config(RetryConfig::disabled()).build();
        Scaling { client: client(config, &place), changes: Client::new(&once), place, pace }
    }

    /// One group, `Changing` until as many members serve as it is to have.
    pub(crate) async fn group(&self, name: &str) -> Result<Resource, Fault> {
        let call = self.place.call("autoscaling:DescribeAutoScalingGroups");
        let page = self.client.describe_auto_scaling_groups().auto_scaling_group_names(name).send().await.at(call)?;
        let found = page.auto_scaling_groups().iter().find(|group| group.auto_scaling_group_name() == Some(name));
        let found = found.and_then(|group| Some((group, resource(&self.place, group)?)));
        let (group, mut resource) =
            found.ok_or_else(|| call.fault(FaultKind::NotFound, None, &format!("no scaling group {name}")))?;
        let serves = |state: Option<&LifecycleState>| state == Some(&LifecycleState::InService);
        let serving = group.instances().iter().filter(|member| serves(member.lifecycle_state())).count();
        if resource.specification.capacity.is_some_and(|capacity| serving != capacity.desired as usize) {
            resource.state = ResourceState::Changing;
        }
        Ok(resource)
    }

    /// Sets how many members a group is to have, within its own maximum.
    pub(crate) async fn scale(&self, name: &str, min: u32, desired: u32) -> Result<(), Fault> {
        let call = self.place.call("autoscaling:UpdateAutoScalingGroup");
        let now = self.group(name).await?.specification.capacity;
        let most = now.map_or(0, |capacity| capacity.max);
        if min > desired || desired > most {
            let message =
                format!("{name} may have at most {most} members; it cannot have {desired} and at least {min}");
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }
        let too_many = |_| call.fault(FaultKind::InvalidType, None, "so many members are beyond any group");
        let (min, desired) = (i32::try_from(min).map_err(too_many)?, i32::try_from(desired).map_err(too_many)?);
        let request = self.changes.update_auto_scaling_group().auto_scaling_group_name(name);
        let request = request.min_size(min).desired_capacity(desired);
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }
}

async fn read(client: &Client, place: &Place, into: &mut Vec<AutoScalingGroup>) -> Result<(), Fault> {
    let call = place.call("autoscaling:DescribeAutoScalingGroups");
    let mut cursor = Cursor::new();
    loop {
        let page = client
            .describe_auto_scaling_groups()
            .max_records(PAGE)
            .set_next_token(cursor.token())
            .send()
            .await
            .at(call)?;
        into.extend_from_slice(page.auto_scaling_groups());
        if !cursor.advance(call, page.next_token())? {
            return Ok(());
        }
    }
}

/// The template a group grows by, its own or its mixed policy's.
fn template(group: &AutoScalingGroup) -> Option<&LaunchTemplateSpecification> {
    let mixed = || group.mixed_instances_policy()?.launch_template()?.launch_template_specification();
    group.launch_template().or_else(mixed)
}

/// The group, attached to its launch template and its members.
fn resource(place: &Place, group: &AutoScalingGroup) -> Option<Resource> {
    let name = group.auto_scaling_group_name()?;
    let tags =
        group.tags().iter().filter_map(|t| Some((t.key()?.to_owned(), t.value().unwrap_or_default().to_owned())));
    let tags: BTreeMap<String, String> = tags.collect();
    let id = group.auto_scaling_group_arn().unwrap_or(name);
    let mut resource = place.resource(ResourceKind::ScalingGroup, "autoscaling", id, tags);
    name.clone_into(&mut resource.name);
    let members = group.instances().iter().filter_map(|i| i.instance_id());
    let template = template(group).and_then(|t| t.launch_template_id());
    resource.attached_to = template.into_iter().chain(members).map(ResourceId::new).collect();
    resource.created_at = group.created_time().and_then(timestamp);
    resource.specification.capacity = capacity(group);
    resource.specification.instance_type = group.instances().iter().find_map(|i| i.instance_type()).map(str::to_owned);
    Some(resource)
}

fn capacity(group: &AutoScalingGroup) -> Option<Capacity> {
    let count = |count_field: Option<i32>| count_field.and_then(|n| u32::try_from(n).ok());
    let (min, desired) = (count(group.min_size())?, count(group.desired_capacity())?);
    Some(Capacity { min, desired, max: count(group.max_size())? })
}
