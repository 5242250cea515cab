//! Answers of users (dismiss, snooze, schedule, reopen, test, feedback) and time-driven
//! transitions.

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::{AgentInput, ExclusionInput};
use reeve_estate::{ResourceId, ResourceState};
use reeve_recommend::action::{ActionStatus, Purpose};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore, Clock};
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, person, said};

fn hours(world: &World, hours: i64) -> jiff::Timestamp {
    world.clock.now() + SignedDuration::from_hours(hours)
}

#[tokio::test]
async fn a_dismissal_needs_a_reason_and_can_be_taken_back() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    assert!(matches!(
        world
            .engine
            .recommendations
            .dismiss(&recommendation.id, "", &operator())
            .await,
        Err(EngineError::Invalid(_))
    ));

    let dismissed = world
        .engine
        .recommendations
        .dismiss(&recommendation.id, "needed for the audit", &operator())
        .await
        .unwrap();

    assert_eq!(
        (dismissed.status, dismissed.status_reason.as_deref()),
        (Status::Dismissed, Some("needed for the audit"))
    );

    assert!(matches!(
        world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await,
        Err(EngineError::WrongState { .. })
    ));

    world.clock.advance(SignedDuration::from_hours(24 * 20));
    let open = world
        .engine
        .recommendations
        .reopen(&recommendation.id, &operator())
        .await
        .unwrap();
    assert_eq!((open.status, open.status_reason), (Status::Open, None));
    assert_eq!(
        open.expires_at,
        hours(&world, 48),
        "the next run decides whether it still holds"
    );
}

#[tokio::test]
async fn a_dismissal_of_what_may_be_another_finding_by_now_stays() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let recommendations = &world.engine.recommendations;
    let refusal = async || {
        let refused = recommendations
            .reopen(&recommendation.id, &operator())
            .await;
        let Err(EngineError::Conflict(message)) = refused else {
            panic!("{refused:?}");
        };
        message
    };
    recommendations
        .dismiss(&recommendation.id, "needed for the audit", &operator())
        .await
        .unwrap();

    let exclusion = ExclusionInput {
        resource: Some("i-1".to_owned()),
        reason: "it moves in spring".to_owned(),
        ..ExclusionInput::default()
    };
    let exclusion = recommendations
        .exclude(exclusion, &operator())
        .await
        .unwrap();
    assert!(refusal().await.contains("end the exclusion first"));
    recommendations
        .include(&exclusion.id, &operator())
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_hours(24 * 90));
    assert!(refusal().await.contains("more than 90 days ago"));
}

#[tokio::test]
async fn a_sleeper_wakes() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let past = world
        .engine
        .recommendations
        .snooze(&recommendation.id, hours(&world, -1), None, &operator())
        .await;
    assert!(matches!(past, Err(EngineError::Invalid(_))));
    world
        .engine
        .recommendations
        .snooze(
            &recommendation.id,
            hours(&world, 24 * 30),
            Some("after the release"),
            &operator(),
        )
        .await
        .unwrap();

    assert_eq!(
        world.engine.scheduler.due().await.unwrap(),
        Default::default()
    );
    world.clock.advance(SignedDuration::from_hours(24 * 30));
    assert_eq!(world.engine.scheduler.due().await.unwrap().woken, 1);

    let woken = world.again(&recommendation).await;
    assert_eq!((woken.status, woken.snoozed_until), (Status::Open, None));
}

#[tokio::test]
async fn a_schedule_is_kept() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let scheduled = world
        .engine
        .recommendations
        .schedule(&recommendation.id, hours(&world, 5), None, &operator())
        .await
        .unwrap();
    assert_eq!(scheduled.status, Status::Scheduled);

    assert_eq!(world.engine.scheduler.due().await.unwrap().started, 0);
    world.clock.advance(SignedDuration::from_hours(5));
    assert_eq!(world.engine.scheduler.due().await.unwrap().started, 1);
    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
    assert_eq!(
        world
            .memory
            .action_list(Some(&recommendation.id), None)
            .await
            .unwrap()[0]
            .by,
        "olga@example.com"
    );
}

#[tokio::test]
async fn a_schedule_gathers_its_signatures_first() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let waiting = world
        .engine
        .recommendations
        .schedule(&recommendation.id, hours(&world, 5), None, &operator())
        .await
        .unwrap();
    assert_eq!(waiting.status, Status::PendingApproval);

    let approval = world
        .memory
        .approval_list(Some(&recommendation.id))
        .await
        .unwrap()
        .remove(0);

    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    assert_eq!(world.again(&recommendation).await.status, Status::Scheduled);
    assert_eq!(world.cloud.state("i-1").1, "m5.xlarge");
    world.clock.advance(SignedDuration::from_hours(5));
    world.engine.scheduler.due().await.unwrap();
    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
}

#[tokio::test]
async fn what_holds_a_schedule_back_is_shown() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world
        .engine
        .recommendations
        .schedule(&recommendation.id, hours(&world, 1), None, &operator())
        .await
        .unwrap();

    world
        .engine
        .guardrails
        .kill_switch(true, "freeze", &person("ada", &[Role::Administrator]))
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(world.engine.scheduler.due().await.unwrap().refused, 1);

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(again.status_reason.unwrap().contains("kill_switch"));
}

#[tokio::test]
async fn a_schedule_and_a_request_can_be_taken_back() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap();

    let open = world
        .engine
        .recommendations
        .reopen(&recommendation.id, &operator())
        .await
        .unwrap();
    assert_eq!(open.status, Status::Open);

    let approval = world
        .memory
        .approval_list(Some(&recommendation.id))
        .await
        .unwrap()
        .remove(0);

    let late = world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await;
    assert!(matches!(late, Err(EngineError::Conflict(_))));
}

#[tokio::test]
async fn what_nobody_answers_expires() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.clock.advance(SignedDuration::from_hours(24 * 15));
    assert_eq!(world.engine.scheduler.due().await.unwrap().expired, 1);
    assert_eq!(world.again(&recommendation).await.status, Status::Expired);
}

#[tokio::test]
async fn a_test_runs_on_a_twin_and_puts_it_back() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let none = world
        .engine
        .execution
        .test_on_resource(&recommendation.id, &operator())
        .await
        .unwrap_err();
    assert!(none.to_string().contains("no twin"), "{none}");

    world
        .machine("i-dev", "t3.large", 30.0)
        .tag("i-dev", "env", "staging");
    let testing = world
        .engine
        .execution
        .test(&recommendation.id, &operator())
        .await
        .unwrap();
    assert_eq!(testing.recommendation.status, Status::Testing);
    assert!(!testing.simulated);

    world.engine.execution.settle().await;
    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        (action.purpose, action.status),
        (Purpose::Test, ActionStatus::RolledBack)
    );
    assert_eq!(action.resource.as_str(), "i-dev");

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(again.status_reason.unwrap().contains("the test passed"));
    assert_eq!(
        world.cloud.state("i-dev"),
        (ResourceState::Running, "t3.large".to_owned())
    );
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned())
    );
    world.every_change_was_announced();
}

#[tokio::test]
async fn a_twin_is_of_the_agents_own_scope() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world
        .machine("i-dev", "t3.large", 30.0)
        .tag("i-dev", "env", "staging");
    let mut elsewhere = world.memory.resources.lock()[&ResourceId::new("i-dev")].clone();
    elsewhere.account = "999988887777".to_owned();
    world.put(elsewhere);
    let own = AgentInput {
        accounts: Some(vec!["111122223333".to_owned()]),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(
            recommendation.agent_id.as_ref().unwrap(),
            own,
            &person("ada", &[Role::Administrator]),
        )
        .await
        .unwrap();

    let none = world
        .engine
        .execution
        .test_on_resource(&recommendation.id, &operator())
        .await
        .unwrap_err();

    assert!(none.to_string().contains("in the agent's scope"), "{none}");
}

#[tokio::test]
async fn without_a_twin_a_test_runs_on_a_simulated_one() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let before = world.memory.resources.lock().clone();
    let testing = world
        .engine
        .execution
        .test(&recommendation.id, &operator())
        .await
        .unwrap();

    assert!(testing.simulated);
    assert!(
        testing
            .recommendation
            .status_reason
            .unwrap()
            .starts_with("it is simulated"),
        "the answer says so"
    );

    world.engine.execution.settle().await;
    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        (action.purpose, action.status),
        (Purpose::Simulate, ActionStatus::RolledBack),
        "{action:?}"
    );
    assert_eq!(action.resource.as_str(), "simulated:i-1");

    let reason = world.again(&recommendation).await.status_reason.unwrap();
    assert!(
        reason.starts_with("simulated, not tested on a real resource: the steps work"),
        "{reason}"
    );
    assert!(!reason.contains("passed"), "{reason}");
    assert!(
        world
            .story(&recommendation)
            .contains(&"recommendation.simulated success".to_owned())
    );

    assert_eq!(
        *world.memory.resources.lock(),
        before,
        "the inventory knows nothing of it"
    );

    let asked = world
        .log
        .journal
        .lock()
        .iter()
        .any(|note| matches!(note, crate::journal::Note::Asked(..)));
    assert!(!asked, "no cloud was asked for anything");

    let changes = |entry: &reeve_audit::Entry| entry.event_type.as_str().starts_with("resource.");
    assert!(
        !world.entries().iter().any(changes),
        "no change of a resource is told of"
    );

    // It counts for no guardrail and undoes nothing.
    assert!(matches!(
        world
            .engine
            .execution
            .rollback(&action.id, &operator())
            .await,
        Err(EngineError::Conflict(_))
    ));

    assert_eq!(
        world.execute(&recommendation).await.status,
        ActionStatus::Succeeded
    );
}

#[tokio::test]
async fn a_simulation_shows_what_the_cloud_would_refuse() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;

    // Somebody stopped it since the finding.
    world
        .memory
        .resources
        .lock()
        .get_mut(&reeve_estate::ResourceId::new("i-1"))
        .unwrap()
        .state = ResourceState::Stopped;

    world
        .engine
        .execution
        .simulate(&recommendation.id, &operator())
        .await
        .unwrap();

    world.engine.execution.settle().await;
    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);
    assert_eq!(action.status, ActionStatus::Aborted);

    assert!(
        world
            .again(&recommendation)
            .await
            .status_reason
            .unwrap()
            .contains("state is stopped, not running")
    );
}

#[tokio::test]
async fn feedback_is_checked_and_kept() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let wrong = world
        .engine
        .recommendations
        .feedback(
            &recommendation.id,
            said("great", Some(6), None),
            &operator(),
        )
        .await;

    let Err(EngineError::Invalid(errors)) = wrong else {
        panic!("taken")
    };

    assert_eq!(
        errors.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(),
        ["outcome", "rating"]
    );

    let silent = world
        .engine
        .recommendations
        .feedback(&recommendation.id, said("not_now", None, None), &operator())
        .await;

    assert!(
        matches!(silent, Err(EngineError::Invalid(_))),
        "circumstances are needed"
    );
    for (outcome, comments) in [
        ("implemented_successfully", None),
        ("implemented_issues", Some("slow boot")),
        ("not_applicable", Some("licence")),
        ("not_now", Some("freeze")),
    ] {
        world
            .engine
            .recommendations
            .feedback(
                &recommendation.id,
                said(outcome, Some(4), comments),
                &operator(),
            )
            .await
            .unwrap();
    }

    let kept = world
        .memory
        .feedback_list(Some(&recommendation.id))
        .await
        .unwrap();

    assert_eq!(
        (kept.len(), kept[0].rating, kept[0].by.as_str()),
        (4, Some(4), "olga@example.com")
    );
}
