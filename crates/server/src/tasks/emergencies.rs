//! Follows the log for entries that wake agents, and hands each to the emergency lane.
//!
//! The cursor moves once every entry of a stretch was judged. After a crash the same entries are
//! judged again, which finds the same. A new installation begins at the log's end.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use reeve_audit::query::Query;
use reeve_engine::EmergencyService;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks at the log.
const BEAT: Duration = Duration::from_secs(1);
/// Entries read at once.
const PAGE: usize = 2000;

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
        for stored in &stretch.entries {
            if !lane.wakes(&stored.entry) {
                continue;
            }
            match lane.raise(stored.entry.clone()).await {
                Err(error) if error.is_outage() => return Err(error.into()),
                // One event that cannot be answered must not hold up the others.
                Err(error) => {
                    tracing::warn!(%error, sequence = stored.sequence, "an event was not answered");
                }
                Ok(()) => {}
            }
        }
        super::ignoring_conflicts(context.agents.event_advance(Some(from), stretch.to).await)?;
        from = stretch.to;
    }
    Ok(())
}
