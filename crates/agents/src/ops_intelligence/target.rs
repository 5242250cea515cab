//! `failure_prediction` of targets: a machine that a load balancer finds unhealthy, or that turns
//! unhealthy again and again, and a target group that has lost half of its targets. The health is
//! AWS's own judgement (`elasticloadbalancing:DescribeTargetHealth`), and its reason code is named.
//! Advice: a load balancer sends such a target no requests, and what ails it is its own.

use reeve_estate::{Provider, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::is_production;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::target_health::{TargetHealth, TargetState, TargetsHealth};
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, ImpactAssessment, Priority};
use reeve_recommend::words::minute;

use super::PREVENTION;
use super::health::RULE;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Name of the kind of target groups.
pub(super) const TARGET_GROUP: &str = "target_group";
/// Part of a machine that the finding is about.
const TARGET: &str = "target_health";
/// Part of a target group that the finding is about.
const CAPACITY: &str = "healthy_targets";
/// Targets that a finding about a group names.
const NAMED: usize = 5;

/// Returns the targets of the judged resource, or the reason why their health is not known.
fn targets<'f>(
    facts: &Facts<'f>,
    settings: &Thresholds,
    aspect: &'static str,
) -> Result<&'f [TargetHealth], Abstention> {
    if !settings.failures {
        let detail = format!("the setting {RULE}.enabled is off");
        return Err(Abstention::decided(PREVENTION, "switched_off", detail).with_aspect(aspect));
    }
    let unread = |code, detail: &str| {
        Err(Abstention::unjudged(PREVENTION, code, detail).with_aspect(aspect))
    };
    if facts.resource.provider != Provider::Aws {
        return unread("cloud_not_covered", "targets are read of AWS alone");
    }
    match facts.get::<TargetsHealth>() {
        Some(health) if health.is_current => Ok(&health.targets),
        _ => unread(
            "target_health_not_read",
            "the last sync could not read the target groups of the region: it needs elasticloadbalancing:DescribeTargetGroups, DescribeTargetGroupAttributes and DescribeTargetHealth",
        ),
    }
}

/// Judges a machine by the target groups that it is registered in.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let targets = targets(facts, settings, TARGET)?;
    let decided = |code, detail: String| {
        Err(Abstention::decided(PREVENTION, code, detail).with_aspect(TARGET))
    };
    if targets.is_empty() {
        return decided(
            "no_target",
            "it is registered in no target group".to_owned(),
        );
    }

    // One that fails goes before one that comes and goes, and a group without others before both.
    let flaps = |target: &&TargetHealth| target.changes as u64 >= settings.target_changes;
    let fails = |target: &&TargetHealth| target.state == TargetState::Unhealthy;
    let failing = targets.iter().filter(fails);
    let gravest = failing.min_by_key(|target| (target.group.healthy, target.since));
    if let Some(target) = gravest {
        return Ok(propose(facts, settings, target, targets));
    }
    if let Some(target) = targets.iter().filter(flaps).max_by_key(|one| one.changes) {
        return Ok(propose(facts, settings, target, targets));
    }

    match targets.iter().any(|one| one.state == TargetState::Healthy) {
        true => decided("healthy", "its load balancers find it healthy".to_owned()),
        false => decided(
            "out_of_service",
            "its load balancers do not ask for its health now: it starts, drains or is not in use"
                .to_owned(),
        ),
    }
}

fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    gravest: &TargetHealth,
    targets: &[TargetHealth],
) -> Proposal {
    let machine = facts.resource;
    let fails = gravest.state == TargetState::Unhealthy;
    let alone = fails && gravest.group.healthy == 0;
    let by = match fails {
        true => format!(" is an unhealthy target ({})", reason(gravest)),
        false => format!(
            " changed its target health {} times in a day",
            gravest.changes
        ),
    };
    let mut path = Path::default();
    path.ask(
        "Does a load balancer find it unhealthy?",
        fails,
        words(gravest),
    );
    if !fails {
        path.ask(
            format!(
                "Did its health change {} times in a day?",
                settings.target_changes
            ),
            true,
            words(gravest),
        );
    }

    let mut factors: Factors = targets
        .iter()
        .filter(|one| one.state == TargetState::Unhealthy || one.changes > 0)
        .map(|one| (FactorKind::Measured, words(one)))
        .collect();
    factors.add(FactorKind::Measured, left(gravest));
    factors.add(
        FactorKind::Consequence,
        advice_only("what makes the machine fail its health check is known on it alone"),
    );
    TargetFinding {
        aspect: TARGET,
        title: title("", &machine.name, &by),
        serves_none: alone,
        performance: if alone {
            "No target of the group is healthy: the load balancer sends requests to unhealthy ones, or fails them"
        } else {
            "The other targets of the group serve its share of the requests"
        },
        action: advice(gravest, &machine.name),
        factors,
        path,
    }
    .about(machine, targets)
}

/// Judges a target group that has lost targets. Single machines of it have findings of their own.
pub(super) fn judge_group(
    facts: &Facts<'_>,
    settings: &Thresholds,
) -> Result<Proposal, Abstention> {
    let targets = targets(facts, settings, CAPACITY)?;
    let decided = |code, detail: String| {
        Err(Abstention::decided(PREVENTION, code, detail).with_aspect(CAPACITY))
    };
    let unhealthy: Vec<&TargetHealth> = targets
        .iter()
        .filter(|one| one.state == TargetState::Unhealthy)
        .collect();
    let Some(first) = unhealthy.first() else {
        return decided("healthy", "no target is unhealthy".to_owned());
    };

    let lost_half = first.group.unhealthy >= first.group.healthy;
    let are_addresses = unhealthy.iter().any(|one| !one.is_machine());
    let mut path = Path::default();
    path.ask("Are targets unhealthy?", true, left(first));
    path.ask("Are these half of the targets?", lost_half, left(first));
    if !lost_half {
        let named = "The unhealthy targets are machines with findings of their own";
        if !path.ask(
            "Is one of them no machine?",
            are_addresses,
            named.to_owned(),
        ) {
            return decided("machines_are_found", left(first));
        }
    }

    let group = facts.resource;
    let mut factors: Factors = unhealthy
        .iter()
        .take(NAMED)
        .map(|one| {
            (
                FactorKind::Measured,
                format!("{}: {}", one.target, words(one)),
            )
        })
        .collect();
    if unhealthy.len() > NAMED {
        let more = format!("{} further targets are unhealthy", unhealthy.len() - NAMED);
        factors.add(FactorKind::Measured, more);
    }
    factors.add(
        FactorKind::Consequence,
        advice_only("what makes targets fail their health check is known on them alone"),
    );
    let by = format!(
        ": {} of {} targets are unhealthy",
        first.group.unhealthy,
        first.group.unhealthy + first.group.healthy
    );
    let none_serves = first.group.healthy == 0;
    let finding = TargetFinding {
        aspect: CAPACITY,
        title: title("", &group.name, &by),
        serves_none: none_serves,
        performance: if none_serves {
            "No target is healthy: the load balancer sends requests to unhealthy ones, or fails them"
        } else {
            "Fewer targets serve all requests, and each further loss weighs more"
        },
        action: advice(first, &first.target),
        factors,
        path,
    };
    Ok(finding.about(group, targets))
}

/// Part of a finding in which one about a machine and one about a group differ.
struct TargetFinding {
    aspect: &'static str,
    title: String,
    /// `true` if the group has no healthy target.
    serves_none: bool,
    /// Consequence for requests.
    performance: &'static str,
    action: String,
    factors: Factors,
    path: Path,
}

impl TargetFinding {
    fn about(self, resource: &Resource, targets: &[TargetHealth]) -> Proposal {
        ConfigurationFact {
            kind: PREVENTION,
            rule: RULE,
            title: self.title,
            aspect: self.aspect.to_owned(),
            priority: match (self.serves_none, is_production(resource)) {
                (true, true) => Priority::Critical,
                (false, false) => Priority::Medium,
                _ => Priority::High,
            },
            risk: Impact::Low,
            impact: impact(self.performance),
            effort: Effort::Medium,
            plan: None,
            reason_code: RULE.to_owned(),
            action: self.action,
            factors: self.factors,
            data_points: targets.len() as u64,
            path: self.path,
        }
        .about(resource)
    }
}

fn impact(performance: &str) -> ImpactAssessment {
    ImpactAssessment {
        cost_percent: Some(0.0),
        cost: "none".to_owned(),
        performance_degradation_percent: None,
        performance: performance.to_owned(),
        security: "none".to_owned(),
    }
}

/// The reason code that AWS gives.
fn reason(target: &TargetHealth) -> &str {
    match target.reason.as_str() {
        "" => "no reason code",
        code => code,
    }
}

/// State of a target with the reason that AWS gives.
fn words(target: &TargetHealth) -> String {
    let group = &target.group.name;
    let changes = match target.changes {
        0 | 1 => String::new(),
        changes => format!("; its health changed {changes} times in a day"),
    };
    match target.state {
        TargetState::Unhealthy => format!(
            "unhealthy in target group {group} since {} ({}: {}){changes}",
            minute(target.since),
            reason(target),
            target.description
        ),
        TargetState::Healthy => format!(
            "healthy in target group {group} since {}{changes}",
            minute(target.since)
        ),
        TargetState::OutOfService => format!("out of service in target group {group}{changes}"),
    }
}

/// Targets that the group has left.
fn left(target: &TargetHealth) -> String {
    let group = &target.group;
    format!(
        "{} of {} targets of {} are healthy",
        group.healthy,
        group.healthy + group.unhealthy,
        group.name
    )
}

/// Sentence about the place to look at, by the reason code (Elastic Load Balancing API reference,
/// TargetHealth).
fn advice(target: &TargetHealth, name: &str) -> String {
    match target.reason.as_str() {
        "Target.ResponseCodeMismatch" => format!(
            "Look at the answer of {name} to its health check, whose code is not among those that the target group expects"
        ),
        "Target.Timeout" => format!(
            "Look whether {name} is overloaded, and whether its security group lets the health check through"
        ),
        "Target.FailedHealthChecks" => format!(
            "Look whether the service of {name} runs and listens on the port of the health check"
        ),
        "Elb.InternalError" => {
            "The load balancer itself failed: look at the health of Elastic Load Balancing"
                .to_owned()
        }
        _ => format!("Look at the service of {name} and at the health check of its target group"),
    }
}
