//! A connection and the report of its last sync, without the credentials.

use jiff::Timestamp;
use reeve_estate::{
    Connection, ConnectionId, ConnectionStatus, Credentials, Denied, Provider, SyncReport,
};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

/// A connection, all but its credentials.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ConnectionRow {
    id: String,
    name: String,
    provider: String,
    account: String,
    regions: Vec<String>,
    assume_role: Option<String>,
    external_id: Option<String>,
    endpoint: Option<String>,
    allow_actions: bool,
    status: String,
    last_sync: Option<SyncRow>,
    last_error: Option<String>,
    created_at: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct SyncRow {
    started_at: String,
    finished_at: String,
    resources: u64,
    samples: u64,
    denied: Vec<DeniedRow>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct DeniedRow {
    permission: String,
    region: String,
    message: String,
}

impl From<&Connection> for ConnectionRow {
    fn from(connection: &Connection) -> Self {
        ConnectionRow {
            id: connection.id.0.clone(),
            name: connection.name.clone(),
            provider: connection.provider.as_str().to_owned(),
            account: connection.account.clone(),
            regions: connection.regions.clone(),
            assume_role: connection.assume_role.clone(),
            external_id: connection.external_id.clone(),
            endpoint: connection.endpoint.clone(),
            allow_actions: connection.allow_actions,
            status: connection.status.as_str().to_owned(),
            last_sync: connection.last_sync.as_ref().map(SyncRow::from),
            last_error: connection.last_error.clone(),
            created_at: connection.created_at.to_string(),
        }
    }
}

impl ConnectionRow {
    pub(crate) fn into_connection(self, credentials: Credentials) -> Result<Connection, RowError> {
        Ok(Connection {
            id: ConnectionId(self.id),
            name: self.name,
            provider: named("provider", &self.provider, Provider::parse)?,
            account: self.account,
            regions: self.regions,
            credentials,
            assume_role: self.assume_role,
            external_id: self.external_id,
            endpoint: self.endpoint,
            allow_actions: self.allow_actions,
            status: named("status", &self.status, ConnectionStatus::parse)?,
            last_sync: self.last_sync.map(SyncRow::into_report).transpose()?,
            last_error: self.last_error,
            created_at: time(&self.created_at)?,
        })
    }
}

impl From<&SyncReport> for SyncRow {
    fn from(report: &SyncReport) -> Self {
        let text = |time: Timestamp| time.to_string();
        SyncRow {
            started_at: text(report.started_at),
            finished_at: text(report.finished_at),
            resources: report.resources,
            samples: report.samples,
            denied: report
                .denied
                .iter()
                .map(
                    |Denied {
                         permission,
                         region,
                         message,
                     }| DeniedRow {
                        permission: permission.clone(),
                        region: region.clone(),
                        message: message.clone(),
                    },
                )
                .collect(),
            problems: report.problems.clone(),
        }
    }
}

impl SyncRow {
    fn into_report(self) -> Result<SyncReport, RowError> {
        Ok(SyncReport {
            started_at: time(&self.started_at)?,
            finished_at: time(&self.finished_at)?,
            resources: self.resources,
            samples: self.samples,
            denied: self
                .denied
                .into_iter()
                .map(
                    |DeniedRow {
                         permission,
                         region,
                         message,
                     }| Denied {
                        permission,
                        region,
                        message,
                    },
                )
                .collect(),
            problems: self.problems,
        })
    }
}
