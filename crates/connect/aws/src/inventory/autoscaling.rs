//! Auto Scaling groups: their members, the launch template they grow by, and its instance type; and
//! how many members they are to have. A number beyond a group's maximum is refused before it is
//! asked for, as Auto Scaling refuses it.

use std::collections::BTreeMap;

use aws_config::SdkConfig;
use aws_smithy_types::retry::RetryConfig;
use reeve_connect_aws_ec2::query::{self, QueryService};
use reeve_connect_aws_ec2::xml::Malformed;
use reeve_connect_aws_ec2::{
    AwsEc2Fault, ChangePace, Cursor, Ec2, Element, FaultKind, Form, Listing, Place, refused_only,
};
use reeve_estate::{Capacity, Resource, ResourceId, ResourceKind, ResourceState};

use super::refresh;
use crate::session::AwsConnection;

/// Groups in a page, the most there may be.
const PAGE: u32 = 100;
pub(crate) const AUTO_SCALING: QueryService = QueryService {
    name: "autoscaling",
    version: "2011-01-01",
};

/// Every group of a region. A launch template that may not be read leaves the group listed, with
/// its members' type.
pub(super) async fn groups(connection: &AwsConnection, place: Place) -> Listing {
    let ec2 = connection.ec2(place.clone());
    let mut listing = Listing::new(ResourceKind::ScalingGroup);
    let mut found = Vec::new();
    let outcome = read(&connection.config(&place.region), &place, &mut found).await;
    listing.end(outcome);
    for Group {
        mut resource,
        template,
    } in found
    {
        if let Some((id, version)) = template {
            match ec2.launch_template_type(&id, &version).await {
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
    reads: SdkConfig,
    /// Without the SDK's retries: it must not repeat what may have happened.
    pub(crate) changes: SdkConfig,
    pub(crate) place: Place,
    pub(crate) pace: ChangePace,
}

impl Scaling {
    pub(crate) fn new(config: &SdkConfig, place: Place, pace: ChangePace) -> Self {
        let changes = config
            .clone()
            .into_builder()
            .retry_config(RetryConfig::disabled())
            .build();
        Scaling {
            reads: config.clone(),
            changes,
            place,
            pace,
        }
    }

    /// One group, `Changing` until as many members serve as it is to have.
    pub(crate) async fn group(&self, name: &str) -> Result<Resource, AwsEc2Fault> {
        Ok(self.members(name).await?.0)
    }

    /// One group, as [`Scaling::group`] reads it, with its members.
    pub(crate) async fn members(
        &self,
        name: &str,
    ) -> Result<(Resource, Vec<AutoscalingMember>), AwsEc2Fault> {
        let call = self.place.call("autoscaling:DescribeAutoScalingGroups");
        let parameters = Form::new().with_list("AutoScalingGroupNames.member", [name]);
        let page = query::ask(&self.reads, call, AUTO_SCALING, parameters).await?;
        let found = page
            .list("AutoScalingGroups")
            .find(|group| group.text_of("AutoScalingGroupName") == Some(name));
        let known = found.map(|group| resource(&self.place, group)).transpose();
        let known = known.map_err(|malformed| malformed.at(call))?.flatten();
        let (group, mut resource) = found.zip(known).ok_or_else(|| {
            call.fault(
                FaultKind::NotFound,
                None,
                &format!("no scaling group {name}"),
            )
        })?;

        let members: Vec<AutoscalingMember> = group
            .list("Instances")
            .filter_map(AutoscalingMember::read)
            .collect();
        let is_serving = |member: &&AutoscalingMember| member.lifecycle == "InService";
        let serving = members.iter().filter(is_serving).count();
        if resource
            .specification
            .capacity
            .is_some_and(|capacity| serving != capacity.desired as usize)
        {
            resource.state = ResourceState::Changing;
        }

        resource.specification.template = refresh::named(group);
        Ok((resource, members))
    }

    /// One group with its launch template, `Changing` while an instance refresh replaces members
    /// too.
    pub(crate) async fn refreshing_group(
        &self,
        ec2: &Ec2,
        name: &str,
    ) -> Result<Resource, AwsEc2Fault> {
        let mut group = self.group(name).await?;
        if let Some(template) = &mut group.specification.template {
            self.complete(ec2, name, template).await;
            if template.refreshing == Some(true) {
                group.state = ResourceState::Changing;
            }
        }
        Ok(group)
    }

    /// Sets how many members a group is to have, within its own maximum.
    pub(crate) async fn scale(
        &self,
        name: &str,
        min: u32,
        desired: u32,
    ) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("autoscaling:UpdateAutoScalingGroup");
        let now = self.group(name).await?.specification.capacity;
        let most = now.map_or(0, |capacity| capacity.max);

        if min > desired || desired > most {
            let message = format!(
                "{name} may have at most {most} members; it cannot have {desired} and at least {min}"
            );
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }

        let too_many = |_| {
            call.fault(
                FaultKind::InvalidType,
                None,
                "so many members are beyond any group",
            )
        };

        let (min, desired) = (
            i32::try_from(min).map_err(too_many)?,
            i32::try_from(desired).map_err(too_many)?,
        );
        let parameters = Form::new()
            .with("AutoScalingGroupName", name)
            .with("MinSize", min.to_string())
            .with("DesiredCapacity", desired.to_string());
        refused_only(self.pace, || {
            query::ask(&self.changes, call, AUTO_SCALING, parameters.clone())
        })
        .await
        .map(|_| ())
    }
}

/// A member of a group as Auto Scaling has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AutoscalingMember {
    pub(crate) id: String,
    pub(crate) lifecycle: String,
    /// The group protects it from scale-in.
    pub(crate) is_protected: bool,
}

impl AutoscalingMember {
    fn read(member: &Element) -> Option<AutoscalingMember> {
        let text = |name: &str| member.text_of(name).map(str::to_owned);
        Some(AutoscalingMember {
            id: text("InstanceId")?,
            lifecycle: text("LifecycleState").unwrap_or_default(),
            is_protected: member.text_of("ProtectedFromScaleIn") == Some("true"),
        })
    }
}

/// A group, and the identifier and version of the launch template that it grows by.
struct Group {
    resource: Resource,
    template: Option<(String, String)>,
}

async fn read(config: &SdkConfig, place: &Place, into: &mut Vec<Group>) -> Result<(), AwsEc2Fault> {
    let call = place.call("autoscaling:DescribeAutoScalingGroups");
    let mut cursor = Cursor::new();

    loop {
        let parameters = Form::new().with("MaxRecords", PAGE.to_string());
        let page = query::ask(
            config,
            call,
            AUTO_SCALING,
            parameters.with_some("NextToken", cursor.token()),
        )
        .await?;
        for group in page.list("AutoScalingGroups") {
            let Some(resource) = resource(place, group).map_err(|malformed| malformed.at(call))?
            else {
                continue;
            };
            let named = |template: &Element| {
                let id = template.text_of("LaunchTemplateId").unwrap_or_default();
                (
                    id.to_owned(),
                    template.text_of("Version").unwrap_or("$Default").to_owned(),
                )
            };
            into.push(Group {
                resource,
                template: template(group).map(named),
            });
        }
        if !cursor.advance(call, page.text_of("NextToken"))? {
            return Ok(());
        }
    }
}

/// The template a group grows by, its own or its mixed policy's.
fn template(group: &Element) -> Option<&Element> {
    let mixed = || {
        group
            .child("MixedInstancesPolicy")?
            .child("LaunchTemplate")?
            .child("LaunchTemplateSpecification")
    };
    group.child("LaunchTemplate").or_else(mixed)
}

/// The group, attached to its launch template and its members; `None` for one without a name.
fn resource(place: &Place, group: &Element) -> Result<Option<Resource>, Malformed> {
    let Some(name) = group.text_of("AutoScalingGroupName") else {
        return Ok(None);
    };

    let id = group.text_of("AutoScalingGroupARN").unwrap_or(name);
    let mut resource = place.resource(ResourceKind::ScalingGroup, "autoscaling", id, tags(group));
    name.clone_into(&mut resource.name);
    let members = group
        .list("Instances")
        .filter_map(|member| member.text_of("InstanceId"));
    let template = template(group).and_then(|template| template.text_of("LaunchTemplateId"));
    resource.attached_to = template
        .into_iter()
        .chain(members)
        .map(ResourceId::new)
        .collect();
    resource.created_at = group.time_of("CreatedTime")?;
    resource.specification.capacity = capacity(group)?;
    let instance_type = group
        .list("Instances")
        .find_map(|member| member.text_of("InstanceType"));
    resource.specification.instance_type = instance_type.map(str::to_owned);

    Ok(Some(resource))
}

/// Returns the tags of an element whose list of tags is `Tags`.
pub(super) fn tags(tagged: &Element) -> BTreeMap<String, String> {
    let pair = |tag: &Element| {
        Some((
            tag.text_of("Key")?.to_owned(),
            tag.text_of("Value").unwrap_or_default().to_owned(),
        ))
    };
    tagged.list("Tags").filter_map(pair).collect()
}

fn capacity(group: &Element) -> Result<Option<Capacity>, Malformed> {
    let count = |name| {
        group
            .value_of::<i64>(name)
            .map(|count| count.and_then(|count| u32::try_from(count).ok()))
    };

    let (min, desired, max) = (
        count("MinSize")?,
        count("DesiredCapacity")?,
        count("MaxSize")?,
    );
    let bounds = min.zip(desired).zip(max);
    Ok(bounds.map(|((min, desired), max)| Capacity { min, desired, max }))
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

    fn group(members: &str) -> Element {
        let name = "<AutoScalingGroupName>web</AutoScalingGroupName>";
        Element::read(&format!("<member>{name}{members}</member>")).unwrap()
    }

    #[test]
    fn a_group_keeps_its_bounds_members_and_template() {
        let mixed = "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>lt-1</LaunchTemplateId>\
             </LaunchTemplateSpecification></LaunchTemplate></MixedInstancesPolicy>";
        let one = "<Instances><member><InstanceId>i-1</InstanceId><InstanceType>m5.large</InstanceType></member></Instances>";
        let sizes = "<MinSize>1</MinSize><DesiredCapacity>2</DesiredCapacity><MaxSize>3</MaxSize>";
        let tags = "<Tags><member><Key>team</Key><Value>a&amp;b</Value></member></Tags>";
        let known = resource(&place(), &group(&format!("{mixed}{one}{sizes}{tags}")))
            .unwrap()
            .unwrap();
        assert_eq!(
            (known.id.as_str(), known.name.as_str(), known.tag("team")),
            ("web", "web", Some("a&b"))
        );
        assert_eq!(
            known.attached_to,
            [ResourceId::new("lt-1"), ResourceId::new("i-1")]
        );
        assert_eq!(
            known.specification.capacity,
            Some(Capacity {
                min: 1,
                desired: 2,
                max: 3
            })
        );

        assert_eq!(
            known.specification.instance_type.as_deref(),
            Some("m5.large")
        );

        let open = resource(&place(), &group("<MinSize>1</MinSize>"))
            .unwrap()
            .unwrap();
        assert_eq!(open.specification.capacity, None);

        let odd = resource(&place(), &group("<MaxSize>many</MaxSize>")).unwrap_err();
        assert_eq!(odd, Malformed { element: "MaxSize" });
        assert!(resource(&place(), &Element::default()).unwrap().is_none());
    }
}
