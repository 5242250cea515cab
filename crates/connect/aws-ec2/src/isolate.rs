//! Cutting a machine off, and letting it back: its security groups give way to one that lets nothing in and nothing out.
//!
//! A security group is made with a rule that lets everything out, so a new one is not yet what isolates. Whatever state an
//! earlier attempt left behind, the next one goes on from it: the group is looked for before it is made, and its rules are read
//! before a machine gets it. EC2 user guide, "Security groups"; API reference, `ModifyInstanceAttribute` (one network interface,
//! groups of the machine's own network).

use aws_sdk_ec2::types::{Filter, IpPermission, ResourceType, SecurityGroup, Tag, TagSpecification};
use reeve_estate::{QUARANTINE, Resource};

use crate::change::refused_only;
use crate::convert;
use crate::describe::Ec2;
use crate::fault::{At, Fault, FaultKind};

/// Tells a group that Reeve made from one that only has its name.
const MADE_BY: (&str, &str) = ("reeve:created-by", "reeve");

impl Ec2 {
    /// One machine, which counts as isolated only where its group lets nothing through.
    ///
    /// # Errors
    /// As [`Ec2::machine`]; the failure to read the group of one that looks isolated.
    pub async fn settled_machine(&self, id: &str) -> Result<Resource, Fault> {
        let mut machine = self.machine(id).await?;
        let spec = &mut machine.specification;
        if spec.isolated {
            let groups = self.groups("group-id", &spec.security_groups).await?;
            spec.isolated = groups.len() == 1 && groups.iter().all(|group| opening(group).is_none());
        }
        Ok(machine)
    }

    /// Gives a machine the isolating group of its network and no other; makes the group where there is none.
    ///
    /// # Errors
    /// [`FaultKind::Other`] for a machine with several network interfaces or none, and for a group of that name that lets something
    /// through; the call's failure otherwise.
    pub async fn isolate(&self, id: &str) -> Result<(), Fault> {
        let network = self.network_of(id).await?;
        let group = self.isolating_group(&network).await?;
        self.give(id, vec![group]).await
    }

    /// Gives a machine these groups and no others.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] for a group that is not there, [`FaultKind::Other`] for one of another network, for none at all, and
    /// for a machine with several network interfaces; the call's failure otherwise.
    pub async fn set_groups(&self, id: &str, groups: &[String]) -> Result<(), Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        if groups.is_empty() {
            return Err(call.fault(FaultKind::Other, None, &format!("{id} must have at least one security group")));
        }
        let network = self.network_of(id).await?;
        let known = self.groups("group-id", groups).await?;
        for wanted in groups {
            let Some(found) = known.iter().find(|group| group.group_id() == Some(wanted)) else {
                let message = format!("the security group {wanted} does not exist");
                return Err(call.fault(FaultKind::NotFound, Some("InvalidGroup.NotFound"), &message));
            };
            if found.vpc_id() != Some(&network) {
                let message = format!("{wanted} belongs to another network than {id}, which is in {network}");
                return Err(call.fault(FaultKind::Other, Some("InvalidParameter"), &message));
            }
        }
        self.give(id, groups.to_vec()).await
    }

    /// The network of a machine whose groups can be changed.
    async fn network_of(&self, id: &str) -> Result<String, Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        let instance = self.instance(id).await?;
        let interfaces = instance.network_interfaces().len();
        if interfaces > 1 {
            let message = format!("{id} has {interfaces} network interfaces, each with groups of its own");
            return Err(call.fault(FaultKind::Other, None, &message));
        }
        // One that is gone reads better than one without a network.
        if convert::machine(&self.place, &instance)
            .is_some_and(|machine| machine.state == reeve_estate::ResourceState::Deleted)
        {
            return Err(call.fault(FaultKind::NotFound, None, &format!("{id} is terminated")));
        }
        let none = || call.fault(FaultKind::Other, None, &format!("{id} is in no virtual network"));
        instance.vpc_id().map(str::to_owned).ok_or_else(none)
    }

    async fn give(&self, id: &str, groups: Vec<String>) -> Result<(), Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        let request = self.changes.modify_instance_attribute().instance_id(id).set_groups(Some(groups));
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// The network's isolating group, without rules.
    async fn isolating_group(&self, network: &str) -> Result<String, Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let mut group = match self.group_of(network).await? {
            Some(group) => group,
            None => self.make_group(network).await?,
        };
        let tags = group.tags();
        let ours = tags.iter().any(|tag| (tag.key(), tag.value()) == (Some(MADE_BY.0), Some(MADE_BY.1)));
        let given: Vec<IpPermission> =
            group.ip_permissions_egress().iter().filter(|rule| is_given(rule)).cloned().collect();
        let nameless = || call.fault(FaultKind::Broken, None, "EC2 answered without a group's identifier");
        let id = group.group_id().map(str::to_owned).ok_or_else(nameless)?;
        if ours && !given.is_empty() {
            self.close(&id, given).await?;
            group = self.group_of(network).await?.ok_or_else(nameless)?;
        }
        match opening(&group) {
            None => Ok(id),
            Some(rule) => {
                let message =
                    format!("the security group {QUARANTINE} ({id}) of {network} lets something through: {rule}");
                Err(call.fault(FaultKind::Other, None, &message))
            }
        }
    }

    /// The group of the name in a network.
    async fn group_of(&self, network: &str) -> Result<Option<SecurityGroup>, Fault> {
        let named = self.groups("group-name", &[QUARANTINE.to_owned()]).await?;
        Ok(named.into_iter().find(|group| group.vpc_id() == Some(network)))
    }

    /// Groups by a filter; at most a thousand, which is more than a machine or a name has.
    async fn groups(&self, filter: &str, values: &[String]) -> Result<Vec<SecurityGroup>, Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let filter = Filter::builder().name(filter).set_values(Some(values.to_vec())).build();
        let page = self.client().describe_security_groups().filters(filter).send().await.at(call)?;
        Ok(page.security_groups().to_vec())
    }

    async fn make_group(&self, network: &str) -> Result<SecurityGroup, Fault> {
        let call = self.place.call("ec2:CreateSecurityGroup");
        let tag = |key: &str, value: &str| Tag::builder().key(key).value(value).build();
        let tags = TagSpecification::builder()
            .resource_type(ResourceType::SecurityGroup)
            .tags(tag("Name", QUARANTINE))
            .tags(tag(MADE_BY.0, MADE_BY.1))
            .build();
        let request = self
            .changes
            .create_security_group()
            .group_name(QUARANTINE)
            .description("Lets nothing in and nothing out. Reeve isolates machines with it.")
            .vpc_id(network)
            .tag_specifications(tags);
        match refused_only(self.pace, || async { request.clone().send().await.at(call) }).await {
            Ok(_) => {}
            // Another machine of the network is being isolated at this moment.
            Err(fault) if fault.code.as_deref() == Some("InvalidGroup.Duplicate") => {}
            Err(fault) => return Err(fault),
        }
        let unseen = || call.fault(FaultKind::Broken, None, "the security group was made and is not listed yet");
        self.group_of(network).await?.ok_or_else(unseen)
    }

    /// Takes the rules away that EC2 gives every new group.
    async fn close(&self, group: &str, given: Vec<IpPermission>) -> Result<(), Fault> {
        let call = self.place.call("ec2:RevokeSecurityGroupEgress");
        let request = self.changes.revoke_security_group_egress().group_id(group).set_ip_permissions(Some(given));
        match refused_only(self.pace, || async { request.clone().send().await.at(call) }).await {
            Ok(_) => Ok(()),
            // Somebody was faster; the rules are read again in any case.
            Err(fault) if fault.code.as_deref() == Some("InvalidPermission.NotFound") => Ok(()),
            Err(fault) => Err(fault),
        }
    }
}

/// Returns `true` if the rule is the default of a new group: all outbound traffic, to everywhere.
fn is_given(rule: &IpPermission) -> bool {
    let everywhere = rule.ip_ranges().iter().all(|range| range.cidr_ip() == Some("0.0.0.0/0"))
        && rule.ipv6_ranges().iter().all(|range| range.cidr_ipv6() == Some("::/0"));
    rule.ip_protocol() == Some("-1")
        && everywhere
        && rule.prefix_list_ids().is_empty()
        && rule.user_id_group_pairs().is_empty()
}

/// The first rule of a group, in words.
fn opening(group: &SecurityGroup) -> Option<String> {
    let describe = |way: &str, rule: &IpPermission| {
        let to = rule.ip_ranges().iter().filter_map(|range| range.cidr_ip());
        let to: Vec<&str> = to.chain(rule.ipv6_ranges().iter().filter_map(|range| range.cidr_ipv6())).collect();
        let to = if to.is_empty() { "other groups or lists".to_owned() } else { to.join(", ") };
        format!("{way} {to}, protocol {}", rule.ip_protocol().unwrap_or("-1"))
    };
    let inward = group.ip_permissions().first().map(|rule| describe("in from", rule));
    inward.or_else(|| group.ip_permissions_egress().first().map(|rule| describe("out to", rule)))
}
