//! Killed at every step, beyond machines and databases that are resized or stopped: plans that
//! predictive rules bring (storage, a group for a time, a failover, a replica), and tests on a
//! simulated twin.

use std::cell::Cell;

use jiff::SignedDuration;
use reeve_agents::security_intelligence::isolation as quarantine;
use reeve_engine::AgentInput;
use reeve_estate::{
    Capacity, Money, QUARANTINE, Resource, ResourceKind, ResourceState, Specification,
};
use reeve_predict::RuleId;
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::{Plan, procedure, relief};
use reeve_recommend::ports::Clock as _;
use reeve_recommend::ports::responses::ResponseOffer;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{
    Explanation, ImpactAssessment, Priority, RecommendationSubject, RecommendationType,
};

use super::kill::{executed, killed, life_of, put, the_finding};
use super::life::{Life, Session};
use super::people;
use crate::cloud::Fault;
use crate::world::resource;

/// A proposal of a plan, as a predictive rule makes it.
fn foretold(resource: &Resource, plan: Plan) -> ResponseOffer {
    let text = |text: &str| text.to_owned();
    let subject = RecommendationSubject {
        aspect: None,
        connection: resource.connection.clone(),
        id: resource.id.clone(),
        name: resource.name.clone(),
        kind: resource.kind,
        provider: resource.provider,
        account: resource.account.clone(),
        region: resource.region.clone(),
        service: resource.service.clone(),
        instance_type: resource.specification.instance_type.clone(),
        target_type: None,
        managed_by_code: false,
    };

    // The judge asks for a signature on what holds data.
    let impact_level = match resource.kind {
        _ if plan.change_name() == Some("isolate") => Impact::High,
        ResourceKind::Database => Impact::Medium,
        _ => Impact::Low,
    };

    let proposal = Proposal::new(
        RecommendationType::StorageOptimization,
        "expand_storage",
        text("what is foreseen"),
        subject,
        ImpactAssessment {
            cost_percent: Some(1.0),
            cost: text("little"),
            performance_degradation_percent: Some(0.0),
            performance: text("none"),
            security: text("none"),
        },
        Explanation::new(text("what is foreseen"), Impact::Low)
            .with_data_points(1)
            .with_cost_reduction(text("none"))
            .with_performance_impact(text("none")),
    )
    .with_priority(Priority::High)
    .with_confidence(
        90.0,
        Trust {
            raw: 0.9,
            features: Vec::new(),
            cap_percent: None,
        },
    )
    .with_impact_level(impact_level)
    .with_savings(Money::ZERO)
    .with_plan(plan)
    .with_reason_codes(vec![text("predictive_rule")]);

    ResponseOffer {
        resource: resource.clone(),
        proposal,
        cause: OriginCause::PredictiveRule(RuleId("r-1".to_owned())),
    }
}

/// A life of one resource, and what was foreseen of it.
fn life_with(resource: &Resource, plan: impl Fn(&Life) -> Plan) -> Life {
    let life = Life::new(0, 0);
    put(&life, resource.clone());
    let found = foretold(resource, plan(&life));
    life.process(false, None, async move |session: Session| {
        let text = |text: &str| Some(text.to_owned());
        let input = AgentInput {
            agent_type: text("ops_intelligence"),
            name: text("ops"),
            mode: text("safe_mode"),
            ..AgentInput::default()
        };
        session
            .engine
            .agents
            .agent_create(input, &people::caller("ada"))
            .await
            .unwrap();
        let answers = session
            .engine
            .responses
            .propose(AgentType::OPS_INTELLIGENCE, vec![found])
            .await
            .unwrap();
        assert!(answers[0].is_ok(), "{answers:?}");
    });

    life
}

fn database() -> Resource {
    let mut made = resource("db-1", ResourceKind::Database, Some("db.m5.large"));
    made.state = ResourceState::Running;
    made.service = "rds".to_owned();
    made.specification = Specification {
        multi_az: Some(true),
        zone: Some("us-east-1a".to_owned()),
        standby_zone: Some("us-east-1b".to_owned()),
        ..made.specification
    };

    made
}

/// The resource as the cloud has it in the end, and how the finding ended.
fn ended(life: &Life) -> (Specification, Status) {
    let recommendation = life.cloud.all().remove(0);
    assert_ne!(recommendation.state, ResourceState::Changing);

    let status = life
        .store
        .memory
        .recommendations
        .lock()
        .values()
        .next()
        .unwrap()
        .status;

    (recommendation.specification, status)
}

#[test]
fn storage_that_grows_is_killed_at_every_step() {
    let recommendation = database();
    let make = || life_with(&recommendation, |_| relief::grow(&recommendation, 100, 125));
    let moments = killed(make, executed, |life| {
        let (spec, status) = ended(life);
        match status {
            Status::Succeeded | Status::Failed => {
                assert_eq!(spec.storage_gib, Some(125.0), "{status}")
            }
            _ => assert_eq!(spec.storage_gib, Some(100.0), "{status}"),
        }
    });

    assert!(moments > 40, "{moments}");
}

#[test]
fn a_group_that_is_scaled_for_a_time_is_killed_at_every_step() {
    let capacity = Capacity {
        min: 1,
        desired: 2,
        max: 6,
    };
    let mut recommendation = resource("asg-1", ResourceKind::ScalingGroup, None);
    recommendation.specification = Specification {
        capacity: Some(capacity),
        ..Specification::default()
    };
    let make = || {
        life_with(&recommendation, |life| {
            relief::scale_until(
                &recommendation,
                capacity,
                4,
                life.clock.now() + SignedDuration::from_secs(60),
            )
        })
    };

    let moments = killed(make, executed, |life| {
        let (spec, status) = ended(life);
        assert_eq!(
            spec.capacity,
            Some(capacity),
            "{status}: whatever came in between, it is back"
        );
        assert!(
            matches!(
                status,
                Status::Succeeded | Status::RolledBack | Status::Open
            ),
            "{status}"
        );
    });

    assert!(moments > 60, "{moments}");
}

#[test]
fn a_failover_is_killed_at_every_step() {
    let recommendation = database();
    let make = || {
        life_with(&recommendation, |_| {
            procedure::fail_over(&recommendation, "us-east-1a", "us-east-1b")
        })
    };

    let moments = killed(make, executed, |life| {
        let (spec, status) = ended(life);
        let zone = if status == Status::Succeeded {
            "us-east-1b"
        } else {
            "us-east-1a"
        };
        assert_eq!(spec.zone.as_deref(), Some(zone), "{status}");
    });

    assert!(moments > 40, "{moments}");
}

#[test]
fn a_replica_is_made_once_and_killed_at_every_step() {
    let recommendation = database();
    let make = || {
        life_with(&recommendation, |_| {
            relief::replicate(&recommendation, "db-1-reeve-1")
        })
    };

    let moments = killed(make, executed, |life| {
        let (spec, status) = ended(life);
        assert_eq!(
            spec.replicas.len(),
            usize::from(status == Status::Succeeded),
            "{status}"
        );
    });

    assert!(moments > 40, "{moments}");
}

fn machine() -> Resource {
    Resource {
        state: ResourceState::Running,
        ..resource("i-1", ResourceKind::VirtualMachine, Some("m5.large"))
    }
}

#[test]
fn a_machine_is_cut_off_or_has_its_groups_and_is_killed_at_every_step() {
    let recommendation = machine();
    let make = || {
        life_with(&recommendation, |_| {
            quarantine::plan(&recommendation).unwrap()
        })
    };

    let moments = killed(make, executed, |life| {
        let (spec, status) = ended(life);
        let groups = if status == Status::Succeeded {
            vec![QUARANTINE.to_owned()]
        } else {
            recommendation.specification.security_groups.clone()
        };
        assert_eq!(
            (spec.security_groups, spec.isolated),
            (groups, status == Status::Succeeded),
            "{status}"
        );
    });

    assert!(moments > 40, "{moments}");
}

/// Executes the finding where ten seconds are left for it, which do not suffice.
async fn too_late(session: Session) {
    let Ok(limits) = session.engine.guardrails.guardrails_get().await else {
        return;
    };

    let short = Guardrails {
        rollback_timeout_s: 10,
        ..limits
    };
    if session
        .engine
        .guardrails
        .guardrails_put(short, &people::caller("ada"))
        .await
        .is_ok()
    {
        executed(session).await;
    }
}

#[test]
fn a_machine_that_is_not_cut_off_in_time_gets_its_groups_back_and_is_killed_at_every_step() {
    let recommendation = machine();
    let make = || {
        let life = life_with(&recommendation, |_| {
            quarantine::plan(&recommendation).unwrap()
        });
        life.cloud.fault(0, Fault::LoseRequest);
        life
    };

    let undone = Cell::new(0);
    let moments = killed(make, too_late, |life| {
        let (spec, status) = ended(life);
        let own = spec.security_groups == recommendation.specification.security_groups;
        assert_eq!(
            (own, spec.isolated),
            (status != Status::Succeeded, status == Status::Succeeded),
            "{status}"
        );
        undone.set(undone.get() + u32::from(status == Status::RolledBack));
    });

    assert!(
        moments > 50 && undone.get() > 10,
        "{moments} {}",
        undone.get()
    );
}

/// Tries the finding on a simulated twin.
async fn tried(session: Session) {
    let recommendation = the_finding(&session).await;
    if session
        .engine
        .execution
        .simulate(&recommendation.id, &people::caller("olga"))
        .await
        .is_ok()
    {
        session.engine.execution.settle().await;
    }
}

/// Nothing real was touched, and the finding is open again.
fn untouched(life: &Life) {
    let notes = life.journal.lock();
    let asked = notes
        .iter()
        .any(|note| matches!(note, crate::journal::Note::Asked(..)));
    drop(notes);
    assert!(!asked, "a simulated twin reached the cloud");

    let all = life.store.memory.recommendations.lock();
    assert!(
        all.values()
            .all(|recommendation| recommendation.status == Status::Open)
    );
}

#[test]
fn tests_on_a_simulated_twin_are_killed_at_every_step() {
    for (size, cpu) in [("t3.large", 5.0), ("db.m5.xlarge", 5.0), ("t3.large", 0.1)] {
        assert!(
            killed(|| life_of(size, cpu), tried, untouched) > 40,
            "{size}"
        );
    }

    let recommendation = database();
    assert!(
        killed(
            || life_with(&recommendation, |_| relief::grow(&recommendation, 100, 125)),
            tried,
            untouched
        ) > 30
    );

    let recommendation = machine();
    assert!(
        killed(
            || life_with(&recommendation, |_| quarantine::plan(&recommendation)
                .unwrap()),
            tried,
            untouched
        ) > 25
    );
}

#[test]
fn a_test_on_a_simulated_database_passes() {
    let life = life_of("db.m5.xlarge", 5.0);
    assert!(life.process(false, None, tried));
    let all = life.store.memory.recommendations.lock();
    let why = all.values().next().unwrap().status_reason.clone().unwrap();
    assert!(why.contains("the steps work in a simulation"), "{why}");
}
