//! The approval matrix: who must sign, who may not, and that an approval binds to one exact plan.

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::Execution;
use reeve_estate::ResourceState;
use reeve_recommend::agent::Impact;
use reeve_recommend::approval::{Approval, ApprovalStatus, Signature};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, person};

async fn asked(world: &World, recommendation: &Recommendation) -> Approval {
    match world
        .engine
        .execution
        .execute(&recommendation.id, None, Some("please"), &operator())
        .await
        .unwrap()
    {
        Execution::PendingApproval(approval) => approval,
        Execution::Started(action) => panic!("began without approval: {action:?}"),
    }
}

#[tokio::test]
async fn medium_impact_waits_for_a_manager_and_then_runs_by_itself() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    assert_eq!(recommendation.impact_level, Impact::Medium);

    let approval = asked(&world, &recommendation).await;
    assert_eq!(approval.needed, [Signature::Manager]);
    assert_eq!(
        world.again(&recommendation).await.status,
        Status::PendingApproval
    );
    assert_eq!(
        asked(&world, &recommendation).await.id,
        approval.id,
        "asking again is the same request"
    );

    let operator_signs = world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("otto", &[Role::Operator]))
        .await;
    assert!(matches!(operator_signs, Err(EngineError::Forbidden(_))));

    let signed = world
        .engine
        .recommendations
        .approve(&approval.id, Some("go"), &person("max", &[Role::Manager]))
        .await
        .unwrap();
    assert_eq!(signed.status, ApprovalStatus::Approved);

    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "m5.large".to_owned())
    );

    let story = world.story(&recommendation);
    let at = |what: &str| {
        story
            .iter()
            .position(|line| line == what)
            .unwrap_or_else(|| panic!("{what} not in {story:?}"))
    };
    assert!(at("approval.request pending") < at("approval.sign success"));

    assert!(at("approval.sign success") < at("action.start pending"));

    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(action.by, "olga@example.com", "in the name of who asked");
}

#[tokio::test]
async fn high_impact_needs_director_and_security_and_two_people() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.8xlarge").await;
    assert_eq!(recommendation.impact_level, Impact::High);

    let approval = asked(&world, &recommendation).await;
    assert_eq!(approval.needed, [Signature::Director, Signature::Security]);

    let both = person("bea", &[Role::Director, Role::SecurityAnalyst]);
    let manager = world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await;
    assert!(matches!(manager, Err(EngineError::Forbidden(_))));

    let first = world
        .engine
        .recommendations
        .approve(&approval.id, None, &both)
        .await
        .unwrap();

    assert_eq!(
        (first.status, first.signed.len()),
        (ApprovalStatus::Pending, 1)
    );
    assert!(both.can_sign(&first).is_empty());

    let twice = world
        .engine
        .recommendations
        .approve(&approval.id, None, &both)
        .await;

    assert!(
        matches!(twice, Err(EngineError::Forbidden(_))),
        "one person cannot sign both halves"
    );
    assert_eq!(
        world.again(&recommendation).await.status,
        Status::PendingApproval
    );

    let second = world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("sam", &[Role::SecurityAnalyst]))
        .await
        .unwrap();
    assert_eq!(second.status, ApprovalStatus::Approved);

    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
}

#[tokio::test]
async fn nobody_approves_their_own_request() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let admin = person("ada", &[Role::Administrator]);
    let Execution::PendingApproval(approval) = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &admin)
        .await
        .unwrap()
    else {
        panic!("began without approval");
    };

    let own = world
        .engine
        .recommendations
        .approve(&approval.id, None, &admin)
        .await
        .unwrap_err();

    assert!(
        own.to_string().contains("someone else must approve"),
        "{own}"
    );
    assert!(admin.can_sign(&approval).is_empty());
    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
}

#[tokio::test]
async fn a_refusal_opens_the_recommendation_again() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let manager = person("max", &[Role::Manager]);
    assert!(matches!(
        world
            .engine
            .recommendations
            .reject(&approval.id, " ", &manager)
            .await,
        Err(EngineError::Invalid(_))
    ));

    let stranger = world
        .engine
        .recommendations
        .reject(&approval.id, "no", &person("otto", &[Role::Operator]))
        .await;
    assert!(matches!(stranger, Err(EngineError::Forbidden(_))));

    let rejected = world
        .engine
        .recommendations
        .reject(&approval.id, "not in December", &manager)
        .await
        .unwrap();
    assert_eq!(rejected.status, ApprovalStatus::Rejected);

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Open);
    assert!(again.status_reason.unwrap().contains("not in December"));
    assert!(matches!(
        world
            .engine
            .recommendations
            .approve(&approval.id, None, &manager)
            .await,
        Err(EngineError::Conflict(_))
    ));

    assert_eq!(world.cloud.state("i-1").1, "m5.xlarge");
}

#[tokio::test]
async fn a_request_lapses_and_binds_to_its_plan() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let mut other = approval.clone();
    other.plan_hash = "0".repeat(64);
    other.version += 1;
    world.memory.approval_update(&other).await.unwrap();
    let manager = person("max", &[Role::Manager]);
    let stale = world
        .engine
        .recommendations
        .approve(&approval.id, None, &manager)
        .await;

    assert!(
        matches!(stale, Err(EngineError::PlanChanged { .. })),
        "{stale:?}"
    );
    assert_eq!(world.again(&recommendation).await.status, Status::Open);

    let second = asked(&world, &recommendation).await;
    world.clock.advance(SignedDuration::from_hours(24 * 8));
    let due = world.engine.scheduler.due().await.unwrap();
    assert_eq!(due.approvals_expired, 1);
    assert_eq!(
        world.memory.approval_get(&second.id).await.unwrap().status,
        ApprovalStatus::Expired
    );
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
}

#[tokio::test]
async fn an_agent_may_ask_for_approval_of_what_the_matrix_lets_through() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    assert_eq!(recommendation.impact_level, Impact::Low);

    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let input = reeve_engine::AgentInput {
        auto_apply_approval_required: Some("low_impact".into()),
        ..Default::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent.id, input, &person("ada", &[Role::Administrator]))
        .await
        .unwrap();

    assert_eq!(
        asked(&world, &recommendation).await.needed,
        [Signature::Manager]
    );
}

#[tokio::test]
async fn a_guardrail_that_says_no_after_the_signature_leaves_it_approved_with_the_reason() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let admin = person("ada", &[Role::Administrator]);
    world
        .engine
        .guardrails
        .kill_switch(true, "incident 4711", &admin)
        .await
        .unwrap();

    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    let again = world.again(&recommendation).await;
    assert_eq!(again.status, Status::Approved);
    assert!(again.blocked.unwrap().contains("kill_switch"));
    world
        .engine
        .guardrails
        .kill_switch(false, "over", &admin)
        .await
        .unwrap();

    let executed = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap();

    assert!(
        matches!(executed, Execution::Started(_)),
        "the approval still stands"
    );
    world.engine.execution.settle().await;
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
}

#[tokio::test]
async fn a_signature_whose_consequence_was_interrupted_takes_effect_later() {
    for silent_after in 0..4 {
        let world = World::new();
        let recommendation = world.right_size("i-1", "m5.xlarge").await;
        let approval = asked(&world, &recommendation).await;
        *world.log.silent_after.lock() = Some(silent_after);
        let signed = world
            .engine
            .recommendations
            .approve(&approval.id, None, &person("max", &[Role::Manager]))
            .await;
        assert!(signed.is_err(), "the log was silent after {silent_after}");
        world.engine.execution.settle().await;
        assert_eq!(
            world.cloud.state("i-1"),
            (ResourceState::Running, "m5.xlarge".to_owned())
        );
        *world.log.silent_after.lock() = None;
        world.engine.scheduler.due().await.unwrap();
        world.engine.execution.settle().await;
        let kept = world
            .memory
            .approval_get(&approval.id)
            .await
            .unwrap()
            .status;
        let expected = match kept {
            ApprovalStatus::Approved => Status::Succeeded,
            _ => Status::PendingApproval,
        };
        assert_eq!(
            world.again(&recommendation).await.status,
            expected,
            "silent after {silent_after}"
        );
        world.every_change_was_announced();
    }
}

#[tokio::test]
async fn a_signature_is_left_to_somebody_else_for_one_request() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let (max, dan) = (
        person("max", &[Role::Manager]),
        person("dan", &[Role::Operator]),
    );
    let to = |name: &str| format!("{name}@example.com");
    let refused = world
        .engine
        .recommendations
        .delegate(&approval.id, &to("dan"), None, &operator())
        .await;

    assert!(
        matches!(refused, Err(EngineError::Forbidden(_))),
        "who asked cannot choose who signs"
    );
    for wrong in ["olga", "max", "Olga", "OLGA", "mAx"] {
        let refused = world
            .engine
            .recommendations
            .delegate(&approval.id, &to(wrong), None, &max)
            .await;
        assert!(
            matches!(refused, Err(EngineError::Invalid(e)) if e[0].path == "to"),
            "{wrong}"
        );
    }

    assert!(matches!(
        world
            .engine
            .recommendations
            .approve(&approval.id, None, &dan)
            .await,
        Err(EngineError::Forbidden(_))
    ));

    let left = world
        .engine
        .recommendations
        .delegate(&approval.id, &to("Dan"), Some("on leave"), &max)
        .await
        .unwrap();

    assert_eq!(
        dan.can_sign(&left),
        [Signature::Manager],
        "addresses are compared without regard to case"
    );

    let narrow = Caller {
        narrowed: true,
        ..dan.clone()
    };
    assert!(
        narrow.can_sign(&left).is_empty(),
        "what was left to a person is not for a narrow token of theirs"
    );

    let shouting = Caller {
        name: to("OLGA"),
        ..person("olga", &[Role::Manager])
    };
    assert!(
        shouting.can_sign(&left).is_empty(),
        "one's own request, however the address is written"
    );

    let passed_on = world
        .engine
        .recommendations
        .delegate(&approval.id, &to("eve"), None, &dan)
        .await;

    assert!(
        matches!(passed_on, Err(EngineError::Forbidden(_))),
        "what was left is not passed on"
    );

    let signed = world
        .engine
        .recommendations
        .approve(&approval.id, None, &dan)
        .await
        .unwrap();
    assert_eq!(signed.status, ApprovalStatus::Approved);

    world.engine.execution.settle().await;
    assert!(
        world
            .story(&recommendation)
            .contains(&"approval.delegate success".to_owned())
    );
}

#[tokio::test]
async fn who_can_sign_is_reminded_once_a_day() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let reminders = || {
        world
            .story(&recommendation)
            .iter()
            .filter(|line| *line == "approval.remind pending")
            .count()
    };

    world.clock.advance(SignedDuration::from_hours(23));
    world.engine.scheduler.due().await.unwrap();
    assert_eq!(reminders(), 0);

    for day in 1..=3 {
        world.clock.advance(SignedDuration::from_hours(24));
        world.engine.scheduler.due().await.unwrap();
        world.engine.scheduler.due().await.unwrap();
        assert_eq!(reminders(), day);
    }

    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    world.engine.execution.settle().await;
    world.clock.advance(SignedDuration::from_hours(48));
    world.engine.scheduler.due().await.unwrap();
    assert_eq!(reminders(), 3);
}

#[tokio::test]
async fn a_signature_for_less_is_not_enough_for_more() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let approval = asked(&world, &recommendation).await;
    let admin = person("ada", &[Role::Administrator]);
    world
        .engine
        .guardrails
        .kill_switch(true, "an incident", &admin)
        .await
        .unwrap();

    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    let approved = world.again(&recommendation).await;
    assert_eq!(approved.status, Status::Approved);

    // The machine became dearer meanwhile: the same plan is of high impact now.
    let dearer = Recommendation {
        impact_level: Impact::High,
        version: approved.version + 1,
        ..approved
    };
    world.memory.recommendation_update(&dearer).await.unwrap();
    world
        .engine
        .guardrails
        .kill_switch(false, "it is over", &admin)
        .await
        .unwrap();

    let again = asked(&world, &recommendation).await;
    assert_eq!(again.needed, [Signature::Director, Signature::Security]);
    assert_eq!(
        world.again(&recommendation).await.status,
        Status::PendingApproval
    );
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "m5.xlarge".to_owned())
    );
}
