//! Keeps the sample table small: merges small files, lets old days go.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Json, events};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, samples) = (service.tasks.clone(), service.samples.clone());
    super::every(tracker, stop, Duration::from_secs(600), move || {
        let (context, samples) = (context.clone(), samples.clone());
        async move {
            if let Err(error) = samples.compact().await {
                context.journal.failed("samples.merge", &error).await;
            }
            let days = match context.workspace.workspace_get().await {
                Ok(workspace) => workspace
                    .samples_days
                    .unwrap_or(context.settings.samples_days),
                Err(error) => return context.journal.failed("samples.expire", &error).await,
            };
            let keep = SignedDuration::from_hours(24 * i64::from(days));
            let Ok(before) = Timestamp::now().checked_sub(keep) else {
                return;
            };
            match samples.expire(before).await {
                Ok(0) => {}
                Ok(files) => {
                    let removed =
                        super::done(&events::MAINTENANCE, "remove_old_samples", "samples");
                    let removed = removed.with_metadata("files", Json::from(files));
                    context
                        .journal
                        .record_outcome(
                            removed
                                .with_metadata("older_than", reeve_audit::format_instant(before)),
                        )
                        .await;
                }
                Err(error) => context.journal.failed("samples.expire", &error).await,
            }
        }
    });
}
