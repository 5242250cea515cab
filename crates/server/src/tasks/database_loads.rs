//! Samples the load of every database with a connection of its own, and drops what is too old.

use std::time::Duration;

use futures::StreamExt as _;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionStatus, DatabaseLoadStore as _, EstateStore as _,
    Provider,
};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Databases that are read side by side.
const AT_ONCE: usize = 8;
/// Time between two removals of old loads.
const EXPIRE_EVERY: Duration = Duration::from_secs(3600);
/// Time for which loads are kept: a week, and a day to compare its beginning with.
const KEPT: SignedDuration = SignedDuration::from_hours(8 * 24);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, sampler) = (service.store.clone(), service.observers.databases.clone());
    let beat = Duration::from_secs(service.config.databases_every_s);
    super::every(tracker, stop, beat, move || {
        let (store, sampler) = (store.clone(), sampler.clone());
        async move {
            let connections = match store.connection_list().await {
                Ok(connections) => connections,
                Err(error) => return tracing::warn!(%error, "connections could not be read"),
            };
            futures::stream::iter(connections.into_iter().filter(is_read))
                .for_each_concurrent(AT_ONCE, |connection| {
                    let sampler = sampler.clone();
                    async move {
                        if let Err(error) = sampler.read_now(&connection).await {
                            tracing::warn!(connection = connection.name, %error, "the load of a database was not kept");
                        }
                    }
                })
                .await;
        }
    });

    let store = service.store.clone();
    super::every(tracker, stop, EXPIRE_EVERY, move || {
        let store = store.clone();
        async move {
            if let Err(error) = store.database_load_expire(Timestamp::now() - KEPT).await {
                tracing::warn!(%error, "old loads of databases were not removed");
            }
        }
    });
}

/// Returns `true` for a connection with databases that are read over their own protocol.
fn is_read(connection: &Connection) -> bool {
    let is_simulated = matches!(connection.credentials, ConnectionCredentials::Simulated);
    connection.status != ConnectionStatus::Disabled
        && (is_simulated || connection.provider == Provider::Database)
}
