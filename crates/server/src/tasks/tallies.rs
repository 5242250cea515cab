//! Records what was counted instead of recorded one by one, once its window is over: refused
//! attempts, API calls, failures.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let app = service.app.clone();
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let app = app.clone();
        async move { app.record_tallies(false).await }
    });
}
