//! Credentials of a machine used from elsewhere, and an estate of which little is known.

use super::*;

/// A machine that calls through one gateway for some hours; its role's credentials are then used
/// from another network.
fn stolen(hours: i64, gateways: i64, operation: &str, people_work_there: bool) -> f64 {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b"], 2);
    let robot = |operation: &str, network: String, at: i64| {
        let mut event = with(
            event("robot", "s3", operation, at),
            &[Trait::MachineCredentials],
        );
        event.kind = BehaviorPrincipalKind::Role;
        event.peers = "role".to_owned();
        event.place.network = network;
        event
    };

    for hour in 0..hours {
        watch.observe(&robot(
            "PutObject",
            format!("198.51.{}.0/24", hour % gateways),
            hour * HOUR,
        ));
    }

    let from = if people_work_there {
        "192.0.2.0/24"
    } else {
        "203.0.113.0/24"
    };

    score(&mut watch, &robot(operation, from.to_owned(), 400 * HOUR))
}

#[test]
fn a_machines_stolen_credentials_pass_and_a_machine_without_a_gateway_does_not() {
    for operation in ["DescribeInstances", "GetCallerIdentity", "PutObject"] {
        assert!(
            stolen(300, 1, operation, false) >= 0.5,
            "{operation} {}",
            stolen(300, 1, operation, false)
        );
        assert!(
            stolen(0, 1, operation, true) >= 0.5,
            "{operation} {}",
            stolen(0, 1, operation, true)
        );
    }

    // Machines with addresses of their own come from a new network every day.
    assert!(
        stolen(300, 100, "DescribeInstances", false) < 0.5,
        "{}",
        stolen(300, 100, "DescribeInstances", false)
    );

    // In a new estate a public address is a gateway's that is not known yet.
    let mut fresh = with(
        event("robot", "s3", "PutObject", 0),
        &[Trait::MachineCredentials],
    );
    fresh.kind = BehaviorPrincipalKind::Role;
    assert!(score(&mut Watch::default(), &fresh) < 0.3);
}

#[test]
fn setting_an_estate_up_is_no_series_of_alarms() {
    let mut watch = Watch::default();
    let acts = [
        ("iam", "CreateRole", [].as_slice()),
        ("iam", "AttachRolePolicy", &[Trait::GivesAdmin]),
        ("iam", "CreateAccessKey", &[]),
        ("ec2", "AuthorizeSecurityGroupIngress", &[Trait::OpensToAll]),
        ("iam", "CreateUser", &[]),
    ];

    let scores: Vec<f64> = (0..100)
        .map(|n| {
            let (service, operation, traits) = acts[n % acts.len()];
            score(
                &mut watch,
                &with(
                    event("terraform", service, operation, n as i64 * 20_000),
                    traits,
                ),
            )
        })
        .collect();
    let loud = scores.iter().filter(|score| **score >= 0.5).count();
    assert!(loud <= 10, "{loud} of 100: {scores:?}");

    assert!(
        scores[..4].iter().any(|score| *score >= 0.5),
        "the first are judged in full: {scores:?}"
    );
    // What no set-up needs stands out in the midst of it.
    assert!(
        score(
            &mut watch,
            &event("terraform", "cloudtrail", "StopLogging", HOUR)
        ) >= 0.5
    );

    let public = with(
        event("terraform", "s3", "PutBucketPolicy", HOUR),
        &[Trait::OpensToAll],
    );
    assert!(score(&mut watch, &public) >= 0.5);
}
