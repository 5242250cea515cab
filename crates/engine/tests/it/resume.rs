//! Whatever interrupts an execution, and wherever: the next process finishes it or puts everything
//! back.

use reeve_estate::ResourceState;
use reeve_recommend::action::ActionStatus;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::cloud::Fault;
use crate::world::{World, operator};

/// The world after its log went silent for good at the nth entry of an execution.
async fn interrupted_at(
    entry: usize,
    faults: &[(usize, Fault)],
) -> Option<(World, Recommendation)> {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    faults
        .iter()
        .for_each(|(call, fault)| world.cloud.fault(*call, *fault));
    *world.log.silent_after.lock() = Some(entry);
    let began = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;
    world.engine.execution.settle().await;
    world.every_change_was_announced();
    let silent = *world.log.silent_after.lock() == Some(0);

    if began.is_err() {
        assert_eq!(
            world.again(&recommendation).await.status,
            Status::Open,
            "refused at the door, nothing begun"
        );
    }

    silent.then_some((world, recommendation))
}

async fn comes_to_an_end(world: &World, recommendation: &Recommendation, entry: usize) {
    *world.log.silent_after.lock() = None;
    let next = world.restarted();
    next.engine.execution.resume().await.unwrap();
    next.engine.execution.settle().await;
    next.every_change_was_announced();
    let again = next.again(recommendation).await;
    let machine = next.cloud.state("i-1");
    let before = (ResourceState::Running, "t3.large".to_owned());
    let after = (ResourceState::Running, "t3.medium".to_owned());

    match again.status {
        Status::Succeeded => assert_eq!(machine, after, "entry {entry}"),
        Status::Open | Status::RolledBack => assert_eq!(machine, before, "entry {entry}"),
        other => panic!("entry {entry}: left {other}"),
    }

    for action in next.memory.action_list(None, None).await.unwrap() {
        assert!(!action.status.is_active(), "entry {entry}: {action:?}");
        assert!(
            action.steps.iter().all(|step| step.ok.is_some()),
            "entry {entry}"
        );
    }

    assert_eq!(
        next.engine.execution.resume().await.unwrap(),
        0,
        "nothing is left to take up"
    );
}

#[tokio::test]
async fn a_log_that_goes_silent_at_any_entry() {
    let mut interrupted = 0;
    for entry in 0..24 {
        if let Some((world, recommendation)) = interrupted_at(entry, &[]).await {
            interrupted += 1;
            comes_to_an_end(&world, &recommendation, entry).await;
        }
    }
    assert!(interrupted >= 15, "only {interrupted} places were tried");
}

#[tokio::test]
async fn a_log_that_goes_silent_during_a_rollback() {
    for entry in 8..30 {
        if let Some((world, recommendation)) = interrupted_at(entry, &[(1, Fault::Deny)]).await {
            comes_to_an_end(&world, &recommendation, entry).await;
        }
    }
}

#[tokio::test]
async fn a_claim_without_an_action_is_released() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let mut claimed = recommendation.clone();
    claimed.status = Status::Executing;
    claimed.version += 1;
    world.memory.recommendation_update(&claimed).await.unwrap();
    world.engine.execution.resume().await.unwrap();
    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(
        again
            .status_reason
            .unwrap()
            .contains("interrupted before anything was changed")
    );
}

#[tokio::test]
async fn what_a_task_of_this_process_carries_out_is_not_taken_up_twice() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap();

    assert_eq!(world.engine.execution.resume().await.unwrap(), 0);
    world.engine.execution.settle().await;
    let actions = world.memory.action_list(None, None).await.unwrap();
    assert_eq!(
        (actions.len(), actions[0].status),
        (1, ActionStatus::Succeeded)
    );
}

#[tokio::test]
async fn a_step_that_was_interrupted_is_closed_in_the_log() {
    for entry in 6..12 {
        let Some((world, recommendation)) = interrupted_at(entry, &[]).await else {
            continue;
        };
        let open = world
            .memory
            .action_list(None, None)
            .await
            .unwrap()
            .remove(0);
        let left = open.steps.last().is_some_and(|step| step.ok.is_none());
        *world.log.silent_after.lock() = None;
        let next = world.restarted();
        next.engine.execution.resume().await.unwrap();
        next.engine.execution.settle().await;
        let story = next.story(&recommendation);
        let at = story
            .iter()
            .position(|line| line == "action.resume pending")
            .unwrap();
        let closed = [
            "precondition",
            "snapshot",
            "stop",
            "modify",
            "start",
            "verify",
        ]
        .map(|step| format!("{step} failed"));
        assert_eq!(left, closed.contains(&story[at - 1]), "{story:?}");
    }
}
