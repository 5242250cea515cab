//! Reads the folder of people's own checks again, and records what is in force and what was refused.

use std::sync::Arc;
use std::time::Duration;

use reeve_audit::query::Query;
use reeve_audit::{Entry, Json, events};
use reeve_controls::{ControlCatalogue, OwnFile, OwnFiles};
use reeve_ledger::SearchRequest;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::own_checks::{OwnChecks, Reloaded};
use crate::service::Service;
use crate::tasks::context::TaskContext;

const BEAT: Duration = Duration::from_secs(10);
/// Files that one entry names.
const MOST_NAMED: usize = 500;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, trail) = (service.tasks.clone(), service.trail.clone());
    let own = service.own_checks.clone();
    let mut is_first = true;
    super::every(tracker, stop, BEAT, move || {
        let (context, trail, own) = (context.clone(), trail.clone(), own.clone());
        let is_start = std::mem::take(&mut is_first);
        async move {
            if is_start {
                record_start(&context, &trail, &own).await;
            }
            let reload = tokio::task::spawn_blocking(move || own.reload()).await;
            if let Ok(Some(Reloaded { before, after })) = reload {
                context.journal.record_outcome(entry(&before, &after)).await;
            }
        }
    });
}

/// Records what a start put into force, unless the newest entry says the same.
async fn record_start(context: &TaskContext, trail: &Trail, own: &Arc<OwnChecks>) {
    let catalogue = own.live().current();
    let loaded = entry(&OwnFiles::default(), &catalogue);
    let event_type = events::CHECKS_LOAD.event_type();
    let known = match Query::parse(&format!("event_type:{event_type}")) {
        Ok(query) => trail
            .search(&SearchRequest::newest(query, 1, context.now()))
            .await
            .map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };

    match known {
        Ok(page) => {
            let newest = page.entries.first().map(|stored| &stored.entry);
            let is_known = match newest {
                None => *catalogue.own() == OwnFiles::default(),
                Some(newest) => ["revision", "refused"]
                    .iter()
                    .all(|name| newest.metadata.extra.get(name) == loaded.metadata.extra.get(name)),
            };
            if !is_known {
                context.journal.record_outcome(loaded).await;
            }
        }
        Err(error) => context.journal.failed("own_checks", error).await,
    }
}

/// The entry of a folder that was read: files that came into force, that left, and that are refused.
fn entry(before: &OwnFiles, after: &ControlCatalogue) -> Entry {
    let own = after.own();
    let (came, left) = own.differences(before);
    let refused = own.refused.iter().take(MOST_NAMED).map(|error| {
        Json::object([
            ("path", Json::from(error.file.clone())),
            ("line", Json::from(error.line.map(|line| line as u64))),
            ("reason", Json::from(error.to_string())),
        ])
    });

    super::done(&events::CHECKS_LOAD, "load_own_checks", "own_checks")
        .with_metadata("revision", after.revision().to_owned())
        .with_metadata("in_force", own.taken.len() as u64)
        .with_metadata("refused", own.refused.len() as u64)
        .before(Json::object([("files", files(&left))]))
        .after(Json::object([
            ("files", files(&came)),
            ("refused", Json::from(refused.collect::<Vec<_>>())),
        ]))
}

fn files(all: &[&OwnFile]) -> Json {
    let rows = all.iter().take(MOST_NAMED).map(|file| {
        Json::object([
            ("path", Json::from(file.path.clone())),
            ("kind", Json::from(file.kind.as_str())),
            ("id", Json::from(file.id.clone())),
            ("sha256", Json::from(file.hash.clone())),
        ])
    });
    Json::from(rows.collect::<Vec<_>>())
}
