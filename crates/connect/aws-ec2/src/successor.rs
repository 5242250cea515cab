//! Successors of machines: launched with the configuration of the machine on other capacity, and
//! found by the tag that names the machine, so that whatever an earlier attempt left behind, the
//! next one goes on from it. Only a machine that Reeve launched is ended. API reference:
//! `RunInstances` (a client token makes a repeated call answer with the first one's machine).
//!
//! Taken over: image, type, subnet, security groups, instance profile, key pair, user data, metadata
//! options, EBS optimization and tags. Disks are those of the image; addresses are new.

use reeve_estate::{MADE_BY, Purchase, SUCCEEDS_TAG};

use crate::convert;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;
use crate::xml::Element;

/// Beginning of the keys of the cloud, which users cannot set.
const OF_CLOUD: &str = "aws:";
/// Beginning of the keys of the tags that name the target groups of the machine: a machine that ends
/// leaves its groups, and nothing else would tell which they were.
const GROUP_TAG: &str = "reeve:target-group:";
/// States of a machine that is ended or about to be.
const ENDED: [&str; 2] = ["shutting-down", "terminated"];

/// Successor of a machine in EC2's own form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSuccessor {
    pub id: String,
    pub running: bool,
    /// Target groups that the machine was in when the successor was launched.
    pub groups: Vec<String>,
}

fn state(instance: &Element) -> &str {
    let state = instance.child("instanceState");
    state
        .and_then(|state| state.text_of("name"))
        .unwrap_or_default()
}

impl Ec2 {
    /// Returns the successor of a machine.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn successor(&self, id: &str) -> Result<Option<FoundSuccessor>, AwsEc2Fault> {
        let all = self.successors(id).await?;
        let lives = all.iter().find(|one| !ENDED.contains(&state(one)));
        Ok(lives.and_then(|one| {
            Some(FoundSuccessor {
                id: one.text_of("instanceId")?.to_owned(),
                running: state(one) == "running",
                groups: convert::tags(one)
                    .into_iter()
                    .filter(|(key, _)| key.starts_with(GROUP_TAG))
                    .map(|(_, value)| value)
                    .collect(),
            })
        }))
    }

    /// Launches the successor of a machine, unless there is one. `groups` are the target groups of
    /// the machine, which the successor keeps as tags.
    ///
    /// # Errors
    /// [`FaultKind::NoCapacity`] where the zone has none; [`FaultKind::Other`] for a machine with
    /// several network interfaces; the call's failure otherwise.
    pub async fn launch_successor(
        &self,
        id: &str,
        purchase: Purchase,
        groups: &[String],
    ) -> Result<(), AwsEc2Fault> {
        let all = self.successors(id).await?;
        if all.iter().any(|one| !ENDED.contains(&state(one))) {
            return Ok(());
        }

        let call = self.place.call("ec2:RunInstances");
        let machine = self.instance(id).await?;
        if machine.list("networkInterfaceSet").count() > 1 {
            let message = format!("{id} has several network interfaces, which are not copied");
            return Err(call.fault(FaultKind::Other, None, &message));
        }
        let user_data = self.user_data(id).await?;
        let form = launched(&machine, id, purchase, groups)
            .with("ClientToken", format!("reeve-{id}-{}", all.len()))
            .with_some("UserData", user_data);
        self.change(call, form).await.map(|_| ())
    }

    /// Checks that a machine runs, so that its successor may end.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] while the machine does not run; the call's failure otherwise.
    pub async fn may_end_successor(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:TerminateInstances");
        let own = self.instance(id).await?;
        if state(&own) != "running" {
            let message = format!("{id} does not run: ending its successor would leave no machine");
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }
        Ok(())
    }

    /// Ends the successor of a machine. The machine must run.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] while the machine does not run; the call's failure otherwise.
    pub async fn end_successor(&self, id: &str) -> Result<(), AwsEc2Fault> {
        self.may_end_successor(id).await?;
        let call = self.place.call("ec2:TerminateInstances");
        let all = self.successors(id).await?;
        let lives = all.iter().filter(|one| !ENDED.contains(&state(one)));
        let ids: Vec<&str> = lives.filter_map(|one| one.text_of("instanceId")).collect();
        if ids.is_empty() {
            return Ok(());
        }
        self.change(call, Form::new().with_list("InstanceId", ids))
            .await
            .map(|_| ())
    }

    /// Machines that Reeve launched in the place of one, ended ones included while EC2 lists them.
    async fn successors(&self, id: &str) -> Result<Vec<Element>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeInstances");
        let own = format!("tag:{}", MADE_BY.0);
        let parameters = Form::new()
            .with_filter(&format!("tag:{SUCCEEDS_TAG}"), [id])
            .with("Filter.2.Name", own)
            .with("Filter.2.Value.1", MADE_BY.1);
        let page = self.read(call, parameters).await?;
        let found = page
            .list("reservationSet")
            .flat_map(|reservation| reservation.list("instancesSet"));
        Ok(found.cloned().collect())
    }

    /// User data of a machine as EC2 encodes it.
    async fn user_data(&self, id: &str) -> Result<Option<String>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeInstanceAttribute");
        let parameters = Form::new()
            .with("InstanceId", id)
            .with("Attribute", "userData");
        let answer = self.read(call, parameters).await?;
        let value = answer
            .child("userData")
            .and_then(|data| data.text_of("value"));
        Ok(value.filter(|text| !text.is_empty()).map(str::to_owned))
    }
}

/// Parameters of a machine like another one, without its user data.
fn launched(machine: &Element, id: &str, purchase: Purchase, target_groups: &[String]) -> Form {
    let text = |name: &str| machine.text_of(name);
    let groups: Vec<&str> = machine
        .list("groupSet")
        .filter_map(|group| group.text_of("groupId"))
        .collect();
    let is_public = text("ipAddress").is_some();
    let profile = machine
        .child("iamInstanceProfile")
        .and_then(|profile| profile.text_of("arn"));
    let options = machine.child("metadataOptions");
    let option = |name: &str| options.and_then(|options| options.text_of(name));
    let monitored = machine
        .child("monitoring")
        .and_then(|one| one.text_of("state"))
        == Some("enabled");

    let own = convert::tags(machine);
    let mut tags: Vec<(&str, &str)> = own
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .filter(|(key, _)| !key.starts_with(OF_CLOUD) && *key != SUCCEEDS_TAG && *key != MADE_BY.0)
        .collect();
    tags.push((SUCCEEDS_TAG, id));
    tags.push(MADE_BY);
    let keys: Vec<String> = (1..=target_groups.len())
        .map(|number| format!("{GROUP_TAG}{number}"))
        .collect();
    let of_groups = keys.iter().zip(target_groups);
    tags.extend(of_groups.map(|(key, group)| (key.as_str(), group.as_str())));

    let form = Form::new()
        .with_some("ImageId", text("imageId"))
        .with_some("InstanceType", text("instanceType"))
        .with("MinCount", "1")
        .with("MaxCount", "1")
        .with_some("KeyName", text("keyName"))
        .with_some("EbsOptimized", text("ebsOptimized"))
        .with("Monitoring.Enabled", monitored.to_string())
        .with_some("IamInstanceProfile.Arn", profile)
        .with_some("MetadataOptions.HttpTokens", option("httpTokens"))
        .with_some(
            "MetadataOptions.HttpPutResponseHopLimit",
            option("httpPutResponseHopLimit"),
        )
        .with("NetworkInterface.1.DeviceIndex", "0")
        .with_some("NetworkInterface.1.SubnetId", text("subnetId"))
        .with(
            "NetworkInterface.1.AssociatePublicIpAddress",
            is_public.to_string(),
        )
        .with_list("NetworkInterface.1.SecurityGroupId", groups)
        .with_tags_of_new("instance", &tags);
    match purchase {
        Purchase::Spot => form.with("InstanceMarketOptions.MarketType", "spot"),
        _ => form,
    }
}
