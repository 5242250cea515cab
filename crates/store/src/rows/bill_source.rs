//! A bill source, and its last sync.

use reeve_estate::ConnectionId;
use reeve_sources::{BillSource, BillSourceId, BillSync};
use serde::{Deserialize, Serialize};

use super::{RowError, time};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BillSourceRow {
    id: String,
    name: String,
    connection: String,
    bucket: String,
    prefix: String,
    region: String,
    enabled: bool,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&BillSource> for BillSourceRow {
    fn from(source: &BillSource) -> Self {
        BillSourceRow {
            id: source.id.0.clone(),
            name: source.name.clone(),
            connection: source.connection.0.clone(),
            bucket: source.bucket.clone(),
            prefix: source.prefix.clone(),
            region: source.region.clone(),
            enabled: source.enabled,
            created_at: source.created_at.to_string(),
            updated_at: source.updated_at.to_string(),
            version: source.version,
        }
    }
}

impl BillSourceRow {
    pub(crate) fn into_source(self) -> Result<BillSource, RowError> {
        Ok(BillSource {
            id: BillSourceId(self.id),
            name: self.name,
            connection: ConnectionId(self.connection),
            bucket: self.bucket,
            prefix: self.prefix,
            region: self.region,
            enabled: self.enabled,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

/// The last sync of a source.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BillSyncRow {
    started_at: String,
    finished_at: String,
    bills: u64,
    read: u64,
    dropped: u64,
    bytes: u64,
    newest_at: Option<String>,
    denied: bool,
    problems: Vec<String>,
}

impl From<&BillSync> for BillSyncRow {
    fn from(sync: &BillSync) -> Self {
        BillSyncRow {
            started_at: sync.started_at.to_string(),
            finished_at: sync.finished_at.to_string(),
            bills: sync.bills,
            read: sync.read,
            dropped: sync.dropped,
            bytes: sync.bytes,
            newest_at: sync.newest_at.map(|at| at.to_string()),
            denied: sync.denied,
            problems: sync.problems.clone(),
        }
    }
}

impl BillSyncRow {
    pub(crate) fn into_sync(self) -> Result<BillSync, RowError> {
        Ok(BillSync {
            started_at: time(&self.started_at)?,
            finished_at: time(&self.finished_at)?,
            bills: self.bills,
            read: self.read,
            dropped: self.dropped,
            bytes: self.bytes,
            newest_at: self.newest_at.as_deref().map(time).transpose()?,
            denied: self.denied,
            problems: self.problems,
        })
    }
}
