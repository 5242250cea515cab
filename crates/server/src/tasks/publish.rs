//! Publishes checkpoints: one task a place, so that a slow one holds up no other, and nothing waits
//! for any of them. What fails is tried again, ever more slowly; how it goes is in the metrics, and
//! in the log when it changes.

mod cosign;
mod pace;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, ResourceRef, events};
use reeve_connect_aws::{AwsBucket, BucketPlace};
use reeve_connect_outbound::{Outbound, OutboundLimits};
use reeve_ledger::{Fence as _, Ledger};
use reeve_trail::Journal;

use crate::active::Deadline;
use crate::adapters::publish::{
    BucketDestination, Conflict, FileDestination, PublishDestination, Published, WebhookDestination,
};
use crate::config::{Config, Publish};
use crate::service::Service;
use pace::Backoff;

/// Longest time for a delivery.
const DELIVERY: Duration = Duration::from_secs(60);
/// Longest time for the last delivery when the service ends.
const LAST: Duration = Duration::from_secs(3);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (ledger, config, stop, tasks) = (
        service.ledger.clone(),
        service.config.clone(),
        stop.clone(),
        tracker.clone(),
    );

    let journal = service.tasks.journal.clone();
    cosign::start(service, tracker, &stop);
    let deadline = service.lease.deadline().clone();
    tracker.spawn(async move {
        let destinations = match destinations(&config).await {
            Ok(destinations) => destinations,
            Err(error) => {
                return tracing::error!(
                    error = format!("{error:#}"),
                    "checkpoints are not published"
                );
            }
        };
        for destination in destinations {
            let log = (ledger.clone(), journal.clone(), deadline.clone());
            tasks.spawn(keep_up(
                log,
                destination,
                config.publish.clone(),
                stop.clone(),
            ));
        }
    });
}

/// The guarded client for webhooks, witnesses, and buckets at an endpoint of their own.
fn outbound(config: &Config) -> Result<Outbound> {
    Ok(Outbound::new(
        config.outbound.policy()?,
        OutboundLimits::default(),
    ))
}

async fn destinations(config: &Config) -> Result<Vec<Arc<dyn PublishDestination>>> {
    let mut destinations: Vec<Arc<dyn PublishDestination>> = Vec::new();
    let Publish {
        file, s3, webhook, ..
    } = &config.publish;
    if let Some(path) = file {
        destinations.push(Arc::new(FileDestination::new(path.clone())));
    }

    if let Some(s3) = s3 {
        let place = BucketPlace {
            bucket: s3.bucket.clone(),
            prefix: s3.prefix.clone(),
            region: s3.region.clone(),
            endpoint: s3.endpoint.clone(),
            key: None,
        };
        destinations.push(Arc::new(BucketDestination::new(
            AwsBucket::open(&place, &outbound(config)?).await,
        )));
    }

    if let Some(webhook) = webhook {
        let client = outbound(config)?;
        destinations.push(Arc::new(WebhookDestination::new(
            client,
            webhook.url()?,
            webhook.token.clone(),
        )));
    }

    Ok(destinations)
}

/// Keeps one place up to date until the service ends, and then once more.
async fn keep_up(
    (ledger, journal, deadline): (Ledger, Arc<Journal>, Arc<Deadline>),
    destination: Arc<dyn PublishDestination>,
    publish: Publish,
    stop: CancellationToken,
) {
    let (pause, every) = (
        Duration::from_secs(publish.after_change_s),
        Duration::from_secs(publish.every_s),
    );
    let mut backoff = Backoff::default();
    let mut arrived: Option<(String, Instant)> = None;
    let mut in_conflict = false;
    let mut due = Instant::now();

    loop {
        let ending =
            tokio::select! { () = stop.cancelled() => true, () = sleep_until(due) => false };
        let note = ledger.checkpoint();
        let fresh = arrived.as_ref().is_none_or(|(last, _)| *last != note);
        let old = arrived
            .as_ref()
            .is_some_and(|(_, at)| at.elapsed() >= every);
        due = Instant::now() + pause;
        if fresh || (old && !ending) {
            let limit = if ending { LAST } else { DELIVERY };
            let delivered = match deadline.check() {
                Ok(()) => deliver(&ledger, destination.as_ref(), note.clone(), limit).await,
                Err(fenced) => Err(fenced.into()),
            };
            match delivered {
                Ok(size) => {
                    in_conflict = false;
                    if backoff.succeeded() {
                        tracing::info!(
                            target = destination.name(),
                            size,
                            "checkpoints arrive again"
                        );
                    }
                    ledger.delivered(destination.name(), Ok(size));
                    arrived = Some((note, Instant::now()));
                }
                Err(error) => {
                    let (wait, first) = backoff.failed();
                    let is_conflict = error.downcast_ref::<Conflict>().is_some();
                    let error = format!("{error:#}");
                    // Once, and not at each attempt: the next one finds the same.
                    if is_conflict && !std::mem::replace(&mut in_conflict, true) {
                        tracing::error!(
                            target = destination.name(),
                            error,
                            "the log does not extend what was published"
                        );
                        journal
                            .record_outcome(conflict(destination.name(), &error))
                            .await;
                    }
                    if first {
                        tracing::warn!(
                            target = destination.name(),
                            error,
                            "a checkpoint could not be published; it is tried again"
                        );
                    }
                    ledger.delivered(destination.name(), Err(error.into()));
                    due = Instant::now() + wait;
                }
            }
        }
        if ending {
            return;
        }
    }
}

/// Entry about a place that holds a checkpoint which the log does not extend.
fn conflict(target: &str, error: &str) -> Entry {
    Entry::for_event(&events::CHECKPOINT_CONFLICT)
        .by(Actor::system())
        .on(ResourceRef::new("audit_log", "audit-logs"))
        .with_action("publish", ActionStatus::Failed, ActionMethod::System)
        .with_metadata("target", target)
        .with_metadata("error", error)
}

async fn deliver(
    ledger: &Ledger,
    destination: &dyn PublishDestination,
    note: String,
    limit: Duration,
) -> Result<u64> {
    let published = Published::read(ledger, note)?;
    let delivered = timeout(limit, destination.deliver(&published)).await;
    delivered.with_context(|| format!("no response within {} s", limit.as_secs()))??;
    Ok(published.checkpoint.size)
}
