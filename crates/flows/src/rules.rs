//! Rules of security groups, one protocol, port range and peer each.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::FlowDirection;

/// Peer of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RulePeer {
    Network(IpNet),
    /// Interfaces that have a security group.
    Group(String),
    /// Networks of a prefix list, which are not read.
    PrefixList(String),
}

/// Rule of a security group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowRule {
    pub direction: FlowDirection,
    /// IANA number of the protocol; `None` for all protocols.
    pub protocol: Option<u8>,
    pub from_port: u16,
    pub to_port: u16,
    pub peer: RulePeer,
}

/// Text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a rule: ingress or egress, protocol, ports and peer are expected")]
pub struct RuleError(pub String);

impl FlowRule {
    /// Returns `true` if the rule permits a flow; `groups` are the security groups of the peer's
    /// interface. A prefix list permits every peer, since its networks are not read.
    #[must_use]
    pub fn permits(
        &self,
        direction: FlowDirection,
        protocol: u8,
        port: u16,
        peer: &IpNet,
        groups: &[String],
    ) -> bool {
        self.direction == direction
            && self.protocol.is_none_or(|own| own == protocol)
            && (!has_ports(protocol) || (self.from_port..=self.to_port).contains(&port))
            && match &self.peer {
                RulePeer::Network(network) => network.contains(peer),
                RulePeer::Group(group) => groups.contains(group),
                RulePeer::PrefixList(_) => true,
            }
    }

    /// Returns the displayed forms of rules, sorted and each once.
    #[must_use]
    pub fn texts(rules: &[FlowRule]) -> Vec<String> {
        let mut texts: Vec<String> = rules.iter().map(FlowRule::to_string).collect();
        texts.sort();
        texts.dedup();
        texts
    }

    /// Reads the form that [`FlowRule`] is displayed in.
    ///
    /// # Errors
    /// The text is no rule.
    pub fn parse(text: &str) -> Result<FlowRule, RuleError> {
        let wrong = || RuleError(text.to_owned());
        let mut words = text.split(' ');
        let mut word = || words.next().ok_or_else(wrong);
        let direction = FlowDirection::parse(word()?).ok_or_else(wrong)?;
        let protocol = word()?;
        let (from, to) = word()?.split_once('-').ok_or_else(wrong)?;
        let peer = word()?;

        Ok(FlowRule {
            direction,
            protocol: match protocol {
                "all" => None,
                other => Some(protocol_number(other).ok_or_else(wrong)?),
            },
            from_port: from.parse().map_err(|_| wrong())?,
            to_port: to.parse().map_err(|_| wrong())?,
            peer: RulePeer::parse(peer),
        })
    }
}

impl RulePeer {
    fn parse(text: &str) -> RulePeer {
        match text.parse::<IpNet>() {
            Ok(network) => RulePeer::Network(network.trunc()),
            Err(_) if text.starts_with("pl-") => RulePeer::PrefixList(text.to_owned()),
            Err(_) => RulePeer::Group(text.to_owned()),
        }
    }
}

impl fmt::Display for RulePeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulePeer::Network(network) => write!(f, "{network}"),
            RulePeer::Group(id) | RulePeer::PrefixList(id) => f.write_str(id),
        }
    }
}

impl fmt::Display for FlowRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = self
            .protocol
            .map_or_else(|| "all".to_owned(), protocol_text);
        write!(
            f,
            "{} {protocol} {}-{} {}",
            self.direction, self.from_port, self.to_port, self.peer
        )
    }
}

impl Serialize for FlowRule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FlowRule {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        FlowRule::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Returns `true` for protocols with ports.
pub(crate) fn has_ports(protocol: u8) -> bool {
    matches!(protocol, 6 | 17)
}

/// Returns the name of a protocol, or its number.
#[must_use]
pub fn protocol_text(protocol: u8) -> String {
    match protocol {
        1 => "icmp".to_owned(),
        6 => "tcp".to_owned(),
        17 => "udp".to_owned(),
        58 => "icmpv6".to_owned(),
        other => other.to_string(),
    }
}

fn protocol_number(text: &str) -> Option<u8> {
    match text {
        "icmp" => Some(1),
        "tcp" => Some(6),
        "udp" => Some(17),
        "icmpv6" => Some(58),
        other => other.parse().ok(),
    }
}

/// Reads the rules of a security group's document, as EC2 describes it; `None` for a document
/// without them.
#[must_use]
pub fn rules_of(document: &Value) -> Option<Vec<FlowRule>> {
    let mut rules = Vec::new();
    for (member, direction) in [
        ("ipPermissions", FlowDirection::Ingress),
        ("ipPermissionsEgress", FlowDirection::Egress),
    ] {
        for permission in document.get(member)?.as_array()? {
            rules.extend(permission_rules(permission, direction));
        }
    }
    rules.sort();
    rules.dedup();
    Some(rules)
}

fn permission_rules(permission: &Value, direction: FlowDirection) -> Vec<FlowRule> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let member = |name: &str| permission.get(name).and_then(text);
    let protocol = member("ipProtocol").and_then(|protocol| protocol_number(&protocol));
    let port = |name: &str, other: u16| {
        let port = member(name).and_then(|port| port.parse::<u16>().ok());
        // The ports of ICMP are types and codes.
        port.filter(|_| protocol.is_some_and(has_ports))
            .unwrap_or(other)
    };

    let peers = [
        ("ipRanges", "cidrIp"),
        ("ipv6Ranges", "cidrIpv6"),
        ("prefixListIds", "prefixListId"),
        ("groups", "groupId"),
    ];
    let listed = peers.into_iter().flat_map(|(list, name)| {
        let items = permission.get(list).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(move |item| item.get(name).and_then(Value::as_str))
    });
    listed
        .map(|peer| FlowRule {
            direction,
            protocol,
            from_port: port("fromPort", 0),
            to_port: port("toPort", u16::MAX),
            peer: RulePeer::parse(peer),
        })
        .collect()
}

/// Returns the network of one address.
pub(crate) fn only(address: IpAddr) -> IpNet {
    IpNet::from(address)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_read_from_a_document_and_back_from_their_text() {
        let document = json!({
            "ipPermissions": [
                { "ipProtocol": "tcp", "fromPort": "443", "toPort": "443", "groups": [{ "groupId": "sg-2" }],
                  "ipRanges": [{ "cidrIp": "10.0.0.0/8" }], "ipv6Ranges": [], "prefixListIds": [{ "prefixListId": "pl-1" }] },
                { "ipProtocol": "icmp", "fromPort": "-1", "toPort": "-1", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] },
            ],
            "ipPermissionsEgress": [{ "ipProtocol": "-1", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] }],
        });
        let rules = rules_of(&document).unwrap();
        let texts: Vec<String> = rules.iter().map(FlowRule::to_string).collect();
        assert_eq!(
            texts,
            [
                "ingress icmp 0-65535 0.0.0.0/0",
                "ingress tcp 443-443 10.0.0.0/8",
                "ingress tcp 443-443 sg-2",
                "ingress tcp 443-443 pl-1",
                "egress all 0-65535 0.0.0.0/0",
            ]
        );
        for (rule, text) in rules.iter().zip(&texts) {
            assert_eq!(&FlowRule::parse(text).unwrap(), rule);
        }
        assert!(rules_of(&json!({})).is_none());
        assert!(FlowRule::parse("ingress tcp 443").is_err());
    }
}
