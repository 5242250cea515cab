//! Syncs every connection that is due, side by side, and retires the resources of disabled ones.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_estate::{Connection, ConnectionStatus, EstateStore as _};

use crate::adapters::syncer::ConnectionSyncer;
use crate::service::Service;

/// Syncs at a time. An account that throttles takes one of these places for as long as its retries
/// last.
const AT_ONCE: usize = 16;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, syncer) = (service.store.clone(), service.observers.syncer.clone());
    let pause =
        SignedDuration::from_secs(i64::try_from(service.config.sync_every_s).unwrap_or(i64::MAX));
    let (places, tasks) = (Arc::new(Semaphore::new(AT_ONCE)), tracker.clone());
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let (store, syncer, places) = (store.clone(), syncer.clone(), places.clone());
        let tasks = tasks.clone();
        async move {
            let connections = match store.connection_list().await {
                Ok(connections) => connections,
                Err(error) => return tracing::warn!(%error, "connections could not be read"),
            };
            for connection in connections {
                if connection.status == ConnectionStatus::Disabled {
                    retire(&syncer, &connection).await;
                } else if connection.is_due(pause, Timestamp::now())
                    && !syncer.is_running(&connection.id)
                {
                    let Ok(place) = places.clone().try_acquire_owned() else {
                        continue;
                    };
                    let syncer = syncer.clone();
                    tasks.spawn(async move {
                        sync(&syncer, &connection).await;
                        drop(place);
                    });
                }
            }
        }
    });
}

async fn sync(syncer: &ConnectionSyncer, connection: &Connection) {
    if let Some(Err(error)) = syncer.sync_now(&connection.id, "schedule").await {
        tracing::warn!(connection = connection.name, %error, "a sync failed");
    }
}

async fn retire(syncer: &ConnectionSyncer, connection: &Connection) {
    if let Err(error) = syncer.retire(connection).await {
        tracing::warn!(connection = connection.name, %error, "the resources of a disabled connection were not retired");
    }
}
