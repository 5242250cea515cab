//! Background work: reconcilers without input, idempotent, each on its own beat, one file each.

mod agents;
mod alerts;
mod anomalies;
mod bill_sources;
mod budgets;
mod charges;
mod configurations;
pub(crate) mod context;
mod database_loads;
mod deliveries;
mod drift;
mod due;
mod emergencies;
mod exclusions;
mod exports;
mod flows;
mod incidents;
mod log_sources;
mod metric_sources;
mod models;
mod objectives;
mod own_checks;
mod predictive;
mod publish;
mod reports;
mod retention;
mod runbooks;
mod samples;
mod seal;
mod security_tools;
mod self_check;
mod sessions;
mod spot;
mod streams;
mod sums;
mod sync;
mod tallies;
mod threat_lists;

use std::future::Future;
use std::time::Duration;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, ResourceRef};
use reeve_estate::StoreError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Starts all of them; they end when the token is cancelled.
pub(crate) async fn start(service: &Service, stop: &CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    threat_lists::start(service, &tracker, stop).await;
    seal::start(service, &tracker, stop);
    sync::start(service, &tracker, stop);
    agents::start(service, &tracker, stop);
    alerts::start(service, &tracker, stop);
    anomalies::start(service, &tracker, stop);
    budgets::start(service, &tracker, stop);
    bill_sources::start(service, &tracker, stop);
    charges::start(service, &tracker, stop);
    configurations::start(service, &tracker, stop);
    database_loads::start(service, &tracker, stop);
    deliveries::start(service, &tracker, stop);
    drift::start(service, &tracker, stop);
    due::start(service, &tracker, stop);
    emergencies::start(service, &tracker, stop);
    exclusions::start(service, &tracker, stop);
    exports::start(service, &tracker, stop);
    flows::start(service, &tracker, stop);
    incidents::start(service, &tracker, stop);
    metric_sources::start(service, &tracker, stop);
    models::start(service, &tracker, stop);
    objectives::start(service, &tracker, stop);
    own_checks::start(service, &tracker, stop);
    predictive::start(service, &tracker, stop);
    publish::start(service, &tracker, stop);
    reports::start(service, &tracker, stop);
    retention::start(service, &tracker, stop);
    runbooks::start(service, &tracker, stop);
    samples::start(service, &tracker, stop);
    security_tools::start(service, &tracker, stop);
    log_sources::start(service, &tracker, stop);
    self_check::start(service, &tracker, stop);
    sessions::start(service, &tracker, stop);
    spot::start(service, &tracker, stop);
    streams::start(service, &tracker, stop);
    sums::start(service, &tracker, stop);
    tallies::start(service, &tracker, stop);

    tracker
}

/// Entry about a scheduled task, or work that Reeve does on its own data.
fn done(kind: &EventKind, operation: &str, subject: &str) -> Entry {
    Entry::for_event(kind)
        .by(Actor::system())
        .on(ResourceRef::new("reeve", subject))
        .with_action(operation, ActionStatus::Success, ActionMethod::Scheduled)
}

/// Lets a cursor of the log stay that another process has moved in the meantime: it has judged the
/// same entries.
fn ignoring_conflicts(moved: Result<(), StoreError>) -> Result<(), StoreError> {
    match moved {
        Err(StoreError::Conflict(_)) => Ok(()),
        other => other,
    }
}

/// Runs work on a beat: at once, then whenever the time has passed since the last run ended.
fn every<F, Fut>(tracker: &TaskTracker, stop: &CancellationToken, beat: Duration, mut work: F)
where
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    let stop = stop.clone();
    tracker.spawn(async move {
        work().await;
        repeat(stop, beat, work).await;
    });
}

/// Runs work whenever the time has passed: since now, then since the last run ended.
async fn repeat<F, Fut>(stop: CancellationToken, beat: Duration, mut work: F)
where
    F: FnMut() -> Fut,
    Fut: Future<Output = ()>,
{
    loop {
        tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(beat) => {} }
        work().await;
    }
}
