//! Seals the log into segments when that is due.

use reeve_audit::{Json, events};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Wait after a failure.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(30);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, ledger) = (service.tasks.clone(), service.ledger.clone());
    let (segments, stop) = (service.segments.clone(), stop.clone());
    tracker.spawn(async move {
        if let Err(error) = segments.sweep().await {
            tracing::warn!(%error, "leftovers of an interrupted seal were not removed");
        }
        loop {
            tokio::select! { () = stop.cancelled() => return, () = ledger.seal_due() => {} }
            match ledger.seal().await {
                Ok(entries) => {
                    tracing::debug!(entries, "sealed");
                    let sealed = super::done(&events::MAINTENANCE, "seal_segments", "ledger");
                    context.journal.record_outcome(sealed.with_metadata("entries", Json::from(entries))).await;
                }
                Err(error) => {
                    // Entries stay in the write-ahead log.
                    context.journal.failed("seal", &error).await;
                    tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(PAUSE) => {} }
                }
            }
        }
    });
}
