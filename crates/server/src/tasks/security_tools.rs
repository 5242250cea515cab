//! Exchange with other security tools: closes alerts at their senders, ends alerts of closed
//! incidents and those that expire, and reads feeds of threat lists that are due.

use std::time::Duration;

use reeve_recommend::caller::Caller;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks for alerts that are to be closed at their senders.
const CLOSE_EVERY: Duration = Duration::from_secs(2);
/// Time between two looks for alerts of closed incidents, and for those that expire.
const END_EVERY: Duration = Duration::from_secs(10);
/// Time between two looks for feeds that are due.
const READ_EVERY: Duration = Duration::from_secs(60);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    super::every(tracker, stop, CLOSE_EVERY, move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.alert_intake.call_back().await {
                context.journal.failed("security_tools.close", &error).await;
            }
        }
    });

    let context = service.tasks.clone();
    super::every(tracker, stop, END_EVERY, move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.alert_intake.upkeep().keep().await {
                context.journal.failed("security_tools.end", &error).await;
            }
        }
    });

    let context = service.tasks.clone();
    super::every(tracker, stop, READ_EVERY, move || {
        let context = context.clone();
        async move {
            let caller = Caller::system();
            let refreshed = context.anomaly_service.threat_feeds_refresh(&caller);
            if let Err(error) = refreshed.await {
                context.journal.failed("security_tools.feeds", &error).await;
            }
        }
    });
}
