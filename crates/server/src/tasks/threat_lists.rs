//! Threat lists that lie as files: keeps the store's lists as the files in `threat-lists/` of the
//! data directory are, and removes those whose file is gone. The list that ships with Reeve is one
//! of them until a file of its name takes its place. A file that cannot be read is told once and
//! left out.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;
use reeve_anomalies::threat::{BUILT_IN, BUILT_IN_DAY, BUILT_IN_NAME, LONGEST_LIST, ListState};
use reeve_recommend::caller::Caller;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks for changed files.
const BEAT: Duration = Duration::from_secs(60);
/// Files read at most, by name.
const MOST_FILES: usize = 100;

/// Times at which the files were written that could not be read.
type Refused = HashMap<String, Timestamp>;

/// Reads the lists before the first request and the first task, then again on the beat.
pub(super) async fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, folder) = (
        service.tasks.clone(),
        service.config.data_dir.join("threat-lists"),
    );
    let refused = Arc::new(Mutex::new(Refused::new()));
    look(&context, &folder, &refused).await;
    let again = move || {
        let (context, folder, refused) = (context.clone(), folder.clone(), refused.clone());
        async move { look(&context, &folder, &refused).await }
    };
    tracker.spawn(super::repeat(stop.clone(), BEAT, again));
}

async fn look(context: &TaskContext, folder: &Path, refused: &Mutex<Refused>) {
    if let Err(error) = follow(context, folder, &mut *refused.lock().await).await {
        let journal = &context.journal;
        journal.failed("threat_lists", format!("{error:#}")).await;
    }
}

async fn follow(context: &TaskContext, folder: &Path, refused: &mut Refused) -> Result<()> {
    let mut files = files(folder);
    let own = !files.iter().any(|(name, _)| name == BUILT_IN_NAME);
    if own {
        let day = BUILT_IN_DAY.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp();
        files.push((BUILT_IN_NAME.to_owned(), day));
    }

    let known = context.threats.threat_list_state().await?;
    let caller = Caller::system();

    for (name, written) in &files {
        let same = known
            .iter()
            .any(|of| of.name == *name && of.updated_at == *written);
        if same || refused.get(name) == Some(written) {
            continue;
        }
        let path = folder.join(name);
        let put = async {
            if own && name == BUILT_IN_NAME {
                let text = BUILT_IN.to_owned();
                let put =
                    context
                        .anomaly_service
                        .threat_list_put(name, text, Some(*written), &caller);
                return put.await.map_err(anyhow::Error::from);
            }
            ensure!(
                tokio::fs::metadata(&path).await?.len() <= LONGEST_LIST as u64,
                "it has more than {LONGEST_LIST} bytes"
            );
            let text = tokio::fs::read_to_string(&path).await?;
            context
                .anomaly_service
                .threat_list_put(name, text, Some(*written), &caller)
                .await
                .map_err(anyhow::Error::from)
        };
        match put.await.with_context(|| path.display().to_string()) {
            Ok(list) => tracing::info!(
                list = list.name,
                indicators = list.indicators,
                "a threat list was read"
            ),
            Err(error) => {
                context
                    .journal
                    .failed("threat_lists.read", format!("{error:#}"))
                    .await;
                refused.insert(name.clone(), *written);
            }
        }
    }

    let gone = |list: &&ListState| list.from_file && !files.iter().any(|(of, _)| *of == list.name);
    for list in known.iter().filter(gone) {
        context
            .anomaly_service
            .threat_list_delete(&list.name, true, &caller)
            .await?;
    }

    Ok(())
}

/// Files of a folder and when they were written, in whole milliseconds, by name.
fn files(folder: &Path) -> Vec<(String, Timestamp)> {
    // No folder is no list.
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };

    let one = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let list = name.ends_with(".txt") || name.ends_with(".csv");
        let about = entry
            .path()
            .metadata()
            .ok()
            .filter(|about| list && about.is_file())?;
        let written = Timestamp::try_from(about.modified().ok()?).ok()?;
        Some((
            name,
            Timestamp::from_millisecond(written.as_millisecond()).ok()?,
        ))
    };
    let mut found: Vec<_> = entries.flatten().filter_map(one).collect();
    found.sort();

    found.truncate(MOST_FILES);
    found
}
