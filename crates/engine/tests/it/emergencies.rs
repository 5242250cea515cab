//! The emergency lane: events that wake an agent type are answered at once where people approved
//! that beforehand, within the lane's own limits; otherwise the finding waits and says why.

mod warden;

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_audit::{Entry, EventType, ResourceRef};
use reeve_engine::{AgentInput, ExclusionInput, StandingApprovalInput, StandingState};
use reeve_estate::ResourceState;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::emergency::StandingApproval;
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore as _, Clock as _};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;

use crate::world::{World, operator, person};
use warden::Warden;

/// A world with machines `i-1` to `i-8` and an agent that answers fires.
async fn world() -> (World, Agent) {
    let mut types = reeve_agents::rows();
    types.push(std::sync::Arc::new(Warden));
    let world = World::new().of_types(AgentTypes::new(types));
    for n in 1..=8 {
        world.machine(&format!("i-{n}"), "m5.large", 30.0);
    }
    let text = |text: &str| Some(text.to_owned());
    let input = AgentInput {
        agent_type: text("fire_warden"),
        name: text("Warden"),
        mode: text("active"),
        auto_apply_enabled: Some(true),
        auto_apply_max_impact: text("high"),
        reason: text("a test"),
        ..AgentInput::default()
    };
    let admin = person("admin", &[Role::Administrator]);
    let agent = world
        .engine
        .agents
        .agent_create(input, &admin)
        .await
        .unwrap();
    (world, agent)
}

fn fire(world: &World, machine: &str) -> Entry {
    Entry::new(EventType::from_static("building.fire"))
        .on(ResourceRef::new("virtual_machine", machine))
        .at(world.clock.now())
}

async fn raise(world: &World, machine: &str) {
    let event = fire(world, machine);
    assert!(world.engine.emergencies.wakes(&event));
    world.engine.emergencies.raise(event).await.unwrap();
    world.engine.execution.settle().await;
}

fn input(world: &World) -> StandingApprovalInput {
    StandingApprovalInput {
        rule: "douse".to_owned(),
        until: world.clock.now() + SignedDuration::from_hours(24 * 30),
        reason: "fires do not wait".to_owned(),
    }
}

/// Gives a standing approval with both signatures that high impact needs.
async fn approve(world: &World, agent: &AgentId) -> StandingApproval {
    let lane = &world.engine.emergencies;
    let director = person("dora", &[Role::Director]);
    let given = lane
        .approval_give(agent, input(world), &director)
        .await
        .unwrap();
    let security = person("sam", &[Role::SecurityAnalyst]);
    lane.approval_sign(agent, &given.id, None, &security)
        .await
        .unwrap()
}

async fn state(world: &World, agent: &AgentId) -> Vec<StandingState> {
    let lane = world.engine.emergencies.overview(agent).await.unwrap();
    lane.approvals.into_iter().map(|(_, state)| state).collect()
}

fn stopped(world: &World, machine: &str) -> bool {
    world.cloud.state(machine).0 == ResourceState::Stopped
}

#[tokio::test]
async fn without_a_standing_approval_signatures_are_requested_and_say_so() {
    let (world, agent) = world().await;
    raise(&world, "i-1").await;
    let found = world.only("i-1").await;
    assert_eq!(
        (found.status, world.cloud.calls()),
        (Status::PendingApproval, 0)
    );
    assert!(matches!(&found.origin.cause, OriginCause::Event(_)));
    let asked = world.memory.approval_list(Some(&found.id)).await.unwrap();
    assert!(
        asked[0]
            .reason
            .as_ref()
            .unwrap()
            .contains("no standing approval of douse is in force"),
        "{:?}",
        asked[0].reason
    );

    // Half of the signatures is none.
    let lane = &world.engine.emergencies;
    let refused = lane
        .approval_give(&agent.id, input(&world), &operator())
        .await;
    assert!(matches!(refused, Err(EngineError::Forbidden(_))));
    let director = person("dora", &[Role::Director, Role::SecurityAnalyst]);
    let given = lane
        .approval_give(&agent.id, input(&world), &director)
        .await
        .unwrap();
    let twice = lane
        .approval_sign(&agent.id, &given.id, None, &director)
        .await;
    assert!(matches!(twice, Err(EngineError::Forbidden(_))));
    assert_eq!(
        state(&world, &agent.id).await,
        [StandingState::NeedsSignatures]
    );
    raise(&world, "i-2").await;
    let found = world.only("i-2").await;
    let asked = world.memory.approval_list(Some(&found.id)).await.unwrap();
    assert!(
        asked[0]
            .reason
            .as_ref()
            .unwrap()
            .contains("still needs the signature of")
    );
    assert_eq!(world.cloud.calls(), 0);
}

#[tokio::test]
async fn a_standing_approval_applies_it_at_once_past_cool_down_and_daily_limits() {
    let (world, agent) = world().await;
    let approval = approve(&world, &agent.id).await;
    let mut limits = world.memory.guardrails_get().await.unwrap();
    (limits.max_actions_per_day, limits.max_actions_per_run) = (0, 0);
    limits.max_share_per_day_percent = 0.0;
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();

    raise(&world, "i-1").await;
    let found = world.only("i-1").await;
    assert_eq!(found.status, Status::Succeeded, "{:?}", found.blocked);
    assert!(stopped(&world, "i-1"));
    world.every_change_was_announced();
    let factors = found.explanation.factors.texts();
    assert!(
        factors.iter().any(|text| text.contains("cool-down")),
        "{factors:?}"
    );

    let action = world
        .memory
        .action_list(Some(&found.id), None)
        .await
        .unwrap()
        .remove(0);
    let mark = action.emergency.as_ref().unwrap();
    assert_eq!(
        (mark.approval.clone(), mark.rule.as_str()),
        (approval.id, "douse")
    );

    // The same machine again within its cool-down, once a person took the change back.
    world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();
    world.engine.execution.settle().await;
    assert!(!stopped(&world, "i-1"));
    world.clock.advance(SignedDuration::from_mins(5));
    raise(&world, "i-1").await;
    assert!(
        stopped(&world, "i-1"),
        "a decision on one event is no answer to the next"
    );
}

#[tokio::test]
async fn the_limits_of_the_lane_are_counted_from_stored_actions() {
    let (world, agent) = world().await;
    approve(&world, &agent.id).await;
    // A quarter of eight machines.
    for machine in ["i-1", "i-2"] {
        raise(&world, machine).await;
        assert!(stopped(&world, machine));
    }

    let world = world.restarted();
    raise(&world, "i-3").await;
    let left = world.only("i-3").await;
    assert_eq!((left.status, stopped(&world, "i-3")), (Status::Open, false));
    let reason = left.blocked.unwrap();
    assert!(reason.contains("reached 2 of the 8 resources"), "{reason}");

    // An hour holds three, whatever the share.
    let admin = person("admin", &[Role::Administrator]);
    let settings = |path: &str, value: &str| AgentInput {
        settings: [(path.to_owned(), Some(value.to_owned()))].into(),
        ..AgentInput::default()
    };
    let wide = settings("emergency.share_of_group", "100%");
    world
        .engine
        .agents
        .agent_configure(&agent.id, wide, &admin)
        .await
        .unwrap();
    assert_eq!(state(&world, &agent.id).await, [StandingState::Outgrown]);
    raise(&world, "i-4").await;
    assert_eq!(
        world.only("i-4").await.status,
        Status::PendingApproval,
        "limits that reach further need another approval"
    );
    let old = world
        .engine
        .emergencies
        .overview(&agent.id)
        .await
        .unwrap()
        .approvals
        .remove(0)
        .0;
    world
        .engine
        .emergencies
        .approval_end(&agent.id, &old.id, "limits changed", &operator())
        .await
        .unwrap();
    approve(&world, &agent.id).await;
    raise(&world, "i-5").await;
    assert!(stopped(&world, "i-5"));
    raise(&world, "i-6").await;
    let reason = world.only("i-6").await.blocked.unwrap();
    assert!(
        reason.contains("3 emergency changes of the agent began within an hour"),
        "{reason}"
    );
    world.clock.advance(SignedDuration::from_mins(61));
    raise(&world, "i-6").await;
    assert!(stopped(&world, "i-6"));
}

#[tokio::test]
async fn what_binds_ordinary_changes_binds_emergencies() {
    let (world, agent) = world().await;
    let approval = approve(&world, &agent.id).await;

    let mut limits = world.memory.guardrails_get().await.unwrap();
    limits.kill_switch = true;
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();
    raise(&world, "i-1").await;
    assert_eq!(
        (world.only("i-1").await.status, world.cloud.calls()),
        (Status::Open, 0)
    );
    limits.kill_switch = false;
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();

    let exclusion = ExclusionInput {
        resource: Some("i-2".to_owned()),
        reason: "it burns by design".to_owned(),
        ..ExclusionInput::default()
    };
    world
        .engine
        .recommendations
        .exclude(exclusion, &operator())
        .await
        .unwrap();
    raise(&world, "i-2").await;
    assert!(world.on("i-2").await.is_empty());

    // An event that was read late is judged, and left to people.
    let event = fire(&world, "i-3");
    world.clock.advance(SignedDuration::from_mins(20));
    world.engine.emergencies.raise(event).await.unwrap();
    let late = world.only("i-3").await;
    assert_eq!(late.status, Status::Open);
    assert!(late.blocked.unwrap().contains("more than 15 minutes"));

    // An ended approval, and one whose time is over, permit nothing.
    world
        .engine
        .emergencies
        .approval_end(&agent.id, &approval.id, "fire season is over", &operator())
        .await
        .unwrap();
    raise(&world, "i-4").await;
    assert_eq!(world.only("i-4").await.status, Status::PendingApproval);
    approve(&world, &agent.id).await;
    world.clock.advance(SignedDuration::from_hours(24 * 31));
    raise(&world, "i-5").await;
    assert_eq!(world.only("i-5").await.status, Status::PendingApproval);
    assert_eq!(world.cloud.calls(), 0);

    let told: Vec<String> = world
        .entries()
        .iter()
        .filter_map(|entry| entry.action.operation.clone())
        .filter(|operation| operation.starts_with("standing_approval."))
        .collect();
    let of = |name: &str| told.iter().filter(|one| *one == name).count();
    assert_eq!(
        (
            of("standing_approval.give"),
            of("standing_approval.sign"),
            of("standing_approval.end")
        ),
        (4, 4, 2),
        "intent and outcome of each: {told:?}"
    );
}
