//! Rollouts: stage by stage, each gate by its numbers; stopped, resumed, aborted, restarted;
//! guardrails and approvals hold for each single change.

mod permission;

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_engine::RolloutInput;
use reeve_estate::{Metric, ResourceId, SampleSeries};
use reeve_recommend::action::Purpose;
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore, Clock as _};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::rollout::{
    MemberState, Rollout, RolloutFilter, RolloutSettings, RolloutStatus, Stage, Verdict,
};

use crate::cloud::Fault;
use crate::world::{World, operator, person};

/// Machines that could be smaller, one of them no production, and an agent that found so.
async fn estate(machines: usize, size: &str) -> (World, Agent) {
    let world = World::new().rolling_out();
    for n in 0..machines {
        world.machine(&format!("i-{n}"), size, 5.0);
    }

    world.tag("i-1", "env", "staging");
    let mut limits = world.engine.guardrails.guardrails_get().await.unwrap();
    limits.cool_down_s = 0;
    world
        .engine
        .guardrails
        .guardrails_put(limits, &operator())
        .await
        .unwrap();

    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    (world, agent)
}

async fn begin(world: &World, agent: &Agent, settings: RolloutSettings) -> Rollout {
    let input = input(agent, settings);
    world
        .engine
        .rollouts
        .rollout_begin(input, &operator())
        .await
        .unwrap()
}

fn input(agent: &Agent, settings: RolloutSettings) -> RolloutInput {
    let kind = "right_size".to_owned();
    RolloutInput {
        agent: agent.id.clone(),
        kind,
        name: None,
        recommendations: Vec::new(),
        settings,
    }
}

/// Time passes, every machine is as busy as said, and what is due is done.
async fn hours(world: &World, hours: i64, cpu: f64) {
    let start = world.clock.now();
    for series in world
        .memory
        .series
        .lock()
        .iter_mut()
        .filter(|s| s.metric == Metric::CpuUtilization)
    {
        fill(series, start, hours, cpu);
    }

    world.clock.advance(SignedDuration::from_hours(hours));
    look(world).await;
}

fn fill(series: &mut SampleSeries, start: jiff::Timestamp, hours: i64, cpu: f64) {
    series
        .points
        .extend((0..hours * 12).map(|at| (start + SignedDuration::from_mins(at * 5), cpu)));
}

/// Looks often enough for every step that needs no time.
async fn look(world: &World) {
    for _ in 0..12 {
        world.clock.advance(SignedDuration::from_secs(61));
        world.engine.scheduler.due().await.unwrap();
        world.engine.execution.settle().await;
    }
}

async fn again(world: &World, rollout: &Rollout) -> Rollout {
    world
        .engine
        .rollouts
        .rollout_get(&rollout.id)
        .await
        .unwrap()
}

async fn changed(world: &World) -> usize {
    let actions = world.memory.action_list(None, None).await.unwrap();
    actions
        .iter()
        .filter(|action| action.purpose == Purpose::Apply)
        .count()
}

fn recorded(world: &World, operation: &str) -> usize {
    world
        .entries()
        .iter()
        .filter(|entry| entry.action.operation.as_deref() == Some(operation))
        .count()
}

#[tokio::test]
async fn it_goes_out_stage_by_stage_and_each_gate_says_why() {
    let (world, agent) = estate(6, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            shares_percent: vec![50.0],
            ..Default::default()
        },
    )
    .await;

    assert_eq!(
        (
            recommendation.stage,
            recommendation.status,
            recommendation.members.len()
        ),
        (Stage::Simulation, RolloutStatus::Running, 6)
    );

    let order: Vec<(&str, u32)> = recommendation
        .members
        .iter()
        .map(|m| (m.resource.as_str(), m.wave))
        .collect();
    assert_eq!(order[0], ("i-1", 0), "what is no production goes first");
    assert_eq!(
        order.iter().map(|(_, wave)| *wave).collect::<Vec<_>>(),
        [0, 1, 1, 2, 2, 2]
    );

    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, changed(&world).await),
        (Stage::Validation, 1),
        "{:?}",
        now.gates
    );

    assert!(
        now.members
            .iter()
            .skip(1)
            .all(|m| m.state == MemberState::Simulated),
        "{:?}",
        now.members
    );

    let simulation = &now.gates[0];
    assert_eq!(
        (simulation.stage, simulation.verdict),
        (Stage::Simulation, Verdict::Opened)
    );
    assert!(
        simulation
            .words
            .contains("plans that went through on a simulated twin: 6 (at least 6)"),
        "{simulation:?}"
    );

    assert_eq!(now.members[0].state, MemberState::Watching);

    // The canary is watched for its whole window, then half of all, then the rest.
    hours(&world, 12, 30.0).await;
    assert_eq!(
        (
            again(&world, &recommendation).await.stage,
            changed(&world).await
        ),
        (Stage::Validation, 1)
    );

    hours(&world, 13, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, now.wave, changed(&world).await),
        (Stage::Gradual, 1, 3),
        "{:?}",
        now.gates
    );

    let validation = now
        .gates
        .iter()
        .find(|gate| gate.stage == Stage::Validation)
        .unwrap();
    assert_eq!(validation.verdict, Verdict::Opened);
    assert!(
        validation
            .words
            .contains("no worse than before: 1 (at least 1)"),
        "{validation:?}"
    );

    hours(&world, 25, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!((now.stage, changed(&world).await), (Stage::Full, 6));
    assert_eq!(
        now.status,
        RolloutStatus::Running,
        "the last ones are watched too"
    );
    hours(&world, 25, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        now.status,
        RolloutStatus::Completed,
        "{:?}",
        now.gates.last()
    );

    assert!(
        now.members
            .iter()
            .all(|member| member.state == MemberState::Held),
        "{:?}",
        now.members
    );

    assert_eq!(
        (
            recorded(&world, "rollout.create"),
            recorded(&world, "rollout.complete")
        ),
        (1, 1)
    );

    assert_eq!(
        recorded(&world, "rollout.gate"),
        5,
        "simulation, canary, validation, gradual, full"
    );
    world.every_change_was_announced();
}

#[tokio::test]
async fn a_canary_that_gets_worse_holds_everything_and_a_person_may_go_on() {
    let (world, agent) = estate(4, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            shares_percent: Vec::new(),
            ..Default::default()
        },
    )
    .await;

    look(&world).await;
    assert_eq!(changed(&world).await, 1);
    hours(&world, 4, 99.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.status, now.stage),
        (RolloutStatus::Held, Stage::Validation),
        "{:?}",
        now.gates
    );

    assert_eq!(now.members[0].state, MemberState::Failed);
    assert!(
        now.reason
            .as_ref()
            .unwrap()
            .contains("failed, undone or worse: 1 (at most 0)"),
        "{:?}",
        now.reason
    );

    hours(&world, 48, 10.0).await;
    assert_eq!(
        (
            again(&world, &recommendation).await.status,
            changed(&world).await
        ),
        (RolloutStatus::Held, 1),
        "it stays held"
    );

    assert!(matches!(
        world
            .engine
            .rollouts
            .rollout_resume(&recommendation.id, " ", &operator())
            .await,
        Err(EngineError::Invalid(_))
    ));

    world
        .engine
        .rollouts
        .rollout_resume(&recommendation.id, "a load test ran on it", &operator())
        .await
        .unwrap();

    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, changed(&world).await),
        (Stage::Full, 4),
        "{:?}",
        now.gates
    );

    let overridden = now
        .gates
        .iter()
        .find(|gate| gate.verdict == Verdict::Overridden)
        .unwrap();
    assert_eq!(overridden.by.as_deref(), Some("olga@example.com"));
    assert!(
        overridden
            .words
            .starts_with("a load test ran on it (it was on hold: "),
        "{}",
        overridden.words
    );
}

#[tokio::test]
async fn not_enough_data_is_no_success() {
    let (world, agent) = estate(2, "t3.large").await;
    let recommendation = begin(&world, &agent, RolloutSettings::default()).await;
    look(&world).await;
    world.clock.advance(SignedDuration::from_hours(25));
    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.status, now.members[0].state),
        (RolloutStatus::Held, MemberState::NotEnoughData),
        "{:?}",
        now.gates
    );

    assert_eq!(changed(&world).await, 1);

    // A person who tested each of them gets it to its end.
    for expected in [RolloutStatus::Held, RolloutStatus::Completed] {
        world
            .engine
            .rollouts
            .rollout_resume(&recommendation.id, "tested by hand", &operator())
            .await
            .unwrap();
        look(&world).await;
        world.clock.advance(SignedDuration::from_hours(25));
        look(&world).await;
        let now = again(&world, &recommendation).await;
        assert_eq!(now.status, expected, "{:?}: {:?}", now.reason, now.gates);
    }
    assert_eq!(changed(&world).await, 2);
}

#[tokio::test]
async fn a_plan_that_fails_in_simulation_holds_before_anything_is_touched() {
    let (world, agent) = estate(3, "t3.large").await;
    world
        .memory
        .resources
        .lock()
        .get_mut(&ResourceId::new("i-2"))
        .unwrap()
        .state = reeve_estate::ResourceState::Stopped;

    let recommendation = begin(&world, &agent, RolloutSettings::default()).await;
    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.status, now.stage, changed(&world).await),
        (RolloutStatus::Held, Stage::Simulation, 0)
    );

    let failed = now
        .members
        .iter()
        .find(|member| member.state == MemberState::Failed)
        .unwrap();

    assert!(
        failed.detail.contains("state is stopped, not running"),
        "{failed:?}"
    );
    world
        .engine
        .rollouts
        .rollout_abort(&recommendation.id, "wrong set", &operator())
        .await
        .unwrap();

    look(&world).await;
    assert_eq!(changed(&world).await, 0);

    let resumed = world
        .engine
        .rollouts
        .rollout_resume(&recommendation.id, "no", &operator())
        .await;

    assert!(
        matches!(resumed, Err(EngineError::Conflict(_))),
        "an end is an end"
    );
    begin(&world, &agent, RolloutSettings::default()).await;
}

#[tokio::test]
async fn stopped_it_begins_nothing_and_resumed_it_goes_on_where_it_was() {
    let (world, agent) = estate(4, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            shares_percent: Vec::new(),
            ..Default::default()
        },
    )
    .await;

    let second = world
        .engine
        .rollouts
        .rollout_begin(input(&agent, RolloutSettings::default()), &operator())
        .await;

    assert!(
        matches!(second, Err(EngineError::Conflict(_))),
        "one at a time"
    );
    look(&world).await;
    world
        .engine
        .rollouts
        .rollout_stop(&recommendation.id, "a release goes out", &operator())
        .await
        .unwrap();

    hours(&world, 26, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.status, changed(&world).await),
        (RolloutStatus::Stopped, 1)
    );
    assert_eq!(
        now.members[0].state,
        MemberState::Held,
        "what was under way is still watched and shown"
    );

    world
        .engine
        .rollouts
        .rollout_resume(&recommendation.id, "the release is out", &operator())
        .await
        .unwrap();

    look(&world).await;
    assert_eq!(changed(&world).await, 4);
    assert_eq!(
        (
            recorded(&world, "rollout.stop"),
            recorded(&world, "rollout.resume")
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn every_change_asks_for_its_own_approval_and_a_stop_takes_the_requests_back() {
    let (world, agent) = estate(3, "m5.xlarge").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            canary: 2,
            ..Default::default()
        },
    )
    .await;

    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, changed(&world).await),
        (Stage::Canary, 0),
        "{:?}",
        now.members
    );

    let asked: Vec<_> = world.memory.approval_list(None).await.unwrap();
    assert_eq!(asked.len(), 2, "the canary's two, not the third");
    assert!(
        asked[0]
            .reason
            .as_ref()
            .unwrap()
            .contains(&recommendation.id.0),
        "{:?}",
        asked[0].reason
    );

    let own = world
        .engine
        .recommendations
        .approve(&asked[0].id, None, &person("olga", &[Role::Manager]))
        .await;

    assert!(
        matches!(own, Err(EngineError::Forbidden(_))),
        "who began it does not sign it"
    );
    world
        .engine
        .recommendations
        .approve(&asked[0].id, None, &person("max", &[Role::Manager]))
        .await
        .unwrap();

    look(&world).await;
    assert_eq!(changed(&world).await, 1);
    world
        .engine
        .rollouts
        .rollout_stop(&recommendation.id, "not today", &operator())
        .await
        .unwrap();

    let late = world
        .engine
        .recommendations
        .approve(&asked[1].id, None, &person("max", &[Role::Manager]))
        .await;

    assert!(
        matches!(late, Err(EngineError::Conflict(_))),
        "a signature does not begin what is stopped"
    );
    look(&world).await;
    assert_eq!(changed(&world).await, 1);
}

#[tokio::test]
async fn production_goes_last_and_asks() {
    let (world, agent) = estate(3, "t3.large").await;
    world.tag("i-0", "env", "production");
    world.run(&agent).await;
    let settings = RolloutSettings {
        canary: 2,
        shares_percent: Vec::new(),
        ..Default::default()
    };
    let recommendation = begin(&world, &agent, settings).await;
    let order: Vec<&str> = recommendation
        .members
        .iter()
        .map(|member| member.resource.as_str())
        .collect();
    assert_eq!(order, ["i-1", "i-2", "i-0"]);
    look(&world).await;
    hours(&world, 26, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, now.members[2].state),
        (Stage::Full, MemberState::AwaitingApproval),
        "{:?}",
        now.members
    );

    assert_eq!(changed(&world).await, 2);
}

#[tokio::test]
async fn a_canary_that_somebody_else_changed_proves_nothing_and_the_next_is_taken() {
    let (world, agent) = estate(3, "t3.large").await;
    let recommendation = begin(&world, &agent, RolloutSettings::default()).await;
    look(&world).await;
    assert_eq!(
        again(&world, &recommendation).await.stage,
        Stage::Validation
    );
    world
        .memory
        .resources
        .lock()
        .get_mut(&ResourceId::new("i-1"))
        .unwrap()
        .specification
        .instance_type = Some("m5.large".to_owned());

    hours(&world, 2, 30.0).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.members[0].state, now.members[1].wave),
        (MemberState::LeftOut, 0),
        "{:?}",
        now.members
    );

    assert_eq!((now.stage, changed(&world).await), (Stage::Validation, 2));
}

#[tokio::test]
async fn guardrails_hold_and_are_shown_without_filling_the_log() {
    let (world, agent) = estate(3, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            canary: 2,
            ..Default::default()
        },
    )
    .await;

    let mut limits = world.engine.guardrails.guardrails_get().await.unwrap();
    limits.max_actions_per_day = 1;
    world
        .engine
        .guardrails
        .guardrails_put(limits, &operator())
        .await
        .unwrap();

    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.stage, now.status, changed(&world).await),
        (Stage::Canary, RolloutStatus::Running, 1)
    );

    let waits = now
        .members
        .iter()
        .find(|member| member.wave == 0 && member.state == MemberState::Simulated)
        .unwrap();

    assert!(
        waits.detail.contains("blast_radius.max_actions_per_day"),
        "{waits:?}"
    );

    let refusals =
        |entry: &reeve_audit::Entry| entry.action.status == Some(reeve_audit::ActionStatus::Denied);
    assert_eq!(
        world
            .entries()
            .iter()
            .filter(|entry| refusals(entry))
            .count(),
        0
    );

    hours(&world, 24, 30.0).await;
    assert_eq!(changed(&world).await, 2, "the next day has room");
}

#[tokio::test]
async fn a_restart_changes_nothing_twice() {
    let (world, agent) = estate(4, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            shares_percent: Vec::new(),
            ..Default::default()
        },
    )
    .await;

    let mut world = world;
    for _ in 0..40 {
        world.clock.advance(SignedDuration::from_secs(61));
        world.engine.scheduler.due().await.unwrap();
        // Whatever runs is left alone by the one that goes, and taken up by the one that comes.
        world.engine.execution.settle().await;
        world = world.restarted();
    }

    assert_eq!(
        (
            again(&world, &recommendation).await.stage,
            changed(&world).await
        ),
        (Stage::Validation, 1)
    );

    hours(&world, 26, 30.0).await;
    assert_eq!(changed(&world).await, 4);

    let actions = world.memory.action_list(None, None).await.unwrap();
    let simulated = actions
        .iter()
        .filter(|action| action.purpose == Purpose::Simulate)
        .count();
    assert_eq!(simulated, 4, "once each");
}

#[tokio::test]
async fn what_people_answer_meanwhile_holds() {
    let (world, agent) = estate(3, "t3.large").await;
    let recommendation = begin(
        &world,
        &agent,
        RolloutSettings {
            shares_percent: Vec::new(),
            ..Default::default()
        },
    )
    .await;

    let first = world.only("i-1").await;
    world
        .engine
        .recommendations
        .dismiss(&first.id, "it is the build server", &operator())
        .await
        .unwrap();

    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(now.members[0].state, MemberState::LeftOut);
    assert!(
        now.members[0].detail.contains("it is the build server"),
        "{:?}",
        now.members[0]
    );

    assert_eq!(
        (now.members[1].wave, now.stage, changed(&world).await),
        (0, Stage::Validation, 1),
        "the next is the canary"
    );
}

#[tokio::test]
async fn a_failed_change_holds_it() {
    let (world, agent) = estate(3, "t3.large").await;
    let recommendation = begin(&world, &agent, RolloutSettings::default()).await;
    world.cloud.fault(1, Fault::Deny);
    look(&world).await;
    let now = again(&world, &recommendation).await;
    assert_eq!(
        (now.status, now.members[0].state),
        (RolloutStatus::Held, MemberState::Failed),
        "{:?}",
        now.members[0]
    );

    assert_eq!(
        world.again(&world.only("i-1").await).await.status,
        Status::RolledBack
    );
}

#[tokio::test]
async fn an_agent_with_many_findings_rolls_them_out_and_waits_when_that_was_given_up() {
    let world = World::new().rolling_out();
    for n in 0..10 {
        world.machine(&format!("i-{n}"), "t3.large", 5.0);
    }

    let agent = world.agent("safe_mode", true).await;
    let report = world.run(&agent).await;
    assert_eq!(report.applied, 0);
    assert!(
        report.skipped.contains(&("in_rollout".to_owned(), 10)),
        "{:?}",
        report.skipped
    );

    let (found, _) = world
        .engine
        .rollouts
        .rollout_list(&RolloutFilter::default())
        .await
        .unwrap();

    let recommendation = &found[0];
    assert_eq!(
        (recommendation.by.as_str(), recommendation.members.len()),
        (format!("agent:{}", agent.id.0).as_str(), 10)
    );
    look(&world).await;
    assert_eq!(changed(&world).await, 1);
    world
        .engine
        .rollouts
        .rollout_abort(&recommendation.id, "not this quarter", &operator())
        .await
        .unwrap();

    let report = world.run(&agent).await;
    assert!(
        report
            .skipped
            .iter()
            .any(|(reason, _)| reason == "rollout_aborted"),
        "{:?}",
        report.skipped
    );

    assert_eq!((report.applied, changed(&world).await), (0, 1));
}

#[tokio::test]
async fn what_cannot_go_out_is_refused_with_the_field() {
    let (world, agent) = estate(2, "t3.large").await;
    let wrong = RolloutSettings {
        canary: 0,
        shares_percent: vec![50.0, 10.0],
        ..Default::default()
    };

    let wrong = RolloutInput {
        kind: "everything".to_owned(),
        ..input(&agent, wrong)
    };
    let Err(EngineError::Invalid(errors)) = world
        .engine
        .rollouts
        .rollout_begin(wrong, &operator())
        .await
    else {
        panic!("taken")
    };

    assert_eq!(
        errors.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(),
        ["type", "canary", "shares"]
    );

    let none = RolloutInput {
        kind: "encryption".to_owned(),
        ..input(&agent, RolloutSettings::default())
    };
    assert!(matches!(
        world.engine.rollouts.rollout_begin(none, &operator()).await,
        Err(EngineError::Conflict(_))
    ));

    let learner = world.agent("learning", false).await;
    assert_eq!(learner.mode, Mode::Learning);

    let learns = world
        .engine
        .rollouts
        .rollout_begin(input(&learner, RolloutSettings::default()), &operator())
        .await;
    assert!(matches!(learns, Err(EngineError::Learning { .. })));
}

#[tokio::test]
async fn it_is_called_what_it_does_and_where() {
    let (world, agent) = estate(3, "t3.large").await;
    world
        .tag("i-0", "env", "production")
        .tag("i-2", "env", "production");
    let cases: [(&[&str], &str); 3] = [
        (&["i-0", "i-1", "i-2"], "Resize 3 virtual machines"),
        (&["i-1"], "Resize 1 virtual machine outside production"),
        (&["i-0", "i-2"], "Resize 2 virtual machines in production"),
    ];

    for (resources, expect) in cases {
        let mut wanted = input(&agent, RolloutSettings::default());
        for resource in resources {
            wanted.recommendations.push(world.only(resource).await.id);
        }
        let recommendation = world
            .engine
            .rollouts
            .rollout_begin(wanted, &operator())
            .await
            .unwrap();
        assert_eq!(recommendation.name, expect);
        world
            .engine
            .rollouts
            .rollout_abort(&recommendation.id, "only its name was wanted", &operator())
            .await
            .unwrap();
    }

    let named = RolloutInput {
        name: Some("Smaller web tier".to_owned()),
        ..input(&agent, RolloutSettings::default())
    };
    assert_eq!(
        world
            .engine
            .rollouts
            .rollout_begin(named, &operator())
            .await
            .unwrap()
            .name,
        "Smaller web tier"
    );
}
