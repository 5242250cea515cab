//! Measurements that a judgement uses: those of the resource as it is now, and of no other.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_estate::{Attribute, ConnectionId, Resource, ResourceChange, ResourceId, ResourceState};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::change::{Change, ResizeMachine, TagResource};
use reeve_recommend::plan::Plan;
use reeve_recommend::ports::{AgentStore as _, Clock as _};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationType};
use reeve_testkit::contract::agents::{action, recommendation};

use crate::world::World;

fn seen(
    world: &World,
    id: &str,
    attribute: Attribute,
    connection: &str,
    hours_ago: i64,
) -> ResourceChange {
    let seen_at = world.clock.now() - SignedDuration::from_hours(hours_ago);
    ResourceChange {
        resource: ResourceId::new(id),
        connection: ConnectionId(connection.to_owned()),
        attribute,
        last_seen_at: seen_at - SignedDuration::from_mins(15),
        seen_at,
        before: "before".to_owned(),
        after: "after".to_owned(),
    }
}

#[tokio::test]
async fn samples_from_before_a_person_changed_the_size_decide_nothing() {
    for (attribute, connection, found) in [
        // Two weeks of the size before say nothing of this one.
        (Attribute::InstanceType, "c-1", 0),
        (Attribute::Architecture, "c-1", 0),
        // The same load on the same size.
        (Attribute::Tags, "c-1", 1),
        (Attribute::State, "c-1", 1),
        (Attribute::SecurityGroups, "c-1", 1),
        // What another connection calls alike is another machine.
        (Attribute::InstanceType, "c-2", 1),
    ] {
        let world = World::new();
        world.machine("i-1", "m5.xlarge", 5.0);
        world
            .memory
            .seen
            .lock()
            .push(seen(&world, "i-1", attribute, connection, 2));
        let agent = world.agent("safe_mode", false).await;
        let report = world.run(&agent).await;
        assert_eq!(
            report.recommendations, found,
            "{attribute:?} seen by {connection}: {:?}",
            report.skipped
        );
    }
}

#[tokio::test]
async fn a_size_that_was_changed_long_ago_is_judged_by_what_came_since() {
    let world = World::new();
    world.machine("i-1", "m5.xlarge", 5.0);
    world
        .memory
        .seen
        .lock()
        .push(seen(&world, "i-1", Attribute::InstanceType, "c-1", 24 * 20));
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    assert_eq!(world.only("i-1").await.kind, RecommendationType::RightSize);
}

#[tokio::test]
async fn samples_of_another_connection_are_not_those_of_a_resource() {
    let world = World::new();
    // An idle resource of the same identifier in another account must not stop this one.
    world.machine("i-1", "m5.xlarge", 0.1);
    let mine = world.memory.resources.lock()[&ResourceId::new("i-1")].clone();
    world.put(Resource {
        connection: ConnectionId("c-2".to_owned()),
        ..mine
    });
    let agent = world.agent("safe_mode", false).await;
    let report = world.run(&agent).await;
    assert_eq!(
        (report.resources_seen, report.recommendations),
        (1, 0),
        "{:?}",
        report.skipped
    );
}

#[tokio::test]
async fn a_change_of_size_by_reeve_cuts_the_history_and_a_tag_does_not() {
    let tag = TagResource {
        state: ResourceState::Running,
        key: "workload".to_owned(),
        from: None,
        to: "steady".to_owned(),
    };

    let resize = ResizeMachine {
        from: "m5.2xlarge".to_owned(),
        to: "m5.xlarge".to_owned(),
        state: ResourceState::Running,
    };
    let changes: [(Arc<dyn Change>, u64); 2] = [(Arc::new(tag), 1), (Arc::new(resize), 0)];

    for (change, found) in changes {
        let world = World::new();
        world.machine("i-1", "m5.xlarge", 5.0);
        let plan = Plan::new(&*change, "i-1");
        let executed = Recommendation {
            // Of another kind than what the run finds, which must not be silent after it.
            kind: RecommendationType::StorageOptimization,
            status: Status::Succeeded,
            plan: Some(plan),
            ..recommendation("rec-1", "i-1").unwrap()
        };
        world.memory.recommendation_insert(&executed).await.unwrap();
        let ended = world.clock.now() - SignedDuration::from_hours(2);
        let done = Action {
            status: ActionStatus::Succeeded,
            purpose: Purpose::Apply,
            connection: ConnectionId("c-1".to_owned()),
            resource: ResourceId::new("i-1"),
            started_at: ended,
            finished_at: Some(ended),
            watch: None,
            ..action("ac-1", "rec-1", 1_000).unwrap()
        };
        world.memory.action_insert(&done).await.unwrap();
        let agent = world.agent("safe_mode", false).await;
        let report = world.run(&agent).await;
        let name = change.name();
        assert_eq!(
            report.recommendations, found,
            "{name}: {:?}",
            report.skipped
        );
    }
}
