//! Sets of protocols and ports, as rules of security groups and network ACLs name them.

use std::fmt::{self, Display};

use serde_json::Value;

use crate::value;

/// Ports of a protocol, both ends included, sorted and apart.
type Ranges = Vec<(u16, u16)>;

const ALL: (u16, u16) = (0, u16::MAX);

/// First port of those that a client's operating system chooses for replies.
const FIRST_EPHEMERAL: u16 = 1024;

/// Set of protocols and ports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ports {
    tcp: Ranges,
    udp: Ranges,
    icmp: bool,
    /// Every other protocol of IP.
    other: bool,
}

impl Ports {
    pub(crate) fn all() -> Ports {
        Ports {
            tcp: vec![ALL],
            udp: vec![ALL],
            icmp: true,
            other: true,
        }
    }

    pub(crate) fn tcp(from: u16, to: u16) -> Ports {
        Ports {
            tcp: vec![(from, to)],
            ..Ports::default()
        }
    }

    pub(crate) fn udp(from: u16, to: u16) -> Ports {
        Ports {
            udp: vec![(from, to)],
            ..Ports::default()
        }
    }

    /// Returns the protocol and ports of a rule. Members without a value mean all ports.
    fn of_rule(protocol: &str, from: Option<i64>, to: Option<i64>) -> Ports {
        let from = from.unwrap_or(0).clamp(0, 65_535) as u16;
        // Minus one stands for all.
        let to = to.filter(|to| *to >= 0).unwrap_or(65_535).clamp(0, 65_535) as u16;

        match protocol.to_ascii_lowercase().as_str() {
            "-1" | "all" => Ports::all(),
            "tcp" | "6" => Ports::tcp(from, to),
            "udp" | "17" => Ports::udp(from, to),
            "icmp" | "1" | "icmpv6" | "58" => Ports {
                icmp: true,
                ..Ports::default()
            },
            _ => Ports {
                other: true,
                ..Ports::default()
            },
        }
    }

    /// Reads the members of a rule that have its protocol, its first and its last port.
    pub(crate) fn read(rule: &Value, [protocol, from, to]: [&str; 3]) -> Ports {
        let protocol = match value::at(rule, protocol) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => "-1".to_owned(),
        };
        Ports::of_rule(
            &protocol,
            value::number(rule, from),
            value::number(rule, to),
        )
    }

    /// Returns `true` if no protocol is in the set.
    pub(crate) fn is_empty(&self) -> bool {
        self.tcp.is_empty() && self.udp.is_empty() && !self.icmp && !self.other
    }

    pub(crate) fn and(&self, with: &Ports) -> Ports {
        Ports {
            tcp: intersection(&self.tcp, &with.tcp),
            udp: intersection(&self.udp, &with.udp),
            icmp: self.icmp && with.icmp,
            other: self.other && with.other,
        }
    }

    pub(crate) fn or(&self, with: &Ports) -> Ports {
        Ports {
            tcp: union(&self.tcp, &with.tcp),
            udp: union(&self.udp, &with.udp),
            icmp: self.icmp || with.icmp,
            other: self.other || with.other,
        }
    }

    pub(crate) fn without(&self, taken: &Ports) -> Ports {
        Ports {
            tcp: difference(&self.tcp, &taken.tcp),
            udp: difference(&self.udp, &taken.udp),
            icmp: self.icmp && !taken.icmp,
            other: self.other && !taken.other,
        }
    }

    /// Returns the part whose protocols can answer through an outbound set: replies over TCP and UDP
    /// go to a port that the client's operating system chose, from 1024 up.
    pub(crate) fn answered_through(&self, outbound: &Ports) -> Ports {
        let has_ephemeral = |ranges: &Ranges| ranges.iter().any(|(_, to)| *to >= FIRST_EPHEMERAL);
        let kept = |is_answered: bool, ranges: &Ranges| match is_answered {
            true => ranges.clone(),
            false => Ranges::new(),
        };
        Ports {
            tcp: kept(has_ephemeral(&outbound.tcp), &self.tcp),
            udp: kept(has_ephemeral(&outbound.udp), &self.udp),
            icmp: self.icmp && outbound.icmp,
            other: self.other && outbound.other,
        }
    }

    /// Returns each protocol with its ports: `tcp 22`, `udp 0-65535`, `icmp`.
    pub(crate) fn named(&self) -> Vec<String> {
        if *self == Ports::all() {
            return vec!["all protocols and ports".to_owned()];
        }

        let worded = |protocol: &str, (from, to): &(u16, u16)| match from == to {
            true => format!("{protocol} {from}"),
            false => format!("{protocol} {from}-{to}"),
        };
        let tcp = self.tcp.iter().map(|range| worded("tcp", range));
        let udp = self.udp.iter().map(|range| worded("udp", range));
        let icmp = self.icmp.then(|| "icmp".to_owned());
        let other = self.other.then(|| "other protocols".to_owned());
        tcp.chain(udp).chain(icmp).chain(other).collect()
    }
}

impl Display for Ports {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.named().join(", "))
    }
}

fn intersection(one: &Ranges, other: &Ranges) -> Ranges {
    let mut found: Ranges = one
        .iter()
        .flat_map(|(from, to)| {
            other
                .iter()
                .map(|(other_from, other_to)| ((*from).max(*other_from), (*to).min(*other_to)))
        })
        .filter(|(from, to)| from <= to)
        .collect();
    found.sort_unstable();
    found
}

fn union(one: &Ranges, other: &Ranges) -> Ranges {
    let mut all: Ranges = one.iter().chain(other).copied().collect();
    all.sort_unstable();

    let mut joined = Ranges::new();
    for (from, to) in all {
        match joined.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn difference(from: &Ranges, taken: &Ranges) -> Ranges {
    let mut left = from.clone();
    for (taken_from, taken_to) in taken {
        left = left
            .into_iter()
            .flat_map(|(start, end)| {
                let before = (start < *taken_from).then(|| (start, end.min(taken_from - 1)));
                let after = (end > *taken_to).then(|| (start.max(taken_to + 1), end));
                before.into_iter().chain(after)
            })
            .collect();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_cut_and_worded() {
        let web = Ports::tcp(80, 80).or(&Ports::tcp(443, 443));
        let rule = Ports::of_rule("tcp", Some(0), Some(1000));
        for (set, expect) in [
            (web.and(&rule), "tcp 80, tcp 443"),
            (web.without(&Ports::tcp(80, 80)), "tcp 443"),
            (rule.without(&web), "tcp 0-79, tcp 81-442, tcp 444-1000"),
            (Ports::tcp(80, 81).or(&Ports::tcp(82, 90)), "tcp 80-90"),
            (Ports::of_rule("-1", None, None), "all protocols and ports"),
            (Ports::of_rule("17", Some(53), Some(53)), "udp 53"),
            (Ports::of_rule("icmp", Some(-1), Some(-1)), "icmp"),
            (Ports::of_rule("tcp", None, None), "tcp 0-65535"),
            (Ports::all().without(&Ports::all()), ""),
        ] {
            assert_eq!(set.to_string(), expect);
        }
    }

    #[test]
    fn replies_need_a_port_from_1024_up() {
        let web = Ports::tcp(443, 443);
        for (outbound, is_answered) in [
            (Ports::all(), true),
            (Ports::tcp(1024, 65_535), true),
            (Ports::tcp(443, 443), false),
            (Ports::udp(0, 65_535), false),
            (Ports::default(), false),
        ] {
            assert_eq!(
                !web.answered_through(&outbound).is_empty(),
                is_answered,
                "{outbound}"
            );
        }
    }
}
