//! What a rollout may still begin: as far as its agent may go by itself, or a person's guardrails
//! let it; what holds without a metric, and how long one that nobody answers keeps its kind.

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::{AgentInput, RolloutInput};
use reeve_recommend::agent::Agent;
use reeve_recommend::rollout::{
    MemberState, Rollout, RolloutFilter, RolloutSettings, RolloutStatus, Stage,
};

use super::{again, begin, changed, estate, hours, input, look, recorded};
use crate::world::{World, operator, person};

/// An agent that acts by itself, with its rollout of ten machines whose canary was changed.
async fn automatic() -> (World, Agent, Rollout) {
    let world = World::new().rolling_out();
    for n in 0..10 {
        world.machine(&format!("i-{n}"), "t3.large", 5.0);
    }

    let agent = world.agent("safe_mode", true).await;
    world.run(&agent).await;
    look(&world).await;
    let rollout = world
        .engine
        .rollouts
        .rollout_list(&RolloutFilter::default())
        .await
        .unwrap()
        .0
        .remove(0);

    assert_eq!(
        (rollout.stage, changed(&world).await),
        (Stage::Validation, 1),
        "{:?}",
        rollout.gates
    );

    (world, agent, rollout)
}

async fn configure(world: &World, agent: &Agent, input: AgentInput) {
    let input = AgentInput {
        reason: Some("an incident".to_owned()),
        ..input
    };
    let ada = person("ada", &[Role::Administrator]);
    world
        .engine
        .agents
        .agent_configure(&agent.id, input, &ada)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_agents_rollout_goes_no_further_than_the_agent_may_go_by_itself() {
    let (world, agent, rollout) = automatic().await;
    configure(
        &world,
        &agent,
        AgentInput {
            auto_apply_enabled: Some(false),
            ..AgentInput::default()
        },
    )
    .await;

    hours(&world, 26, 30.0).await;
    let now = again(&world, &rollout).await;
    assert_eq!(
        (now.status, changed(&world).await),
        (RolloutStatus::Held, 1),
        "{:?}",
        now.members
    );

    assert!(
        now.reason
            .as_ref()
            .unwrap()
            .contains("automatic changes of agent safe_mode agent are off"),
        "{now:?}"
    );

    assert_eq!(recorded(&world, "rollout.hold"), 1);

    let strict = AgentInput {
        auto_apply_enabled: Some(true),
        confidence_threshold: Some("99.9%".to_owned()),
        ..AgentInput::default()
    };
    configure(&world, &agent, strict).await;
    world
        .engine
        .rollouts
        .rollout_resume(&rollout.id, "the incident is over", &operator())
        .await
        .unwrap();

    look(&world).await;
    let now = again(&world, &rollout).await;
    assert_eq!(
        (now.status, changed(&world).await),
        (RolloutStatus::Held, 1)
    );
    assert!(
        now.reason
            .as_ref()
            .unwrap()
            .contains("is below the threshold of 99.9 %"),
        "{:?}",
        now.reason
    );

    configure(
        &world,
        &agent,
        AgentInput {
            confidence_threshold: Some("85%".to_owned()),
            ..AgentInput::default()
        },
    )
    .await;

    world
        .engine
        .rollouts
        .rollout_resume(&rollout.id, "the threshold was a mistake", &operator())
        .await
        .unwrap();

    look(&world).await;
    assert_eq!(
        changed(&world).await,
        2,
        "{:?}",
        again(&world, &rollout).await.members
    );
}

#[tokio::test]
async fn a_rollout_that_a_person_began_goes_on_without_automatic_changes_and_meets_the_guardrails()
{
    let (world, agent) = estate(3, "t3.large").await;
    assert!(!agent.auto_apply.enabled);

    let rollout = begin(&world, &agent, RolloutSettings::default()).await;
    let mut limits = world.engine.guardrails.guardrails_get().await.unwrap();
    limits.max_cost_decrease_percent = 30.0;
    world
        .engine
        .guardrails
        .guardrails_put(limits, &operator())
        .await
        .unwrap();

    look(&world).await;
    let now = again(&world, &rollout).await;
    assert_eq!(
        (now.status, changed(&world).await),
        (RolloutStatus::Running, 0)
    );

    let block = now.members[0].block.as_ref().unwrap();
    assert_eq!(
        block.guardrail.as_str(),
        "cost_impact.max_decrease",
        "an exception can be asked for: {block:?}"
    );
}

#[tokio::test]
async fn what_no_metric_shows_is_held_once_its_state_is_verified() {
    let world = World::new().rolling_out();
    for n in 0..3 {
        world.machine(&format!("i-{n}"), "t3.large", 0.1);
    }

    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let settings = RolloutSettings {
        shares_percent: Vec::new(),
        ..Default::default()
    };
    let input = RolloutInput {
        kind: "idle_resource_cleanup".to_owned(),
        ..input(&agent, settings)
    };
    let rollout = world
        .engine
        .rollouts
        .rollout_begin(input, &operator())
        .await
        .unwrap();

    look(&world).await;
    assert_eq!(changed(&world).await, 1);

    // A machine that is off sends no samples.
    world.clock.advance(SignedDuration::from_hours(25));
    look(&world).await;
    let now = again(&world, &rollout).await;
    assert_eq!(
        (now.members[0].state, changed(&world).await),
        (MemberState::Held, 3),
        "{:?}",
        now.gates
    );

    assert!(
        now.members[0]
            .detail
            .contains("its state is as the change left it"),
        "{:?}",
        now.members[0]
    );

    world.clock.advance(SignedDuration::from_hours(25));
    look(&world).await;
    assert_eq!(
        again(&world, &rollout).await.status,
        RolloutStatus::Completed
    );
}

#[tokio::test]
async fn a_rollout_that_nobody_answers_is_given_up_and_its_kind_goes_out_in_stages_later() {
    let (world, agent) = estate(3, "t3.large").await;
    let rollout = begin(&world, &agent, RolloutSettings::default()).await;
    look(&world).await;
    world
        .engine
        .rollouts
        .rollout_stop(&rollout.id, "a release goes out", &operator())
        .await
        .unwrap();

    hours(&world, 26, 30.0).await;
    assert_eq!(again(&world, &rollout).await.status, RolloutStatus::Stopped);
    world.clock.advance(SignedDuration::from_hours(15 * 24));
    look(&world).await;
    let now = again(&world, &rollout).await;
    assert_eq!(now.status, RolloutStatus::Aborted);
    assert!(
        now.reason.as_ref().unwrap().contains("stopped for 14 days"),
        "{:?}",
        now.reason
    );

    configure(
        &world,
        &agent,
        AgentInput {
            auto_apply_enabled: Some(true),
            ..AgentInput::default()
        },
    )
    .await;

    let measured = |world: &World| {
        world
            .machine("i-5", "t3.large", 5.0)
            .machine("i-6", "t3.large", 5.0);
    };
    measured(&world);

    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("rollout_aborted".to_owned(), 2)),
        "{:?}",
        report.skipped
    );
    world.clock.advance(SignedDuration::from_hours(90 * 24));
    measured(&world);
    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("in_rollout".to_owned(), 2)),
        "{:?}",
        report.skipped
    );

    let (found, _) = world
        .engine
        .rollouts
        .rollout_list(&RolloutFilter::default())
        .await
        .unwrap();

    assert_eq!(found.len(), 2, "in stages again, though they are few");
}
