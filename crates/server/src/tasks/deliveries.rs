//! Tells others what happened: reads the log on by sequence, keeps what follows from it, sends what is due, gathers digests.
//!
//! The cursor moves in the same step that keeps the deliveries, so a restart neither loses nor doubles one. A new installation
//! begins at the log's end: nobody is told of what happened before anybody could subscribe.

mod happenings;

use std::time::Duration;

use anyhow::Result;
use jiff::SignedDuration;
use reeve_audit::query::{Query, may_be_by_reeve};
use reeve_estate::StoreError;
use reeve_http::App;
use reeve_notify::delivery::Audience;
use reeve_notify::notification::gather;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// How often the log is looked at, and what is due is sent.
const BEAT: Duration = Duration::from_secs(1);
/// How often digests are gathered and old deliveries forgotten.
const SLOW: Duration = Duration::from_secs(60);
/// Entries that matter, read at once.
const PAGE: usize = 200;
/// How long ended deliveries are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The entries that others are told of, if Reeve wrote them.
const QUERY: &str = "event_type:(intelligence.recommendation OR intelligence.action OR intelligence.anomaly OR \
                     intelligence.approval OR audit.alert.fire OR budget.alert OR audit.report) action.operation:(recommendation.create OR \
                     action.succeed OR action.rolled_back OR action.fail OR anomaly.detect OR approval.request OR approval.remind OR \
                     alert.fire OR budget.alert OR report.run)";

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, trail) = (service.app.clone(), service.trail.clone());
    super::every(tracker, stop, BEAT, move || {
        let (app, trail) = (app.clone(), trail.clone());
        async move {
            if let Err(error) = follow(&app, &trail).await {
                app.failed("deliveries.follow", format!("{error:#}")).await;
            }
        }
    });
    let app = service.app.clone();
    super::every(tracker, stop, BEAT, move || {
        let app = app.clone();
        async move {
            if let Err(error) = app.dispatcher.send_due().await {
                app.failed("deliveries.send", &error).await;
            }
        }
    });
    let app = service.app.clone();
    super::every(tracker, stop, SLOW, move || {
        let app = app.clone();
        async move {
            if let Err(error) = digests(&app).await {
                app.failed("deliveries.digests", format!("{error:#}")).await;
            }
        }
    });
}

/// Reads the log on to its end.
async fn follow(app: &App, trail: &Trail) -> Result<()> {
    let store = &app.dispatcher.deliveries;
    let query = Query::parse(QUERY)?.and(may_be_by_reeve());
    let follower = trail.follow(query).with_entries(PAGE);
    loop {
        let end = follower.end();
        let Some(from) = store.outbox_cursor().await? else {
            ignoring_conflicts(store.outbox_advance(None, end, &[], &[]).await)?;
            continue;
        };
        let now = app.now();
        let Some(stretch) = follower.next(from, end, now).await? else { return Ok(()) };
        let mut happenings = Vec::new();
        for entry in &stretch.entries {
            happenings.extend(happenings::of(app, &entry.entry).await?);
        }
        let plan = audience(app).await?.plan(&happenings, now);
        ignoring_conflicts(store.outbox_advance(Some(from), stretch.to, &plan.outgoing, &plan.notices).await)?;
    }
}

/// Another process that reads the same log has moved the cursor: what it read is not read again.
fn ignoring_conflicts(outcome: Result<(), StoreError>) -> Result<(), StoreError> {
    match outcome {
        Err(StoreError::Conflict(_)) => Ok(()),
        other => other,
    }
}

async fn audience(app: &App) -> Result<Audience> {
    Ok(Audience {
        webhooks: app.dispatcher.webhooks.webhook_list().await?,
        channels: app.dispatcher.channels.channel_list().await?,
        agents: app.agents.agent_list(None).await?,
    })
}

/// Gathers the notices that are due into digests, and forgets old deliveries.
async fn digests(app: &App) -> Result<()> {
    let (store, now) = (&app.dispatcher.deliveries, app.now());
    let notices = store.notice_due(now).await?;
    if !notices.is_empty() {
        let Audience { channels, agents, .. } = audience(app).await?;
        let digests = gather(&notices, &channels, &agents, now);
        ignoring_conflicts(store.notice_gather(&notices, &digests).await)?;
    }
    store.delivery_prune(now - KEPT).await?;
    Ok(())
}
