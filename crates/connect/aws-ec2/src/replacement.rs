//! A security group, its network interfaces, and the group that takes its place.
//!
//! The group in its place is found by its name in the same network, so that whatever an earlier
//! attempt left behind, the next one goes on from it. Only a group that Reeve made is changed or
//! deleted. API reference: `CreateSecurityGroup`, `AuthorizeSecurityGroupIngress`,
//! `ModifyNetworkInterfaceAttribute` (which sets all groups of an interface).

use std::collections::BTreeMap;

use reeve_estate::{GroupUse, MADE_BY, REPLACEMENT_PREFIX, ReplacementGroup};
use reeve_flows::{FlowDirection, FlowRule, RulePeer};

use crate::convert;
use crate::cursor::Cursor;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;
use crate::isolate::not_listed;
use crate::xml::Element;

impl Ec2 {
    /// Reads the use of a security group.
    ///
    /// # Errors
    /// The group does not exist, or a call failed.
    pub async fn group_use(&self, id: &str) -> Result<GroupUse, AwsEc2Fault> {
        let (group, replacement) = self.group_pair(id).await?;
        let mut used = GroupUse {
            rules: FlowRule::texts(&rules_of(&group)),
            interfaces: self.interfaces_with(id).await?,
            replacement: None,
        };

        if let Some(replacement) = replacement {
            let own = replacement
                .text_of("groupId")
                .unwrap_or_default()
                .to_owned();
            used.interfaces.extend(self.interfaces_with(&own).await?);
            used.replacement = Some(ReplacementGroup {
                id: own,
                rules: FlowRule::texts(&rules_of(&replacement)),
            });
        }
        Ok(used)
    }

    /// Makes the group in the place of another one, with these rules and no others.
    ///
    /// # Errors
    /// A group of the name is not Reeve's, or a call failed.
    pub async fn make_replacement(&self, id: &str, rules: &[FlowRule]) -> Result<(), AwsEc2Fault> {
        let (group, replacement) = self.group_pair(id).await?;
        let replacement = match replacement {
            Some(replacement) => replacement,
            None => self.create_replacement(id, &group).await?,
        };
        let own = self.own_id(&replacement)?;

        let present = rules_of(&replacement);
        let missing: Vec<&FlowRule> = rules
            .iter()
            .filter(|rule| !present.contains(rule))
            .collect();
        let extra: Vec<&FlowRule> = present
            .iter()
            .filter(|rule| !rules.contains(rule))
            .collect();
        for direction in [FlowDirection::Ingress, FlowDirection::Egress] {
            self.change_rules(&own, direction, &missing, true).await?;
            self.change_rules(&own, direction, &extra, false).await?;
        }
        Ok(())
    }

    /// Sets the security groups of an interface.
    ///
    /// # Errors
    /// EC2 refused the groups, or did not answer.
    pub async fn set_interface_groups(
        &self,
        interface: &str,
        groups: &[String],
    ) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyNetworkInterfaceAttribute");
        let parameters = Form::new()
            .with("NetworkInterfaceId", interface)
            .with_list("SecurityGroupId", groups);
        self.change(call, parameters).await.map(|_| ())
    }

    /// Deletes the group in the place of another one.
    ///
    /// # Errors
    /// A group of the name is not Reeve's, or the call failed.
    pub async fn delete_replacement(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let (_, replacement) = self.group_pair(id).await?;
        let Some(replacement) = replacement else {
            return Ok(());
        };
        let own = self.own_id(&replacement)?;
        let call = self.place.call("ec2:DeleteSecurityGroup");
        match self.change(call, Form::new().with("GroupId", own)).await {
            Err(fault) if fault.kind != FaultKind::NotFound => Err(fault),
            _ => Ok(()),
        }
    }

    /// Returns a group and the one in its place.
    async fn group_pair(&self, id: &str) -> Result<(Element, Option<Element>), AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let missing = || {
            let message = format!("the security group {id} does not exist");
            call.fault(FaultKind::NotFound, Some("InvalidGroup.NotFound"), &message)
        };
        let group = self.groups("group-id", &[id.to_owned()]).await?;
        let group = group.into_iter().next().ok_or_else(missing)?;

        let name = format!("{REPLACEMENT_PREFIX}{id}");
        let named = self.groups("group-name", &[name]).await?;
        let replacement = named
            .into_iter()
            .find(|one| one.text_of("vpcId") == group.text_of("vpcId"));
        Ok((group, replacement))
    }

    /// Returns the identifier of a group that Reeve made.
    fn own_id(&self, group: &Element) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let id = group.text_of("groupId").unwrap_or_default();
        let is_own = convert::tags(group)
            .get(MADE_BY.0)
            .is_some_and(|value| value == MADE_BY.1);
        match is_own && !id.is_empty() {
            true => Ok(id.to_owned()),
            false => Err(call.fault(
                FaultKind::Other,
                None,
                &format!("the security group {id} has the name of one of Reeve's and was not made by Reeve"),
            )),
        }
    }

    async fn create_replacement(&self, id: &str, group: &Element) -> Result<Element, AwsEc2Fault> {
        let name = format!("{REPLACEMENT_PREFIX}{id}");
        let description = format!("Least rules of {id} by its flow logs. Made by Reeve.");
        let network = group.text_of("vpcId");
        let call = self.create_group(&name, &description, network).await?;

        let (_, made) = self.group_pair(id).await?;
        made.ok_or_else(|| not_listed(call))
    }

    async fn change_rules(
        &self,
        id: &str,
        direction: FlowDirection,
        rules: &[&FlowRule],
        is_added: bool,
    ) -> Result<(), AwsEc2Fault> {
        let own: Vec<&&FlowRule> = rules
            .iter()
            .filter(|rule| rule.direction == direction)
            .collect();
        if own.is_empty() {
            return Ok(());
        }

        let call = self.place.call(match (direction, is_added) {
            (FlowDirection::Ingress, true) => "ec2:AuthorizeSecurityGroupIngress",
            (FlowDirection::Egress, true) => "ec2:AuthorizeSecurityGroupEgress",
            (FlowDirection::Ingress, false) => "ec2:RevokeSecurityGroupIngress",
            (FlowDirection::Egress, false) => "ec2:RevokeSecurityGroupEgress",
        });
        let mut form = Form::new().with("GroupId", id);
        for (number, rule) in (1..).zip(own) {
            form = with_rule(form, number, rule);
        }
        match self.change(call, form).await {
            Ok(_) => Ok(()),
            // An attempt before, or another one at this moment, was faster; the rules are read again.
            Err(fault)
                if matches!(
                    fault.code.as_deref(),
                    Some("InvalidPermission.Duplicate" | "InvalidPermission.NotFound")
                ) =>
            {
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Returns the groups of each interface that has one.
    async fn interfaces_with(
        &self,
        id: &str,
    ) -> Result<BTreeMap<String, Vec<String>>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeNetworkInterfaces");
        let (mut found, mut cursor) = (BTreeMap::new(), Cursor::new());
        loop {
            let parameters = Form::new()
                .with_filter("group-id", [id])
                .with("MaxResults", "1000")
                .with_some("NextToken", cursor.token());
            let page = self.read(call, parameters).await?;
            for interface in page.list("networkInterfaceSet") {
                let groups = interface.list("groupSet");
                let groups = groups.filter_map(|group| group.text_of("groupId"));
                if let Some(own) = interface.text_of("networkInterfaceId") {
                    found.insert(own.to_owned(), groups.map(str::to_owned).collect());
                }
            }
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(found);
            }
        }
    }
}

/// Adds a rule to the parameters of a call.
fn with_rule(form: Form, number: usize, rule: &FlowRule) -> Form {
    let prefix = format!("IpPermissions.{number}");
    let protocol = rule
        .protocol
        .map_or_else(|| "-1".to_owned(), |protocol| protocol.to_string());
    let form = form.with(&format!("{prefix}.IpProtocol"), protocol);
    let form = match rule.protocol {
        Some(6 | 17) => form
            .with(&format!("{prefix}.FromPort"), rule.from_port.to_string())
            .with(&format!("{prefix}.ToPort"), rule.to_port.to_string()),
        // Every type and code of ICMP.
        Some(1 | 58) => form
            .with(&format!("{prefix}.FromPort"), "-1")
            .with(&format!("{prefix}.ToPort"), "-1"),
        _ => form,
    };

    match &rule.peer {
        RulePeer::Network(network) if network.addr().is_ipv4() => {
            form.with(&format!("{prefix}.IpRanges.1.CidrIp"), network.to_string())
        }
        RulePeer::Network(network) => form.with(
            &format!("{prefix}.Ipv6Ranges.1.CidrIpv6"),
            network.to_string(),
        ),
        RulePeer::Group(id) => form.with(&format!("{prefix}.Groups.1.GroupId"), id),
        RulePeer::PrefixList(id) => {
            form.with(&format!("{prefix}.PrefixListIds.1.PrefixListId"), id)
        }
    }
}

/// Reads the rules of a group as EC2 listed it.
fn rules_of(group: &Element) -> Vec<FlowRule> {
    let mut rules = Vec::new();
    for (list, direction) in [
        ("ipPermissions", FlowDirection::Ingress),
        ("ipPermissionsEgress", FlowDirection::Egress),
    ] {
        for permission in group.list(list) {
            let peers = [
                ("ipRanges", "cidrIp"),
                ("ipv6Ranges", "cidrIpv6"),
                ("prefixListIds", "prefixListId"),
                ("groups", "groupId"),
            ];
            for (peers, name) in peers {
                let peers = permission.list(peers);
                rules.extend(
                    peers.filter_map(|peer| rule(permission, direction, peer.text_of(name)?)),
                );
            }
        }
    }
    rules.sort();
    rules.dedup();
    rules
}

fn rule(permission: &Element, direction: FlowDirection, peer: &str) -> Option<FlowRule> {
    let protocol = match permission.text_of("ipProtocol")? {
        "-1" => "all",
        protocol => protocol,
    };
    let port = |name: &str, other: &str| {
        let text = permission.text_of(name).unwrap_or(other);
        match (protocol, text) {
            ("tcp" | "udp" | "6" | "17", text) if text != "-1" => text.to_owned(),
            _ => other.to_owned(),
        }
    };
    let (from, to) = (port("fromPort", "0"), port("toPort", "65535"));
    FlowRule::parse(&format!("{direction} {protocol} {from}-{to} {peer}")).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rules_are_sent_as_they_are_read() {
        let listed = Element::read(
            "<item><ipPermissions><item><ipProtocol>tcp</ipProtocol><fromPort>443</fromPort><toPort>443</toPort>\
             <ipRanges><item><cidrIp>10.0.0.0/16</cidrIp></item></ipRanges><groups><item><groupId>sg-2</groupId></item></groups></item>\
             </ipPermissions><ipPermissionsEgress><item><ipProtocol>-1</ipProtocol><ipRanges><item><cidrIp>0.0.0.0/0</cidrIp></item>\
             </ipRanges></item></ipPermissionsEgress></item>",
        )
        .unwrap();
        assert_eq!(
            FlowRule::texts(&rules_of(&listed)),
            [
                "egress all 0-65535 0.0.0.0/0",
                "ingress tcp 443-443 10.0.0.0/16",
                "ingress tcp 443-443 sg-2",
            ]
        );
        let form = rules_of(&listed)
            .iter()
            .zip(1..)
            .fold(Form::new(), |form, (rule, number)| {
                with_rule(form, number, rule)
            });
        assert_eq!(
            form.into_text(),
            "IpPermissions.1.IpProtocol=6&IpPermissions.1.FromPort=443&IpPermissions.1.ToPort=443\
             &IpPermissions.1.IpRanges.1.CidrIp=10.0.0.0%2F16\
             &IpPermissions.2.IpProtocol=6&IpPermissions.2.FromPort=443&IpPermissions.2.ToPort=443\
             &IpPermissions.2.Groups.1.GroupId=sg-2\
             &IpPermissions.3.IpProtocol=-1&IpPermissions.3.IpRanges.1.CidrIp=0.0.0.0%2F0"
        );
    }
}
