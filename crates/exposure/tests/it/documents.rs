//! Documents of small estates.

use reeve_exposure::{ChokePoint, Estate, Exposure, ExposureConfiguration};
use serde_json::{Value, json};

/// Account that the estate belongs to.
pub(crate) const ACCOUNT: &str = "111122223333";

/// Documents with their kind and identifier.
#[derive(Debug, Clone, Default)]
pub(crate) struct Documents(Vec<(String, String, Value)>);

impl Documents {
    pub(crate) fn with(mut self, kind: &str, id: &str, document: Value) -> Self {
        self.0.retain(|(of, own, _)| of != kind || own != id);
        self.0.push((kind.to_owned(), id.to_owned(), document));
        self
    }

    pub(crate) fn without(mut self, kind: &str) -> Self {
        self.0.retain(|(of, ..)| of != kind);
        self
    }

    fn configurations(&self) -> impl Iterator<Item = ExposureConfiguration<'_>> {
        self.0
            .iter()
            .map(|(kind, id, document)| ExposureConfiguration {
                id,
                kind,
                account: ACCOUNT,
                document,
            })
    }

    pub(crate) fn exposures(&self) -> Vec<Exposure> {
        let forwards = Estate::new(self.configurations()).exposures();
        let mut reversed: Vec<_> = self.configurations().collect();
        reversed.reverse();
        assert_eq!(
            forwards,
            Estate::new(reversed).exposures(),
            "the order must not matter"
        );
        forwards
    }

    pub(crate) fn choke_points(&self) -> Vec<ChokePoint> {
        let estate = Estate::new(self.configurations());
        estate.choke_points(&estate.exposures(), 10)
    }

    /// Returns the answers about a resource in short: audience, grade and access.
    pub(crate) fn of(&self, id: &str) -> Vec<String> {
        let exposures = self.exposures();
        let own = exposures.iter().filter(|one| one.resource == id);
        own.map(|one| {
            let grade = json!(one.grade);
            let grade = grade
                .as_str()
                .map(|grade| format!(" {grade}"))
                .unwrap_or_default();
            let access = one.access.join(", ");
            let stopped = one
                .stopped_by
                .as_ref()
                .map(|step| format!(" stopped by {}", step.edge));
            format!(
                "{}{grade}{} {access}",
                one.reachable_from,
                stopped.unwrap_or_default()
            )
            .trim_end()
            .to_owned()
        })
        .collect()
    }

    /// Returns the steps of the first answer about a resource, the one that stops included.
    pub(crate) fn path(&self, id: &str) -> Vec<String> {
        let exposures = self.exposures();
        let one = exposures.iter().find(|one| one.resource == id);
        let one = one.unwrap_or_else(|| panic!("no answer about {id}"));
        one.path
            .iter()
            .chain(&one.stopped_by)
            .map(|step| format!("{} {}: {}", step.edge, step.resource, step.says))
            .collect()
    }
}

/// Rule of a security group.
pub(crate) fn rule(protocol: &str, from: u16, to: u16, sender: &str) -> Value {
    let mut rule = json!({
        "ipProtocol": protocol, "fromPort": from.to_string(), "toPort": to.to_string(),
        "groups": [], "ipRanges": [], "ipv6Ranges": [], "prefixListIds": [],
    });
    let (list, member) = match sender {
        group if group.starts_with("sg-") => ("groups", "groupId"),
        range if range.contains(':') => ("ipv6Ranges", "cidrIpv6"),
        _ => ("ipRanges", "cidrIp"),
    };
    rule[list] = json!([{ member: sender }]);
    rule
}

pub(crate) fn group(rules: Vec<Value>) -> Value {
    json!({ "vpcId": "vpc-1", "ownerId": ACCOUNT, "ipPermissions": rules })
}

pub(crate) fn entry(
    number: u32,
    action: &str,
    is_out: bool,
    range: &str,
    ports: (u16, u16),
) -> Value {
    let member = match range.contains(':') {
        true => "ipv6CidrBlock",
        false => "cidrBlock",
    };
    json!({
        "ruleNumber": number.to_string(), "ruleAction": action, "egress": is_out, "protocol": "6",
        member: range, "portRange": { "from": ports.0.to_string(), "to": ports.1.to_string() },
    })
}

/// Network ACL that admits everything, of all subnets that no other one names.
pub(crate) fn open_acl() -> Value {
    let everything = |is_out: bool| json!({ "ruleNumber": "100", "ruleAction": "allow", "egress": is_out, "protocol": "-1", "cidrBlock": "0.0.0.0/0" });
    let everything_v6 = |is_out: bool| json!({ "ruleNumber": "101", "ruleAction": "allow", "egress": is_out, "protocol": "-1", "ipv6CidrBlock": "::/0" });
    json!({
        "vpcId": "vpc-1", "default": true, "associationSet": [],
        "entrySet": [everything(false), everything(true), everything_v6(false), everything_v6(true)],
    })
}

pub(crate) fn routes(targets: &[(&str, &str)]) -> Value {
    let routes = targets.iter().map(|(range, target)| {
        let range_member = match range.contains(':') {
            true => "destinationIpv6CidrBlock",
            false => "destinationCidrBlock",
        };
        let target_member = match target.split('-').next() {
            Some("nat") => "natGatewayId",
            Some("eigw") => "egressOnlyInternetGatewayId",
            Some("pcx") => "vpcPeeringConnectionId",
            Some("tgw") => "transitGatewayId",
            _ => "gatewayId",
        };
        json!({ range_member: range, target_member: target, "state": "active" })
    });
    routes.collect()
}

/// Route table: the main one of the network, or that of a subnet.
pub(crate) fn table(subnet: Option<&str>, targets: &[(&str, &str)]) -> Value {
    let association = match subnet {
        Some(subnet) => json!({ "main": false, "subnetId": subnet }),
        None => json!({ "main": true }),
    };
    json!({ "vpcId": "vpc-1", "associationSet": [association], "routeSet": routes(targets) })
}

pub(crate) const OUT: [(&str, &str); 2] = [("10.0.0.0/16", "local"), ("0.0.0.0/0", "igw-1")];

pub(crate) fn machine(group: &str, address: Option<&str>, private: &str) -> Value {
    let mut interface = json!({
        "networkInterfaceId": format!("eni-{private}"), "subnetId": "subnet-1", "vpcId": "vpc-1", "privateIpAddress": private,
        "groupSet": [{ "groupId": group }], "ipv6AddressesSet": [],
    });
    if let Some(address) = address {
        interface["association"] = json!({ "publicIp": address });
    }
    json!({
        "instanceState": { "code": "16", "name": "running" }, "networkInterfaceSet": [interface],
        "subnetId": "subnet-1", "vpcId": "vpc-1", "groupSet": [{ "groupId": group }],
    })
}

/// A machine with a public address behind an open port 22: exposed.
pub(crate) fn exposed() -> Documents {
    Documents::default()
        .with("network", "vpc-1", json!({ "cidrBlock": "10.0.0.0/16" }))
        .with(
            "internet_gateway",
            "igw-1",
            json!({ "attachmentSet": [{ "vpcId": "vpc-1", "state": "available" }] }),
        )
        .with(
            "subnet",
            "subnet-1",
            json!({ "vpcId": "vpc-1", "cidrBlock": "10.0.1.0/24" }),
        )
        .with(
            "subnet",
            "subnet-2",
            json!({ "vpcId": "vpc-1", "cidrBlock": "10.0.2.0/24" }),
        )
        .with("route_table", "rtb-1", table(Some("subnet-1"), &OUT))
        .with("network_acl", "acl-1", open_acl())
        .with(
            "security_group",
            "sg-1",
            group(vec![rule("tcp", 22, 22, "0.0.0.0/0")]),
        )
        .with(
            "virtual_machine",
            "i-1",
            machine("sg-1", Some("198.51.100.7"), "10.0.1.7"),
        )
}
