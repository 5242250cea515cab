//! Change control, exclusions, patches, and recommendations evaluated together.

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use reeve_access::Role;
use reeve_engine::{ExclusionInput, Execution};
use reeve_estate::{Money, ResourceId};
use reeve_recommend::agent::AgentScope;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::change_control::{
    ChangeControl, Direction, Freeze, IacRule, MaintenanceWindow,
};
use reeve_recommend::plan::patch::{Tool, patch};
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::combined::{Relation, contributions};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId, RecommendationType};

use crate::world::{World, operator, person, volume_of};

async fn control(world: &World, change: impl FnOnce(&mut ChangeControl)) {
    let mut wanted = world.engine.guardrails.guardrails_get().await.unwrap();
    change(&mut wanted.change_control);
    world
        .engine
        .guardrails
        .guardrails_put(wanted, &person("ada", &[Role::Administrator]))
        .await
        .unwrap();
}

async fn blocked(world: &World, recommendation: &Recommendation, by: &str, words: &str) {
    match world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
    {
        Err(EngineError::Blocked(block)) => {
            assert_eq!(block.guardrail.as_str(), by, "{block}");
            assert!(block.message.contains(words), "{block}");
            assert!(
                world
                    .again(recommendation)
                    .await
                    .blocked
                    .unwrap()
                    .contains(by)
            );
        }
        other => panic!("not blocked: {other:?}"),
    }
}

#[tokio::test]
async fn a_freeze_holds_for_everybody_and_ends_by_itself() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let now = reeve_recommend::ports::Clock::now(&*world.clock);
    let freeze = Freeze {
        name: "launch".to_owned(),
        scope: AgentScope {
            accounts: vec!["PROD-aws".to_owned()],
            services: Vec::new(),
        },
        from: now - SignedDuration::from_hours(1),
        until: now + SignedDuration::from_hours(2),
    };
    control(&world, |c| c.freezes = vec![freeze]).await;

    blocked(&world, &recommendation, "change_freeze", "launch").await;
    world.clock.advance(SignedDuration::from_hours(3));
    assert!(matches!(
        world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await,
        Ok(Execution::Started(_))
    ));

    world.engine.execution.settle().await;
}

#[tokio::test]
async fn what_interrupts_waits_for_its_window() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;

    // The world begins on a Monday at midnight UTC.
    let window = MaintenanceWindow {
        name: "mornings".to_owned(),
        scope: AgentScope::default(),
        days: Vec::new(),
        start: "06:00".parse().unwrap(),
        duration_minutes: 60,
        time_zone: TimeZone::UTC,
    };
    control(&world, |c| c.windows = vec![window]).await;

    blocked(&world, &recommendation, "maintenance_window", "T06:00:00Z").await;
    let opens = reeve_recommend::ports::Clock::now(&*world.clock).to_zoned(TimeZone::UTC);
    let until = (24 + 6 - i64::from(opens.hour())) % 24;
    world.clock.advance(SignedDuration::from_hours(until));
    let started = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;
    assert!(matches!(started, Ok(Execution::Started(_))), "{started:?}");
    world.engine.execution.settle().await;
}

#[tokio::test]
async fn direction_is_policy_and_a_tag_overrules_it() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    control(&world, |c| c.direction = Direction::UpOnly).await;
    blocked(&world, &recommendation, "direction", "only go up").await;
    world.tag("i-1", "reeve:direction", "down_only");
    let started = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;
    assert!(matches!(started, Ok(Execution::Started(_))), "{started:?}");
    world.engine.execution.settle().await;
}

#[tokio::test]
async fn code_that_owns_a_resource_is_patched() {
    let world = World::new();
    world
        .machine("i-1", "t3.large", 5.0)
        .tag("i-1", "managed-by", "terraform");
    let agent = world.agent("active", true).await;
    let report = world.run(&agent).await;
    assert_eq!(
        (report.recommendations, report.applied),
        (1, 0),
        "{report:?}"
    );

    let recommendation = world.only("i-1").await;
    blocked(&world, &recommendation, "infrastructure_as_code", "patch").await;
    let resource = world.memory.resources.lock()[&ResourceId::new("i-1")].clone();
    let offered = patch(&recommendation, &resource).unwrap();
    assert_eq!(
        (offered.tool, offered.tag.as_str()),
        (Tool::Terraform, "managed-by=terraform")
    );

    let target = recommendation.subject.target_type.clone().unwrap();
    for line in [
        "resource \"aws_instance\" \"i-1-name\"",
        "-  instance_type = \"t3.large\"",
        "terraform state list -id=i-1",
    ] {
        assert!(offered.text.contains(line), "{}", offered.text);
    }

    assert!(
        offered
            .text
            .contains(&format!("+  instance_type = \"{target}\""))
    );
    control(&world, |c| c.infrastructure_as_code = IacRule::Allow).await;
    assert_eq!(world.run(&agent).await.applied, 0, "never by itself");

    let asked = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await;
    assert!(asked.is_ok(), "{asked:?}");
    world.engine.execution.settle().await;
}

#[tokio::test]
async fn an_exclusion_dismisses_holds_and_ends() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    let recommendation = world.only("i-1").await;
    let now = reeve_recommend::ports::Clock::now(&*world.clock);
    let input = ExclusionInput {
        aspect: None,
        resource: Some("i-1".to_owned()),
        kind: Some("right_size".to_owned()),
        reason: "it is being replaced".to_owned(),
        until: Some(now + SignedDuration::from_hours(48)),
        ..ExclusionInput::default()
    };

    world
        .engine
        .recommendations
        .exclude(input, &operator())
        .await
        .unwrap();

    let dismissed = world.again(&recommendation).await;
    assert_eq!(dismissed.status, Status::Dismissed);
    assert_eq!(
        dismissed.status_reason.unwrap(),
        "excluded: it is being replaced"
    );

    let report = world.run(&agent).await;
    assert!(
        report.skipped.contains(&("excluded".to_owned(), 1)),
        "{:?}",
        report.skipped
    );
    assert_eq!(world.on("i-1").await.len(), 1, "it is not found again");

    let operations: Vec<_> = world
        .entries()
        .iter()
        .filter_map(|e| e.action.operation.clone())
        .collect();
    assert!(operations.contains(&"exclusion.create".to_owned()));

    // A finding made before, on a resource excluded by account since, is refused by name.
    let wrong = world
        .engine
        .recommendations
        .exclude(
            ExclusionInput {
                aspect: None,
                reason: "x".into(),
                ..ExclusionInput::default()
            },
            &operator(),
        )
        .await;
    assert!(matches!(wrong, Err(EngineError::Invalid(errors)) if errors[0].path == "resource"));

    // Its end is recorded once.
    let ended = || world.engine.recommendations.end_exclusions();
    assert_eq!(ended().await.unwrap(), 0);
    world.clock.advance(SignedDuration::from_hours(49));
    assert_eq!((ended().await.unwrap(), ended().await.unwrap()), (1, 0));
    let ends = world.entries();
    let mut ends = ends
        .iter()
        .filter(|entry| entry.action.operation.as_deref() == Some("exclusion.end"));
    assert!(ends.next().is_some() && ends.next().is_none());

    let made = world.memory.exclusion_list().await.unwrap();
    world
        .engine
        .recommendations
        .include(&made[0].id, &operator())
        .await
        .unwrap();

    assert!(world.memory.exclusion_list().await.unwrap().is_empty());
    assert!(matches!(
        world
            .engine
            .recommendations
            .include(&made[0].id, &operator())
            .await,
        Err(EngineError::NotFound { .. })
    ));
}

fn variant(
    recommendation: &Recommendation,
    id: &str,
    kind: RecommendationType,
    saving: f64,
    cost: f64,
) -> Recommendation {
    Recommendation {
        id: RecommendationId(id.to_owned()),
        kind,
        savings_monthly: Some(Money::from_usd(saving)),
        monthly_cost: Some(Money::from_usd(cost)),
        ..recommendation.clone()
    }
}

#[tokio::test]
async fn savings_on_one_resource_never_add_up_to_more_than_it_costs() {
    use RecommendationType::{IdleResourceCleanup, ReservedInstances, RightSize};

    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let half = variant(&recommendation, "half", RightSize, 50.0, 100.0);
    let commit = variant(&recommendation, "commit", ReservedInstances, 30.0, 100.0);
    let stop = variant(&recommendation, "stop", IdleResourceCleanup, 60.0, 100.0);
    let parts = contributions(&[&half, &commit]);
    let counted = |id: &str| {
        parts
            .iter()
            .find(|part| part.id.0 == id)
            .unwrap()
            .counted
            .usd()
    };

    assert_eq!(
        (counted("half"), counted("commit")),
        (50.0, 15.0),
        "30 % of what the smaller size costs"
    );

    let after = &parts
        .iter()
        .find(|part| part.id.0 == "commit")
        .unwrap()
        .relations;

    assert_eq!(
        after[..],
        [(Relation::After, RecommendationId("half".to_owned()))]
    );

    let parts = contributions(&[&half, &commit, &stop]);
    let total: f64 = parts.iter().map(|part| part.counted.usd()).sum();
    assert_eq!(
        total, 65.0,
        "stopping saves 60 alone, and excludes the others"
    );

    let stop = variant(&recommendation, "stop", IdleResourceCleanup, 100.0, 100.0);
    let parts = contributions(&[&half, &commit, &stop]);
    assert_eq!(
        parts.iter().map(|part| part.counted.usd()).sum::<f64>(),
        100.0
    );

    let mut elsewhere = variant(&recommendation, "elsewhere", RightSize, 10.0, 20.0);
    elsewhere.subject.id = ResourceId::new("i-2");
    assert_eq!(
        contributions(&[&stop, &elsewhere])
            .iter()
            .map(|part| part.counted.usd())
            .sum::<f64>(),
        110.0
    );
}

async fn applies(world: &World, recommendation: &Recommendation) -> Vec<&'static str> {
    let diagnosis = world
        .engine
        .recommendations
        .diagnose(&recommendation.id, &operator())
        .await
        .unwrap();
    assert_eq!(diagnosis.causes.len(), 5);

    assert!(
        diagnosis
            .causes
            .iter()
            .all(|cause| !cause.evidence.is_empty() && !cause.way_out.is_empty())
    );

    diagnosis
        .causes
        .into_iter()
        .filter(|cause| cause.applies == Some(true))
        .map(|cause| cause.name)
        .collect()
}

#[tokio::test]
async fn each_cause_of_not_executing_is_named_with_its_evidence() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let before = world.entries().len();
    assert!(applies(&world, &recommendation).await.is_empty());
    assert_eq!(world.entries().len(), before, "asking changes nothing");

    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let mode = |mode: &str| reeve_engine::AgentInput {
        mode: Some(mode.to_owned()),
        reason: Some("a test".to_owned()),
        ..Default::default()
    };

    world
        .engine
        .agents
        .agent_configure(&agent.id, mode("learning"), &operator())
        .await
        .unwrap();

    assert_eq!(
        applies(&world, &recommendation).await,
        ["agent_mode_is_learning"]
    );
    world
        .engine
        .agents
        .agent_configure(&agent.id, mode("safe_mode"), &operator())
        .await
        .unwrap();

    control(&world, |c| c.direction = Direction::UpOnly).await;
    assert_eq!(
        applies(&world, &recommendation).await,
        ["guardrail_blocks_it"]
    );
    control(&world, |c| c.direction = Direction::Both).await;

    let stop = Recommendation {
        id: RecommendationId("other".to_owned()),
        kind: RecommendationType::IdleResourceCleanup,
        ..recommendation.clone()
    };
    world.memory.recommendation_insert(&stop).await.unwrap();
    assert_eq!(
        applies(&world, &recommendation).await,
        ["conflicting_policies"]
    );

    world.cloud.fault(0, crate::cloud::Fault::Deny);
    let failed = world.execute(&stop).await;
    assert!(failed.reason.is_some(), "{failed:?}");

    let causes = applies(&world, &stop).await;
    assert!(
        causes.contains(&"missing_iam_permissions") && causes.contains(&"errors_in_audit_logs"),
        "{causes:?}"
    );
}

#[tokio::test]
async fn an_agents_findings_are_diagnosed_by_what_was_seen() {
    let world = World::new();
    let agent = world.agent("learning", false).await;
    let causes = async |condition: usize| {
        let found = world
            .engine
            .agents
            .diagnose_agent(&agent.id)
            .await
            .unwrap()
            .remove(condition);
        let named = |cause: reeve_recommend::diagnosis::DiagnosisCause| (cause.name, cause.applies);
        (
            found.present,
            found.causes.into_iter().map(named).collect::<Vec<_>>(),
        )
    };
    let (present, found) = causes(0).await;

    assert_eq!(
        (present, found[0]),
        (None, ("learning_period_too_short", None)),
        "nothing is known before the first run"
    );

    world
        .machine("i-1", "t3.large", 5.0)
        .put(volume_of("vol-1", "i-1"));
    let wrong = reeve_engine::AgentInput {
        services: Some(vec!["ec2".into(), "ebs".into()]),
        ..Default::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent.id, wrong, &operator())
        .await
        .unwrap();

    // A scope names what is connected; what it names may be gone later.
    world
        .memory
        .resources
        .lock()
        .remove(&reeve_estate::ResourceId::new("vol-1"));
    world.run(&agent).await;
    assert_eq!(
        causes(0).await.1[0],
        ("learning_period_too_short", Some(false))
    );

    let (_, found) = causes(1).await;
    assert_eq!(found[0], ("scope_or_filters_wrong", Some(true)));
    assert_eq!(
        found[3],
        ("inaccurate_tagging", Some(true)),
        "its one machine has no tag"
    );
}
