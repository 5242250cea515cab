//! Plans of predictive rules are executed where the cloud offers them: more storage, members of a
//! group for the duration of a peak, a failover before maintenance, a read replica. The guardrails
//! and the rule's approval apply, and the plan is rolled back where possible.

mod runs;

use jiff::{SignedDuration, Timestamp};
use reeve_access::Role;
use reeve_audit::Json;
use reeve_engine::Execution;
use reeve_estate::{
    Capacity, Metric, Money, Mutation, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_predict::{CalendarInput, RuleInput};
use reeve_recommend::action::ActionStatus;
use reeve_recommend::agent::Impact;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore as _, Clock as _};
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use super::{Fixture, disk, filling_up, fixture, replica, running_out, text};
use crate::cloud::Fault;
use crate::journal::Note;
use crate::world::{operator, person, resource};

impl Fixture {
    /// An account large enough that what is added to it is little.
    fn account(&self) {
        let mut big = resource("big", ResourceKind::VirtualMachine, Some("m5.24xlarge"));
        big.monthly_cost = Some(Money::from_usd(50_000.0));
        self.world.put(big);
    }

    fn volume(&self, id: &str, machine: &str, gib: f64) -> Resource {
        let mut volume = crate::world::volume_of(id, machine);
        volume.specification.storage_gib = Some(gib);
        volume.specification.storage_type = text("gp3");
        self.world.put(volume.clone());
        volume
    }

    fn group(&self, id: &str, capacity: Capacity) -> Resource {
        let mut group = resource(id, ResourceKind::ScalingGroup, Some("m5.large"));
        group.service = "autoscaling".to_owned();
        group.specification.storage_gib = None;
        group.specification.capacity = Some(capacity);
        self.world.put(group.clone());
        group
    }

    fn now_of(&self, id: &str) -> Resource {
        self.world
            .cloud
            .all()
            .into_iter()
            .find(|one| one.id.as_str() == id)
            .unwrap()
    }

    /// The changes that were asked of the cloud.
    fn asked(&self) -> Vec<Mutation> {
        let notes = self.world.log.journal.lock();
        notes
            .iter()
            .filter_map(|note| {
                if let Note::Asked(_, recommendation) = note {
                    Some(recommendation.clone())
                } else {
                    None
                }
            })
            .collect()
    }

    async fn signed(&self, recommendation: &Recommendation) -> ActionStatus {
        let Execution::PendingApproval(approval) = self
            .world
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await
            .unwrap()
        else {
            panic!("nobody was asked")
        };

        self.world
            .engine
            .recommendations
            .approve(&approval.id, None, &person("max", &[Role::Manager]))
            .await
            .unwrap();

        self.world.engine.execution.settle().await;
        self.world
            .memory
            .action_list(Some(&recommendation.id), None)
            .await
            .unwrap()[0]
            .status
    }
}

fn growing(id: &str) -> RuleInput {
    RuleInput {
        resources: Some(vec![id.to_owned()]),
        ..disk()
    }
}

#[tokio::test]
async fn below_500_gb_storage_grows_by_itself_and_from_there_on_somebody_is_asked() {
    let it = fixture();
    it.agent("active").await;
    it.account();
    it.database("db-small", 100.0);
    it.database("db-large", 800.0);
    for (id, gib) in [("db-small", 100.0), ("db-large", 800.0)] {
        it.world.tag(id, "env", "production");
        it.measure(id, Metric::FreeStorage, 20, running_out(gib, 3.0));
    }

    let rule = it.rule(disk()).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    it.world.engine.execution.settle().await;
    let small = it.world.only("db-small").await;
    assert_eq!(
        (small.status, small.impact_level),
        (Status::Succeeded, Impact::Low),
        "{small:?}"
    );
    assert_eq!(it.now_of("db-small").specification.storage_gib, Some(125.0));
    assert!(
        small
            .reason_codes
            .iter()
            .any(|code| code == "cannot_be_undone")
    );

    assert!(
        small
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("It cannot be undone"))
    );

    let large = it.world.only("db-large").await;
    assert_eq!(large.impact_level, Impact::Medium);
    assert_eq!(
        it.now_of("db-large").specification.storage_gib,
        Some(800.0),
        "nobody has signed"
    );

    assert_eq!(
        it.asked()
            .iter()
            .filter(|recommendation| matches!(recommendation, Mutation::Grow { .. }))
            .count(),
        1
    );

    // What was done cannot be undone, and says so.
    let action = it
        .world
        .memory
        .action_list(Some(&small.id), None)
        .await
        .unwrap()
        .remove(0);

    let refused = it
        .world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await;
    assert!(matches!(refused, Err(EngineError::Conflict(why)) if why.contains("cannot be undone")));

    // It is no downtime and costs none of the error budget.
    assert!(!small.plan.as_ref().unwrap().restart_needed);
    it.world.every_change_was_announced();
}

#[tokio::test]
async fn a_growth_that_does_not_stick_is_left_and_reported() {
    let it = fixture();
    it.agent("active").await;
    it.account();
    it.database("db-1", 100.0);
    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    let rule = it.rule(disk()).await;

    // The snapshot, then the growth: it takes an hour.
    it.world.cloud.fault(1, Fault::AnHour);
    it.service.evaluate(&rule, &operator()).await.unwrap();
    it.world.engine.execution.settle().await;
    let recommendation = it.world.only("db-1").await;
    assert_eq!(recommendation.status, Status::Failed);
    assert!(
        recommendation
            .status_reason
            .as_deref()
            .unwrap()
            .contains("storage cannot shrink"),
        "{recommendation:?}"
    );

    let refused = fixture();
    refused.agent("active").await;
    refused.account();
    refused.database("db-1", 100.0);
    refused.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    refused.world.cloud.fault(1, Fault::Deny);
    let rule = refused.rule(disk()).await;
    refused.service.evaluate(&rule, &operator()).await.unwrap();
    refused.world.engine.execution.settle().await;
    let recommendation = refused.world.only("db-1").await;
    assert_eq!(
        recommendation.status,
        Status::Open,
        "refused at the cloud's door, nothing was changed: {recommendation:?}"
    );
}

#[tokio::test]
async fn the_only_disk_of_a_machine_grows_once_and_waits_for_its_file_system() {
    let it = fixture();
    it.agent("active").await;
    it.account();
    it.world.put(resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    it.volume("vol-1", "i-1", 100.0);
    it.measure("i-1", Metric::DiskUtilization, 20, filling_up(3.0));
    let rule = it.rule(growing("i-1")).await;

    for _ in 0..2 {
        it.measure("i-1", Metric::DiskUtilization, 20, filling_up(3.0));
        it.service.evaluate(&rule, &operator()).await.unwrap();
        it.world.engine.execution.settle().await;
        it.world.clock.advance(SignedDuration::from_hours(30));
    }

    let recommendation = it.world.only("vol-1").await;
    assert_eq!(recommendation.status, Status::Succeeded);
    assert!(
        recommendation
            .impact
            .cost
            .contains("of what the account costs a month"),
        "{}",
        recommendation.impact.cost
    );

    assert!(
        recommendation
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("file system"))
    );

    assert_eq!(
        it.now_of("vol-1").specification.storage_gib,
        Some(125.0),
        "once: its file system has not followed yet"
    );
    // With a second disk nobody knows which one fills.
    it.volume("vol-2", "i-1", 50.0);
    it.measure("i-1", Metric::DiskUtilization, 20, filling_up(3.0));
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let advice = it.world.only("i-1").await;
    assert!(advice.plan.is_none());
    assert!(
        advice
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("which one fills is not measured"))
    );
}

/// A balancer before a group of two, with a peak from nine to twelve every day.
async fn before_a_peak(capacity: Capacity) -> (Fixture, Recommendation) {
    let it = fixture();
    it.agent("active").await;
    it.account();
    let group = it.group("asg-1", capacity);

    for id in ["m-1", "m-2"] {
        let mut member = resource(id, ResourceKind::VirtualMachine, Some("m5.large"));
        member.group = Some(group.id.clone());
        it.world.put(member);
    }

    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.attached_to = ["m-1", "m-2"].map(ResourceId::new).to_vec();
    it.world.put(balancer);
    it.world.clock.advance(SignedDuration::from_mins(528));
    let now = it.world.clock.now();
    let shape = move |at: Timestamp| {
        let minute = at.as_second().rem_euclid(86_400) / 60;
        let noise = (at.as_second() / 300 * 37 % 11) as f64;
        if (540..720).contains(&minute) {
            300.0 + noise
        } else {
            100.0 + noise
        }
    };

    it.measure("lb-1", Metric::RequestRate, 28, |back| {
        shape(now - SignedDuration::from_mins(back))
    });
    let rule = RuleInput {
        name: text("peak"),
        agent_type: text("performance_optimizer"),
        metric: text("request_rate"),
        prediction: text("spike"),
        value: Some(Some(50.0)),
        horizon: text("15m"),
        action: text("pre_scale"),
        approval: text("auto"),
        every: text("5m"),
        ..RuleInput::default()
    };
    let rule = it.rule(rule).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();

    let foreseen = found
        .iter()
        .find(|one| one.resource.as_str() == "lb-1")
        .unwrap();
    let over = foreseen.over_at.unwrap_or_else(|| panic!("{foreseen:?}"));
    let late = over.as_second().rem_euclid(86_400) / 60 - 720;
    assert!(
        (0..=60).contains(&late),
        "the peak ends at noon, and is taken to end {late} minutes later"
    );

    let recommendation = it.world.only("asg-1").await;
    (it, recommendation)
}

#[tokio::test]
async fn a_group_is_scaled_before_a_peak_and_back_after_it() {
    let (it, recommendation) = before_a_peak(Capacity {
        min: 1,
        desired: 2,
        max: 10,
    })
    .await;

    assert_eq!(recommendation.impact_level, Impact::Low);
    it.world.engine.execution.settle().await;
    let done = it.world.again(&recommendation).await;
    assert_eq!(done.status, Status::Succeeded, "{done:?}");
    assert_eq!(
        it.asked(),
        [
            Mutation::Scale { min: 4, desired: 4 },
            Mutation::Scale { min: 1, desired: 2 }
        ],
        "the peak is thrice the usual: twice as many at most, the rest is for its own policies"
    );

    let action = it
        .world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    let held = action
        .steps
        .iter()
        .find(|step| step.kind.as_str() == "hold")
        .unwrap();

    let hours = held
        .finished_at
        .unwrap()
        .duration_since(held.started_at)
        .as_hours();
    assert!((2..=4).contains(&hours), "it was held for {hours} hours");
    assert_eq!(
        it.now_of("asg-1").specification.capacity,
        Some(Capacity {
            min: 1,
            desired: 2,
            max: 10
        })
    );

    // Tomorrow's peak is not kept waiting by today's.
    let limits = it.world.engine.guardrails.guardrails_get().await.unwrap();
    assert!(limits.cool_down_s > 0);
    it.world.every_change_was_announced();
}

#[tokio::test]
async fn a_group_never_leaves_its_bounds_and_keeps_what_its_own_policies_did() {
    let (it, recommendation) = before_a_peak(Capacity {
        min: 2,
        desired: 3,
        max: 4,
    })
    .await;

    it.world.engine.execution.settle().await;
    assert_eq!(
        it.asked()[0],
        Mutation::Scale { min: 4, desired: 4 },
        "its maximum is four"
    );

    assert_eq!(
        it.world.again(&recommendation).await.status,
        Status::Succeeded
    );

    let (full, advice) = before_a_peak(Capacity {
        min: 2,
        desired: 4,
        max: 4,
    })
    .await;

    assert!(advice.plan.is_none() && full.asked().is_empty());
    assert!(
        advice
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("raise the maximum first"))
    );
}

#[tokio::test]
async fn a_group_that_does_not_get_its_members_goes_back() {
    let it = fixture();
    it.agent("active").await;
    let group = it.group(
        "asg-1",
        Capacity {
            min: 1,
            desired: 2,
            max: 10,
        },
    );

    it.account();
    drop(group);

    // Accepted, and an hour later the members are still not there.
    it.world.cloud.fault(0, Fault::Slow);
    let calendar = it.calendar("traffic", "Sale", 10).await;
    let rule = it.rule(at_event("pre_scale", &calendar)).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    it.world.engine.execution.settle().await;
    let recommendation = it.world.only("asg-1").await;
    assert_eq!(
        recommendation.status,
        Status::RolledBack,
        "{recommendation:?}"
    );

    assert_eq!(
        it.now_of("asg-1").specification.capacity,
        Some(Capacity {
            min: 1,
            desired: 2,
            max: 10
        })
    );
}

impl Fixture {
    /// A calendar with one event of two hours that begins in some minutes.
    async fn calendar(&self, kind: &str, title: &str, minutes: i64) -> String {
        let start = self.world.clock.now() + SignedDuration::from_mins(minutes);
        let (from, to) = (start, start + SignedDuration::from_hours(2));
        let (from, to) = (
            from.strftime("%Y%m%dT%H%M%SZ"),
            to.strftime("%Y%m%dT%H%M%SZ"),
        );
        let body = format!(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:m\nSUMMARY:{title}\nDTSTART:{from}\nDTEND:{to}\nEND:VEVENT\nEND:VCALENDAR\n"
        );
        let input = CalendarInput {
            name: text("work"),
            kind: text(kind),
            text: Some(body),
            ..Default::default()
        };

        self.service
            .calendar_put(input, None, &operator())
            .await
            .unwrap()
            .id
            .0
    }

    fn in_two_zones(&self, id: &str) {
        let mut database = self.database(id, 100.0);
        database.specification.multi_az = Some(true);
        database.specification.zone = text("us-east-1a");
        database.specification.standby_zone = text("us-east-1b");
        self.world.put(database);
    }
}

fn at_event(action: &str, calendar: &str) -> RuleInput {
    RuleInput {
        name: text("event"),
        agent_type: text("ops_intelligence"),
        prediction: text("event"),
        horizon: text("30m"),
        action: text(action),
        approval: text(if action == "pre_scale" {
            "auto"
        } else {
            "required"
        }),
        calendars: Some(vec![calendar.to_owned()]),
        ..RuleInput::default()
    }
}

#[tokio::test]
async fn a_standby_takes_over_before_a_maintenance_once_somebody_signed() {
    let it = fixture();
    it.agent("active").await;
    it.in_two_zones("db-1");
    let calendar = it
        .calendar("maintenance", "Switch upgrade in us-east-1a", 20)
        .await;
    let rule = it.rule(at_event("prepare_failover", &calendar)).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    it.world.engine.execution.settle().await;
    let recommendation = it.world.only("db-1").await;
    assert_eq!(
        (recommendation.status, recommendation.impact_level),
        (Status::PendingApproval, Impact::Medium),
        "{recommendation:?}"
    );
    assert!(it.asked().is_empty());
    assert_eq!(it.signed(&recommendation).await, ActionStatus::Succeeded);

    let spec = it.now_of("db-1").specification;
    assert_eq!(
        (spec.zone.as_deref(), spec.standby_zone.as_deref()),
        (Some("us-east-1b"), Some("us-east-1a"))
    );

    // By hand it goes back.
    let action = it
        .world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    it.world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();

    it.world.engine.execution.settle().await;
    assert_eq!(
        it.now_of("db-1").specification.zone.as_deref(),
        Some("us-east-1a")
    );
    assert_eq!(
        it.world.again(&recommendation).await.status,
        Status::RolledBack
    );

    // Where the maintenance is at the standby, the primary stays.
    let other = fixture();
    other.agent("active").await;
    other.in_two_zones("db-1");
    let calendar = other
        .calendar("maintenance", "Switch upgrade in us-east-1b", 20)
        .await;
    let rule = other.rule(at_event("prepare_failover", &calendar)).await;
    other.service.evaluate(&rule, &operator()).await.unwrap();
    assert!(other.world.only("db-1").await.plan.is_none());
}

#[tokio::test]
async fn a_replica_is_made_once_it_is_signed_and_removed_when_undone() {
    let it = fixture();
    it.agent("safe_mode").await;
    it.account();

    // A replica costs what the database does: without a price it would be within no limit of cost.
    let mut database = it.database("db-1", 100.0);
    database.monthly_cost = Some(Money::from_usd(150.0));
    it.world.put(database);
    it.connections_run_out("db-1");
    let rule = it.rule(replica()).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let recommendation = it.world.only("db-1").await;
    let signed = it.signed(&recommendation).await;
    assert_eq!(signed, ActionStatus::Succeeded);
    assert_eq!(it.now_of("db-1").specification.replicas, ["db-1-reeve-1"]);

    let action = it
        .world
        .memory
        .action_list(Some(&recommendation.id), None)
        .await
        .unwrap()
        .remove(0);

    it.world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();

    it.world.engine.execution.settle().await;
    let after = it.now_of("db-1");
    assert_eq!(
        (after.state, after.specification.replicas.len()),
        (ResourceState::Running, 0)
    );

    for (operation, event_type) in [
        ("replicate", "resource.create"),
        ("rollback.replicate", "resource.delete"),
    ] {
        let entries = it.world.entries();
        let step = entries
            .iter()
            .find(|entry| entry.action.operation.as_deref() == Some(operation))
            .unwrap();
        assert_eq!(
            (step.event_type.as_str(), step.resource.id.as_deref()),
            (event_type, Some("db-1-reeve-1"))
        );
        assert_eq!(
            step.metadata.extra.get("source_resource_id"),
            Some(&Json::from("db-1"))
        );
    }

    let none = Mutation::RemoveReplica {
        name: "db-1-reeve-1".to_owned(),
    };
    assert_eq!(it.asked().last(), Some(&none));
}

impl Fixture {
    /// Carries out the recommendation on a resource, with a signature where one is asked for.
    async fn carried_out(&self, id: &str) -> ActionStatus {
        self.world.engine.execution.settle().await;
        let recommendation = self.world.only(id).await;
        let actions = self
            .world
            .memory
            .action_list(Some(&recommendation.id), None)
            .await
            .unwrap();
        match actions.first() {
            Some(action) => action.status,
            None => self.signed(&recommendation).await,
        }
    }
}

/// Calls that rise by 1.5 a second each minute, and pass a limit of 1,000 in eight minutes.
fn rising_calls(back: i64) -> f64 {
    let base = 100.0 + f64::from((back / 5 % 5) as u8);
    if back < 600 {
        base + (600 - back) as f64 * 1.48
    } else {
        base
    }
}

#[tokio::test]
async fn the_quota_that_a_rule_names_is_requested_before_it_is_exhausted() {
    let it = fixture();
    it.agent("active").await;
    it.account();
    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.service = "elb".to_owned();
    it.world.put(balancer);
    it.world.tag("lb-1", "reeve:rate-limit", "1000");
    it.measure("lb-1", Metric::RequestRate, 3, rising_calls);

    let calls = |target: Option<&str>| RuleInput {
        name: text("calls"),
        agent_type: text("ops_intelligence"),
        metric: text("api_rate_limit"),
        prediction: text("exhaustion"),
        horizon: text("15m"),
        action: text("request_limit_increase"),
        target: Some(target.map(str::to_owned)),
        approval: text("auto"),
        ..RuleInput::default()
    };
    for wrong in ["L-1216C47A", "ec2/", "ec2/L 1"] {
        let error = it.service.create(calls(Some(wrong)), &operator()).await;
        let Err(EngineError::Invalid(errors)) = error else {
            panic!("{wrong} is taken")
        };
        assert_eq!(errors[0].path, "action.target");
    }

    let rule = it.rule(calls(None)).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let advice = it.world.only("lb-1").await;
    assert!(advice.plan.is_none(), "no quota is named yet");

    let named = RuleInput {
        target: Some(text("ec2/L-1216C47A")),
        ..RuleInput::default()
    };
    it.service
        .change(&rule, Some(1), named, &operator())
        .await
        .unwrap();
    it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(it.carried_out("lb-1").await, ActionStatus::Succeeded);
    assert_eq!(*it.world.cloud.requests.lock(), ["L-1216C47A to 1250"]);
}

#[tokio::test]
async fn the_document_that_a_rule_names_warms_the_cache_before_a_peak() {
    let it = fixture();
    it.agent("active").await;
    it.account();
    it.world.clock.advance(SignedDuration::from_mins(514));
    let now = it.world.clock.now();
    it.world.put(resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    ));
    it.measure("i-1", Metric::CpuUtilization, 28, |back| {
        super::plateau(now - SignedDuration::from_mins(back)) / 10.0
    });

    let rule = RuleInput {
        name: text("warm"),
        agent_type: text("performance_optimizer"),
        metric: text("cpu_utilization"),
        prediction: text("spike"),
        value: Some(Some(50.0)),
        horizon: text("30m"),
        action: text("warm_cache"),
        target: Some(text("reeve-warm-cache")),
        approval: text("auto"),
        ..RuleInput::default()
    };
    let rule = it.rule(rule).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();

    assert_eq!(it.carried_out("i-1").await, ActionStatus::Succeeded);
    assert_eq!(
        *it.world.cloud.requests.lock(),
        ["reeve-warm-cache on i-1"],
        "run once, and asked until it ended"
    );
}
