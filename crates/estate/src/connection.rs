//! Connections: one an account, with what it takes to reach it.

pub mod rules;

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::named;
use crate::provider::Provider;

/// Call that the account's permissions denied. It is listed, and the inventory continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denied {
    /// The permission by the cloud's name (`rds:DescribeDBInstances`).
    pub permission: String,
    /// The region, or empty for global services.
    pub region: String,
    /// The cloud's own message.
    pub message: String,
}

/// A connection's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConnectionId(pub String);

/// Connections whose resources a reader may see; by default all.
///
/// Every filter of what connections have carries it, so that lists, counts and pages are narrowed by
/// the store in one way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VisibleConnections(Option<BTreeSet<ConnectionId>>);

impl VisibleConnections {
    /// These connections and no others; of an empty set, nothing.
    #[must_use]
    pub fn only(connections: impl IntoIterator<Item = ConnectionId>) -> Self {
        VisibleConnections(Some(connections.into_iter().collect()))
    }

    /// Returns `true` if the resources of a connection may be seen.
    #[must_use]
    pub fn contains(&self, connection: &ConnectionId) -> bool {
        self.0.as_ref().is_none_or(|all| all.contains(connection))
    }

    /// Returns the connections; `None` for all.
    #[must_use]
    pub const fn limit(&self) -> Option<&BTreeSet<ConnectionId>> {
        self.0.as_ref()
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

named!(
    /// Status of a connection.
    ConnectionStatus {
        /// Created, and not yet synchronised.
        New => "new",
        /// The last sync went through, with or without denied parts.
        Ready => "ready",
        /// A sync is running.
        Syncing => "syncing",
        /// The last sync or test failed; `last_error` says why.
        Failed => "failed",
        /// Switched off by a user.
        Disabled => "disabled",
    }
);

/// Credentials of an account. Never `Serialize`, never printed: secrets go to the store's envelope
/// and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub enum ConnectionCredentials {
    /// An AWS access key pair, with a session token for temporary ones.
    AccessKey {
        access_key_id: String,
        secret_access_key: String,
        /// Session token of temporary credentials.
        session_token: Option<String>,
    },
    /// A user of a database server.
    Login { user: String, password: String },
    /// The environment's own credentials (instance profile, shared configuration files).
    Ambient,
    /// The simulated estate's; nothing secret.
    Simulated,
}

impl fmt::Debug for ConnectionCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConnectionCredentials::AccessKey { .. } => "AccessKey(redacted)",
            ConnectionCredentials::Login { .. } => "Login(redacted)",
            ConnectionCredentials::Ambient => "Ambient",
            ConnectionCredentials::Simulated => "Simulated",
        })
    }
}

/// A connection to one account.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Identifier of the connection.
    pub id: ConnectionId,
    /// Display name; agents' scopes name accounts by it or by `account`.
    pub name: String,
    pub provider: Provider,
    /// The account as the cloud says after the first test; empty before.
    pub account: String,
    /// Regions to look at; never empty.
    pub regions: Vec<String>,
    /// Credentials of the account.
    pub credentials: ConnectionCredentials,
    /// AWS role to assume, an ARN.
    pub assume_role: Option<String>,
    /// External id for the assumed role.
    pub external_id: Option<String>,
    /// Endpoint override for every service (an emulator, a private endpoint).
    pub endpoint: Option<String>,
    /// Permission for Reeve to change resources. Without it, agents only recommend.
    pub allow_actions: bool,
    /// Status of the connection.
    pub status: ConnectionStatus,
    /// The last sync's outcome.
    pub last_sync: Option<SyncReport>,
    /// The last failure, in words for a person.
    pub last_error: Option<String>,
    /// Creation time of the connection.
    pub created_at: Timestamp,
}

/// Result of one synchronisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SyncReport {
    /// Start of the sync.
    pub started_at: Timestamp,
    /// End of the sync.
    pub finished_at: Timestamp,
    /// Number of resources that the inventory returned.
    pub resources: u64,
    /// Number of samples that were stored.
    pub samples: u64,
    /// Calls that the account's permissions denied; the synchronisation went on without them.
    pub denied: Vec<Denied>,
    /// Other failures, in words; the synchronisation went on.
    pub problems: Vec<String>,
}
