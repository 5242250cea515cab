//! Reads the queues of spot notices by long polling, each connection's apart, reads the markets of
//! spot capacity, and drops notices that no hazard is learned from any more.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionCredentials, ConnectionStatus, EstateStore as _};
use reeve_recommend::judgement::spot::{SpotSource, SpotStore as _};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two readings of a queue. A reading waits for messages.
const BEAT: Duration = Duration::from_secs(1);
/// Time between two looks for regions whose market is due, and for successors.
const MARKET_BEAT: Duration = Duration::from_secs(5);
/// Time between two removals of old notices.
const EXPIRE_EVERY: Duration = Duration::from_secs(3600);
/// Days for which notices are kept: the longest history that a setting asks for, and ten more.
const KEPT_DAYS: i64 = 100;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, reader) = (service.store.clone(), service.observers.spot.clone());
    let readings = tracker.clone();
    super::every(tracker, stop, BEAT, move || {
        let (store, reader, readings) = (store.clone(), reader.clone(), readings.clone());
        async move {
            let (sources, connections) =
                match tokio::try_join!(store.spot_sources(), store.connection_list()) {
                    Ok(read) => read,
                    Err(error) => {
                        return tracing::warn!(%error, "queues of notices could not be listed");
                    }
                };
            for connection in connections {
                let is_own = |source: &SpotSource| source.connection == connection.id;
                let is_simulated =
                    matches!(connection.credentials, ConnectionCredentials::Simulated);
                let has_source = is_simulated || sources.iter().any(is_own);
                if connection.status == ConnectionStatus::Disabled || !has_source {
                    continue;
                }
                // A slow queue of one connection must not hold up the notices of another.
                let reader = reader.clone();
                readings.spawn(async move {
                    if let Err(error) = reader.read_now(&connection).await {
                        tracing::warn!(connection = connection.name, %error, "notices were not read");
                    }
                });
            }
        }
    });

    let (store, reader) = (service.store.clone(), service.observers.markets.clone());
    let notices = service.observers.spot.clone();
    super::every(tracker, stop, MARKET_BEAT, move || {
        let (store, reader, notices) = (store.clone(), reader.clone(), notices.clone());
        async move {
            let connections = match store.connection_list().await {
                Ok(connections) => connections,
                Err(error) => return tracing::warn!(%error, "connections could not be read"),
            };
            for connection in connections {
                if connection.status == ConnectionStatus::Disabled {
                    continue;
                }
                if let Err(error) = reader.read_due(&connection).await {
                    tracing::warn!(connection = connection.name, %error, "the spot market was not read");
                }
                if let Err(error) = notices.keep_successors(&connection).await {
                    tracing::warn!(connection = connection.name, %error, "successors were not kept");
                }
            }
        }
    });

    let store = service.store.clone();
    super::every(tracker, stop, EXPIRE_EVERY, move || {
        let store = store.clone();
        async move {
            let before = Timestamp::now() - SignedDuration::from_hours(24 * KEPT_DAYS);
            if let Err(error) = store.spot_notice_expire(before).await {
                tracing::warn!(%error, "old notices were not removed");
            }
        }
    });
}
