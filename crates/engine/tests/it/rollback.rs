//! Undoing: by itself when a change does not stick, takes too long or is refused halfway; by hand;
//! and lost answers.

use reeve_access::Role;
use reeve_estate::ResourceState;
use reeve_recommend::action::ActionStatus;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::cloud::Fault;
use crate::world::{World, operator, person};

const BEFORE: (ResourceState, &str) = (ResourceState::Running, "t3.large");
const AFTER: (ResourceState, &str) = (ResourceState::Running, "t3.medium");

/// Executes a right-sizing with faults at the given changing calls (0 stop, 1 modify, 2 start):
/// action, recommendation, where the machine ended.
async fn with(
    faults: &[(usize, Fault)],
    action: ActionStatus,
    status: Status,
    machine: (ResourceState, &str),
) {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    faults
        .iter()
        .for_each(|(call, fault)| world.cloud.fault(*call, *fault));
    let ended = world.execute(&recommendation).await;
    assert_eq!(ended.status, action, "{faults:?}: {ended:?}");
    assert_eq!(
        world.again(&recommendation).await.status,
        status,
        "{faults:?}"
    );

    assert_eq!(
        world.cloud.state("i-1"),
        (machine.0, machine.1.to_owned()),
        "{faults:?}"
    );
    world.every_change_was_announced();
    assert!(
        ended
            .steps
            .iter()
            .all(|step| step.ok.is_some() && step.finished_at.is_some()),
        "{faults:?}"
    );
}

#[tokio::test]
async fn lost_answers_are_settled_by_looking() {
    let done = async |faults: &[(usize, Fault)]| {
        with(faults, ActionStatus::Succeeded, Status::Succeeded, AFTER).await
    };
    for call in 0..3 {
        done(&[(call, Fault::LoseAnswer)]).await;
        done(&[(call, Fault::LoseRequest)]).await;
        done(&[(call, Fault::Throttle), (call + 1, Fault::Throttle)]).await;
    }

    done(&[
        (0, Fault::LoseRequest),
        (1, Fault::LoseAnswer),
        (2, Fault::LoseRequest),
    ])
    .await;
}

#[tokio::test]
async fn what_is_refused_before_anything_changed_opens_again() {
    with(
        &[(0, Fault::Deny)],
        ActionStatus::Aborted,
        Status::Open,
        BEFORE,
    )
    .await;
}

#[tokio::test]
async fn what_is_refused_halfway_is_undone() {
    let undone = async |faults: &[(usize, Fault)]| {
        with(faults, ActionStatus::RolledBack, Status::RolledBack, BEFORE).await
    };
    undone(&[(1, Fault::Deny)]).await;
    undone(&[(2, Fault::Deny)]).await;
    undone(&[
        (2, Fault::NoCapacity),
        (3, Fault::NoCapacity),
        (4, Fault::NoCapacity),
        (5, Fault::NoCapacity),
    ])
    .await;
}

#[tokio::test]
async fn what_takes_too_long_is_undone() {
    with(
        &[(0, Fault::Slow)],
        ActionStatus::RolledBack,
        Status::RolledBack,
        BEFORE,
    )
    .await;
    with(
        &[(2, Fault::Slow)],
        ActionStatus::RolledBack,
        Status::RolledBack,
        BEFORE,
    )
    .await;
}

#[tokio::test]
async fn what_is_accepted_and_ignored_once_is_asked_for_again() {
    with(
        &[(0, Fault::Ignore)],
        ActionStatus::Succeeded,
        Status::Succeeded,
        AFTER,
    )
    .await;
    with(
        &[(1, Fault::Ignore)],
        ActionStatus::Succeeded,
        Status::Succeeded,
        AFTER,
    )
    .await;
}

#[tokio::test]
async fn a_size_that_does_not_stick_is_noticed_and_undone() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.cloud.forget_sizes();
    let ended = world.execute(&recommendation).await;
    assert_eq!(ended.status, ActionStatus::RolledBack);
    assert!(ended.reason.unwrap().contains("did not take effect"));
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned())
    );

    // It is remembered: the same change is not proposed again at once.
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("failed_before".to_owned(), 1)),
        "{:?}",
        report.skipped
    );
    assert_eq!(world.on("i-1").await.len(), 1);
}

#[tokio::test]
async fn looks_without_an_answer_are_repeated() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.cloud.blind(&[0, 2, 3, 5, 8, 9]);
    assert_eq!(
        world.execute(&recommendation).await.status,
        ActionStatus::Succeeded
    );
}

#[tokio::test]
async fn when_undoing_fails_too_a_person_is_called() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    for call in 1..40 {
        world.cloud.fault(call, Fault::Deny);
    }

    let ended = world.execute(&recommendation).await;
    assert_eq!(ended.status, ActionStatus::Failed);
    assert!(
        ended.reason.as_ref().unwrap().contains("state stopped"),
        "{:?}",
        ended.reason
    );

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Failed);
    assert!(
        world
            .entries()
            .iter()
            .any(|e| e.severity == reeve_audit::Severity::High),
        "a failure is told as such"
    );

    // Once the cause is gone, a person undoes it by hand.
    (1..60).for_each(|call| world.cloud.fault(call, Fault::Throttle));
    (1..60).for_each(|call| world.cloud.fault(call, Fault::LoseAnswer));
    let undoing = world
        .engine
        .execution
        .rollback_for(&ended.id, Some(" the page was slow "), &operator())
        .await
        .unwrap();
    let undone = world.ended(&undoing).await;
    assert_eq!(undone.status, ActionStatus::RolledBack);
    let reason = format!("asked for by {}: the page was slow", operator().name);
    assert_eq!(undone.reason.as_deref(), Some(reason.as_str()));

    assert_eq!(world.cloud.state("i-1").0, ResourceState::Running);

    let back = world.again(&recommendation).await;
    assert_eq!(
        (back.status, back.taken_back_by),
        (Status::RolledBack, None),
        "repairing a failure is no decision against it"
    );
}

#[tokio::test]
async fn without_automatic_rollback_it_is_left_to_a_person() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let limits = Guardrails {
        rollback_automatic: false,
        ..world.engine.guardrails.guardrails_get().await.unwrap()
    };
    world
        .engine
        .guardrails
        .guardrails_put(limits, &person("ada", &[Role::Administrator]))
        .await
        .unwrap();

    world.cloud.fault(1, Fault::Deny);
    let ended = world.execute(&recommendation).await;
    assert_eq!(ended.status, ActionStatus::Failed);
    assert!(ended.reason.unwrap().contains("automatic rollback is off"));
    assert_eq!(world.cloud.state("i-1").0, ResourceState::Stopped);
}

#[tokio::test]
async fn by_hand_a_change_goes_back_once() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&recommendation).await;
    let undoing = world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();
    assert_eq!(undoing.status, ActionStatus::RollingBack);

    let ended = world.ended(&undoing).await;
    assert_eq!(ended.status, ActionStatus::RolledBack);
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned())
    );
    assert_eq!(
        world.again(&recommendation).await.status,
        Status::RolledBack
    );
    assert!(
        world
            .story(&recommendation)
            .contains(&"rollback.modify success".to_owned())
    );
    world.every_change_was_announced();
    let twice = world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await;
    assert!(matches!(twice, Err(EngineError::Conflict(_))));

    // A person's own decision is kept as such: it is no failure of the finding, which is not made
    // again for a while all the same.
    let back = world.again(&recommendation).await;
    assert_eq!(
        (back.taken_back_by.as_deref(), ended.undone_by.as_deref()),
        (Some("olga@example.com"), Some("olga@example.com"))
    );

    let agent = world
        .memory
        .agent_get(recommendation.agent_id.as_ref().unwrap())
        .await
        .unwrap();
    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("taken_back".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    // The same kind on another machine counts no failed case.
    world.machine("i-2", "t3.large", 5.0);
    world.run(&agent).await;
    let other = world.only("i-2").await;
    assert_eq!(
        (
            other.explanation.similar_cases,
            other.explanation.success_rate
        ),
        (0, None)
    );
}

#[tokio::test]
async fn the_kill_switch_turns_back_what_runs() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap();

    // The action's task has not run yet on this single thread; it meets the switch at its first
    // step.
    world
        .engine
        .guardrails
        .kill_switch(
            true,
            "stop everything",
            &person("ada", &[Role::Administrator]),
        )
        .await
        .unwrap();

    world.engine.execution.settle().await;
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned())
    );

    let again = world.again(&recommendation).await;
    assert!(
        matches!(again.status, Status::Open | Status::RolledBack),
        "{:?}",
        again.status
    );
    assert!(again.status_reason.unwrap().contains("kill switch"));

    let refused = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();

    assert!(matches!(
        refused,
        EngineError::Blocked(_) | EngineError::WrongState { .. }
    ));
}
