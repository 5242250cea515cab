//! Bound of the sums of an interface and day: scans of the internet have a peer or port of their own
//! each, and a store must not grow with them.

use std::collections::BTreeMap;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::peers::is_public;
use crate::record::FlowAction;
use crate::sums::{FlowCounts, FlowKey};

/// Sums that are kept of an interface and day.
pub const MOST_FLOWS: usize = 2000;

/// Choice of the sums that a step puts together.
type Chosen<'a> = &'a dyn Fn(&FlowKey) -> bool;

/// Sums, as they are kept.
type Sums = BTreeMap<FlowKey, FlowCounts>;

/// Puts sums of an interface and day together where they are more than `most`: first refused peers
/// on the internet, then their ports, then accepted peers on the internet. Peers in private networks
/// are kept apart.
#[must_use]
pub fn collapse(sums: Vec<(FlowKey, FlowCounts)>, most: usize) -> Vec<(FlowKey, FlowCounts)> {
    let mut sums: Sums = sums.into_iter().collect();
    let is_refused = |key: &FlowKey| key.action == FlowAction::Refused && is_public(&key.peer);
    let steps: [(Chosen<'_>, bool); 3] = [
        (&is_refused, false),
        (&is_refused, true),
        (&|key| is_public(&key.peer), false),
    ];

    for (is_chosen, drops_port) in steps {
        if sums.len() <= most {
            break;
        }

        let mut together = Sums::new();
        for (mut key, counts) in sums {
            if is_chosen(&key) {
                key.peer = everywhere(&key.peer);
                key.port = if drops_port { 0 } else { key.port };
            }
            together.entry(key).or_default().add(&counts);
        }
        sums = together;
    }
    sums.into_iter().collect()
}

/// Returns every address of a peer's family.
fn everywhere(peer: &IpNet) -> IpNet {
    match peer {
        IpNet::V4(_) => Ipv4Net::default().into(),
        IpNet::V6(_) => Ipv6Net::default().into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::FlowDirection;

    fn sum(peer: &str, port: u16, action: FlowAction) -> (FlowKey, FlowCounts) {
        let key = FlowKey {
            interface: "eni-1".to_owned(),
            day: 1,
            direction: FlowDirection::Ingress,
            peer: peer.parse().unwrap(),
            protocol: 6,
            port,
            action,
        };
        let counts = FlowCounts {
            flows: 1,
            first_s: 5,
            last_s: 6,
            ..FlowCounts::default()
        };
        (key, counts)
    }

    #[test]
    fn scans_are_put_together_and_own_networks_stay() {
        let mut sums = vec![
            sum("10.0.0.7/32", 443, FlowAction::Accepted),
            sum("10.0.0.8/32", 22, FlowAction::Refused),
            sum("203.0.113.1/32", 443, FlowAction::Accepted),
        ];
        for peer in 0..200 {
            sums.push(sum(
                &format!("198.51.100.{peer}/32"),
                22,
                FlowAction::Refused,
            ));
        }
        assert_eq!(collapse(sums.clone(), 500), collapse(sums.clone(), 203));

        let kept = collapse(sums, 10);
        let peers: Vec<String> = kept.iter().map(|(key, _)| key.peer.to_string()).collect();
        assert_eq!(
            peers,
            ["0.0.0.0/0", "10.0.0.7/32", "10.0.0.8/32", "203.0.113.1/32"]
        );
        assert_eq!(kept[0].1.flows, 200);
    }
}
