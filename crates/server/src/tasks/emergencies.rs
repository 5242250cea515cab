//! Follows the log for entries that wake agents, and hands each to the emergency lane.
//!
//! The cursor moves once every entry of a stretch was judged. After a crash the same entries are
//! judged again, which finds the same. A new installation begins at the log's end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::stream::{FuturesUnordered, StreamExt as _};
use reeve_audit::query::Query;
use reeve_engine::EmergencyService;
use reeve_ledger::StoredEntry;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks at the log.
const BEAT: Duration = Duration::from_secs(1);
/// Entries read at once.
const PAGE: usize = 2000;
/// Resources whose events are judged at once. Judging mostly waits for stores and the log.
const AT_ONCE: usize = 8;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, trail) = (service.tasks.clone(), service.trail.clone());
    let lane = service.engine.emergencies.clone();
    super::every(tracker, stop, BEAT, move || {
        let (context, trail, lane) = (context.clone(), trail.clone(), Arc::clone(&lane));
        async move {
            if let Err(error) = follow(&context, &trail, &lane).await {
                context
                    .journal
                    .failed("emergencies", format!("{error:#}"))
                    .await;
            }
        }
    });
}

/// Reads the log to its end.
async fn follow(context: &TaskContext, trail: &Trail, lane: &EmergencyService) -> Result<()> {
    let follower = trail
        .follow(Query::all())
        .with_entries(PAGE)
        .reading_together();
    let end = follower.end();
    let Some(mut from) = context.agents.event_cursor().await? else {
        let begun = context.agents.event_advance(None, end).await;
        return Ok(super::ignoring_conflicts(begun)?);
    };

    while let Some(stretch) = follower.next(from, end, context.now()).await? {
        answer_all(&stretch.entries, lane).await?;
        super::ignoring_conflicts(context.agents.event_advance(Some(from), stretch.to).await)?;
        from = stretch.to;
    }
    Ok(())
}

/// Answers the entries that wake agents, several resources at once. After an outage no more are begun,
/// and those that are being answered are not interrupted.
async fn answer_all(entries: &[Arc<StoredEntry>], lane: &EmergencyService) -> Result<()> {
    let mut waiting = events_by_resource(entries, lane).into_iter();
    let mut answering = FuturesUnordered::new();
    let mut outcome = Ok(());
    loop {
        while outcome.is_ok() && answering.len() < AT_ONCE {
            let Some(events) = waiting.next() else {
                break;
            };
            answering.push(answer(lane, events));
        }

        match answering.next().await {
            Some(answered) => outcome = outcome.and(answered),
            None => return outcome,
        }
    }
}

/// Returns the entries that wake agents, those of one resource together and in their order; the
/// resource whose first event is the oldest comes first.
fn events_by_resource<'e>(
    entries: &'e [Arc<StoredEntry>],
    lane: &EmergencyService,
) -> Vec<Vec<&'e StoredEntry>> {
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    let mut events: Vec<Vec<&StoredEntry>> = Vec::new();
    for stored in entries.iter().filter(|stored| lane.wakes(&stored.entry)) {
        let resource = stored.entry.resource.id.as_deref();
        let place = *places.entry(resource).or_insert(events.len());
        match events.get_mut(place) {
            Some(own) => own.push(stored),
            None => events.push(vec![stored]),
        }
    }
    events
}

/// Answers the events of one resource. Only an outage is an error: one event that cannot be answered
/// must not hold up the others.
async fn answer(lane: &EmergencyService, events: Vec<&StoredEntry>) -> Result<()> {
    for stored in events {
        match lane.raise(stored.entry.clone()).await {
            Err(error) if error.is_outage() => return Err(error.into()),
            Err(error) => {
                tracing::warn!(%error, sequence = stored.sequence, "an event was not answered");
            }
            Ok(()) => {}
        }
    }
    Ok(())
}
