//! The watch over metrics: what is news to it, and what is not.

use std::sync::atomic::Ordering;

use jiff::{SignedDuration, Timestamp};
use reeve_anomalies::watch::MetricWatch;
use reeve_anomalies::{AnomalyClass, AnomalySettings, Changes, Finding, by_others, course};
use reeve_estate::{EstateStore as _, GIB, Metric, Resource, ResourceId, SampleSeries};
use reeve_recommend::ports::{AgentStore as _, Clock};

use crate::world::World;

/// The only CPU series there is.
fn measured(world: &World, period_s: u32, points: Vec<(Timestamp, f64)>) {
    measured_of(world, Metric::CpuUtilization, period_s, points);
}

/// The only series there is of a metric.
fn measured_of(world: &World, metric: Metric, period_s: u32, points: Vec<(Timestamp, f64)>) {
    let mut series = world.memory.series.lock();
    series.retain(|series| series.metric != metric);
    series.push(SampleSeries {
        resource: ResourceId::new("i-1"),
        metric,
        points,
        period_s,
    });
}

/// Seeded chance of a minute, from -0.5 to 0.5.
fn chance(minute: i64) -> f64 {
    let mut z = (minute as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// Returns the value that a site shows in one minute: a daily wave with much scatter.
fn minute(minute: i64) -> f64 {
    40.0 + 15.0 * (minute as f64 / 1440.0 * std::f64::consts::TAU).sin() + 12.0 * chance(minute)
}

/// The mean of the five minutes from one on.
fn five_minutes(from: i64) -> f64 {
    (from..from + 5).map(minute).sum::<f64>() / 5.0
}

async fn look(world: &World, watch: &mut MetricWatch) -> Vec<Finding> {
    let settings = AnomalySettings::default();
    let actions = world.memory.action_list(None, None).await.unwrap();
    watch
        .look(
            &*world.memory,
            &*world.memory,
            &actions,
            &settings,
            world.clock.now(),
        )
        .await
        .unwrap()
}

#[tokio::test]
async fn resources_without_new_samples_are_not_read_again() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    world.machine("i-2", "t3.large", 5.0);
    let hours = |from: i64| -> Vec<(Timestamp, f64)> {
        (2..from)
            .rev()
            .map(|hour| (world.clock.now() - SignedDuration::from_hours(hour), 40.0))
            .collect()
    };

    world.memory.series.lock().clear();
    measured(&world, 3600, hours(10));
    let mut watch = MetricWatch::default();
    let mut listings = async |no_new_samples: bool| {
        world
            .memory
            .no_new_samples
            .store(no_new_samples, Ordering::SeqCst);
        let before = world.memory.listings.load(Ordering::SeqCst);
        look(&world, &mut watch).await;
        world.memory.listings.load(Ordering::SeqCst) - before
    };
    assert_eq!(listings(true).await, 1, "the first look reads everything");

    assert_eq!(listings(true).await, 0, "nothing is new");
    assert_eq!(listings(false).await, 0, "what is new from here on");
    assert_eq!(
        listings(false).await,
        0,
        "was inserted, but not newer than what was judged"
    );

    let mut points = hours(10);
    points.push((world.clock.now() - SignedDuration::from_hours(1), 40.0));
    measured(&world, 3600, points);
    assert_eq!(listings(false).await, 1, "is read by the next look");
}

#[tokio::test]
async fn a_jump_of_a_metric_is_found_once_it_is_news() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();
    let wave = |at: i64| {
        30.0 + 10.0 * (at as f64 / 288.0 * std::f64::consts::TAU).sin()
            + f64::from((at * 37 % 11) as u8) / 5.0
    };

    let mut points: Vec<(Timestamp, f64)> = (0..14 * 288)
        .map(|at| {
            (
                now - SignedDuration::from_mins((14 * 288 - at) * 5),
                wave(at),
            )
        })
        .collect();
    measured(&world, 300, points.clone());

    let mut watch = MetricWatch::default();
    let quiet = look(&world, &mut watch).await;
    assert!(quiet.is_empty(), "{quiet:?}");
    points.extend((0..6).map(|at| (now + SignedDuration::from_mins(at * 5), 99.0)));
    measured(&world, 300, points.clone());
    world.clock.advance(SignedDuration::from_mins(32));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].class, found[0].place.id.as_str()),
        (AnomalyClass::Performance, "i-1")
    );
    assert!(
        found[0]
            .title
            .starts_with("CPU of i-1-name rose to 99 %, usually"),
        "{}",
        found[0].title
    );

    let strangest = &found[0].readings[0];
    assert!(
        strangest.value == 99.0 && strangest.high < 99.0 && strangest.expected < 50.0,
        "{strangest:?}"
    );
    assert!(
        look(&world, &mut watch).await.is_empty(),
        "the same points again"
    );

    // After a restart it is no news; without the mark it would be.
    let mut restarted = MetricWatch::after(Some(world.clock.now() + SignedDuration::from_mins(60)));
    assert!(look(&world, &mut restarted).await.is_empty());
    assert_eq!(look(&world, &mut MetricWatch::default()).await.len(), 1);

    // The course shows the band beside what was observed.
    let series = world
        .memory
        .series
        .lock()
        .iter()
        .find(|one| one.metric == Metric::CpuUtilization)
        .unwrap()
        .clone();

    let (from, to) = (now - SignedDuration::from_hours(2), world.clock.now());
    let points = course(&series, &Changes::default(), from, to, world.clock.now());
    assert_eq!(points.len(), 24 + 6);

    let usual = points[..24]
        .iter()
        .filter(|one| (one.low..=one.high).contains(&one.value))
        .count();
    assert!(
        usual >= 22 && points[24].high < 99.0 && points[24].score >= 0.5,
        "{usual} {:?}",
        points[24]
    );
}

#[tokio::test]
async fn a_size_that_reeve_changed_itself_is_no_trouble() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let begun = world.clock.now();
    let action = world.execute(&recommendation).await;
    let ended = action.finished_at.unwrap();
    assert_eq!(
        recommendation.subject.target_type.as_deref(),
        Some("t3.medium")
    );

    // Half the memory: the same need is twice the percentage; at the end it is three times that.
    let need = |step: i64| five_minutes(step * 5) / 4.0;
    let five = |from: Timestamp, step: i64| from + SignedDuration::from_mins(step * 5);
    let mut points: Vec<_> = (-14 * 288..0)
        .map(|step| (five(begun, step), need(step)))
        .collect();
    points.push((five(begun, 0), 97.0));
    points.extend((1..=60).map(|step| (five(ended, step), 2.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points.clone());
    let (mut watch, mut blind) = (MetricWatch::default(), MetricWatch::default());
    world.clock.advance(SignedDuration::from_mins(5 * 61));
    let found = look(&world, &mut watch).await;
    assert!(found.is_empty(), "{found:?}");

    let settings = AnomalySettings::default();
    let startled = blind
        .look(
            &*world.memory,
            &*world.memory,
            &[],
            &settings,
            world.clock.now(),
        )
        .await
        .unwrap();

    assert_eq!(
        startled.len(),
        1,
        "who does not know of the change is startled"
    );
    points.extend((61..=72).map(|step| (five(ended, step), 6.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points);
    world.clock.advance(SignedDuration::from_hours(1));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");

    let strangest = &found[0].readings[0];
    assert!(
        (15.0..40.0).contains(&strangest.expected) && strangest.value > 40.0,
        "by the size it has: {strangest:?}"
    );

    // The course shows the same, point by point.
    let series = world
        .memory
        .series
        .lock()
        .iter()
        .find(|one| one.metric == Metric::MemoryUtilization)
        .unwrap()
        .clone();

    let mut own = Changes::default();
    own.learn(
        &world.memory.action_list(None, None).await.unwrap(),
        world.clock.now(),
    );
    let points = course(&series, &own, ended, world.clock.now(), world.clock.now());
    let loud: Vec<f64> = points
        .iter()
        .filter(|one| one.score >= 0.5)
        .map(|one| one.value)
        .collect();

    assert!(
        points.len() > 60 && loud.len() >= 10 && loud.iter().all(|value| *value > 60.0),
        "{loud:?}"
    );
}

/// A machine that somebody gives another size between two syncs, and what it needs of its memory,
/// in percent of the first size.
async fn resized_by_somebody(world: &World, before: &str, after: &str) -> (Timestamp, Timestamp) {
    world.machine("i-1", before, 5.0);
    let changed = world.clock.now();
    let known = world
        .memory
        .resource_get(&ResourceId::new("i-1"))
        .await
        .unwrap();

    let mut seen = Resource {
        observed_at: changed + SignedDuration::from_mins(10),
        ..known.clone()
    };
    seen.specification.instance_type = Some(after.to_owned());
    let known = Resource {
        observed_at: changed - SignedDuration::from_mins(10),
        ..known
    };
    world.memory.resource_put(&known).await.unwrap();
    let seen_at = seen.observed_at;
    world
        .memory
        .resource_sync(&known.connection, &[seen], &[])
        .await
        .unwrap();

    (changed, seen_at)
}

#[tokio::test]
async fn a_size_that_somebody_else_changed_is_no_trouble_either() {
    let world = World::new();
    let (changed, seen_at) = resized_by_somebody(&world, "t3.large", "t3.medium").await;

    // Twice the percentage from the change on, with a wild point while nobody knows which size it
    // has.
    let need = |step: i64| five_minutes(step * 5) / 4.0;
    let five = |step: i64| changed + SignedDuration::from_mins(step * 5);
    let mut points: Vec<_> = (-14 * 288..0)
        .map(|step| (five(step), need(step)))
        .collect();
    points.push((five(0), 97.0));
    points.extend((1..=60).map(|step| (five(step), 2.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points.clone());
    world.clock.advance(SignedDuration::from_mins(5 * 61));
    let mut watch = MetricWatch::default();
    let found = look(&world, &mut watch).await;
    assert!(found.is_empty(), "{found:?}");

    let changes = std::mem::take(&mut *world.memory.seen.lock());
    assert_eq!(
        look(&world, &mut MetricWatch::default()).await.len(),
        1,
        "who does not know of it is startled"
    );
    *world.memory.seen.lock() = changes.clone();

    // What goes beyond it is one, seen from the size that it has; the course shows the same.
    points.extend((61..=72).map(|step| (five(step), 6.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points);
    world.clock.advance(SignedDuration::from_hours(1));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");

    let strangest = &found[0].readings[0];
    assert!(
        (15.0..40.0).contains(&strangest.expected) && strangest.value > 40.0,
        "{strangest:?}"
    );

    let series = world
        .memory
        .series
        .lock()
        .iter()
        .find(|one| one.metric == Metric::MemoryUtilization)
        .unwrap()
        .clone();

    let mut known = Changes::default();
    known.learn_seen(&changes);
    let now = world.clock.now();
    let points = course(
        &series,
        &known,
        changed - SignedDuration::from_hours(1),
        now,
        now,
    );

    assert!(
        points
            .iter()
            .all(|one| one.at < changed - SignedDuration::from_mins(15) || one.at > seen_at)
    );

    let loud: Vec<f64> = points
        .iter()
        .filter(|one| one.score >= 0.5)
        .map(|one| one.value)
        .collect();

    assert!(
        points.len() > 60 && loud.len() >= 10 && loud.iter().all(|value| *value > 60.0),
        "{loud:?}"
    );
}

#[tokio::test]
async fn a_change_that_an_inventory_saw_too_counts_once() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let begun = world.clock.now();
    let known = world
        .memory
        .resource_get(&ResourceId::new("i-1"))
        .await
        .unwrap();
    let action = world.execute(&recommendation).await;
    let ended = action.finished_at.unwrap();

    // Two connections saw it as well.
    let mut seen = world.memory.resource_get(&known.id).await.unwrap();
    seen.observed_at = ended + SignedDuration::from_mins(3);

    for connection in ["c-1", "c-2"] {
        let connection = reeve_estate::ConnectionId(connection.to_owned());
        let changes = reeve_estate::change::between(
            &known,
            &Resource {
                connection,
                ..seen.clone()
            },
        );
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(
            by_others(&changes, std::slice::from_ref(&action)).is_empty(),
            "it was Reeve's"
        );
        assert_eq!(by_others(&changes, &[]).len(), 1);
        world.memory.seen.lock().extend(changes);
    }

    let need = |step: i64| five_minutes(step * 5) / 4.0;
    let five = |from: Timestamp, step: i64| from + SignedDuration::from_mins(step * 5);
    let mut points: Vec<_> = (-14 * 288..0)
        .map(|step| (five(begun, step), need(step)))
        .collect();
    points.extend((1..=60).map(|step| (five(ended, step), 2.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points);
    world.clock.advance(SignedDuration::from_mins(5 * 61));
    let found = look(&world, &mut MetricWatch::default()).await;
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn storage_that_somebody_added_is_no_trouble() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();
    let known = world
        .memory
        .resource_get(&ResourceId::new("i-1"))
        .await
        .unwrap();

    let sized = |gib: f64, observed_at: Timestamp| {
        let mut recommendation = Resource {
            observed_at,
            ..known.clone()
        };
        recommendation.specification.storage_gib = Some(gib);
        recommendation
    };

    let mins = SignedDuration::from_mins;
    world
        .memory
        .resource_put(&sized(100.0, now - mins(10)))
        .await
        .unwrap();

    world
        .memory
        .resource_sync(&known.connection, &[sized(200.0, now + mins(10))], &[])
        .await
        .unwrap();

    // It fills slowly; 100 GiB come at once, and nobody knows when between two syncs.
    let free = |step: i64| {
        (60.0 + five_minutes(step * 5) / 40.0 + if step >= 0 { 100.0 } else { 0.0 }) * GIB
    };

    let points = (-14 * 288..72)
        .map(|step| (now + mins(step * 5), free(step)))
        .collect();
    measured_of(&world, Metric::FreeStorage, 300, points);
    world.clock.advance(mins(5 * 73));
    let found = look(&world, &mut MetricWatch::default()).await;
    assert!(found.is_empty(), "{found:?}");
    world.memory.seen.lock().clear();
    assert_eq!(look(&world, &mut MetricWatch::default()).await.len(), 1);
}

#[tokio::test]
async fn another_spacing_of_samples_is_no_trouble() {
    for (before, after) in [(5, 1), (1, 5)] {
        let world = World::new();
        world.machine("i-1", "t3.large", 5.0);
        let now = world.clock.now();
        let at = |minute: i64| now + SignedDuration::from_mins(minute);
        let value = |step: i64, from: i64| {
            if step == 1 {
                minute(from)
            } else {
                five_minutes(from)
            }
        };
        let days = |from: i64, to: i64, step: i64| {
            (from * 1440..to * 1440)
                .step_by(step as usize)
                .map(move |from| (at(from), value(step, from)))
        };
        let mut points: Vec<_> = days(-15, 0, before).collect();
        measured(&world, before as u32 * 60, points.clone());
        let mut watch = MetricWatch::default();
        look(&world, &mut watch).await;
        points.extend(days(0, 2, after));
        measured(&world, after as u32 * 60, points);
        for _ in 0..8 {
            world.clock.advance(SignedDuration::from_hours(6));
            let found = look(&world, &mut watch).await;
            assert!(found.is_empty(), "{before} to {after} minutes: {found:?}");
        }
    }
}

#[tokio::test]
async fn a_monitoring_agent_that_starts_again_is_no_trouble() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();

    // Silent for five minutes to nine hours, at different times of the day, in the last two days.
    let silent = [
        (-2800, 10),
        (-2300, 60),
        (-1700, 540),
        (-700, 180),
        (-200, 30),
    ];

    let dark = |minute: i64| {
        silent
            .iter()
            .any(|(from, length)| (*from..from + length).contains(&minute))
    };
    let steps = (-16 * 1440..0).step_by(5).filter(|from| !dark(*from));

    let points = steps
        .map(|from| (now + SignedDuration::from_mins(from), five_minutes(from)))
        .collect();
    measured(&world, 300, points);
    let found = look(&world, &mut MetricWatch::default()).await;
    assert!(found.is_empty(), "{found:?}");
}
