//! Reads bill sources that are due, and drops the files of those that are gone.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_sources::{BillSource, BillSourceStore as _};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks at what is due.
const BEAT: Duration = Duration::from_secs(5);
/// Time between two syncs of a source: clouds export bills a few times a day.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, puller, tasks) = (service.store.clone(), service.observers.bills.clone(), tracker.clone());
    super::every(tracker, stop, BEAT, move || {
        let (store, puller, tasks) = (store.clone(), puller.clone(), tasks.clone());
        async move {
            let sources = match store.bill_source_list().await {
                Ok(sources) => sources,
                Err(error) => return tracing::warn!(%error, "bill sources could not be read"),
            };
            let all: Vec<BillSource> = sources.iter().map(|(source, _)| source.clone()).collect();
            if let Err(error) = puller.drop_gone(&all) {
                tracing::warn!(error, "files of a bill source that is gone were not dropped");
            }
            for (source, last) in sources {
                // A changed source is read at once.
                let since = last.map(|last| last.finished_at).filter(|at| *at >= source.updated_at);
                let due = since.is_none_or(|at| Timestamp::now().duration_since(at) >= PAUSE);
                if source.enabled && due && !puller.is_running(&source.id) {
                    let puller = puller.clone();
                    tasks.spawn(async move { puller.sync_now(&source, "schedule").await });
                }
            }
        }
    });
}
