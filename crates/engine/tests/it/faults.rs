//! Random faults of the cloud and the log: never a change that was not announced, never left half
//! done in silence.

use proptest::prelude::*;
use reeve_audit::Severity;
use reeve_estate::ResourceState;
use reeve_recommend::action::ActionStatus;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::cloud::Fault;
use crate::world::{World, operator, volume_of};

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        3 => Just(Fault::LoseAnswer),
        3 => Just(Fault::LoseRequest),
        2 => Just(Fault::Throttle),
        1 => Just(Fault::Deny),
        2 => Just(Fault::NoCapacity),
        2 => Just(Fault::Ignore),
        1 => Just(Fault::Slow),
    ]
}

#[derive(Debug, Clone)]
struct Script {
    faults: Vec<(usize, Fault)>,
    blind: Vec<usize>,
    silent_after: Option<usize>,
    forgets: bool,
    idle: bool,
}

fn script() -> impl Strategy<Value = Script> {
    (
        prop::collection::vec((0usize..14, fault()), 0..8),
        prop::collection::vec(0usize..40, 0..8),
        prop::option::of(0usize..30),
        prop::bool::weighted(0.15),
        any::<bool>(),
    )
        .prop_map(|(faults, blind, silent_after, forgets, idle)| Script {
            faults,
            blind,
            silent_after,
            forgets,
            idle,
        })
}

async fn play(script: &Script) {
    let world = World::new();
    world
        .machine("i-1", "t3.large", if script.idle { 0.1 } else { 5.0 })
        .put(volume_of("vol-1", "i-1"));
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    script
        .faults
        .iter()
        .for_each(|(call, fault)| world.cloud.fault(*call, *fault));
    world.cloud.blind(&script.blind);
    if script.forgets {
        world.cloud.forget_sizes();
    }
    *world.log.silent_after.lock() = script.silent_after;

    let _ = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;
    world.engine.execution.settle().await;
    world.every_change_was_announced();
    *world.log.silent_after.lock() = None;
    let next = world.restarted();
    next.engine.execution.resume().await.unwrap();
    next.engine.execution.settle().await;
    next.every_change_was_announced();

    let ended = next.again(&recommendation).await;
    let machine = next.cloud.state("i-1");
    let before = (ResourceState::Running, "t3.large".to_owned());
    let wanted = if script.idle {
        (ResourceState::Stopped, "t3.large".to_owned())
    } else {
        (ResourceState::Running, "t3.medium".to_owned())
    };

    let actions = next
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap();

    match ended.status {
        Status::Succeeded => assert_eq!(machine, wanted),
        Status::Open | Status::RolledBack => assert_eq!(machine, before),
        Status::Failed => {
            assert!(ended.status_reason.is_some());
            let is_recorded = next
                .entries()
                .into_iter()
                .any(|e| e.severity == Severity::High);
            assert!(is_recorded, "a failure must be is_recorded as such");
        }
        other => panic!("left {other}"),
    }

    for action in &actions {
        assert!(
            !action.status.is_active() && action.finished_at.is_some(),
            "{action:?}"
        );
        assert!(action.steps.iter().all(|step| step.ok.is_some()));
        let expected = match action.status {
            ActionStatus::Succeeded => Status::Succeeded,
            ActionStatus::RolledBack => Status::RolledBack,
            ActionStatus::Failed => Status::Failed,
            _ => Status::Open,
        };
        assert_eq!(ended.status, expected, "{action:?}");
    }

    if script.idle && ended.status == Status::Succeeded {
        assert!(next.cloud.snapshots() >= 1, "stopped without a snapshot");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_done_unannounced_or_left_half_done(script in script()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(&script));
    }
}
