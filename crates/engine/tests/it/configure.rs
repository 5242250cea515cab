//! Agents: created, configured and deleted on the record.

use reeve_audit::Json;
use reeve_engine::AgentInput;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator};

#[tokio::test]
async fn configuration_is_recorded_before_and_after() {
    let world = World::new();
    let agent = world.agent("learning", false).await;
    let input = AgentInput {
        mode: Some("active".into()),
        reason: Some("trial is over".into()),
        ..AgentInput::default()
    };

    let after = world
        .engine
        .agents
        .agent_configure(&agent.id, input, &operator())
        .await
        .unwrap();
    assert_eq!((after.version, after.name), (agent.version + 1, agent.name));

    let entry = world.entries().into_iter().next_back().unwrap();
    assert_eq!(entry.event_type.as_str(), "policy.modify");
    assert_eq!(entry.actor.email.as_deref(), Some("olga@example.com"));
    assert_eq!(
        entry.changes.before.unwrap().get("mode"),
        Some(&Json::from("learning"))
    );
    assert_eq!(
        entry.changes.after.unwrap().get("mode"),
        Some(&Json::from("active"))
    );
    assert_eq!(
        entry.metadata.extra.get("reason"),
        Some(&Json::from("trial is over"))
    );
}

#[tokio::test]
async fn wrong_input_names_every_field_and_makes_nothing() {
    let world = World::new();
    let input = AgentInput {
        agent_type: Some("spot_optimiser".into()),
        mode: Some("turbo".into()),
        learning_period: Some("soon".into()),
        ..AgentInput::default()
    };

    let Err(EngineError::Invalid(errors)) =
        world.engine.agents.agent_create(input, &operator()).await
    else {
        panic!("taken")
    };

    let paths: Vec<&str> = errors.iter().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["agent_type", "name", "mode", "learning_period"]);
    assert!(world.memory.agent_list(None).await.unwrap().is_empty() && world.entries().is_empty());
}

#[tokio::test]
async fn a_deleted_agent_leaves_its_recommendations_closed() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    world
        .engine
        .agents
        .agent_delete(&agent.id, &operator())
        .await
        .unwrap();

    assert_eq!(world.again(&recommendation).await.status, Status::Expired);
    assert!(matches!(
        world
            .engine
            .agents
            .agent_delete(&agent.id, &operator())
            .await,
        Err(EngineError::NotFound { .. })
    ));

    assert!(matches!(
        world.engine.runs.agent_run(&agent.id, &operator()).await,
        Err(EngineError::NotFound { .. })
    ));
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_configured() {
    let world = World::new();
    let agent = world.agent("learning", false).await;
    *world.log.silent_after.lock() = Some(0);
    let input = AgentInput {
        name: Some("other".into()),
        ..AgentInput::default()
    };
    assert!(matches!(
        world
            .engine
            .agents
            .agent_configure(&agent.id, input, &operator())
            .await,
        Err(EngineError::Record(_))
    ));

    assert_eq!(world.memory.agent_get(&agent.id).await.unwrap(), agent);
}

#[tokio::test]
async fn active_before_the_learning_period_is_over_needs_a_reason() {
    let world = World::new();
    let active = || AgentInput {
        mode: Some("active".into()),
        ..AgentInput::default()
    };

    let agent = world.agent("learning", true).await;
    let refused = world
        .engine
        .agents
        .agent_configure(&agent.id, active(), &operator())
        .await;

    let Err(EngineError::Invalid(errors)) = refused else {
        panic!("{refused:?}")
    };

    assert_eq!(
        (errors[0].path.as_str(), errors[0].code.as_str()),
        ("reason", "missing_field")
    );
    assert!(
        errors[0].message.contains("0 of the 14 days"),
        "{}",
        errors[0].message
    );

    let forced = AgentInput {
        reason: Some("the estate is a trial".into()),
        ..active()
    };
    let after = world
        .engine
        .agents
        .agent_configure(&agent.id, forced, &operator())
        .await
        .unwrap();

    assert_eq!(
        after.learning_waived.as_deref(),
        Some("the estate is a trial")
    );

    let entry = world.entries().into_iter().next_back().unwrap();
    let waived = entry.changes.after.unwrap().get("learning_waived").cloned();
    assert_eq!(waived, Some(Json::from("the estate is a trial")));

    // A shorter period is no way around the reason: not in the same step, not in one before, not at
    // the beginning.
    let learning = AgentInput {
        mode: Some("learning".into()),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent.id, learning.clone(), &operator())
        .await
        .unwrap();

    let shorter = || AgentInput {
        learning_period: Some("0d".into()),
        ..AgentInput::default()
    };

    let input = || AgentInput {
        agent_type: Some("cost_optimizer".into()),
        name: Some("x".into()),
        ..shorter()
    };

    for result in [
        world
            .engine
            .agents
            .agent_configure(
                &agent.id,
                AgentInput {
                    mode: Some("active".into()),
                    ..shorter()
                },
                &operator(),
            )
            .await,
        world
            .engine
            .agents
            .agent_configure(&agent.id, shorter(), &operator())
            .await,
        world
            .engine
            .agents
            .agent_create(
                AgentInput {
                    mode: Some("active".into()),
                    ..input()
                },
                &operator(),
            )
            .await,
    ] {
        let Err(EngineError::Invalid(errors)) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            (errors[0].path.as_str(), errors[0].code.as_str()),
            ("reason", "missing_field")
        );
    }

    let said = AgentInput {
        reason: Some("it knows the estate".into()),
        ..shorter()
    };
    let after = world
        .engine
        .agents
        .agent_configure(&agent.id, said, &operator())
        .await
        .unwrap();

    assert_eq!(
        (after.learning_period_days, after.learning_waived),
        (0, None),
        "it still learns"
    );

    let longer = AgentInput {
        learning_period: Some("14d".into()),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent.id, longer, &operator())
        .await
        .unwrap();

    // Back to learning takes the waiver away; with thirty days of samples none is needed.
    let learning = AgentInput {
        mode: Some("learning".into()),
        ..AgentInput::default()
    };
    world
        .engine
        .agents
        .agent_configure(&agent.id, learning, &operator())
        .await
        .unwrap();

    world.machine("i-1", "t3.large", 5.0);
    let after = world
        .engine
        .agents
        .agent_configure(&agent.id, active(), &operator())
        .await
        .unwrap();

    assert_eq!(after.learning_waived, None);
}

#[tokio::test]
async fn a_schedule_is_checked_kept_and_taken_away() {
    let world = World::new();
    let agent = world.agent("learning", false).await;
    let with = |pattern: &str, zone: Option<&str>| AgentInput {
        schedule: Some(pattern.to_owned()),
        schedule_time_zone: zone.map(str::to_owned),
        ..AgentInput::default()
    };

    let wrong = world
        .engine
        .agents
        .agent_configure(&agent.id, with("0 3 * * *", Some("Nowhere")), &operator())
        .await;
    assert!(matches!(wrong, Err(EngineError::Invalid(e)) if e[0].path == "schedule_time_zone"));

    let wrong = world
        .engine
        .agents
        .agent_configure(&agent.id, with("* * * * *", None), &operator())
        .await;
    assert!(matches!(wrong, Err(EngineError::Invalid(e)) if e[0].path == "schedule"));

    let kept = world
        .engine
        .agents
        .agent_configure(
            &agent.id,
            with("0 3 * * *", Some("Europe/Berlin")),
            &operator(),
        )
        .await;
    let kept = kept.unwrap();

    // The world begins at 2026-11-16T00:00:00Z; Berlin is an hour ahead.
    let next =
        reeve_recommend::agent::next_run(&kept, jiff::SignedDuration::from_mins(15)).unwrap();
    assert_eq!(next.to_string(), "2026-11-16T02:00:00Z");

    let cleared = world
        .engine
        .agents
        .agent_configure(&agent.id, with("", None), &operator())
        .await
        .unwrap();

    assert_eq!(cleared.schedule, None);
}
