//! Least rules on made-up traffic: learned on ninety days, evaluated on thirty that were held out.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr};

use super::*;
use crate::aggregate::{Aggregator, FlowBatch};
use crate::record::{FlowAction, FlowFormat};
use crate::rules::RulePeer;
use crate::seen::CoverageDay;
use crate::sums::{FlowCounts, first_second};

const OWN: &str = "10.0.0.4";
const TODAY: i32 = 90;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) as u32) % bound
    }

    fn public(&mut self) -> Ipv4Addr {
        Ipv4Addr::new(
            203,
            self.below(200) as u8,
            self.below(250) as u8,
            1 + self.below(250) as u8,
        )
    }
}

/// Connection of a day, by the side that opened it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Opened {
    direction: FlowDirection,
    peer: Ipv4Addr,
    port: u16,
    packets: u64,
    is_legitimate: bool,
}

fn traffic(day: i32, random: &mut Random) -> Vec<Opened> {
    use FlowDirection::{Egress, Ingress};
    let one = |direction, peer, port, packets, is_legitimate| Opened {
        direction,
        peer,
        port,
        packets,
        is_legitimate,
    };
    let private = |third: u8, fourth: u8| Ipv4Addr::new(10, 0, third, fourth);

    let mut opened = vec![
        one(Egress, private(2, 5), 5432, 60, true),
        one(Egress, random.public(), 443, 30, true),
    ];
    for _ in 0..5 {
        let client = private(1, 1 + random.below(250) as u8);
        opened.push(one(Ingress, client, 8080, 12, true));
        opened.push(one(Ingress, random.public(), 443, 9, true));
        // Guesses of ports and passwords.
        opened.push(one(
            Ingress,
            random.public(),
            22,
            1 + u64::from(random.below(3)),
            false,
        ));
        opened.push(one(
            Ingress,
            random.public(),
            random.below(60_000) as u16,
            1,
            false,
        ));
    }
    opened.push(one(Ingress, random.public(), 22, 25, false));
    if day % 7 == 1 {
        opened.push(one(Ingress, Ipv4Addr::new(198, 51, 100, 7), 22, 400, true));
    }
    // A job every forty days, last before the window of thirty.
    if day % 40 == 10 {
        opened.push(one(Ingress, private(9, 9), 9000, 40, true));
    }
    if day % 30 == 5 {
        opened.push(one(Egress, private(7, 7), 2049, 40, true));
    }
    opened
}

/// Returns the lines of a day's connections, with those of the answers and of quiet hours.
fn lines(day: i32, opened: &[Opened], random: &mut Random) -> Vec<String> {
    let start = first_second(day);
    let mut lines: Vec<String> = (0..24)
        .map(|hour| {
            let at = start + hour * 3600;
            format!("2 1 eni-1 - - - - - - - {at} {} - NODATA", at + 60)
        })
        .collect();
    for one in opened {
        let at = start + i64::from(random.below(86_000));
        let client = 32_768 + random.below(28_000);
        let (source, destination) = match one.direction {
            FlowDirection::Ingress => (one.peer.to_string(), OWN.to_owned()),
            FlowDirection::Egress => (OWN.to_owned(), one.peer.to_string()),
        };
        let (port, packets, end) = (one.port, one.packets, at + 50);
        // The group refuses what it does not permit, and then nothing answers.
        let is_refused = !one.is_legitimate && port != 22;
        let action = if is_refused { "REJECT" } else { "ACCEPT" };
        lines.push(format!(
            "2 1 eni-1 {source} {destination} {client} {port} 6 {packets} 900 {at} {end} {action} OK"
        ));
        if is_refused {
            continue;
        }
        lines.push(format!(
            "2 1 eni-1 {destination} {source} {port} {client} 6 {packets} 900 {at} {end} ACCEPT OK"
        ));
    }
    lines
}

fn learned(days: impl Iterator<Item = i32>, random: &mut Random) -> InterfaceFlows {
    let own = [("eni-1".to_owned(), vec![OWN.parse().unwrap()])].into();
    let mut aggregator = Aggregator::new(&own);
    for day in days {
        let opened = traffic(day, random);
        for line in lines(day, &opened, random) {
            aggregator.add(FlowFormat::default().line(&line).unwrap());
        }
    }
    seen(aggregator.take())
}

fn seen(batch: FlowBatch) -> InterfaceFlows {
    let mut flows = BTreeMap::new();
    for (key, counts) in batch.flows {
        let at = (key.direction, key.peer, key.protocol, key.port, key.action);
        flows
            .entry(at)
            .or_insert_with(|| SeenFlow {
                direction: key.direction,
                peer: key.peer,
                protocol: key.protocol,
                port: key.port,
                action: key.action,
                days: Vec::new(),
                counts: FlowCounts::default(),
            })
            .add(key.day, &counts);
    }
    InterfaceFlows {
        interface: "eni-1".to_owned(),
        flows: flows.into_values().collect(),
        coverage: batch
            .coverage
            .into_iter()
            .map(|((_, day), coverage)| CoverageDay { day, coverage })
            .collect(),
    }
}

fn rules(texts: &[&str]) -> Vec<FlowRule> {
    texts
        .iter()
        .map(|text| FlowRule::parse(text).unwrap())
        .collect()
}

fn wide() -> Vec<FlowRule> {
    rules(&[
        "ingress tcp 0-65535 10.0.0.0/8",
        "ingress tcp 22-22 0.0.0.0/0",
        "ingress tcp 443-443 0.0.0.0/0",
        "egress all 0-65535 0.0.0.0/0",
    ])
}

fn members() -> HashMap<IpAddr, Vec<String>> {
    [("10.0.2.5".parse().unwrap(), vec!["sg-data".to_owned()])].into()
}

fn judged(wide: &[FlowRule], interfaces: &[InterfaceFlows]) -> Result<LeastRules, Abstained> {
    let subnets = [
        "10.0.1.0/24".parse().unwrap(),
        "10.0.2.0/24".parse().unwrap(),
    ];
    least_rules(
        &GroupFacts {
            rules: wide,
            interfaces,
            members: &members(),
            subnets: &subnets,
        },
        &LeastSettings {
            window_days: 30,
            today: TODAY,
        },
    )
}

#[test]
fn rules_of_ninety_days_permit_the_thirty_that_were_held_out() {
    let mut random = Random(7);
    let interface = learned(0..TODAY, &mut random);
    let found = judged(&wide(), &[interface]).unwrap();
    let texts: Vec<String> = found.rules.iter().map(|one| one.rule.to_string()).collect();
    assert_eq!(
        texts,
        [
            "ingress tcp 22-22 198.51.100.7/32",
            "ingress tcp 443-443 0.0.0.0/0",
            "ingress tcp 8080-8080 10.0.1.0/24",
            "ingress tcp 9000-9000 10.0.9.9/32",
            "egress tcp 443-443 0.0.0.0/0",
            "egress tcp 2049-2049 10.0.7.7/32",
            "egress tcp 5432-5432 sg-data",
        ]
    );
    let job = &found.rules[3];
    assert_eq!((job.reason, job.days), (RuleUse::Recurring, 0));

    let (mut legitimate, mut cut, mut unwanted, mut let_in) = (0, 0, 0, 0);
    let members = members();
    for day in TODAY..TODAY + 30 {
        for one in traffic(day, &mut random) {
            let peer = IpNet::from(IpAddr::from(one.peer));
            let groups = members.get(&peer.addr()).map_or(&[][..], Vec::as_slice);
            let is_permitted = found.rules.iter().any(|tight| {
                tight
                    .rule
                    .permits(one.direction, 6, one.port, &peer, groups)
            });
            match one.is_legitimate {
                true => (legitimate, cut) = (legitimate + 1, cut + i32::from(!is_permitted)),
                false => (unwanted, let_in) = (unwanted + 1, let_in + i32::from(is_permitted)),
            }
        }
    }
    assert_eq!((cut, let_in), (0, 0), "of {legitimate} and {unwanted}");
    assert!(legitimate > 300 && unwanted > 300);
}

#[test]
fn what_is_cut_is_told_with_its_last_time() {
    let interface = learned(0..TODAY, &mut Random(11));
    let found = judged(&wide(), &[interface]).unwrap();
    assert!(found.cut_total > 100, "{}", found.cut_total);
    assert!(found.cut.len() <= MOST_CUT);
    assert!(found.cut.iter().all(|cut| cut.port == 22));
    assert!(found.cut.iter().any(|cut| cut.reason == "admin_port"));
    assert!(
        found
            .cut
            .windows(2)
            .all(|pair| pair[0].last_s >= pair[1].last_s)
    );

    assert_eq!(found.days.len(), 30);
    assert!(
        found
            .days
            .iter()
            .all(|day| day.covered == 1 && day.kept > 0 && day.cut > 0)
    );
    let open = found
        .present
        .iter()
        .find(|present| present.rule.to_string() == "ingress tcp 22-22 0.0.0.0/0")
        .unwrap();
    assert!(open.flows > 0 && open.peers > 100);
}

#[test]
fn without_coverage_nothing_is_concluded() {
    let whole = learned(0..TODAY, &mut Random(3));
    let code = |interfaces: &[InterfaceFlows]| judged(&wide(), interfaces).unwrap_err().code;
    assert_eq!(code(&[]), "no_interface");

    let silent = InterfaceFlows {
        interface: "eni-2".to_owned(),
        ..InterfaceFlows::default()
    };
    assert_eq!(code(&[whole.clone(), silent]), "no_coverage");

    let mut gap = whole.clone();
    gap.coverage.retain(|day| !(70..75).contains(&day.day));
    assert_eq!(code(&[gap]), "gaps_in_coverage");

    let mut skipped = whole.clone();
    for day in skipped.coverage.iter_mut().filter(|day| day.day > 80) {
        day.coverage.skipped = 1;
    }
    assert_eq!(code(&[skipped]), "gaps_in_coverage");

    let mut short = whole.clone();
    short.coverage.retain(|day| day.day > 75);
    assert_eq!(code(&[short]), "window_not_over");

    let mut idle = whole;
    idle.flows.clear();
    assert_eq!(code(&[idle]), "no_traffic");
}

#[test]
fn a_group_that_is_tight_stays() {
    let interface = learned(0..TODAY, &mut Random(5));
    let found = judged(&wide(), std::slice::from_ref(&interface)).unwrap();
    let tight: Vec<FlowRule> = found.rules.into_iter().map(|tight| tight.rule).collect();
    let again = judged(&tight, &[interface]).unwrap_err();
    assert_eq!((again.code, again.is_decided), ("tight_already", true));
}

#[test]
fn groups_and_prefix_lists_stay_what_they_are() {
    let interface = learned(0..TODAY, &mut Random(5));
    let wide = rules(&[
        "ingress tcp 8000-9000 10.0.1.0/24",
        "egress tcp 0-65535 sg-data",
        "egress tcp 443-443 pl-1",
    ]);
    let found = judged(&wide, &[interface]).unwrap();
    let kept: Vec<(String, RuleUse)> = found
        .rules
        .iter()
        .map(|one| (one.rule.to_string(), one.reason))
        .collect();
    assert_eq!(
        kept,
        [
            (
                "ingress tcp 8080-8080 10.0.1.0/24".to_owned(),
                RuleUse::Seen
            ),
            ("egress tcp 443-443 pl-1".to_owned(), RuleUse::Unread),
            ("egress tcp 5432-5432 sg-data".to_owned(), RuleUse::Seen),
        ]
    );
}

#[test]
fn many_chosen_ports_become_one_range_within_the_rule() {
    let mut interface = learned(0..TODAY, &mut Random(5));
    let template = interface.flows[0].clone();
    for port in (40_000..40_060).step_by(2) {
        interface.flows.push(SeenFlow {
            direction: FlowDirection::Ingress,
            peer: "10.0.1.9/32".parse().unwrap(),
            port,
            action: FlowAction::Accepted,
            protocol: 6,
            ..template.clone()
        });
    }
    let wide = rules(&["ingress tcp 30000-50000 10.0.0.0/8"]);
    let found = judged(&wide, &[interface]).unwrap();
    let texts: Vec<String> = found.rules.iter().map(|one| one.rule.to_string()).collect();
    assert_eq!(texts, ["ingress tcp 40000-40058 10.0.1.0/24"]);
}

#[test]
fn too_many_peers_are_put_together_within_the_present_rule() {
    let mut interface = learned(0..TODAY, &mut Random(5));
    let template = interface.flows[0].clone();
    for peer in 1..100 {
        interface.flows.push(SeenFlow {
            direction: FlowDirection::Ingress,
            peer: IpNet::from(IpAddr::from([10, 3, peer, 1])),
            port: 6000,
            action: FlowAction::Accepted,
            protocol: 6,
            ..template.clone()
        });
    }
    let found = judged(&wide(), &[interface]).unwrap();
    let of_port: Vec<String> = found
        .rules
        .iter()
        .filter(|one| one.rule.from_port == 6000)
        .map(|one| one.rule.to_string())
        .collect();
    assert_eq!(of_port, ["ingress tcp 6000-6000 10.0.0.0/8"]);
}

#[test]
fn harm_is_what_the_wide_rules_permitted_and_was_used() {
    let before = learned(0..TODAY, &mut Random(5));
    let tight = rules(&["ingress tcp 443-443 0.0.0.0/0"]);
    let flow = |peer: &str, port| SeenFlow {
        direction: FlowDirection::Ingress,
        peer: peer.parse().unwrap(),
        protocol: 6,
        port,
        action: FlowAction::Refused,
        ..before.flows[0].clone()
    };
    let refused = InterfaceFlows {
        interface: "eni-1".to_owned(),
        flows: vec![
            flow("10.0.1.7/32", 8080),
            flow("198.51.100.7/32", 22),
            // A scanner, and a port that the wide rules did not permit either.
            flow("203.0.113.200/32", 22),
            flow("203.0.113.201/32", 8443),
        ],
        coverage: Vec::new(),
    };
    let before = std::slice::from_ref(&before);
    let harms = crate::refused_before(&wide(), before, &[refused]);
    let flows: Vec<&str> = harms.iter().map(|harm| harm.flow.as_str()).collect();
    assert_eq!(
        flows,
        ["tcp 8080 from 10.0.1.7/32", "tcp 22 from 198.51.100.7/32"]
    );
    assert!(harms.iter().all(|harm| harm.interface == "eni-1"));
    assert!(RulePeer::Group("sg-1".into()) < RulePeer::PrefixList("pl-1".into()));

    let cut = crate::cut_by(&wide(), &tight, before);
    assert!(
        cut.iter()
            .any(|harm| harm.flow == "tcp 9000 from 10.0.9.9/32")
    );
    assert!(!cut.iter().any(|harm| harm.flow.starts_with("tcp 443 from")));
}
