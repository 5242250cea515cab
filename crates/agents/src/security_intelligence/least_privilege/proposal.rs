//! Least rules as a proposal: what is kept, what would be cut, and what that rests on.

use jiff::Timestamp;
use reeve_estate::Resource;
use reeve_flows::{FlowDirection, FlowRule, LeastRules, RulePeer, TightRule, is_public};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::TightenGroup;
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use reeve_recommend::words::{first_of, minute};

use super::RULE;
use crate::configuration_fact::ConfigurationFact;

/// Confidence where every day of every interface is covered, percent: traffic that comes once a year
/// may still be unseen.
const COVERED_CONFIDENCE: f64 = 92.0;
/// Rules or flows that a sentence names.
const NAMED: usize = 4;

/// Returns the finding as a sentence.
pub(super) fn why(least: &LeastRules) -> String {
    format!(
        "{} rules permit every use of {} days of flow logs that {} rules permit now",
        least.rules.len(),
        least.window_days,
        least.present.len()
    )
}

/// Makes the proposal of a group.
pub(super) fn propose(
    group: &Resource,
    rules: &[FlowRule],
    least: &LeastRules,
    (mut interfaces, observe_hours): (Vec<String>, u32),
    obstacles: &[String],
) -> Proposal {
    interfaces.sort();
    let change = TightenGroup {
        rules: rules.to_vec(),
        tight: least.rules.iter().map(|tight| tight.rule.clone()).collect(),
        interfaces,
        observe_hours,
    };
    let is_advice = !obstacles.is_empty();
    let consequence = cut(least);

    let fact = ConfigurationFact {
        kind: RecommendationType::SecurityGroup,
        rule: RULE,
        title: title(
            "Narrow ",
            &group.name,
            &format!(" to the {} that its traffic uses", counted(least.rules.len())),
        ),
        aspect: RULE.to_owned(),
        priority: priority(least),
        risk: Impact::High,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "None: security groups are not charged".to_owned(),
            performance_degradation_percent: None,
            performance: consequence.clone(),
            security: why(least),
        },
        effort: if is_advice { Effort::Medium } else { Effort::Low },
        plan: (!is_advice).then(|| Plan::new(&change, group.id.as_str())),
        reason_code: "wider_than_used".to_owned(),
        action: "Give its network interfaces a group with the rules that their traffic uses, and take this one away.".to_owned(),
        factors: factors(least, consequence, obstacles),
        data_points: least.rules.iter().map(|tight| tight.flows).sum(),
        path: path(least),
    };

    let mut proposal = fact.about(group);
    proposal.confidence = confidence(least);
    proposal
}

fn counted(rules: usize) -> String {
    match rules {
        1 => "1 rule".to_owned(),
        rules => format!("{rules} rules"),
    }
}

/// A group that the internet may use is worth more than one of a private network.
fn priority(least: &LeastRules) -> Priority {
    let is_open = |rule: &FlowRule| {
        let is_everyone = matches!(&rule.peer, RulePeer::Network(network) if network.prefix_len() == 0 && is_public(network));
        rule.direction == FlowDirection::Ingress && is_everyone
    };
    let is_closed = least.present.iter().any(|present| {
        is_open(&present.rule) && !least.rules.iter().any(|tight| tight.rule == present.rule)
    });
    if is_closed {
        Priority::High
    } else {
        Priority::Medium
    }
}

fn confidence(least: &LeastRules) -> f64 {
    let days = f64::from(least.window_days);
    let shares = least
        .interfaces
        .iter()
        .map(|one| f64::from(one.covered_days) / days);
    COVERED_CONFIDENCE * shares.fold(1.0, f64::min).clamp(0.5, 1.0)
}

fn cut(least: &LeastRules) -> String {
    match least.cut_total {
        0 => "No flow of the flow logs would be cut".to_owned(),
        1 => "1 flow of the flow logs would be cut".to_owned(),
        total => format!("{total} flows of the flow logs would be cut, scans among them"),
    }
}

fn factors(least: &LeastRules, consequence: String, obstacles: &[String]) -> Factors {
    let covered = least.interfaces.iter().map(|one| one.covered_days).min();
    let mut factors = Factors::from([(
        FactorKind::Measured,
        format!(
            "Flow logs of {} network interfaces cover at least {} of {} days",
            least.interfaces_total,
            covered.unwrap_or(0),
            least.window_days
        ),
    )]);
    let unused: Vec<String> = least
        .present
        .iter()
        .filter(|present| present.flows == 0)
        .map(|present| present.rule.to_string())
        .collect();
    if !unused.is_empty() {
        factors.add(
            FactorKind::Measured,
            format!("No flow used: {}", first_of(&unused, NAMED, "; ")),
        );
    }
    factors.add(FactorKind::Consequence, consequence);
    for cut in least.cut.iter().take(NAMED) {
        let flow = format!(
            "Would be cut: {} {} {} {}, {} flows, last {}",
            cut.protocol,
            cut.port,
            match cut.direction {
                FlowDirection::Ingress => "from",
                FlowDirection::Egress => "to",
            },
            cut.peer,
            cut.flows,
            date(cut.last_s)
        );
        factors.add(FactorKind::Consequence, flow);
    }
    for obstacle in obstacles {
        factors.add(FactorKind::Consequence, advice_only(obstacle));
    }
    factors
}

/// The rules to keep, each with its last use.
fn path(least: &LeastRules) -> Path {
    let mut path = Path::default();
    for tight in &least.rules {
        path.ask(format!("Is {} used?", tight.rule), true, uses(tight));
    }
    for present in least.present.iter().filter(|present| present.flows == 0) {
        path.ask(
            format!("Is {} used?", present.rule),
            false,
            format!("No flow in {} days", least.window_days),
        );
    }
    path
}

fn uses(tight: &TightRule) -> String {
    match (tight.flows, tight.last_s) {
        (0, _) | (_, None) => format!("It stays as it is: {}", tight.reason),
        (flows, Some(last)) => format!(
            "{flows} flows of {} peers on {} days, last {} ({})",
            tight.peers,
            tight.days,
            date(last),
            tight.reason
        ),
    }
}

fn date(second: i64) -> String {
    Timestamp::from_second(second).map_or_else(|_| second.to_string(), minute)
}
