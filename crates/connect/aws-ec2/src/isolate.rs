//! Cutting a machine off, and letting it back: its security groups give way to one that lets
//! nothing in and nothing out.
//!
//! A security group is made with a rule that lets everything out, so a new one is not yet what
//! isolates. Whatever state an earlier attempt left behind, the next one goes on from it: the group
//! is looked for before it is made, and its rules are read before a machine gets it. EC2 user
//! guide, "Security groups"; API reference, `ModifyInstanceAttribute` (one network interface,
//! groups of the machine's own network).

use reeve_estate::{MADE_BY, QUARANTINE, Resource, ResourceState};

use crate::convert;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, Call, FaultKind};
use crate::form::Form;
use crate::xml::Element;

impl Ec2 {
    /// One machine, which counts as isolated only where its group lets nothing through.
    ///
    /// # Errors
    /// As [`Ec2::machine`]; the failure to read the group of one that looks isolated.
    pub async fn settled_machine(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let mut machine = self.machine(id).await?;
        let spec = &mut machine.specification;

        if spec.isolated {
            let groups = self.groups("group-id", &spec.security_groups).await?;
            spec.isolated =
                groups.len() == 1 && groups.iter().all(|group| opening(group).is_none());
        }
        Ok(machine)
    }

    /// Gives a machine the isolating group of its network and no other; makes the group where there
    /// is none.
    ///
    /// # Errors
    /// [`FaultKind::Other`] for a machine with several network interfaces or none, and for a group
    /// of that name that lets something through; the call's failure otherwise.
    pub async fn isolate(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let network = self.network_of(id).await?;
        let group = self.isolating_group(&network).await?;
        self.give(id, vec![group]).await
    }

    /// Gives a machine these groups and no others.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] for a group that is not there, [`FaultKind::Other`] for one of
    /// another network, for none at all, and for a machine with several network interfaces; the
    /// call's failure otherwise.
    pub async fn set_groups(&self, id: &str, groups: &[String]) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        if groups.is_empty() {
            return Err(call.fault(
                FaultKind::Other,
                None,
                &format!("{id} must have at least one security group"),
            ));
        }

        let network = self.network_of(id).await?;
        let known = self.groups("group-id", groups).await?;

        for wanted in groups {
            let Some(found) = known
                .iter()
                .find(|group| group.text_of("groupId") == Some(wanted))
            else {
                let message = format!("the security group {wanted} does not exist");
                return Err(call.fault(
                    FaultKind::NotFound,
                    Some("InvalidGroup.NotFound"),
                    &message,
                ));
            };
            if found.text_of("vpcId") != Some(&network) {
                let message =
                    format!("{wanted} belongs to another network than {id}, which is in {network}");
                return Err(call.fault(FaultKind::Other, Some("InvalidParameter"), &message));
            }
        }

        self.give(id, groups.to_vec()).await
    }

    /// The network of a machine whose groups can be changed.
    async fn network_of(&self, id: &str) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        let instance = self.instance(id).await?;
        let interfaces = instance.list("networkInterfaceSet").count();

        if interfaces > 1 {
            let message =
                format!("{id} has {interfaces} network interfaces, each with groups of its own");
            return Err(call.fault(FaultKind::Other, None, &message));
        }

        // One that is gone reads better than one without a network.
        let machine =
            convert::machine(&self.place, &instance).map_err(|malformed| malformed.at(call))?;
        if machine.is_some_and(|machine| machine.state == ResourceState::Deleted) {
            return Err(call.fault(FaultKind::NotFound, None, &format!("{id} is terminated")));
        }

        let none = || {
            call.fault(
                FaultKind::Other,
                None,
                &format!("{id} is in no virtual network"),
            )
        };

        instance
            .text_of("vpcId")
            .map(str::to_owned)
            .ok_or_else(none)
    }

    async fn give(&self, id: &str, groups: Vec<String>) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        let parameters = Form::new()
            .with("InstanceId", id)
            .with_list("GroupId", groups);
        self.change(call, parameters).await.map(|_| ())
    }

    /// The isolating group in the network of another security group; makes it where there is none.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] for a group that is not there, [`FaultKind::Other`] for an isolating
    /// group that lets something through; the call's failure otherwise.
    pub async fn isolating_group_beside(&self, group: &str) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let found = self.groups("group-id", &[group.to_owned()]).await?;
        let network = found.first().and_then(|found| found.text_of("vpcId"));
        let missing = || {
            let message = format!("the security group {group} does not exist in a network");
            call.fault(FaultKind::NotFound, Some("InvalidGroup.NotFound"), &message)
        };
        self.isolating_group(network.ok_or_else(missing)?).await
    }

    /// The network's isolating group, without rules.
    async fn isolating_group(&self, network: &str) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let mut group = match self.group_of(network).await? {
            Some(group) => group,
            None => self.make_group(network).await?,
        };
        let ours = convert::tags(&group)
            .get(MADE_BY.0)
            .is_some_and(|value| value == MADE_BY.1);
        let given: Vec<Element> = group
            .list("ipPermissionsEgress")
            .filter(|rule| is_given(rule))
            .cloned()
            .collect();

        let nameless = || {
            call.fault(
                FaultKind::Broken,
                None,
                "EC2 answered without a group's identifier",
            )
        };

        let id = group
            .text_of("groupId")
            .map(str::to_owned)
            .ok_or_else(nameless)?;
        if ours && !given.is_empty() {
            self.close(&id, &given).await?;
            group = self.group_of(network).await?.ok_or_else(nameless)?;
        }

        match opening(&group) {
            None => Ok(id),
            Some(rule) => {
                let message = format!(
                    "the security group {QUARANTINE} ({id}) of {network} lets something through: {rule}"
                );
                Err(call.fault(FaultKind::Other, None, &message))
            }
        }
    }

    /// The group of the name in a network.
    async fn group_of(&self, network: &str) -> Result<Option<Element>, AwsEc2Fault> {
        let named = self.groups("group-name", &[QUARANTINE.to_owned()]).await?;
        Ok(named
            .into_iter()
            .find(|group| group.text_of("vpcId") == Some(network)))
    }

    /// Groups by a filter; at most a thousand, which is more than a machine or a name has.
    pub(crate) async fn groups(
        &self,
        filter: &str,
        values: &[String],
    ) -> Result<Vec<Element>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSecurityGroups");
        let page = self
            .read(call, Form::new().with_filter(filter, values))
            .await?;
        Ok(page.list("securityGroupInfo").cloned().collect())
    }

    /// Creates a security group with the tag of those that Reeve made, and returns the call. One of
    /// the name that another action makes at this moment is no failure.
    pub(crate) async fn create_group(
        &self,
        name: &str,
        description: &str,
        network: Option<&str>,
    ) -> Result<Call<'_>, AwsEc2Fault> {
        let call = self.place.call("ec2:CreateSecurityGroup");
        let parameters = Form::new()
            .with("GroupName", name)
            .with("GroupDescription", description)
            .with_some("VpcId", network)
            .with_tags_of_new("security-group", &[("Name", name), MADE_BY]);

        match self.change(call, parameters).await {
            Err(fault) if fault.code.as_deref() != Some("InvalidGroup.Duplicate") => Err(fault),
            _ => Ok(call),
        }
    }

    async fn make_group(&self, network: &str) -> Result<Element, AwsEc2Fault> {
        let description =
            "Lets nothing in and nothing out. Reeve isolates machines and databases with it.";
        let call = self
            .create_group(QUARANTINE, description, Some(network))
            .await?;

        let made = self.group_of(network).await?;
        made.ok_or_else(|| not_listed(call))
    }

    /// Takes the rules away that EC2 gives every new group.
    async fn close(&self, group: &str, given: &[Element]) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:RevokeSecurityGroupEgress");
        match self
            .change(call, with_rules(Form::new().with("GroupId", group), given))
            .await
        {
            Ok(_) => Ok(()),
            // Somebody was faster; the rules are read again in any case.
            Err(fault) if fault.code.as_deref() == Some("InvalidPermission.NotFound") => Ok(()),
            Err(fault) => Err(fault),
        }
    }
}

/// The failure of a creation whose security group EC2 does not list.
pub(crate) fn not_listed(call: Call<'_>) -> AwsEc2Fault {
    call.fault(
        FaultKind::Broken,
        None,
        "the security group was made and is not listed yet",
    )
}

/// Adds rules as EC2 listed them: protocol, ports and address ranges. Those of other groups and
/// lists are none of ours.
fn with_rules(form: Form, rules: &[Element]) -> Form {
    (1..)
        .zip(rules)
        .fold(form, |form, (number, rule): (usize, _)| {
            let prefix = format!("IpPermissions.{number}");
            let form = form
                .with_some(&format!("{prefix}.IpProtocol"), rule.text_of("ipProtocol"))
                .with_some(&format!("{prefix}.FromPort"), rule.text_of("fromPort"))
                .with_some(&format!("{prefix}.ToPort"), rule.text_of("toPort"));
            let families = [
                ("ipRanges", "IpRanges", "cidrIp", "CidrIp"),
                ("ipv6Ranges", "Ipv6Ranges", "cidrIpv6", "CidrIpv6"),
            ];
            families
                .into_iter()
                .fold(form, |form, (listed, sent, range, range_sent)| {
                    (1..)
                        .zip(rule.list(listed))
                        .fold(form, |form, (number, found): (usize, _)| {
                            let prefix = format!("{prefix}.{sent}.{number}");
                            form.with_some(
                                &format!("{prefix}.Description"),
                                found.text_of("description"),
                            )
                            .with_some(&format!("{prefix}.{range_sent}"), found.text_of(range))
                        })
                })
        })
}

/// Returns `true` if the rule is the default of a new group: all outbound traffic, to everywhere.
fn is_given(rule: &Element) -> bool {
    let everywhere = rule
        .list("ipRanges")
        .all(|range| range.text_of("cidrIp") == Some("0.0.0.0/0"))
        && rule
            .list("ipv6Ranges")
            .all(|range| range.text_of("cidrIpv6") == Some("::/0"));

    let elsewhere = rule
        .list("prefixListIds")
        .chain(rule.list("groups"))
        .count();
    rule.text_of("ipProtocol") == Some("-1") && everywhere && elsewhere == 0
}

/// The first rule of a group, in words.
fn opening(group: &Element) -> Option<String> {
    let describe = |way: &str, rule: &Element| {
        let to = rule
            .list("ipRanges")
            .filter_map(|range| range.text_of("cidrIp"));
        let to = to.chain(
            rule.list("ipv6Ranges")
                .filter_map(|range| range.text_of("cidrIpv6")),
        );
        let to: Vec<&str> = to.collect();
        let to = if to.is_empty() {
            "other groups or lists".to_owned()
        } else {
            to.join(", ")
        };
        format!(
            "{way} {to}, protocol {}",
            rule.text_of("ipProtocol").unwrap_or("-1")
        )
    };

    let inward = group
        .list("ipPermissions")
        .next()
        .map(|rule| describe("in from", rule));
    inward.or_else(|| {
        group
            .list("ipPermissionsEgress")
            .next()
            .map(|rule| describe("out to", rule))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn group(egress: &str) -> Element {
        let text = format!(
            "<item><ipPermissions/><ipPermissionsEgress>{egress}</ipPermissionsEgress></item>"
        );
        Element::read(&text).unwrap()
    }

    fn rule(members: &str) -> String {
        format!("<item><ipProtocol>-1</ipProtocol>{members}</item>")
    }

    #[test]
    fn only_the_rule_of_a_new_group_is_taken_away() {
        let given = |members: &str| {
            group(&rule(members))
                .list("ipPermissionsEgress")
                .all(is_given)
        };

        let anywhere = "<ipRanges><item><cidrIp>0.0.0.0/0</cidrIp></item></ipRanges>";
        assert!(given(&format!("{anywhere}<groups/><prefixListIds/>")));
        assert!(!given(
            "<ipRanges><item><cidrIp>10.0.0.0/8</cidrIp></item></ipRanges>"
        ));
        assert!(!given(
            "<ipv6Ranges><item><cidrIpv6>fd00::/8</cidrIpv6></item></ipv6Ranges>"
        ));
        assert!(!given(&format!(
            "{anywhere}<groups><item><groupId>sg-2</groupId></item></groups>"
        )));
        assert!(!given(&format!(
            "{anywhere}<prefixListIds><item/></prefixListIds>"
        )));
        assert!(
            !group("<item><ipProtocol>tcp</ipProtocol></item>")
                .list("ipPermissionsEgress")
                .any(is_given)
        );
    }

    #[test]
    fn a_rule_is_sent_as_it_was_listed() {
        let listed = group(&rule(
            "<fromPort>0</fromPort><toPort>9</toPort><ipRanges><item><cidrIp>0.0.0.0/0</cidrIp><description>a&amp;b=c</description>\
             </item></ipRanges><ipv6Ranges><item><cidrIpv6>::/0</cidrIpv6></item></ipv6Ranges>",
        ));
        let rules: Vec<Element> = listed.list("ipPermissionsEgress").cloned().collect();
        assert_eq!(
            with_rules(Form::new().with("GroupId", "sg-1"), &rules).into_text(),
            "GroupId=sg-1&IpPermissions.1.IpProtocol=-1&IpPermissions.1.FromPort=0&IpPermissions.1.ToPort=9\
             &IpPermissions.1.IpRanges.1.Description=a%26b%3Dc&IpPermissions.1.IpRanges.1.CidrIp=0.0.0.0%2F0\
             &IpPermissions.1.Ipv6Ranges.1.CidrIpv6=%3A%3A%2F0"
        );

        assert_eq!(
            opening(&listed).as_deref(),
            Some("out to 0.0.0.0/0, ::/0, protocol -1")
        );
        assert_eq!(opening(&group("")), None);
    }
}
