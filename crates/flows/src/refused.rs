//! Harm of tight rules: flows that they cut, before and after the wide group is gone.
//!
//! Members of groups that rules name change while a change is watched, so that such a rule is taken
//! to permit every private peer: what it refuses all the same shows as a refused flow.

use std::collections::HashSet;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::least::scan;
use crate::peers::is_public;
use crate::record::{FlowAction, FlowDirection};
use crate::rules::{FlowRule, RulePeer, protocol_text};
use crate::seen::{InterfaceFlows, SeenFlow};

/// Flow that the tight rules take away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    pub interface: String,
    /// Flow in words, such as `tcp 443 from 10.0.0.7/32`.
    pub flow: String,
    /// Unix time of its last packet, seconds.
    pub last_s: i64,
}

/// Returns the accepted flows that the wide rules permit and the tight ones do not. Scans are none.
#[must_use]
pub fn cut_by(wide: &[FlowRule], tight: &[FlowRule], seen: &[InterfaceFlows]) -> Vec<Harm> {
    harms(seen, |flow| {
        flow.action == FlowAction::Accepted
            && scan(flow).is_none()
            && is_permitted(wide, flow)
            && !is_permitted(tight, flow)
    })
}

/// Returns the refused flows that were permitted before: those with an accepted use `before`, and
/// those of private peers that a network of the wide rules permits.
#[must_use]
pub fn refused_before(
    wide: &[FlowRule],
    before: &[InterfaceFlows],
    seen: &[InterfaceFlows],
) -> Vec<Harm> {
    let used: HashSet<(FlowDirection, u8, u16, IpNet)> = before
        .iter()
        .flat_map(|one| &one.flows)
        .filter(|flow| flow.action == FlowAction::Accepted && scan(flow).is_none())
        .map(key)
        .collect();
    let networks: Vec<FlowRule> = wide
        .iter()
        .filter(|rule| matches!(rule.peer, RulePeer::Network(_)))
        .cloned()
        .collect();

    harms(seen, |flow| {
        let was_used = used.contains(&key(flow)) && is_permitted(wide, flow);
        let would_pass = !is_public(&flow.peer) && is_permitted(&networks, flow);
        flow.action == FlowAction::Refused && (was_used || would_pass)
    })
}

fn key(flow: &SeenFlow) -> (FlowDirection, u8, u16, IpNet) {
    (flow.direction, flow.protocol, flow.port, flow.peer)
}

fn is_permitted(rules: &[FlowRule], flow: &SeenFlow) -> bool {
    rules.iter().any(|rule| {
        let groups = match &rule.peer {
            RulePeer::Group(id) if !is_public(&flow.peer) => std::slice::from_ref(id),
            _ => &[],
        };
        rule.permits(flow.direction, flow.protocol, flow.port, &flow.peer, groups)
    })
}

fn harms(seen: &[InterfaceFlows], is_harm: impl Fn(&SeenFlow) -> bool) -> Vec<Harm> {
    let mut found = Vec::new();
    for one in seen {
        let own = one.flows.iter().filter(|flow| is_harm(flow));
        found.extend(own.map(|flow| Harm {
            interface: one.interface.clone(),
            flow: words(flow),
            last_s: flow.counts.last_s,
        }));
    }
    found
}

fn words(flow: &SeenFlow) -> String {
    let (protocol, port, peer) = (protocol_text(flow.protocol), flow.port, flow.peer);
    match flow.direction {
        FlowDirection::Ingress => format!("{protocol} {port} from {peer}"),
        FlowDirection::Egress => format!("{protocol} {port} to {peer}"),
    }
}
