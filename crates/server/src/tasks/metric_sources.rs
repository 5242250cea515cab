//! Queries metric sources that are due, and records what others pushed.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use reeve_sources::{MetricSource, MetricSourceStore as _, SourceKind, SyncState};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks at what is due.
const BEAT: Duration = Duration::from_secs(5);
/// Time that one entry about pushes stands for.
const RECORDED: Duration = Duration::from_secs(600);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, taker, tasks) = (
        service.store.clone(),
        service.observers.metrics.clone(),
        tracker.clone(),
    );
    let pause =
        SignedDuration::from_secs(i64::try_from(service.config.sync_every_s).unwrap_or(i64::MAX));
    let mut recorded_at = Instant::now();
    super::every(tracker, stop, BEAT, move || {
        let (store, taker, tasks) = (store.clone(), taker.clone(), tasks.clone());
        let record = recorded_at.elapsed() >= RECORDED;
        if record {
            recorded_at = Instant::now();
        }
        async move {
            let sources = match store.metric_source_list().await {
                Ok(sources) => sources,
                Err(error) => return tracing::warn!(%error, "metric sources could not be read"),
            };
            if record {
                taker.record_pushes(&sources).await;
            }
            for source in sources {
                let state = match store.metric_source_state(&source.id).await {
                    Ok(state) => state,
                    Err(error) => {
                        return tracing::warn!(%error, "a metric source could not be read");
                    }
                };
                if is_due(&source, &state, pause, Timestamp::now()) && !taker.is_running(&source.id)
                {
                    let taker = taker.clone();
                    tasks.spawn(async move { taker.sync_now(&source.id, "schedule").await });
                }
            }
        }
    });
}

/// Returns `true` if the last query ended at least `pause` ago, and the server asked for no longer
/// wait.
fn is_due(source: &MetricSource, state: &SyncState, pause: SignedDuration, now: Timestamp) -> bool {
    source.kind == SourceKind::Query
        && source.enabled
        && !source.rules.is_empty()
        && state.wait_until.is_none_or(|until| now >= until)
        && state
            .last
            .as_ref()
            .is_none_or(|last| now.duration_since(last.finished_at) >= pause)
}
