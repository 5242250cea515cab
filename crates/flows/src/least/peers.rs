//! Kept flows as rules: peers put together within what the present rule permits.

use std::collections::{BTreeMap, BTreeSet};

use ipnet::IpNet;

use super::used::{KeptFlow, Wide, is_admin, with_uses};
use super::{GroupFacts, LeastSettings, RuleUse, TightRule, window};
use crate::peers::is_public;
use crate::record::FlowDirection;
use crate::rules::{FlowRule, RulePeer, has_ports, only};
use crate::seen::SeenFlow;

/// Peers on the internet from which on a rule serves the public: the next client has another
/// address.
const PUBLIC_PEERS: usize = 8;
/// Ports of one protocol and present rule from which on they are put together: a service that
/// chooses its port takes another one next time.
const MANY_PORTS: usize = 20;

/// Flows of one protocol, port range and present rule.
type Uses<'a> = BTreeMap<(&'a FlowRule, Option<u8>, u16, u16), Vec<&'a KeptFlow<'a>>>;

/// Returns the rules of a direction, at most `most`.
pub(super) fn rules(
    group: &GroupFacts<'_>,
    wide: &Wide<'_>,
    kept: &[KeptFlow<'_>],
    direction: FlowDirection,
    most: usize,
    settings: &LeastSettings,
) -> Vec<TightRule> {
    let window = window(settings);
    let uses = by_ports(kept, direction);
    let mut found: Vec<TightRule> = Vec::new();

    for ((within, protocol, from_port, to_port), flows) in &uses {
        for (peer, reason, seen) in peers(group, wide, within, flows) {
            let rule = FlowRule {
                direction,
                protocol: *protocol,
                from_port: *from_port,
                to_port: *to_port,
                peer,
            };
            found.push(with_uses(rule, within, reason, &seen, window));
        }
    }

    // A prefix list may permit what no flow shows.
    let unread = group
        .rules
        .iter()
        .filter(|rule| rule.direction == direction && matches!(rule.peer, RulePeer::PrefixList(_)));
    found.extend(unread.map(|rule| with_uses(rule.clone(), rule, RuleUse::Unread, &[], window)));

    widen(found, &uses, most, window)
}

/// Groups kept flows by present rule, protocol and port; many ports of a rule become one range.
fn by_ports<'a>(kept: &'a [KeptFlow<'a>], direction: FlowDirection) -> Uses<'a> {
    let mut uses = Uses::new();
    let own = kept.iter().filter(|kept| {
        kept.flow.direction == direction && !matches!(kept.within.peer, RulePeer::PrefixList(_))
    });
    for kept in own {
        let flow = kept.flow;
        let (from, to) = match has_ports(flow.protocol) {
            true => (flow.port, flow.port),
            false => (0, u16::MAX),
        };
        let key = (kept.within, Some(flow.protocol), from, to);
        uses.entry(key).or_default().push(kept);
    }

    let mut ports: BTreeMap<(&FlowRule, Option<u8>), BTreeSet<u16>> = BTreeMap::new();
    for (within, protocol, from, _) in uses.keys() {
        let high = ports.entry((within, *protocol)).or_default();
        if *from >= 1024 {
            high.insert(*from);
        }
    }
    for ((within, protocol), high) in ports {
        let (Some(first), Some(last)) = (high.first(), high.last()) else {
            continue;
        };
        if high.len() <= MANY_PORTS {
            continue;
        }
        // Of the ports that the present rule permits.
        let range = ((*first).min(within.to_port).max(1024), *last);
        let mut together = Vec::new();
        for port in &high {
            together.extend(
                uses.remove(&(within, protocol, *port, *port))
                    .into_iter()
                    .flatten(),
            );
        }
        uses.insert((within, protocol, range.0, range.1), together);
    }
    uses
}

/// Peers of a rule, the reason for it, and the flows that use it.
type PeerUse<'a> = (RulePeer, RuleUse, Vec<&'a SeenFlow>);

/// Returns the peers of flows that a present rule permits.
fn peers<'a>(
    group: &GroupFacts<'_>,
    wide: &Wide<'_>,
    within: &FlowRule,
    kept: &[&'a KeptFlow<'a>],
) -> Vec<PeerUse<'a>> {
    let all = |reason| {
        (
            within.peer.clone(),
            reason,
            kept.iter().map(|kept| kept.flow).collect(),
        )
    };
    let RulePeer::Network(network) = &within.peer else {
        return vec![all(reason(kept))];
    };

    let (public, private): (Vec<&KeptFlow<'_>>, Vec<&KeptFlow<'_>>) =
        kept.iter().partition(|kept| is_public(&kept.flow.peer));
    let mut found: BTreeMap<RulePeer, Vec<&'a KeptFlow<'a>>> = BTreeMap::new();

    let common = common_group(wide, network, &private);
    for kept in private {
        let peer = match &common {
            Some(id) => RulePeer::Group(id.clone()),
            None => RulePeer::Network(subnet_of(group, network, &kept.flow.peer)),
        };
        found.entry(peer).or_default().push(kept);
    }

    let clients: BTreeSet<IpNet> = public.iter().map(|kept| kept.flow.peer).collect();
    let is_many = clients
        .iter()
        .any(|peer| peer.prefix_len() < peer.max_prefix_len())
        || clients.len() >= PUBLIC_PEERS;
    // Addresses behind a name change, so that destinations on the internet are never told apart.
    let is_outbound = within.direction == FlowDirection::Egress;
    let is_public_use = is_outbound || (is_many && !public.iter().any(|kept| is_admin(kept.flow)));
    let mut peers = Vec::new();
    if is_public_use && !public.is_empty() {
        let flows = public.iter().map(|kept| kept.flow).collect();
        peers.push((within.peer.clone(), RuleUse::Public, flows));
    } else {
        for kept in public {
            let peer = RulePeer::Network(kept.flow.peer);
            found.entry(peer).or_default().push(kept);
        }
    }

    peers.extend(found.into_iter().map(|(peer, kept)| {
        let flows = kept.iter().map(|kept| kept.flow).collect();
        (peer, reason(&kept), flows)
    }));
    peers
}

/// Returns the reason to keep flows: one that was seen lately decides.
fn reason(kept: &[&KeptFlow<'_>]) -> RuleUse {
    let is_seen = kept.iter().any(|kept| kept.reason == RuleUse::Seen);
    if is_seen {
        RuleUse::Seen
    } else {
        RuleUse::Recurring
    }
}

/// Returns a security group that all peers have and whose members the present rule permits.
fn common_group(wide: &Wide<'_>, network: &IpNet, kept: &[&KeptFlow<'_>]) -> Option<String> {
    let mut peers = kept.iter().map(|kept| wide.groups_of(&kept.flow.peer));
    let first: BTreeSet<&String> = peers.next()?.iter().collect();
    let common = peers.fold(first, |common, groups| {
        common
            .into_iter()
            .filter(|id| groups.contains(id))
            .collect()
    });

    let is_within = |id: &&String| {
        let mut members = wide
            .members
            .iter()
            .filter(|(_, groups)| groups.contains(id));
        members.all(|(address, _)| network.contains(&only(*address)))
    };
    common.into_iter().find(is_within).cloned()
}

/// Returns the subnet of a peer where the present rule permits all of it; else the peer alone.
fn subnet_of(group: &GroupFacts<'_>, network: &IpNet, peer: &IpNet) -> IpNet {
    let subnets = group.subnets.iter();
    let own = subnets.filter(|subnet| subnet.contains(peer) && network.contains(*subnet));
    own.max_by_key(|subnet| subnet.prefix_len())
        .copied()
        .unwrap_or(*peer)
}

/// Puts the peers of the ports with the most rules together until the rules are few enough.
fn widen(
    mut found: Vec<TightRule>,
    uses: &Uses<'_>,
    most: usize,
    window: (i32, i32),
) -> Vec<TightRule> {
    while found.len() > most {
        let mut counts: BTreeMap<(&FlowRule, Option<u8>, u16, u16), usize> = BTreeMap::new();
        for tight in &found {
            let FlowRule {
                protocol,
                from_port,
                to_port,
                ..
            } = tight.rule;
            *counts
                .entry((&tight.within, protocol, from_port, to_port))
                .or_default() += 1;
        }
        let Some((key, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
            break;
        };
        if count < 2 {
            break;
        }

        let (within, protocol, from_port, to_port) = (key.0.clone(), key.1, key.2, key.3);
        found.retain(|tight| {
            let rule = &tight.rule;
            (&tight.within, rule.protocol, rule.from_port, rule.to_port)
                != (&within, protocol, from_port, to_port)
        });
        let kept = uses.get(&(&within, protocol, from_port, to_port));
        let kept = kept.map_or(&[][..], Vec::as_slice);
        let flows: Vec<&SeenFlow> = kept.iter().map(|kept| kept.flow).collect();
        let rule = FlowRule {
            protocol,
            from_port,
            to_port,
            ..within.clone()
        };
        found.push(with_uses(rule, &within, reason(kept), &flows, window));
    }
    found
}
