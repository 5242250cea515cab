//! Keeps the sample table small: merges small files, lets old days go.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let samples = service.samples.clone();
    let keep = SignedDuration::from_hours(24 * i64::from(service.config.samples_days));
    super::every(tracker, stop, Duration::from_secs(600), move || {
        let samples = samples.clone();
        async move {
            if let Err(error) = samples.compact().await {
                tracing::warn!(%error, "samples could not be merged");
            }
            if let Ok(before) = Timestamp::now().checked_sub(keep)
                && let Err(error) = samples.expire(before).await
            {
                tracing::warn!(%error, "old samples could not be removed");
            }
        }
    });
}
