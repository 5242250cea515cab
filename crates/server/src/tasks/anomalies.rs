//! Watches metrics and behaviour, and hands what is strange to the desk.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_agents::Action;
use reeve_agents::anomaly::threat::{ListState, Threats, together};
use reeve_agents::anomaly::watch::{BehaviourWatch, MetricWatch};
use reeve_agents::anomaly::{AnomalySettings, AnomalyStore as _, Finding, needed_from};
use reeve_agents::engine::Caller;
use reeve_audit::query::Query;
use reeve_estate::StoreError;
use reeve_http::App;
use reeve_ledger::SearchRequest;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// How often new samples and entries are looked at.
const BEAT: Duration = Duration::from_secs(15);
/// Entries read from the log at once.
const PAGE: usize = 1000;
/// Entries that are read after a start, so that behaviour is judged by a past.
const WARM_UP: u64 = 100_000;
/// Entries judged between two beats at most, two thousand a second: the watch must not take the processors from a log that
/// is filled with a load of years. What is passed over is said.
const MOST: u64 = 30_000;

/// Actions that ended longer ago were taken in by an earlier look.
const LATELY: SignedDuration = SignedDuration::from_hours(1);

/// What is known between two beats.
#[derive(Default)]
struct Watches {
    /// Unknown before the first look, when it is asked what the watch before the last stop has seen.
    metrics: Option<MetricWatch>,
    behaviour: BehaviourWatch,
    threats: Threats,
    /// Of the lists that `threats` was made of.
    lists: Vec<ListState>,
    /// The next sequence to read, and the one from which on findings are news; unknown before the first look.
    position: Option<(u64, u64)>,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, store) = (service.app.clone(), service.store.clone());
    let watches = Arc::new(tokio::sync::Mutex::new(Watches::default()));
    super::every(tracker, stop, BEAT, move || {
        let (app, store, watches) = (app.clone(), store.clone(), watches.clone());
        async move {
            let settings = match store.anomaly_settings_get().await {
                Ok(settings) => settings,
                Err(error) => return tracing::warn!(%error, "the anomaly settings could not be read"),
            };
            let mut watches = watches.lock().await;
            let mut found = match look(&app, &mut watches, &settings).await {
                Ok(found) => found,
                Err(error) => {
                    tracing::warn!(%error, "samples could not be watched");
                    Vec::new()
                }
            };
            if let Err(error) = read_lists(&app, &mut watches).await {
                tracing::warn!(%error, "the threat lists could not be read");
            }
            match read_on(&app, &mut watches, &settings).await {
                Ok(strange) => found.extend(strange),
                Err(error) => tracing::warn!(%error, "the log could not be watched"),
            }
            tell(&app, found).await;
        }
    });
}

/// Judges new samples, and keeps that it looked once what was found is on its way.
async fn look(app: &App, watches: &mut Watches, settings: &AnomalySettings) -> Result<Vec<Finding>, StoreError> {
    let now = app.now();
    let actions = match watches.metrics {
        Some(_) => changed_lately(app, now).await?,
        None => app.agents.action_list(None, Some(needed_from(now))).await?,
    };
    let mut metrics = match watches.metrics.take() {
        Some(metrics) => metrics,
        None => MetricWatch::after(app.anomalies.anomaly_looked_get().await?),
    };
    let found = metrics.look(&*app.estate, &*app.samples, &actions, settings, now).await;
    watches.metrics = Some(metrics);
    let found = found?;
    app.anomalies.anomaly_looked_put(now).await?;
    Ok(found)
}

/// Actions that may have gone on since the last look.
async fn changed_lately(app: &App, now: Timestamp) -> Result<Vec<Action>, StoreError> {
    let lately = now - LATELY;
    let mut actions = app.agents.action_list(None, Some(lately)).await?;
    actions.extend(app.agents.action_unsettled(lately).await?);
    Ok(actions)
}

/// Makes the threat lists ready anew where one of them changed.
async fn read_lists(app: &App, watches: &mut Watches) -> Result<(), StoreError> {
    let lists = app.threats.threat_list_state().await?;
    if lists != watches.lists {
        watches.threats = Threats::of(&app.threats.threat_list_all().await?);
        watches.lists = lists;
    }
    Ok(())
}

async fn tell(app: &App, found: Vec<Finding>) {
    let caller = Caller::system();
    for finding in found {
        if let Err(error) = app.desk.report(finding, &caller).await {
            tracing::warn!(%error, "an anomaly could not be kept");
        }
    }
    if let Err(error) = app.desk.settle(&caller).await {
        tracing::warn!(%error, "anomalies that are over could not be ended");
    }
}

/// Judges entries since the last beat. After a start the newest are read for their lesson alone: they were judged before.
async fn read_on(
    app: &App,
    watches: &mut Watches,
    settings: &AnomalySettings,
) -> Result<Vec<Finding>, reeve_ledger::TrailError> {
    let end = app.ledger.tail().end_sequence();
    let (mut position, news) = match watches.position {
        None => (end.saturating_sub(WARM_UP), end),
        Some((position, news)) if end - position.min(end) > MOST => {
            let passed_over = end - MOST - position;
            tracing::warn!(passed_over, "more entries arrive than behaviour is judged by; the newest are judged");
            (end - MOST, news)
        }
        Some(known) => known,
    };
    let mut found = Vec::new();
    while position < end {
        let now = app.now();
        let request = SearchRequest::onwards(Query::all(), position, PAGE, now);
        let page = app.trail.search(&request).await?;
        let Some(last) = page.entries.last() else { break };
        position = last.sequence + 1;
        for stored in &page.entries {
            let strange = watches.behaviour.observe(&stored.entry, stored.recorded_at, settings);
            if stored.sequence < news {
                continue;
            }
            let listed = || watches.threats.observe(&stored.entry, stored.recorded_at);
            found.extend(together(strange, settings.security.threat_intelligence.then(listed).flatten()));
        }
        watches.position = Some((position, news));
    }
    watches.position = Some((position.max(end), news));
    Ok(found)
}
