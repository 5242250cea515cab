//! The real trainers on estates made for them, and a calibrator in a run of the engine.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_agents::cost_optimizer::{CostOptimizer, METRICS};
use reeve_agents::models::{Confidence, ModelDemand, ModelDeviation, Usage};
use reeve_engine::models::{Registry, drift};
use reeve_estate::{Metric, PriceCatalogue, ResourceKind, SampleSeries};
use reeve_learn::calibrate::{Calibrator, Example, FEATURES};
use reeve_recommend::agent::AgentType;
use reeve_recommend::caller::Caller;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::models::{Material, ModelType, Trainer, calibrator_from, state_of};
use reeve_recommend::ports::Clock as _;
use reeve_recommend::recommendation::lifecycle::Status;

use super::shelf::Shelf;
use crate::world::{World, operator, resource, said};

/// CPU by day and hour for so many days before now, a point an hour.
async fn estate(
    world: &World,
    machines: usize,
    days: i64,
    cpu: impl Fn(usize, i64, i64) -> f64,
) -> Material {
    let agent = world.agent("learning", false).await;
    let now = world.clock.now();
    let mut made = Vec::new();
    let mut series = Vec::new();

    for machine in 0..machines {
        let mut one = resource(
            &format!("i-{machine}"),
            ResourceKind::VirtualMachine,
            Some("m5.xlarge"),
        );
        let env = if machine.is_multiple_of(2) {
            "production"
        } else {
            "development"
        };
        one.tags.insert("env".to_owned(), env.to_owned());
        let points = (1..=days * 24)
            .rev()
            .map(|back| {
                let at = now - SignedDuration::from_hours(back);
                let hours = at.as_second() / 3600;
                (at, cpu(machine, hours / 24, hours % 24))
            })
            .collect();
        series.push(SampleSeries {
            resource: one.id.clone(),
            metric: Metric::CpuUtilization,
            points,
            period_s: 3600,
        });
        made.push(one);
    }

    Material {
        agent,
        resources: made,
        series,
        outcomes: Vec::new(),
        open: OpenFacts::default(),
        guardrails: Guardrails::default(),
        catalogue: Arc::new(PriceCatalogue::builtin().clone()),
        now,
    }
}

fn office(machine: usize, day: i64, hour: i64) -> f64 {
    let flutter =
        ((day * 24 + hour) * 7919 + machine as i64 * 104_729).rem_euclid(97) as f64 / 97.0;
    let busy = (9..17).contains(&hour) && (machine.is_multiple_of(2) || (day + 3) % 7 < 5);

    if busy {
        40.0 + 3.0 * flutter
    } else {
        2.0 + 2.0 * flutter
    }
}

#[tokio::test]
async fn each_type_of_the_specification_is_trained_on_weeks_and_judged_on_the_next() {
    let material = estate(&World::new(), 12, 35, office).await;
    let check = |trainer: &dyn Trainer, kind: ModelType, accuracy: f64, recall: f64| {
        let cut = material.days_ago(trainer.held_out_days());
        let trained = trainer.train(&material, cut).unwrap();
        assert!(
            trained.samples > 1000 && trained.span_days > 20.0,
            "{}: {trained:?}",
            trainer.name()
        );
        let found = trainer.evaluate(&trained.state, &material, cut).unwrap();
        let scores = found.scores;
        assert_eq!(trainer.kind(), kind);
        assert!(
            scores.accuracy >= accuracy && scores.recall >= recall,
            "{}: {scores:?}",
            trainer.name()
        );
        assert!(
            trainer.evaluate("{}", &material, cut).is_err(),
            "{} reads its own states alone",
            trainer.name()
        );
    };
    check(&ModelDemand, ModelType::Forecast, 0.85, 0.5);

    check(&ModelDeviation, ModelType::AnomalyDetection, 0.99, 0.95);
    check(&Usage, ModelType::Classification, 0.9, 0.9);
    assert_eq!(
        reeve_agents::registry()
            .trainers(AgentType::COST_OPTIMIZER)
            .len(),
        4
    );
}

#[tokio::test]
async fn an_empty_estate_trains_nothing_and_says_why() {
    let material = estate(&World::new(), 2, 3, office).await;
    for trainer in reeve_agents::registry().trainers(AgentType::COST_OPTIMIZER) {
        let why = trainer
            .train(&material, material.days_ago(trainer.held_out_days()))
            .unwrap_err();
        assert!(!why.0.is_empty());
    }
}

#[tokio::test]
async fn looking_back_learns_which_recommendations_held() {
    // Even machines stay small; odd ones double three weeks before now, so that what was proposed
    // before did not hold.
    let world = World::new();
    let last = world.clock.now().as_second() / 86_400 - 21;
    let load = move |machine: usize, day: i64, hour: i64| {
        let grown = !machine.is_multiple_of(2) && day >= last;
        office(machine, day, hour).min(8.0) * if grown { 9.0 } else { 1.0 }
    };
    let mut material = estate(&world, 16, 86, load).await;

    for (machine, one) in material.resources.iter().enumerate() {
        let points = material.series[machine]
            .points
            .iter()
            .map(|(at, _)| (*at, 30.0))
            .collect();
        let metric = Metric::MemoryUtilization;
        material.series.push(SampleSeries {
            resource: one.id.clone(),
            metric,
            points,
            period_s: 3600,
        });
    }

    let confidence = Confidence::new(Arc::new(CostOptimizer), METRICS);
    let cut = material.days_ago(confidence.held_out_days());
    let trained = confidence.train(&material, cut).unwrap();
    let calibrator = calibrator_from(&trained.state).unwrap();
    assert!(trained.samples >= 20, "{trained:?}");
    assert!(
        calibrator.base_rate() < 0.9,
        "some did not hold: {}",
        calibrator.base_rate()
    );
    assert_eq!(state_of(&calibrator), trained.state, "kept whole");
    assert!(
        confidence
            .evaluate(&trained.state, &material, cut)
            .unwrap()
            .held_out
            >= 5
    );
}

#[test]
fn drift_needs_to_be_certain_and_large() {
    let old: Vec<f64> = (0..100).map(f64::from).collect();
    assert!(!drift(&old, &old).unwrap().drifted);
    assert!(
        !drift(&old, &[99.0, 98.0]).unwrap().drifted,
        "two points prove nothing"
    );

    let far: Vec<f64> = (0..100).map(|n| f64::from(n) + 60.0).collect();
    assert!(drift(&old, &far).unwrap().drifted);
    assert_eq!(drift(&[], &old), None);
}

#[tokio::test]
async fn what_serves_calibrates_a_run_and_outcomes_come_back() {
    let shelf = Arc::new(Shelf::default());
    let world = World::new().learning(shelf.clone());
    world.machine("i-1", "m5.xlarge", 5.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let before = world.only("i-1").await;
    assert!(
        (90.0..97.0).contains(&before.confidence),
        "without a model the backtest speaks: {}",
        before.confidence
    );

    // The kind failed again and again: a calibrator that learned so is served.
    let failures: Vec<Example> = (0..80)
        .map(|n| Example {
            at_ms: n * 86_400_000,
            group: "cost_optimizer/right_size".to_owned(),
            raw: 0.96,
            features: vec![0.0; FEATURES.len()],
            held: false,
            weight: 1.0,
        })
        .collect();

    shelf.serve(
        &agent.id,
        &state_of(&Calibrator::fit(FEATURES.len(), &failures)),
    );
    world.run(&agent).await;
    let after = world.only("i-1").await;
    assert!(after.confidence < 50.0, "{}", after.confidence);

    let is_calibrated =
        |factor: &str| factor.contains("Calibrated on ") && factor.contains("before calibration ");
    assert!(
        after.explanation.factors.iter().any(is_calibrated),
        "{:?}",
        after.explanation.factors
    );

    // Its outcome is an example for the next training.
    let issues = said("implemented_issues", Some(2), Some("too slow"));
    world
        .engine
        .recommendations
        .feedback(&after.id, issues, &operator())
        .await
        .unwrap();

    let outcomes = world
        .engine
        .models
        .outcomes(agent.agent_type)
        .await
        .unwrap();
    assert_eq!(outcomes.len(), 1);

    assert!(!outcomes[0].held && (outcomes[0].raw * 100.0 - before.confidence).abs() < 0.06);
    assert_eq!(after.status, Status::Open);
}

#[tokio::test]
async fn an_agents_models_are_trained_from_what_the_engine_gathers() {
    let world = World::new();
    let material = estate(&world, 12, 35, office).await;
    for (one, series) in material.resources.iter().zip(&material.series) {
        world.put(one.clone());
        world.memory.series.lock().push(series.clone());
    }

    let shelf = Arc::new(Shelf::default());
    let registry = Registry::new(
        shelf,
        world.log.clone(),
        world.clock.clone(),
        reeve_agents::registry(),
        Default::default(),
    );

    let mut names = Vec::new();
    for trainer in registry.trainers_of(&material.agent) {
        let gathered = world
            .engine
            .models
            .material(
                &material.agent,
                trainer.metrics(),
                trainer.history_days(),
                6,
            )
            .await
            .unwrap();
        assert_eq!(gathered.resources.len(), 6, "no more than asked for");
        let full = world
            .engine
            .models
            .material(
                &material.agent,
                trainer.metrics(),
                trainer.history_days(),
                100,
            )
            .await
            .unwrap();
        registry
            .look_after(&trainer, Arc::new(full), None, &Caller::system())
            .await
            .unwrap();
        if registry
            .serving(&material.agent.id, trainer.name())
            .await
            .unwrap()
            .is_some()
        {
            names.push(trainer.name());
        }
    }

    // Confidence needs weeks more; it abstains.
    assert_eq!(names, ["demand", "deviation", "usage"]);
}
