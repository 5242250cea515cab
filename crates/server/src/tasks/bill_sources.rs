//! Reads bill sources that are due, and drops the files of those that are gone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_sources::{BillSource, BillSourceId, BillSourceStore as _};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::bill_sources::BillPuller;
use crate::service::Service;

/// Time between two looks at what is due.
const BEAT: Duration = Duration::from_secs(5);
/// Time between two syncs of a source: clouds export bills a few times a day.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, puller, tasks) = (
        service.store.clone(),
        service.observers.bills.clone(),
        tracker.clone(),
    );
    let known = Arc::new(Mutex::new(None));
    super::every(tracker, stop, BEAT, move || {
        let (store, puller, tasks, known) =
            (store.clone(), puller.clone(), tasks.clone(), known.clone());
        async move {
            let sources = match store.bill_source_list().await {
                Ok(sources) => sources,
                Err(error) => return tracing::warn!(%error, "bill sources could not be read"),
            };
            let all: Vec<BillSource> = sources.iter().map(|(source, _)| source.clone()).collect();
            drop_gone(&puller, &all, &known);
            for (source, last) in sources {
                // A changed source is read at once.
                let since = last
                    .map(|last| last.finished_at)
                    .filter(|at| *at >= source.updated_at);
                let due = since.is_none_or(|at| Timestamp::now().duration_since(at) >= PAUSE);
                if source.enabled && due && !puller.is_running(&source.id) {
                    let puller = puller.clone();
                    tasks.spawn(async move { puller.sync_now(&source, "schedule").await });
                }
            }
        }
    });
}

/// Sources whose files may stay; `None` before the first look.
type KnownSources = Mutex<Option<BTreeSet<BillSourceId>>>;

/// Drops the files of sources that are gone. The folder, which may have thousands of files, is read
/// at the start and after the set of sources changed; again where that failed, and while a source
/// that is gone is still being read.
fn drop_gone(puller: &BillPuller, sources: &[BillSource], known: &KnownSources) {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let ids: BTreeSet<BillSourceId> = sources.iter().map(|source| source.id.clone()).collect();
    if known.as_ref() == Some(&ids) {
        return;
    }

    let is_read = known
        .iter()
        .flatten()
        .any(|id| !ids.contains(id) && puller.is_running(id));
    match puller.drop_gone(sources) {
        Ok(_) if is_read => {}
        Ok(_) => *known = Some(ids),
        Err(error) => tracing::warn!(
            %error,
            "files of a bill source that is gone were not dropped"
        ),
    }
}
