//! Things that somebody ought to look into: a burst of failed sign-ins from one address, an access
//! key used from a country it was never used from, a security group opened to the world, snapshots
//! deleted at night. Each is told several times in the month before the beginning, once within
//! minutes after it, and again every few days.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{
    ActionMethod, ActionStatus, ActorType, Entry, EventType, Json, ResourceRef, Severity,
};

use super::Scene;
use super::builder::{self, state};
use super::programs::RELEASE_ACCOUNT;
use crate::company::aws;
use crate::company::people::{PEOPLE, Person};
use crate::describing::access_key;
use crate::groups;
use crate::noise::{draw, hex, key};

/// A story: when it begins, in minutes from the beginning of the demonstration, and what happens.
struct Story {
    name: &'static str,
    /// Before and shortly after.
    starts_min: &'static [i64],
    /// Interval of further occurrences, minutes.
    interval_min: i64,
    generate: fn(&Scene, u64, Timestamp) -> Vec<Entry>,
}

/// Longest duration of a story, minutes.
const LONGEST: i64 = 75;
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

/// Theft of the key of an account's releases, minutes after the beginning.
pub(super) const THEFT_MIN: i64 = 8;

const STORIES: [Story; 5] = [
    Story {
        name: "guessing",
        starts_min: &[-23 * DAY, -9 * DAY, -2 * HOUR, 3],
        interval_min: 26 * HOUR,
        generate: guessing,
    },
    Story {
        name: "stolen-key",
        starts_min: &[-16 * DAY, -5 * DAY - 7 * HOUR, THEFT_MIN],
        interval_min: 3 * DAY + HOUR,
        generate: stolen_key,
    },
    Story {
        name: "open-door",
        starts_min: &[-12 * DAY - 3 * HOUR, -40, 14],
        interval_min: 2 * DAY + 5 * HOUR,
        generate: open_door,
    },
    // Once: the machines behind the group retry until it is open again (`signal/cpu.rs`).
    Story {
        name: "closed-door",
        starts_min: &[-29],
        interval_min: 3650 * DAY,
        generate: closed_door,
    },
    Story {
        name: "clearance",
        starts_min: &[-17 * DAY - 5 * HOUR, 45],
        interval_min: 9 * DAY,
        generate: clearance,
    },
];

/// Writes the stories that touch a window.
pub(super) fn between(scene: &Scene, from: Timestamp, to: Timestamp, into: &mut Vec<Entry>) {
    let minutes = |at: Timestamp| (at.as_second() - scene.anchor.as_second()).div_euclid(60);
    let (first, last) = (minutes(from) - LONGEST, minutes(to));

    for story in &STORIES {
        let again = story.starts_min.last().copied().unwrap_or(0);
        let passed = (first - again).div_euclid(story.interval_min).max(0);
        let later = (passed..)
            .map(|n| again + (n + 1) * story.interval_min)
            .take_while(|at| *at <= last);
        for begins in story
            .starts_min
            .iter()
            .copied()
            .chain(later)
            .filter(|at| (first..=last).contains(at))
        {
            let start = minute(scene.anchor, begins);
            into.extend((story.generate)(
                scene,
                key(scene.seed, &format!("{}/{begins}", story.name)),
                start,
            ));
        }
    }
}

fn minute(from: Timestamp, minutes: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_mins(minutes))
        .unwrap_or(from)
}

fn after(from: Timestamp, seconds: u64) -> Timestamp {
    from.checked_add(SignedDuration::from_secs(seconds.cast_signed()))
        .unwrap_or(from)
}

fn random_person(key: u64, n: i64) -> &'static Person {
    &PEOPLE[(draw(key, n) % PEOPLE.len() as u64) as usize]
}

const LOGIN: EventType = EventType::from_static("authentication.login");
const POLICY: EventType = EventType::from_static("policy.modify");

/// Thirty sign-ins to six accounts from one address in five minutes, all failing; then the accounts
/// are locked.
fn guessing(_: &Scene, seed: u64, start: Timestamp) -> Vec<Entry> {
    let from = [203, 0, 113, 64 + (draw(seed, 1) % 100) as u8];
    let sso = || ResourceRef::new("identity_provider", "acme-sso");
    let mut entries: Vec<Entry> = (0..30_u64)
        .map(|n| {
            let target = random_person(seed, (n % 6).cast_signed() + 2);
            let at = after(start, n * 9 + draw(seed, n.cast_signed() + 50) % 6);
            builder::at(LOGIN, key(seed, &n.to_string()), at)
                .by(builder::outsider(
                    target,
                    from.into(),
                    "python-requests/2.32",
                ))
                .on(sso())
                .with_action("login", ActionStatus::Failed, ActionMethod::Api)
                .with_severity(Severity::Medium)
                .with_metadata("reason", "wrong password")
                .with_metadata("country", "RO")
                .with_tag("suspicious")
        })
        .collect();

    let locked = builder::at(
        EventType::from_static("authentication.lock"),
        key(seed, "lock"),
        after(start, 290),
    )
    .by(builder::program(
        ActorType::Service,
        "acme-sso",
        "acme-sso/7.1",
    ))
    .on(sso())
    .with_action("lock_accounts", ActionStatus::Success, ActionMethod::System)
    .with_severity(Severity::High)
    .with_metadata("accounts", 6_i64)
    .with_metadata("source", std::net::Ipv4Addr::from(from).to_string())
    .with_tag("suspicious");
    entries.push(locked);

    entries
}

/// The key of the releases (`programs`) looks around from a country it was never used from, and is
/// switched off by security.
fn stolen_key(scene: &Scene, seed: u64, start: Timestamp) -> Vec<Entry> {
    // The one after the beginning is a key of the inventory, which can be contained; those of the
    // past were deleted since.
    let key_id = if start >= scene.anchor {
        access_key(scene.seed, RELEASE_ACCOUNT, "deploy")
    } else {
        format!("AKIA{}", hex(seed, 16).to_uppercase())
    };
    let from = [203, 0, 113, 8 + (draw(seed, 1) % 40) as u8];
    let look = [
        ("GetCallerIdentity", "resource.view", ActionStatus::Success),
        ("ListBuckets", "resource.view", ActionStatus::Success),
        ("ListUsers", "resource.view", ActionStatus::Denied),
        ("GetSecretValue", "secret.read", ActionStatus::Denied),
        ("CreateAccessKey", "user.modify", ActionStatus::Denied),
        ("RunInstances", "resource.create", ActionStatus::Denied),
    ];

    let mut entries: Vec<Entry> = look
        .iter()
        .enumerate()
        .filter_map(|(n, (operation, kind, status))| {
            let seconds = n as u64 * 37 + draw(seed, 60 + n as i64) % 20;
            let entry = builder::at(
                EventType::new(*kind).ok()?,
                key(seed, operation),
                after(start, seconds),
            )
            .by(builder::program(ActorType::ApiKey, &key_id, "Boto3/1.35.0")
                .with_ip_address(from.into()))
            .on(ResourceRef::new("account", RELEASE_ACCOUNT).in_cloud(
                "aws",
                RELEASE_ACCOUNT,
                "us-east-1",
            ))
            .with_action(*operation, *status, ActionMethod::Api)
            .with_severity(Severity::High)
            .with_metadata("country", "BR")
            .with_metadata("usual_countries", "DE")
            .with_metadata("owner", "ci-deployer");
            Some(entry.with_tag("suspicious").with_tag("new_country"))
        })
        .collect();

    let guard = &PEOPLE[4];
    let off = builder::at(
        EventType::from_static("user.modify"),
        key(seed, "off"),
        after(start, 19 * 60),
    )
    .by(builder::person(seed, guard, 0, "aws-cli/2.19.5"))
    .on(ResourceRef::new("access_key", key_id))
    .with_action(
        "deactivate_access_key",
        ActionStatus::Success,
        ActionMethod::Cli,
    )
    .with_severity(Severity::Medium)
    .before(state([("status", Json::from("active"))]))
    .after(state([("status", Json::from("inactive"))]))
    .with_tag(guard.team);
    entries.push(off);

    entries
}

/// A user opens SSH to the internet; another one closes it half an hour later.
fn open_door(_: &Scene, seed: u64, start: Timestamp) -> Vec<Entry> {
    let group = ResourceRef::new("security_group", format!("sg-{}", hex(seed, 17))).in_cloud(
        "aws",
        "417382906514",
        "us-east-1",
    );

    let opener = PEOPLE
        .iter()
        .filter(|person| person.team == "shop")
        .nth((draw(seed, 1) % 8) as usize);
    let (opener, closer) = (opener.unwrap_or(&PEOPLE[9]), &PEOPLE[4]);
    let rule = |from: &str| {
        state([
            ("port", Json::from(22)),
            ("protocol", Json::from("tcp")),
            ("from", Json::from(from)),
        ])
    };

    let opened = builder::at(POLICY, key(seed, "open"), start)
        .by(builder::person(seed, opener, 0, "aws-cli/2.19.5"))
        .on(group.clone())
        .with_action(
            "authorize_security_group_ingress",
            ActionStatus::Success,
            ActionMethod::Cli,
        )
        .with_severity(Severity::Critical)
        .before(rule("10.0.0.0/8"))
        .after(rule("0.0.0.0/0"))
        .with_tag("suspicious")
        .with_tag(opener.team);

    let closed = builder::at(
        POLICY,
        key(seed, "close"),
        after(start, 31 * 60 + draw(seed, 2) % 300),
    )
    .by(builder::person(seed, closer, 0, "aws-cli/2.19.5"))
    .on(group)
    .with_action(
        "revoke_security_group_ingress",
        ActionStatus::Success,
        ActionMethod::Cli,
    )
    .with_severity(Severity::Medium)
    .before(rule("0.0.0.0/0"))
    .after(rule("10.0.0.0/8"))
    .with_tag(closer.team);

    vec![opened, closed]
}

/// A rule out of the security group of the payments, and the rule back.
fn closed_door(scene: &Scene, seed: u64, start: Timestamp) -> Vec<Entry> {
    let (account, region) = (&aws::ACCOUNT, "us-east-1");
    let group = groups::id(account, scene.seed, region, "payments");
    let group = ResourceRef::new("security_group", group).in_cloud("aws", account.account, region);
    let person = PEOPLE.iter().find(|person| person.team == "payments");
    let person = person.unwrap_or(&PEOPLE[4]);
    let entry = |name: &str, operation: &str, at: Timestamp| {
        builder::at(POLICY, key(seed, name), at)
            .by(builder::person(seed, person, 0, "aws-cli/2.19.5"))
            .on(group.clone())
            .with_action(operation, ActionStatus::Success, ActionMethod::Cli)
            .with_severity(Severity::Medium)
            .with_tag(person.team)
    };

    vec![
        entry("revoke", "revoke_security_group_egress", start),
        entry(
            "authorize",
            "authorize_security_group_egress",
            after(start, 70 * 60),
        ),
    ]
}

/// Fourteen snapshots of one team deleted in a row by one person.
fn clearance(_: &Scene, seed: u64, start: Timestamp) -> Vec<Entry> {
    let person = random_person(seed, 1);
    (0..14_u64)
        .map(|n| {
            let key = key(seed, &format!("delete/{n}"));
            builder::at(
                EventType::from_static("resource.delete"),
                key,
                after(start, n * 11 + draw(key, 1) % 7),
            )
            .by(builder::person(seed, person, 0, "aws-cli/2.19.5"))
            .on(
                ResourceRef::new("snapshot", format!("snap-{}", hex(key, 17)))
                    .in_cloud("aws", "417382906514", "us-east-1")
                    .with_tag("team", person.team),
            )
            .with_action("delete_snapshot", ActionStatus::Success, ActionMethod::Cli)
            .with_severity(Severity::High)
            .before(state([
                ("retention", Json::from("1y")),
                ("age_days", Json::from(20 + n)),
            ]))
            .with_tag("suspicious")
            .with_tag(person.team)
        })
        .collect()
}
