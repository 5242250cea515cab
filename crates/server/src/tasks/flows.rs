//! Reads on in the flow logs of every connection, and drops flows that are too old.

use std::time::Duration;

use jiff::Timestamp;
use reeve_estate::{ConnectionStatus, EstateStore as _};
use reeve_flows::{FlowStore as _, day_of};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks: flow logs are delivered every five to ten minutes.
const BEAT: Duration = Duration::from_secs(60);
/// Time between two removals of old flows.
const EXPIRE_EVERY: Duration = Duration::from_secs(3600);
/// Days for which flows are kept: a use that comes once a year is found twice.
const KEPT_DAYS: i32 = 400;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, reader) = (service.store.clone(), service.observers.flows.clone());
    let beat = match service.tasks.settings.is_demo {
        true => Duration::from_secs(5),
        false => BEAT,
    };
    super::every(tracker, stop, beat, move || {
        let (store, reader) = (store.clone(), reader.clone());
        async move {
            let connections = match store.connection_list().await {
                Ok(connections) => connections,
                Err(error) => return tracing::warn!(%error, "connections could not be read"),
            };
            for connection in connections {
                if connection.status == ConnectionStatus::Disabled {
                    continue;
                }
                if let Err(error) = reader.read_now(&connection).await {
                    tracing::warn!(connection = connection.name, %error, "flow logs were not read");
                }
            }
        }
    });

    let store = service.store.clone();
    super::every(tracker, stop, EXPIRE_EVERY, move || {
        let store = store.clone();
        async move {
            let today = day_of(Timestamp::now().as_second());
            if let Err(error) = store.flow_expire(today - KEPT_DAYS).await {
                tracing::warn!(%error, "old flows were not removed");
            }
        }
    });
}
