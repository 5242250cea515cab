//! Applicability agrees with what an execution then does, for whatever is in the way.

use std::sync::atomic::Ordering;

use reeve_access::Role;
use reeve_engine::{AgentInput, ExclusionInput};
use reeve_recommend::approval::Signature;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::AgentStore as _;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::applicability::{Applicability, ApplicabilityState};
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, person};

async fn decided(world: &World, recommendation: &Recommendation) -> Option<Applicability> {
    world
        .engine
        .guardrails
        .applicability(&[world.again(recommendation).await])
        .await
        .unwrap()
        .remove(0)
}

/// Blocked by this, and refused so at execution.
async fn blocked(world: &World, recommendation: &Recommendation, expected: &str) {
    let found = decided(world, recommendation).await.unwrap();
    let Applicability::Blocked { by, reason, .. } = &found else {
        panic!("{expected}: {found:?}")
    };

    assert_eq!(by, expected, "{reason}");

    let error = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();

    match &error {
        EngineError::Blocked(block) => assert_eq!(
            (block.guardrail.as_str(), &block.message),
            (expected, reason)
        ),
        EngineError::Learning { .. } => assert_eq!(expected, "agent_mode"),
        EngineError::NotFound { what, .. } => assert_eq!(*what, expected),
        other => assert_eq!(&other.to_string(), reason),
    }

    assert_eq!(world.cloud.calls(), 0, "{expected}");
}

async fn limits(world: &World, change: impl FnOnce(&mut Guardrails)) {
    let mut limits = world.memory.guardrails_get().await.unwrap();
    change(&mut limits);
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();
}

#[tokio::test]
async fn what_stands_in_the_way_is_shown_before_and_decides_at_execution() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    assert_eq!(
        decided(&world, &recommendation).await,
        Some(Applicability::Ready(Vec::new()))
    );
    limits(&world, |limits| limits.kill_switch = true).await;
    blocked(&world, &recommendation, "kill_switch").await;
    limits(&world, |limits| {
        limits.kill_switch = false;
        limits.max_cost_decrease_percent = 10.0;
    })
    .await;
    blocked(&world, &recommendation, "cost_impact.max_decrease").await;
    limits(&world, |limits| limits.max_cost_decrease_percent = 90.0).await;

    let exclusion = ExclusionInput {
        aspect: None,
        resource: Some("i-1".to_owned()),
        account: None,
        kind: None,
        reason: "mine".to_owned(),
        until: None,
    };

    let agent = recommendation.agent_id.clone().unwrap();
    let ada = person("ada", &[Role::Administrator]);
    let learning = AgentInput {
        mode: Some("learning".to_owned()),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent, learning, &ada)
        .await
        .unwrap();

    blocked(&world, &recommendation, "agent_mode").await;
    let safe = AgentInput {
        mode: Some("safe_mode".to_owned()),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent, safe, &ada)
        .await
        .unwrap();

    world.memory.observe_only.store(true, Ordering::SeqCst);
    blocked(&world, &recommendation, "connection").await;
    world.memory.observe_only.store(false, Ordering::SeqCst);
    assert_eq!(
        decided(&world, &recommendation).await,
        Some(Applicability::Ready(Vec::new()))
    );
    world
        .engine
        .recommendations
        .exclude(exclusion, &operator())
        .await
        .unwrap();

    assert_eq!(world.again(&recommendation).await.status, Status::Dismissed);
    assert_eq!(decided(&world, &recommendation).await, None, "over");
}

#[tokio::test]
async fn signatures_are_named_and_advice_says_that_it_is_advice() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    assert_eq!(
        decided(&world, &recommendation).await,
        Some(Applicability::Ready(vec![Signature::Manager]))
    );

    let advice = Recommendation {
        plan: None,
        ..recommendation.clone()
    };
    let found = world
        .engine
        .guardrails
        .applicability(&[advice])
        .await
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(found.state(), ApplicabilityState::AdviceOnly);

    world.memory.resources.lock().clear();
    blocked(&world, &recommendation, "resource").await;
}

#[tokio::test]
async fn a_thousand_are_decided_with_one_reading() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let many = vec![recommendation; 1000];
    let began = std::time::Instant::now();
    let found = world.engine.guardrails.applicability(&many).await.unwrap();
    assert!(
        found
            .iter()
            .all(|one| *one == Some(Applicability::Ready(Vec::new())))
    );
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
}
