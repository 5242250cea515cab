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
use reeve_trail::Trail;
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
/// is filled with a load of years.
const MOST: u64 = 30_000;
/// Entries that may wait to be judged: an import of a day is judged whole, a minute later. What is passed over is said.
const MOST_WAITING: u64 = 4 * MOST;

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
    /// Unknown before the first look.
    position: Option<Position>,
}

/// Where the watch over the log stands.
#[derive(Debug, Clone, Copy)]
struct Position {
    /// The next sequence to read.
    next: u64,
    /// Entries from this sequence on, or recorded after this time, are news. Those before were judged before the last stop.
    news: u64,
    news_after: Timestamp,
}

impl Watches {
    /// Returns `true` when no entry before a sequence waits to be judged.
    fn is_up_to_date(&self, end: u64) -> bool {
        self.position.is_some_and(|position| position.next >= end)
    }
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, store, trail) = (service.app.clone(), service.store.clone(), service.trail.clone());
    let watches = Arc::new(tokio::sync::Mutex::new(Watches::default()));
    super::every(tracker, stop, BEAT, move || {
        let (app, store, trail, watches) = (app.clone(), store.clone(), trail.clone(), watches.clone());
        async move {
            let settings = match store.anomaly_settings_get().await {
                Ok(settings) => settings,
                Err(error) => return tracing::warn!(%error, "the anomaly settings could not be read"),
            };
            let mut watches = watches.lock().await;
            // Before anything is read: what is recorded meanwhile is of the next look.
            let (now, end) = (app.now(), trail.end());
            let looked = match app.anomalies.anomaly_looked_get().await {
                Ok(looked) => looked,
                Err(error) => return tracing::warn!(%error, "the time of the last look could not be read"),
            };
            let mut found = match look(&app, &mut watches, &settings, looked).await {
                Ok(found) => found,
                Err(error) => {
                    tracing::warn!(%error, "samples could not be watched");
                    Vec::new()
                }
            };
            if let Err(error) = read_lists(&app, &mut watches).await {
                tracing::warn!(%error, "the threat lists could not be read");
            }
            match read_on(&app, &trail, &mut watches, &settings, looked).await {
                Ok(strange) => found.extend(strange),
                Err(error) => return tracing::warn!(%error, "the log could not be watched"),
            }
            tell(&app, found).await;
            // Last, so that whatever was found before a sudden stop is found again after it.
            if watches.is_up_to_date(end)
                && let Err(error) = app.anomalies.anomaly_looked_put(now).await
            {
                tracing::warn!(%error, "the time of this look could not be kept");
            }
        }
    });
}

/// Judges new samples.
async fn look(
    app: &App,
    watches: &mut Watches,
    settings: &AnomalySettings,
    looked: Option<Timestamp>,
) -> Result<Vec<Finding>, StoreError> {
    let now = app.now();
    let actions = match watches.metrics {
        Some(_) => changed_lately(app, now).await?,
        None => app.agents.action_list(None, Some(needed_from(now))).await?,
    };
    let mut metrics = match watches.metrics.take() {
        Some(metrics) => metrics,
        None => MetricWatch::after(looked),
    };
    let found = metrics.look(&*app.estate, &*app.samples, &actions, settings, now).await;
    watches.metrics = Some(metrics);
    found
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

/// Judges entries since the last beat, some of them where many came. After a start the newest are read for their lesson; of
/// those, the ones recorded since the last look of the watch before are news.
async fn read_on(
    app: &App,
    trail: &Trail,
    watches: &mut Watches,
    settings: &AnomalySettings,
    looked: Option<Timestamp>,
) -> Result<Vec<Finding>, reeve_ledger::TrailError> {
    let follower = trail.follow(Query::all()).with_entries(PAGE);
    let end = follower.end();
    let mut position = match watches.position {
        // What lay there before Reeve ever looked is the past that behaviour is judged by.
        None => Position { next: end.saturating_sub(WARM_UP), news: end, news_after: looked.unwrap_or(Timestamp::MAX) },
        Some(known) if end.saturating_sub(known.next) > MOST_WAITING => {
            let passed_over = end - MOST_WAITING - known.next;
            tracing::warn!(passed_over, "more entries arrive than behaviour is judged by; the newest are judged");
            Position { next: end - MOST_WAITING, ..known }
        }
        Some(known) => known,
    };
    let until = if watches.position.is_none() { end } else { end.min(position.next + MOST) };
    let mut found = Vec::new();
    while position.next < until {
        let Some(stretch) = follower.next(position.next, until, app.now()).await? else { break };
        position.next = stretch.to;
        for stored in &stretch.entries {
            let strange = watches.behaviour.observe(&stored.entry, stored.recorded_at, settings);
            if stored.sequence < position.news && stored.recorded_at <= position.news_after {
                continue;
            }
            let listed = || watches.threats.observe(&stored.entry, stored.recorded_at);
            found.extend(together(strange, settings.security.threat_intelligence.then(listed).flatten()));
        }
        watches.position = Some(position);
    }
    position.next = position.next.max(until);
    watches.position = Some(position);
    Ok(found)
}
