//! The AWS adapter against moto, against an endpoint that is stricter than moto, and against none.

#![allow(clippy::unwrap_used, missing_docs)]

mod access;
mod act;
mod alterations;
mod changes;
mod database_encryption;
mod database_news;
mod describe;
mod encryption;
mod guarded;
mod instance_status;
mod inventory;
mod isolation;
mod last_access;
mod lifecycle;
mod log_events;
mod pages;
mod patches;
mod refusal;
mod replacement;
mod requests;
mod sample;
mod spot_market;
mod strict;
mod successor;
mod tags;
mod throttle;

use std::time::Duration;

use jiff::Timestamp;
use reeve_connect_aws::{AwsConnection, Tuning};
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Inventory, Provider,
    Resource,
};

/// A connection with some key, to an endpoint and regions.
pub(crate) fn connection(endpoint: &str, regions: &[&str]) -> Connection {
    Connection {
        id: ConnectionId("test".into()),
        name: "test".into(),
        provider: Provider::Aws,
        account: String::new(),
        regions: regions.iter().map(|r| (*r).to_owned()).collect(),
        credentials: key("AKIAIOSFODNN7EXAMPLE", "secret"),
        assume_role: None,
        external_id: None,
        endpoint: Some(endpoint.to_owned()),
        allow_actions: true,
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        created_at: Timestamp::now(),
    }
}

pub(crate) fn key(id: &str, secret: &str) -> ConnectionCredentials {
    ConnectionCredentials::AccessKey {
        access_key_id: id.into(),
        secret_access_key: secret.into(),
        session_token: None,
    }
}

/// A connection's usual tuning with waits short enough for a test.
pub(crate) fn hasty(endpoint: &str) -> Tuning {
    Tuning {
        backoff: Duration::from_millis(10),
        max_backoff: Duration::from_millis(40),
        ..Tuning::for_endpoint(Some(endpoint))
    }
}

pub(crate) async fn open(connection: &Connection) -> AwsConnection {
    let tuning = hasty(connection.endpoint.as_deref().unwrap());
    AwsConnection::open_with(connection, &emulators(), tuning)
        .await
        .unwrap()
}

/// A way out to emulators on this machine.
pub(crate) fn emulators() -> Outbound {
    Outbound::new(
        OutboundPolicy {
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            ..OutboundPolicy::default()
        },
        limits(),
    )
}

pub(crate) fn limits() -> OutboundLimits {
    OutboundLimits {
        time: Duration::from_secs(300),
        body: 64 << 20,
        redirects: 0,
    }
}

pub(crate) fn by_id<'a>(inventory: &'a Inventory, id: &str) -> &'a Resource {
    let is_it = |r: &&Resource| {
        r.id.as_str() == id
            || r.id
                .database_name()
                .is_some_and(|database| database.name == id)
    };
    inventory
        .resources
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{id} is not in the inventory"))
}
