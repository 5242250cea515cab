//! Keeps the sample table small: merges small files, keeps the maxima of each day, lets old days
//! go.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Json, events};
use reeve_estate::StoreError;
use reeve_lake::SampleLake;
use reeve_learn::sizing::HISTORY_DAYS;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Days and connections whose maxima are computed in one pass.
const CONDENSED_AT_ONCE: usize = 200;

/// Time after its end at which a day's maxima are computed: most of its samples have come by then.
const SETTLED: SignedDuration = SignedDuration::from_hours(1);

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
            if let Err(error) = keep_maxima(&samples, Timestamp::now(), before).await {
                context.journal.failed("samples.condense", &error).await;
            }
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

/// Computes the maxima of days that are over, and all of those whose samples are about to go. Those
/// older than thirteen months are dropped.
async fn keep_maxima(
    samples: &SampleLake,
    now: Timestamp,
    before: Timestamp,
) -> Result<(), StoreError> {
    let oldest = SignedDuration::from_hours(24 * HISTORY_DAYS as i64);
    samples.expire_maxima(now - oldest).await?;
    // A day that cannot be read does not keep the table from shrinking.
    let expiring = samples.condense(before, usize::MAX).await;
    samples.condense(now - SETTLED, CONDENSED_AT_ONCE).await?;
    expiring.map(|_| ())
}
