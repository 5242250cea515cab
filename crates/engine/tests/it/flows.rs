//! Changes of security groups that flow logs watch: what ends the observation, what brings the wide
//! group back, and what does neither.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;
use parking_lot::Mutex;
use reeve_estate::{ConnectionId, GroupUse, ResourceId, ResourceKind, StoreError};
use reeve_flows::{
    CoverageDay, DayCoverage, FlowAction, FlowBatch, FlowCounts, FlowDay, FlowDirection, FlowQuery,
    FlowRule, FlowSource, FlowStore, InterfaceFlows, SeenFlow, day_of,
};
use reeve_recommend::action::{Action, ActionStatus, WatchVerdict};
use reeve_recommend::change::TightenGroup;
use reeve_recommend::plan::Plan;
use reeve_recommend::ports::{AgentStore as _, Clock as _};
use reeve_recommend::recommendation::Recommendation;

use crate::world::{World, resource};

/// Flows of tests, and the hours of records that each interface has.
#[derive(Debug, Default)]
pub(crate) struct TestFlows {
    seen: Mutex<Vec<SeenFlow>>,
    covered: Mutex<Vec<CoverageDay>>,
}

#[async_trait]
impl FlowStore for TestFlows {
    async fn flow_put(&self, _: &FlowBatch, _: &FlowSource) -> Result<(), StoreError> {
        Ok(())
    }
    async fn flow_source_put(&self, _: &FlowSource) -> Result<(), StoreError> {
        Ok(())
    }
    async fn flow_sources(&self) -> Result<Vec<FlowSource>, StoreError> {
        Ok(Vec::new())
    }
    async fn flow_sources_keep(&self, _: &ConnectionId, _: &[String]) -> Result<(), StoreError> {
        Ok(())
    }
    async fn flow_seen(&self, query: &FlowQuery) -> Result<Vec<InterfaceFlows>, StoreError> {
        let is_asked = |flow: &&SeenFlow| {
            query.action.is_none_or(|action| flow.action == action)
                && query
                    .since_s
                    .is_none_or(|since| flow.counts.last_s >= since)
        };
        let flows: Vec<SeenFlow> = self.seen.lock().iter().filter(is_asked).cloned().collect();
        let of = |interface: &String| InterfaceFlows {
            interface: interface.clone(),
            flows: flows.clone(),
            coverage: self.covered.lock().clone(),
        };
        Ok(query.interfaces.iter().map(of).collect())
    }
    async fn flow_expire(&self, _: i32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

impl TestFlows {
    fn add(&self, at: jiff::Timestamp, peer: &str, port: u16, action: FlowAction) {
        let second = at.as_second();
        self.seen.lock().push(SeenFlow {
            direction: FlowDirection::Ingress,
            peer: peer.parse().unwrap(),
            protocol: 6,
            port,
            action,
            days: vec![FlowDay {
                day: day_of(second),
                flows: 1,
            }],
            counts: FlowCounts {
                first_s: second,
                last_s: second,
                flows: 1,
                answers: 1,
                packets: 20,
                bytes: 900,
                largest_packets: 20,
            },
        });
    }

    /// Has records of every hour of the days around a time.
    fn cover(&self, at: jiff::Timestamp) {
        let today = day_of(at.as_second());
        *self.covered.lock() = (today - 1..today + 9)
            .map(|day| CoverageDay {
                day,
                coverage: DayCoverage {
                    hours: (1 << 24) - 1,
                    records: 24,
                    skipped: 0,
                },
            })
            .collect();
    }
}

fn rules(texts: &[&str]) -> Vec<FlowRule> {
    texts
        .iter()
        .map(|text| FlowRule::parse(text).unwrap())
        .collect()
}

/// A recommendation to exchange a group, in a world whose cloud has it.
async fn proposed(world: &World) -> Recommendation {
    let executed = world.right_size("i-1", "t3.large").await;
    let mut group = resource("sg-1", ResourceKind::SecurityGroup, None);
    let wide = rules(&["ingress tcp 0-65535 10.0.0.0/8"]);
    group.specification.group_use = Some(GroupUse {
        rules: wide.iter().map(FlowRule::to_string).collect(),
        interfaces: [("eni-1".to_owned(), vec!["sg-1".to_owned()])].into(),
        replacement: None,
    });
    world.put(group);

    let change = TightenGroup {
        rules: wide,
        tight: rules(&["ingress tcp 443-443 10.0.0.0/16"]),
        interfaces: vec!["eni-1".to_owned()],
        observe_hours: 72,
    };
    let mut of_group = Recommendation {
        plan: Some(Plan::new(&change, "sg-1")),
        ..executed
    };
    of_group.subject.id = ResourceId::new("sg-1");
    of_group.subject.kind = ResourceKind::SecurityGroup;
    of_group.version += 1;
    world.memory.recommendation_update(&of_group).await.unwrap();
    of_group
}

fn used(world: &World) -> GroupUse {
    let all = world.cloud.all();
    let group = all.iter().find(|one| one.id.as_str() == "sg-1").unwrap();
    group.specification.group_use.clone().unwrap()
}

async fn executed(world: &World) -> Action {
    let recommendation = proposed(world).await;
    world.execute(&recommendation).await
}

#[tokio::test]
async fn the_wide_group_goes_after_an_observation_without_harm() {
    let world = World::new();
    let began = world.clock.now();
    world.flows.cover(began);
    world.flows.add(
        began + SignedDuration::from_hours(5),
        "10.0.3.3/32",
        443,
        FlowAction::Accepted,
    );
    let action = executed(&world).await;
    assert_eq!(action.status, ActionStatus::Succeeded, "{action:#?}");
    assert!(world.clock.now() >= began + SignedDuration::from_hours(72));

    let used = used(&world);
    assert_eq!(used.interfaces["eni-1"], [used.replacement_id()]);
    assert_eq!(
        used.replacement.unwrap().rules,
        ["ingress tcp 443-443 10.0.0.0/16"]
    );
}

#[tokio::test]
async fn a_flow_that_needs_the_wide_group_ends_the_observation() {
    let world = World::new();
    let began = world.clock.now();
    world.flows.cover(began);
    world.flows.add(
        began + SignedDuration::from_hours(30),
        "10.9.9.9/32",
        8080,
        FlowAction::Accepted,
    );
    let action = executed(&world).await;
    assert_eq!(action.status, ActionStatus::RolledBack, "{action:#?}");
    let reason = action.reason.unwrap();
    assert!(
        reason.contains("tcp 8080 from 10.9.9.9/32 on eni-1"),
        "{reason}"
    );

    let used = used(&world);
    assert_eq!(used.interfaces["eni-1"], ["sg-1"]);
    assert!(used.replacement.is_none());
}

#[tokio::test]
async fn an_observation_without_records_proves_nothing() {
    let world = World::new();
    let action = executed(&world).await;
    assert_eq!(action.status, ActionStatus::RolledBack, "{action:#?}");
    assert!(action.reason.unwrap().contains("no flow log has a record"));
    assert_eq!(used(&world).interfaces["eni-1"], ["sg-1"]);
}

/// Has the world look at its watched changes, after a time.
async fn looked(world: &World, action: &Action, hours: i64) -> Action {
    world.clock.advance(SignedDuration::from_hours(hours));
    world.engine.scheduler.due().await.unwrap();
    world.engine.execution.settle().await;
    world.memory.action_get(&action.id).await.unwrap()
}

#[tokio::test]
async fn the_first_refused_flow_that_was_accepted_before_brings_the_wide_group_back() {
    let world = World::new();
    let began = world.clock.now();
    world.flows.cover(began);
    let action = executed(&world).await;

    // A scan from the internet harms nobody.
    let after = action.finished_at.unwrap() + SignedDuration::from_mins(20);
    world
        .flows
        .add(after, "203.0.113.7/32", 22, FlowAction::Refused);
    let calm = looked(&world, &action, 1).await;
    assert_eq!(calm.status, ActionStatus::Succeeded);

    world
        .flows
        .add(after, "10.9.9.9/32", 8080, FlowAction::Refused);
    let undone = looked(&world, &action, 1).await;
    assert_eq!(undone.status, ActionStatus::RolledBack, "{undone:#?}");
    let watch = undone.watch.unwrap();
    assert_eq!(watch.verdict, WatchVerdict::Degraded);
    assert!(
        watch.detail.contains("tcp 8080 from 10.9.9.9/32"),
        "{}",
        watch.detail
    );
    assert_eq!(used(&world).interfaces["eni-1"], ["sg-1"]);
}

#[tokio::test]
async fn a_window_without_harm_holds_and_one_without_records_is_no_proof() {
    for (is_covered, verdict) in [
        (true, WatchVerdict::Holds),
        (false, WatchVerdict::NotEnoughData),
    ] {
        let world = World::new();
        world.flows.cover(world.clock.now());
        let action = executed(&world).await;
        if !is_covered {
            world.flows.covered.lock().clear();
        }
        let ended = looked(&world, &action, 25).await;
        assert_eq!(ended.watch.unwrap().verdict, verdict);
    }
}

/// The flows of a new world.
pub(crate) fn none() -> Arc<TestFlows> {
    Arc::default()
}
