//! Actions of people, by team: a table of actions and their weights, and the audit entry of each.

use reeve_audit::{ActionMethod, ActionStatus, Entry, EventType, Json, ResourceRef, Severity};
use reeve_estate::ResourceKind;

use super::builder::{self, state};
use super::{Scene, SimulatedTarget};
use crate::company::people::Person;
use crate::noise::{between, draw, hex, pick, unit};

/// Something a person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PersonAction {
    View,
    Tag,
    Capacity,
    Firewall,
    Policy,
    Deploy,
    Create,
    Delete,
    Secret,
    Query,
    Export,
    Account,
    Budget,
}

use PersonAction::{
    Account, Budget, Capacity, Create, Delete, Deploy, Export, Firewall, Policy, Query, Secret,
    Tag, View,
};

/// Frequency of each action in a team, as weights of any sum.
const WEIGHTS: &[(&str, &[(PersonAction, u64)])] = &[
    (
        "platform",
        &[
            (View, 30),
            (Tag, 10),
            (Capacity, 8),
            (Firewall, 5),
            (Policy, 6),
            (Deploy, 8),
            (Create, 6),
            (Delete, 5),
            (Secret, 4),
        ],
    ),
    (
        "shop",
        &[
            (View, 35),
            (Deploy, 16),
            (Query, 6),
            (Tag, 6),
            (Create, 5),
            (Capacity, 4),
            (Delete, 3),
            (Secret, 3),
        ],
    ),
    (
        "payments",
        &[
            (View, 34),
            (Query, 12),
            (Deploy, 10),
            (Secret, 6),
            (Tag, 4),
            (Export, 3),
            (Policy, 2),
            (Delete, 2),
        ],
    ),
    (
        "data",
        &[
            (Query, 30),
            (View, 25),
            (Create, 8),
            (Deploy, 6),
            (Delete, 5),
            (Export, 5),
            (Tag, 3),
        ],
    ),
    (
        "corporate-it",
        &[
            (View, 28),
            (Account, 14),
            (Budget, 8),
            (Policy, 6),
            (Tag, 4),
            (Export, 4),
            (Secret, 2),
        ],
    ),
];

/// Share of changing actions that are refused for lack of permission.
const REFUSED: f64 = 0.03;

/// A deed of a person in a minute.
pub(super) fn write(
    scene: &Scene,
    person: &Person,
    key: u64,
    minute: i64,
    day: i64,
    browser: &str,
) -> Entry {
    let action = choose(person.team, key);
    let (method, agent) = match draw(key, 31) % 20 {
        0..=10 => (ActionMethod::Console, browser),
        11..=15 => (ActionMethod::Cli, "aws-cli/2.19.5 md/awscrt#0.22.0"),
        _ => (ActionMethod::Api, "acme-portal/5.8"),
    };
    let changes = !matches!(action, View | Query);
    let refused = changes && action != Deploy && unit(key, 32) < REFUSED;
    let status = if refused {
        ActionStatus::Denied
    } else {
        ActionStatus::Success
    };

    let entry = describe(scene, action, person, key, minute);
    let severity = if refused {
        entry.severity.max(Severity::Medium)
    } else {
        entry.severity
    };

    let operation = entry.action.operation.clone().unwrap_or_default();
    let mut entry = entry
        .by(builder::person(scene.seed, person, day, agent))
        .with_severity(severity)
        .with_action(operation, status, method)
        .with_metadata("country", person.office.country())
        .with_tag(person.team);

    if refused {
        // What was refused changed nothing.
        entry.changes = reeve_audit::EntryChanges::default();
        entry = entry
            .with_metadata("reason", "not permitted by the role of the caller")
            .with_tag("denied");
    }

    entry
}

fn choose(team: &str, key: u64) -> PersonAction {
    let Some((_, habits)) = WEIGHTS.iter().find(|(name, _)| *name == team) else {
        return View;
    };

    let mut left = draw(key, 33) % habits.iter().map(|(_, weight)| weight).sum::<u64>();
    for (action, weight) in *habits {
        if left < *weight {
            return *action;
        }
        left -= weight;
    }

    View
}

/// A resource of the team, of one of the kinds; any such resource when the team has none.
fn one<'a>(
    scene: &'a Scene,
    team: &str,
    key: u64,
    kinds: &[ResourceKind],
) -> Option<&'a SimulatedTarget> {
    let fits = |target: &&SimulatedTarget| kinds.contains(&target.kind);
    let own: Vec<&SimulatedTarget> = scene
        .targets
        .iter()
        .filter(fits)
        .filter(|target| target.team == team)
        .collect();

    let any: Vec<&SimulatedTarget> = if own.is_empty() {
        scene.targets.iter().filter(fits).collect()
    } else {
        own
    };

    pick(key, 34, &any).copied()
}

type Kind = ResourceKind;

const VIEWED: &[Kind] = &[
    Kind::VirtualMachine,
    Kind::Database,
    Kind::Bucket,
    Kind::LoadBalancer,
    Kind::ScalingGroup,
];
const TAGGED: &[Kind] = &[Kind::VirtualMachine, Kind::Volume, Kind::Bucket];
const DEPLOYED: &[Kind] = &[Kind::ScalingGroup, Kind::VirtualMachine];

/// The entry without who did it and how it went; the operation is under its action already.
fn describe(scene: &Scene, action: PersonAction, person: &Person, key: u64, minute: i64) -> Entry {
    let begin = |kind: EventType, operation: &str| console_change(kind, operation, key, minute);
    let on = |entry: Entry, kinds: &[ResourceKind]| match one(scene, person.team, key, kinds) {
        Some(target) => entry
            .on(target.reference.clone())
            .with_metadata("resource_name", target.name.as_str()),
        None => entry,
    };

    let number = |low: f64, high: f64| between(key, 35, low, high) as i64;
    match action {
        View => on(
            begin(EventType::from_static("resource.view"), "describe"),
            VIEWED,
        ),
        Tag => on(
            begin(EventType::from_static("resource.modify"), "set_tags"),
            TAGGED,
        )
        .before(state([("reviewed", Json::from("2026-q3"))]))
        .after(state([
            ("reviewed", Json::from("2026-q4")),
            ("reviewer", Json::from(person.handle)),
        ])),
        Capacity => {
            let most = number(6.0, 11.0);
            on(
                begin(
                    EventType::from_static("resource.modify"),
                    "set_maximum_capacity",
                ),
                &[Kind::ScalingGroup],
            )
            .with_severity(Severity::Low)
            .before(state([("maximum", Json::from(most))]))
            .after(state([("maximum", Json::from(most + 2))]))
        }
        Firewall => {
            let port = *pick(key, 36, &[443_i32, 5432, 6379, 9090, 22]).unwrap_or(&443);
            begin(
                EventType::from_static("policy.modify"),
                "authorize_security_group_ingress",
            )
            .on(ResourceRef::new(
                "security_group",
                format!("sg-{}", hex(draw(key, 37), 17)),
            ))
            .with_severity(Severity::Low)
            .after(state([
                ("port", Json::from(port)),
                ("from", Json::from("10.0.0.0/8")),
            ]))
        }
        Policy => begin(EventType::from_static("policy.modify"), "put_role_policy")
            .on(ResourceRef::new(
                "iam_role",
                format!("{}-{}", person.team, number(1.0, 6.0)),
            ))
            .with_severity(Severity::Medium)
            .before(state([("version", Json::from(number(3.0, 40.0)))]))
            .after(state([("version", Json::from(number(3.0, 40.0) + 1))])),
        Deploy => on(
            begin(EventType::from_static("deployment.create"), "deploy"),
            DEPLOYED,
        )
        .after(state([(
            "version",
            Json::from(format!("{}.{}", number(2.0, 9.0), draw(key, 38) % 400)),
        )])),
        Create => on(
            begin(EventType::from_static("backup.create"), "create_snapshot"),
            &[Kind::Volume, Kind::Database],
        )
        .after(state([(
            "snapshot",
            Json::from(format!("snap-{}", hex(draw(key, 39), 17))),
        )])),
        Delete => begin(EventType::from_static("resource.delete"), "delete_snapshot")
            .on(ResourceRef::new(
                "snapshot",
                format!("snap-{}", hex(draw(key, 40), 17)),
            ))
            .with_severity(Severity::Medium)
            .before(state([("age_days", Json::from(number(35.0, 300.0)))])),
        Secret => begin(EventType::from_static("secret.read"), "get_secret_value")
            .on(ResourceRef::new(
                "secret",
                format!("{}/{}", person.team, secret(key)),
            ))
            .with_severity(Severity::Low),
        Query => on(
            begin(EventType::from_static("data.query"), "run_query"),
            &[Kind::Database, Kind::Bucket],
        )
        .with_metadata("rows", number(1.0, 250_000.0)),
        Export => on(
            begin(EventType::from_static("data.export"), "export"),
            &[Kind::Database, Kind::Bucket],
        )
        .with_severity(Severity::Low)
        .with_metadata("rows", number(500.0, 90_000.0)),
        Account => membership_change(key, minute),
        Budget => budget_change(key, minute),
    }
}

fn membership_change(key: u64, minute: i64) -> Entry {
    let person = pick(key, 41, &crate::PEOPLE).map_or("", |person| person.handle);
    let team = *pick(key, 42, &crate::TEAMS).unwrap_or(&"platform");
    console_change(
        EventType::from_static("user.modify"),
        "update_group_membership",
        key,
        minute,
    )
    .on(ResourceRef::new("user", person))
    .with_severity(Severity::Low)
    .after(state([("group", Json::from(team))]))
}

fn budget_change(key: u64, minute: i64) -> Entry {
    let limit = between(key, 35, 4.0, 40.0) as i64 * 500;
    let team = *pick(key, 43, &crate::TEAMS).unwrap_or(&"platform");
    console_change(
        EventType::from_static("budget.modify"),
        "update_budget",
        key,
        minute,
    )
    .on(ResourceRef::new("budget", team))
    .before(state([("limit_usd_month", Json::from(limit))]))
    .after(state([("limit_usd_month", Json::from(limit + 500))]))
}

fn console_change(kind: EventType, operation: &str, key: u64, minute: i64) -> Entry {
    builder::entry(kind, key, minute).with_action(
        operation,
        ActionStatus::Success,
        ActionMethod::Console,
    )
}

fn secret(key: u64) -> &'static str {
    pick(
        key,
        44,
        &[
            "database-password",
            "signing-key",
            "smtp",
            "partner-api",
            "webhook",
        ],
    )
    .copied()
    .unwrap_or("smtp")
}
