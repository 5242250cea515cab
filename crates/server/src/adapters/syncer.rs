//! Syncing a connection: inventory, then raw samples from where the last sync ended. One at a time per connection.

mod access;
mod actor;
mod changes;
mod descriptions;
mod seen;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, Severity, events};
use reeve_estate::{
    Connection, ConnectionId, ConnectionStatus, Denied, DescriptionStore, Difference, EstateStore, Inventory, Metric,
    Observe, ObserveError, Resource, ResourceFilter, ResourceId, ResourceKind, SampleQuery, SampleStore, StoreError,
    SyncReport,
};
use reeve_http::Syncer;
use reeve_recommend::ports::{LogReader, Recorder};
use serde_json::json;

use super::clouds::CloudRegistry;
use super::running::Running;
use actor::Actors;
use changes::{Changed, Compared};
use descriptions::{DescriptionSync, Outcome, Place};

/// Resources whose samples are requested at once.
const AT_ONCE: usize = 50;
/// Changes recorded at once.
const RECORDED: usize = 500;

/// Syncs connections.
pub(crate) struct ConnectionSyncer {
    estate: Arc<dyn EstateStore>,
    samples: Arc<dyn SampleStore>,
    clouds: Arc<CloudRegistry>,
    recorder: Arc<dyn Recorder>,
    descriptions: Arc<dyn DescriptionStore>,
    log: Arc<dyn LogReader>,
    running: Running<ConnectionId>,
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
    ) -> Self {
        ConnectionSyncer { estate, samples, clouds, recorder, descriptions, log, running: Running::default() }
    }

    /// Returns `true` while a connection is being synced.
    pub(crate) fn is_running(&self, id: &ConnectionId) -> bool {
        self.running.contains(id)
    }

    /// Syncs one connection and waits for it; `None` when a sync of it was running already.
    pub(crate) async fn sync_now(&self, id: &ConnectionId, by: &str) -> Option<Result<SyncReport, String>> {
        let _turn = self.running.begin(id)?;
        Some(self.run(id, by).await)
    }

    async fn run(&self, id: &ConnectionId, by: &str) -> Result<SyncReport, String> {
        let mut connection = self.estate.connection_get(id).await.map_err(|error| error.to_string())?;
        connection.status = ConnectionStatus::Syncing;
        self.estate.connection_update(&connection).await.map_err(|error| error.to_string())?;
        let outcome = self.observe(&mut connection).await;
        if let Ok(current) = self.estate.connection_get(id).await {
            let after = current.after_sync(&connection.account, &outcome);
            self.estate.connection_update(&after).await.map_err(|error| error.to_string())?;
        }
        if let Err(error) = self.recorder.record(vec![story(&connection, by, &outcome)]).await {
            tracing::warn!(%error, "a sync was not recorded");
        }
        outcome
    }

    async fn observe(&self, connection: &mut Connection) -> Result<SyncReport, String> {
        let started_at = Timestamp::now();
        let observer = self.clouds.observer(connection).await.map_err(|error| error.message)?;
        connection.account = observer.identity().await.map_err(|error| error.message)?;
        let mut inventory = observer.inventory().await.map_err(|error| error.message)?;
        let words = |error: StoreError| error.to_string();
        access::read(&*self.estate, connection, &*observer, &mut inventory).await.map_err(words)?;
        let described = self.describe(connection, &inventory, &*observer).await?;
        self.estate.resource_sync(&connection.id, &inventory.resources, &inventory.complete).await.map_err(words)?;
        let mut report = SyncReport {
            started_at,
            finished_at: started_at,
            resources: inventory.resources.len() as u64 + described.resources,
            samples: 0,
            denied: inventory.denied,
            problems: inventory.problems,
        };
        let denied_already = |denied: &Denied| {
            report.denied.iter().any(|one| one.permission == denied.permission && one.region == denied.region)
        };
        let denied: Vec<Denied> = described.denied.into_iter().filter(|denied| !denied_already(denied)).collect();
        report.denied.extend(denied);
        report.problems.extend(described.problems);
        let newest = self.samples.sample_newest(&connection.id).await.map_err(words)?;
        let newest: HashMap<(ResourceId, Metric), Timestamp> =
            newest.into_iter().map(|(resource, metric, at)| ((resource, metric), at)).collect();
        let now = Timestamp::now();
        let since = |resource: &Resource| {
            SampleQuery::since(resource, |metric| newest.get(&(resource.id.clone(), metric)).copied(), now)
        };
        let queries: Vec<SampleQuery> = inventory.resources.iter().filter_map(since).collect();
        for chunk in queries.chunks(AT_ONCE) {
            let batch = observer.samples(chunk).await.map_err(|error| error.message)?;
            self.samples.sample_insert(&batch.samples).await.map_err(words)?;
            report.samples += batch.samples.len() as u64;
            for denied in batch.denied {
                if !report.denied.contains(&denied) {
                    report.denied.push(denied);
                }
            }
            report.problems.extend(batch.problems);
        }
        report.finished_at = Timestamp::now();
        Ok(report)
    }
}

impl ConnectionSyncer {
    /// Reads the descriptions and records what changed since the last sync, the inventory's changes included.
    async fn describe(
        &self,
        connection: &Connection,
        inventory: &Inventory,
        observer: &dyn Observe,
    ) -> Result<Outcome, String> {
        let words = |error: StoreError| error.to_string();
        let readings = self.descriptions.readings(&connection.id).await.map_err(words)?;
        let complete = readings.iter().filter(|reading| reading.complete_at.is_some());
        let read_before: HashSet<Place> = complete.map(|reading| (reading.kind, reading.region.clone())).collect();
        let compared = self.compared(connection, inventory, &read_before, observer).await.map_err(words)?;
        let actors = Actors::since(&*self.log, connection.last_sync.as_ref().map(|report| report.started_at));
        let sync = DescriptionSync {
            connection,
            store: &self.descriptions,
            recorder: &self.recorder,
            actors: &actors,
            inventory: inventory.resources.iter().map(|resource| resource.id.clone()).collect(),
            changed: Mutex::new(compared.changed),
            read_before,
            read: Mutex::default(),
            seen: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            outcome: Mutex::default(),
        };
        let ended = self.clouds.describe(connection, observer, &sync).await;
        let mut unwatched = compared.unwatched;
        if ended.is_ok() {
            unwatched += sync.retire(&readings).await.map_err(words)?;
        }
        let mut outcome = sync.outcome.into_inner();
        if let Err(error) = ended {
            outcome.problems.push(format!("configurations were not read completely: {error}"));
        }
        let mut entries = compared.entries;
        entries.extend((unwatched > 0).then(|| unwatched_entry(connection, unwatched)));
        let mut left: Vec<Changed> = sync.changed.into_inner().into_values().collect();
        left.sort_by(|a, b| a.seen.id.cmp(&b.seen.id));
        entries.extend(
            left.iter().flat_map(|changed| {
                changes::modified(connection, &changed.known, &changed.seen, Difference::default())
            }),
        );
        let entries = actors.name(entries).await;
        for batch in entries.chunks(RECORDED) {
            self.recorder.record(batch.to_vec()).await.map_err(|error| error.to_string())?;
        }
        Ok(outcome)
    }

    /// Compares the inventory with what is known. The first sync of a connection finds what is there already.
    async fn compared(
        &self,
        connection: &Connection,
        inventory: &Inventory,
        read_before: &HashSet<Place>,
        observer: &dyn Observe,
    ) -> Result<Compared, StoreError> {
        if connection.last_sync.is_none() {
            return Ok(Compared::default());
        }
        let filter = ResourceFilter { connection: Some(connection.id.clone()), ..ResourceFilter::default() };
        let (known, _) = self.estate.resource_list(&filter).await?;
        let known: Vec<Resource> =
            known.into_iter().filter(|known| ResourceKind::SPECIFIED.contains(&known.kind)).collect();
        let is_watched = |region: &str| observer.watches(region);
        Ok(changes::compare(connection, &known, &inventory.resources, &inventory.complete, read_before, is_watched))
    }

    /// Marks the resources of a disabled connection as deleted: nobody looks whether they are still there.
    pub(crate) async fn retire(&self, connection: &Connection) -> Result<(), String> {
        let words = |error: StoreError| error.to_string();
        if self.is_running(&connection.id)
            || self.descriptions.readings(&connection.id).await.map_err(words)?.is_empty()
        {
            return Ok(());
        }
        match self.descriptions.description_retire(&connection.id, None, Timestamp::now()).await.map_err(words)? {
            0 => Ok(()),
            count => {
                let entries = vec![unwatched_entry(connection, count)];
                self.recorder.record(entries).await.map_err(|error| error.to_string())
            }
        }
    }
}

/// Entry about resources that left the inventory because the connection no longer looks at them.
fn unwatched_entry(connection: &Connection, count: u64) -> Entry {
    Entry::for_event(&events::INTEGRATION_SYNC)
        .by(Actor::system())
        .on(ResourceRef::new("connection", connection.id.0.clone()))
        .with_action("stop_reading", ActionStatus::Success, ActionMethod::Scheduled)
        .with_metadata("connection", Json::from(connection.name.clone()))
        .with_metadata("resources", Json::from(count))
        .with_metadata(
            "regions",
            Json::from(connection.regions.iter().map(|one| Json::from(one.clone())).collect::<Vec<_>>()),
        )
}

fn story(connection: &Connection, by: &str, outcome: &Result<SyncReport, String>) -> Entry {
    let status = if outcome.is_ok() { ActionStatus::Success } else { ActionStatus::Failed };
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
        Err(message) => entry.with_severity(Severity::Medium).with_metadata("error", Json::from(json!(message))),
    }
}

/// The syncer as handlers know it: a sync they request runs in the background.
pub(crate) struct Background(pub(crate) Arc<ConnectionSyncer>);

#[async_trait]
impl Syncer for Background {
    async fn test(&self, connection: &Connection) -> Result<String, ObserveError> {
        self.0.clouds.observer(connection).await?.identity().await
    }

    fn check_endpoint(&self, url: &str) -> Result<(), String> {
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
