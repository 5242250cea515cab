//! Databases by what RDS says of them: maintenance, events, replication, maintenance windows.

use super::*;

/// A database that RDS says nothing bad of.
fn quiet(more: Value) -> Case {
    let mut document = json!({
        "DBInstanceArn": "r-1", "DBInstanceIdentifier": "r-1", "PendingMaintenance": [], "RecentEvents": [],
        "PreferredMaintenanceWindow": "tue:12:00-tue:12:30", "PreferredBackupWindow": "02:30-03:00",
    });
    for (name, value) in more.as_object().unwrap() {
        document[name] = value.clone();
    }
    Case::new(ResourceKind::Database, "rds").described(document)
}

fn about<'a>(judgement: &'a Judgement, aspect: &str) -> Option<&'a Proposal> {
    let mut all = judgement.proposals.iter();
    all.find(|one| one.subject.aspect.as_deref() == Some(aspect))
}

#[test]
fn maintenance_that_waits_is_found_and_the_earliest_named() {
    let none = quiet(json!({}));
    assert_eq!(
        none.prevention_code("maintenance"),
        ("no_maintenance", true)
    );
    let denied = quiet(json!({ "PendingMaintenance": "[not read]" }));
    assert_eq!(denied.prevention_code("maintenance"), ("not_read", false));

    let soon = now() + SignedDuration::from_hours(48);
    let details = json!([
        { "Action": "db-upgrade", "Description": "minor version" },
        { "Action": "system-update", "Description": "operating system", "AutoAppliedAfterDate": soon.to_string() },
    ]);
    let waiting = quiet(json!({
        "PendingMaintenance": [{ "ResourceIdentifier": "r-1", "PendingMaintenanceActionDetails": details }],
    }));
    let judgement = waiting.judge();
    let found = about(&judgement, "maintenance").unwrap();
    assert_eq!(
        (found.priority, found.plan.is_none()),
        (Priority::Medium, true)
    );
    assert!(
        found.explanation.action.contains("system-update"),
        "{}",
        found.explanation.action
    );
    let off = waiting.set("failure_prediction.enabled", SettingValue::Flag(false));
    assert_eq!(off.prevention_code("maintenance"), ("switched_off", true));
}

#[test]
fn events_are_news_for_three_days() {
    let event = |hours: i64| {
        let at = now() - SignedDuration::from_hours(hours);
        json!([{ "SourceIdentifier": "r-1", "Message": "The free storage is nearly used up", "Date": at.to_string() }])
    };
    let judgement = quiet(json!({ "RecentEvents": event(2) })).judge();
    let found = about(&judgement, "events").unwrap();
    let factors = found.explanation.factors.texts();
    assert!(
        factors.iter().any(|text| text.contains("nearly used up")),
        "{factors:?}"
    );
    let old = quiet(json!({ "RecentEvents": event(100) }));
    assert_eq!(old.prevention_code("events"), ("no_events", true));
}

#[test]
fn replicas_that_are_broken_or_behind_are_found() {
    let replica = |more: Value| {
        let mut document = json!({ "ReadReplicaSourceDBInstanceIdentifier": "orders" });
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        quiet(document)
    };
    assert_eq!(
        quiet(json!({})).prevention_code("replica"),
        ("no_replica", true)
    );
    assert_eq!(
        replica(json!({})).prevention_code("replica"),
        ("lag_not_measured", false)
    );
    let in_step = replica(json!({})).measured(Metric::ReplicaLag, 1, |_| 3.0);
    assert_eq!(in_step.prevention_code("replica"), ("in_step", true));

    let behind = replica(json!({})).measured(Metric::ReplicaLag, 1, |_| 900.0);
    let judgement = behind.judge();
    assert_eq!(
        about(&judgement, "replica").unwrap().priority,
        Priority::Medium
    );
    let infos = json!([{ "StatusType": "read replication", "Normal": false, "Status": "error", "Message": "duplicate key" }]);
    let judgement = replica(json!({ "StatusInfos": infos })).judge();
    let found = about(&judgement, "replica").unwrap();
    assert_eq!(found.priority, Priority::High);
    assert!(
        found.title.ends_with("which does not replicate"),
        "{}",
        found.title
    );
}

/// CPU by the hour of the week: busy on working days from 8 to 18, idle on Sunday from 3 to 5.
fn week(back: f64) -> f64 {
    let at = now().as_second() - (back * 86_400.0) as i64;
    let hour = (at.div_euclid(3600) + 72).rem_euclid(168);
    match (hour / 24, hour % 24) {
        (6, 3 | 4) => 2.0,
        (0..=4, 8..=17) => 70.0,
        _ => 20.0,
    }
}

#[test]
fn a_maintenance_window_at_a_busy_time_moves_to_the_quietest() {
    let measured = |window: &str| {
        quiet(json!({ "PreferredMaintenanceWindow": window })).measured(
            Metric::CpuUtilization,
            21,
            week,
        )
    };
    let judgement = measured("tue:12:00-tue:12:30").judge();
    let found = about(&judgement, "maintenance_window").unwrap();
    let plan = found.plan.as_ref().unwrap();
    assert_eq!(plan.change_name(), Some("move_database_maintenance"));
    assert!(plan.reversible && !plan.restart_needed);
    assert!(
        found.explanation.action.contains("sun:03:00-sun:05:00"),
        "{}",
        found.explanation.action
    );

    let kept = measured("sun:03:00-sun:03:30");
    assert_eq!(
        kept.prevention_code("maintenance_window"),
        ("window_is_quiet", true)
    );
    // The backup takes the quietest time.
    let backed_up = quiet(json!({ "PreferredBackupWindow": "03:30-04:00" })).measured(
        Metric::CpuUtilization,
        21,
        week,
    );
    let judgement = backed_up.judge();
    let found = about(&judgement, "maintenance_window");
    assert!(found.is_none_or(|found| !found.explanation.action.contains("sun:03:00")));
    let young = quiet(json!({})).measured(Metric::CpuUtilization, 5, week);
    assert_eq!(
        young.prevention_code("maintenance_window"),
        ("cpu_not_measured", false)
    );
}
