//! Measures the objectives of services, and records error budgets that began to burn too fast.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two measurements: the period of most samples.
const BEAT: Duration = Duration::from_secs(300);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    let objectives = service.engine.objectives.clone();
    super::every(tracker, stop, BEAT, move || {
        let (context, objectives) = (context.clone(), objectives.clone());
        async move {
            if let Err(error) = objectives.evaluate().await {
                context.journal.failed("objectives", &error).await;
            }
        }
    });
}
