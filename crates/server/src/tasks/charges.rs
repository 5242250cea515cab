//! Watches spending: reads the bills in `charges/` of the data directory whenever one of them, or the settings, changed, and
//! hands unusual days to the anomaly service.
//!
//! Bills are FOCUS files (`.csv`, `.csv.gz`), put there by an export job or by hand. A file that cannot be read is told and
//! left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reeve_anomalies::{AnomalyStore as _, spend};
use reeve_audit::{Json, events};
use reeve_estate::charge::{Charge, Restatements};
use reeve_recommend::Caller;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::commands::bill;
use crate::service::Service;

/// Files read at most, the newest first.
const MOST_FILES: usize = 60;
/// Charges held in memory at once: about 300 bytes each.
const MOST_CHARGES: usize = 1_000_000;

/// A bill: its path, size and time.
pub(super) type Bill = (PathBuf, u64, Timestamp);

/// State of the last reading: the files with size and time, and the settings' version.
type Seen = (Vec<(PathBuf, u64, Timestamp)>, u64);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store, folder) =
        (service.tasks.clone(), service.store.clone(), service.config.data_dir.join("charges"));
    let seen = Arc::new(Mutex::new(None::<Seen>));
    let beat = Duration::from_secs(service.config.charges_every_s);
    super::every(tracker, stop, beat, move || {
        let (context, store, folder, seen) = (context.clone(), store.clone(), folder.clone(), seen.clone());
        async move {
            let settings = match store.anomaly_settings_get().await {
                Ok(settings) => settings,
                Err(error) => return context.journal.failed("charges", &error).await,
            };
            let mut seen = seen.lock().await;
            let now = context.now();
            let files = files(&folder);
            let current = (files.clone(), settings.version);
            if files.is_empty() || seen.as_ref() == Some(&current) {
                return tracing::debug!(bills = files.len(), "no bill has changed");
            }
            let judged = tokio::task::spawn_blocking(move || {
                let (charges, unreadable) = read(&files);
                (spend::look(&charges, &settings.cost, now), unreadable)
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
                if let Err(error) = context.anomaly_service.report(finding, &Caller::system()).await {
                    // It is looked at again at the next beat.
                    return context.journal.failed("charges", &error).await;
                }
            }
            let read = super::done(&events::TASK, "read_bills", "charges");
            context.journal.record_outcome(read.with_metadata("bills", Json::from(current.0.len()))).await;
            *seen = Some(current);
        }
    });
}

/// The bills of a folder, the newest file first.
pub(super) fn files(folder: &Path) -> Vec<(PathBuf, u64, Timestamp)> {
    // No folder is no bill.
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let bill = |path: &Path| path.to_str().is_some_and(|name| name.ends_with(".csv") || name.ends_with(".csv.gz"));
    let mut found: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| bill(path))
        .filter_map(|path| {
            let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((path, about.len(), Timestamp::try_from(about.modified().ok()?).ok()?))
        })
        .collect();
    found.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MOST_FILES);
    found
}

/// Charges of the bills, and the reason for each bill that could not be read. Where bills overlap, the one that was changed last counts.
pub(super) fn read(files: &[(PathBuf, u64, Timestamp)]) -> (Vec<Charge>, Vec<String>) {
    let (mut charges, mut restatements, mut unreadable) = (Vec::new(), Restatements::default(), Vec::new());
    for (path, _, _) in files {
        match bill(path, MOST_CHARGES - charges.len()) {
            Ok(more) => charges.extend(restatements.add_older(more)),
            Err(error) => unreadable.push(format!("a bill could not be read: {error:#}")),
        }
    }
    tracing::info!(bills = files.len(), charges = charges.len(), "bills were read");
    (charges, unreadable)
}
