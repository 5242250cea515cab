//! Opens drifts again whose acceptance is over.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, drift) = (service.tasks.clone(), service.engine.drift.clone());
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let (context, drift) = (context.clone(), drift.clone());
        async move {
            if let Err(error) = drift.reopen_ended().await {
                context.journal.failed("drift", &error).await;
            }
        }
    });
}
