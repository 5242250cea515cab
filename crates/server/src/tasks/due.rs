//! Moves what waits for a time: scheduled, snoozed and expired recommendations, approvals that
//! lapse.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.scheduler.due().await {
                context.journal.failed("due", &error).await;
            }
        }
    });
}
