//! Verifies what runbooks changed, and closes breakers whose time is over.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks.
const BEAT: Duration = Duration::from_secs(5);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, runbooks) = (service.tasks.clone(), service.engine.runbooks.clone());
    super::every(tracker, stop, BEAT, move || {
        let (context, runbooks) = (context.clone(), runbooks.clone());
        async move {
            if let Err(error) = runbooks.settle().await {
                context.journal.failed("runbooks", &error).await;
            }
        }
    });
}
