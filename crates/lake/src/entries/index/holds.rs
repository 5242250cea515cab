//! Conditions on single values as the index keeps them. The meaning is that of
//! `reeve_audit::query`; a property test holds the two together.

use std::net::IpAddr;

use ipnet::IpNet;
use reeve_audit::query::{Bound, Match, QueryComparison, fold};

use super::kind;

/// Returns `true` if a value of an open member meets a condition whose times are resolved.
pub(super) fn open(kind: u8, text: &str, op: &Match) -> bool {
    match kind {
        kind::TEXT => string(text, op),
        kind::NUMBER => number(text, op),
        kind::BOOL => op.is_satisfied_by(text),
        kind::NULL => *op != Match::Exists && op.is_satisfied_by("null"),
        _ => *op == Match::Exists,
    }
}

fn string(value: &str, op: &Match) -> bool {
    match op {
        Match::Compare(side, bound) => bound.orders_open_text(*side, value),
        Match::Between(range) => range.holds(|side, bound| bound.orders_open_text(side, value)),
        _ => op.is_satisfied_by(value),
    }
}

fn number(text: &str, op: &Match) -> bool {
    let Ok(number) = text.parse::<f64>() else {
        return false;
    };

    let on_side = |side: QueryComparison, bound: &Bound| matches!(bound, Bound::Number(bound) if side.is_satisfied(&number, bound));
    match op {
        Match::Compare(side, bound) => on_side(*side, bound),
        Match::Between(range) => range.holds(on_side),
        Match::Exact(wanted) | Match::Identical(wanted) => wanted.parse() == Ok(number),
        _ => op.is_satisfied_by(text),
    }
}

/// Returns the case-folded prefix of all texts that can meet a condition; `None` if they can be
/// anywhere.
pub(super) fn begins(op: &Match) -> Option<String> {
    match op {
        Match::Exact(text) | Match::Identical(text) | Match::Prefix(text) => {
            Some(fold::fold(text).into_owned())
        }
        Match::Glob(pattern) => Some(fold::fold(pattern.start()).into_owned()),
        Match::Ip(address) => Some(address.to_string()),
        Match::Cidr(net) => network_begins(net),
        Match::Exists
        | Match::Compare(..)
        | Match::Between(_)
        | Match::Regular(_)
        | Match::Listed(_) => None,
    }
    .filter(|begin| !begin.is_empty())
}

fn network_begins(net: &IpNet) -> Option<String> {
    let IpAddr::V4(address) = net.network() else {
        return None;
    };

    let whole = usize::from(net.prefix_len() / 8).min(3);
    let octets: Vec<String> = address.octets()[..whole]
        .iter()
        .map(|octet| format!("{octet}."))
        .collect();
    (whole > 0).then(|| octets.concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn networks_begin_with_their_whole_octets() {
        for (net, expect) in [
            ("10.0.0.0/8", Some("10.")),
            ("10.16.0.0/12", Some("10.")),
            ("192.168.1.0/24", Some("192.168.1.")),
            ("192.168.1.1/32", Some("192.168.1.")),
            ("0.0.0.0/0", None),
            ("2001:db8::/32", None),
        ] {
            let op = Match::Cidr(net.parse().unwrap());
            assert_eq!(begins(&op).as_deref(), expect, "{net}");
        }
    }
}
