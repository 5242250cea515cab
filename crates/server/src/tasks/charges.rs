//! Watches spending: reads the bills in `charges/` of the data directory whenever one of them, or
//! the settings, changed, and hands unusual days to the anomaly service.
//!
//! Bills are FOCUS files (`.csv`, `.csv.gz`, `.parquet`), put there by an export job or by hand. A
//! file that cannot be read is told and left out.

use std::sync::Arc;
use std::time::Duration;

use reeve_anomalies::{AnomalyStore as _, spend};
use reeve_audit::{Json, events};
use reeve_recommend::caller::Caller;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::bills::{Bill, MOST_FILES, files, read};
use crate::service::Service;

/// State of the last reading: the files with size and time, the settings' version, and the number
/// of lessons.
type Seen = (Vec<Bill>, u64, usize);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store, folder) = (
        service.tasks.clone(),
        service.store.clone(),
        service.config.data_dir.join("charges"),
    );
    let seen = Arc::new(Mutex::new(None::<Seen>));
    let beat = Duration::from_secs(service.config.charges_every_s);
    super::every(tracker, stop, beat, move || {
        let (context, store, folder, seen) =
            (context.clone(), store.clone(), folder.clone(), seen.clone());
        async move {
            context.bills.release_unused();
            let settings = match store.anomaly_settings_get().await {
                Ok(settings) => settings,
                Err(error) => return context.journal.failed("charges", &error).await,
            };
            let thresholds = match context.anomaly_service.thresholds().await {
                Ok(thresholds) => thresholds,
                Err(error) => return context.journal.failed("charges", &error).await,
            };
            let mut seen = seen.lock().await;
            let now = context.now();
            let files = files(&folder);
            let lessons: usize = thresholds.list().iter().map(|one| one.lessons.len()).sum();
            let current = (files.clone(), settings.version, lessons);
            if files.is_empty() || seen.as_ref() == Some(&current) {
                return tracing::debug!(bills = files.len(), "no bill has changed");
            }
            let judged = tokio::task::spawn_blocking(move || {
                let (charges, unreadable) = read(&files);
                (
                    spend::look(&charges, &settings.cost, &thresholds, now),
                    unreadable,
                )
            });
            let ((found, abstained), unreadable) = match judged.await {
                Ok(judged) => judged,
                Err(error) => return context.journal.failed("charges", &error).await,
            };
            for error in unreadable {
                context.journal.failed("charges.read", &error).await;
            }
            for why in abstained {
                tracing::info!(why, "spending was not judged");
            }
            for finding in found {
                if let Err(error) = context
                    .anomaly_service
                    .report(finding, &Caller::system())
                    .await
                {
                    // It is looked at again at the next beat.
                    return context.journal.failed("charges", &error).await;
                }
            }
            let read = super::done(&events::TASK, "read_bills", "charges");
            context
                .journal
                .record_outcome(
                    read.with_metadata("bills", Json::from(current.0.len().min(MOST_FILES))),
                )
                .await;
            *seen = Some(current);
        }
    });
}
