//! Tells others what happened: reads the log on by sequence, keeps what follows from it, sends what
//! is due, gathers digests.
//!
//! The cursor moves in the same step that keeps the deliveries, so a restart neither loses nor
//! doubles one. A new installation begins at the log's end: nobody is told of what happened before
//! anybody could subscribe.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use jiff::SignedDuration;
use reeve_audit::query::{Query, may_be_by_reeve};
use reeve_notify::delivery::Audience;
use reeve_notify::notification::gather;
use reeve_notify::sources;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks at the log, and between two rounds of sending.
const BEAT: Duration = Duration::from_secs(1);
/// Time between two gatherings of digests, and two removals of old deliveries.
const SLOW: Duration = Duration::from_secs(60);
/// Attempts, one a beat, at an entry whose record cannot be read.
const ATTEMPTS: u32 = 5;
/// Entries that matter, read at once.
const PAGE: usize = 200;
/// Time that ended deliveries are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, trail) = (service.tasks.clone(), service.trail.clone());
    let unreadable = Arc::new(tokio::sync::Mutex::new(Unreadable::default()));
    super::every(tracker, stop, BEAT, move || {
        let (context, trail, unreadable) = (context.clone(), trail.clone(), unreadable.clone());
        async move {
            if let Err(error) = follow(&context, &trail, &mut *unreadable.lock().await).await {
                context
                    .journal
                    .failed("deliveries.follow", format!("{error:#}"))
                    .await;
            }
        }
    });

    let context = service.tasks.clone();
    super::every(tracker, stop, BEAT, move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.dispatcher.send_due().await {
                context.journal.failed("deliveries.send", &error).await;
            }
        }
    });

    let context = service.tasks.clone();
    super::every(tracker, stop, SLOW, move || {
        let context = context.clone();
        async move {
            if let Err(error) = digests(&context).await {
                context
                    .journal
                    .failed("deliveries.digests", format!("{error:#}"))
                    .await;
            }
        }
    });
}

/// Attempts at the entry whose record cannot be read at the moment.
///
/// The cursor was read from the same store just before, so the store answers, and only this record
/// does not. It is left out after some attempts: one such record stopped all notifications.
#[derive(Default)]
struct Unreadable(Option<(u64, u32)>);

impl Unreadable {
    /// Notes an attempt at an entry, and returns `true` once there were enough.
    fn is_given_up(&mut self, sequence: u64) -> bool {
        let attempts = match self.0 {
            Some((known, attempts)) if known == sequence => attempts + 1,
            _ => 1,
        };
        self.0 = Some((sequence, attempts));
        attempts >= ATTEMPTS
    }
}

/// Reads the log on to its end.
async fn follow(context: &TaskContext, trail: &Trail, unreadable: &mut Unreadable) -> Result<()> {
    let store = &context.dispatcher.deliveries;
    let query = Query::parse(sources::QUERY)?.and(may_be_by_reeve());
    let follower = trail.follow(query).with_entries(PAGE).reading_together();

    loop {
        let end = follower.end();
        let Some(from) = store.outbox_cursor().await? else {
            super::ignoring_conflicts(store.outbox_advance(None, end, &[], &[]).await)?;
            continue;
        };
        let now = context.now();
        let Some(stretch) = follower.next(from, end, now).await? else {
            return Ok(());
        };
        let mut happenings = Vec::new();
        for entry in &stretch.entries {
            match context.sources.happening(&entry.entry).await {
                Ok(found) => happenings.extend(found),
                Err(error) if unreadable.is_given_up(entry.sequence) => {
                    let entry = &entry.entry.event_id;
                    let message = format!("no notification of entry {}: {error:#}", entry.as_str());
                    context.journal.failed("deliveries.skip", message).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        let plan = audience(context).await?.plan(&happenings, now);
        super::ignoring_conflicts(
            store
                .outbox_advance(Some(from), stretch.to, &plan.outgoing, &plan.notices)
                .await,
        )?;
    }
}

async fn audience(context: &TaskContext) -> Result<Audience> {
    Ok(Audience {
        webhooks: context.dispatcher.webhooks.webhook_list().await?,
        channels: context.dispatcher.channels.channel_list().await?,
        agents: context.agents.agent_list(None).await?,
    })
}

/// Gathers the notices that are due into digests, and forgets old deliveries.
async fn digests(context: &TaskContext) -> Result<()> {
    let (store, now) = (&context.dispatcher.deliveries, context.now());
    let notices = store.notice_due(now).await?;

    if !notices.is_empty() {
        let Audience {
            channels, agents, ..
        } = audience(context).await?;
        let digests = gather(&notices, &channels, &agents, now);
        super::ignoring_conflicts(store.notice_gather(&notices, &digests).await)?;
    }

    store.delivery_prune(now - KEPT).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_record_is_given_up_and_others_start_anew() {
        let mut unreadable = Unreadable::default();
        let attempts: Vec<_> = [7, 7, 7, 7, 7, 9]
            .iter()
            .map(|at| unreadable.is_given_up(*at))
            .collect();
        assert_eq!(attempts, [false, false, false, false, true, false]);
    }
}
