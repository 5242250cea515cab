//! Syncing a connection: inventory, then raw samples from where the last sync ended. One at a time per connection.

mod changes;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, Severity, events};
use reeve_estate::{
    Connection, ConnectionId, ConnectionStatus, EstateStore, Inventory, Metric, ObserveError, Resource, ResourceFilter,
    ResourceId, SampleQuery, SampleStore, StoreError, SyncReport,
};
use reeve_http::Syncer;
use reeve_recommend::ports::Recorder;
use serde_json::json;

use super::clouds::CloudRegistry;

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
    running: Mutex<HashSet<ConnectionId>>,
}

impl ConnectionSyncer {
    /// Over stores, clouds and the log.
    pub(crate) fn new(
        estate: Arc<dyn EstateStore>,
        samples: Arc<dyn SampleStore>,
        clouds: Arc<CloudRegistry>,
        recorder: Arc<dyn Recorder>,
    ) -> Self {
        ConnectionSyncer { estate, samples, clouds, recorder, running: Mutex::default() }
    }

    /// Syncs one connection and waits for it; `None` when a sync of it was running already.
    pub(crate) async fn sync_now(&self, id: &ConnectionId, by: &str) -> Option<Result<SyncReport, String>> {
        if !self.running.lock().insert(id.clone()) {
            return None;
        }
        let outcome = self.run(id, by).await;
        self.running.lock().remove(id);
        Some(outcome)
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
        let inventory = observer.inventory().await.map_err(|error| error.message)?;
        let words = |error: StoreError| error.to_string();
        self.record_changes(connection, &inventory).await?;
        self.estate.resource_sync(&connection.id, &inventory.resources, &inventory.complete).await.map_err(words)?;
        let mut report = SyncReport {
            started_at,
            finished_at: started_at,
            resources: inventory.resources.len() as u64,
            samples: 0,
            denied: inventory.denied,
            problems: inventory.problems,
        };
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
    /// Records what changed since the last sync. The log comes first: a crash in between tells of a change twice rather than never.
    async fn record_changes(&self, connection: &Connection, inventory: &Inventory) -> Result<(), String> {
        if connection.last_sync.is_none() {
            return Ok(());
        }
        let filter = ResourceFilter { connection: Some(connection.id.clone()), ..ResourceFilter::default() };
        let (known, _) = self.estate.resource_list(&filter).await.map_err(|error| error.to_string())?;
        let entries = changes::entries(connection, &known, &inventory.resources, &inventory.complete);
        for batch in entries.chunks(RECORDED) {
            self.recorder.record(batch.to_vec()).await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

fn story(connection: &Connection, by: &str, outcome: &Result<SyncReport, String>) -> Entry {
    let status = if outcome.is_ok() { ActionStatus::Success } else { ActionStatus::Failed };
    let entry = Entry::of(&events::INTEGRATION_SYNC)
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
        if self.0.running.lock().contains(connection) {
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
