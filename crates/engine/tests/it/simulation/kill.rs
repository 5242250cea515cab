//! Killed at every step: an execution is interrupted between any two calls, in turn, and the next
//! process comes to an end that the evidence bears out. And the kill switch, held against the
//! clock.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reeve_engine::{AgentInput, Execution};
use reeve_estate::{Mutation, Purchase, Resource, ResourceId, ResourceKind, ResourceState};
use reeve_recommend::action::{Action, ActionStatus};
use reeve_recommend::ports::{AgentStore, Clock};
use reeve_recommend::recommendation::{Recommendation, RecommendationType};

use super::life::{Life, Session};
use super::load::Load;
use super::{judge, people};
use crate::cloud::Fault;
use crate::journal::Note;
use crate::world::{resource, volume_of};

/// A life of one machine, or database, and one finding on it.
pub(super) fn life_of(size: &str, cpu: f64) -> Life {
    let life = Life::new(0, 0);
    let database = size.starts_with("db.");
    let kind = if database {
        ResourceKind::Database
    } else {
        ResourceKind::VirtualMachine
    };

    let mut made = Resource {
        purchase: Some(Purchase::OnDemand),
        ..resource("i-1", kind, Some(size))
    };
    made.state = ResourceState::Running;

    if database {
        // A change of a database may take longer than the budget of 99.9 %.
        life.store.memory.guardrails.lock().min_uptime_percent = 99.0;
        made.service = "rds".to_owned();
        made.specification.platform = Some("postgres".to_owned());
    } else {
        put(&life, volume_of("vol-1", "i-1"));
    }

    life.store.loads.set(
        &made.id,
        Load {
            cpu,
            database,
            hot_since: None,
        },
    );

    put(&life, made);
    life.process(false, None, async |session: Session| found(&session).await);
    life
}

pub(super) fn put(life: &Life, made: Resource) {
    life.store
        .memory
        .resources
        .lock()
        .insert(made.id.clone(), made.clone());
    life.cloud.put(made);
}

/// An agent that finds, and leaves it to people.
async fn found(session: &Session) {
    let text = |text: &str| Some(text.to_owned());
    let input = AgentInput {
        agent_type: text("cost_optimizer"),
        name: text("cost"),
        mode: text("safe_mode"),
        ..AgentInput::default()
    };

    let agent = session
        .engine
        .agents
        .agent_create(input, &people::caller("ada"))
        .await
        .unwrap();

    let _hold = session.hold();
    session
        .engine
        .runs
        .agent_run(&agent.id, &people::caller("olga"))
        .await
        .unwrap();
}

pub(super) async fn the_finding(session: &Session) -> Recommendation {
    let (all, _) = session
        .store
        .memory
        .recommendation_list(&Default::default())
        .await
        .unwrap();

    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

/// Executes the finding, with the signatures it needs, and waits until nothing works any more.
pub(super) async fn executed(session: Session) {
    let recommendation = the_finding(&session).await;
    let Ok(execution) = session
        .engine
        .execution
        .execute(&recommendation.id, None, None, &people::caller("olga"))
        .await
    else {
        return;
    };

    if let Execution::PendingApproval(approval) = execution {
        for who in ["dora", "sam", "max"] {
            let _ = session
                .engine
                .recommendations
                .approve(&approval.id, None, &people::caller(who))
                .await;
        }
    }

    session.engine.execution.settle().await;
}

/// Executes, and dies at each moment in turn; what follows is held against the evidence. How many
/// moments there are.
fn killed_at_every_step(
    size: &str,
    cpu: f64,
    kind: RecommendationType,
    faults: &[(usize, Fault)],
) -> u64 {
    let make = || {
        let life = life_of(size, cpu);
        faults
            .iter()
            .for_each(|(call, fault)| life.cloud.fault(*call, *fault));
        life
    };
    killed(make, executed, |life| {
        let all = life.store.memory.recommendations.lock();
        assert!(
            all.values()
                .all(|recommendation| recommendation.kind == kind),
            "{kind} was found"
        );
    })
}

/// Works on a life of its own each time, and dies at each moment in turn; what follows is held
/// against the evidence, and no change of the cloud was made twice. How many moments there are.
pub(super) fn killed<F>(
    make: impl Fn() -> Life,
    work: fn(Session) -> F,
    held: impl Fn(&Life),
) -> u64
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut ends: Vec<String> = Vec::new();
    for moment in 1.. {
        let life = make();
        let survived = life.process(false, Some(moment), work);
        life.peace();
        let counts = judge(&life, moment);
        assert!(
            counts.keys().any(|what| what.starts_with("recommendation")),
            "something was found"
        );
        nothing_twice(&life, moment);
        held(&life);
        ends.extend(counts.into_keys().filter(|what| what.contains("action.")));
        if survived {
            assert!(
                ends.iter().any(|end| end.ends_with("action.resume")),
                "nothing was ever taken up"
            );
            return moment;
        }
    }

    unreachable!("the range has no end")
}

/// Each change is there once, however often its process died around it. (A snapshot takes nothing
/// away, and one whose name was lost with the process is taken anew.)
fn nothing_twice(life: &Life, moment: u64) {
    let notes = life.journal.lock();
    let mut made: Vec<&Mutation> = Vec::new();

    for note in notes.iter() {
        let Note::Changed(changed) = note else {
            continue;
        };
        let Some(mutation) = &changed.call else {
            continue;
        };
        // There and back are the same call of a failover; where the primary ends tells.
        if matches!(mutation, Mutation::Snapshot { .. } | Mutation::FailOver) {
            continue;
        }
        assert!(
            made.last() != Some(&mutation),
            "moment {moment}: {mutation:?} was made twice"
        );
        made.push(mutation);
    }
}

#[test]
fn a_right_sizing_is_killed_at_every_step() {
    assert!(killed_at_every_step("t3.large", 5.0, RecommendationType::RightSize, &[]) > 60);
}

#[test]
fn one_that_needs_a_signature_is_killed_at_every_step() {
    assert!(killed_at_every_step("m5.xlarge", 5.0, RecommendationType::RightSize, &[]) > 60);
}

#[test]
fn one_that_is_undone_is_killed_at_every_step() {
    let denied = [(1, Fault::Deny)];
    assert!(killed_at_every_step("t3.large", 5.0, RecommendationType::RightSize, &denied) > 60);
}

#[test]
fn a_stop_with_its_snapshots_is_killed_at_every_step() {
    assert!(
        killed_at_every_step(
            "t3.large",
            0.1,
            RecommendationType::IdleResourceCleanup,
            &[]
        ) > 60
    );
}

#[test]
fn a_database_is_resized_and_killed_at_every_step() {
    assert!(killed_at_every_step("db.m5.xlarge", 5.0, RecommendationType::RightSize, &[]) > 60);
}

#[test]
fn a_database_whose_class_is_refused_is_killed_at_every_step() {
    // The snapshot is taken, and the class is refused.
    let denied = [(1, Fault::Deny)];
    assert!(killed_at_every_step("db.m5.xlarge", 5.0, RecommendationType::RightSize, &denied) > 40);
}

#[test]
fn an_idle_database_is_stopped_and_killed_at_every_step() {
    assert!(
        killed_at_every_step(
            "db.m5.xlarge",
            0.1,
            RecommendationType::IdleResourceCleanup,
            &[]
        ) > 60
    );
}

/// The actions there are.
async fn actions(session: &Session) -> Vec<Action> {
    session.store.memory.action_list(None, None).await.unwrap()
}

/// Throws the kill switch so many seconds into an execution whose first call is struck by a fault:
/// within a second nothing goes forward any more, and in the end the machine is what it was.
fn stopped_after(seconds: u64, fault: Option<Fault>) {
    let life = life_of("t3.large", 5.0);
    if let Some(fault) = fault {
        (0..20).for_each(|call| life.cloud.fault(call, fault));
    }

    let cloud = Arc::clone(&life.cloud);
    life.process(false, None, async move |session: Session| {
        let recommendation = the_finding(&session).await;
        session
            .engine
            .execution
            .execute(&recommendation.id, None, None, &people::caller("olga"))
            .await
            .unwrap();
        session.clock.sleep(Duration::from_secs(seconds)).await;
        assert_eq!(
            actions(&session).await[0].status,
            ActionStatus::Running,
            "after {seconds} s"
        );
        session
            .engine
            .guardrails
            .kill_switch(true, "stop everything", &people::caller("ada"))
            .await
            .unwrap();
        session.clock.sleep(Duration::from_secs(1)).await;
        // Whoever wakes in this very moment goes first.
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        let now = session.clock.now();
        let stopped = actions(&session).await.remove(0);
        assert!(
            stopped.status != ActionStatus::Running,
            "{seconds} s, {fault:?}: still running at {now}"
        );
        if fault.is_some() {
            (0..400).for_each(|call| cloud.unfault(call));
        }
        session.engine.execution.settle().await;
    });

    life.peace();
    judge(&life, seconds);
    assert_eq!(
        life.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned()),
        "{seconds} s, {fault:?}"
    );

    let machine = ResourceId::new("i-1");
    assert!(
        life.cloud
            .all()
            .iter()
            .any(|resource| resource.id == machine)
    );
}

#[test]
fn the_kill_switch_stops_within_a_second_wherever_it_meets_the_work() {
    // A stop takes 30 s, then the size, then a start of 30 s.
    for seconds in [3, 14, 29, 31, 44, 58] {
        stopped_after(seconds, None);
    }
    // Throttled, unanswered, ignored, or slow: the wait for the cloud is cut short as well.
    for fault in [
        Fault::Throttle,
        Fault::LoseRequest,
        Fault::Ignore,
        Fault::Slow,
    ] {
        stopped_after(7, Some(fault));
    }
}
