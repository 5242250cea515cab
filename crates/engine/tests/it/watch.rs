//! After a change: its metrics are compared with those before, what got worse is undone, what
//! somebody else changed is left to them.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, Money, ResourceId, ResourceKind, ResourceState, SampleSeries};
use reeve_recommend::action::{Action, ActionStatus, WatchVerdict};
use reeve_recommend::change::ChangeGroupSize;
use reeve_recommend::plan::Plan;
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, SavingsBasis};

use crate::world::{World, operator, resource};

/// An executed right-sizing, and its action.
async fn changed(world: &World) -> (Recommendation, Action) {
    let recommendation = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&recommendation).await;
    assert_eq!(action.status, ActionStatus::Succeeded);
    assert_eq!(
        action.watch.as_ref().unwrap().verdict,
        WatchVerdict::Watching
    );
    (recommendation, action)
}

/// Time passes and the machine is as busy as said, a sample every five minutes.
fn passes(world: &World, hours: i64, cpu: impl Fn(i64) -> f64) {
    let start = reeve_recommend::ports::Clock::now(&*world.clock);
    let points = (0..hours * 12).map(|at| (start + SignedDuration::from_mins(at * 5), cpu(at)));
    let mut all = world.memory.series.lock();
    let is = |s: &&mut SampleSeries| {
        s.resource == ResourceId::new("i-1") && s.metric == Metric::CpuUtilization
    };
    all.iter_mut().find(is).unwrap().points.extend(points);

    drop(all);
    world.clock.advance(SignedDuration::from_hours(hours));
}

async fn looked(world: &World, action: &Action) -> Action {
    world.engine.scheduler.due().await.unwrap();
    world.engine.execution.settle().await;
    world.memory.action_get(&action.id).await.unwrap()
}

#[tokio::test]
async fn a_busier_machine_that_is_not_pressed_holds() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    passes(&world, 12, |_| 30.0);
    assert_eq!(
        looked(&world, &action).await.watch.unwrap().verdict,
        WatchVerdict::Watching,
        "half of the window"
    );
    passes(&world, 13, |_| 30.0);
    let watch = looked(&world, &action).await.watch.unwrap();
    assert_eq!(watch.verdict, WatchVerdict::Holds, "{watch:?}");
    assert!(watch.detail.contains("cpu_utilization"), "{watch:?}");
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
    assert!(
        world
            .story(&recommendation)
            .contains(&"action.watch success".to_owned())
    );

    let verdicts = || {
        world
            .story(&recommendation)
            .iter()
            .filter(|line| line.starts_with("action.watch"))
            .count()
    };

    looked(&world, &action).await;
    assert_eq!(verdicts(), 1, "once");
}

#[tokio::test]
async fn what_gets_worse_is_undone_long_before_the_window_ends() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    passes(&world, 3, |at| if at % 3 == 0 { 60.0 } else { 98.0 });
    let ended = looked(&world, &action).await;
    assert_eq!(
        ended.watch.as_ref().unwrap().verdict,
        WatchVerdict::Degraded,
        "{ended:?}"
    );
    assert_eq!(ended.status, ActionStatus::RolledBack);
    assert!(
        ended
            .reason
            .unwrap()
            .starts_with("it got worse after the change: cpu_utilization")
    );

    let recommendation = world.again(&recommendation).await;
    assert_eq!(recommendation.status, Status::RolledBack);
    assert_eq!(
        world.cloud.state("i-1"),
        (ResourceState::Running, "t3.large".to_owned())
    );
    world.every_change_was_announced();
}

#[tokio::test]
async fn without_samples_nothing_is_claimed() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    world.clock.advance(SignedDuration::from_hours(25));
    let watch = looked(&world, &action).await.watch.unwrap();
    assert_eq!(watch.verdict, WatchVerdict::NotEnoughData);
    assert!(watch.detail.starts_with("0 samples"), "{watch:?}");
    assert_eq!(world.again(&recommendation).await.status, Status::Succeeded);
}

#[tokio::test]
async fn what_somebody_else_changed_is_left_to_them() {
    let world = World::new();
    let (_, action) = changed(&world).await;
    world.clock.advance(SignedDuration::from_mins(5));

    {
        let mut resources = world.memory.resources.lock();
        let machine = resources.get_mut(&ResourceId::new("i-1")).unwrap();
        machine.specification.instance_type = Some("m5.large".to_owned());
    }

    let ended = looked(&world, &action).await;
    let watch = ended.watch.unwrap();
    assert_eq!(
        (ended.status, watch.verdict),
        (ActionStatus::Succeeded, WatchVerdict::Overruled)
    );
    assert!(
        watch
            .detail
            .contains("instance_type is m5.large, not t3.medium"),
        "{watch:?}"
    );
}

#[tokio::test]
async fn a_window_of_nothing_watches_nothing() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let mut limits = world.engine.guardrails.guardrails_get().await.unwrap();
    limits.verification_window_s = 0;
    world
        .engine
        .guardrails
        .guardrails_put(limits, &operator())
        .await
        .unwrap();

    assert_eq!(world.execute(&recommendation).await.watch, None);
}

#[tokio::test]
async fn what_was_saved_stands_beside_what_was_predicted() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;

    {
        let mut resources = world.memory.resources.lock();
        let machine = resources.get_mut(&ResourceId::new("i-1")).unwrap();
        // A discount ended meanwhile: the smaller size costs more than was thought.
        machine.monthly_cost = recommendation
            .monthly_cost
            .map(|before| before - Money::from_usd(7.5));
    }

    passes(&world, 25, |_| 30.0);
    let watch = looked(&world, &action).await.watch.unwrap();
    assert_eq!(watch.realised_monthly, Some(Money::from_usd(7.5)));

    let entries = world.entries();
    let watched = entries
        .iter()
        .rev()
        .find(|one| one.action.operation.as_deref() == Some("action.watch"));
    let after = watched.unwrap().changes.after.as_ref().unwrap();
    let figure = |name: &str| after.get(name).and_then(reeve_audit::Json::as_f64);
    assert_eq!(
        figure("predicted_savings_monthly_usd"),
        Some(recommendation.savings_monthly.unwrap().usd_cents())
    );
    assert_eq!(figure("realised_savings_monthly_usd"), Some(7.5));
}

/// Puts a member of the group and its load: every five minutes from one hour to another, as seen
/// from a time.
fn member(
    world: &World,
    (id, state): (&str, ResourceState),
    at: Timestamp,
    hours: (i64, i64),
    cpu: f64,
) {
    let mut member = resource(id, ResourceKind::VirtualMachine, Some("m5.large"));
    member.group = Some(ResourceId::new("asg-1"));
    member.created_at = Some(at + SignedDuration::from_hours(hours.0));
    (member.state, member.observed_at) = (state, at);
    world
        .memory
        .resources
        .lock()
        .insert(member.id.clone(), member);

    let points = (hours.0 * 12..hours.1 * 12)
        .map(|step| (at + SignedDuration::from_mins(step * 5), cpu))
        .collect();
    let series = SampleSeries {
        resource: ResourceId::new(id),
        metric: Metric::CpuUtilization,
        points,
        period_s: 300,
    };

    world.memory.series.lock().push(series);
}

/// An action that halved a group, whose members were busy as said before and after.
async fn halved_group(before: f64, after: f64) -> Action {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    let mut group = resource("asg-1", ResourceKind::ScalingGroup, None);
    group.state = ResourceState::Running;
    world.put(group);
    let change = ChangeGroupSize {
        state: ResourceState::Running,
        template: "lt-1".to_owned(),
        version: "1".to_owned(),
        from: "m5.xlarge".to_owned(),
        to: "m5.large".to_owned(),
        members: 3,
    };

    let executed = world.again(&recommendation).await;
    let mut of_group = Recommendation {
        plan: Some(Plan::new(&change, "asg-1")),
        ..executed
    };
    of_group.subject.id = ResourceId::new("asg-1");
    of_group.subject.kind = ResourceKind::ScalingGroup;
    of_group.version += 1;
    world.memory.recommendation_update(&of_group).await.unwrap();
    let action = Action {
        resource: ResourceId::new("asg-1"),
        version: action.version + 1,
        ..action
    };
    world.memory.action_update(&action).await.unwrap();
    let at = action.finished_at.unwrap();

    for n in 0..3 {
        // A refresh replaced every member.
        member(
            &world,
            (&format!("old-{n}"), ResourceState::Deleted),
            at,
            (-14 * 24, 0),
            before,
        );
        member(
            &world,
            (&format!("new-{n}"), ResourceState::Running),
            at,
            (0, 25),
            after,
        );
    }

    world.clock.advance(SignedDuration::from_hours(25));
    looked(&world, &action).await
}

#[tokio::test]
async fn a_group_is_watched_by_its_members() {
    let watch = halved_group(40.0, 99.0).await.watch.unwrap();
    assert_eq!(watch.verdict, WatchVerdict::Degraded, "{watch:?}");

    let watch = halved_group(40.0, 75.0).await.watch.unwrap();
    assert_eq!(
        watch.verdict,
        WatchVerdict::Holds,
        "busier is what was wanted: {watch:?}"
    );
}

/// A bill of the account: a dollar amount for each whole day of the machine, and a cent of
/// something else.
fn billed(world: &World, days: &[(i64, f64)]) {
    let header = "BilledCost,BillingCurrency,SubAccountId,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId";
    let mut reader =
        reeve_estate::charge::focus::FocusReader::from_header(header.split(',')).unwrap();
    let midnight = reeve_recommend::ports::Clock::now(&*world.clock)
        .as_second()
        .div_euclid(86_400)
        * 86_400;
    let mut charge = |day: i64, cost: f64, id: &str| {
        let at = |day: i64| {
            jiff::Timestamp::from_second(midnight + day * 86_400)
                .unwrap()
                .to_string()
        };
        let cells = [
            format!("{cost}"),
            "USD".into(),
            "111122223333".into(),
            at(day),
            at(day + 1),
            "Usage".into(),
            id.into(),
        ];
        reader
            .charge(|place| cells.get(place).map(String::as_str))
            .unwrap()
    };

    let charges = days
        .iter()
        .flat_map(|(day, cost)| [charge(*day, *cost, "i-1"), charge(*day, 0.01, "i-9")])
        .collect();
    *world.bills.charges.lock() = charges;
}

/// The machine's cost as the inventory has it after the change: what was predicted.
fn costs_less(world: &World, recommendation: &Recommendation) {
    let mut resources = world.memory.resources.lock();
    let machine = resources.get_mut(&ResourceId::new("i-1")).unwrap();
    machine.monthly_cost = recommendation
        .monthly_cost
        .zip(recommendation.savings_monthly)
        .map(|(before, saved)| before - saved);
}

#[tokio::test]
async fn the_bill_replaces_the_list_price_once_it_covers_a_whole_day() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    costs_less(&world, &recommendation);
    passes(&world, 25, |_| 30.0);
    let watch = looked(&world, &action).await.watch.unwrap();
    assert_eq!(
        (watch.basis, watch.billed_until),
        (Some(SavingsBasis::ListPrice), None),
        "{watch:?}"
    );

    assert_eq!(
        watch.realised_monthly, recommendation.savings_monthly,
        "at list price as it was promised"
    );

    // The change was yesterday; today is its first whole day, and two days from now it has been
    // told completely.
    billed(
        &world,
        &[(-3, 2.0), (-2, 2.0), (-1, 1.5), (0, 0.8), (1, 0.8)],
    );
    world.clock.advance(SignedDuration::from_hours(48));
    let watch = looked(&world, &action).await.watch.unwrap();
    assert_eq!(watch.basis, Some(SavingsBasis::Bill), "{watch:?}");

    let monthly = watch.realised_monthly.unwrap().usd();
    assert!((monthly - 1.2 * 730.0 / 24.0).abs() < 0.01, "{monthly}");
    assert!(watch.billed_until.is_some());
    assert!(
        world
            .story(&recommendation)
            .contains(&"action.saving_measure success".to_owned())
    );

    let entries = world.entries().len();
    world.clock.advance(SignedDuration::from_hours(2));
    looked(&world, &action).await;
    assert_eq!(
        world.entries().len(),
        entries,
        "the same bill says nothing new"
    );
}

#[tokio::test]
async fn a_saving_ends_when_the_resource_leaves_the_state() {
    let world = World::new();
    let (recommendation, action) = changed(&world).await;
    costs_less(&world, &recommendation);
    passes(&world, 25, |_| 30.0);
    assert!(looked(&world, &action).await.watch.unwrap().ended.is_none());

    {
        let mut resources = world.memory.resources.lock();
        let machine = resources.get_mut(&ResourceId::new("i-1")).unwrap();
        machine.specification.instance_type = Some("t3.large".to_owned());
    }

    world.clock.advance(SignedDuration::from_hours(24 * 7));
    let watch = looked(&world, &action).await.watch.unwrap();
    let end = watch.ended.clone().unwrap();
    assert_eq!(
        end.at,
        reeve_recommend::ports::Clock::now(&*world.clock),
        "on the day on which it was seen"
    );

    assert!(
        end.reason
            .contains("instance_type is t3.large, not t3.medium"),
        "{end:?}"
    );

    assert_eq!(
        watch.verdict,
        WatchVerdict::Holds,
        "the verdict of the observation stays"
    );
    assert!(watch.realised_monthly.is_some(), "it was saved until then");
    world.clock.advance(SignedDuration::from_hours(2));
    let ends = || {
        world
            .story(&recommendation)
            .iter()
            .filter(|line| line.starts_with("action.saving_end"))
            .count()
    };

    looked(&world, &action).await;
    assert_eq!(ends(), 1, "once");
}
