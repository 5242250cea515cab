//! Least rules of a security group: what was used over a learning window, and no more.
//!
//! Only flows that a rule of the group permits are looked at; what another group of an interface
//! permits is none of it. A flow is kept if it was seen in the window, or recurs rarely enough that
//! the window may have missed it. Scans from the internet are cut, and shown. Peers are put together
//! only within what the present rule permits, so that no rule is wider than before.
//!
//! Nothing is concluded without coverage: each interface must have records of the whole window, or
//! of every day since its first.

mod peers;
mod used;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::record::FlowDirection;
use crate::rules::FlowRule;
use crate::seen::{InterfaceFlows, SeenFlow};

use used::Wide;
pub(crate) use used::scan;

/// Rules of one direction that AWS permits a group, by default.
const MOST_RULES: usize = 60;
/// Cut flows that are told one by one.
const MOST_CUT: usize = 50;
/// Interfaces whose coverage is told.
const MOST_INTERFACES: usize = 20;
/// Share of the days of a window that must be covered, of each interface.
const COVERED: f64 = 0.95;

/// Facts about a group that its judgement reads.
#[derive(Debug)]
pub struct GroupFacts<'a> {
    pub rules: &'a [FlowRule],
    /// Interfaces that have the group, with their accepted flows as far back as they are kept.
    pub interfaces: &'a [InterfaceFlows],
    /// Security groups by the address of an interface that has them.
    pub members: &'a HashMap<IpAddr, Vec<String>>,
    /// Networks of the subnets.
    pub subnets: &'a [IpNet],
}

/// Settings of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeastSettings {
    /// Days of the learning window.
    pub window_days: u32,
    /// The present day, which is not part of the window.
    pub today: i32,
}

/// Reason why no rules were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstained {
    /// Stable name of the reason, such as `no_coverage`.
    pub code: &'static str,
    pub detail: String,
    /// `true` if the group was judged and needs no other rules.
    pub is_decided: bool,
}

reeve_estate::named!(
    /// Reason why a rule is kept.
    RuleUse {
        /// Its flows were seen in the window.
        Seen => "seen",
        /// Its flows recur so rarely that the window may miss them.
        Recurring => "recurring",
        /// Its peers are many and on the internet: it serves the public.
        Public => "public",
        /// Its peers are not read, so it stays as it is.
        Unread => "unread",
    }
);

/// Rule that a group needs, with the use that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TightRule {
    pub rule: FlowRule,
    pub reason: RuleUse,
    /// Present rule that permits the same.
    pub within: FlowRule,
    pub flows: u64,
    /// Peers that used it.
    pub peers: u64,
    /// Days with flows in the window.
    pub days: u32,
    /// Unix time of its first flow, seconds.
    pub first_s: Option<i64>,
    /// Unix time of its last flow, seconds.
    pub last_s: Option<i64>,
}

/// Flow that the tight rules refuse and that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutFlow {
    pub direction: FlowDirection,
    pub peer: String,
    pub protocol: String,
    pub port: u16,
    /// `scan`, `admin_port` or `not_seen_lately`.
    pub reason: String,
    pub flows: u64,
    pub bytes: u64,
    pub days: u32,
    /// Unix time of its last packet, seconds.
    pub last_s: i64,
}

/// Flows of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DayCount {
    /// Days since 1970 (UTC).
    pub day: i32,
    pub kept: u64,
    pub cut: u64,
    /// Interfaces with records of the whole day.
    pub covered: u32,
}

/// Coverage of an interface in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceCoverage {
    pub interface: String,
    /// Days of the window with records of the whole day.
    pub covered_days: u32,
    /// First day with records, in days since 1970 (UTC).
    pub first_day: Option<i32>,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
}

/// Least rules of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeastRules {
    pub window_days: u32,
    pub rules: Vec<TightRule>,
    /// Present rules, and the flows that each permitted in the window.
    pub present: Vec<TightRule>,
    /// Flows that would be cut, the most recent first.
    pub cut: Vec<CutFlow>,
    /// Number of flows that would be cut.
    pub cut_total: u64,
    /// Flows by day of the window, in order.
    pub days: Vec<DayCount>,
    /// Coverage of the interfaces, the least covered first.
    pub interfaces: Vec<InterfaceCoverage>,
    /// Number of interfaces that have the group.
    pub interfaces_total: u64,
}

/// Returns the least rules of a group.
///
/// # Errors
/// [`Abstained`]: coverage or traffic is missing, or the group is tight already.
pub fn least_rules(
    group: &GroupFacts<'_>,
    settings: &LeastSettings,
) -> Result<LeastRules, Abstained> {
    let window = window(settings);
    let interfaces = coverage(group, settings)?;
    let wide = Wide {
        rules: group.rules,
        members: group.members,
    };
    let sorted = used::sort(group, &wide, settings);
    if sorted.kept.is_empty() {
        return Err(open(
            "no_traffic",
            format!(
                "the flow logs of {} days have no accepted flow that needs the group: zero hits do not prove that nothing needs it",
                settings.window_days
            ),
        ));
    }

    let mut rules = Vec::new();
    for direction in [FlowDirection::Ingress, FlowDirection::Egress] {
        rules.extend(peers::rules(
            group,
            &wide,
            &sorted.kept,
            direction,
            MOST_RULES,
            settings,
        ));
    }
    rules.sort_by(|a, b| a.rule.cmp(&b.rule));

    let tight: Vec<&FlowRule> = rules.iter().map(|tight| &tight.rule).collect();
    if group.rules.iter().all(|rule| tight.contains(&rule)) {
        return Err(Abstained {
            code: "tight_already",
            detail: format!(
                "each of its {} rules was used in the last {} days, by the peers and ports that it names",
                group.rules.len(),
                settings.window_days
            ),
            is_decided: true,
        });
    }

    // What another flow's rule permits as well is not cut.
    let mut sorted = sorted;
    sorted.cut.retain(|cut| {
        let groups = wide.groups_of(&cut.flow.peer);
        let mut kept = tight.iter();
        !kept.any(|rule| {
            let flow = cut.flow;
            rule.permits(flow.direction, flow.protocol, flow.port, &flow.peer, groups)
        })
    });

    let present = used::present(&wide, &sorted, settings);
    Ok(LeastRules {
        window_days: settings.window_days,
        present,
        rules,
        days: days(group, &sorted, window),
        cut_total: sorted.cut.len() as u64,
        cut: cut_flows(sorted.cut),
        interfaces_total: interfaces.len() as u64,
        interfaces: least_covered(interfaces),
    })
}

fn least_covered(mut interfaces: Vec<InterfaceCoverage>) -> Vec<InterfaceCoverage> {
    interfaces.sort_by_key(|one| one.covered_days);
    interfaces.truncate(MOST_INTERFACES);
    interfaces
}

/// Returns the first day of the window and the day after its last.
fn window(settings: &LeastSettings) -> (i32, i32) {
    let days = i32::try_from(settings.window_days).unwrap_or(i32::MAX);
    (settings.today.saturating_sub(days), settings.today)
}

fn open(code: &'static str, detail: String) -> Abstained {
    Abstained {
        code,
        detail,
        is_decided: false,
    }
}

/// Returns the coverage of each interface, if it is enough to conclude from.
fn coverage(
    group: &GroupFacts<'_>,
    settings: &LeastSettings,
) -> Result<Vec<InterfaceCoverage>, Abstained> {
    if group.interfaces.is_empty() {
        return Err(open(
            "no_interface",
            "no network interface has the group".to_owned(),
        ));
    }

    let (start, end) = window(settings);
    let found: Vec<InterfaceCoverage> = group
        .interfaces
        .iter()
        .map(|interface| {
            let within = interface
                .coverage
                .iter()
                .filter(|day| (start..end).contains(&day.day));
            InterfaceCoverage {
                interface: interface.interface.clone(),
                covered_days: within.clone().filter(|day| day.is_covered()).count() as u32,
                first_day: interface.coverage.first().map(|day| day.day),
                skipped: within.map(|day| day.coverage.skipped).sum(),
            }
        })
        .collect();

    if let Some(none) = found.iter().find(|one| one.covered_days == 0) {
        return Err(open(
            "no_coverage",
            format!(
                "no flow log covers the network interface {}, so nothing is known of its traffic",
                none.interface
            ),
        ));
    }

    for one in &found {
        // An interface that is younger than the window is covered since its first whole day.
        let first = one
            .first_day
            .map_or(start, |day| (day + 1).clamp(start, end - 1));
        let expected = f64::from(end - first) * COVERED;
        if f64::from(one.covered_days) < expected.floor() {
            return Err(open(
                "gaps_in_coverage",
                format!(
                    "the network interface {} has records of {} of the last {} days",
                    one.interface,
                    one.covered_days,
                    end - first
                ),
            ));
        }
    }

    let most = found.iter().map(|one| one.covered_days).max().unwrap_or(0);
    if f64::from(most) < (f64::from(settings.window_days) * COVERED).floor() {
        return Err(open(
            "window_not_over",
            format!(
                "flow logs cover {most} of the {} days of the learning window",
                settings.window_days
            ),
        ));
    }
    Ok(found)
}

/// Returns the flows of each day of the window.
fn days(
    group: &GroupFacts<'_>,
    sorted: &used::Sorted<'_>,
    (start, end): (i32, i32),
) -> Vec<DayCount> {
    let mut days: BTreeMap<i32, DayCount> = (start..end)
        .map(|day| {
            let count = DayCount {
                day,
                ..DayCount::default()
            };
            (day, count)
        })
        .collect();

    let kept = sorted.kept.iter().map(|kept| (kept.flow, true));
    let cut = sorted.cut.iter().map(|cut| (cut.flow, false));
    for (flow, is_kept) in kept.chain(cut) {
        for seen in &flow.days {
            if let Some(count) = days.get_mut(&seen.day) {
                let field = if is_kept {
                    &mut count.kept
                } else {
                    &mut count.cut
                };
                *field += seen.flows;
            }
        }
    }

    for covered in group.interfaces.iter().flat_map(|one| &one.coverage) {
        if let Some(count) = days.get_mut(&covered.day) {
            count.covered += u32::from(covered.is_covered());
        }
    }
    days.into_values().collect()
}

fn cut_flows(mut cut: Vec<used::Cut<'_>>) -> Vec<CutFlow> {
    cut.sort_by_key(|cut| std::cmp::Reverse(cut.flow.counts.last_s));
    cut.truncate(MOST_CUT);
    cut.iter()
        .map(|cut| cut_flow(cut.flow, cut.reason))
        .collect()
}

fn cut_flow(flow: &SeenFlow, reason: &str) -> CutFlow {
    CutFlow {
        direction: flow.direction,
        peer: flow.peer.to_string(),
        protocol: crate::rules::protocol_text(flow.protocol),
        port: flow.port,
        reason: reason.to_owned(),
        flows: flow.counts.records(),
        bytes: flow.counts.bytes,
        days: flow.days.len() as u32,
        last_s: flow.counts.last_s,
    }
}

#[cfg(test)]
mod tests;
