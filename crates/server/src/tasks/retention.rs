//! Deletes what has expired, and keeps what readers see in step with policies and holds.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Within the time that segments are looked at ahead.
const BEAT: Duration = Duration::from_secs(600);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, retention) = (service.tasks.clone(), service.app.retention.clone());
    super::every(tracker, stop, BEAT, move || {
        let (context, retention) = (context.clone(), retention.clone());
        async move {
            if let Err(obstacle) = retention.apply().await {
                context.journal.failed("retention", obstacle.as_str()).await;
            }
            match retention.run().await {
                Ok(run) => {
                    for failure in run.failures {
                        context.journal.failed("retention", failure).await;
                    }
                }
                Err(obstacle) => context.journal.failed("retention", obstacle.as_str()).await,
            }
        }
    });
}
