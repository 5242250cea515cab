//! A connection and the report of its last sync, without the credentials.

use jiff::Timestamp;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Provider, SyncReport,
};
use serde::{Deserialize, Serialize};

/// A connection, all but its credentials.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ConnectionRow {
    id: ConnectionId,
    name: String,
    provider: Provider,
    account: String,
    regions: Vec<String>,
    assume_role: Option<String>,
    external_id: Option<String>,
    endpoint: Option<String>,
    allow_actions: bool,
    status: ConnectionStatus,
    last_sync: Option<SyncReport>,
    last_error: Option<String>,
    created_at: Timestamp,
}

impl From<&Connection> for ConnectionRow {
    fn from(connection: &Connection) -> Self {
        ConnectionRow {
            id: connection.id.clone(),
            name: connection.name.clone(),
            provider: connection.provider,
            account: connection.account.clone(),
            regions: connection.regions.clone(),
            assume_role: connection.assume_role.clone(),
            external_id: connection.external_id.clone(),
            endpoint: connection.endpoint.clone(),
            allow_actions: connection.allow_actions,
            status: connection.status,
            last_sync: connection.last_sync.clone(),
            last_error: connection.last_error.clone(),
            created_at: connection.created_at,
        }
    }
}

impl ConnectionRow {
    pub(crate) fn into_connection(self, credentials: ConnectionCredentials) -> Connection {
        Connection {
            id: self.id,
            name: self.name,
            provider: self.provider,
            account: self.account,
            regions: self.regions,
            credentials,
            assume_role: self.assume_role,
            external_id: self.external_id,
            endpoint: self.endpoint,
            allow_actions: self.allow_actions,
            status: self.status,
            last_sync: self.last_sync,
            last_error: self.last_error,
            created_at: self.created_at,
        }
    }
}
