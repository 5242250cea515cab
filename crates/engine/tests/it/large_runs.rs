//! Runs over more resources than are held at a time: what is not written yet is bounded, and a run
//! that stops midway ends nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use reeve_estate::{ResourceId, ResourceKind, ResourceState, StoreError};
use reeve_recommend::ports::{AgentStore, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, Recommendation, RecommendationId};

use crate::world::{World, operator, resource};

/// Resources of the world, each with a finding.
const VOLUMES: u64 = 2_500;

/// Resources that runs looked at, and those of them whose findings were not written yet.
#[derive(Default)]
pub(crate) struct Progress {
    looked: AtomicU64,
    written: AtomicU64,
    most_unwritten: AtomicU64,
    /// Resources after which samples cannot be read any more; 0 is never.
    fails_after: AtomicU64,
}

impl Progress {
    pub(crate) fn look(&self, resources: usize) -> Result<(), StoreError> {
        let looked = self.looked.fetch_add(resources as u64, Ordering::SeqCst) + resources as u64;
        let unwritten = looked - self.written.load(Ordering::SeqCst);
        self.most_unwritten.fetch_max(unwritten, Ordering::SeqCst);
        let fails_after = self.fails_after.load(Ordering::SeqCst);
        if fails_after > 0 && looked > fails_after {
            return Err(StoreError::Backend("the samples cannot be read".to_owned()));
        }
        Ok(())
    }

    pub(crate) fn write(&self) {
        self.written.fetch_add(1, Ordering::SeqCst);
    }

    fn begin(&self, fails_after: u64) {
        self.looked.store(0, Ordering::SeqCst);
        self.written.store(0, Ordering::SeqCst);
        self.fails_after.store(fails_after, Ordering::SeqCst);
    }
}

fn world() -> World {
    let world = World::new();
    for number in 0..VOLUMES {
        let mut volume = resource(&format!("vol-{number:04}"), ResourceKind::Volume, None);
        volume.state = ResourceState::Unattached;
        volume.specification.storage_type = Some("gp3".to_owned());
        world.put(volume);
    }
    world
}

async fn open(world: &World) -> Vec<Recommendation> {
    let filter = RecommendationFilter {
        is_open: true,
        ..RecommendationFilter::default()
    };
    world.memory.recommendation_list(&filter).await.unwrap().0
}

fn ids(recommendations: &[Recommendation]) -> std::collections::BTreeSet<RecommendationId> {
    recommendations
        .iter()
        .map(|recommendation| recommendation.id.clone())
        .collect()
}

#[tokio::test]
async fn a_run_holds_the_findings_of_a_bounded_number_of_resources() {
    let world = world();
    let agent = world.agent("safe_mode", false).await;
    world.memory.progress.begin(0);
    let report = world.run(&agent).await;
    assert_eq!(
        (report.resources_seen, report.recommendations),
        (VOLUMES, VOLUMES)
    );

    let left: u64 = report.skipped.iter().map(|(_, count)| count).sum();
    assert_eq!(
        left, VOLUMES,
        "each is left to people for one reason: {:?}",
        report.skipped
    );

    let most = world.memory.progress.most_unwritten.load(Ordering::SeqCst);
    assert!(
        most <= 1_100,
        "the findings of {most} resources were held at once"
    );

    let first = open(&world).await;
    assert_eq!(world.run(&agent).await.recommendations, VOLUMES);
    assert_eq!(
        ids(&open(&world).await),
        ids(&first),
        "found again, not made again"
    );
}

#[tokio::test]
async fn a_run_that_stops_midway_keeps_what_it_wrote_and_the_next_goes_on() {
    let world = world();
    let agent = world.agent("safe_mode", false).await;
    world.memory.progress.begin(1_500);
    world
        .engine
        .runs
        .agent_run(&agent.id, &operator())
        .await
        .unwrap_err();

    let written = open(&world).await;
    assert_eq!(written.len(), 1_000);

    let report = world
        .memory
        .agent_get(&agent.id)
        .await
        .unwrap()
        .last_run
        .unwrap();

    assert_eq!(
        report.recommendations, 1_000,
        "the report tells what was written"
    );
    assert!(report.error.unwrap().contains("the samples cannot be read"));
    world.memory.progress.begin(0);
    world.run(&agent).await;
    let all = open(&world).await;
    assert_eq!(all.len() as u64, VOLUMES);
    assert!(
        ids(&written).is_subset(&ids(&all)),
        "what was written stays"
    );
}

#[tokio::test]
async fn nothing_expires_before_a_run_read_everything() {
    let world = world();
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;

    // One is gone and one is in use; a run that stops later has looked at the second.
    let (gone, used) = (world.only("vol-2400").await, world.only("vol-0007").await);
    world
        .memory
        .resources
        .lock()
        .remove(&ResourceId::new("vol-2400"));
    let mut attached = resource("vol-0007", ResourceKind::Volume, None);
    attached.specification.storage_type = Some("gp3".to_owned());
    attached.attached_to = vec![ResourceId::new("i-1")];
    world.put(attached);
    world.memory.progress.begin(1_500);
    world
        .engine
        .runs
        .agent_run(&agent.id, &operator())
        .await
        .unwrap_err();

    assert_eq!(open(&world).await.len() as u64, VOLUMES);
    world.memory.progress.begin(0);
    world.run(&agent).await;
    assert_eq!(open(&world).await.len() as u64, VOLUMES - 2);

    let (gone, used) = (world.again(&gone).await, world.again(&used).await);
    assert_eq!(
        (gone.status, gone.closing),
        (Status::Expired, Some(Closing::ResourceGone))
    );
    assert_eq!(
        (used.status, used.closing),
        (Status::Expired, None),
        "{:?}",
        used.status_reason
    );
}
