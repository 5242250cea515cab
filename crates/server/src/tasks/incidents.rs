//! Keeps incidents in step with their findings, and follows the runs of playbooks.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.incident_service.keep_in_step().await {
                context.journal.failed("incidents", &error).await;
            }
            if let Err(error) = context.incident_service.advance().await {
                context.journal.failed("incidents", &error).await;
            }
        }
    });
}
