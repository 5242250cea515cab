//! Tests of the actions that the watch must report, and those that it must not.

use super::*;

mod first_hours;
mod severity;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Midnight UTC at the beginning of a Monday.
const START: i64 = 1_788_739_200_000;

fn event(principal: &str, service: &str, operation: &str, at_ms: i64) -> ActivityEvent {
    ActivityEvent {
        at_ms: START + at_ms,
        principal: principal.to_owned(),
        kind: BehaviorPrincipalKind::Person,
        peers: "team".to_owned(),
        service: service.to_owned(),
        operation: operation.to_owned(),
        place: BehaviorPlace {
            network: "192.0.2.0/24".to_owned(),
            public: true,
            region: "eu-central-1".to_owned(),
            ..BehaviorPlace::default()
        },
        ..ActivityEvent::default()
    }
}

fn with(mut event: ActivityEvent, traits: &[Trait]) -> ActivityEvent {
    event.traits = traits.iter().copied().collect();
    event
}

/// Weeks of office work of some people: signing in, looking, now and then a deploy.
fn office(watch: &mut Watch, people: &[&str], weeks: i64) {
    for day in (0..weeks * 7).filter(|day| day % 7 < 5) {
        for hour in 8..17 {
            for (n, principal) in people.iter().enumerate() {
                let at = day * DAY + hour * HOUR + n as i64 * MINUTE;
                if hour == 8 {
                    watch.observe(&with(
                        event(principal, "signin", "ConsoleLogin", at),
                        &[Trait::SecondFactor],
                    ));
                }
                for (k, operation) in ["DescribeInstances", "DescribeVolumes", "ListTables"]
                    .iter()
                    .enumerate()
                {
                    watch.observe(&event(
                        principal,
                        "ec2",
                        operation,
                        at + 20_000 + k as i64 * 1000,
                    ));
                }
                if hour == 11 {
                    watch.observe(&event(principal, "ecs", "UpdateService", at + 30_000));
                }
            }
        }
    }
}

fn score(watch: &mut Watch, event: &ActivityEvent) -> f64 {
    watch.observe(event).score
}

fn reasons(judgement: &BehaviorJudgement) -> String {
    judgement.reasons().collect::<Vec<_>>().join("; ")
}

#[test]
fn a_cold_start_ranks_by_meaning() {
    let cold = |event: ActivityEvent| Watch::default().observe(&event).score;
    let quiet = [
        event("a", "ec2", "DescribeInstances", 0),
        event("a", "s3", "GetObject", 0),
        event(
            "a",
            "Microsoft.Compute",
            "Microsoft.Compute/virtualMachines/read",
            0,
        ),
        event("a", "compute", "v1.compute.instances.list", 0),
        event("a", "frobnicator", "ListFrobs", 0),
    ];

    let ordinary = [
        event("a", "ecs", "UpdateService", 0),
        event("a", "frobnicator", "CreateFrob", 0),
    ];
    let grave = [
        event("a", "cloudtrail", "StopLogging", 0),
        event("a", "organizations", "LeaveOrganization", 0),
        with(
            event("a", "iam", "AttachUserPolicy", 0),
            &[Trait::GivesAdmin],
        ),
        with(
            event("a", "ec2", "AuthorizeSecurityGroupIngress", 0),
            &[Trait::OpensToAll, Trait::RemotePort],
        ),
        with(
            event("a", "ec2", "ModifySnapshotAttribute", 0),
            &[Trait::Shares, Trait::NamesForeignAccount],
        ),
        event(
            "a",
            "Microsoft.Insights",
            "Microsoft.Insights/diagnosticSettings/delete",
            0,
        ),
        event(
            "a",
            "logging",
            "google.logging.v2.ConfigServiceV2.DeleteSink",
            0,
        ),
        event("a", "iam", "google.iam.admin.v1.CreateServiceAccountKey", 0),
        event("a", "watcher", "DisableAuditSink", 0),
    ];

    for event in quiet {
        assert!(
            cold(event.clone()) < 0.05,
            "{} {}",
            event.operation,
            cold(event.clone())
        );
    }

    for event in ordinary {
        assert!(
            (0.05..0.3).contains(&cold(event.clone())),
            "{} {}",
            event.operation,
            cold(event.clone())
        );
    }

    for event in grave {
        assert!(
            cold(event.clone()) >= 0.5,
            "{} {}",
            event.operation,
            cold(event.clone())
        );
    }
}

#[test]
fn a_new_user_of_a_known_team_is_judged_by_the_team() {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b", "c"], 3);
    let at = 21 * DAY + 10 * HOUR;
    let usual = score(&mut watch, &event("new", "ecs", "UpdateService", at));
    let judgement = watch.observe(&event("new", "rds", "DeleteDBInstance", at + MINUTE));
    assert!(usual < 0.1, "{usual}");
    assert!(
        judgement.score > 3.0 * usual && judgement.score > 0.3,
        "{}",
        judgement.score
    );

    assert!(
        reasons(&judgement).contains("none of its 3 peers"),
        "{}",
        reasons(&judgement)
    );

    let of_nobody = ActivityEvent {
        peers: String::new(),
        ..event("stranger", "ecs", "UpdateService", at + 2 * MINUTE)
    };
    assert!(score(&mut watch, &of_nobody) > usual);
}

#[test]
fn a_first_login_at_night_says_so() {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b"], 4);
    let login = |at| {
        with(
            event("a", "signin", "ConsoleLogin", at),
            &[Trait::SecondFactor],
        )
    };
    let by_day = watch.observe(&login(28 * DAY + 8 * HOUR)).score;

    let by_night = watch.observe(&login(29 * DAY + 3 * HOUR));
    assert!(
        by_day < 0.02 && by_night.score > 5.0 * by_day,
        "{by_day} {}",
        by_night.score
    );

    assert!(
        reasons(&by_night).contains("outside its usual hours (it was 03:00 UTC)"),
        "{}",
        reasons(&by_night)
    );

    let abroad = ActivityEvent {
        place: BehaviorPlace {
            network: "203.0.113.0/24".into(),
            ..login(0).place
        },
        ..login(30 * DAY + 3 * HOUR)
    };
    let abroad = watch.observe(&abroad);

    assert!(
        abroad.score > by_night.score && reasons(&abroad).contains("never seen before"),
        "{}",
        reasons(&abroad)
    );
}

#[test]
fn a_burst_is_loud_and_soon_over() {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b"], 4);
    let at = 28 * DAY + 10 * HOUR;
    let last = (0..600)
        .map(|n| watch.observe(&event("a", "s3", "GetObject", at + n * 500)))
        .last();
    let last = last.unwrap_or_default();
    assert!(
        last.score >= 0.5 && last.weight_of(BehaviorReason::Volume) > 2.0,
        "{last:?}"
    );
    assert!(
        reasons(&last).contains("600 in ten minutes"),
        "{}",
        reasons(&last)
    );
    assert!(score(&mut watch, &event("a", "s3", "GetObject", at + 5 * HOUR)) < 0.1);
}

#[test]
fn looking_around_before_it_makes_a_change_of_rights_louder() {
    let change = |at| event("a", "iam", "PutUserPolicy", at);
    let mut alone = Watch::default();
    office(&mut alone, &["a", "b"], 3);
    let mut after = alone.clone();
    let at = 21 * DAY + 10 * HOUR;

    for (n, operation) in [
        "GetCallerIdentity",
        "ListUsers",
        "ListRoles",
        "ListAttachedUserPolicies",
        "GetAccountSummary",
    ]
    .iter()
    .enumerate()
    {
        after.observe(&event("a", "iam", operation, at + n as i64 * 10_000));
    }

    let (alone, after) = (
        alone.observe(&change(at + MINUTE)),
        after.observe(&change(at + MINUTE)),
    );
    assert!(
        after.score > alone.score + 0.1,
        "{} {}",
        alone.score,
        after.score
    );

    assert!(
        reasons(&after).contains("discovery calls"),
        "{}",
        reasons(&after)
    );
}

#[test]
fn looking_around_says_nothing_of_somebody_unknown() {
    let mut watch = Watch::default();
    for (n, operation) in [
        "ListUsers",
        "ListRoles",
        "ListPolicies",
        "ListGroups",
        "GetAccountSummary",
    ]
    .iter()
    .enumerate()
    {
        watch.observe(&event("new", "iam", operation, n as i64 * MINUTE));
    }

    let made = watch.observe(&event("new", "iam", "CreateUser", 10 * MINUTE));
    let looked = made
        .evidence
        .iter()
        .find(|one| one.words.contains("looking around"))
        .map_or(0.0, |one| one.weight);
    assert!(looked < 0.1, "everything is new at first: {made:?}");
}

#[test]
fn rights_that_only_read_are_less_than_others_and_others_less_than_all() {
    let grants = |traits: &[Trait]| {
        Watch::default()
            .observe(&with(event("a", "iam", "AttachUserPolicy", 0), traits))
            .score
    };

    let [reading, some, all] = [
        grants(&[Trait::GivesReading]),
        grants(&[]),
        grants(&[Trait::GivesAdmin]),
    ];
    assert!(reading < some && some < all, "{reading} {some} {all}");
    assert_eq!(
        grants(&[Trait::GivesReading, Trait::GivesAdmin]),
        all,
        "what reads takes nothing off what does everything"
    );

    let creates = |traits: &[Trait]| {
        Watch::default()
            .observe(&with(event("a", "ec2", "RunInstances", 0), traits))
            .score
    };

    assert_eq!(
        creates(&[Trait::GivesReading]),
        creates(&[]),
        "a machine that may read is a machine like others"
    );
}

#[test]
fn that_a_machines_credentials_come_from_elsewhere_is_said_once() {
    let mut watch = Watch::default();
    for hour in 0..100 {
        watch.observe(&with(
            event("robot", "s3", "PutObject", hour * HOUR),
            &[Trait::MachineCredentials],
        ));
    }

    let mut away = with(
        event("robot", "s3", "PutObject", 100 * HOUR),
        &[Trait::MachineCredentials],
    );
    away.place.network = "198.51.100.0/24".to_owned();
    let found = watch.observe(&away);
    assert!(
        reasons(&found).contains("credentials of a machine are used"),
        "{}",
        reasons(&found)
    );

    assert!(
        !reasons(&found).contains("from a network"),
        "{}",
        reasons(&found)
    );
}

#[test]
fn events_after_a_severe_one_score_higher() {
    let mut watch = Watch::default();
    let before = score(&mut watch, &event("a", "ec2", "CreateImage", 0));
    watch.observe(&event("a", "cloudtrail", "StopLogging", MINUTE));
    let after = watch.observe(&event("a", "ec2", "CopyImage", 2 * MINUTE));
    let assumed_sessions = ActivityEvent {
        becomes: "role".to_owned(),
        ..event("a", "sts", "AssumeRole", 3 * MINUTE)
    };
    watch.observe(&assumed_sessions);
    let as_role = watch.observe(&event("role", "ec2", "CreateImage", 4 * MINUTE));
    assert!(
        after.score > before + 0.03 && reasons(&after).contains("cloudtrail:StopLogging"),
        "{before} {}",
        after.score
    );

    assert!(
        reasons(&as_role).contains("cloudtrail:StopLogging"),
        "{}",
        reasons(&as_role)
    );
    assert!(score(&mut watch, &event("a", "ec2", "CreateImage", 2 * DAY)) < after.score);
}

#[test]
fn a_deploy_robot_is_quiet_from_its_first_thousand_to_its_last() {
    for (kind, gap) in [
        (BehaviorPrincipalKind::Program, 1_000),
        (BehaviorPrincipalKind::Role, 1_000),
        (BehaviorPrincipalKind::Program, 60_000),
    ] {
        let mut watch = Watch::default();
        let deploy = |n: i64| ActivityEvent {
            kind,
            ..event("robot", "ecs", "UpdateService", n * gap)
        };
        let scores: Vec<f64> = (0..10_000)
            .map(|n| watch.observe(&deploy(n)).score)
            .collect();
        let loud = scores.iter().filter(|score| **score >= 0.5).count();
        let loudest_later = scores[5_000..].iter().copied().fold(0.0, f64::max);
        assert!(
            loud == 0 && loudest_later < 0.2,
            "{kind:?} {gap}: {loud} {loudest_later}"
        );
    }
}

#[test]
fn a_slow_increase_does_not_become_usual() {
    let mut watch = Watch::default();
    let mut at_the_end = BehaviorJudgement::default();

    for day in 0..90 {
        let times = if day < 30 {
            5
        } else {
            (5.0 * 1.09_f64.powi(day - 30)) as i64
        };
        for hour in 9..17 {
            for n in 0..times {
                at_the_end = watch.observe(&event(
                    "a",
                    "s3",
                    "GetObject",
                    i64::from(day) * DAY + hour * HOUR + n * 300_000 / times,
                ));
            }
        }
    }

    assert!(
        at_the_end.weight_of(BehaviorReason::Volume) > 1.0,
        "{at_the_end:?}"
    );
    assert!(
        reasons(&at_the_end).contains("in ten minutes"),
        "{}",
        reasons(&at_the_end)
    );
}

#[test]
fn suspicious_events_teach_little() {
    let grave = |n: i64| {
        with(
            event("a", "ec2", "ModifySnapshotAttribute", n * HOUR),
            &[Trait::Shares, Trait::NamesForeignAccount],
        )
    };

    let mut watch = Watch::default();
    office(&mut watch, &["b", "c"], 2);
    let scores: Vec<f64> = (0..24)
        .map(|n| {
            score(
                &mut watch,
                &ActivityEvent {
                    at_ms: grave(n).at_ms + 14 * DAY,
                    ..grave(n)
                },
            )
        })
        .collect();

    assert!(scores.iter().all(|score| *score >= 0.5), "{scores:?}");
}

#[test]
fn guessing_passwords_from_user_to_user_is_seen_at_the_address() {
    let mut watch = Watch::default();
    let login = |principal: &str, at, outcome| ActivityEvent {
        outcome,
        ..event(principal, "sso", "login", at)
    };

    for n in 0..20 {
        watch.observe(&login(
            &format!("u{}", n % 10),
            n * 10_000,
            BehaviorOutcome::Failed,
        ));
    }

    let inside = watch.observe(&login("u3", 5 * MINUTE, BehaviorOutcome::Done));
    assert!(
        inside.score > 0.5 && reasons(&inside).contains("failed sign-ins"),
        "{} {}",
        inside.score,
        reasons(&inside)
    );
}

#[test]
fn refusals_add_up() {
    let mut watch = Watch::default();
    let refused = |n: i64| ActivityEvent {
        outcome: BehaviorOutcome::Denied,
        ..event("a", "ec2", "GetPasswordData", n * 1000)
    };
    let first = score(&mut watch, &refused(0));

    let last = (1..30)
        .map(|n| score(&mut watch, &refused(n)))
        .last()
        .unwrap_or_default();
    assert!(first < 0.5 && last > 0.5 && last > first, "{first} {last}");
}

#[test]
fn a_score_comes_from_the_past_alone() {
    let events: Vec<ActivityEvent> = (0..500)
        .map(|n: i64| {
            let operation = [
                "DescribeInstances",
                "CreateUser",
                "StopLogging",
                "GetObject",
                "ConsoleLogin",
            ][(n * n % 5) as usize];
            event(&format!("u{}", n % 7), "iam", operation, n * 7 * MINUTE)
        })
        .collect();

    let run = |events: &[ActivityEvent]| {
        let mut watch = Watch::default();
        events
            .iter()
            .map(|event| watch.observe(event))
            .collect::<Vec<_>>()
    };
    let all = run(&events);
    assert_eq!(all, run(&events));

    assert_eq!(all[..200], run(&events[..200])[..]);
    assert!(all.iter().all(|one| (0.0..=1.0).contains(&one.score)));
}

#[test]
fn memory_is_bounded() {
    let limits = WatchLimits {
        principals: 50,
        groups: 5,
        names: 100,
    };
    let mut watch = Watch::new(limits);

    for n in 0..5_000_i64 {
        let mut one = event(
            &format!("u{n}"),
            &format!("s{n}"),
            &format!("Do{n}"),
            n * MINUTE,
        );
        one.peers = format!("g{n}");
        one.becomes = format!("v{n}");
        watch.observe(&one);
    }

    assert!(watch.profile("u4999").is_some() && watch.profile("u10").is_none());
    assert_eq!(
        watch.sizes().map(|size| size <= 101),
        [true; 5],
        "{:?}",
        watch.sizes()
    );
}

#[test]
fn a_profile_says_what_is_usual() {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b", "c"], 3);
    watch.observe(&with(
        event("a", "iam", "AttachUserPolicy", 21 * DAY + 9 * HOUR),
        &[Trait::GivesAdmin],
    ));
    let profile = watch
        .profile("a")
        .unwrap_or_else(|| unreachable!("a was observed"));
    assert_eq!(profile.hours, [8, 9, 10, 11, 12, 13, 14, 15, 16]);
    assert_eq!(profile.actions[0].1, 135);
    assert_eq!(profile.networks[0].0, "192.0.2.0/24");
    assert_eq!(
        (profile.group.as_str(), profile.days, profile.peers.len()),
        ("team", 16, 2)
    );
    assert!(profile.peers[0].likeness > 0.9);
    assert_eq!(profile.unusual.len(), 1);
    assert_eq!(profile.unusual[0].operation, "AttachUserPolicy");
    assert_eq!(watch.unusual().len(), 1);
    assert!(watch.profile("nobody").is_none());
}

#[test]
fn events_that_arrive_out_of_order_are_taken() {
    let mut watch = Watch::default();
    office(&mut watch, &["a"], 2);

    for at in [
        14 * DAY + 10 * HOUR,
        3 * DAY,
        -40 * DAY,
        14 * DAY + 9 * HOUR,
        i64::MIN / 2 - START,
        i64::MAX / 2 - START,
    ] {
        let score = score(&mut watch, &event("a", "ec2", "DescribeInstances", at));
        assert!((0.0..=1.0).contains(&score), "{at}: {score}");
    }
}

/// A robot of an estate that works from its own country, and some people.
fn at_home(watch: &mut Watch) {
    for hour in 0..400 {
        for (principal, operation) in [
            ("111:ci", "UpdateService"),
            ("111:ann", "DescribeInstances"),
            ("111:ben", "ListTables"),
        ] {
            watch.observe(&from(
                "DE",
                "192.0.2.0/24",
                event(principal, "ecs", operation, hour * HOUR),
            ));
        }
    }
}

fn from(country: &str, network: &str, event: ActivityEvent) -> ActivityEvent {
    let place = BehaviorPlace {
        network: network.to_owned(),
        country: country.to_owned(),
        ..event.place
    };
    ActivityEvent { place, ..event }
}

#[test]
fn a_stolen_key_that_is_refused_everything_is_seen_by_where_and_how_widely_it_tries() {
    let mut watch = Watch::default();
    at_home(&mut watch);
    let tries = [
        ("sts", "GetCallerIdentity", BehaviorOutcome::Done),
        ("s3", "ListBuckets", BehaviorOutcome::Done),
        ("iam", "ListUsers", BehaviorOutcome::Denied),
        ("secretsmanager", "GetSecretValue", BehaviorOutcome::Denied),
        ("iam", "CreateAccessKey", BehaviorOutcome::Denied),
        ("ec2", "RunInstances", BehaviorOutcome::Denied),
    ];

    let story = |watch: &mut Watch, country: &str, network: &str, at: i64| -> Vec<f64> {
        let one = |(n, (service, operation, outcome)): (usize, &(&str, &str, BehaviorOutcome))| {
            let event = ActivityEvent {
                outcome: *outcome,
                kind: BehaviorPrincipalKind::Program,
                ..event("111:AKIA1", service, operation, at)
            };
            let event = ActivityEvent {
                at_ms: event.at_ms + n as i64 * 40_000,
                ..with(event, &[Trait::LongLivedKey])
            };
            watch.observe(&from(country, network, event)).score
        };
        tries.iter().enumerate().map(one).collect()
    };
    let abroad = story(&mut watch.clone(), "BR", "203.0.113.0/24", 401 * HOUR);

    assert!(
        abroad[4].max(abroad[5]) >= 0.6 && abroad[..3].iter().all(|score| *score < 0.5),
        "{abroad:?}"
    );

    let home = story(&mut watch.clone(), "DE", "192.0.2.0/24", 401 * HOUR);
    assert!(
        home.iter().zip(&abroad).all(|(home, abroad)| home < abroad),
        "{home:?} {abroad:?}"
    );

    // An intruder who was there before makes no home of it.
    let _ = story(&mut watch, "BR", "203.0.113.0/24", 401 * HOUR);
    let again = story(&mut watch, "BR", "203.0.113.0/24", 500 * HOUR);
    assert!(again[4].max(again[5]) >= 0.6, "{again:?}");

    // Whoever switches the key off answers it; without anything before it, the same is worth a
    // look.
    let off = |watch: &mut Watch| {
        let mut off = with(
            event(
                "111:ann",
                "iam",
                "UpdateAccessKey",
                500 * HOUR + 30 * MINUTE,
            ),
            &[Trait::SwitchesOff],
        );
        off.resource = "AKIA1".to_owned();
        watch.observe(&from("DE", "192.0.2.0/24", off)).score
    };
    let answered = off(&mut watch);

    let mut calm = Watch::default();
    at_home(&mut calm);
    assert!(
        answered < 0.5 && off(&mut calm) > answered + 0.2,
        "{answered}"
    );
}

#[test]
fn sign_ins_that_fail_for_many_accounts_of_one_network_are_guessing() {
    let mut watch = Watch::default();
    let people = ["111:a", "111:b", "111:c", "111:d", "111:e", "111:f"];
    office(&mut watch, &people, 4);
    let failed = |principal: &str, at: i64| ActivityEvent {
        outcome: BehaviorOutcome::Failed,
        ..event(principal, "signin", "ConsoleLogin", at)
    };

    // Everybody mistypes now and then.
    for (day, principal) in people.iter().enumerate() {
        watch.observe(&failed(principal, day as i64 * DAY + 8 * HOUR));
    }

    let own = watch.observe(&failed("111:a", 28 * DAY + 8 * HOUR));
    assert!(own.score < 0.3, "{own:?}");

    let guessed: Vec<BehaviorJudgement> = (0..30)
        .map(|n| {
            watch.observe(&from(
                "",
                "203.0.113.0/24",
                failed(people[n % 6], 28 * DAY + 9 * HOUR + n as i64 * 9_000),
            ))
        })
        .collect();
    let last = &guessed[29];

    assert!(
        last.score >= 0.9 && last.weight_of(BehaviorReason::Guessing) > 1.0,
        "{last:?}"
    );
    assert!(
        reasons(last).contains("sign-ins to 6 accounts failed from one network"),
        "{}",
        reasons(last)
    );

    assert!(
        guessed[..2]
            .iter()
            .all(|one| one.weight_of(BehaviorReason::Guessing) == 0.0)
    );
}

#[test]
fn habitual_events_beside_severe_ones_are_not_all_suspect() {
    let mut watch = Watch::default();
    office(&mut watch, &["a", "b"], 3);
    let (mut beside, mut raised) = (0, 0);

    for hour in 0..20 {
        let at = 21 * DAY + hour * HOUR;
        watch.observe(&with(
            event("a", "iam", "AttachUserPolicy", at),
            &[Trait::GivesAdmin],
        ));
        for minute in (2..60).step_by(4) {
            let judged = watch.observe(&event("a", "ec2", "CreateTags", at + minute * MINUTE));
            beside += 1;
            raised += i32::from(judged.weight_of(BehaviorReason::Sequence) > 0.1);
        }
    }

    assert!(raised * 4 < beside, "{raised} of {beside}");
}

#[test]
fn a_refused_attempt_to_blind_the_log_is_grave() {
    let refused = |service: &str, operation: &str| {
        Watch::default()
            .observe(&ActivityEvent {
                outcome: BehaviorOutcome::Denied,
                ..event("a", service, operation, 0)
            })
            .score
    };

    for operation in ["StopLogging", "DeleteTrail"] {
        assert!(
            refused("cloudtrail", operation) >= 0.6,
            "{operation} {}",
            refused("cloudtrail", operation)
        );
    }

    assert!(refused("guardduty", "DeleteDetector") >= 0.6 && refused("ec2", "RunInstances") < 0.1);
}

#[test]
fn a_verb_that_nobody_knows_is_named_by_what_it_changes() {
    let cold = |event: ActivityEvent| Watch::default().observe(&event).score;
    let plain = cold(event("a", "codebuild", "FrobnicateProject", 0));
    let public = cold(with(
        event("a", "codebuild", "FrobnicateProject", 0),
        &[Trait::OpensToAll],
    ));
    assert!(plain < 0.1 && public > 0.45, "{plain} {public}");
    assert!(
        cold(with(
            event("a", "x", "FrobnicateAudit", 0),
            &[Trait::SwitchesOff]
        )) > 0.5
    );

    let export = cold(event("a", "dynamodb", "ExportTableToPointInTime", 0));
    assert!(
        export > 5.0 * cold(event("a", "dynamodb", "DescribeExport", 0)) && export > 0.2,
        "{export}"
    );
}

#[test]
fn an_ordinary_console_sign_in_is_no_alarm() {
    let mut watch = Watch::default();
    let people = ["a", "b", "c", "d"];
    let signs_in = |principal: &str, at: i64| {
        with(
            event(principal, "signin", "ConsoleLogin", at),
            &[Trait::NoSecondFactor],
        )
    };
    let first = Watch::default().observe(&signs_in("a", 0)).score;
    assert!((0.4..0.7).contains(&first), "{first}");

    for day in 0..5 {
        people
            .iter()
            .for_each(|principal| drop(watch.observe(&signs_in(principal, day * DAY + 8 * HOUR))));
    }

    // Where everybody signs in so, it says little of one of them, nor of somebody new.
    let usual = watch.observe(&signs_in("a", 7 * DAY + 8 * HOUR)).score;
    let newcomer = watch.observe(&signs_in("new", 7 * DAY + 8 * HOUR)).score;
    assert!(usual < 0.2 && newcomer < 0.4, "{usual} {newcomer}");
}
