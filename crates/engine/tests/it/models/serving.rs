//! Models that serve: trained by their real trainers, read by the judgements of a run and by the
//! watch over metrics.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use reeve_anomalies::watch::MetricWatch;
use reeve_anomalies::{AnomalySettings, Finding, TrainedBands};
use reeve_engine::models::Registry;
use reeve_estate::{Metric, ResourceId, SampleSeries};
use reeve_recommend::agent::Agent;
use reeve_recommend::caller::Caller;
use reeve_recommend::models::{Model, ModelStatus, ModelStore as _, ModelType};
use reeve_recommend::ports::Clock as _;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationType};

use super::shelf::Shelf;
use crate::world::World;

/// Replaces the CPU of a machine by 91 days of one point an hour: `cpu(day of the month, hour)`.
fn three_months(world: &World, id: &str, cpu: impl Fn(i8, i8) -> f64) {
    let now = world.clock.now();
    let point = |back: i64| {
        let at = now - SignedDuration::from_hours(back);
        let civil = at.to_zoned(TimeZone::UTC).datetime();
        let flutter = (back * 7919).rem_euclid(97) as f64 / 97.0;
        (at, cpu(civil.day(), civil.hour()) + flutter)
    };
    let points = (1..=91 * 24).rev().map(point).collect();

    let series = SampleSeries {
        resource: ResourceId::new(id),
        metric: Metric::CpuUtilization,
        points,
        period_s: 3600,
    };
    let mut all = world.memory.series.lock();
    all.retain(|s| s.resource != series.resource || s.metric != series.metric);

    all.push(series);
}

fn registry(world: &World, shelf: &Arc<Shelf>) -> Registry {
    let (log, clock) = (world.log.clone(), world.clock.clone());
    Registry::new(
        shelf.clone(),
        log,
        clock,
        reeve_agents::registry(),
        Default::default(),
    )
}

/// Trains every model of an agent from what the engine gathers.
async fn train(world: &World, shelf: &Arc<Shelf>, agent: &Agent) {
    let registry = registry(world, shelf);
    for trainer in registry.trainers_of(agent) {
        let (metrics, days) = (trainer.metrics(), trainer.history_days());
        let material = world
            .engine
            .models
            .material(agent, metrics, days, 100)
            .await
            .unwrap();
        registry
            .look_after(&trainer, Arc::new(material), None, &Caller::system())
            .await
            .unwrap();
    }
}

async fn serving(world: &World, shelf: &Arc<Shelf>, agent: &Agent, name: &str) -> Model {
    let registry = registry(world, shelf);
    registry.serving(&agent.id, name).await.unwrap().unwrap()
}

/// The downsizes of a machine; one that is kept as it is may be worth a commitment.
async fn resizes(world: &World, id: &str) -> Vec<Recommendation> {
    let mut all = world.on(id).await;
    all.retain(|found| found.kind == RecommendationType::RightSize);
    all
}

/// A scope that no training may hold at once is learned whole, part by part, to the same state.
#[tokio::test]
async fn every_machine_of_a_large_scope_is_learned_in_parts() {
    let shelf = Arc::new(Shelf::default());
    let world = World::new().learning(shelf.clone());
    let ids: Vec<String> = (0..7).map(|number| format!("i-{number}")).collect();
    for id in &ids {
        world.machine(id, "m5.xlarge", 5.0);
        three_months(&world, id, |_, hour| 5.0 + f64::from(hour));
    }

    let agent = world.agent("learning", false).await;
    let registry = registry(&world, &shelf);
    for trainer in registry
        .trainers_of(&agent)
        .into_iter()
        .filter(|trainer| trainer.join().is_some())
    {
        let (metrics, days) = (trainer.metrics(), trainer.history_days());
        let models = &world.engine.models;
        let sample = models.material(&agent, metrics, days, 3).await.unwrap();
        assert_eq!(
            sample.resources.len(),
            3,
            "what a version is judged on is spread over the scope"
        );
        let whole = models.material(&agent, metrics, days, 100).await.unwrap();
        let expected = trainer
            .train(&whole, whole.days_ago(trainer.held_out_days()))
            .unwrap();
        let mut parts = models.parts(&agent, metrics, days, 3);
        let caller = Caller::system();
        registry
            .look_after(&trainer, Arc::new(sample), Some(&mut parts), &caller)
            .await
            .unwrap();
        let model = serving(&world, &shelf, &agent, trainer.name()).await;
        assert_eq!(model.samples, expected.samples, "{}", trainer.name());
        let state = shelf.model_state(&model.id).await.unwrap();
        assert!(
            ids.iter().all(|id| state.contains(&format!("\"{id}\""))),
            "{}: {state}",
            trainer.name()
        );
    }
}

/// Now is 16 November: the job of the 16th lies 31 days back, a day beyond what a judgement looks
/// at, and runs again today.
fn job_of_the_month(day: i8, hour: i8) -> f64 {
    if day == 16 && (1..4).contains(&hour) {
        80.0
    } else {
        5.0
    }
}

#[tokio::test]
async fn a_machine_that_the_learned_demand_outgrows_is_not_downsized() {
    let shelf = Arc::new(Shelf::default());
    let world = World::new().learning(shelf.clone());
    world
        .machine("i-1", "m5.xlarge", 5.0)
        .machine("i-2", "m5.xlarge", 5.0);
    three_months(&world, "i-1", job_of_the_month);
    three_months(&world, "i-2", |_, _| 5.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let before = world.only("i-1").await;
    assert_eq!(
        (before.kind, before.status),
        (RecommendationType::RightSize, Status::Open)
    );

    let untold = "No forecast of the coming weeks: the demand model is not trained yet";
    assert!(
        before
            .explanation
            .factors
            .iter()
            .any(|factor| factor.starts_with(untold)),
        "{:?}",
        before.explanation.factors
    );

    assert!(before.explanation.models.is_empty());

    train(&world, &shelf, &agent).await;
    world.run(&agent).await;
    let [after] = resizes(&world, "i-1").await.try_into().unwrap();
    let reason = after.status_reason.clone().unwrap_or_default();
    assert_eq!(after.status, Status::Expired, "{reason}");

    for words in [
        "80.",
        "on the 16th in 2 months",
        "m5.large holds 30.0 %",
        "demand model, version 1 of 2026-11-16",
    ] {
        assert!(reason.contains(words), "{words} is missing: {reason}");
    }

    // The other machine may shrink, and its explanation says what the model said of it.
    let other = world.only("i-2").await;
    assert_eq!(other.status, Status::Open);

    let demand = serving(&world, &shelf, &agent, "demand").await;
    let named = other
        .explanation
        .models
        .iter()
        .find(|one| one.model.name == "demand")
        .unwrap();

    assert_eq!(
        (&named.model.id, named.model.kind),
        (&demand.id, ModelType::Forecast)
    );
    assert!(
        named.statement.contains("in the next 28 days"),
        "{}",
        named.statement
    );
}

#[tokio::test]
async fn a_stale_or_rejected_model_decides_nothing() {
    let shelf = Arc::new(Shelf::default());
    let world = World::new().learning(shelf.clone());
    world.machine("i-1", "m5.xlarge", 5.0);
    three_months(&world, "i-1", job_of_the_month);
    let agent = world.agent("safe_mode", false).await;
    train(&world, &shelf, &agent).await;
    world.run(&agent).await;
    assert!(
        resizes(&world, "i-1").await.is_empty(),
        "the model keeps it from being downsized"
    );

    let model = serving(&world, &shelf, &agent, "demand").await;
    let long_ago = world.clock.now() - SignedDuration::from_hours(24 * 30);
    let stale = Model {
        trained_at: long_ago,
        revision: model.revision + 1,
        ..model.clone()
    };
    shelf.model_update(&stale).await.unwrap();
    world.run(&agent).await;
    let [found] = resizes(&world, "i-1").await.try_into().unwrap();
    assert_eq!(
        (found.kind, found.status),
        (RecommendationType::RightSize, Status::Open)
    );

    let why = |found: &Recommendation| found.explanation.factors.texts().join("\n");
    assert!(
        why(&found).contains("the demand model is not used: it was trained 30 days ago"),
        "{}",
        why(&found)
    );

    let poor = Model {
        accuracy: 0.4,
        revision: stale.revision + 1,
        ..model.clone()
    };
    shelf.model_update(&poor).await.unwrap();
    world.run(&agent).await;
    let [found] = resizes(&world, "i-1").await.try_into().unwrap();
    assert!(
        why(&found).contains("its accuracy of 40.0 %") && found.status == Status::Open,
        "{}",
        why(&found)
    );

    let again = Model {
        revision: poor.revision + 1,
        ..model
    };
    shelf.model_update(&again).await.unwrap();
    world.run(&agent).await;
    let [found] = resizes(&world, "i-1").await.try_into().unwrap();
    assert_eq!(
        found.status,
        Status::Expired,
        "and decides again once it is good"
    );
}

#[tokio::test]
async fn a_machine_that_works_once_a_month_is_not_stopped_as_idle() {
    let shelf = Arc::new(Shelf::default());
    let world = World::new().learning(shelf.clone());
    world
        .machine("i-1", "m5.xlarge", 0.1)
        .machine("i-2", "m5.xlarge", 0.1);
    let quiet = |job: bool| {
        move |day: i8, hour: i8| {
            if job && job_of_the_month(day, hour) > 50.0 {
                80.0
            } else {
                -0.6
            }
        }
    };

    let at_least_nothing = |world: &World| {
        for series in world.memory.series.lock().iter_mut() {
            series
                .points
                .iter_mut()
                .for_each(|(_, value)| *value = value.max(0.05));
        }
    };

    three_months(&world, "i-1", quiet(true));
    three_months(&world, "i-2", quiet(false));
    at_least_nothing(&world);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let before = world.only("i-1").await;
    assert_eq!(
        (before.kind, before.status),
        (RecommendationType::IdleResourceCleanup, Status::Open)
    );
    train(&world, &shelf, &agent).await;
    world.run(&agent).await;
    let after = world.only("i-1").await;
    let reason = after.status_reason.clone().unwrap_or_default();
    assert_eq!(after.status, Status::Expired);
    assert!(
        reason.contains("usage model, version 1") && reason.contains("31 days ago"),
        "{reason}"
    );

    let other = world.only("i-2").await;
    assert_eq!(other.status, Status::Open);
    assert!(
        other
            .explanation
            .models
            .iter()
            .any(|one| one.model.name == "usage"),
        "{:?}",
        other.explanation.models
    );
}

/// Samples of the watch's own pace, so many hours before now until now: `cpu(hours before now)`.
fn measured(world: &World, hours: i64, cpu: impl Fn(f64) -> f64) {
    let now = world.clock.now();
    let points: Vec<(Timestamp, f64)> = (1..=hours * 12)
        .rev()
        .map(|back| {
            (
                now - SignedDuration::from_mins(back * 5),
                cpu(back as f64 / 12.0),
            )
        })
        .collect();

    let series = SampleSeries {
        resource: ResourceId::new("i-1"),
        metric: Metric::CpuUtilization,
        points,
        period_s: 300,
    };
    let mut all = world.memory.series.lock();
    all.retain(|s| s.metric != Metric::CpuUtilization);

    all.push(series);
}

async fn look(
    world: &World,
    shelf: &Shelf,
    with_bands: bool,
    settings: &AnomalySettings,
) -> Vec<Finding> {
    let now = world.clock.now();
    let mut watch = MetricWatch::default();

    if with_bands {
        watch.set_bands(
            TrainedBands::load(shelf, &TrainedBands::default(), now)
                .await
                .unwrap(),
        );
    }

    watch
        .look(&*world.memory, &*world.memory, &[], settings, now)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_trained_band_tells_what_the_detector_has_got_used_to() {
    let world = World::new();
    let shelf = Arc::new(Shelf::default());
    world.machine("i-1", "t3.large", 5.0);
    let agent = world.agent("learning", false).await;

    // Steady for weeks; in the last ten days it creeps up by little every hour, which the detector
    // follows.
    let scatter = |back: f64| ((back * 12.0) as i64 * 7919).rem_euclid(97) as f64 / 97.0;
    let creeping = move |back: f64| 20.0 + 2.0 * scatter(back) + 0.0444 * (240.0 - back).max(0.0);
    measured(&world, 40 * 24, |back| 20.0 + 2.0 * scatter(back));
    train(&world, &shelf, &agent).await;
    let settings = AnomalySettings::default();
    assert!(
        look(&world, &shelf, true, &settings).await.is_empty(),
        "nothing unusual yet"
    );
    measured(&world, 40 * 24, creeping);
    let blind = look(&world, &shelf, false, &settings).await;
    let found = look(&world, &shelf, true, &settings).await;
    let count = |findings: &[Finding]| {
        let readings = findings.iter().flat_map(|finding| &finding.readings);
        readings
            .filter(|reading| {
                reading
                    .indication
                    .to_string()
                    .contains("deviation model, version 1")
            })
            .count()
    };

    assert_eq!(
        (count(&blind), count(&found)),
        (0, 1),
        "{blind:?}\n{found:?}"
    );

    let reading = found
        .iter()
        .flat_map(|finding| &finding.readings)
        .find(|one| one.indication.to_string().contains("deviation"))
        .unwrap();

    assert!(
        reading.value > reading.high && reading.expected < 23.0,
        "{reading:?}"
    );

    // A model that may not be used tells nothing.
    let model = serving(&world, &shelf, &agent, "deviation").await;
    let retired = Model {
        status: ModelStatus::Retired,
        revision: model.revision + 1,
        ..model
    };
    shelf.model_update(&retired).await.unwrap();
    assert_eq!(count(&look(&world, &shelf, true, &settings).await), 0);
}
