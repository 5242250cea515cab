//! Records the ends of exclusions, exceptions of checks among them.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    let recommendations = service.engine.recommendations.clone();
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let (context, recommendations) = (context.clone(), recommendations.clone());
        async move {
            if let Err(error) = recommendations.end_exclusions().await {
                context.journal.failed("exclusions", &error).await;
            }
        }
    });
}
