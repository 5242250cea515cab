//! Executing: order of calls, the story in the log, refusals, the exclusive claim.

use reeve_audit::Json;
use reeve_engine::Execution;
use reeve_estate::{EstateStore, Metric, ResourceId, ResourceState};
use reeve_recommend::action::ActionStatus;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, volume_of};

#[tokio::test]
async fn a_low_impact_change_is_made_verified_and_logged_in_order() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Succeeded, "{action:?}");
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.medium".to_owned())
    );
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);

    let story = world.story(&recommendation);
    let expected = [
        "recommendation.create success",
        "action.start pending",
        "recommendation.execute success",
        "precondition pending",
        "precondition success",
        "snapshot pending",
        "snapshot success",
        "stop pending",
        "stop success",
        "modify pending",
        "modify success",
        "start pending",
        "start success",
        "recommendation.verify success",
        "verify pending",
        "verify success",
        "action.succeed success",
        "recommendation.succeed success",
    ];
    assert_eq!(story, expected);

    world.every_change_was_announced();
    let modify = world
        .entries()
        .into_iter()
        .find(|e| e.action.operation.as_deref() == Some("modify") && e.changes.after.is_some());
    let modify = modify.unwrap();
    assert_eq!(modify.event_type.as_str(), "resource.modify");
    assert_eq!(
        modify.actor.id.as_deref(),
        recommendation.agent_id.as_ref().map(|id| id.0.as_str()),
        "the agent's hand, at a person's request"
    );

    assert_eq!(
        modify.metadata.extra.get("asked_by"),
        Some(&Json::from("olga@example.com"))
    );
    assert_eq!(
        modify.changes.before.unwrap().get("instance_type"),
        Some(&Json::from("t3.large"))
    );
    assert_eq!(
        modify.changes.after.unwrap().get("instance_type"),
        Some(&Json::from("t3.medium"))
    );

    let stored = world
        .memory
        .resource_get(&ResourceId::new("i-1"))
        .await
        .unwrap();

    assert_eq!(
        stored.specification.instance_type.as_deref(),
        Some("t3.medium"),
        "the inventory knows at once"
    );
}

#[tokio::test]
async fn an_idle_machine_is_stopped_and_its_volumes_are_snapshotted_first() {
    let world = World::new();
    world
        .machine("i-1", "t3.large", 0.1)
        .put(volume_of("vol-1", "i-1"))
        .put(volume_of("vol-2", "i-1"));
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    assert_eq!(recommendation.kind, RecommendationType::IdleResourceCleanup);

    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Succeeded, "{action:?}");
    assert_eq!(
        (world.cloud.state("i-1").0, world.cloud.snapshots()),
        (ResourceState::Stopped, 2)
    );
    world.every_change_was_announced();
    let stop = world
        .entries()
        .into_iter()
        .find(|e| e.action.operation.as_deref() == Some("stop"))
        .unwrap();

    assert_eq!(
        stop.event_type.as_str(),
        "resource.state",
        "the type of a stop by anybody"
    );
}

#[tokio::test]
async fn a_volume_attached_since_the_finding_stops_the_plan_before_anything_is_done() {
    let world = World::new();
    world
        .machine("i-1", "t3.large", 0.1)
        .put(volume_of("vol-1", "i-1"));
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    world.put(volume_of("vol-new", "i-1"));
    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Aborted);

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(again.status_reason.unwrap().contains("vol-new"));
    assert_eq!(
        (world.cloud.state("i-1").0, world.cloud.snapshots()),
        (ResourceState::Running, 0)
    );
}

#[tokio::test]
async fn a_resource_that_drifted_is_left_alone_and_the_recommendation_opens_again() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.cloud.change("i-1", |r| {
        r.specification.instance_type = Some("t3.xlarge".to_owned())
    });
    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Aborted);

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(
        again
            .status_reason
            .unwrap()
            .contains("instance_type is t3.xlarge, not t3.large")
    );

    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.xlarge".to_owned())
    );
}

#[tokio::test]
async fn learning_agents_do_not_execute() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let agent = world.agent("learning", true).await;
    let report = world.run(&agent).await;
    assert_eq!(report.applied, 0);
    assert!(
        report.skipped.contains(&("mode_learning".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    let mut passed = report.passed_over.iter().flat_map(|one| &one.resources);
    assert!(
        passed.all(|(id, _)| id != "i-1"),
        "a resource with a recommendation was not passed over: {report:?}"
    );

    let recommendation = world.only("i-1").await;
    let refused = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();
    assert!(matches!(refused, EngineError::Learning { .. }));

    assert!(refused.to_string().contains("agent mode is learning"));
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
    assert_eq!(
        world.story(&recommendation).last().unwrap(),
        "recommendation.execute denied"
    );
}

#[tokio::test]
async fn what_cannot_run_is_refused_with_its_reason() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let changed = world
        .engine
        .execution
        .execute(&recommendation.id, Some("0000"), None, &operator())
        .await
        .unwrap_err();
    assert!(matches!(changed, EngineError::PlanChanged { .. }));
    *world.cloud.allow_actions.lock() = false;

    let observing = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();

    assert!(
        observing.to_string().contains("observe only"),
        "{observing}"
    );
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
    world.machine("i-2", "m5.large", 45.0);
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    world.run(&agent).await;
    let account = format!("account/aws/{}", recommendation.subject.account);
    let advice = world.only(&account).await;
    assert_eq!(advice.kind, RecommendationType::ReservedInstances);

    let advice = world
        .engine
        .execution
        .execute(&advice.id, None, None, &operator())
        .await
        .unwrap_err();
    assert!(advice.to_string().contains("advice"), "{advice}");

    let unknown = reeve_recommend::recommendation::RecommendationId("nope".to_owned());
    let unknown = world
        .engine
        .execution
        .execute(&unknown, None, None, &operator())
        .await
        .unwrap_err();

    assert!(matches!(unknown, EngineError::NotFound { .. }));
}

#[tokio::test]
async fn a_silent_log_means_that_nothing_is_done() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    *world.log.silent_after.lock() = Some(0);
    let refused = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();
    assert!(matches!(refused, EngineError::Record(_)), "{refused}");

    assert_eq!(world.again(&recommendation).await.status, Status::Open);
    assert!(
        world
            .memory
            .action_list(None, None)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_execute_at_once_one_does() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let caller = operator();
    let tries = (0..8).map(|_| {
        world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &caller)
    });
    let outcomes = futures::future::join_all(tries).await;

    let started = outcomes
        .iter()
        .filter(|o| matches!(o, Ok(Execution::Started(_))))
        .count();
    assert_eq!(started, 1, "{outcomes:?}");
    world.engine.execution.settle().await;
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.medium".to_owned())
    );
    assert_eq!(world.memory.action_list(None, None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn samples_from_before_a_change_do_not_lead_to_another() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.xlarge").await;
    let manager = crate::world::person("max", &[reeve_access::Role::Manager]);

    if let Execution::PendingApproval(approval) = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap()
    {
        world
            .engine
            .recommendations
            .approve(&approval.id, None, &manager)
            .await
            .unwrap();
    }

    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
    world.measure("i-1", Metric::CpuUtilization, 5.0);
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let report = world.run(&agent).await;
    assert_eq!(report.recommendations, 0, "{report:?}");
    assert!(
        report
            .skipped
            .iter()
            .any(|(reason, _)| reason == "thin_data" || reason == "no_cpu_samples"),
        "{report:?}"
    );

    let named = report
        .passed_over
        .iter()
        .find(|one| one.resources.iter().any(|(id, _)| id == "i-1"));
    assert!(
        named.is_some_and(|one| one.reason == "thin_data" || one.reason == "no_cpu_samples"),
        "{report:?}"
    );
}
