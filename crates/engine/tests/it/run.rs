//! Runs: what is kept, refreshed, superseded, expired, remembered; and what an agent does by
//! itself.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::{AgentInput, Execution};
use reeve_estate::{Metric, ResourceState};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, person, resource, volume_of};

#[tokio::test]
async fn the_same_finding_refreshes_in_place() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    world.clock.advance(SignedDuration::from_hours(24));
    world.measure("i-1", Metric::CpuUtilization, 8.0);
    world.run(&agent).await;
    let again = world.only("i-1").await;
    assert_eq!(
        (again.id.clone(), again.created_at, again.status),
        (
            recommendation.id.clone(),
            recommendation.created_at,
            Status::Open
        )
    );

    assert!(
        again.expires_at > recommendation.expires_at
            && again.explanation.factors[0].contains("8.0 %"),
        "{again:?}"
    );
}

#[tokio::test]
async fn another_target_supersedes_and_what_is_no_longer_found_expires() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.2xlarge").await;
    assert_eq!(
        recommendation.subject.target_type.as_deref(),
        Some("m5.xlarge")
    );

    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let admin = person("ada", &[Role::Administrator]);
    let mut wide = world.engine.guardrails.guardrails_get().await.unwrap();
    wide.max_cost_decrease_percent = 80.0;
    world
        .engine
        .guardrails
        .guardrails_put(wide, &admin)
        .await
        .unwrap();

    world.clock.advance(SignedDuration::from_hours(1));
    world.run(&agent).await;
    let all = world.on("i-1").await;
    assert_eq!(
        (all.len(), all[0].status, all[1].status),
        (2, Status::Superseded, Status::Open)
    );
    assert_eq!(all[1].subject.target_type.as_deref(), Some("m5.large"));
    world.measure("i-1", Metric::CpuUtilization, 60.0);
    world.run(&agent).await;
    let all = world.on("i-1").await;
    assert_eq!(all[1].status, Status::Expired);
    assert!(
        all[1]
            .status_reason
            .as_ref()
            .unwrap()
            .contains("cpu_not_low"),
        "{:?}",
        all[1].status_reason
    );

    world.memory.resources.lock().clear();
    world.run(&agent).await;
    assert!(world.on("i-1").await.iter().all(|r| r.status.is_end()));
}

#[tokio::test]
async fn missing_data_does_not_expire_a_finding() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    world.memory.series.lock().clear();
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    world.run(&agent).await;
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
}

#[tokio::test]
async fn answers_of_people_hold() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "m5.xlarge").await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let until = reeve_recommend::ports::Clock::now(&*world.clock) + SignedDuration::from_hours(48);
    world
        .engine
        .recommendations
        .snooze(&recommendation.id, until, None, &operator())
        .await
        .unwrap();

    world.run(&agent).await;
    assert_eq!(world.only("i-1").await.status, Status::Snoozed);
    world
        .engine
        .recommendations
        .dismiss(
            &recommendation.id,
            "the batch comes back in January",
            &operator(),
        )
        .await
        .unwrap();

    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("dismissed".to_owned(), 1)),
        "{:?}",
        report.skipped
    );
    assert_eq!(world.only("i-1").await.status, Status::Dismissed);
    world.clock.advance(SignedDuration::from_hours(24 * 91));
    world.measure("i-1", Metric::CpuUtilization, 5.0);

    for metric in [
        Metric::MemoryUtilization,
        Metric::NetworkIn,
        Metric::NetworkOut,
    ] {
        world.measure("i-1", metric, 20.0);
    }

    world.run(&agent).await;
    assert_eq!(world.on("i-1").await.len(), 2, "a dismissal has an end");
}

#[tokio::test]
async fn overlapping_agents_do_not_double_a_finding() {
    let world = World::new();
    world.right_size("i-1", "m5.xlarge").await;
    let second = world.agent("active", false).await;
    let report = world.run(&second).await;
    assert!(
        report
            .skipped
            .contains(&("found_by_another_agent".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    assert_eq!(world.on("i-1").await.len(), 1);
}

#[tokio::test]
async fn a_scope_covers_accounts_and_services() {
    let world = World::new();
    world.machine("i-1", "m5.xlarge", 5.0);
    let seen = async |accounts: &[&str], services: &[&str]| {
        let input = AgentInput {
            agent_type: Some("cost_optimizer".into()),
            name: Some("scoped".into()),
            accounts: Some(accounts.iter().map(|s| (*s).to_owned()).collect()),
            services: Some(services.iter().map(|s| (*s).to_owned()).collect()),
            ..AgentInput::default()
        };
        let agent = match world.engine.agents.agent_create(input, &operator()).await {
            Ok(agent) => agent,
            Err(EngineError::Invalid(errors)) => return Err(errors),
            Err(other) => panic!("{other}"),
        };
        Ok(world.run(&agent).await.resources_seen)
    };

    world.put(volume_of("vol-1", "i-1"));
    assert_eq!(seen(&[], &[]).await, Ok(2));
    assert_eq!(seen(&["prod-aws"], &["EC2"]).await, Ok(1));
    assert_eq!(seen(&["111122223333"], &[]).await, Ok(2));
    assert_eq!(seen(&["PROD-AWS"], &["ebs"]).await, Ok(1));

    // A name that nothing connected has would cover nothing, silently.
    let errors = seen(&["prod-aws", "prod-awss"], &["rds"])
        .await
        .unwrap_err();
    let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, ["scope.accounts[1]", "scope.services[0]"]);
    assert!(
        errors[0].message.ends_with("did you mean prod-aws?"),
        "{}",
        errors[0].message
    );
}

#[tokio::test]
async fn safe_mode_applies_low_impact_alone_and_active_asks_for_the_rest() {
    let world = World::new();
    world
        .machine("i-low", "t3.large", 5.0)
        .machine("i-mid", "m5.xlarge", 5.0);
    let safe = world.agent("safe_mode", true).await;
    let report = world.run(&safe).await;
    world.engine.execution.settle().await;
    assert_eq!(report.applied, 1);
    assert!(
        report.skipped.contains(&("needs_approval".to_owned(), 1)),
        "{:?}",
        report.skipped
    );
    assert_eq!(world.only("i-low").await.status, Status::Succeeded);
    assert_eq!(world.only("i-mid").await.status, Status::Open);
    assert_eq!(
        world.cloud.state("i-low"),
        (ResourceState::Running, "t3.medium".to_owned())
    );

    let action = world
        .memory
        .action_list(None, None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        (action.by, action.run_id),
        (format!("agent:{}", safe.id.0), Some(report.run_id))
    );

    let active = AgentInput {
        mode: Some("active".into()),
        ..AgentInput::default()
    };
    let active = world
        .engine
        .agents
        .agent_configure(&safe.id, active, &operator())
        .await
        .unwrap();
    let report = world.run(&active).await;

    assert!(
        report
            .skipped
            .contains(&("approval_requested".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    assert_eq!(world.only("i-mid").await.status, Status::PendingApproval);
}

#[tokio::test]
async fn what_holds_an_agent_back_is_counted_by_reason() {
    let check = async |change: AgentInput, reason: &str| {
        let world = World::new();
        world.machine("i-1", "t3.large", 5.0);
        let agent = world.agent("safe_mode", true).await;
        let agent = world
            .engine
            .agents
            .agent_configure(&agent.id, change, &operator())
            .await
            .unwrap();
        let report = world.run(&agent).await;
        assert_eq!(report.applied, 0);
        assert!(
            report.skipped.contains(&(reason.to_owned(), 1)),
            "{reason}: {:?}",
            report.skipped
        );
    };

    let input = AgentInput::default;
    check(
        AgentInput {
            auto_apply_enabled: Some(false),
            ..input()
        },
        "auto_apply_disabled",
    )
    .await;

    check(
        AgentInput {
            confidence_threshold: Some("99%".into()),
            ..input()
        },
        "low_confidence",
    )
    .await;

    check(
        AgentInput {
            learning_period: Some("60d".into()),
            ..input()
        },
        "learning_period",
    )
    .await;

    check(
        AgentInput {
            auto_apply_approval_required: Some("low".into()),
            ..input()
        },
        "needs_approval",
    )
    .await;

    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    world
        .memory
        .series
        .lock()
        .retain(|s| s.metric != Metric::MemoryUtilization);
    let agent = world.agent("safe_mode", true).await;
    let agent_input = AgentInput {
        confidence_threshold: Some("0".into()),
        ..input()
    };
    let agent = world
        .engine
        .agents
        .agent_configure(&agent.id, agent_input, &operator())
        .await
        .unwrap();
    let report = world.run(&agent).await;

    assert!(
        report
            .skipped
            .contains(&("performance_not_measured".to_owned(), 1)),
        "{:?}",
        report.skipped
    );
}

#[tokio::test]
async fn an_agent_stops_an_idle_machine_as_a_person_may_whatever_the_limit_of_smaller_sizes() {
    let world = World::new();
    world.machine("i-1", "t3.large", 0.1);
    let agent = world.agent("safe_mode", true).await;
    let report = world.run(&agent).await;
    let waits = ("needs_person".to_owned(), 1);
    assert!(
        report.skipped.contains(&waits),
        "no model knows its quarter: {:?}",
        report.skipped
    );

    let recommendation = world.only("i-1").await;
    let told = recommendation
        .explanation
        .factors
        .iter()
        .any(|factor| factor.contains("a person decides, or a history of 90 days"));

    assert!(
        told && recommendation
            .reason_codes
            .iter()
            .any(|code| code == "history_below_a_quarter"),
        "{recommendation:?}"
    );

    // With a quarter of samples it decides by itself.
    for (metric, value) in [
        (Metric::CpuUtilization, 0.1),
        (Metric::NetworkIn, 50.0),
        (Metric::NetworkOut, 50.0),
    ] {
        world.measure_days("i-1", metric, value, 91);
    }

    let longer = AgentInput {
        settings: BTreeMap::from([(
            "analyze_utilization.history".to_owned(),
            Some("90d".to_owned()),
        )]),
        ..AgentInput::default()
    };

    let agent = world
        .engine
        .agents
        .agent_configure(&agent.id, longer, &person("admin", &[Role::Administrator]))
        .await
        .unwrap();
    let report = world.run(&agent).await;

    assert_eq!(
        report.applied, 1,
        "a stop is 100 % of the cost, and takes no capacity in use: {:?}",
        report.skipped
    );
    world.engine.execution.settle().await;
    let recommendation = world.only("i-1").await;
    assert_eq!(recommendation.kind, RecommendationType::IdleResourceCleanup);
    assert_eq!(world.cloud.state("i-1").0, ResourceState::Stopped);
}

#[tokio::test]
async fn a_run_is_logged_before_and_after_with_what_it_saw() {
    let world = World::new();
    world.machine("i-1", "m5.xlarge", 5.0);
    world.put(resource("b-1", reeve_estate::ResourceKind::Bucket, None));
    let agent = world.agent("learning", false).await;
    let report = world.run(&agent).await;
    assert_eq!(
        (
            report.resources_seen,
            report.recommendations,
            report.days_observed
        ),
        (2, 1, 30)
    );

    assert!(
        report.skipped.contains(&("kind_not_covered".to_owned(), 1)),
        "{:?}",
        report.skipped
    );

    let runs: Vec<_> = world
        .entries()
        .into_iter()
        .filter(|e| e.event_type.as_str() == "intelligence.agent.run")
        .collect();
    assert_eq!(runs.len(), 2);

    let after = runs[1].changes.after.as_ref().unwrap();
    assert_eq!(
        after
            .get("recommendations")
            .and_then(reeve_audit::Json::as_f64),
        Some(1.0)
    );

    let kept = world.memory.agent_get(&agent.id).await.unwrap();
    assert_eq!(kept.last_run.as_ref(), Some(&report));
    assert_eq!(
        world.engine.agents.learning(&kept).await.unwrap(),
        (14.0, 100.0)
    );
    *world.log.silent_after.lock() = Some(0);

    let refused = world.engine.runs.agent_run(&agent.id, &operator()).await;
    assert!(matches!(refused, Err(EngineError::Record(_))));
}

#[tokio::test]
async fn outcomes_are_counted_in_later_explanations() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    assert_eq!(
        (
            recommendation.explanation.similar_cases,
            recommendation.explanation.success_rate
        ),
        (0, None)
    );

    world.execute(&recommendation).await;
    world.machine("i-2", "t3.large", 5.0);
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    world.run(&agent).await;
    let next = world.only("i-2").await;
    assert_eq!(
        (
            next.explanation.similar_cases,
            next.explanation.success_rate
        ),
        (1, Some(100.0))
    );
}

#[tokio::test]
async fn an_unattached_volume_is_deleted_with_a_signature_and_after_its_snapshot() {
    let world = World::new();
    let mut volume = resource("vol-9", reeve_estate::ResourceKind::Volume, None);
    volume.state = ResourceState::Unattached;
    volume.specification.storage_type = Some("gp3".to_owned());
    world.put(volume);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("vol-9").await;
    let asked = world
        .engine
        .execution
        .execute(&recommendation.id, None, Some("please"), &operator())
        .await
        .unwrap();

    let Execution::PendingApproval(approval) = asked else {
        panic!("began without approval")
    };

    assert_eq!(
        (world.cloud.snapshots(), world.cloud.state("vol-9").0),
        (0, ResourceState::Unattached)
    );

    let manager = person("max", &[Role::Manager]);
    world
        .engine
        .recommendations
        .approve(&approval.id, Some("go"), &manager)
        .await
        .unwrap();

    world.engine.execution.settle().await;
    let action = world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        action.status,
        reeve_recommend::action::ActionStatus::Succeeded,
        "{action:?}"
    );

    assert_eq!(
        (world.cloud.snapshots(), world.cloud.state("vol-9").0),
        (1, ResourceState::Deleted)
    );

    let undo = world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await;

    assert!(
        matches!(undo, Err(EngineError::Conflict(_))),
        "it is gone for good"
    );
    world.every_change_was_announced();
}

#[tokio::test]
async fn a_finding_of_another_impact_is_reported_again() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let refreshes = || {
        world
            .story(&recommendation)
            .iter()
            .filter(|line| *line == "recommendation.refresh success")
            .count()
    };

    world.run(&agent).await;
    assert_eq!(refreshes(), 0, "nothing that approvals bind to is another");
    world.tag("i-1", "env", "prod");
    world.run(&agent).await;
    assert!(world.only("i-1").await.impact_level > recommendation.impact_level);
    assert_eq!(refreshes(), 1);
    world.run(&agent).await;
    assert_eq!(refreshes(), 1, "once");
}
