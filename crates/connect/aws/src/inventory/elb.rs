//! Elastic Load Balancing (version 2): balancers with the targets behind them. Classic balancers are not listed.

use std::collections::BTreeMap;

use aws_sdk_elasticloadbalancingv2::Client;
use aws_sdk_elasticloadbalancingv2::types::{LoadBalancer, LoadBalancerStateEnum, TargetGroup};
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, Cursor, Fault, Listing, Place};
use reeve_estate::{Resource, ResourceId, ResourceKind, ResourceState};

use crate::session::AwsConnection;

/// Balancers or groups in a page, the most there may be.
const PAGE: i32 = 400;
/// Balancers DescribeTags takes at a time.
const TAGGED: usize = 20;

/// Every balancer of a region. Tags or targets that may not be read leave the balancers listed.
pub(super) async fn load_balancers(connection: &AwsConnection, place: Place) -> Listing {
    let config = aws_sdk_elasticloadbalancingv2::config::Builder::from(&connection.config(&place.region));
    let client = Client::from_conf(config.retry_partition(place.retries("elasticloadbalancing")).build());
    let mut listing = Listing::new(ResourceKind::LoadBalancer);
    let mut found = Vec::new();
    let outcome = balancers(&client, &place, &mut found).await;
    listing.end(outcome);
    let tags = or_note(tags(&client, &place, &found).await, &mut listing.faults);
    let targets = if found.is_empty() {
        BTreeMap::new()
    } else {
        targets(connection, &client, &place, &mut listing.faults).await
    };
    listing.resources = found.iter().filter_map(|balancer| resource(&place, balancer, &tags, &targets)).collect();
    listing
}

fn or_note<T: Default>(outcome: Result<T, Fault>, faults: &mut Vec<Fault>) -> T {
    outcome.unwrap_or_else(|fault| {
        faults.push(fault);
        T::default()
    })
}

async fn balancers(client: &Client, place: &Place, into: &mut Vec<LoadBalancer>) -> Result<(), Fault> {
    let call = place.call("elasticloadbalancing:DescribeLoadBalancers");
    let mut cursor = Cursor::new();
    loop {
        let page = client.describe_load_balancers().page_size(PAGE).set_marker(cursor.token()).send().await.at(call)?;
        into.extend_from_slice(page.load_balancers());
        if !cursor.advance(call, page.next_marker())? {
            return Ok(());
        }
    }
}

type TagsByArn = BTreeMap<String, BTreeMap<String, String>>;

async fn tags(client: &Client, place: &Place, balancers: &[LoadBalancer]) -> Result<TagsByArn, Fault> {
    let call = place.call("elasticloadbalancing:DescribeTags");
    let mut found = TagsByArn::new();
    for batch in balancers.chunks(TAGGED) {
        let arns = batch.iter().filter_map(|b| b.load_balancer_arn()).map(str::to_owned).collect();
        let page = client.describe_tags().set_resource_arns(Some(arns)).send().await.at(call)?;
        for description in page.tag_descriptions() {
            let tags = description
                .tags()
                .iter()
                .filter_map(|t| Some((t.key()?.to_owned(), t.value().unwrap_or_default().to_owned())));
            found.insert(description.resource_arn().unwrap_or_default().to_owned(), tags.collect());
        }
    }
    Ok(found)
}

type TargetsByArn = BTreeMap<String, Vec<ResourceId>>;

/// The targets behind each balancer, over all its target groups.
async fn targets(connection: &AwsConnection, client: &Client, place: &Place, faults: &mut Vec<Fault>) -> TargetsByArn {
    let mut groups = Vec::new();
    or_note(target_groups(client, place, &mut groups).await, faults);
    groups.retain(|g| !g.load_balancer_arns().is_empty());
    let mut work: Vec<BoxFuture<'_, Result<Vec<ResourceId>, Fault>>> = Vec::new();
    for group in &groups {
        work.push(Box::pin(registered(client, place, group)));
    }
    let answers: Vec<_> = stream::iter(work).buffered(connection.tuning.parallel).collect().await;
    let mut found = TargetsByArn::new();
    for (group, answer) in groups.iter().zip(answers) {
        let targets = or_note(answer, faults);
        for balancer in group.load_balancer_arns() {
            let known = found.entry(balancer.clone()).or_default();
            known.extend(targets.iter().cloned());
            known.sort();
            known.dedup();
        }
    }
    found
}

async fn target_groups(client: &Client, place: &Place, into: &mut Vec<TargetGroup>) -> Result<(), Fault> {
    let call = place.call("elasticloadbalancing:DescribeTargetGroups");
    let mut cursor = Cursor::new();
    loop {
        let page = client.describe_target_groups().page_size(PAGE).set_marker(cursor.token()).send().await.at(call)?;
        into.extend_from_slice(page.target_groups());
        if !cursor.advance(call, page.next_marker())? {
            return Ok(());
        }
    }
}

async fn registered(client: &Client, place: &Place, group: &TargetGroup) -> Result<Vec<ResourceId>, Fault> {
    let call = place.call("elasticloadbalancing:DescribeTargetHealth");
    let request = client.describe_target_health().set_target_group_arn(group.target_group_arn().map(str::to_owned));
    let answer = request.send().await.at(call)?;
    let targets = answer.target_health_descriptions().iter().filter_map(|d| d.target());
    Ok(targets.filter_map(|t| t.id()).map(ResourceId::new).collect())
}

fn resource(place: &Place, balancer: &LoadBalancer, tags: &TagsByArn, targets: &TargetsByArn) -> Option<Resource> {
    let arn = balancer.load_balancer_arn()?;
    let tags = tags.get(arn).cloned().unwrap_or_default();
    let mut resource = place.resource(ResourceKind::LoadBalancer, "elb", arn, tags);
    if resource.tag("Name").is_none() {
        balancer.load_balancer_name().unwrap_or(arn).clone_into(&mut resource.name);
    }
    resource.state = match balancer.state().and_then(|s| s.code()) {
        Some(LoadBalancerStateEnum::Provisioning) => ResourceState::Changing,
        _ => ResourceState::Available,
    };
    resource.attached_to = targets.get(arn).cloned().unwrap_or_default();
    resource.created_at = balancer.created_time().and_then(timestamp);
    resource.specification.instance_type = balancer.r#type().map(|t| t.as_str().to_owned());
    Some(resource)
}
