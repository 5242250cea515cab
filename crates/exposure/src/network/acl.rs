//! Network ACLs: numbered entries for each direction, the first that fits decides.

use ipnet::IpNet;
use serde_json::Value;

use crate::ports::Ports;
use crate::source::{ExposureSource, covers};
use crate::value;

/// Direction of traffic, seen from the subnet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
}

#[derive(Debug)]
struct Entry {
    number: i64,
    direction: Direction,
    is_allowed: bool,
    range: Option<IpNet>,
    ports: Ports,
}

/// Network ACL.
#[derive(Debug)]
pub(crate) struct Acl<'a> {
    pub(crate) id: &'a str,
    entries: Vec<Entry>,
}

impl<'a> Acl<'a> {
    pub(crate) fn read(id: &'a str, document: &Value) -> Acl<'a> {
        let mut entries: Vec<Entry> = value::list(document, "entrySet")
            .iter()
            .map(|entry| Entry {
                number: value::number(entry, "ruleNumber").unwrap_or(i64::MAX),
                direction: match value::is_true(entry, "egress") {
                    true => Direction::Out,
                    false => Direction::In,
                },
                is_allowed: value::text(entry, "ruleAction") == Some("allow"),
                range: ["cidrBlock", "ipv6CidrBlock"]
                    .iter()
                    .find_map(|member| value::text(entry, member)?.parse().ok()),
                ports: Ports::read(entry, ["protocol", "portRange.from", "portRange.to"]),
            })
            .collect();
        entries.sort_by_key(|entry| entry.number);
        Acl { id, entries }
    }

    /// Returns the ports that the ACL allows between the subnet and a peer outside it. Each of the
    /// peer's ranges is decided for itself: what any of them may use is allowed.
    pub(crate) fn allowed(&self, direction: Direction, peer: &ExposureSource<'_>) -> Ports {
        let each = peer
            .ranges
            .iter()
            .map(|range| self.allowed_for(direction, &peer.at(*range), range));
        each.fold(Ports::default(), |all, ports| all.or(&ports))
    }

    fn allowed_for(&self, direction: Direction, peer: &ExposureSource<'_>, range: &IpNet) -> Ports {
        let (mut undecided, mut allowed) = (Ports::all(), Ports::default());
        for entry in &self.entries {
            let Some(own) = entry.range.filter(|_| entry.direction == direction) else {
                continue;
            };

            // A refusal of a part of the peer's addresses leaves the rest of them.
            let is_whole = covers(&own, range);
            if entry.is_allowed && (is_whole || peer.is_admitted_by(&own)) {
                allowed = allowed.or(&undecided.and(&entry.ports));
            }
            if is_whole {
                undecided = undecided.without(&entry.ports);
            }
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::source::Family;

    fn entry(number: u16, action: &str, range: &str, from: u16, to: u16) -> Value {
        json!({
            "ruleNumber": number.to_string(), "ruleAction": action, "egress": false, "protocol": "6",
            "cidrBlock": range, "portRange": { "from": from.to_string(), "to": to.to_string() },
        })
    }

    #[test]
    fn the_first_entry_that_fits_decides() {
        let check = |entries: Vec<Value>, expect: &str| {
            let document = json!({ "entrySet": entries });
            let acl = Acl::read("acl-1", &document);
            let internet = ExposureSource::internet(Family::V4);
            assert_eq!(
                acl.allowed(Direction::In, &internet).to_string(),
                expect,
                "{document}"
            );
            assert!(acl.allowed(Direction::Out, &internet).is_empty());
        };

        let everyone = "0.0.0.0/0";
        // The order of the list is not the order of the numbers.
        check(
            vec![
                entry(200, "allow", everyone, 0, 65_535),
                entry(100, "deny", everyone, 22, 22),
            ],
            "tcp 0-21, tcp 23-65535",
        );
        check(
            vec![
                entry(100, "allow", everyone, 443, 443),
                entry(200, "deny", everyone, 0, 65_535),
            ],
            "tcp 443",
        );
        // Half of the internet is refused, the other half is not.
        check(
            vec![
                entry(100, "deny", "0.0.0.0/1", 0, 65_535),
                entry(200, "allow", everyone, 22, 22),
            ],
            "tcp 22",
        );
        check(
            vec![
                entry(100, "deny", "0.0.0.0/1", 0, 65_535),
                entry(101, "deny", "128.0.0.0/1", 0, 65_535),
                entry(200, "allow", everyone, 22, 22),
            ],
            "",
        );
        check(vec![entry(100, "allow", "10.0.0.0/8", 0, 65_535)], "");
        check(vec![], "");
    }
}
