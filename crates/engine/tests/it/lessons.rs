//! Learning: answers of people and outcomes of remedies move thresholds and baselines, within
//! bounds, and can be taken back.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_access::Role;
use reeve_anomalies::watch::MetricWatch;
use reeve_anomalies::{
    Anomaly, AnomalyService, AnomalySettings, AnomalyStore as _, Finding, LessonKind,
    LessonThresholds, Reaction, Reading, Sensitivity, Stage,
};
use reeve_audit::{ActionStatus, Json};
use reeve_engine::AgentInput;
use reeve_estate::{Metric, ResourceId, SampleSeries};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore as _, Clock};
use reeve_recommend::recommendation::lifecycle::Status;

use crate::anomalies::{anomalies, finding};
use crate::world::{World, operator, person};

/// A deviation of so many usual bands.
fn strange(world: &World, bands: f64, score: f64) -> Finding {
    let found = finding(world, "i-1", score);
    let reading = Reading {
        value: 30.0 + 10.0 * bands,
        expected: 30.0,
        low: 20.0,
        high: 40.0,
        ..found.readings[0].clone()
    };

    Finding {
        readings: vec![reading],
        ..found
    }
}

/// Reports a deviation half a day after the last.
async fn report(
    world: &World,
    service: &AnomalyService,
    bands: f64,
    score: f64,
) -> Option<Anomaly> {
    world.clock.advance(SignedDuration::from_hours(12));
    service
        .report(strange(world, bands, score), &Caller::system())
        .await
        .unwrap()
}

#[tokio::test]
async fn three_false_alarms_raise_the_threshold_beyond_them_until_it_is_reset() {
    let world = World::new();
    let (service, _) = anomalies(&world);

    // Each scores higher than the last, so that the quiet of thirty days keeps none of them back.
    for (number, score) in [0.6, 0.65, 0.7].into_iter().enumerate() {
        let of = report(&world, &service, 2.0, score)
            .await
            .unwrap_or_else(|| panic!("false alarm {number}"));
        service
            .feedback(&of.id, "false", None, &operator())
            .await
            .unwrap();
    }

    let all = service.thresholds().await.unwrap();
    let moved = all.list()[0].clone();
    assert!((moved.factor - 2.2).abs() < 1e-9, "{moved:?}");
    assert_eq!(
        moved.reason(),
        "raised beyond the last three false alarms; 3 false alarms and 0 confirmed anomalies count"
    );
    assert!(
        report(&world, &service, 2.0, 0.99).await.is_none(),
        "the same deviation, however it is scored"
    );

    let bigger = report(&world, &service, 2.5, 0.99)
        .await
        .expect("a bigger one is reported");
    let other = Finding {
        place: finding(&world, "i-2", 0.9).place,
        ..strange(&world, 2.0, 0.9)
    };
    assert!(
        service
            .report(other, &Caller::system())
            .await
            .unwrap()
            .is_some(),
        "and any of another machine"
    );

    let of_it = service.thresholds_of(&bigger).await.unwrap();
    assert_eq!((of_it.len(), of_it[0].factor), (1, moved.factor));

    let missing = service.threshold_reset("none", &operator()).await;
    assert!(
        matches!(missing, Err(EngineError::NotFound { .. })),
        "{missing:?}"
    );

    let reset = service
        .threshold_reset(&moved.key.id(), &operator())
        .await
        .unwrap();
    assert_eq!((reset.factor, reset.lessons.len()), (1.0, 0));

    let entries = world.entries();
    let entry = entries
        .iter()
        .rfind(|one| one.action.operation.as_deref() == Some("anomaly_threshold.reset"))
        .unwrap();
    assert_eq!(entry.action.status, Some(ActionStatus::Success));

    let before = entry.changes.before.as_ref().unwrap();
    assert_eq!(
        (before.get("lessons"), before.get("factor")),
        (Some(&Json::from(3_u32)), Some(&Json::from(moved.factor)))
    );
    world.clock.advance(SignedDuration::from_hours(24 * 31));
    assert!(
        report(&world, &service, 2.0, 0.7).await.is_some(),
        "it is reported as before"
    );
}

#[tokio::test]
async fn an_answer_that_is_taken_back_no_longer_counts() {
    let world = World::new();
    let (service, kept) = anomalies(&world);
    let mut last = None;

    for score in [0.6, 0.65, 0.7] {
        let of = report(&world, &service, 2.0, score).await.unwrap();
        last = Some(
            service
                .feedback(&of.id, "false", None, &operator())
                .await
                .unwrap(),
        );
    }

    let last = last.unwrap();
    let learned = last.responses.last().unwrap();
    assert_eq!(learned.stage, Stage::Learn);
    assert!(
        learned
            .detail
            .ends_with("the threshold moved from 1 of the usual band to 2.2 of the usual band"),
        "{}",
        learned.detail
    );

    service.reopen(&last.id, &operator()).await.unwrap();
    assert_eq!(service.thresholds().await.unwrap().list()[0].factor, 1.0);

    let withdrawn = kept
        .lessons
        .lock()
        .iter()
        .filter(|one| one.withdrawn.is_some())
        .count();
    assert_eq!(withdrawn, 1, "it stays on record");

    // "Planned" teaches nothing.
    service
        .feedback(&last.id, "planned", None, &operator())
        .await
        .unwrap();
    assert_eq!(
        service.thresholds().await.unwrap().list()[0].lessons.len(),
        2
    );
}

#[tokio::test]
async fn a_remedy_that_held_counts_as_a_confirmation() {
    let world = World::new();
    let (service, kept) = anomalies(&world);
    kept.settings.lock().performance.action = Reaction::AutoRemediate;
    world.machine("i-1", "m5.large", 30.0);
    let text = |text: &str| Some(text.to_owned());
    let input = AgentInput {
        agent_type: text("performance_optimizer"),
        name: text("p"),
        mode: text("active"),
        auto_apply_enabled: Some(true),
        auto_apply_max_impact: text("high"),
        auto_apply_approval_required: text("high"),
        reason: text("a test"),
        ..AgentInput::default()
    };

    world
        .engine
        .agents
        .agent_create(input, &person("admin", &[Role::Administrator]))
        .await
        .unwrap();

    let mut limits = world.memory.guardrails_get().await.unwrap();
    limits.max_cost_increase_percent = 500.0;
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();
    let of = report(&world, &service, 3.0, 0.9).await.unwrap();
    world.engine.execution.settle().await;
    assert_eq!(world.only("i-1").await.status, Status::Succeeded);
    service.settle(&Caller::system()).await.unwrap();
    let learned = kept.anomaly_get(&of.id).await.unwrap();
    let detail = &learned.responses.last().unwrap().detail;
    assert!(
        detail.starts_with("the remedy worked, so it counts as a true positive"),
        "{detail}"
    );
    assert_eq!(learned.responses.last().unwrap().stage, Stage::Learn);
    assert_eq!(kept.lessons.lock()[0].kind, LessonKind::RemedyHeld);
    assert!((service.thresholds().await.unwrap().list()[0].factor - 0.9).abs() < 1e-9);

    let count = learned.responses.len();
    service.settle(&Caller::system()).await.unwrap();
    assert_eq!(
        kept.anomaly_get(&of.id).await.unwrap().responses.len(),
        count,
        "it is learned once"
    );
}

/// Seeded scatter from -0.5 to 0.5.
fn chance(step: i64) -> f64 {
    let mut z = (step as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// Two weeks of a day's wave with scatter, then eight days with a spike each, at another hour and
/// higher every day.
fn record(world: &World, metric: Metric) {
    let begun = world.clock.now();
    let at = |step: i64| begun + SignedDuration::from_mins(step * 5);
    let usual = |step: i64| {
        40.0 + 6.0 * (step as f64 / 288.0 * std::f64::consts::TAU).sin() + 3.0 * chance(step)
    };

    let heights = [2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0];
    let spike = |step: i64| {
        let (day, of_day) = (step.div_euclid(288), step.rem_euclid(288));
        let start = 60 + (day * 37) % 150;
        let height = usize::try_from(day)
            .ok()
            .and_then(|day| heights.get(day).copied());
        height
            .filter(|_| (start..=start + 1).contains(&of_day))
            .unwrap_or_default()
    };

    let points = (-14 * 288..8 * 288)
        .map(|step| (at(step), usual(step) + spike(step)))
        .collect();
    let series = SampleSeries {
        resource: ResourceId::new("i-1"),
        metric,
        points,
        period_s: 300,
    };
    let mut all = world.memory.series.lock();
    all.retain(|one| one.metric != metric);

    all.push(series);
}

/// Days of the record on which a watch finds something, from its beginning on.
async fn found(
    world: &World,
    begun: Timestamp,
    settings: &AnomalySettings,
    thresholds: LessonThresholds,
) -> BTreeSet<i64> {
    let mut watch = MetricWatch::default();
    watch.set_thresholds(thresholds);
    let day = |at: Timestamp| at.duration_since(begun).as_hours() / 24;
    let mut days = BTreeSet::new();

    for hour in 0..=8 * 24 {
        let now = begun + SignedDuration::from_hours(hour) + SignedDuration::from_mins(10);
        let found = watch
            .look(&*world.memory, &*world.memory, &[], settings, now)
            .await
            .unwrap();
        days.extend(
            found
                .into_iter()
                .map(|one| one.started_at)
                .filter(|at| *at >= begun)
                .map(day),
        );
    }

    days
}

#[tokio::test]
async fn the_stored_sensitivity_decides_which_deviations_of_a_record_are_found() {
    let world = World::new();
    let (service, kept) = anomalies(&world);
    world.put(crate::world::resource(
        "i-1",
        reeve_estate::ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    record(&world, Metric::CpuUtilization);
    let mut sets = Vec::new();

    for sensitivity in [Sensitivity::Low, Sensitivity::Medium, Sensitivity::High] {
        let mut wanted = kept.anomaly_settings_get().await.unwrap();
        wanted.performance.sensitivity = sensitivity;
        service.settings_put(wanted, &operator()).await.unwrap();
        let stored = kept.anomaly_settings_get().await.unwrap();
        sets.push(
            found(
                &world,
                world.clock.now(),
                &stored,
                LessonThresholds::default(),
            )
            .await,
        );
    }

    let [low, medium, high] = <[BTreeSet<i64>; 3]>::try_from(sets).unwrap();
    assert!(
        !low.is_empty() && low.is_subset(&medium) && medium.is_subset(&high),
        "{low:?} {medium:?} {high:?}"
    );
    assert!(
        low.len() < medium.len() && medium.len() < high.len(),
        "{low:?} {medium:?} {high:?}"
    );
}

#[tokio::test]
async fn confirmed_anomalies_make_the_detector_of_their_metric_more_sensitive() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world.put(crate::world::resource(
        "i-1",
        reeve_estate::ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    record(&world, Metric::CpuUtilization);
    let settings = AnomalySettings::default();
    let begun = world.clock.now();
    let before = found(&world, begun, &settings, LessonThresholds::default()).await;

    for _ in 0..5 {
        let of = report(&world, &service, 3.0, 0.9).await.unwrap();
        service
            .feedback(&of.id, "real", None, &operator())
            .await
            .unwrap();
    }

    let learned = service.thresholds().await.unwrap();
    assert!(
        (learned.list()[0].factor - 0.7).abs() < 1e-9,
        "bounded: {}",
        learned.list()[0].factor
    );

    let after = found(&world, begun, &settings, learned).await;
    assert!(
        before.is_subset(&after) && before.len() < after.len(),
        "{before:?} then {after:?}"
    );
}

#[tokio::test]
async fn every_metric_of_the_kinds_is_watched_and_has_its_class() {
    for metric in [
        Metric::ResponseTime,
        Metric::ErrorRate,
        Metric::RequestRate,
        Metric::DatabaseConnections,
        Metric::FreeStorage,
        Metric::CpuCreditBalance,
        Metric::MemoryUtilization,
        Metric::NetworkIn,
        Metric::DiskReadOps,
        Metric::DiskWrite,
    ] {
        let world = World::new();
        world.put(crate::world::resource(
            "i-1",
            reeve_estate::ResourceKind::VirtualMachine,
            Some("m5.large"),
        ));
        record(&world, metric);
        let mut watch = MetricWatch::default();
        let settings = AnomalySettings::default();
        let now =
            world.clock.now() + SignedDuration::from_hours(8 * 24) + SignedDuration::from_mins(10);
        let all = watch
            .look(&*world.memory, &*world.memory, &[], &settings, now)
            .await
            .unwrap();
        let one = all
            .first()
            .unwrap_or_else(|| panic!("{metric} is not watched"));
        assert_eq!(
            (one.readings[0].metric, one.class),
            (
                Some(metric),
                reeve_anomalies::AnomalyClass::of_metric(metric)
            )
        );
    }
}

#[tokio::test]
async fn a_new_normal_begins_the_baseline_anew() {
    let world = World::new();
    let (service, kept) = anomalies(&world);
    world.put(crate::world::resource(
        "i-1",
        reeve_estate::ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    let begun = world.clock.now();
    let at = |step: i64| begun + SignedDuration::from_mins(step * 5);

    // From now on it has twice the load.
    let value = |step: i64| {
        if step < 0 {
            30.0 + 2.0 * chance(step)
        } else {
            60.0 + 2.0 * chance(step)
        }
    };

    let points = (-14 * 288..144)
        .map(|step| (at(step), value(step)))
        .collect();
    let (resource, metric) = (ResourceId::new("i-1"), Metric::CpuUtilization);
    world.memory.series.lock().push(SampleSeries {
        resource,
        metric,
        points,
        period_s: 300,
    });

    let settings = AnomalySettings::default();
    let mut watch = MetricWatch::default();
    let now = at(145);
    let first = watch
        .look(&*world.memory, &*world.memory, &[], &settings, now)
        .await
        .unwrap()
        .remove(0);

    let of = service
        .report(first, &Caller::system())
        .await
        .unwrap()
        .unwrap();

    let said = service
        .feedback(&of.id, "new_normal", None, &operator())
        .await
        .unwrap();
    assert!(
        said.responses
            .last()
            .unwrap()
            .detail
            .contains("the baseline restarts")
    );

    assert_eq!(kept.lessons.lock()[0].kind, LessonKind::NewNormal);

    let mut restarted = MetricWatch::default();
    restarted.set_thresholds(service.thresholds().await.unwrap());
    let after = restarted
        .look(&*world.memory, &*world.memory, &[], &settings, now)
        .await
        .unwrap();
    assert!(after.is_empty(), "the level is usual: {after:?}");

    // A watch that runs on takes the moved baseline at its next look.
    watch.set_thresholds(service.thresholds().await.unwrap());
    assert!(
        watch
            .look(&*world.memory, &*world.memory, &[], &settings, now)
            .await
            .unwrap()
            .is_empty()
    );
}
