//! Chains of single principals, over several, and their limits.

use jiff::SignedDuration;

use super::*;
use crate::attack::technique_of_call;

fn at(minute: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
}

fn call(principal: &str, service: &str, operation: &str, minute: i64) -> ActivityEvent {
    ActivityEvent {
        at_ms: at(minute).as_millisecond(),
        principal: principal.to_owned(),
        kind: BehaviorPrincipalKind::Person,
        service: service.to_owned(),
        operation: operation.to_owned(),
        ..ActivityEvent::default()
    }
}

fn observe(watch: &mut ChainWatch, event: &ActivityEvent, score: f64) -> Option<AttackChainBelief> {
    watch.observe(&ObservedCall {
        event,
        technique: technique_of_call(event),
        score,
        who: &event.principal,
        account: "1",
        event_id: &event.operation,
        at: Timestamp::from_millisecond(event.at_ms).unwrap_or_default(),
    })
}

/// Steps up to, but without, the one that takes data out.
fn intrusion(watch: &mut ChainWatch, principal: &str) {
    for (minute, (service, operation, score)) in [
        ("sts", "GetCallerIdentity", 0.3),
        ("secretsmanager", "GetSecretValue", 0.7),
        ("iam", "CreateAccessKey", 0.8),
        ("iam", "AttachUserPolicy", 0.9),
        ("cloudtrail", "StopLogging", 0.95),
    ]
    .into_iter()
    .enumerate()
    {
        observe(
            watch,
            &call(principal, service, operation, 10 * minute as i64),
            score,
        );
    }
}

#[test]
fn a_chain_names_its_stages_and_the_next_step_before_it_happens() {
    let mut watch = ChainWatch::default();
    intrusion(&mut watch, "1:ann");
    let grown = watch.take_grown(at(60));
    let [chain] = &grown[..] else {
        panic!("{grown:?}")
    };

    assert_eq!(chain.stage_count(), 5);
    assert_eq!(chain.reached, "evasion");
    assert!(chain.probability > 0.6, "{}", chain.probability);
    let sum: f64 = chain.next.iter().map(|next| next.probability).sum();
    assert!((sum - chain.probability).abs() < 0.001, "{sum}");
    assert!(
        chain
            .next
            .is_sorted_by(|a, b| a.probability >= b.probability)
    );
    assert_eq!(chain.steps[2].technique, "T1098.001");
    assert!(
        chain.title().contains("next likely step"),
        "{}",
        chain.title()
    );
    assert!(watch.take_grown(at(61)).is_empty(), "nothing new");
}

#[test]
fn ordinary_calls_are_no_chain() {
    let mut watch = ChainWatch::default();
    for minute in 0..500 {
        let operation = [
            "DescribeInstances",
            "RunInstances",
            "ModifyDBInstance",
            "StopInstances",
        ][minute % 4];
        observe(
            &mut watch,
            &call("1:bob", "ec2", operation, 37 * minute as i64),
            0.02,
        );
    }
    assert!(watch.take_grown(at(40_000)).is_empty());
}

#[test]
fn one_technique_again_and_again_is_one_step() {
    let mut watch = ChainWatch::default();
    let first = observe(&mut watch, &call("1:ann", "iam", "CreateAccessKey", 0), 0.6);
    let again = observe(&mut watch, &call("1:ann", "iam", "CreateAccessKey", 5), 0.6);
    let next_day = observe(
        &mut watch,
        &call("1:ann", "iam", "CreateAccessKey", 24 * 60),
        0.6,
    );
    assert!(first.is_some() && again.is_none() && next_day.is_some());

    let failed = ActivityEvent {
        outcome: BehaviorOutcome::Failed,
        ..call("1:ann", "cloudtrail", "StopLogging", 6)
    };
    assert!(observe(&mut watch, &failed, 0.9).is_none());
}

#[test]
fn a_chain_goes_on_with_the_role_and_the_user_that_it_made() {
    let mut watch = ChainWatch::default();
    intrusion(&mut watch, "1:ann");
    let assume = ActivityEvent {
        becomes: "1:admin".to_owned(),
        ..call("1:ann", "sts", "AssumeRole", 60)
    };
    observe(&mut watch, &assume, 0.5);
    let mut make = call("1:admin", "iam", "CreateUser", 61);
    make.resource = "backup".to_owned();
    observe(&mut watch, &make, 0.6);

    observe(
        &mut watch,
        &call("1:backup", "ec2", "ModifySnapshotAttribute", 70),
        0.9,
    );
    let chain = watch.chain("1:backup", at(71));
    let principals = chain.map(|chain| chain.principals).unwrap_or_default();
    assert_eq!(principals, ["1:ann", "1:admin", "1:backup"]);
}

#[test]
fn memory_is_bounded() {
    let mut watch = ChainWatch::default();
    for n in 0..2 * MOST_CHAINS {
        let principal = format!("1:{n}");
        observe(
            &mut watch,
            &call(&principal, "iam", "CreateAccessKey", n as i64),
            0.9,
        );
    }
    assert!(watch.live.len() <= MOST_CHAINS + 1);
    for n in 0..4 * MOST_STEPS as i64 {
        observe(
            &mut watch,
            &call("1:ann", "iam", "CreateAccessKey", n * 24 * 60),
            0.9,
        );
    }
    assert!(watch.live["1:ann"].steps.len() <= MOST_STEPS);
}
