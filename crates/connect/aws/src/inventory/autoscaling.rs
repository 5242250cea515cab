//! Auto Scaling groups: their members, the launch template they grow by, and its instance type.

use std::collections::BTreeMap;

use aws_sdk_autoscaling::Client;
use aws_sdk_autoscaling::types::{AutoScalingGroup, LaunchTemplateSpecification};
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, Cursor, Fault, Listing, Place};
use reeve_estate::{Resource, ResourceId, ResourceKind};

use crate::session::AwsConnection;

/// Groups in a page, the most there may be.
const PAGE: i32 = 100;

/// Every group of a region. A launch template that may not be read leaves the group listed, with its members' type.
pub(super) async fn groups(connection: &AwsConnection, place: Place) -> Listing {
    let client = Client::new(&connection.config(&place.region));
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
    resource.specification.instance_type = group.instances().iter().find_map(|i| i.instance_type()).map(str::to_owned);
    Some(resource)
}
