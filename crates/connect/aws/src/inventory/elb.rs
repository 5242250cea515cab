//! Elastic Load Balancing (version 2): balancers with the targets behind them. Classic balancers
//! are not listed.

use std::collections::{BTreeMap, BTreeSet};

use aws_config::SdkConfig;
use aws_smithy_types::retry::RetryConfig;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use reeve_connect_aws_ec2::query::{self, QueryService};
use reeve_connect_aws_ec2::xml::Malformed;
use reeve_connect_aws_ec2::{
    AwsEc2Fault, Call, Cursor, Element, FaultKind, Form, Listing, Place, refused_only,
};
use reeve_estate::{Resource, ResourceId, ResourceKind, ResourceState};

use super::autoscaling::tags;
use crate::session::AwsConnection;

/// A target group's ARN with the machines registered in it.
type Registered = (String, Vec<ResourceId>);

/// Balancers or groups in a page, the most there may be.
const PAGE: u32 = 400;
/// Balancers DescribeTags takes at a time.
const TAGGED: usize = 20;
const BALANCING: QueryService = QueryService {
    name: "elasticloadbalancing",
    version: "2015-12-01",
};

/// Elastic Load Balancing in one region.
struct Balancing {
    config: SdkConfig,
    place: Place,
}

/// One balancer with its tags and targets.
///
/// # Errors
/// [`FaultKind::NotFound`] once it was deleted; the call's failure otherwise, that of reading its
/// targets included.
pub(crate) async fn load_balancer(
    connection: &AwsConnection,
    place: Place,
    arn: &str,
) -> Result<Resource, AwsEc2Fault> {
    let service = Balancing {
        config: connection.config(&place.region),
        place,
    };
    let call = service
        .place
        .call("elasticloadbalancing:DescribeLoadBalancers");
    let page = service
        .ask(
            call,
            Form::new().with_list("LoadBalancerArns.member", [arn]),
        )
        .await?;

    let found = page
        .list("LoadBalancers")
        .find(|balancer| balancer.text_of("LoadBalancerArn") == Some(arn));
    let found = found
        .map(|balancer| resource(&service.place, balancer))
        .transpose();
    let found = found.map_err(|malformed| malformed.at(call))?.flatten();
    let mut balancer = found.ok_or_else(|| {
        call.fault(
            FaultKind::NotFound,
            None,
            &format!("no load balancer {arn}"),
        )
    })?;

    let mut faults = Vec::new();
    let tags = service.tags(std::slice::from_ref(&balancer)).await?;
    let targets = service
        .targets(&Form::new().with("LoadBalancerArn", arn), 1, &mut faults)
        .await;
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }

    complete(&mut balancer, &tags, &targets);
    Ok(balancer)
}

/// Deletes a balancer. Its target groups stay.
///
/// # Errors
/// The call's failure: a balancer with deletion protection is refused.
pub(crate) async fn delete_balancer(
    connection: &AwsConnection,
    place: Place,
    arn: &str,
) -> Result<(), AwsEc2Fault> {
    let call = place.call("elasticloadbalancing:DeleteLoadBalancer");
    // The SDK must not repeat what may have happened.
    let config = connection
        .config(&place.region)
        .into_builder()
        .retry_config(RetryConfig::disabled())
        .build();
    let parameters = Form::new().with("LoadBalancerArn", arn);

    refused_only(connection.pace(), || {
        query::ask(&config, call, BALANCING, parameters.clone())
    })
    .await
    .map(|_| ())
}

/// Returns the target groups of machines, each with those of the machines that are registered.
/// Groups of addresses and functions are left out. What was read a moment ago is used again.
///
/// # Errors
/// A call's failure: a machine must not be taken for one that no group has.
pub(crate) async fn groups_of(
    connection: &AwsConnection,
    place: Place,
    machines: &[&str],
) -> Result<BTreeMap<String, Vec<String>>, AwsEc2Fault> {
    let read = read_groups(connection, place.clone());
    let groups = connection.target_groups.of(&place, read).await?;
    let mut found = BTreeMap::new();
    for (arn, targets) in groups.iter() {
        let own = machines
            .iter()
            .filter(|machine| targets.contains(**machine));
        let own: Vec<String> = own.map(|machine| (*machine).to_owned()).collect();
        if !own.is_empty() {
            found.insert(arn.clone(), own);
        }
    }
    Ok(found)
}

/// Reads every target group of machines with what is registered in it.
async fn read_groups(
    connection: &AwsConnection,
    place: Place,
) -> Result<BTreeMap<String, BTreeSet<String>>, AwsEc2Fault> {
    let service = Balancing {
        config: connection.config(&place.region),
        place,
    };
    let call = service
        .place
        .call("elasticloadbalancing:DescribeTargetGroups");
    let mut groups = Vec::new();
    service
        .pages(call, &Form::new(), "TargetGroups", &mut groups)
        .await?;
    let of_machines = groups
        .iter()
        .filter(|group| group.text_of("TargetType") == Some("instance"))
        .filter_map(|group| group.text_of("TargetGroupArn"));
    let mut work: Vec<BoxFuture<'_, Result<Registered, AwsEc2Fault>>> = Vec::new();
    for arn in of_machines {
        let service = &service;
        work.push(Box::pin(async move {
            Ok((arn.to_owned(), service.registered(Some(arn)).await?))
        }));
    }

    let answers: Vec<_> = stream::iter(work)
        .buffered(connection.tuning.parallel)
        .collect()
        .await;
    let mut found = BTreeMap::new();
    for answer in answers {
        let (arn, targets) = answer?;
        found.insert(arn, targets.into_iter().map(|target| target.0).collect());
    }
    Ok(found)
}

/// Registers a machine in a target group, or takes it out.
///
/// # Errors
/// The call's failure.
pub(crate) async fn set_registered(
    connection: &AwsConnection,
    place: &Place,
    group: &str,
    (machine, is_registered): (&str, bool),
) -> Result<(), AwsEc2Fault> {
    let call = place.call(match is_registered {
        true => "elasticloadbalancing:RegisterTargets",
        false => "elasticloadbalancing:DeregisterTargets",
    });
    let parameters = Form::new()
        .with("TargetGroupArn", group)
        .with("Targets.member.1.Id", machine);
    let config = connection.changing(&place.region);
    refused_only(connection.pace(), || {
        query::ask(&config, call, BALANCING, parameters.clone())
    })
    .await?;
    let noted = (machine, is_registered);
    connection.target_groups.note(place, group, noted).await;
    Ok(())
}

/// Every balancer of a region. Tags or targets that may not be read leave the balancers listed.
pub(super) async fn load_balancers(connection: &AwsConnection, place: Place) -> Listing {
    let service = Balancing {
        config: connection.config(&place.region),
        place,
    };
    let mut listing = Listing::new(ResourceKind::LoadBalancer);
    let call = service
        .place
        .call("elasticloadbalancing:DescribeLoadBalancers");
    let mut found = Vec::new();
    let mut outcome = service
        .pages(call, &Form::new(), "LoadBalancers", &mut found)
        .await;

    for balancer in &found {
        match resource(&service.place, balancer) {
            Ok(balancer) => listing.resources.extend(balancer),
            Err(malformed) => outcome = Err(malformed.at(call)),
        }
    }

    listing.end(outcome);
    let tags = or_note(service.tags(&listing.resources).await, &mut listing.faults);
    let targets = if listing.resources.is_empty() {
        BTreeMap::new()
    } else {
        service
            .targets(
                &Form::new(),
                connection.tuning.parallel,
                &mut listing.faults,
            )
            .await
    };

    for balancer in &mut listing.resources {
        complete(balancer, &tags, &targets);
    }

    listing
}

fn or_note<T: Default>(outcome: Result<T, AwsEc2Fault>, faults: &mut Vec<AwsEc2Fault>) -> T {
    outcome.unwrap_or_else(|fault| {
        faults.push(fault);
        T::default()
    })
}

type TagsByArn = BTreeMap<String, BTreeMap<String, String>>;
type TargetsByArn = BTreeMap<String, Vec<ResourceId>>;

/// A target group's identifier, and those of the balancers before it.
type TargetGroup = (Option<String>, Vec<String>);

impl Balancing {
    async fn ask(&self, call: Call<'_>, parameters: Form) -> Result<Element, AwsEc2Fault> {
        query::ask(&self.config, call, BALANCING, parameters).await
    }

    /// Reads the items of all pages, as far as they can be read.
    async fn pages(
        &self,
        call: Call<'_>,
        filter: &Form,
        list: &str,
        into: &mut Vec<Element>,
    ) -> Result<(), AwsEc2Fault> {
        let mut cursor = Cursor::new();
        loop {
            let parameters = filter
                .clone()
                .with("PageSize", PAGE.to_string())
                .with_some("Marker", cursor.token());
            let page = self.ask(call, parameters).await?;
            into.extend(page.list(list).cloned());
            if !cursor.advance(call, page.text_of("NextMarker"))? {
                return Ok(());
            }
        }
    }

    async fn tags(&self, balancers: &[Resource]) -> Result<TagsByArn, AwsEc2Fault> {
        let call = self.place.call("elasticloadbalancing:DescribeTags");
        let mut found = TagsByArn::new();

        for batch in balancers.chunks(TAGGED) {
            let arns = batch.iter().map(|balancer| balancer.id.as_str());
            let page = self
                .ask(call, Form::new().with_list("ResourceArns.member", arns))
                .await?;
            for description in page.list("TagDescriptions") {
                found.insert(
                    description
                        .text_of("ResourceArn")
                        .unwrap_or_default()
                        .to_owned(),
                    tags(description),
                );
            }
        }

        Ok(found)
    }

    /// The targets behind each balancer, over all its target groups that the filter has.
    async fn targets(
        &self,
        filter: &Form,
        parallel: usize,
        faults: &mut Vec<AwsEc2Fault>,
    ) -> TargetsByArn {
        let mut groups = Vec::new();
        let call = self.place.call("elasticloadbalancing:DescribeTargetGroups");
        or_note(
            self.pages(call, filter, "TargetGroups", &mut groups).await,
            faults,
        );
        let mut groups: Vec<TargetGroup> = groups.iter().map(target_group).collect();
        groups.retain(|(_, balancers)| !balancers.is_empty());
        let mut work: Vec<BoxFuture<'_, Result<Vec<ResourceId>, AwsEc2Fault>>> = Vec::new();
        for (group, _) in &groups {
            work.push(Box::pin(self.registered(group.as_deref())));
        }

        let answers: Vec<_> = stream::iter(work).buffered(parallel).collect().await;
        let mut found = TargetsByArn::new();

        for ((_, balancers), answer) in groups.iter().zip(answers) {
            let targets = or_note(answer, faults);
            for balancer in balancers {
                let known = found.entry(balancer.clone()).or_default();
                known.extend(targets.iter().cloned());
                known.sort();
                known.dedup();
            }
        }

        found
    }

    async fn registered(&self, group: Option<&str>) -> Result<Vec<ResourceId>, AwsEc2Fault> {
        let call = self.place.call("elasticloadbalancing:DescribeTargetHealth");
        let answer = self
            .ask(call, Form::new().with_some("TargetGroupArn", group))
            .await?;
        let targets = answer
            .list("TargetHealthDescriptions")
            .filter_map(|health| health.child("Target"));

        Ok(targets
            .filter_map(|target| target.text_of("Id"))
            .map(ResourceId::new)
            .collect())
    }
}

fn target_group(group: &Element) -> TargetGroup {
    let balancers = group
        .list("LoadBalancerArns")
        .map(|balancer| balancer.text.clone());
    (
        group.text_of("TargetGroupArn").map(str::to_owned),
        balancers.collect(),
    )
}

/// Returns a balancer without its tags and targets; `None` for one without an identifier.
fn resource(place: &Place, balancer: &Element) -> Result<Option<Resource>, Malformed> {
    let Some(arn) = balancer.text_of("LoadBalancerArn") else {
        return Ok(None);
    };

    let mut resource = place.resource(ResourceKind::LoadBalancer, "elb", arn, BTreeMap::new());
    balancer
        .text_of("LoadBalancerName")
        .unwrap_or(arn)
        .clone_into(&mut resource.name);
    resource.state = match balancer
        .child("State")
        .and_then(|state| state.text_of("Code"))
    {
        Some("provisioning") => ResourceState::Changing,
        _ => ResourceState::Available,
    };

    resource.created_at = balancer.time_of("CreatedTime")?;
    resource.specification.instance_type = balancer.text_of("Type").map(str::to_owned);
    Ok(Some(resource))
}

/// Gives a balancer its tags, the name among them, and its targets.
fn complete(balancer: &mut Resource, tags: &TagsByArn, targets: &TargetsByArn) {
    balancer.tags = tags.get(balancer.id.as_str()).cloned().unwrap_or_default();
    if let Some(name) = balancer.tags.get("Name").filter(|name| !name.is_empty()) {
        name.clone_into(&mut balancer.name);
    }
    balancer.attached_to = targets
        .get(balancer.id.as_str())
        .cloned()
        .unwrap_or_default();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::ConnectionId;

    use super::*;

    fn place() -> Place {
        Place {
            connection: ConnectionId("c".into()),
            account: "1".into(),
            region: "us-east-1".into(),
            endpoint: None,
        }
    }

    fn member(members: &str) -> Element {
        Element::read(&format!("<member>{members}</member>")).unwrap()
    }

    #[test]
    fn a_balancer_has_the_name_of_its_tag_or_its_own() {
        let listed = member(
            "<LoadBalancerArn>arn:lb</LoadBalancerArn><LoadBalancerName>web</LoadBalancerName><Type>network</Type>\
             <State><Code>provisioning</Code></State><CreatedTime>2026-01-01T00:00:00Z</CreatedTime>",
        );
        let mut balancer = resource(&place(), &listed).unwrap().unwrap();
        assert_eq!(
            (balancer.name.as_str(), balancer.state),
            ("web", ResourceState::Changing)
        );
        assert_eq!(
            balancer.specification.instance_type.as_deref(),
            Some("network")
        );

        let targets = TargetsByArn::from([("arn:lb".to_owned(), vec![ResourceId::new("i-1")])]);
        complete(&mut balancer, &TagsByArn::new(), &targets);
        assert_eq!(
            (balancer.name.as_str(), balancer.attached_to.as_slice()),
            ("web", &[ResourceId::new("i-1")][..])
        );

        let named = BTreeMap::from([("Name".to_owned(), "shop".to_owned())]);
        complete(
            &mut balancer,
            &TagsByArn::from([("arn:lb".to_owned(), named)]),
            &targets,
        );

        assert_eq!(
            (balancer.name.as_str(), balancer.tag("Name")),
            ("shop", Some("shop"))
        );
        assert!(resource(&place(), &member("")).unwrap().is_none());

        let odd = member("<LoadBalancerArn>a</LoadBalancerArn><CreatedTime>soon</CreatedTime>");
        assert_eq!(
            resource(&place(), &odd).unwrap_err(),
            Malformed {
                element: "CreatedTime"
            }
        );
    }

    #[test]
    fn a_target_group_names_the_balancers_before_it() {
        let arns = "<LoadBalancerArns><member>arn:a</member></LoadBalancerArns>";
        let (group, balancers) = target_group(&member(&format!(
            "<TargetGroupArn>arn:t</TargetGroupArn>{arns}"
        )));
        assert_eq!(
            (group.as_deref(), balancers),
            (Some("arn:t"), vec!["arn:a".to_owned()])
        );
        assert_eq!(
            target_group(&member("<LoadBalancerArns/>")),
            (None, Vec::new())
        );
    }
}
