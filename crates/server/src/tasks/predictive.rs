//! Reads the calendar addresses that are due, and evaluates the predictive rules that are. The
//! rules that come with Reeve are put in once in a data directory's life, so that those people
//! remove stay removed.

use std::time::Duration;

use reeve_recommend::caller::Caller;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks for rules that are due.
const BEAT: Duration = Duration::from_secs(15);
/// Set once the rules that come with Reeve were put in.
const SEEDED: &str = "intelligence.predictive_rules.seeded";

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    super::every(tracker, stop, BEAT, move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            let caller = Caller::system();
            match store.setting_get(SEEDED).await {
                Ok(Some(_)) => {}
                Ok(None) => {
                    if let Err(error) = context.rule_service.seed().await {
                        return tracing::warn!(%error, "the built-in rules could not be added");
                    }
                    if let Err(error) = store.setting_put(SEEDED, &json!(true)).await {
                        tracing::warn!(%error, "that the rules were put in could not be kept");
                    }
                }
                Err(error) => return tracing::warn!(%error, "the state store could not be read"),
            }
            if let Err(error) = context.rule_service.refresh_calendars(&caller).await {
                context.journal.failed("calendars", &error).await;
            }
            if let Err(error) = context.rule_service.evaluate_due(&caller).await {
                context.journal.failed("predictive", &error).await;
            }
        }
    });
}
