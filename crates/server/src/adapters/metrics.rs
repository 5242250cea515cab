//! Metric sources: takes what Prometheus servers push, queries those that are queried, and stores
//! the samples of resources.
//!
//! Pushes of a source are taken one after the other, and a bounded number waits. The estate that
//! labels are compared with is read again every few minutes, sooner while series belong to no
//! resource.

mod estate;
mod pull;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, events};
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_connect_prometheus::{MAX_ANSWER_BYTES, WriteFault, decode_write};
use reeve_estate::{DescriptionStore, EstateStore, SampleStore};
use reeve_http::metric_intake::{MetricIntake, WriteError, WriteStatus};
use reeve_recommend::ports::Recorder;
use reeve_sources::{
    Intake, IntakeCounts, MappingRule, MetricSource, MetricSourceId, MetricSourceStore, Needs,
    Preview, ResourceIndex, SourceKind, preview,
};
use serde_json::json;
use tokio::sync::Semaphore;

use super::running::Running;
use estate::index;

/// Pushes of a source that are taken or wait at once.
const WAITING: usize = 16;
/// Wait that a server is asked for when more come, seconds.
const RETRY_AFTER_S: u64 = 5;
/// Age at which the estate is read again.
const FRESH: Duration = Duration::from_secs(300);
/// Age at which it is read again while series belong to no resource.
const FRESH_UNMATCHED: Duration = Duration::from_secs(30);

/// Stores and ports that samples of metric sources go through.
pub(crate) struct MetricPorts {
    pub(crate) sources: Arc<dyn MetricSourceStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) descriptions: Arc<dyn DescriptionStore>,
    pub(crate) samples: Arc<dyn SampleStore>,
    pub(crate) recorder: Arc<dyn Recorder>,
}

/// Takes metrics that other systems send.
pub(crate) struct MetricTaker {
    ports: MetricPorts,
    outbound: Outbound,
    pushing: Mutex<HashMap<MetricSourceId, Arc<Pushing>>>,
    running: Running<MetricSourceId>,
    since: Timestamp,
}

/// A source that pushes.
struct Pushing {
    room: Semaphore,
    state: tokio::sync::Mutex<Option<State>>,
    status: Mutex<WriteStatus>,
    /// Counts that are in the log already.
    recorded: Mutex<WriteStatus>,
}

struct State {
    version: u64,
    intake: Intake,
    indexed_at: Instant,
    unmatched: bool,
}

impl MetricTaker {
    /// Over stores, with addresses reached as the policy allows.
    pub(crate) fn new(ports: MetricPorts, policy: OutboundPolicy) -> Self {
        let limits = OutboundLimits {
            time: Duration::from_secs(60),
            body: MAX_ANSWER_BYTES,
            redirects: 0,
        };
        let (pushing, running) = (Mutex::default(), Running::default());
        MetricTaker {
            ports,
            outbound: Outbound::new(policy, limits),
            pushing,
            running,
            since: Timestamp::now(),
        }
    }

    fn pushing(&self, id: &MetricSourceId) -> Arc<Pushing> {
        let empty = self.empty();
        let new = || Pushing {
            room: Semaphore::new(WAITING),
            state: tokio::sync::Mutex::default(),
            status: Mutex::new(empty),
            recorded: Mutex::new(empty),
        };

        self.pushing
            .lock()
            .entry(id.clone())
            .or_insert_with(|| Arc::new(new()))
            .clone()
    }

    fn empty(&self) -> WriteStatus {
        let since = self.since;
        WriteStatus {
            since,
            last_at: None,
            pushes: 0,
            refused: 0,
            stored: 0,
            counts: IntakeCounts::default(),
        }
    }

    async fn taken(
        &self,
        source: &MetricSource,
        pushing: &Pushing,
        body: Bytes,
    ) -> Result<(), WriteError> {
        let Ok(_place) = pushing.room.try_acquire() else {
            return Err(WriteError::Busy {
                retry_after_s: RETRY_AFTER_S,
            });
        };

        let decoded = tokio::task::spawn_blocking(move || decode_write(&body)).await;
        let decoded = decoded.map_err(|error| WriteError::Malformed(error.to_string()))?;
        let series = decoded.map_err(|fault| match fault {
            WriteFault::TooLarge { .. } => WriteError::TooLarge(fault.to_string()),
            other => WriteError::Malformed(other.to_string()),
        })?;
        let mut state = pushing.state.lock().await;
        let state = self.current(source, &mut state).await?;
        let taken = state
            .intake
            .take(&source.connection(), series, Timestamp::now());
        state.unmatched = taken.counts.unmatched > 0;

        // A push that could not be stored is sent again, and changes nothing but its samples then.
        self.ports.samples.sample_sources(&[source.connection()]);
        self.ports.samples.sample_insert(&taken.samples).await?;
        let mut status = pushing.status.lock();
        status.counts += taken.counts;
        status.stored += taken.samples.len() as u64;
        status.pushes += 1;
        status.last_at = Some(Timestamp::now());

        Ok(())
    }

    /// The state of a source, with its rules and the estate as they are now.
    async fn current<'s>(
        &self,
        source: &MetricSource,
        state: &'s mut Option<State>,
    ) -> Result<&'s mut State, WriteError> {
        let rules: Arc<[MappingRule]> = source.rules.clone().into();
        let known = match state.take() {
            Some(known) if known.version == source.version => known,
            Some(known) => State {
                version: source.version,
                intake: known
                    .intake
                    .with_rules(rules)
                    .with_index(Arc::new(self.index_of(&source.rules).await?)),
                indexed_at: Instant::now(),
                unmatched: false,
            },
            None => State {
                version: source.version,
                intake: Intake::new(rules, Arc::new(self.index_of(&source.rules).await?)),
                indexed_at: Instant::now(),
                unmatched: false,
            },
        };
        let known = state.insert(known);

        let fresh = if known.unmatched {
            FRESH_UNMATCHED
        } else {
            FRESH
        };

        if known.indexed_at.elapsed() > fresh {
            known
                .intake
                .set_index(Arc::new(self.index_of(&source.rules).await?));
            known.indexed_at = Instant::now();
        }

        Ok(known)
    }

    async fn index_of(
        &self,
        rules: &[MappingRule],
    ) -> Result<ResourceIndex, reeve_estate::StoreError> {
        if rules.is_empty() {
            return Ok(ResourceIndex::default());
        }
        index(
            &*self.ports.estate,
            &*self.ports.descriptions,
            &Needs::of(rules),
        )
        .await
    }

    /// Records what was pushed since the last record, one entry a source, and forgets sources that
    /// are gone.
    pub(crate) async fn record_pushes(&self, sources: &[MetricSource]) {
        self.pushing
            .lock()
            .retain(|id, _| sources.iter().any(|source| source.id == *id));
        let mut entries = Vec::new();
        for source in sources
            .iter()
            .filter(|source| source.kind == SourceKind::RemoteWrite)
        {
            let pushing = self.pushing(&source.id);
            let (now, before) = (*pushing.status.lock(), *pushing.recorded.lock());
            if now != before {
                *pushing.recorded.lock() = now;
                entries.push(pushed_entry(source, &before, &now));
            }
        }

        if !entries.is_empty()
            && let Err(error) = self.ports.recorder.record(entries).await
        {
            tracing::warn!(%error, "pushed metrics were not recorded");
        }
    }
}

fn pushed_entry(source: &MetricSource, before: &WriteStatus, now: &WriteStatus) -> Entry {
    let report = json!({
        "pushes": now.pushes - before.pushes,
        "refused": now.refused - before.refused,
        "points": now.counts.received - before.counts.received,
        "mapped": now.counts.mapped - before.counts.mapped,
        "unmatched": now.counts.unmatched - before.counts.unmatched,
        "samples": now.stored - before.stored,
    });
    Entry::for_event(&events::INTEGRATION_SYNC)
        .by(Actor::system())
        .on(ResourceRef::new("metric_source", source.id.0.clone()))
        .with_action(
            "receive_metrics",
            ActionStatus::Success,
            ActionMethod::Scheduled,
        )
        .with_metadata("source", Json::from(source.name.clone()))
        .with_metadata("report", Json::from(report))
}

/// The taker as handlers know it: a sync they request runs in the background.
pub(crate) struct MetricGate(pub(crate) Arc<MetricTaker>);

#[async_trait]
impl MetricIntake for MetricGate {
    async fn write(&self, source: &MetricSource, body: Bytes) -> Result<(), WriteError> {
        let pushing = self.0.pushing(&source.id);
        let outcome = self.0.taken(source, &pushing, body).await;
        if outcome.is_err() {
            pushing.status.lock().refused += 1;
        }
        outcome
    }

    async fn preview(
        &self,
        source: &MetricSource,
        rules: &[MappingRule],
    ) -> Result<Preview, Obstacle> {
        let index = self.0.index_of(rules).await.map_err(Obstacle::of)?;

        if source.kind == SourceKind::Query {
            return self.0.queried_preview(source, rules, &index).await;
        }

        let pushing = self.0.pushing(&source.id);
        let mut state = pushing.state.lock().await;
        let state = self
            .0
            .current(source, &mut state)
            .await
            .map_err(Obstacle::of)?;

        Ok(preview(&state.intake, &index, rules))
    }

    fn status(&self, id: &MetricSourceId) -> WriteStatus {
        let known = self.0.pushing.lock().get(id).cloned();
        known.map_or_else(|| self.0.empty(), |pushing| *pushing.status.lock())
    }

    fn check_url(&self, url: &str) -> Result<(), Obstacle> {
        self.0.outbound.policy().check_given(url)
    }

    async fn sync(&self, id: &MetricSourceId, by: &str) -> bool {
        if self.0.is_running(id) {
            return false;
        }
        let (taker, id, by) = (self.0.clone(), id.clone(), by.to_owned());
        tokio::spawn(async move { taker.sync_now(&id, &by).await });
        true
    }
}
