//! Runs of `performance_optimizer`: members before a rise that its own prediction expects, and back;
//! and findings of predictive rules that its runs leave alone.

use reeve_engine::AgentInput;
use reeve_estate::PriceCatalogue;

use super::*;

/// A group of two that serves ten requests a second each, before a rise to eighty at nine.
fn before_nine() -> Fixture {
    let it = fixture();
    let capacity = Capacity {
        min: 1,
        desired: 2,
        max: 20,
    };
    let mut group = it.group("asg-1", capacity);
    group.state = ResourceState::Available;
    it.world.put(group.clone());
    for id in ["m-1", "m-2"] {
        let mut member = resource(id, ResourceKind::VirtualMachine, Some("m5.large"));
        member.group = Some(group.id.clone());
        member.monthly_cost = PriceCatalogue::builtin()
            .monthly_cost(&member)
            .map(|it| it.cost);
        it.world.put(member);
    }
    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.attached_to = ["m-1", "m-2"].map(ResourceId::new).to_vec();
    it.world.put(balancer);

    // A quarter of an hour before nine.
    it.world.clock.advance(SignedDuration::from_mins(525));
    let now = it.world.clock.now();
    it.measure("lb-1", Metric::RequestRate, 21, |back| {
        let at = now - SignedDuration::from_mins(back);
        let minute = at.as_second().rem_euclid(86_400) / 60;
        if (540..1080).contains(&minute) {
            80.0
        } else {
            10.0
        }
    });
    it
}

fn settings(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, Option<String>> {
    let pairs = pairs.iter();
    pairs
        .map(|(path, value)| ((*path).to_owned(), text(value)))
        .collect()
}

#[tokio::test]
async fn a_group_gets_members_before_a_rise_of_its_own_past_and_gives_them_back() {
    let it = before_nine();
    let agent = it.agent_of("performance_optimizer", "active").await;
    let set = |forecast_only: &str| AgentInput {
        settings: settings(&[
            ("scale_before_traffic_spike.requests_per_member", "10"),
            ("scale_before_traffic_spike.forecast_only", forecast_only),
        ]),
        ..AgentInput::default()
    };
    let agents = &it.world.engine.agents;
    agents
        .agent_configure(&agent.id, set("true"), &operator())
        .await
        .unwrap();

    it.world.run(&agent).await;
    let forecast = it.world.only("asg-1").await;
    assert_eq!(
        (forecast.plan.is_none(), forecast.status),
        (true, Status::Open)
    );
    assert!(
        forecast.reason_codes.contains(&"forecast_only".to_owned()),
        "{:?}",
        forecast.reason_codes
    );
    assert!(it.asked().is_empty(), "a forecast changes nothing");

    agents
        .agent_configure(&agent.id, set("false"), &operator())
        .await
        .unwrap();
    it.world.run(&agent).await;
    it.world.engine.execution.settle().await;
    let asked = it.asked();
    let [Mutation::Scale { min, desired }, back] = asked.as_slice() else {
        panic!("{asked:?} {:?}", it.world.on("asg-1").await)
    };
    assert!(min == desired && (8..=20).contains(min), "{asked:?}");
    assert_eq!(*back, Mutation::Scale { min: 1, desired: 2 });
    it.world.every_change_was_announced();
}

#[tokio::test]
async fn a_run_leaves_findings_of_rules_about_other_kinds_alone() {
    let it = fixture();
    let agent = it.agent_of("performance_optimizer", "safe_mode").await;
    it.world.machine("i-1", "c5.large", 5.0);
    it.measure("i-1", Metric::CpuUtilization, 35, |_| 95.0);
    let rule = RuleInput {
        name: text("busy"),
        agent_type: text("performance_optimizer"),
        metric: text("cpu_utilization"),
        prediction: text("above"),
        value: Some(Some(90.0)),
        horizon: text("0m"),
        action: text("scale_up"),
        approval: text("required"),
        ..RuleInput::default()
    };
    let rule = it.rule(rule).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let found = it.world.only("i-1").await;
    assert_eq!(found.agent_id.as_ref(), Some(&agent.id));

    it.world.run(&agent).await;
    assert_eq!(it.world.again(&found).await.status, found.status);
}

/// A group of four idle members of which two are enough, and the finding that ends two.
async fn two_too_many() -> (Fixture, Recommendation) {
    let it = fixture();
    let capacity = Capacity {
        min: 1,
        desired: 4,
        max: 8,
    };
    let mut group = it.group("asg-1", capacity);
    group.state = ResourceState::Available;
    it.world.put(group.clone());
    let members = ["m-1", "m-2", "m-3", "m-4"];
    for id in members {
        let mut member = resource(id, ResourceKind::VirtualMachine, Some("m5.large"));
        member.group = Some(group.id.clone());
        member.monthly_cost = PriceCatalogue::builtin()
            .monthly_cost(&member)
            .map(|it| it.cost);
        it.world.put(member);
        it.measure(id, Metric::ActiveSessions, 1, |_| 0.0);
    }
    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.attached_to = members.map(ResourceId::new).to_vec();
    it.world.put(balancer);
    it.measure("lb-1", Metric::RequestRate, 21, |_| 9.0);

    let agent = it.agent_of("performance_optimizer", "safe_mode").await;
    let input = AgentInput {
        settings: settings(&[("scale_before_traffic_spike.requests_per_member", "10")]),
        auto_apply_enabled: Some(false),
        ..AgentInput::default()
    };
    let agents = &it.world.engine.agents;
    agents
        .agent_configure(&agent.id, input, &operator())
        .await
        .unwrap();
    it.world.run(&agent).await;
    let found = it.world.only("asg-1").await;
    (it, found)
}

/// Executes a finding, signed where it needs that; how its action ended, and the members that were
/// ended.
async fn carried_out(it: &Fixture, found: &Recommendation) -> (ActionStatus, Vec<String>, u32) {
    let execution = &it.world.engine.execution;
    let begun = execution.execute(&found.id, None, None, &operator()).await;
    if let Execution::PendingApproval(approval) = begun.unwrap() {
        let manager = person("max", &[Role::Manager]);
        let inbox = &it.world.engine.recommendations;
        inbox.approve(&approval.id, None, &manager).await.unwrap();
    }
    it.world.engine.execution.settle().await;
    let actions = it.world.memory.action_list(Some(&found.id), None);
    let status = actions.await.unwrap()[0].status;
    let capacity = it.now_of("asg-1").specification.capacity.unwrap();
    let ended = it.world.cloud.requests.lock().clone();
    (status, ended, capacity.desired)
}

#[tokio::test]
async fn idle_members_end_one_by_one() {
    let (it, found) = two_too_many().await;
    assert_eq!(
        found.plan.as_ref().unwrap().change_name(),
        Some("end_members")
    );
    let (status, ended, left) = carried_out(&it, &found).await;
    assert_eq!((status, left), (ActionStatus::Succeeded, 2));
    assert_eq!(ended, ["end m-1", "end m-2"]);
}

#[tokio::test]
async fn a_session_that_begins_after_the_approval_ends_nothing() {
    let (it, found) = two_too_many().await;
    it.measure("m-1", Metric::ActiveSessions, 1, |back| {
        if back <= 10 { 1.0 } else { 0.0 }
    });
    let (status, ended, left) = carried_out(&it, &found).await;
    assert_ne!(status, ActionStatus::Succeeded);
    assert_eq!((ended, left), (Vec::new(), 4));
}

#[tokio::test]
async fn members_whose_source_fell_silent_stay_and_ended_ones_are_replaced() {
    let (it, found) = two_too_many().await;
    {
        let mut series = it.world.memory.series.lock();
        series.retain(|series| series.resource.as_str() != "m-2");
    }
    let (status, ended, left) = carried_out(&it, &found).await;
    assert_ne!(status, ActionStatus::Succeeded);
    assert_eq!(ended, ["end m-1"], "the second is not known to be idle");
    assert_eq!(left, 4, "a new member takes the place of the first");
}
