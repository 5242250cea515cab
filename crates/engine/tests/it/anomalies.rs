//! Anomalies: told once, answered in order, learned from; found in metrics and in behavior.

mod kept;
mod threat_lists;

use std::sync::atomic::Ordering;

use jiff::{SignedDuration, Timestamp};
use reeve_anomalies::watch::BehaviorWatch;
use reeve_anomalies::{
    AnomalyClass, AnomalySettings, AnomalyStatus, AnomalyStore, Finding, LikelyCause, Place,
    Reaction, Reading, Stage,
};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, Json, ResourceRef};
use reeve_estate::{Attribute, ConnectionId, Metric, ResourceChange, ResourceId};
use reeve_recommend::action::ActionStatus as Ended;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore as _, Clock, Recorder as _};
use reeve_recommend::recommendation::Priority;

use self::kept::anomalies_over;
use crate::world::{World, operator};

pub(crate) use self::kept::{Kept, anomalies};

pub(crate) fn finding(world: &World, place: &str, score: f64) -> Finding {
    let now = world.clock.now();
    let reading = Reading {
        metric: Some(Metric::CpuUtilization),
        at: now,
        value: 97.0,
        expected: 31.0,
        low: 20.0,
        high: 44.0,
        score,
        indication: "a jump".into(),
    };

    Finding {
        class: AnomalyClass::Performance,
        severity: Priority::Medium,
        title: format!("cpu of {place} jumped"),
        place: Place {
            id: place.to_owned(),
            name: place.to_owned(),
            kind: "virtual_machine".to_owned(),
            provider: Some("aws".to_owned()),
            account: Some("111122223333".to_owned()),
            region: Some("us-east-1".to_owned()),
            service: Some("ec2".to_owned()),
        },
        readings: vec![reading],
        evidence: Vec::new(),
        contributions: Vec::new(),
        activity: None,
        started_at: now,
        last_at: now,
    }
}

fn recorded(world: &World) -> Vec<String> {
    let operation = |entry: &Entry| entry.action.operation.clone().unwrap_or_default();
    world
        .entries()
        .iter()
        .map(operation)
        .filter(|name| name.starts_with("anomaly."))
        .collect()
}

#[tokio::test]
async fn one_trouble_is_reported_once_and_answered_in_order() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let system = Caller::system();
    let first = anomalies
        .report(finding(&world, "i-1", 0.7), &system)
        .await
        .unwrap()
        .unwrap();

    assert_eq!(
        recorded(&world),
        ["anomaly.detect", "anomaly.investigate", "anomaly.recommend"]
    );

    let stages: Vec<Stage> = first
        .responses
        .iter()
        .map(|response| response.stage)
        .collect();
    assert_eq!(stages, [Stage::Alert, Stage::Investigate, Stage::Recommend]);
    assert!((first.deviation_percent.unwrap() - 212.9).abs() < 0.1);
    assert!(
        first.cause == Some(LikelyCause::Unknown)
            && !first.advice.is_empty()
            && first.evidence_in_words().next().is_some()
    );

    world.clock.advance(SignedDuration::from_hours(2));
    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.9), &system)
            .await
            .unwrap()
            .is_none(),
        "it goes on"
    );

    let grown = kept.anomaly_get(&first.id).await.unwrap();
    assert_eq!(
        (grown.readings[0].score, grown.last_at),
        (0.9, world.clock.now())
    );
    assert_eq!(anomalies.settle(&system).await.unwrap(), 0);
    world.clock.advance(SignedDuration::from_hours(7));
    assert_eq!(anomalies.settle(&system).await.unwrap(), 1);
    assert_eq!(
        kept.anomaly_get(&first.id).await.unwrap().status,
        AnomalyStatus::Resolved
    );
    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.9), &system)
            .await
            .unwrap()
            .is_some(),
        "the next is another"
    );
}

#[tokio::test]
async fn each_stage_is_recorded_once_over_crashes_and_two_processes() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let system = Caller::system();
    let found = finding(&world, "i-1", 0.7);

    // The log takes the alert and then nothing more: the process ends here.
    *world.log.silent_after.lock() = Some(1);
    anomalies.report(found.clone(), &system).await.unwrap_err();
    *world.log.silent_after.lock() = None;
    world.clock.advance(SignedDuration::from_mins(1));
    let other = anomalies_over(&world, &kept);
    other.report(found.clone(), &system).await.unwrap();
    let stages = ["anomaly.detect", "anomaly.investigate", "anomaly.recommend"];
    assert_eq!(
        recorded(&world),
        stages,
        "the response goes on where it ended"
    );
    assert_eq!(kept.all.lock()[0].responses.len(), stages.len());

    // Two processes look into the store before either of them has written.
    kept.stale.store(true, Ordering::Relaxed);
    assert!(
        anomalies.report(found, &system).await.unwrap().is_none(),
        "the other one has it"
    );
    assert_eq!(
        (recorded(&world).len(), kept.all.lock().len()),
        (stages.len(), 1)
    );
}

#[tokio::test]
async fn spending_is_over_after_days_because_bills_are_late() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let system = Caller::system();
    let found = finding(&world, "111/EC2/USD", 0.7);
    let reading = Reading {
        metric: None,
        ..found.readings[0].clone()
    };
    let spending = Finding {
        class: AnomalyClass::Cost,
        readings: vec![reading],
        ..found
    };

    let first = anomalies
        .report(spending.clone(), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        first.evidence[0].starts_with("cost a day was"),
        "{:?}",
        first.evidence
    );
    world.clock.advance(SignedDuration::from_hours(48));
    assert_eq!(anomalies.settle(&system).await.unwrap(), 0);
    assert!(
        anomalies
            .report(spending.clone(), &system)
            .await
            .unwrap()
            .is_none(),
        "the same bill, read again"
    );

    world.clock.advance(SignedDuration::from_hours(25));
    assert_eq!(anomalies.settle(&system).await.unwrap(), 1);
    assert!(
        anomalies.report(spending, &system).await.unwrap().is_none(),
        "and again, once it is over"
    );
    assert_eq!(
        kept.anomaly_get(&first.id).await.unwrap().status,
        AnomalyStatus::Resolved
    );
}

#[tokio::test]
async fn the_cause_is_what_changed_or_what_others_share() {
    let world = World::new();
    let (anomalies, _) = anomalies(&world);
    let system = Caller::system();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&recommendation).await;
    let own = anomalies
        .report(finding(&world, "i-1", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        own.cause == Some(LikelyCause::ChangeByReeve(Some(action.id.clone())))
            && own.advice.contains(&action.id.0),
        "{own:?}"
    );

    for other in ["i-2", "i-3"] {
        anomalies
            .report(finding(&world, other, 0.9), &system)
            .await
            .unwrap();
    }

    let shared = anomalies
        .report(finding(&world, "i-4", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        shared.cause_in_words().contains("ec2 in us-east-1"),
        "{:?}",
        shared.cause
    );
}

#[tokio::test]
async fn what_somebody_else_changed_is_named_as_the_cause() {
    let world = World::new();
    let (anomalies, _) = anomalies(&world);
    let system = Caller::system();
    for id in ["i-1", "i-2", "i-3", "i-4"] {
        world.unmeasured(id);
    }

    let now = world.clock.now();
    let change =
        |resource: &str, attribute: Attribute, minutes_ago: i64, before: &str, after: &str| {
            ResourceChange {
                resource: ResourceId::new(resource),
                connection: ConnectionId("c-1".to_owned()),
                attribute,
                last_seen_at: now - SignedDuration::from_mins(minutes_ago + 5),
                seen_at: now - SignedDuration::from_mins(minutes_ago),
                before: before.to_owned(),
                after: after.to_owned(),
            }
        };

    world.memory.seen.lock().extend([
        change("i-1", Attribute::InstanceType, 10, "m5.large", "m5.xlarge"),
        change(
            "i-1",
            Attribute::LaunchedAt,
            10,
            "2026-01-01T00:00:00Z",
            "2026-11-15T23:47:00Z",
        ),
        change("i-1", Attribute::SecurityGroups, 30, "sg-1", "sg-1,sg-2"),
        change(
            "i-2",
            Attribute::Tags,
            10,
            "Owner=ann",
            "Owner=secret\nTeam=web",
        ),
        change("i-3", Attribute::InstanceType, 130, "m5.large", "m5.xlarge"),
    ]);

    let resized = anomalies
        .report(finding(&world, "i-1", 0.9), &system)
        .await
        .unwrap()
        .unwrap();
    let span = "between 2026-11-15 23:45 and 23:50 UTC, not by Reeve";
    let words = format!(
        "its size was changed from m5.large to m5.xlarge, and it was restarted at 2026-11-15 23:47 UTC {span}"
    );
    assert_eq!(resized.cause_in_words(), words);
    assert!(
        resized.advice.contains("who changed it"),
        "{}",
        resized.advice
    );

    let groups = "its security groups were changed from sg-1 to sg-1, sg-2 between 2026-11-15 23:25 and 23:30 UTC";
    assert!(
        resized.evidence.iter().any(|text| text.starts_with(groups)),
        "{:?}",
        resized.evidence
    );

    let tagged = anomalies
        .report(finding(&world, "i-2", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert_eq!(
        tagged.cause_in_words(),
        format!("its tags Owner, Team were changed {span}")
    );

    let long_ago = anomalies
        .report(finding(&world, "i-3", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        !long_ago.cause_in_words().contains("m5"),
        "{:?}",
        long_ago.cause
    );

    // A tag explains less than what others share; the last change of all is the one that is
    // suspected.
    world
        .memory
        .seen
        .lock()
        .push(change("i-4", Attribute::Tags, 10, "Owner=ann", "Owner=bob"));

    let shared = anomalies
        .report(finding(&world, "i-4", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        shared.cause_in_words().contains("ec2 in us-east-1")
            && shared
                .evidence
                .iter()
                .any(|text| text.contains("tag Owner"))
    );

    let recommendation = world.right_size("i-5", "t3.large").await;
    world.execute(&recommendation).await;
    let later = world.clock.now() + SignedDuration::from_mins(5);
    let after = ResourceChange {
        last_seen_at: world.clock.now(),
        seen_at: later,
        ..change("i-5", Attribute::Iops, 0, "3000", "9000")
    };
    world.memory.seen.lock().push(after);
    world.clock.advance(SignedDuration::from_mins(20));
    let both = anomalies
        .report(finding(&world, "i-5", 0.9), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        both.cause_in_words()
            .starts_with("its IOPS were changed from 3000 to 9000"),
        "{:?}",
        both.cause
    );

    assert!(
        both.evidence.iter().any(|text| text.starts_with("action ")),
        "{:?}",
        both.evidence
    );
}

#[tokio::test]
async fn what_the_log_knows_of_the_cause_is_kept_beside_the_words() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let system = Caller::system();
    let deed = |operation: &str, minutes_ago: i64| {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user("u-1").with_email("ann@example.com"))
            .on(ResourceRef::new("virtual_machine", "i-1").in_cloud(
                "aws",
                "111122223333",
                "us-east-1",
            ))
            .with_action(operation, ActionStatus::Success, ActionMethod::Console)
            .at(world.clock.now() - SignedDuration::from_mins(minutes_ago))
    };

    let first = anomalies
        .report(finding(&world, "i-1", 0.7), &system)
        .await
        .unwrap()
        .unwrap();
    assert!(first.related_entries.is_empty());

    let cause = first.cause_for(&[]);
    assert_eq!(
        (cause.cause, cause.evidence, cause.advice),
        (first.cause_in_words(), first.evidence, first.advice)
    );

    // The cloud's record comes late: after the next strange point it is there.
    world
        .log
        .record(vec![
            deed("ModifyInstanceAttribute", 9),
            deed("DescribeInstances", 8),
        ])
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_mins(5));
    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.7), &system)
            .await
            .unwrap()
            .is_none()
    );

    let known = kept.anomaly_get(&first.id).await.unwrap();
    assert_eq!(
        known
            .related_entries
            .iter()
            .map(|deed| deed.operation.as_str())
            .collect::<Vec<_>>(),
        ["ModifyInstanceAttribute"]
    );

    assert!(
        !known.cause_in_words().contains("ann@")
            && !known.evidence.iter().any(|text| text.contains("ann@")),
        "{known:?}"
    );

    let cause = known.cause_for(&[&known.related_entries[0]]);
    assert_eq!(
        cause.cause,
        "ann@example.com called ModifyInstanceAttribute on it at 2026-11-15 23:51 UTC"
    );

    // The entry of its investigation names it by its place in the log, and no stage tells more.
    world.clock.advance(SignedDuration::from_hours(12));
    world
        .log
        .record(vec![deed("StopInstances", 9)])
        .await
        .unwrap();

    let second = anomalies
        .report(finding(&world, "i-1", 0.7), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        !second
            .responses
            .iter()
            .any(|stage| stage.detail.contains("ann@")),
        "{:?}",
        second.responses
    );

    let entries = world.entries();
    let looked = |entry: &&Entry| entry.action.operation.as_deref() == Some("anomaly.investigate");
    let named = entries
        .iter()
        .rev()
        .find(looked)
        .unwrap()
        .metadata
        .extra
        .get("entries")
        .cloned();

    assert_eq!(
        named,
        Some(Json::from(vec![Json::from(
            second.related_entries[0].sequence
        )]))
    );

    // A log that cannot be read keeps nobody from being told.
    world
        .log
        .unreadable
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let third = anomalies
        .report(finding(&world, "i-2", 0.7), &system)
        .await
        .unwrap()
        .unwrap();
    assert!(third.related_entries.is_empty() && third.cause == Some(LikelyCause::Unknown));
}

#[tokio::test]
async fn what_people_say_is_learned_from() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let system = Caller::system();
    let first = anomalies
        .report(finding(&world, "i-1", 0.8), &system)
        .await
        .unwrap()
        .unwrap();

    let wrong = anomalies
        .feedback(&first.id, "maybe", None, &operator())
        .await;
    assert!(matches!(wrong, Err(EngineError::Invalid(errors)) if errors[0].path == "kind"));
    anomalies.acknowledge(&first.id, &operator()).await.unwrap();
    let ended = anomalies
        .feedback(&first.id, "false", Some("a nightly job"), &operator())
        .await
        .unwrap();
    assert_eq!(
        (ended.status, ended.feedback[0].by.as_str()),
        (AnomalyStatus::Resolved, "olga@example.com")
    );
    assert_eq!(ended.responses.last().unwrap().stage, Stage::Learn);
    assert_eq!(recorded(&world).last().unwrap(), "anomaly.learn");
    assert!(anomalies.acknowledge(&first.id, &operator()).await.is_err());

    world.clock.advance(SignedDuration::from_hours(24));
    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.8), &system)
            .await
            .unwrap()
            .is_none(),
        "the like of it stays quiet"
    );

    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.95), &system)
            .await
            .unwrap()
            .is_some(),
        "what is stranger does not"
    );

    assert!(
        anomalies
            .report(finding(&world, "i-2", 0.8), &system)
            .await
            .unwrap()
            .is_some(),
        "nor does another machine"
    );

    assert_eq!(kept.all.lock().len(), 3);
}

#[tokio::test]
async fn while_the_log_is_silent_nobody_is_notified() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    *world.log.silent_after.lock() = Some(0);
    let found = finding(&world, "i-1", 0.9);
    let reported = anomalies.report(found.clone(), &Caller::system()).await;
    assert!(matches!(reported, Err(EngineError::Record(_))));
    assert!(kept.all.lock()[0].responses.is_empty() && recorded(&world).is_empty());
    *world.log.silent_after.lock() = None;
    anomalies.report(found, &Caller::system()).await.unwrap();
    assert_eq!(
        recorded(&world),
        ["anomaly.detect", "anomaly.investigate", "anomaly.recommend"]
    );
}

#[tokio::test]
async fn settings_are_checked_versioned_and_recorded() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let read = kept.anomaly_settings_get().await.unwrap();
    let mut wanted = read.clone();
    wanted.cost.threshold_percent = 0.0;
    wanted.cost.window_hours = 0;
    let refused = anomalies.settings_put(wanted, &operator()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(errors)) if errors.len() == 2));

    let mut wanted = read.clone();
    wanted.cost.threshold_percent = 35.0;
    let stored = anomalies
        .settings_put(wanted.clone(), &operator())
        .await
        .unwrap();
    assert_eq!(
        (stored.version, stored.cost.threshold_percent),
        (read.version + 1, 35.0)
    );
    assert!(matches!(
        anomalies.settings_put(wanted, &operator()).await,
        Err(EngineError::Conflict(_))
    ));

    let entry = world.entries().pop().unwrap();
    assert_eq!(
        entry.changes.after.unwrap().get("cost.threshold_percent"),
        Some(&Json::from(35.0))
    );
}

#[test]
fn severe_events_are_found_and_ordinary_ones_are_not() {
    let settings = AnomalySettings::default();
    let mut watch = BehaviorWatch::default();
    let at = |minute: i64| Timestamp::from_second(1_794_787_200 + minute * 60).unwrap();
    let deed = |operation: &str, minute: i64| {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user("ann").with_email("ann@example.com"))
            .with_action(operation, ActionStatus::Success, ActionMethod::Api)
            .at(at(minute))
    };

    let ordinary = (0..500).filter_map(|minute| {
        watch.observe(&deed("DescribeInstances", minute), at(minute), &settings)
    });
    assert_eq!(ordinary.count(), 0);

    let grave = watch.observe(&deed("StopLogging", 501), at(501), &settings);
    let found = grave.expect("stopping the log is strange");
    assert_eq!(
        (found.class, found.place.id.as_str()),
        (AnomalyClass::Security, "ann@example.com")
    );
    assert!(!found.evidence.is_empty());

    let off = AnomalySettings {
        security: reeve_anomalies::SecuritySettings {
            behavioral_analysis: false,
            ..settings.security.clone()
        },
        ..settings
    };

    assert!(
        watch
            .observe(&deed("DeleteTrail", 502), at(502), &off)
            .is_none()
    );
}

#[test]
fn a_new_reader_of_a_secret_is_an_anomaly_of_the_secret() {
    let settings = AnomalySettings::default();
    let at = |hour: i64| Timestamp::from_second(1_794_787_200 + hour * 3_600).unwrap();
    let read = |who: &str, hour: i64| {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user(who).with_email(who))
            .on(ResourceRef::new("secret", "db-password").in_cloud("aws", "1", "eu-west-1"))
            .with_action("GetSecretValue", ActionStatus::Success, ActionMethod::Api)
            .at(at(hour))
    };

    for reports in [true, false] {
        let mut watch = BehaviorWatch::default();
        watch.report_resources(reports);
        let usual = (0..400)
            .filter_map(|hour| watch.observe(&read("app@example.com", hour), at(hour), &settings));
        assert_eq!(usual.count(), 0);

        // Another account has no peers in common with the usual reader.
        let mut new = read("eve@example.com", 401);
        new.resource.account_id = Some("2".to_owned());
        let found = watch.observe(&new, at(401), &settings);
        let of_secret = found.as_ref().map(|found| found.place.id.as_str());
        assert_eq!(of_secret, reports.then_some("db-password"), "{found:?}");
        if let Some(found) = found {
            assert_eq!(found.place.kind, "secret");
            let activity = found.activity.unwrap();
            assert!(activity.of_resource);
            assert_eq!(
                activity
                    .attack_techniques()
                    .map(|one| one.id)
                    .collect::<Vec<_>>(),
                ["T1555.006"]
            );
        }
    }
}

#[tokio::test]
async fn what_was_said_can_be_taken_back() {
    let world = World::new();
    let (anomalies, _) = anomalies(&world);
    let system = Caller::system();
    let first = anomalies
        .report(finding(&world, "i-1", 0.8), &system)
        .await
        .unwrap()
        .unwrap();

    assert!(
        matches!(
            anomalies.reopen(&first.id, &operator()).await,
            Err(EngineError::Conflict(_))
        ),
        "nothing to take back"
    );

    anomalies
        .feedback(&first.id, "false", None, &operator())
        .await
        .unwrap();
    let open = anomalies.reopen(&first.id, &operator()).await.unwrap();
    assert_eq!(
        (open.status, open.resolved_at, open.current_feedback()),
        (AnomalyStatus::Open, None, None)
    );
    assert_eq!(
        open.feedback[0].withdrawn.as_ref().unwrap().1,
        "olga@example.com",
        "it stays on record"
    );
    assert_eq!(recorded(&world).last().unwrap(), "anomaly.reopen");
    world.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(anomalies.settle(&system).await.unwrap(), 1);
    assert!(
        anomalies
            .report(finding(&world, "i-1", 0.8), &system)
            .await
            .unwrap()
            .is_some(),
        "it is no longer kept quiet"
    );

    anomalies
        .acknowledge(&first.id, &operator())
        .await
        .unwrap_err();
    let again = anomalies.reopen(&first.id, &operator()).await.unwrap();
    assert_eq!(
        (again.status, anomalies.settle(&system).await.unwrap()),
        (AnomalyStatus::Open, 0),
        "it is looked at anew"
    );
}

#[tokio::test]
async fn an_active_agents_change_is_undone_at_once_where_that_is_configured() {
    for (mode, reaction, expected) in [
        ("active", Reaction::AutoRemediate, "is being undone"),
        (
            "safe_mode",
            Reaction::AutoRemediate,
            "nothing was done: agent safe_mode agent is in mode safe_mode",
        ),
        ("active", Reaction::AutoInvestigate, ""),
    ] {
        let world = World::new();
        let (anomalies, kept) = anomalies(&world);
        kept.settings.lock().performance.action = reaction;
        world.machine("i-1", "t3.large", 5.0);
        let agent = world.agent(mode, false).await;
        world.run(&agent).await;
        let recommendation = world.on("i-1").await.remove(0);
        let action = world.execute(&recommendation).await;
        let found = anomalies
            .report(finding(&world, "i-1", 0.9), &Caller::system())
            .await
            .unwrap()
            .unwrap();
        let executed = found
            .responses
            .iter()
            .find(|response| response.stage == Stage::Execute);
        assert_eq!(executed.is_some(), !expected.is_empty(), "{mode} {found:?}");
        assert!(
            executed.is_none_or(|response| response.detail.contains(expected)),
            "{mode} {executed:?}"
        );
        world.engine.execution.settle().await;
        let after = world.memory.action_get(&action.id).await.unwrap();
        assert_eq!(
            after.status == Ended::RolledBack,
            expected == "is being undone",
            "{mode} {:?}",
            after.status
        );
        let order: Vec<Stage> = found
            .responses
            .iter()
            .map(|response| response.stage)
            .collect();
        let all = [
            Stage::Alert,
            Stage::Investigate,
            Stage::Recommend,
            Stage::Execute,
        ];
        assert_eq!(order, all[..if expected.is_empty() { 3 } else { 4 }]);
        assert_eq!(recorded(&world).len(), order.len());
    }
}

#[tokio::test]
async fn an_alert_alone_is_reported_and_not_investigated() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    kept.settings.lock().performance.action = Reaction::Alert;
    let found = anomalies
        .report(finding(&world, "i-1", 0.9), &Caller::system())
        .await
        .unwrap()
        .unwrap();

    assert_eq!(
        (recorded(&world), found.cause),
        (vec!["anomaly.detect".to_owned()], None)
    );

    let wrong = AnomalySettings::default();
    let wrong = AnomalySettings {
        cost: reeve_anomalies::CostSettings {
            action: Reaction::AlertAndQuarantine,
            ..wrong.cost.clone()
        },
        ..wrong
    };
    let refused = anomalies.settings_put(wrong, &operator()).await;

    assert!(
        matches!(refused, Err(EngineError::Invalid(errors)) if errors[0].path == "cost.action")
    );
}
