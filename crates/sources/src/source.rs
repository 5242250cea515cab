//! Metric sources: Prometheus servers that push to Reeve or that Reeve queries.

use std::fmt;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{ConnectionId, named};
use serde::{Deserialize, Serialize};

use crate::rule::MappingRule;

/// Rules of a source at most.
pub const MAX_RULES: usize = 50;
/// Longest name that is accepted, in characters.
const MAX_NAME: usize = 100;
/// Prefix of the tokens that servers push with.
pub const TOKEN_PREFIX: &str = "rvm_";

/// Identifier of a metric source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MetricSourceId(pub String);

impl fmt::Display for MetricSourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

named!(
    /// Way by which the series of a source arrive.
    SourceKind {
        /// Prometheus pushes them (remote write).
        RemoteWrite => "remote_write",
        /// Reeve queries Prometheus for them.
        Query => "query",
    }
);

/// Credentials of a server that is queried. Never `Serialize`, never printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum QueryCredentials {
    #[default]
    None,
    /// Token of an `Authorization: Bearer` header.
    Bearer(String),
    /// A user name and a password.
    Basic { username: String, password: String },
}

impl QueryCredentials {
    /// Returns the name of the kind of credentials.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            QueryCredentials::None => "none",
            QueryCredentials::Bearer(_) => "bearer",
            QueryCredentials::Basic { .. } => "basic",
        }
    }
}

impl fmt::Debug for QueryCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueryCredentials({}, redacted)", self.kind())
    }
}

/// A Prometheus server that pushes or is queried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSource {
    /// Identifier of the source.
    pub id: MetricSourceId,
    pub name: String,
    /// Way by which its series arrive.
    pub kind: SourceKind,
    /// Address of a server that is queried.
    pub url: Option<String>,
    /// Kind of the credentials of a server that is queried.
    pub credentials_kind: String,
    /// Rules by which series become samples; of several rules for one metric and resource the last
    /// counts.
    pub rules: Vec<MappingRule>,
    /// `false` if nothing is taken from it.
    pub enabled: bool,
    /// Creation time of the source.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

impl MetricSource {
    /// Returns the identifier under which its samples are stored.
    #[must_use]
    pub fn connection(&self) -> ConnectionId {
        ConnectionId(self.id.0.clone())
    }
}

/// Progress of the queries of a source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncState {
    /// Time up to which samples were read; `None` before the first query and after a change of the
    /// rules.
    pub read_until: Option<Timestamp>,
    /// Earliest time of the next query, where the server asked to wait.
    pub wait_until: Option<Timestamp>,
    pub last: Option<SourceSync>,
}

/// Result of one sync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceSync {
    /// Start of the sync.
    pub started_at: Timestamp,
    /// End of the sync.
    pub finished_at: Timestamp,
    /// Number of samples that were stored.
    pub samples: u64,
    /// Series that belong to a resource.
    pub mapped: u64,
    /// Series that belong to none.
    pub unmapped: u64,
    /// Time of the newest sample.
    pub newest_at: Option<Timestamp>,
    /// `true` if the server denied the credentials.
    pub denied: bool,
    /// `true` if the server asked to wait.
    pub throttled: bool,
    /// Failures as sentences for people.
    pub problems: Vec<String>,
}

/// Reads the name of a source.
///
/// # Errors
/// The name is empty, too long or has control characters.
pub fn read_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
        let message = format!("must have 1 to {MAX_NAME} characters without control characters");
        return Err(FieldError::new("name", FieldCode::InvalidValue, message));
    }
    Ok(name.to_owned())
}
