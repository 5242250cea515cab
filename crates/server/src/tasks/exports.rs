//! Runs exports, starts scheduled ones, and removes files whose time has come.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::exports::ExportRunner;
use crate::service::Service;

/// Time between two looks for work.
const BEAT: Duration = Duration::from_millis(500);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let runner = Arc::new(ExportRunner::new(service));
    let ending = stop.clone();
    super::every(tracker, stop, BEAT, move || {
        let (runner, ending) = (runner.clone(), ending.clone());
        async move {
            if let Err(error) = runner.beat(&ending).await {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "exports could not continue; they are tried again"
                );
            }
        }
    });
}
