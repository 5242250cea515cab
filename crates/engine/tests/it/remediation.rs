//! Remedies of anomalies: a recommendation with a plan wherever a change exists, of the agent type
//! that owns such changes, carried out where that is configured alone.

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_anomalies::{
    Anomaly, AnomalyClass, Contribution, Finding, Place, Reaction, Reading, Stage,
};
use reeve_engine::AgentInput;
use reeve_estate::{Metric, ResourceKind};
use reeve_recommend::agent::{Agent, AgentType};
use reeve_recommend::caller::Caller;
use reeve_recommend::ports::{AgentStore as _, Clock};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Priority, RecommendationType};

use crate::anomalies::{anomalies, finding};
use crate::world::{World, operator, person, resource};

fn of_metric(world: &World, place: &str, metric: Metric, value: f64) -> Finding {
    let found = finding(world, place, 0.9);
    let reading = Reading {
        metric: Some(metric),
        value,
        expected: 31.0,
        ..found.readings[0].clone()
    };

    Finding {
        class: AnomalyClass::of_metric(metric),
        readings: vec![reading],
        ..found
    }
}

#[tokio::test]
async fn the_first_reading_with_a_change_is_answered() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world.machine("i-1", "m5.large", 30.0);
    let report = async |metric, more| {
        let mut found = of_metric(&world, "i-1", metric, 97.0);
        found
            .readings
            .extend(of_metric(&world, "i-1", more, 97.0).readings);
        let kept = service.report(found, &Caller::system()).await.unwrap();
        kept.unwrap().remediation.unwrap()
    };

    let found = report(Metric::ErrorRate, Metric::CpuUtilization).await;
    assert!(found.has_plan, "{found:?}");
    assert_eq!(
        world.only("i-1").await.kind,
        RecommendationType::InstanceType
    );
}

/// An agent of a type that may apply by itself what is of this impact.
async fn agent_of(world: &World, agent_type: &str, mode: &str, max_impact: &str) -> Agent {
    let text = |text: &str| Some(text.to_owned());
    let input = AgentInput {
        agent_type: text(agent_type),
        name: text(agent_type),
        mode: text(mode),
        auto_apply_enabled: Some(true),
        auto_apply_max_impact: text(max_impact),
        auto_apply_approval_required: text("high"),
        reason: text("a test"),
        ..AgentInput::default()
    };

    world
        .engine
        .agents
        .agent_create(input, &person("admin", &[Role::Administrator]))
        .await
        .unwrap()
}

fn executed(of: &Anomaly) -> &str {
    of.responses
        .iter()
        .find(|one| one.stage == Stage::Execute)
        .map_or("", |one| one.detail.as_str())
}

#[tokio::test]
async fn a_performance_anomaly_gets_a_larger_size_as_a_recommendation() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world.machine("i-1", "m5.large", 30.0);
    let of = service
        .report(
            of_metric(&world, "i-1", Metric::CpuUtilization, 97.0),
            &Caller::system(),
        )
        .await
        .unwrap()
        .unwrap();

    let kept = world.only("i-1").await;
    assert_eq!(
        (kept.kind, kept.status, &kept.agent_id),
        (RecommendationType::InstanceType, Status::Open, &None)
    );
    assert_eq!(kept.origin.agent_type, AgentType::PERFORMANCE_OPTIMIZER);
    assert_eq!(
        (kept.origin.rule.as_str(), &kept.origin.cause),
        (
            "optimize_instance_types",
            &OriginCause::Anomaly(of.id.clone())
        )
    );
    assert_eq!(
        kept.plan.as_ref().unwrap().change_name(),
        Some("resize_machine")
    );

    let remediation = of.remediation.clone().unwrap();
    assert_eq!(
        (remediation.recommendation.as_ref(), remediation.has_plan),
        (Some(&kept.id), true)
    );
    assert!(
        of.advice
            .contains("Resize i-1-name from m5.large to m5.xlarge: recommendation"),
        "{}",
        of.advice
    );

    assert_eq!(
        (executed(&of), world.cloud.calls()),
        ("", 0),
        "nothing is done unless it is configured"
    );
    // Another anomaly of the same shortage leads to the recommendation that waits.
    world.clock.advance(SignedDuration::from_hours(12));
    let again = service
        .report(
            of_metric(&world, "i-1", Metric::CpuUtilization, 98.0),
            &Caller::system(),
        )
        .await
        .unwrap()
        .unwrap();

    assert_eq!(
        again.remediation.unwrap().recommendation,
        Some(kept.id.clone())
    );
    assert_eq!(world.on("i-1").await.len(), 1);

    // It is over once nothing is strange any more, and so is its recommendation.
    world.clock.advance(SignedDuration::from_hours(13));
    assert_eq!(service.settle(&Caller::system()).await.unwrap(), 2);

    let over = world.only("i-1").await;
    assert_eq!(
        (over.status, over.status_reason.as_deref()),
        (Status::Expired, Some("the anomaly it was for is over"))
    );
}

#[tokio::test]
async fn an_operational_anomaly_gets_storage_or_a_replica_of_its_own_agent_types() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    let mut database = resource("db-1", ResourceKind::Database, Some("db.m5.large"));
    database.specification.storage_gib = Some(100.0);
    world.put(database);

    for (metric, value, agent_type, change) in [
        (
            Metric::FreeStorage,
            1.0,
            AgentType::OPS_INTELLIGENCE,
            "grow_storage",
        ),
        (
            Metric::DatabaseConnections,
            300.0,
            AgentType::DB_OPTIMIZER,
            "replicate",
        ),
    ] {
        world.clock.advance(SignedDuration::from_hours(12));
        let found = of_metric(&world, "db-1", metric, value);
        assert_eq!(found.class, AnomalyClass::Operational);
        let of = service
            .report(found, &Caller::system())
            .await
            .unwrap()
            .unwrap();
        let id = of.remediation.clone().unwrap().recommendation.unwrap();
        let kept = world.memory.recommendation_get(&id).await.unwrap();
        assert_eq!(
            (kept.origin.agent_type, kept.plan.unwrap().change_name()),
            (agent_type, Some(change)),
            "{metric}"
        );
    }
}

#[tokio::test]
async fn where_no_change_exists_the_advice_says_so() {
    let world = World::new();
    let (service, kept) = anomalies(&world);
    kept.settings.lock().performance.action = Reaction::AutoRemediate;
    world.machine("i-1", "m5.large", 30.0);
    let found = of_metric(&world, "i-1", Metric::NetworkOut, 900.0);
    let of = service
        .report(found, &Caller::system())
        .await
        .unwrap()
        .unwrap();
    let remediation = of.remediation.clone().unwrap();
    assert_eq!(
        (remediation.recommendation, remediation.has_plan),
        (None, false)
    );
    assert_eq!(
        remediation.by_hand.as_deref(),
        Some("network out has no limit that Reeve could raise")
    );
    assert!(of.advice.contains("Reeve has no remedy"), "{}", of.advice);
    assert_eq!(
        executed(&of),
        "nothing was done: network out has no limit that Reeve could raise"
    );
    assert!(world.on("i-1").await.is_empty());
}

#[tokio::test]
async fn a_remedy_is_carried_out_where_configured_by_an_active_agent_of_its_type_alone() {
    for (agent_type, mode, reaction, expected) in [
        (
            "performance_optimizer",
            "active",
            Reaction::AutoRemediate,
            "has begun",
        ),
        (
            "performance_optimizer",
            "active",
            Reaction::AutoInvestigate,
            "",
        ),
        (
            "performance_optimizer",
            "safe_mode",
            Reaction::AutoRemediate,
            "is in mode safe_mode, not active",
        ),
        (
            "cost_optimizer",
            "active",
            Reaction::AutoRemediate,
            "no performance_optimizer agent covers it",
        ),
        (
            "security_intelligence",
            "active",
            Reaction::AutoRemediate,
            "no performance_optimizer agent covers it",
        ),
    ] {
        let world = World::new();
        let (service, kept) = anomalies(&world);
        kept.settings.lock().performance.action = reaction;
        // In a large account the price of one size is within the limit on costs.
        world.machine("i-1", "m5.large", 30.0);
        agent_of(&world, agent_type, mode, "high").await;
        let mut limits = world.memory.guardrails_get().await.unwrap();
        limits.max_cost_increase_percent = 500.0;
        limits.version += 1;
        world.memory.guardrails_put(&limits).await.unwrap();
        let found = of_metric(&world, "i-1", Metric::CpuUtilization, 97.0);
        let of = service
            .report(found, &Caller::system())
            .await
            .unwrap()
            .unwrap();
        world.engine.execution.settle().await;
        let detail = executed(&of);
        assert!(
            if expected.is_empty() {
                detail.is_empty()
            } else {
                detail.contains(expected)
            },
            "{mode}: {detail}"
        );
        let size = world.cloud.state("i-1").1;
        let carried_out = expected == "has begun";
        assert_eq!(
            size == "m5.xlarge",
            carried_out,
            "{agent_type} {mode}: {size:?}"
        );
        let recommendation = world.only("i-1").await;
        let holder = recommendation.agent_id.is_some();
        assert_eq!(
            holder,
            agent_type == "performance_optimizer",
            "another type never holds it"
        );
        world.every_change_was_announced();
    }
}

fn spending(world: &World, contributions: Vec<Contribution>) -> Finding {
    let found = finding(world, "111122223333/EC2/USD", 0.9);
    let reading = Reading {
        metric: None,
        value: 260.0,
        expected: 100.0,
        ..found.readings[0].clone()
    };

    let place = Place {
        kind: "spend".to_owned(),
        ..found.place.clone()
    };
    Finding {
        class: AnomalyClass::Cost,
        severity: Priority::High,
        readings: vec![reading],
        place,
        contributions,
        ..found
    }
}

fn new_machine(id: &str) -> Contribution {
    Contribution {
        resource: format!("arn:aws:ec2:us-east-1:111122223333:instance/{id}"),
        description: "m5.4xlarge".to_owned(),
        observed: 160.0,
        expected: 0.0,
        currency: "USD".to_owned(),
    }
}

#[tokio::test]
async fn a_cost_spike_by_a_forgotten_machine_offers_its_stop_to_the_cost_optimizer() {
    for (reaction, agent_type, expected) in [
        (Reaction::AlertAndAnalyze, "cost_optimizer", ""),
        (Reaction::AutoRemediate, "cost_optimizer", "has begun"),
        (
            Reaction::AutoRemediate,
            "performance_optimizer",
            "no cost_optimizer agent covers it",
        ),
    ] {
        let world = World::new();
        let (service, kept) = anomalies(&world);
        kept.settings.lock().cost.action = reaction;
        world.machine("i-7", "m5.large", 0.2);
        agent_of(&world, agent_type, "active", "high").await;
        let mut limits = world.memory.guardrails_get().await.unwrap();
        limits.max_cost_decrease_percent = 100.0;
        limits.version += 1;
        world.memory.guardrails_put(&limits).await.unwrap();
        world.clock.advance(SignedDuration::from_hours(6));
        let began = world.clock.now() - SignedDuration::from_hours(48);
        let found = Finding {
            started_at: began,
            ..spending(&world, vec![new_machine("i-7")])
        };
        let of = service
            .report(found, &Caller::system())
            .await
            .unwrap()
            .unwrap();
        world.engine.execution.settle().await;
        let recommendation = world.only("i-7").await;
        assert_eq!(recommendation.kind, RecommendationType::IdleResourceCleanup);
        assert_eq!(recommendation.origin.agent_type, AgentType::COST_OPTIMIZER);
        assert_eq!(
            recommendation.plan.as_ref().unwrap().change_name(),
            Some("stop_machine")
        );
        let detail = executed(&of);
        assert!(
            if expected.is_empty() {
                detail.is_empty()
            } else {
                detail.contains(expected)
            },
            "{detail}"
        );
        let stopped = world.cloud.state("i-7").0 == reeve_estate::ResourceState::Stopped;
        assert_eq!(stopped, expected == "has begun", "{agent_type} {reaction}");
    }
}

#[tokio::test]
async fn a_remedy_that_people_dismissed_is_not_offered_again() {
    let world = World::new();
    let (service, _) = anomalies(&world);
    world.machine("i-1", "m5.large", 30.0);
    let system = Caller::system();
    service
        .report(
            of_metric(&world, "i-1", Metric::CpuUtilization, 97.0),
            &system,
        )
        .await
        .unwrap()
        .unwrap();

    let first = world.only("i-1").await;
    world
        .engine
        .recommendations
        .dismiss(&first.id, "it is a batch job", &operator())
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_hours(12));
    let next = service
        .report(
            of_metric(&world, "i-1", Metric::CpuUtilization, 97.0),
            &system,
        )
        .await
        .unwrap()
        .unwrap();
    let remediation = next.remediation.unwrap();
    assert_eq!(remediation.recommendation, None);

    assert!(
        remediation.description.ends_with("m5.xlarge: dismissed"),
        "{}",
        remediation.description
    );
}
