//! Syncs every connection that is due.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_estate::{Connection, ConnectionStatus, EstateStore as _};

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
            for connection in connections.iter().filter(|connection| is_due(connection, pause)) {
                if let Some(Err(error)) = syncer.sync_now(&connection.id, "schedule").await {
                    tracing::warn!(connection = connection.name, %error, "a sync failed");
                }
            }
        }
    });
}

/// A connection is due when its last sync is long enough ago. A failed one without any sync waits for a person.
fn is_due(connection: &Connection, pause: SignedDuration) -> bool {
    match (connection.status, &connection.last_sync) {
        (ConnectionStatus::Disabled, _) | (ConnectionStatus::Failed, None) => false,
        (_, None) => true,
        (_, Some(last)) => Timestamp::now().duration_since(last.finished_at) >= pause,
    }
}
