//! Flows that a group's rules permitted, sorted into those to keep and those to cut.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use ipnet::IpNet;

use super::{GroupFacts, LeastSettings, RuleUse, TightRule, window};
use crate::peers::{is_conversation, is_public};
use crate::record::{FlowAction, FlowDirection};
use crate::rules::{FlowRule, RulePeer};
use crate::seen::SeenFlow;

/// Ports by which machines and data stores are administered: peers on the internet that talked to
/// them once are guesses of passwords rather than users.
const ADMIN_PORTS: [u16; 18] = [
    22, 23, 135, 139, 445, 1433, 1521, 2375, 3306, 3389, 5432, 5900, 5985, 5986, 6379, 9200, 11211,
    27017,
];
/// Days on which a peer on the internet must have used such a port to be kept.
const ADMIN_DAYS: usize = 3;
/// Factor of the longest time between two uses within which the next one may still come.
const OVERDUE: f64 = 1.5;

/// Present rules of a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide<'a> {
    pub(super) rules: &'a [FlowRule],
    pub(super) members: &'a HashMap<IpAddr, Vec<String>>,
}

impl<'a> Wide<'a> {
    /// Returns the security groups of a peer.
    pub(super) fn groups_of(&self, peer: &IpNet) -> &'a [String] {
        let is_address = peer.prefix_len() == peer.max_prefix_len();
        let known = is_address.then(|| self.members.get(&peer.addr())).flatten();
        known.map_or(&[], Vec::as_slice)
    }

    /// Returns the narrowest rule that permits a flow.
    pub(super) fn rule(&self, flow: &SeenFlow) -> Option<&'a FlowRule> {
        let groups = self.groups_of(&flow.peer);
        let permits = |rule: &&FlowRule| {
            rule.permits(flow.direction, flow.protocol, flow.port, &flow.peer, groups)
        };
        self.rules
            .iter()
            .filter(permits)
            .min_by_key(|rule| breadth(rule))
    }
}

/// Orders rules by what they permit: named groups, then networks by their size, then ports.
fn breadth(rule: &FlowRule) -> (u8, u8, u16) {
    let (kind, size) = match &rule.peer {
        RulePeer::Group(_) => (0, 0),
        RulePeer::Network(network) => (1, network.max_prefix_len() - network.prefix_len()),
        RulePeer::PrefixList(_) => (2, 0),
    };
    (kind, size, rule.to_port - rule.from_port)
}

/// Flow that the tight rules permit on.
#[derive(Debug)]
pub(super) struct KeptFlow<'a> {
    pub(super) flow: &'a SeenFlow,
    pub(super) within: &'a FlowRule,
    pub(super) reason: RuleUse,
}

/// Flow that the tight rules would refuse.
#[derive(Debug)]
pub(super) struct Cut<'a> {
    pub(super) flow: &'a SeenFlow,
    pub(super) within: &'a FlowRule,
    pub(super) reason: &'static str,
}

/// Flows that the group permits.
#[derive(Debug, Default)]
pub(super) struct Sorted<'a> {
    pub(super) kept: Vec<KeptFlow<'a>>,
    pub(super) cut: Vec<Cut<'a>>,
}

/// Sorts the accepted flows of a group's interfaces.
pub(super) fn sort<'a>(
    group: &GroupFacts<'a>,
    wide: &Wide<'a>,
    settings: &LeastSettings,
) -> Sorted<'a> {
    let (start, end) = window(settings);
    let mut sorted = Sorted::default();
    let flows = group.interfaces.iter().flat_map(|one| &one.flows);

    for flow in flows.filter(|flow| flow.action == FlowAction::Accepted) {
        let Some(within) = wide.rule(flow) else {
            continue;
        };
        let is_recent = flow.days.iter().any(|day| (start..=end).contains(&day.day));
        let reason = match scan(flow) {
            Some(reason) if is_recent => Err(reason),
            // Scans before the window are told to nobody.
            Some(_) => continue,
            None if is_recent => Ok(RuleUse::Seen),
            None if recurs(flow, end) => Ok(RuleUse::Recurring),
            None => Err("not_seen_lately"),
        };
        match reason {
            Ok(reason) => sorted.kept.push(KeptFlow {
                flow,
                within,
                reason,
            }),
            Err(reason) => sorted.cut.push(Cut {
                flow,
                within,
                reason,
            }),
        }
    }
    sorted
}

/// Returns the reason why a flow is no use of the group: a scan, or guesses at a port of
/// administration.
pub(crate) fn scan(flow: &SeenFlow) -> Option<&'static str> {
    if flow.direction == FlowDirection::Egress || !is_public(&flow.peer) {
        return None;
    }
    if !is_conversation(flow) {
        return Some("scan");
    }
    (is_admin(flow) && flow.days.len() < ADMIN_DAYS).then_some("admin_port")
}

pub(super) fn is_admin(flow: &SeenFlow) -> bool {
    flow.protocol == 6 && ADMIN_PORTS.contains(&flow.port)
}

/// Returns `true` if a flow of earlier days may come again: it has come at least twice, and is not
/// long overdue.
fn recurs(flow: &SeenFlow, today: i32) -> bool {
    let gaps = flow.days.windows(2).map(|pair| pair[1].day - pair[0].day);
    let (Some(longest), Some(last)) = (gaps.max(), flow.days.last()) else {
        return false;
    };
    f64::from(today - last.day) <= f64::from(longest) * OVERDUE
}

/// Returns the present rules with the flows that each permitted in the window.
pub(super) fn present(
    wide: &Wide<'_>,
    sorted: &Sorted<'_>,
    settings: &LeastSettings,
) -> Vec<TightRule> {
    let (start, end) = window(settings);
    wide.rules
        .iter()
        .map(|rule| {
            let kept = sorted.kept.iter().map(|kept| (kept.flow, kept.within));
            let cut = sorted.cut.iter().map(|cut| (cut.flow, cut.within));
            let own: Vec<&SeenFlow> = kept
                .chain(cut)
                .filter(|(_, within)| *within == rule)
                .map(|(flow, _)| flow)
                .collect();
            with_uses(rule.clone(), rule, RuleUse::Seen, &own, (start, end))
        })
        .collect()
}

/// Returns a rule with the counts of the flows that use it.
pub(super) fn with_uses(
    rule: FlowRule,
    within: &FlowRule,
    reason: RuleUse,
    flows: &[&SeenFlow],
    (start, end): (i32, i32),
) -> TightRule {
    let peers: HashSet<IpNet> = flows.iter().map(|flow| flow.peer).collect();
    let days: HashSet<i32> = flows
        .iter()
        .flat_map(|flow| &flow.days)
        .map(|day| day.day)
        .filter(|day| (start..=end).contains(day))
        .collect();

    TightRule {
        rule,
        reason,
        within: within.clone(),
        flows: flows.iter().map(|flow| flow.counts.records()).sum(),
        peers: peers.len() as u64,
        days: days.len() as u32,
        first_s: flows.iter().map(|flow| flow.counts.first_s).min(),
        last_s: flows.iter().map(|flow| flow.counts.last_s).max(),
    }
}
