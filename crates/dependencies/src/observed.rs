//! Edges that flow logs show.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_flows::{
    FlowDirection, InterfaceFlows, SeenFlow, is_conversation, is_public, protocol_text,
};

use crate::addresses::AddressIndex;
use crate::edge::{EdgeEvidence, EdgeSource, EdgeStrength};
use crate::map::NodeKind;

/// Share of the days with records on which strong traffic was seen, and the share of moderate one.
const MOST_DAYS: f64 = 0.7;
const SOME_DAYS: f64 = 0.25;
/// Ports that an edge names.
const PORTS_NAMED: usize = 3;
/// Identifier of the node that stands for callers from the internet.
pub(crate) const INTERNET: &str = "internet";

/// Other side of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Peer {
    pub(crate) kind: NodeKind,
    pub(crate) id: String,
}

/// Traffic from a dependent to its dependency, of all ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObservedDependency {
    pub(crate) dependent: Peer,
    pub(crate) dependency: Peer,
    pub(crate) bytes: u64,
    pub(crate) evidence: EdgeEvidence,
}

/// Returns the edges in the flows of a resource's interfaces. Refused flows and scans are none.
pub(crate) fn observed(
    owner: &ResourceId,
    seen: &[InterfaceFlows],
    index: &AddressIndex,
) -> Vec<ObservedDependency> {
    let own = Peer {
        kind: NodeKind::Resource,
        id: owner.0.clone(),
    };
    let mut by_peer: BTreeMap<(Peer, FlowDirection), Vec<&SeenFlow>> = BTreeMap::new();
    let mut covered: Vec<i32> = Vec::new();
    for interface in seen {
        covered.extend(interface.coverage.iter().map(|day| day.day));
        for flow in interface.flows.iter().filter(|flow| is_conversation(flow)) {
            let peer = peer(flow, &interface.interface, index);
            if peer.id != owner.0 {
                by_peer
                    .entry((peer, flow.direction))
                    .or_default()
                    .push(flow);
            }
        }
    }
    covered.sort_unstable();
    covered.dedup();

    let edge = |((peer, direction), flows): ((Peer, FlowDirection), Vec<&SeenFlow>)| {
        // An ingress flow was opened by the peer, so the peer needs the owner.
        let (dependent, dependency) = match direction {
            FlowDirection::Ingress => (peer, own.clone()),
            FlowDirection::Egress => (own.clone(), peer),
        };
        ObservedDependency {
            dependent,
            dependency,
            bytes: flows.iter().map(|flow| flow.counts.bytes).sum(),
            evidence: evidence(&flows, covered.len()),
        }
    };
    by_peer.into_iter().map(edge).collect()
}

fn peer(flow: &SeenFlow, interface: &str, index: &AddressIndex) -> Peer {
    let is_address = flow.peer.prefix_len() == flow.peer.max_prefix_len();
    let known = is_address.then(|| index.at(flow.peer.addr(), interface));
    let (kind, id) = match known.flatten() {
        Some(resource) => (NodeKind::Resource, resource.0.clone()),
        None if is_public(&flow.peer)
            && (flow.direction == FlowDirection::Ingress || !is_address) =>
        {
            (NodeKind::Internet, INTERNET.to_owned())
        }
        None if is_address => (NodeKind::Address, flow.peer.addr().to_string()),
        None => (NodeKind::Address, flow.peer.to_string()),
    };
    Peer { kind, id }
}

fn evidence(flows: &[&SeenFlow], covered: usize) -> EdgeEvidence {
    let mut days: Vec<i32> = flows
        .iter()
        .flat_map(|flow| flow.days.iter().map(|day| day.day))
        .collect();
    days.sort_unstable();
    days.dedup();

    let mut ports: Vec<String> = flows
        .iter()
        .map(|flow| match flow.port {
            0 => protocol_text(flow.protocol).to_uppercase(),
            port => format!("{} {port}", protocol_text(flow.protocol).to_uppercase()),
        })
        .collect();
    ports.sort();
    ports.dedup();
    let more = ports.len().saturating_sub(PORTS_NAMED);
    ports.truncate(PORTS_NAMED);
    let mut named = ports.join(", ");
    if more > 0 {
        named = format!("{named} and {more} more");
    }

    let share = days.len() as f64 / covered.max(days.len()).max(1) as f64;
    let strength = if share >= MOST_DAYS && days.len() > 1 {
        EdgeStrength::Strong
    } else if share >= SOME_DAYS && days.len() > 1 {
        EdgeStrength::Moderate
    } else {
        EdgeStrength::Weak
    };
    let last = flows.iter().map(|flow| flow.counts.last_s).max();
    EdgeEvidence {
        source: EdgeSource::Flow,
        strength,
        detail: format!(
            "{named} on {} of {} days with records",
            days.len(),
            covered.max(days.len())
        ),
        last_at: last.and_then(|second| Timestamp::from_second(second).ok()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_flows::{CoverageDay, DayCoverage, FlowAction, FlowCounts, FlowDay};

    use super::*;

    fn flow(direction: FlowDirection, peer: &str, port: u16, days: &[i32]) -> SeenFlow {
        SeenFlow {
            direction,
            peer: peer.parse().unwrap(),
            protocol: 6,
            port,
            action: FlowAction::Accepted,
            days: days
                .iter()
                .map(|day| FlowDay {
                    day: *day,
                    flows: 1,
                })
                .collect(),
            counts: FlowCounts {
                last_s: 86_400,
                flows: 1,
                largest_packets: 10,
                ..FlowCounts::default()
            },
        }
    }

    #[test]
    fn the_side_that_opens_a_connection_needs_the_other_one() {
        let coverage = (0..7)
            .map(|day| CoverageDay {
                day,
                coverage: DayCoverage::default(),
            })
            .collect();
        let mut scan = flow(FlowDirection::Ingress, "203.0.113.1/32", 22, &[1]);
        scan.counts.largest_packets = 2;
        let seen = [InterfaceFlows {
            interface: "eni-1".to_owned(),
            flows: vec![
                flow(
                    FlowDirection::Ingress,
                    "198.51.100.1/32",
                    443,
                    &[0, 1, 2, 3, 4, 5],
                ),
                flow(FlowDirection::Ingress, "198.51.100.2/32", 443, &[6]),
                flow(FlowDirection::Egress, "10.0.0.9/32", 5432, &[1, 2]),
                flow(FlowDirection::Egress, "203.0.113.7/32", 443, &[1]),
                scan,
            ],
            coverage,
        }];
        let found = observed(&ResourceId::new("i-1"), &seen, &AddressIndex::default());
        let words: Vec<String> = found
            .iter()
            .map(|edge| {
                let (from, to) = (&edge.dependent.id, &edge.dependency.id);
                format!(
                    "{from} {to} {} {}",
                    edge.evidence.strength, edge.evidence.detail
                )
            })
            .collect();
        assert_eq!(
            words,
            [
                "i-1 10.0.0.9 moderate TCP 5432 on 2 of 7 days with records",
                "i-1 203.0.113.7 weak TCP 443 on 1 of 7 days with records",
                "internet i-1 strong TCP 443 on 7 of 7 days with records",
            ]
        );
    }
}
