//! Exceptions to guardrails: requested, signed by somebody else, good for one plan and one
//! execution.

use reeve_access::Role;
use reeve_audit::Json;
use reeve_engine::Execution;
use reeve_recommend::approval::{Approval, Signature};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::GuardrailName;
use reeve_recommend::ports::AgentStore as _;
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationType};

use crate::world::{World, operator, person};

const REASON: &str = "the shop is throttled every evening";

/// A machine that is throttled, and the larger size that costs more than the guardrail's 5 %.
async fn throttled(world: &World) -> Recommendation {
    world.machine("i-1", "m5.large", 96.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    assert_eq!(recommendation.kind, RecommendationType::InstanceType);
    assert!(
        recommendation.impact.cost_percent.unwrap() > 5.1,
        "{:?}",
        recommendation.impact
    );

    recommendation
}

async fn asked(world: &World, recommendation: &Recommendation) -> Approval {
    let hash = &recommendation.plan.as_ref().unwrap().hash;
    world
        .engine
        .recommendations
        .exception_request(&recommendation.id, hash, REASON, &operator())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_manager_lifts_the_cost_limit_for_one_plan_and_it_runs_once() {
    let world = World::new();
    let recommendation = throttled(&world).await;
    let refused = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;

    assert!(
        matches!(&refused, Err(EngineError::Blocked(block)) if block.guardrail == GuardrailName::MaxIncrease)
    );

    let approval = asked(&world, &world.again(&recommendation).await).await;
    assert_eq!(approval.needed, [Signature::Manager]);

    let exception = approval.exception.clone().unwrap();
    assert_eq!(
        (exception.guardrail, exception.limit),
        (GuardrailName::MaxIncrease, 5.0)
    );

    let own = world
        .engine
        .recommendations
        .approve(&approval.id, None, &operator())
        .await;

    assert!(
        matches!(own, Err(EngineError::Forbidden(_))),
        "nobody grants their own exception"
    );
    world
        .engine
        .recommendations
        .approve(
            &approval.id,
            Some("for the sale"),
            &person("max", &[Role::Manager]),
        )
        .await
        .unwrap();

    world.engine.execution.settle().await;
    let done = world.again(&recommendation).await;
    assert_eq!(
        (done.status, &done.exception),
        (Status::Succeeded, &None),
        "{:?}",
        done.blocked
    );

    assert_ne!(world.cloud.state("i-1").1, "m5.large");

    // The grant and its use are on record, with the reason and the signer.
    let granted = |operation: &str| {
        let entries = world.entries();
        let entry = entries
            .iter()
            .find(|e| e.action.operation.as_deref() == Some(operation))
            .unwrap();
        let text = |name: &str| {
            entry
                .metadata
                .extra
                .get(name)
                .and_then(Json::as_str)
                .unwrap()
                .to_owned()
        };
        (
            text("exception_guardrail"),
            text("exception_reason"),
            text("exception_granted_by"),
        )
    };

    let expected = (
        "cost_impact.max_increase".to_owned(),
        REASON.to_owned(),
        "max@example.com".to_owned(),
    );

    assert_eq!(
        (granted("exception.grant"), granted("action.start")),
        (expected.clone(), expected)
    );

    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    let used = world
        .memory
        .approval_get(&approval.id)
        .await
        .unwrap()
        .exception
        .unwrap()
        .used_by;

    assert_eq!(used, Some(action.id));
}

#[tokio::test]
async fn an_exception_is_for_one_plan_one_execution_and_never_for_an_agent() {
    let world = World::new();
    let recommendation = throttled(&world).await;
    let plan = recommendation.plan.clone().unwrap();
    let wrong = world
        .engine
        .recommendations
        .exception_request(&recommendation.id, "another hash", REASON, &operator())
        .await;
    assert!(matches!(wrong, Err(EngineError::PlanChanged { .. })));

    let silent = world
        .engine
        .recommendations
        .exception_request(&recommendation.id, &plan.hash, "  ", &operator())
        .await;
    assert!(matches!(&silent, Err(EngineError::Invalid(errors)) if errors[0].path == "reason"));

    // The resource changes before the plan runs: nothing is done, and the exception is used up all
    // the same.
    let approval = asked(&world, &recommendation).await;
    world.cloud.change("i-1", |machine| {
        machine.state = reeve_estate::ResourceState::Stopped
    });
    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    world.engine.execution.settle().await;
    let open = world.again(&recommendation).await;
    assert_eq!((open.status, &open.exception), (Status::Open, &None));

    let again = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;

    assert!(
        matches!(again, Err(EngineError::Blocked(_))),
        "the next execution needs an exception of its own"
    );

    // One that was granted and not used does not help an agent that acts by itself.
    let granted = Recommendation {
        exception: Some(reeve_recommend::guardrail::exception::Exception {
            guardrail: GuardrailName::MaxIncrease,
            value: 1_000.0,
            plan_hash: plan.hash.clone(),
            reason: REASON.to_owned(),
            approval: approval.id.clone(),
            granted_by: vec!["max@example.com".to_owned()],
            expires_at: approval.expires_at,
        }),
        ..recommendation.clone()
    };

    let limits = reeve_recommend::guardrail::Guardrails::default();
    let procedure = reeve_recommend::change::ChangeRegistry::builtin()
        .procedure(granted.plan.as_ref().unwrap())
        .unwrap();
    let ask = |automatic| {
        let place = reeve_recommend::guardrail::change_control::ChangeControlPlace {
            account: "111122223333",
            connection: "c-1",
            connection_name: "prod-aws",
            service: "ec2",
            direction: None,
        };
        let asked = reeve_engine::GuardRequest {
            recommendation: &granted,
            procedure: Some(&procedure),
            resource: &granted.subject.id,
            run_id: None,
            place,
            automatic,
            emergency: false,
            scope_size: 100,
            history: &[],
            recent: &reeve_engine::RecentActions::default(),
            now: approval.requested_at,
        };
        reeve_engine::check_guardrails(&limits, &asked)
    };
    assert!(ask(false).is_ok());

    assert_eq!(ask(true).unwrap_err().guardrail, GuardrailName::MaxIncrease);
}

#[tokio::test]
async fn only_what_one_plan_exceeds_can_be_excepted() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let hash = recommendation.plan.clone().unwrap().hash;
    let needless = world
        .engine
        .recommendations
        .exception_request(&recommendation.id, &hash, REASON, &operator())
        .await;

    assert!(
        matches!(needless, Err(EngineError::Conflict(why)) if why.contains("nothing blocks it"))
    );
    world
        .engine
        .guardrails
        .kill_switch(true, "stop", &operator())
        .await
        .unwrap();

    let stopped = world
        .engine
        .recommendations
        .exception_request(&recommendation.id, &hash, REASON, &operator())
        .await;
    assert!(matches!(stopped, Err(EngineError::Conflict(why)) if why.contains("whole estate")));
    assert!(
        world
            .memory
            .approval_list(Some(&recommendation.id))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn what_is_taken_back_loses_its_exception() {
    let world = World::new();
    let recommendation = throttled(&world).await;
    let approval = asked(&world, &recommendation).await;

    // Signed while the estate stands still, so that it waits approved.
    world
        .engine
        .guardrails
        .kill_switch(true, "stop", &operator())
        .await
        .unwrap();

    world
        .engine
        .recommendations
        .approve(&approval.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    let waits = world.again(&recommendation).await;
    assert_eq!(
        (waits.status, waits.exception.is_some()),
        (Status::Approved, true)
    );
    world
        .engine
        .recommendations
        .reopen(&recommendation.id, &operator())
        .await
        .unwrap();

    world
        .engine
        .guardrails
        .kill_switch(false, "go", &operator())
        .await
        .unwrap();

    let open = world.again(&recommendation).await;
    let refused = world
        .engine
        .execution
        .execute(&open.id, None, None, &operator())
        .await;
    assert!(matches!(refused, Err(EngineError::Blocked(_))));

    let decided = world
        .engine
        .guardrails
        .applicability(&[open])
        .await
        .unwrap()
        .remove(0)
        .unwrap();

    let Applicability::Blocked { by, exceptable, .. } = decided else {
        panic!("{decided:?}")
    };

    assert_eq!(
        (by.as_str(), exceptable),
        ("cost_impact.max_increase", true)
    );
    assert!(!matches!(
        world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await,
        Ok(Execution::Started(_) | Execution::PendingApproval(_))
    ));
}

#[tokio::test]
async fn a_critical_upgrade_is_asked_for_with_its_exact_exception_once() {
    let world = World::new();
    world
        .machine("i-1", "m5.large", 96.0)
        .tag("i-1", "env", "production");
    let agent = world.agent("active", true).await;
    let report = world.run(&agent).await;
    assert!(
        report
            .skipped
            .contains(&("approval_requested".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    let waiting = world.only("i-1").await;
    assert_eq!(
        (waiting.kind, waiting.status),
        (RecommendationType::InstanceType, Status::PendingApproval)
    );

    let requests = world.memory.approval_list(Some(&waiting.id)).await.unwrap();
    let [request] = requests.as_slice() else {
        panic!("{requests:#?}")
    };

    let exception = request.exception.as_ref().unwrap();
    assert_eq!(
        (exception.guardrail, exception.limit),
        (GuardrailName::MaxIncrease, 5.0)
    );
    assert_eq!(
        Some(exception.value),
        waiting.impact.cost_percent,
        "it covers this plan and no dearer one"
    );
    assert_eq!(request.needed, [Signature::Manager]);
    assert!(
        request.reason.as_ref().unwrap().contains("cost would rise"),
        "{:?}",
        request.reason
    );

    // A refusal is an answer: the next run does not ask again, and says what is in the way.
    let manager = person("max", &[Role::Manager]);
    world
        .engine
        .recommendations
        .reject(&request.id, "not this month", &manager)
        .await
        .unwrap();

    let report = world.run(&agent).await;
    assert!(
        report
            .skipped
            .contains(&("blocked_cost_impact.max_increase".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    assert_eq!(
        world
            .memory
            .approval_list(Some(&waiting.id))
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_signed_exception_of_an_agents_request_runs_its_plan() {
    let world = World::new();
    world
        .machine("i-1", "m5.large", 96.0)
        .tag("i-1", "env", "production");
    let agent = world.agent("active", true).await;
    world.run(&agent).await;
    let waiting = world.only("i-1").await;
    let request = world
        .memory
        .approval_list(Some(&waiting.id))
        .await
        .unwrap()
        .remove(0);

    world
        .engine
        .recommendations
        .approve(&request.id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    world.engine.execution.settle().await;
    let done = world.again(&waiting).await;
    assert_eq!(
        (done.status, &done.exception),
        (Status::Succeeded, &None),
        "{:?}",
        done.blocked
    );

    assert_ne!(world.cloud.state("i-1").1, "m5.large");
}
