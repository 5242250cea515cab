//! The dry run of an agent: it decides as a run does, under its own configuration or another one,
//! and touches nothing.

use reeve_engine::{AgentInput, PreviewOutcome};
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator};

async fn outcomes(world: &World, agent: &Agent) -> Vec<PreviewOutcome> {
    let preview = world
        .engine
        .rollouts
        .preview(agent, &world.engine.scopes)
        .await
        .unwrap();

    // The advice about the account is left to people in every configuration.
    let own = preview
        .decisions
        .into_iter()
        .filter(|(one, _)| one.plan.is_some());
    own.map(|(_, outcome)| outcome).collect()
}

#[tokio::test]
async fn a_dry_run_decides_as_the_run_after_it() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    assert_eq!(
        outcomes(&world, &agent).await,
        [PreviewOutcome::LeftToPeople("auto_apply_disabled")]
    );

    // Another configuration is only considered: the agent stays as it is.
    let mut considered = agent.clone();
    considered.auto_apply.enabled = true;
    let recorded = world.entries().len();
    assert_eq!(
        outcomes(&world, &considered).await,
        [PreviewOutcome::Applies]
    );
    considered.mode = Mode::Learning;
    assert_eq!(
        outcomes(&world, &considered).await,
        [PreviewOutcome::LeftToPeople("mode_learning")]
    );
    assert_eq!(world.entries().len(), recorded, "nothing is recorded");
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
    assert!(
        !world
            .memory
            .agent_get(&agent.id)
            .await
            .unwrap()
            .auto_apply
            .enabled
    );

    let input = AgentInput {
        auto_apply_enabled: Some(true),
        ..AgentInput::default()
    };
    let agent = world
        .engine
        .agents
        .agent_configure(&agent.id, input, &operator())
        .await
        .unwrap();

    world
        .engine
        .guardrails
        .kill_switch(true, "a test", &operator())
        .await
        .unwrap();

    let [PreviewOutcome::Blocked { by, reason }] = &outcomes(&world, &agent).await[..] else {
        panic!("not blocked")
    };

    assert!(by == "kill_switch" && !reason.is_empty(), "{by}: {reason}");
    assert_eq!(world.run(&agent).await.applied, 0);
    world
        .engine
        .guardrails
        .kill_switch(false, "a test", &operator())
        .await
        .unwrap();

    assert_eq!(outcomes(&world, &agent).await, [PreviewOutcome::Applies]);
    assert_eq!(world.run(&agent).await.applied, 1);
    assert_eq!(
        outcomes(&world, &agent).await,
        [],
        "what is being changed is open no more"
    );
}

#[tokio::test]
async fn many_of_a_kind_begin_a_rollout_and_the_dry_run_begins_none() {
    let world = World::new().rolling_out();
    for number in 0..10 {
        world.machine(&format!("i-{number}"), "t3.large", 5.0);
    }

    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let mut considered = agent.clone();
    considered.auto_apply.enabled = true;
    assert_eq!(
        outcomes(&world, &considered).await,
        vec![PreviewOutcome::Rollout("begins_rollout"); 10]
    );
    assert_eq!(
        outcomes(&world, &considered).await,
        vec![PreviewOutcome::Rollout("begins_rollout"); 10],
        "none was begun"
    );
}
