//! Seals the log into segments when that is due.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// How long to wait after a failure.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(30);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (ledger, segments, stop) = (service.ledger.clone(), service.segments.clone(), stop.clone());
    tracker.spawn(async move {
        if let Err(error) = segments.sweep().await {
            tracing::warn!(%error, "leftovers of an interrupted seal were not removed");
        }
        loop {
            tokio::select! { () = stop.cancelled() => return, () = ledger.seal_due() => {} }
            match ledger.seal().await {
                Ok(entries) => tracing::debug!(entries, "sealed"),
                Err(error) => {
                    tracing::warn!(%error, "sealing failed; entries stay in the write-ahead log");
                    tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(PAUSE) => {} }
                }
            }
        }
    });
}
