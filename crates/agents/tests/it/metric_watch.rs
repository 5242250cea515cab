//! The watch over metrics: what is news to it, and what is not.

use jiff::{SignedDuration, Timestamp};
use reeve_agents::anomaly::watch::MetricWatch;
use reeve_agents::anomaly::{AnomalyClass, AnomalySettings, Finding, OwnChanges, course};
use reeve_agents::{AgentStore as _, Clock};
use reeve_estate::{Metric, ResourceId, Series};

use crate::world::World;

/// The only CPU series there is.
fn measured(world: &World, period_s: u32, points: Vec<(Timestamp, f64)>) {
    measured_of(world, Metric::CpuUtilization, period_s, points);
}

/// The only series there is of a metric.
fn measured_of(world: &World, metric: Metric, period_s: u32, points: Vec<(Timestamp, f64)>) {
    let mut series = world.memory.series.lock();
    series.retain(|series| series.metric != metric);
    series.push(Series { resource: ResourceId::new("i-1"), metric, points, period_s });
}

/// Seeded chance of a minute, from -0.5 to 0.5.
fn chance(minute: i64) -> f64 {
    let mut z = (minute as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// What a site shows in one minute: the day's wave, and much scatter.
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
    watch.look(&*world.memory, &*world.memory, &actions, &settings, world.clock.now()).await.unwrap()
}

#[tokio::test]
async fn a_jump_of_a_metric_is_found_once_it_is_news() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();
    let wave = |at: i64| {
        30.0 + 10.0 * (at as f64 / 288.0 * std::f64::consts::TAU).sin() + f64::from((at * 37 % 11) as u8) / 5.0
    };
    let mut points: Vec<(Timestamp, f64)> =
        (0..14 * 288).map(|at| (now - SignedDuration::from_mins((14 * 288 - at) * 5), wave(at))).collect();
    measured(&world, 300, points.clone());
    let mut watch = MetricWatch::default();
    let quiet = look(&world, &mut watch).await;
    assert!(quiet.is_empty(), "{quiet:?}");
    points.extend((0..6).map(|at| (now + SignedDuration::from_mins(at * 5), 99.0)));
    measured(&world, 300, points.clone());
    world.clock.advance(SignedDuration::from_mins(32));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].class, found[0].place.id.as_str()), (AnomalyClass::Performance, "i-1"));
    assert!(found[0].title.starts_with("CPU of i-1-name rose to 99 %, usually"), "{}", found[0].title);
    let strangest = &found[0].readings[0];
    assert!(strangest.value == 99.0 && strangest.high < 99.0 && strangest.expected < 50.0, "{strangest:?}");
    assert!(look(&world, &mut watch).await.is_empty(), "the same points again");
    // After a restart it is no news; without the mark it would be.
    let mut restarted = MetricWatch::after(Some(world.clock.now() + SignedDuration::from_mins(60)));
    assert!(look(&world, &mut restarted).await.is_empty());
    assert_eq!(look(&world, &mut MetricWatch::default()).await.len(), 1);
    // The course shows the band beside what was observed.
    let series = world.memory.series.lock().iter().find(|one| one.metric == Metric::CpuUtilization).unwrap().clone();
    let (from, to) = (now - SignedDuration::from_hours(2), world.clock.now());
    let points = course(&series, &OwnChanges::default(), from, to, world.clock.now());
    assert_eq!(points.len(), 24 + 6);
    let usual = points[..24].iter().filter(|one| (one.low..=one.high).contains(&one.value)).count();
    assert!(usual >= 22 && points[24].high < 99.0 && points[24].score >= 0.5, "{usual} {:?}", points[24]);
}

#[tokio::test]
async fn a_size_that_reeve_changed_itself_is_no_trouble() {
    let world = World::new();
    let of = world.right_size("i-1", "t3.large").await;
    let begun = world.clock.now();
    let action = world.execute(&of).await;
    let ended = action.finished_at.unwrap();
    assert_eq!(of.subject.target_type.as_deref(), Some("t3.medium"));
    // Half the memory: the same need is twice the percentage; at the end it is three times that.
    let need = |step: i64| five_minutes(step * 5) / 4.0;
    let five = |from: Timestamp, step: i64| from + SignedDuration::from_mins(step * 5);
    let mut points: Vec<_> = (-14 * 288..0).map(|step| (five(begun, step), need(step))).collect();
    points.push((five(begun, 0), 97.0));
    points.extend((1..=60).map(|step| (five(ended, step), 2.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points.clone());
    let (mut watch, mut blind) = (MetricWatch::default(), MetricWatch::default());
    world.clock.advance(SignedDuration::from_mins(5 * 61));
    let found = look(&world, &mut watch).await;
    assert!(found.is_empty(), "{found:?}");
    let settings = AnomalySettings::default();
    let startled = blind.look(&*world.memory, &*world.memory, &[], &settings, world.clock.now()).await.unwrap();
    assert_eq!(startled.len(), 1, "who does not know of the change is startled");
    points.extend((61..=72).map(|step| (five(ended, step), 6.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points);
    world.clock.advance(SignedDuration::from_hours(1));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let strangest = &found[0].readings[0];
    assert!((15.0..40.0).contains(&strangest.expected) && strangest.value > 40.0, "by the size it has: {strangest:?}");
    // The course shows the same, point by point.
    let series = world.memory.series.lock().iter().find(|one| one.metric == Metric::MemoryUtilization).unwrap().clone();
    let mut own = OwnChanges::default();
    own.learn(&world.memory.action_list(None, None).await.unwrap(), world.clock.now());
    let points = course(&series, &own, ended, world.clock.now(), world.clock.now());
    let loud: Vec<f64> = points.iter().filter(|one| one.score >= 0.5).map(|one| one.value).collect();
    assert!(points.len() > 60 && loud.len() == 1 && loud[0] > 60.0, "{loud:?}");
}

#[tokio::test]
async fn another_spacing_of_samples_is_no_trouble() {
    for (before, after) in [(5, 1), (1, 5)] {
        let world = World::new();
        world.machine("i-1", "t3.large", 5.0);
        let now = world.clock.now();
        let at = |minute: i64| now + SignedDuration::from_mins(minute);
        let value = |step: i64, from: i64| if step == 1 { minute(from) } else { five_minutes(from) };
        let days = |from: i64, to: i64, step: i64| {
            (from * 1440..to * 1440).step_by(step as usize).map(move |from| (at(from), value(step, from)))
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
    let silent = [(-2800, 10), (-2300, 60), (-1700, 540), (-700, 180), (-200, 30)];
    let dark = |minute: i64| silent.iter().any(|(from, length)| (*from..from + length).contains(&minute));
    let steps = (-16 * 1440..0).step_by(5).filter(|from| !dark(*from));
    let points = steps.map(|from| (now + SignedDuration::from_mins(from), five_minutes(from))).collect();
    measured(&world, 300, points);
    let found = look(&world, &mut MetricWatch::default()).await;
    assert!(found.is_empty(), "{found:?}");
}
