//! Deletes what has expired, moves what is due in a farther tier, erases what approved requests
//! include, and keeps what readers see in step with policies, holds and restores.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between looks at restores.
const RESTORES: Duration = Duration::from_secs(60);
/// Within the time that segments are looked at ahead.
const BEAT: Duration = Duration::from_secs(600);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, retention) = (service.tasks.clone(), service.app.retention.clone());
    super::every(tracker, stop, RESTORES, move || {
        let (context, retention) = (context.clone(), retention.clone());
        async move {
            if let Err(obstacle) = retention.restore().await {
                context.journal.failed("retention", obstacle.as_str()).await;
            }
        }
    });

    let (context, retention) = (service.tasks.clone(), service.app.retention.clone());
    let erasures = service.app.erasures.clone();
    super::every(tracker, stop, BEAT, move || {
        let (context, retention) = (context.clone(), retention.clone());
        let erasures = erasures.clone();
        async move {
            for failure in erasures.run().await {
                context.journal.failed("retention", failure).await;
            }
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
