//! Syncing a connection: inventory, configurations, then raw samples. One at a time per connection.

mod access;
mod actor;
mod changes;
mod descriptions;
mod inventory;
mod samples;
mod seen;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, Severity, events};
use reeve_engine::DriftService;
use reeve_estate::{
    Connection, ConnectionId, ConnectionStatus, Denied, DescriptionReading, DescriptionStore,
    Difference, EstateStore, Inventory, InventorySink as _, Observe, ObserveError, Resource,
    ResourceId, ResourceKind, SampleStore, StoreError, SyncReport,
};
use reeve_http::app::Syncer;
use reeve_recommend::ports::{LogReader, Recorder};
use serde_json::json;
use tokio::sync::watch;

use super::clouds::CloudRegistry;
use super::running::Running;
use actor::Actors;
use changes::Changed;
use descriptions::{DescriptionOutcome, DescriptionSync, Place};
use inventory::{InventorySync, Missing, Taken};
use samples::SampleSync;

/// Changes recorded at once.
const RECORDED: usize = 500;

/// Syncs the inventory of each connection.
pub(crate) struct ConnectionSyncer {
    estate: Arc<dyn EstateStore>,
    samples: Arc<dyn SampleStore>,
    clouds: Arc<CloudRegistry>,
    recorder: Arc<dyn Recorder>,
    descriptions: Arc<dyn DescriptionStore>,
    log: Arc<dyn LogReader>,
    drift: Arc<DriftService>,
    running: Running<ConnectionId>,
    /// Number of syncs that have ended, and of connections that were retired.
    ended: watch::Sender<u64>,
}

impl ConnectionSyncer {
    /// Over stores, clouds and the log.
    pub(crate) fn new(
        estate: Arc<dyn EstateStore>,
        samples: Arc<dyn SampleStore>,
        clouds: Arc<CloudRegistry>,
        recorder: Arc<dyn Recorder>,
        descriptions: Arc<dyn DescriptionStore>,
        log: Arc<dyn LogReader>,
        drift: Arc<DriftService>,
    ) -> Self {
        ConnectionSyncer {
            estate,
            samples,
            clouds,
            recorder,
            descriptions,
            log,
            drift,
            running: Running::default(),
            ended: watch::Sender::default(),
        }
    }

    /// Returns the number of syncs that have ended, for those that follow them. One that failed
    /// counts: it may have written a part of what changed.
    pub(crate) fn syncs(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }

    /// Returns `true` while a connection is being synced.
    pub(crate) fn is_running(&self, id: &ConnectionId) -> bool {
        self.running.contains(id)
    }

    /// Syncs one connection and waits for it; `None` when a sync of it was running already.
    pub(crate) async fn sync_now(
        &self,
        id: &ConnectionId,
        by: &str,
    ) -> Option<Result<SyncReport, Obstacle>> {
        let _turn = self.running.begin(id)?;
        let outcome = self.run(id, by).await;
        self.ended.send_modify(|ended| *ended += 1);
        Some(outcome)
    }

    async fn run(&self, id: &ConnectionId, by: &str) -> Result<SyncReport, Obstacle> {
        let mut connection = self.estate.connection_get(id).await.map_err(Obstacle::of)?;
        connection.status = ConnectionStatus::Syncing;
        self.estate
            .connection_update(&connection)
            .await
            .map_err(Obstacle::of)?;
        let outcome = self.observe(&mut connection).await;
        if let Ok(report) = &outcome
            && let Err(error) = self.drift.compare(id, report.started_at).await
        {
            tracing::warn!(connection = %id, %error, "a sync was not compared with the baselines");
        }

        if let Ok(current) = self.estate.connection_get(id).await {
            let after = current.after_sync(
                &connection.account,
                outcome.as_ref().map_err(Obstacle::as_str),
            );
            self.estate
                .connection_update(&after)
                .await
                .map_err(Obstacle::of)?;
        }

        if let Err(error) = self
            .recorder
            .record(vec![story(&connection, by, &outcome)])
            .await
        {
            tracing::warn!(%error, "a sync was not recorded");
        }

        outcome
    }

    async fn observe(&self, connection: &mut Connection) -> Result<SyncReport, Obstacle> {
        let started_at = Timestamp::now();
        let observer = self
            .clouds
            .observer(connection)
            .await
            .map_err(|error| error.message)?;
        connection.account = observer.identity().await.map_err(|error| error.message)?;
        let words = |error: StoreError| error.to_string();
        let readings = self
            .descriptions
            .readings(&connection.id)
            .await
            .map_err(words)?;

        let complete = readings
            .iter()
            .filter(|reading| reading.complete_at.is_some());
        let read_before: HashSet<Place> = complete
            .map(|reading| (reading.kind, reading.region.clone()))
            .collect();
        let actors = Actors::since(
            &*self.log,
            connection
                .last_sync
                .as_ref()
                .map(|report| report.started_at),
        );

        let stores = (&self.estate, &self.recorder);
        let sync = InventorySync::new(connection, stores, &actors, &read_before);
        let mut inventory = observer
            .inventory_by_pages(&sync)
            .await
            .map_err(|error| error.message)?;
        access::read(&*self.estate, connection, &*observer, &mut inventory)
            .await
            .map_err(words)?;
        sync.page(std::mem::take(&mut inventory.resources))
            .await
            .map_err(words)?;
        let mut taken = sync.into_taken()?;
        let changed = std::mem::take(&mut taken.changed);
        let context = Context {
            connection,
            observer: &*observer,
            actors: &actors,
            taken: &taken,
        };

        let described = self
            .describe(&context, &inventory, (&readings, &read_before), changed)
            .await?;
        let mut report = SyncReport {
            started_at,
            finished_at: started_at,
            resources: taken.resources + described.resources,
            samples: 0,
            denied: inventory.denied,
            problems: inventory.problems,
        };

        let denied_already = |denied: &Denied| {
            report
                .denied
                .iter()
                .any(|one| one.permission == denied.permission && one.region == denied.region)
        };

        let denied: Vec<Denied> = described
            .denied
            .into_iter()
            .filter(|denied| !denied_already(denied))
            .collect();
        report.denied.extend(denied);
        report.problems.extend(described.problems);
        let (estate, samples) = (&self.estate, &self.samples);
        let sampled = SampleSync {
            connection,
            estate,
            samples,
            observer: &*observer,
        };
        sampled.run(&taken.seen, &mut report).await?;

        report.finished_at = Timestamp::now();
        Ok(report)
    }
}

/// A sync after its inventory was read.
struct Context<'s> {
    connection: &'s Connection,
    observer: &'s dyn Observe,
    actors: &'s Actors<'s>,
    taken: &'s Taken,
}

impl ConnectionSyncer {
    /// Reads the descriptions, records what changed since the last sync, and ends the inventory.
    async fn describe(
        &self,
        sync: &Context<'_>,
        inventory: &Inventory,
        (readings, read_before): (&[DescriptionReading], &HashSet<Place>),
        changed: HashMap<ResourceId, Changed>,
    ) -> Result<DescriptionOutcome, Obstacle> {
        let words = |error: StoreError| error.to_string();
        let Context {
            connection,
            observer,
            actors,
            taken,
        } = *sync;

        let mut unwatched = 0;
        if connection.last_sync.is_some() {
            let (estate, recorder) = (&self.estate, &self.recorder);
            let missing = Missing {
                connection,
                estate,
                recorder,
                observer,
                taken,
            };
            unwatched += missing
                .record(actors, &inventory.complete)
                .await
                .map_err(words)?;
        }

        let sync = DescriptionSync {
            connection,
            store: &self.descriptions,
            recorder: &self.recorder,
            actors,
            inventory: &taken.seen,
            changed: Mutex::new(changed),
            read_before,
            read: Mutex::default(),
            seen: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            outcome: Mutex::default(),
        };
        let ended = self.clouds.describe(connection, observer, &sync).await;

        if ended.is_ok() {
            unwatched += sync.retire(readings).await.map_err(words)?;
        }

        let mut outcome = sync.outcome.into_inner();
        if let Err(error) = ended {
            outcome
                .problems
                .push(format!("configurations were not read completely: {error}"));
        }

        let mut changed: Vec<Changed> = sync.changed.into_inner().into_values().collect();
        changed.sort_by(|a, b| a.seen.id.cmp(&b.seen.id));
        let mut entries: Vec<Entry> = Vec::new();
        entries.extend((unwatched > 0).then(|| unwatched_entry(connection, unwatched)));
        entries.extend(
            changed
                .iter()
                .filter(|changed| !changed.is_told)
                .flat_map(|changed| {
                    changes::modified(
                        connection,
                        &changed.known,
                        &changed.seen,
                        Difference::default(),
                    )
                }),
        );

        let entries = actors.name(entries).await;
        for batch in entries.chunks(RECORDED) {
            self.recorder
                .record(batch.to_vec())
                .await
                .map_err(Obstacle::of)?;
        }

        let changed: Vec<Resource> = changed.into_iter().map(|changed| changed.seen).collect();
        let (first, last) = taken.span();
        self.estate
            .resource_sync(&connection.id, &changed, &[])
            .await
            .map_err(words)?;
        let is_seen = |kind: ResourceKind, id: &ResourceId| taken.seen.has(kind, id);
        self.estate
            .resource_end(&connection.id, &inventory.complete, &is_seen, (first, last))
            .await
            .map_err(words)?;

        Ok(outcome)
    }

    /// Marks the resources of a disabled connection as deleted: nobody looks whether they are still
    /// there.
    pub(crate) async fn retire(&self, connection: &Connection) -> Result<(), Obstacle> {
        let words = |error: StoreError| error.to_string();
        if self.is_running(&connection.id)
            || self
                .descriptions
                .readings(&connection.id)
                .await
                .map_err(words)?
                .is_empty()
        {
            return Ok(());
        }

        match self
            .descriptions
            .description_retire(&connection.id, None, Timestamp::now())
            .await
            .map_err(words)?
        {
            0 => Ok(()),
            count => {
                self.ended.send_modify(|ended| *ended += 1);
                let entries = vec![unwatched_entry(connection, count)];
                self.recorder.record(entries).await.map_err(Obstacle::of)
            }
        }
    }
}

/// Entry about resources that left the inventory because the connection no longer looks at them.
fn unwatched_entry(connection: &Connection, count: u64) -> Entry {
    Entry::for_event(&events::INTEGRATION_SYNC)
        .by(Actor::system())
        .on(ResourceRef::new("connection", connection.id.0.clone()))
        .with_action(
            "stop_reading",
            ActionStatus::Success,
            ActionMethod::Scheduled,
        )
        .with_metadata("connection", Json::from(connection.name.clone()))
        .with_metadata("resources", Json::from(count))
        .with_metadata(
            "regions",
            Json::from(
                connection
                    .regions
                    .iter()
                    .map(|one| Json::from(one.clone()))
                    .collect::<Vec<_>>(),
            ),
        )
}

fn story(connection: &Connection, by: &str, outcome: &Result<SyncReport, Obstacle>) -> Entry {
    let status = if outcome.is_ok() {
        ActionStatus::Success
    } else {
        ActionStatus::Failed
    };

    let entry = Entry::for_event(&events::INTEGRATION_SYNC)
        .by(Actor::system())
        .on(ResourceRef::new("connection", connection.id.0.clone()))
        .with_action("sync", status, ActionMethod::Scheduled)
        .with_metadata("connection", Json::from(json!(connection.name)))
        .with_metadata("asked_by", Json::from(json!(by)));

    match outcome {
        Ok(report) => entry.with_metadata(
            "report",
            Json::from(json!({
                "resources": report.resources,
                "samples": report.samples,
                "denied": report.denied.iter().map(|denied| denied.permission.as_str()).collect::<Vec<_>>(),
                "problems": report.problems,
            })),
        ),
        Err(obstacle) => entry.with_severity(Severity::Medium).with_metadata("error", Json::from(json!(obstacle.as_str()))),
    }
}

/// The syncer as handlers know it: a sync they request runs in the background.
pub(crate) struct Background(pub(crate) Arc<ConnectionSyncer>);

#[async_trait]
impl Syncer for Background {
    async fn test(&self, connection: &Connection) -> Result<String, ObserveError> {
        // What an earlier session still may do proves nothing.
        self.0.clouds.close(&connection.id);
        self.0.clouds.observer(connection).await?.identity().await
    }

    fn check_endpoint(&self, url: &str) -> Result<(), Obstacle> {
        self.0.clouds.check_endpoint(url)
    }

    async fn sync(&self, connection: &ConnectionId, by: &str) -> bool {
        if self.0.is_running(connection) {
            return false;
        }

        let (syncer, id, by) = (self.0.clone(), connection.clone(), by.to_owned());
        tokio::spawn(async move {
            if let Some(Err(error)) = syncer.sync_now(&id, &by).await {
                tracing::warn!(connection = %id, %error, "a sync failed");
            }
        });
        true
    }
}
