//! Bill sources on the wire.

use reeve_sources::{BillSource, BillSync};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;

/// A new source: a bucket that a cloud exports FOCUS files to, as CSV or Parquet.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BillSourceCreate {
    pub name: String,
    /// Identifier of the connection whose credentials the bucket is read with.
    pub connection_id: String,
    /// Name of the bucket.
    pub bucket: String,
    /// Beginning of the objects' names, such as `exports/focus/`; all unless given.
    #[serde(default)]
    pub prefix: String,
    /// Region of the bucket; the connection's first unless given.
    pub region: Option<String>,
}

/// A change of a source. What is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BillSourcePatch {
    pub name: Option<String>,
    /// Identifier of the connection.
    pub connection_id: Option<String>,
    /// Name of the bucket.
    pub bucket: Option<String>,
    /// Beginning of the objects' names.
    pub prefix: Option<String>,
    /// Region of the bucket.
    pub region: Option<String>,
    /// Switches it on or off.
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// The last sync of a source.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BillSyncBody {
    /// Start of the sync.
    pub started_at: String,
    /// End of the sync.
    pub finished_at: String,
    /// Bills that the bucket has.
    pub bills: u64,
    /// Bills that were read, because they are new or were restated.
    pub read: u64,
    /// Files that were dropped, because their objects are gone or were restated.
    pub dropped: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Time of the newest object.
    pub newest_at: Option<String>,
    /// `true` if the account denied a call.
    pub denied: bool,
    /// Failures, each as a sentence.
    pub problems: Vec<String>,
}

/// A source of bills with the result of its last sync.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BillSourceBody {
    /// Identifier of the source.
    pub id: String,
    pub name: String,
    /// Identifier of the connection.
    pub connection_id: String,
    /// Name of the bucket.
    pub bucket: String,
    /// Beginning of the objects' names.
    pub prefix: String,
    /// Region of the bucket.
    pub region: String,
    /// `false` if nothing is read from it.
    pub enabled: bool,
    pub last_sync: Option<BillSyncBody>,
    /// Creation time of the source.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

impl BillSourceBody {
    /// Returns a source with its last sync.
    #[must_use]
    pub fn new(source: &BillSource, sync: Option<&BillSync>) -> Self {
        BillSourceBody {
            id: source.id.0.clone(),
            name: source.name.clone(),
            connection_id: source.connection.0.clone(),
            bucket: source.bucket.clone(),
            prefix: source.prefix.clone(),
            region: source.region.clone(),
            enabled: source.enabled,
            last_sync: sync.map(|sync| BillSyncBody {
                started_at: time::text(sync.started_at),
                finished_at: time::text(sync.finished_at),
                bills: sync.bills,
                read: sync.read,
                dropped: sync.dropped,
                bytes: sync.bytes,
                newest_at: sync.newest_at.map(time::text),
                denied: sync.denied,
                problems: sync.problems.clone(),
            }),
            created_at: time::text(source.created_at),
            updated_at: time::text(source.updated_at),
            version: source.version,
        }
    }
}
