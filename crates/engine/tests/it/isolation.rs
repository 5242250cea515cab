//! Machines that security anomalies are of: cut off at once where that is permitted, else
//! recommended; and let back.

use std::net::Ipv4Addr;

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_anomalies::threat::{ThreatList, Threats, together};
use reeve_anomalies::{
    Anomaly, AnomalyClass, AnomalyFilter, AnomalyService, AnomalyStore, Finding, Place, Reaction,
    Reading, Stage,
};
use reeve_audit::{ActionMethod, ActionStatus, Actor, ActorType, Entry, EventType, Json};
use reeve_engine::{AgentInput, ExclusionInput, Execution};
use reeve_estate::{QUARANTINE, ResourceId, Specification};
use reeve_recommend::action::ActionStatus as Ended;
use reeve_recommend::agent::{Agent, AgentType};
use reeve_recommend::approval::{Approval, ApprovalStatus};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore as _, Clock};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Priority, Recommendation, RecommendationType};

use crate::anomalies::{Kept, anomalies};
use crate::world::{World, operator, person};

const MACHINE: &str = "i-0abc1234def567890";

fn threat(world: &World, severity: Priority) -> Finding {
    let now = world.clock.now();
    let reading = Reading {
        metric: None,
        at: now,
        value: 1.0,
        expected: 0.0,
        low: 0.0,
        high: 0.0,
        score: 1.0,
        indication: reeve_anomalies::Indication::ThreatList,
    };

    Finding {
        class: AnomalyClass::Security,
        severity,
        title: "web-role did StopLogging from address 203.0.113.7".to_owned(),
        place: Place {
            id: MACHINE.to_owned(),
            name: MACHINE.to_owned(),
            kind: "virtual_machine".to_owned(),
            ..Place::default()
        },
        readings: vec![reading],
        evidence: vec!["StopLogging blinds the log".to_owned()],
        contributions: Vec::new(),
        activity: None,
        started_at: now,
        last_at: now,
    }
}

/// A world with a machine and an agent that may do so much by itself.
async fn world(
    mode: &str,
    auto: bool,
    max_impact: &str,
) -> (World, AnomalyService, std::sync::Arc<Kept>, Agent) {
    world_of("security_intelligence", mode, auto, max_impact).await
}

async fn world_of(
    agent_type: &str,
    mode: &str,
    auto: bool,
    max_impact: &str,
) -> (World, AnomalyService, std::sync::Arc<Kept>, Agent) {
    let world = World::new();
    world.machine(MACHINE, "m5.large", 30.0);
    let text = |text: &str| Some(text.to_owned());
    let input = AgentInput {
        agent_type: text(agent_type),
        name: text("watch"),
        mode: text(mode),
        auto_apply_enabled: Some(auto),
        auto_apply_max_impact: text(max_impact),
        reason: text("a test"),
        ..AgentInput::default()
    };

    let agent = world
        .engine
        .agents
        .agent_create(input, &person("admin", &[Role::Administrator]))
        .await
        .unwrap();

    let (anomalies, kept) = anomalies(&world);
    (world, anomalies, kept, agent)
}

fn spec(world: &World) -> Specification {
    world
        .cloud
        .all()
        .into_iter()
        .find(|one| one.id.as_str() == MACHINE)
        .unwrap()
        .specification
}

fn executed(anomaly: &Anomaly) -> &str {
    anomaly
        .responses
        .iter()
        .find(|one| one.stage == Stage::Execute)
        .map_or("", |one| one.detail.as_str())
}

async fn report_threat(world: &World, anomalies: &AnomalyService, severity: Priority) -> Anomaly {
    let recommendation = anomalies
        .report(threat(world, severity), &Caller::system())
        .await
        .unwrap()
        .unwrap();
    world.engine.execution.settle().await;
    recommendation
}

#[tokio::test]
async fn a_critical_threat_is_cut_off_at_once_and_a_person_lets_it_back() {
    let (world, anomalies, kept, _) = world("active", true, "high").await;
    let recommendation = report_threat(&world, &anomalies, Priority::Critical).await;
    let order: Vec<Stage> = recommendation
        .responses
        .iter()
        .map(|one| one.stage)
        .collect();

    assert_eq!(
        order,
        [
            Stage::Alert,
            Stage::Investigate,
            Stage::Recommend,
            Stage::Execute
        ]
    );

    assert!(
        executed(&recommendation).ends_with("has begun")
            && recommendation.advice.contains("which can be undone"),
        "{recommendation:?}"
    );
    assert!(spec(&world).isolated && spec(&world).security_groups == [QUARANTINE]);

    let recommended = world.only(MACHINE).await;
    assert_eq!(
        (recommended.kind, recommended.status),
        (RecommendationType::SecurityGroup, Status::Succeeded)
    );

    let action = world
        .memory
        .action_list(Some(&recommended.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        (action.status, action.watch.is_none()),
        (Ended::Succeeded, true),
        "no measurement lets it back"
    );

    assert!(
        action.run_id.is_some(),
        "it counts in the agent's share of a day"
    );

    let begun = world
        .entries()
        .into_iter()
        .find(|one| one.action.operation.as_deref() == Some("action.start"))
        .unwrap();

    let comment = begun
        .metadata
        .extra
        .get("comment")
        .and_then(Json::as_str)
        .unwrap()
        .to_owned();

    assert!(
        comment.contains("auto_quarantine") && comment.contains(&recommendation.id.0),
        "{comment}"
    );
    assert!(
        world.memory.resources.lock()[&ResourceId::new(MACHINE)]
            .specification
            .isolated,
        "the inventory knows"
    );

    world.every_change_was_announced();

    // Trouble of its metrics afterwards is Reeve's own doing, and nothing undoes it but a person.
    kept.settings.lock().performance.action = Reaction::AutoRemediate;
    world.clock.advance(SignedDuration::from_mins(20));
    let slow = Finding {
        class: AnomalyClass::Performance,
        ..threat(&world, Priority::High)
    };
    let slow = anomalies
        .report(slow, &Caller::system())
        .await
        .unwrap()
        .unwrap();

    assert!(
        executed(&slow).contains("a person alone lets it back"),
        "{}",
        executed(&slow)
    );

    // Whoever looked into it stopped it meanwhile.
    world.cloud.change(MACHINE, |machine| {
        machine.state = reeve_estate::ResourceState::Stopped
    });
    world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();

    let back = world.ended(&action).await;
    assert_eq!(back.status, Ended::RolledBack, "{:?}", back.reason);
    assert_eq!(
        (spec(&world).security_groups, spec(&world).isolated),
        (vec!["sg-1".to_owned(), "sg-2".to_owned()], false)
    );
    assert_eq!(
        world.cloud.state(MACHINE).0,
        reeve_estate::ResourceState::Stopped,
        "it is not started"
    );
    world.every_change_was_announced();

    // The next threat to it is told and recommended anew, whatever became of the last.
    world.clock.advance(SignedDuration::from_hours(48));
    assert!(
        executed(&report_threat(&world, &anomalies, Priority::Critical).await)
            .ends_with("has begun")
    );
    assert!(spec(&world).isolated);
}

#[tokio::test]
async fn whatever_is_missing_leaves_it_to_a_person() {
    for (mode, auto, max_impact, severity, expected) in [
        (
            "active",
            true,
            "high",
            Priority::High,
            "only critical threats are quarantined without approval",
        ),
        (
            "active",
            true,
            "medium",
            Priority::Critical,
            "nothing was done yet: approval",
        ),
        (
            "active",
            false,
            "high",
            Priority::Critical,
            "auto apply disabled",
        ),
        (
            "safe_mode",
            true,
            "high",
            Priority::Critical,
            "agent not active",
        ),
        (
            "learning",
            true,
            "high",
            Priority::Critical,
            "agent not active",
        ),
    ] {
        let (world, anomalies, _, _) = world(mode, auto, max_impact).await;
        let recommendation = report_threat(&world, &anomalies, severity).await;
        assert!(
            executed(&recommendation).contains(expected),
            "{mode} {max_impact}: {}",
            executed(&recommendation)
        );
        assert_eq!(world.cloud.calls(), 0, "{mode} {max_impact}");
        let recommended = world.only(MACHINE).await;
        let waits = if max_impact == "medium" {
            Status::PendingApproval
        } else {
            Status::Open
        };
        assert_eq!(
            (recommended.status, recommended.priority),
            (waits, severity)
        );
        assert!(
            report_again(&world, &anomalies, severity).await.is_none()
                && world.on(MACHINE).await.len() == 1
        );
    }
}

async fn report_again(
    world: &World,
    anomalies: &AnomalyService,
    severity: Priority,
) -> Option<Anomaly> {
    world.clock.advance(SignedDuration::from_mins(1));
    anomalies
        .report(threat(world, severity), &Caller::system())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_permission_for_savings_cuts_no_machine_off_and_people_carry_the_advice_out() {
    let (world, anomalies, _, saver) = world_of("cost_optimizer", "active", true, "high").await;
    let recommendation = report_threat(&world, &anomalies, Priority::Critical).await;
    assert!(
        executed(&recommendation).contains("no security_intelligence agent covers it"),
        "{}",
        executed(&recommendation)
    );
    assert_eq!((world.cloud.calls(), spec(&world).isolated), (0, false));

    let advice = world.only(MACHINE).await;
    assert_eq!((&advice.agent_id, advice.status), (&None, Status::Open));
    assert_eq!(advice.origin.agent_type, AgentType::SECURITY_INTELLIGENCE);
    assert_eq!(
        (advice.origin.rule.as_str(), &advice.origin.cause),
        (
            "auto_quarantine",
            &OriginCause::Anomaly(recommendation.id.clone())
        )
    );

    // Neither a run of the agent for savings applies or expires it ...
    world.run(&saver).await;
    let left = world.again(&advice).await;
    assert_eq!(
        (left.status, &left.agent_id, spec(&world).isolated),
        (Status::Open, &None, false)
    );

    // ... and the signatures of its impact are still what carries it out.
    let asked = world
        .engine
        .execution
        .execute(&advice.id, None, None, &operator())
        .await
        .unwrap();

    let Execution::PendingApproval(asked) = asked else {
        panic!("high impact needs signatures")
    };

    for (who, role) in [("dora", Role::Director), ("sam", Role::SecurityAnalyst)] {
        world
            .engine
            .recommendations
            .approve(&asked.id, None, &person(who, &[role]))
            .await
            .unwrap();
    }

    world.engine.execution.settle().await;
    assert!(spec(&world).isolated);

    let action = world
        .memory
        .action_list(Some(&advice.id), None)
        .await
        .unwrap()
        .remove(0);

    assert_eq!(
        (action.agent_id, action.by.as_str()),
        (None, "olga@example.com")
    );
    world.every_change_was_announced();
}

#[tokio::test]
async fn guardrails_hold_for_it_too() {
    let switch = async |world: &World, set: fn(&mut reeve_recommend::guardrail::Guardrails)| {
        let mut limits = world.memory.guardrails_get().await.unwrap();
        set(&mut limits);
        limits.version += 1;
        world.memory.guardrails_put(&limits).await.unwrap();
    };

    for (set, expected) in [
        (
            (|limits| limits.kill_switch = true) as fn(&mut reeve_recommend::guardrail::Guardrails),
            "kill switch",
        ),
        (
            |limits| limits.max_actions_per_day = 0,
            "actions begun in 24 hours",
        ),
        (
            |limits| limits.max_share_per_day_percent = 0.0,
            "resources changed by the agent",
        ),
    ] {
        let (world, anomalies, _, _) = world("active", true, "high").await;
        switch(&world, set).await;
        let recommendation = report_threat(&world, &anomalies, Priority::Critical).await;
        assert!(
            executed(&recommendation).contains(expected),
            "{expected}: {}",
            executed(&recommendation)
        );
        assert_eq!(
            (world.cloud.calls(), world.only(MACHINE).await.status),
            (0, Status::Open)
        );
    }

    let (world, anomalies, _, _) = world("active", true, "high").await;
    let (resource, reason) = (Some(MACHINE.to_owned()), "a honeypot".to_owned());
    let exclusion = ExclusionInput {
        aspect: None,
        resource,
        account: None,
        kind: None,
        reason,
        until: None,
    };

    world
        .engine
        .recommendations
        .exclude(exclusion, &operator())
        .await
        .unwrap();

    let recommendation = report_threat(&world, &anomalies, Priority::Critical).await;
    assert!(
        executed(&recommendation).contains("excluded") && world.on(MACHINE).await.is_empty(),
        "{}",
        executed(&recommendation)
    );
}

#[tokio::test]
async fn a_person_approves_it_and_changed_groups_stop_it() {
    let (world, anomalies, _, _) = world("safe_mode", false, "low").await;
    report_threat(&world, &anomalies, Priority::High).await;
    let recommendation = world.only(MACHINE).await;
    let signed = async |recommendation: &Recommendation| {
        let Execution::PendingApproval(asked) = world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await
            .unwrap()
        else {
            panic!("high impact needs signatures")
        };
        for (who, role) in [("dora", Role::Director), ("sam", Role::SecurityAnalyst)] {
            world
                .engine
                .recommendations
                .approve(&asked.id, None, &person(who, &[role]))
                .await
                .unwrap();
        }
        world.engine.execution.settle().await;
        assert_eq!(
            world.memory.approval_get(&asked.id).await.unwrap().status,
            ApprovalStatus::Approved
        );
    };

    world.cloud.change(MACHINE, |machine| {
        machine.specification.security_groups = vec!["sg-3".to_owned()]
    });
    signed(&recommendation).await;
    let left = world.again(&recommendation).await;
    assert!(
        left.status_reason
            .unwrap()
            .contains("security_groups is sg-3, not sg-1,sg-2")
    );
    assert_eq!((left.status, world.cloud.calls()), (Status::Open, 0));

    world.cloud.change(MACHINE, |machine| {
        machine.specification.security_groups = vec!["sg-1".to_owned(), "sg-2".to_owned()]
    });
    match world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap()
    {
        Execution::Started(action) => {
            assert_eq!(world.ended(&action).await.status, Ended::Succeeded)
        }
        Execution::PendingApproval(_) => signed(&recommendation).await,
    }

    assert!(spec(&world).isolated);
}

#[tokio::test]
async fn what_grows_critical_is_answered_again_and_what_was_false_is_withdrawn() {
    let (world, anomalies, kept, _) = world("active", true, "high").await;
    let first = report_threat(&world, &anomalies, Priority::High).await;
    assert!(!spec(&world).isolated);
    assert!(
        report_again(&world, &anomalies, Priority::High)
            .await
            .is_none()
            && !spec(&world).isolated,
        "no graver"
    );

    assert!(
        report_again(&world, &anomalies, Priority::Critical)
            .await
            .is_none()
    );
    world.engine.execution.settle().await;
    assert!(spec(&world).isolated);

    let now = kept.anomaly_get(&first.id).await.unwrap();
    assert_eq!(now.severity, Priority::Critical);

    let stages: Vec<Stage> = now.responses.iter().skip(4).map(|one| one.stage).collect();
    assert_eq!(
        stages,
        [
            Stage::Alert,
            Stage::Investigate,
            Stage::Recommend,
            Stage::Execute
        ]
    );

    assert_eq!(
        kept.anomaly_list(&AnomalyFilter::default())
            .await
            .unwrap()
            .1,
        1
    );

    let (world, anomalies, _, _) = self::world("safe_mode", false, "low").await;
    let recommendation = report_threat(&world, &anomalies, Priority::High).await;
    anomalies
        .feedback(
            &recommendation.id,
            "false",
            Some("our own test"),
            &operator(),
        )
        .await
        .unwrap();

    let ended = world.only(MACHINE).await;
    assert_eq!(ended.status, Status::Expired);
    assert!(matches!(
        world
            .engine
            .execution
            .execute(&ended.id, None, None, &operator())
            .await,
        Err(EngineError::WrongState { .. })
    ));
}

/// A grave threat whose isolation an operator requested and a director signed.
async fn asked_for(mode: &str, max_impact: &str) -> (World, AnomalyService, Anomaly, Approval) {
    let (world, anomalies, _, _) = world(mode, true, max_impact).await;
    let recommendation = report_threat(&world, &anomalies, Priority::High).await;
    let waits = world.only(MACHINE).await;
    let asked = world
        .engine
        .execution
        .execute(&waits.id, None, None, &operator())
        .await
        .unwrap();

    let Execution::PendingApproval(asked) = asked else {
        panic!("high impact needs signatures")
    };

    let signed = world
        .engine
        .recommendations
        .approve(&asked.id, None, &person("dora", &[Role::Director]))
        .await
        .unwrap();

    assert_eq!(
        (signed.status, signed.signed.len(), spec(&world).isolated),
        (ApprovalStatus::Pending, 1, false)
    );
    (world, anomalies, recommendation, signed)
}

async fn report_critical(
    world: &World,
    anomalies: &AnomalyService,
    kept: &Anomaly,
) -> Recommendation {
    assert!(
        report_again(world, anomalies, Priority::Critical)
            .await
            .is_none(),
        "{kept:?}"
    );

    world.engine.execution.settle().await;
    let recommendation = world.only(MACHINE).await;
    assert_eq!(
        recommendation.priority,
        Priority::Critical,
        "whoever is asked is told how grave it is"
    );

    recommendation
}

#[tokio::test]
async fn a_request_for_signatures_is_overtaken_by_a_critical_threat_that_may_be_answered_at_once() {
    let (world, anomalies, recommendation, asked) = asked_for("active", "high").await;
    let done = report_critical(&world, &anomalies, &recommendation).await;
    assert!(
        spec(&world).isolated && done.status == Status::Succeeded,
        "{:?}",
        done.status
    );

    let closed = world.memory.approval_get(&asked.id).await.unwrap();
    assert_eq!(closed.status, ApprovalStatus::Expired);
    assert!(closed.reason.unwrap().contains("permitted in advance"));
    world.every_change_was_announced();

    // Where it may not be, the request stays, and so it does where a guardrail holds.
    let (world, anomalies, recommendation, asked) = asked_for("active", "medium").await;
    let waits = report_critical(&world, &anomalies, &recommendation).await;
    assert_eq!(
        (waits.status, spec(&world).isolated),
        (Status::PendingApproval, false)
    );
    assert_eq!(world.memory.approval_get(&asked.id).await.unwrap(), asked);
    world
        .engine
        .recommendations
        .approve(&asked.id, None, &person("sam", &[Role::SecurityAnalyst]))
        .await
        .unwrap();

    world.engine.execution.settle().await;
    assert!(
        spec(&world).isolated,
        "the signature that was given still counts"
    );

    let (world, anomalies, recommendation, asked) = asked_for("active", "high").await;
    let mut limits = world.memory.guardrails_get().await.unwrap();
    limits.max_actions_per_day = 0;
    limits.version += 1;
    world.memory.guardrails_put(&limits).await.unwrap();
    let waits = report_critical(&world, &anomalies, &recommendation).await;
    assert_eq!(
        (waits.status, world.cloud.calls()),
        (Status::PendingApproval, 0)
    );
    assert!(waits.blocked.unwrap().contains("actions begun in 24 hours"));
    assert_eq!(world.memory.approval_get(&asked.id).await.unwrap(), asked);
}

#[tokio::test]
async fn a_graver_threat_wakes_what_was_set_aside_and_replaces_a_plan_that_no_longer_fits() {
    let (world, anomalies, _, _) = world("active", true, "high").await;
    let recommendation = report_threat(&world, &anomalies, Priority::High).await;
    let until = world.clock.now() + SignedDuration::from_hours(48);
    world
        .engine
        .recommendations
        .snooze(&world.only(MACHINE).await.id, until, None, &operator())
        .await
        .unwrap();

    assert!(
        report_again(&world, &anomalies, Priority::High)
            .await
            .is_none()
    );

    assert_eq!(
        world.only(MACHINE).await.status,
        Status::Snoozed,
        "no graver"
    );

    assert_eq!(
        report_critical(&world, &anomalies, &recommendation)
            .await
            .status,
        Status::Succeeded
    );

    let (world, anomalies, recommendation, asked) = asked_for("active", "medium").await;
    let change = |machine: &mut reeve_estate::Resource| {
        machine.specification.security_groups = vec!["sg-3".to_owned()]
    };
    world.cloud.change(MACHINE, change);

    change(
        world
            .memory
            .resources
            .lock()
            .get_mut(&ResourceId::new(MACHINE))
            .unwrap(),
    );

    let anew = report_critical(&world, &anomalies, &recommendation).await;
    assert_eq!(
        world.memory.approval_get(&asked.id).await.unwrap().status,
        ApprovalStatus::Expired
    );

    let waiting = world.memory.approval_list(Some(&anew.id)).await.unwrap();
    let pending: Vec<_> = waiting
        .iter()
        .filter(|one| one.status == ApprovalStatus::Pending)
        .collect();
    assert_eq!((anew.status, pending.len()), (Status::PendingApproval, 1));
    assert_eq!(
        pending[0].plan_hash,
        anew.plan.unwrap().hash,
        "for the plan that fits"
    );
}

/// A call with the credentials of a role's session; the cloud says whether it gave them to a
/// machine.
fn call(session: &str, delivered: bool, operation: &str) -> Entry {
    let context = if delivered {
        Json::object([("ec2RoleDelivery", Json::from("2.0"))])
    } else {
        Json::object::<&str, Json>([])
    };

    let identity = Json::object([
        ("type", Json::from("AssumedRole")),
        ("sessionContext", context),
    ]);
    let mut actor =
        Actor::user(format!("web/{session}")).with_ip_address(Ipv4Addr::new(203, 0, 113, 7).into());
    actor.kind = Some(ActorType::Role);

    Entry::new(EventType::from_static("api.call"))
        .by(actor)
        .with_action(operation, ActionStatus::Success, ActionMethod::Api)
        .with_metadata("cloudtrail", Json::object([("userIdentity", identity)]))
}

#[test]
fn a_machine_is_known_by_what_the_cloud_says_and_two_signs_are_critical() {
    let at = jiff::Timestamp::from_second(1_794_787_200).unwrap();
    let list = ThreatList {
        name: "mine".to_owned(),
        from_file: false,
        updated_at: at,
        by: "olga@example.com".to_owned(),
        text: "203.0.113.0/24".to_owned(),
        indicators: 1,
    };
    let threats = Threats::new(&[list]);
    let listed = |entry: &Entry| threats.observe(entry, at).unwrap();
    let own = listed(&call(MACHINE, true, "StopLogging"));

    assert_eq!(
        (own.place.id.as_str(), own.place.kind.as_str()),
        (MACHINE, "virtual_machine")
    );
    // Whoever takes on a role chooses the session's name.
    assert_eq!(
        listed(&call(MACHINE, false, "StopLogging")).place.kind,
        "address"
    );
    assert_eq!(
        listed(&call("alice", true, "StopLogging")).place.kind,
        "address"
    );

    let mut watch = reeve_anomalies::watch::BehaviorWatch::default();
    let settings = reeve_anomalies::AnomalySettings::default();
    for _ in 0..300 {
        watch.observe(&call(MACHINE, true, "DescribeInstances"), at, &settings);
    }

    let entry = call(MACHINE, true, "StopLogging");
    let strange = watch
        .observe(&entry, at, &settings)
        .expect("stopping the log is strange");
    assert_eq!(strange.place.id, MACHINE);
    assert_eq!(
        together(None, Some(listed(&entry)))[0].severity,
        Priority::High
    );

    let both = together(Some(strange), Some(listed(&entry)));
    assert_eq!((both.len(), both[0].severity), (1, Priority::Critical));
    assert!(both[0].evidence.len() > 1, "{:?}", both[0].evidence);
}
