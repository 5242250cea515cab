//! Targets that load balancers find unhealthy.

use std::sync::Arc;

use reeve_recommend::judgement::target_health::{TargetGroup, TargetHealth, TargetState};

use super::*;

const ASPECT: &str = "target_health";

/// A target of a group with so many healthy and unhealthy targets.
fn target(id: &str, state: TargetState, changes: usize, group: (usize, usize)) -> TargetHealth {
    let fails = state == TargetState::Unhealthy;
    let text = |text: &str| {
        if fails {
            text.to_owned()
        } else {
            String::new()
        }
    };
    TargetHealth {
        target: id.to_owned(),
        group: Arc::new(TargetGroup {
            name: "shop".to_owned(),
            has_machines: id.starts_with("i-"),
            healthy: group.0,
            unhealthy: group.1,
        }),
        state,
        reason: text("Target.Timeout"),
        description: text("Request timed out"),
        since: now() - SignedDuration::from_hours(2),
        changes,
    }
}

fn with(mut case: Case, targets: &[TargetHealth]) -> Case {
    case.targets = Some(TargetsHealth {
        is_current: true,
        targets: targets.to_vec(),
    });
    case
}

fn machine(targets: &[TargetHealth]) -> Case {
    with(Case::machine(), targets)
}

fn group(targets: &[TargetHealth]) -> Case {
    let kind = ResourceKind::parse("target_group").unwrap();
    with(Case::new(kind, "elasticloadbalancing"), targets)
}

#[test]
fn an_unhealthy_target_is_found_with_the_reason_of_aws() {
    let unhealthy = |group| target("i-1", TargetState::Unhealthy, 1, group);
    let found = machine(&[unhealthy((3, 1))]).only();
    assert_eq!(found.title, "r-1 is an unhealthy target (Target.Timeout)");
    assert_eq!(found.subject.aspect.as_deref(), Some(ASPECT));
    assert_eq!((found.priority, found.plan), (Priority::Medium, None));
    let factors = found.explanation.factors.texts().join("\n");
    for part in [
        "unhealthy in target group shop since",
        "Target.Timeout: Request timed out",
        "3 of 4 targets of shop are healthy",
    ] {
        assert!(factors.contains(part), "{part}: {factors}");
    }
    assert!(found.explanation.action.contains("security group"));

    let alone = machine(&[unhealthy((0, 1))]);
    assert_eq!(alone.only().priority, Priority::High);
    let in_production = alone.tagged("env", "production");
    assert_eq!(in_production.only().priority, Priority::Critical);

    // The group that nothing serves is named first.
    let two = [unhealthy((3, 1)), unhealthy((0, 2))];
    let factors = machine(&two).only().explanation.factors.texts();
    assert!(
        factors.iter().any(|text| text.starts_with("0 of 2")),
        "{factors:?}"
    );
}

#[test]
fn a_target_that_comes_and_goes_is_found_while_it_is_healthy() {
    let healthy = |changes| machine(&[target("i-1", TargetState::Healthy, changes, (4, 0))]);
    let found = healthy(5).only();
    assert_eq!(
        found.title,
        "r-1 changed its target health 5 times in a day"
    );
    assert_eq!(healthy(3).prevention_code(ASPECT), ("healthy", true));
    let set = SettingValue::Count(6);
    let patient = healthy(5).set("failure_prediction.target_changes", set);
    assert_eq!(patient.prevention_code(ASPECT), ("healthy", true));
}

#[test]
fn health_that_is_not_known_is_no_health() {
    let code = |case: Case| case.prevention_code(ASPECT);
    assert_eq!(code(machine(&[])), ("no_target", true));
    let starts = target("i-1", TargetState::OutOfService, 0, (0, 0));
    assert_eq!(code(machine(&[starts])), ("out_of_service", true));
    assert_eq!(code(Case::machine()), ("target_health_not_read", false));

    let unhealthy = target("i-1", TargetState::Unhealthy, 1, (0, 1));
    let mut stale = machine(std::slice::from_ref(&unhealthy));
    stale.targets.as_mut().unwrap().is_current = false;
    assert_eq!(code(stale), ("target_health_not_read", false));
    let off = SettingValue::Flag(false);
    let off = machine(&[unhealthy]).set("failure_prediction.enabled", off);
    assert_eq!(code(off), ("switched_off", true));
}

#[test]
fn a_group_is_found_where_half_of_its_targets_are_lost_or_no_machine_is_named() {
    let targets = |healthy: usize, unhealthy: usize, id: &str| {
        let of = |state, count| {
            (0..count).map(move |n| target(&format!("{id}{n}"), state, 0, (healthy, unhealthy)))
        };
        of(TargetState::Healthy, healthy)
            .chain(of(TargetState::Unhealthy, unhealthy))
            .collect::<Vec<_>>()
    };
    let found = group(&targets(2, 2, "i-")).only();
    assert_eq!(found.title, "r-1: 2 of 4 targets are unhealthy");
    assert_eq!(found.priority, Priority::Medium);
    let factors = found.explanation.factors.texts().join("\n");
    assert!(
        factors.contains("i-1: unhealthy in target group shop"),
        "{factors}"
    );
    assert_eq!(group(&targets(0, 1, "i-")).only().priority, Priority::High);
    let many = group(&targets(0, 7, "i-"))
        .only()
        .explanation
        .factors
        .texts();
    assert!(
        many.iter().any(|text| text.starts_with("2 further")),
        "{many:?}"
    );

    let address = group(&targets(3, 1, "10.0.0.")).only();
    assert_eq!(address.title, "r-1: 1 of 4 targets are unhealthy");
    let code = |case: Case| case.prevention_code("healthy_targets");
    assert_eq!(
        code(group(&targets(3, 1, "i-"))),
        ("machines_are_found", true)
    );
    assert_eq!(code(group(&targets(3, 0, "i-"))), ("healthy", true));
    let kind = ResourceKind::parse("target_group").unwrap();
    let unread = Case::new(kind, "elasticloadbalancing");
    assert_eq!(code(unread), ("target_health_not_read", false));
}
