//! Syncs every connection that is due.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_estate::EstateStore as _;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, syncer) = (service.store.clone(), service.syncer.clone());
    let pause = SignedDuration::from_secs(i64::try_from(service.config.sync_every_s).unwrap_or(i64::MAX));
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let (store, syncer) = (store.clone(), syncer.clone());
        async move {
            let connections = match store.connection_list().await {
                Ok(connections) => connections,
                Err(error) => return tracing::warn!(%error, "connections could not be read"),
            };
            for connection in connections.iter().filter(|connection| connection.is_due(pause, Timestamp::now())) {
                if let Some(Err(error)) = syncer.sync_now(&connection.id, "schedule").await {
                    tracing::warn!(connection = connection.name, %error, "a sync failed");
                }
            }
        }
    });
}
