//! The first hours of an estate: how much of what is done passes 0.5 while nothing is known yet.
//!
//! Nothing here is an attack. An estate is set up by a program and two administrators, and
//! applications begin to work behind a gateway with a public address: roles, keys, rules and
//! buckets by the dozen, secrets that are read for the first time, writes at full pace. What a
//! recording of an attack scores in an estate as young stands beside it.

use reeve_anomalies::behavior::event;
use reeve_learn::behavior::{ActivityEvent, BehaviorPlace, BehaviorPrincipalKind, Trait, Watch};

use super::set::{Label, Unit};
use crate::chance::Chance;

/// Score from which on an event is an alarm.
const ALARM: f64 = 0.5;

/// Prints the share of ordinary events that pass, by the hour, and of recordings with an event that
/// does.
pub(super) fn run(units: &[Unit]) {
    println!("### The first hours of an estate\n");
    println!(
        "| first hours | ordinary events | at {ALARM} or above | changes among them | at {ALARM} or above |"
    );
    println!("|---|---|---|---|---|");

    for hours in [1, 6, 24] {
        let (mut all, mut changes) = ((0_usize, 0_usize), (0_usize, 0_usize));
        for seed in 0..5 {
            let mut watch = Watch::default();
            for (event, is_change) in begun(seed, hours) {
                let passes = usize::from(watch.observe(&event).score >= ALARM);
                all = (all.0 + 1, all.1 + passes);
                if is_change {
                    changes = (changes.0 + 1, changes.1 + passes);
                }
            }
        }
        let share = |(of, passed): (usize, usize)| 100.0 * passed as f64 / of.max(1) as f64;
        println!(
            "| {hours} | {} | {:.1} % | {} | {:.1} % |",
            all.0,
            share(all),
            changes.0,
            share(changes)
        );
    }

    let mut found = (0, 0);
    for unit in units.iter().filter(|unit| unit.label == Label::Technique) {
        let mut watch = Watch::default();
        let past = begun(7, 6);
        let last = past.last().map_or(0, |(event, _)| event.at_ms);
        past.iter()
            .for_each(|(event, _)| drop(watch.observe(event)));
        let mut attack: Vec<ActivityEvent> = unit.events.iter().map(event).collect();
        attack.sort_by_key(|event| event.at_ms);
        let first = attack.first().map_or(0, |event| event.at_ms);
        let best = attack
            .into_iter()
            .map(|event| ActivityEvent {
                at_ms: last + 60_000 + event.at_ms - first,
                ..event
            })
            .map(|event| watch.observe(&event).score)
            .fold(0.0, f64::max);
        found = (found.0 + 1, found.1 + usize::from(best >= ALARM));
    }

    println!(
        "\nOf {} recorded techniques after six such hours {} have an event at {ALARM} or above.\n",
        found.0, found.1
    );
}

/// Ordinary events of the first hours, in order; `true` for a change.
fn begun(seed: u64, hours: i64) -> Vec<(ActivityEvent, bool)> {
    let mut chance = Chance::new(seed, 47);
    let mut events = Vec::new();

    for minute in 0..hours * 60 {
        let at = 1_788_739_200_000 + minute * 60_000;
        let hour = minute / 60;
        // The program that sets up works for most of the first hours, and administrators beside it.
        if hour < 8 && chance.happens(0.5) {
            for (principal, kind, calls) in [
                ("terraform", BehaviorPrincipalKind::Role, 3),
                ("ann", BehaviorPrincipalKind::Person, 1),
                ("ben", BehaviorPrincipalKind::Person, 1),
            ] {
                events.extend(
                    (0..calls)
                        .map(|n| (set_up(&mut chance, principal, kind, at + n * 9_000), true)),
                );
            }
        }
        for application in 0..6.min(1 + hour) {
            let calls = chance.below(12) as i64;
            events.extend((0..calls).map(|n| {
                let role = format!("application-{application}");
                run_application(
                    &mut chance,
                    &role,
                    minute - 60 * application.max(0),
                    at + n * 4_000,
                )
            }));
        }
    }

    events
}

fn set_up(
    chance: &mut Chance,
    principal: &str,
    kind: BehaviorPrincipalKind,
    at_ms: i64,
) -> ActivityEvent {
    const ACTS: [(&str, &str, &[Trait]); 16] = [
        ("iam", "CreateRole", &[]),
        ("iam", "AttachRolePolicy", &[]),
        ("iam", "AttachRolePolicy", &[Trait::GivesAdmin]),
        ("iam", "PutRolePolicy", &[]),
        ("iam", "CreateUser", &[]),
        ("iam", "CreateAccessKey", &[Trait::OnOtherIdentity]),
        ("iam", "CreateLoginProfile", &[Trait::OnOtherIdentity]),
        ("iam", "CreateOpenIDConnectProvider", &[]),
        ("ec2", "CreateSecurityGroup", &[]),
        ("ec2", "AuthorizeSecurityGroupIngress", &[Trait::OpensToAll]),
        ("ec2", "AuthorizeSecurityGroupIngress", &[]),
        ("ec2", "CreateRoute", &[]),
        ("s3", "PutBucketPolicy", &[]),
        ("kms", "PutKeyPolicy", &[]),
        (
            "lambda",
            "UpdateFunctionCode20150331v2",
            &[Trait::BringsCode],
        ),
        ("cloudtrail", "CreateTrail", &[Trait::SwitchesOn]),
    ];

    let (service, operation, traits) = ACTS[chance.below(ACTS.len())];
    made(principal, kind, (service, operation), traits, at_ms)
}

fn run_application(
    chance: &mut Chance,
    role: &str,
    minutes: i64,
    at_ms: i64,
) -> (ActivityEvent, bool) {
    let starts = minutes < 20;
    let (service, operation) = match chance.below(10) {
        0 | 1 if starts => ("secretsmanager", "GetSecretValue"),
        2 if starts => ("ssm", "GetParametersByPath"),
        0..=3 => ("s3", "PutObject"),
        4 | 5 => ("s3", "GetObject"),
        6 => ("dynamodb", "UpdateItem"),
        7 => ("sqs", "DeleteMessage"),
        8 => ("ec2", "DescribeInstances"),
        _ => ("kms", "Decrypt"),
    };

    let change = matches!(operation, "PutObject" | "UpdateItem" | "DeleteMessage");
    let mut event = made(
        role,
        BehaviorPrincipalKind::Role,
        (service, operation),
        &[Trait::MachineCredentials],
        at_ms,
    );
    event.resource = format!("thing-{}", chance.below(40));

    event.place.network = "203.0.113.0/24".to_owned();
    (event, change)
}

fn made(
    principal: &str,
    kind: BehaviorPrincipalKind,
    (service, operation): (&str, &str),
    traits: &[Trait],
    at_ms: i64,
) -> ActivityEvent {
    ActivityEvent {
        at_ms,
        principal: format!("111122223333:{principal}"),
        kind,
        peers: format!("111122223333:{kind:?}"),
        service: service.to_owned(),
        operation: operation.to_owned(),
        place: BehaviorPlace {
            network: "198.51.100.0/24".to_owned(),
            public: true,
            region: "eu-central-1".to_owned(),
            ..BehaviorPlace::default()
        },
        traits: traits.iter().copied().collect(),
        ..ActivityEvent::default()
    }
}
