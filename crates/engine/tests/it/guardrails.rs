//! The guardrails: each names itself, its limit and the value found.

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::{AgentInput, Execution};
use reeve_recommend::action::ActionStatus;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::{GuardrailBlock, Guardrails};
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::cloud::Fault;
use crate::world::{World, operator, person, volume_of};

async fn limits(world: &World, change: impl FnOnce(&mut Guardrails)) {
    let mut wanted = world.engine.guardrails.guardrails_get().await.unwrap();
    change(&mut wanted);
    world
        .engine
        .guardrails
        .guardrails_put(wanted, &person("ada", &[Role::Administrator]))
        .await
        .unwrap();
}

async fn blocked(world: &World, recommendation: &Recommendation) -> GuardrailBlock {
    match world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
    {
        Err(EngineError::Blocked(block)) => {
            let again = world.again(recommendation).await;
            assert_eq!(again.status, Status::Open);
            assert!(again.blocked.unwrap().contains(block.guardrail.as_str()));
            assert_eq!(
                world.story(recommendation).last().unwrap(),
                "recommendation.execute denied"
            );
            block
        }
        other => panic!("not blocked: {other:?}"),
    }
}

#[tokio::test]
async fn each_limit_says_no_by_name_limit_and_value() {
    let check = async |change: fn(&mut Guardrails), name: &str, limit: f64| {
        let world = World::new();
        let recommendation = world.right_size("i-1", "t3.large").await;
        limits(&world, change).await;
        let block = blocked(&world, &recommendation).await;
        assert_eq!(
            (block.guardrail.as_str(), block.limit),
            (name, limit),
            "{block}"
        );
    };

    check(
        |l| l.max_cost_decrease_percent = 30.0,
        "cost_impact.max_decrease",
        30.0,
    )
    .await;

    check(
        |l| l.min_uptime_percent = 99.999,
        "availability.min_uptime",
        99.999,
    )
    .await;

    // Five minutes for the change would leave 99.988 %; with half an hour for its way back it may
    // be 35.
    check(
        |l| l.min_uptime_percent = 99.95,
        "availability.min_uptime",
        99.95,
    )
    .await;

    check(
        |l| l.max_actions_per_day = 0,
        "blast_radius.max_actions_per_day",
        0.0,
    )
    .await;
}

#[tokio::test]
async fn a_larger_size_costs_more_than_five_percent_and_is_blocked() {
    let world = World::new();
    world.machine("i-1", "t3.large", 97.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    let block = blocked(&world, &recommendation).await;
    assert_eq!(
        (block.guardrail.as_str(), block.limit, block.value.round()),
        ("cost_impact.max_increase", 5.0, 84.0)
    );
    limits(&world, |l| l.max_cost_increase_percent = 120.0).await;
    let executed = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap();

    assert!(matches!(
        executed,
        Execution::PendingApproval(_) | Execution::Started(_)
    ));
    world.engine.execution.settle().await;
}

#[tokio::test]
async fn a_change_without_a_known_price_is_within_no_limit_of_cost() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let mut unpriced = recommendation.clone();
    unpriced.impact.cost_percent = None;
    unpriced.version += 1;
    world.memory.recommendation_update(&unpriced).await.unwrap();
    let block = blocked(&world, &recommendation).await;
    assert_eq!(
        (block.guardrail.as_str(), block.limit),
        ("cost_impact.max_increase", 5.0)
    );
    assert!(
        block.message.starts_with("no price of the change is known"),
        "{block}"
    );
    assert!(
        block.guardrail.is_exceptable(),
        "people may grant an exception"
    );

    let mut idle = world.again(&recommendation).await;
    idle.kind = reeve_recommend::recommendation::RecommendationType::IdleResourceCleanup;
    idle.version += 1;
    world.memory.recommendation_update(&idle).await.unwrap();
    let executed = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;

    assert!(
        !matches!(executed, Err(EngineError::Blocked(_))),
        "what ends a cost raises none: {executed:?}"
    );
    world.engine.execution.settle().await;
}

#[tokio::test]
async fn expected_degradation_is_bounded() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let mut worse = recommendation.clone();
    worse.impact.performance_degradation_percent = Some(3.5);
    worse.version += 1;
    world.memory.recommendation_update(&worse).await.unwrap();
    let block = blocked(&world, &recommendation).await;
    assert_eq!(
        (block.guardrail.as_str(), block.limit, block.value),
        ("performance_impact.max_degradation", 3.0, 3.5)
    );
}

#[tokio::test]
async fn the_kill_switch_stops_everything_and_is_audited() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let admin = person("ada", &[Role::Administrator]);
    assert!(matches!(
        world.engine.guardrails.kill_switch(true, "", &admin).await,
        Err(EngineError::Invalid(_))
    ));
    world
        .engine
        .guardrails
        .kill_switch(true, "incident", &admin)
        .await
        .unwrap();

    let entry = world.entries().into_iter().next_back().unwrap();
    assert_eq!(
        (entry.event_type.as_str(), entry.action.operation.as_deref()),
        ("policy.modify", Some("kill_switch.on"))
    );
    assert_eq!(
        blocked(&world, &recommendation).await.guardrail.as_str(),
        "kill_switch"
    );
    world
        .engine
        .guardrails
        .kill_switch(false, "over", &admin)
        .await
        .unwrap();

    assert_eq!(
        world.execute(&recommendation).await.status,
        ActionStatus::Succeeded
    );
}

#[tokio::test]
async fn a_changed_resource_is_left_alone_for_a_while() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.execute(&recommendation).await;

    // Idle now: another finding on the same machine, the same day.
    let mut idle = recommendation.clone();
    idle.id = reeve_recommend::recommendation::RecommendationId("second".to_owned());
    idle.kind = reeve_recommend::recommendation::RecommendationType::IdleResourceCleanup;
    idle.status = Status::Open;
    world.memory.recommendation_insert(&idle).await.unwrap();
    let block = match world
        .engine
        .execution
        .execute(&idle.id, None, None, &operator())
        .await
    {
        Err(EngineError::Blocked(block)) => block,
        other => panic!("not blocked: {other:?}"),
    };

    assert_eq!((block.guardrail.as_str(), block.limit), ("cool_down", 24.0));
    world.clock.advance(SignedDuration::from_hours(25));
    world.cloud.change("i-1", |r| {
        r.specification.instance_type = Some("t3.large".to_owned())
    });
    assert!(
        world
            .engine
            .execution
            .execute(&idle.id, None, None, &operator())
            .await
            .is_ok()
    );

    world.engine.execution.settle().await;
}

#[tokio::test]
async fn after_failures_in_a_row_the_breaker_opens_until_it_is_reset() {
    let world = World::new();
    for n in 0..4 {
        world.machine(&format!("i-{n}"), "t3.large", 5.0);
    }

    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;

    for n in 0..3 {
        // Each execution stops, fails at the new size, and is undone with one start.
        world.cloud.fault(n * 3 + 1, Fault::Deny);
        let recommendation = world.only(&format!("i-{n}")).await;
        assert_eq!(
            world.execute(&recommendation).await.status,
            ActionStatus::RolledBack
        );
    }

    let recommendation = world.only("i-3").await;
    let block = blocked(&world, &recommendation).await;
    assert_eq!(
        (block.guardrail.as_str(), block.limit, block.value),
        ("circuit_breaker", 3.0, 3.0)
    );
    world
        .engine
        .guardrails
        .breaker_reset(
            "the policy was missing ModifyInstanceAttribute",
            &person("ada", &[Role::Administrator]),
        )
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(
        world.execute(&recommendation).await.status,
        ActionStatus::Succeeded
    );
}

#[tokio::test]
async fn an_agent_by_itself_stays_within_its_blast_radius() {
    let world = World::new();
    for n in 0..30 {
        world.machine(&format!("i-{n:02}"), "t3.large", 5.0);
    }

    let agent = world.agent("safe_mode", true).await;
    let report = world.run(&agent).await;
    world.engine.execution.settle().await;

    // A tenth of thirty resources a day.
    assert_eq!(report.applied, 3, "{report:?}");
    assert!(
        report
            .skipped
            .contains(&("blocked_blast_radius.max_share_per_day".to_owned(), 27)),
        "{:?}",
        report.skipped
    );

    let again = world.run(&agent).await;
    assert_eq!(
        again.applied, 0,
        "after a restart or another run the day's count still holds"
    );
    limits(&world, |l| l.max_share_per_day_percent = 100.0).await;
    let third = world.run(&agent).await;
    world.engine.execution.settle().await;
    assert_eq!(third.applied, 5, "at most five a run: {third:?}");
    assert!(
        third
            .skipped
            .iter()
            .any(|(reason, _)| reason == "blocked_blast_radius.max_actions_per_run")
    );
}

#[tokio::test]
async fn wrong_limits_are_refused_by_field_and_stale_ones_by_version() {
    let world = World::new();
    let admin = person("ada", &[Role::Administrator]);
    let read = world.engine.guardrails.guardrails_get().await.unwrap();
    let wrong = Guardrails {
        max_cost_decrease_percent: 101.0,
        min_uptime_percent: f64::NAN,
        rollback_timeout_s: 0,
        breaker_failures: 0,
        ..read.clone()
    };

    let Err(EngineError::Invalid(errors)) =
        world.engine.guardrails.guardrails_put(wrong, &admin).await
    else {
        panic!("taken")
    };

    let paths: Vec<&str> = errors.iter().map(|e| e.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "cost_impact.max_decrease",
            "availability.min_uptime",
            "rollback.timeout",
            "breaker_failures"
        ]
    );

    let stored = world
        .engine
        .guardrails
        .guardrails_put(
            Guardrails {
                kill_switch: true,
                ..read.clone()
            },
            &admin,
        )
        .await
        .unwrap();
    assert!(!stored.kill_switch, "the switch has a call of its own");

    let stale = world.engine.guardrails.guardrails_put(read, &admin).await;
    assert!(matches!(stale, Err(EngineError::Conflict(_))));
}

#[tokio::test]
async fn what_left_the_scope_since_it_was_found_is_not_executed() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.put(volume_of("vol-1", "i-1"));
    let narrower = AgentInput {
        services: Some(vec!["ebs".to_owned()]),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(
            recommendation.agent_id.as_ref().unwrap(),
            narrower,
            &person("ada", &[Role::Administrator]),
        )
        .await
        .unwrap();

    let block = blocked(&world, &recommendation).await;
    assert_eq!(block.guardrail.as_str(), "scope");
    assert_eq!(world.cloud.state("i-1").1, "t3.large");
}

#[tokio::test]
async fn the_kill_switch_is_thrown_while_others_change_the_limits() {
    let world = World::new();
    let admin = person("ada", &[Role::Administrator]);
    let wanted = world.engine.guardrails.guardrails_get().await.unwrap();
    let (put, thrown) = tokio::join!(
        world.engine.guardrails.guardrails_put(
            Guardrails {
                max_actions_per_day: 7,
                ..wanted
            },
            &admin
        ),
        world
            .engine
            .guardrails
            .kill_switch(true, "an incident", &admin)
    );

    assert!(put.is_ok() && thrown.is_ok());

    let kept = world.engine.guardrails.guardrails_get().await.unwrap();
    assert!(
        kept.kill_switch && kept.max_actions_per_day == 7,
        "neither took the other back: {kept:?}"
    );
}

#[tokio::test]
async fn what_is_used_up_is_shown_before_it_says_no() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let fresh = world.engine.guardrails.guardrail_usage().await.unwrap();
    assert_eq!(
        (fresh.failures, fresh.actions_today, fresh.budgets.len()),
        (0, 0, 0)
    );
    assert!((fresh.budget_s - 2592.0).abs() < 1e-6, "0.1 % of 30 days");

    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Succeeded);

    let used = world.engine.guardrails.guardrail_usage().await.unwrap();
    assert_eq!(
        (used.actions_today, used.budgets.len(), used.breaker_open()),
        (1, 1, false)
    );

    let budget = &used.budgets[0];
    let stopped = action
        .steps
        .iter()
        .find(|step| step.kind.as_str() == "stop")
        .unwrap()
        .started_at;

    let down = action
        .steps
        .last()
        .unwrap()
        .finished_at
        .unwrap()
        .duration_since(stopped)
        .as_secs_f64();

    assert_eq!(
        (budget.name.as_str(), budget.down_s, budget.changes),
        ("i-1-name", down, 1)
    );
    assert!(down > 30.0 && budget.uptime_percent < 100.0 && budget.uptime_percent > 99.9);

    // A failure opens a breaker of one; a reset closes it.
    limits(&world, |l| l.breaker_failures = 1).await;
    world.machine("i-2", "t3.large", 5.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let other = world.only("i-2").await;

    // Its stop goes through, its new size is refused, and it is put back.
    world.cloud.fault(world.cloud.calls() + 1, Fault::Deny);
    assert_eq!(world.execute(&other).await.status, ActionStatus::RolledBack);

    let open = world.engine.guardrails.guardrail_usage().await.unwrap();
    assert!(open.breaker_open() && open.failures == 1, "{open:?}");
    world
        .engine
        .guardrails
        .breaker_reset("the cause is known", &person("ada", &[Role::Administrator]))
        .await
        .unwrap();

    let closed = world.engine.guardrails.guardrail_usage().await.unwrap();
    assert!(!closed.breaker_open() && closed.breaker_reset_at.is_some());
}
