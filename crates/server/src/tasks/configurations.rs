//! Removes versions of configurations that have ended long ago, and documents that no version has.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Json, events};
use reeve_estate::DescriptionStore as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    let keep = SignedDuration::from_hours(24 * i64::from(service.config.configuration_days));
    super::every(tracker, stop, Duration::from_secs(3600), move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            let Ok(before) = Timestamp::now().checked_sub(keep) else { return };
            match store.versions_expire(before).await {
                Ok(0) => {}
                Ok(versions) => {
                    let removed = super::done(&events::MAINTENANCE, "remove_old_configurations", "configurations")
                        .with_metadata("versions", Json::from(versions))
                        .with_metadata("older_than", reeve_audit::format_instant(before));
                    context.journal.record_outcome(removed).await;
                }
                Err(error) => context.journal.failed("configurations.expire", &error).await,
            }
        }
    });
}
