//! Port of stored flows.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, StoreError};
use serde::{Deserialize, Serialize};

use crate::aggregate::FlowBatch;
use crate::flow_log::LogCursor;
use crate::record::FlowAction;
use crate::seen::InterfaceFlows;

reeve_estate::named!(
    /// State of a flow log as a source.
    SourceState {
        /// Its records arrive.
        Reading => "reading",
        /// It was read, and no records were there.
        Empty => "empty",
        /// Its records could not be read.
        Failed => "failed",
        /// Its destination or format is none that is read.
        Unsupported => "unsupported",
    }
);

/// Flow log as a source of flows, as its last reading left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSource {
    pub connection: ConnectionId,
    /// Identifier of the flow log.
    pub id: String,
    pub region: String,
    /// Network, subnet or interface that it is of.
    pub of: String,
    /// Destination in words: `s3://bucket/folder`, or the log group.
    pub destination: String,
    pub state: SourceState,
    /// Reason of a failure, or of a source that is not read; empty otherwise.
    pub detail: String,
    pub cursor: LogCursor,
    /// Lines with a flow that were read.
    pub records: u64,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
    /// Flows of unknown direction, and lines that could not be read.
    pub unreadable: u64,
    /// Time of the newest flow.
    pub newest_at: Option<Timestamp>,
    pub read_at: Timestamp,
}

impl FlowSource {
    /// Counts a batch that was read.
    pub fn count(&mut self, batch: &FlowBatch) {
        self.records += batch.records;
        self.skipped += batch.skipped;
        self.unreadable += batch.unreadable + batch.undirected;
        let newest = batch.flows.iter().map(|(_, counts)| counts.last_s).max();
        let newest = newest.and_then(|second| Timestamp::from_second(second).ok());
        self.newest_at = self.newest_at.max(newest);
    }
}

/// Selection of stored flows; a condition that is `None` selects all of them.
#[derive(Debug, Clone, Default)]
pub struct FlowQuery {
    pub connection: Option<ConnectionId>,
    pub interfaces: Vec<String>,
    /// First day, in days since 1970 (UTC).
    pub from_day: i32,
    /// Day after the last one; `None` for all.
    pub until_day: Option<i32>,
    pub action: Option<FlowAction>,
    /// Time of the last packet from which on flows count, Unix seconds.
    pub since_s: Option<i64>,
}

/// Flows by interface and day, and the positions of their sources.
#[async_trait]
pub trait FlowStore: Send + Sync {
    /// Adds a batch and moves its source on, both or neither, so that no record is counted twice.
    async fn flow_put(&self, batch: &FlowBatch, source: &FlowSource) -> Result<(), StoreError>;
    /// Writes the state of a source, without flows.
    async fn flow_source_put(&self, source: &FlowSource) -> Result<(), StoreError>;
    /// Returns the sources of all connections, in order of connection and identifier.
    async fn flow_sources(&self) -> Result<Vec<FlowSource>, StoreError>;
    /// Removes the sources of a connection that are not among these.
    async fn flow_sources_keep(
        &self,
        connection: &ConnectionId,
        ids: &[String],
    ) -> Result<(), StoreError>;
    /// Returns the flows and the coverage of interfaces, each interface once.
    async fn flow_seen(&self, query: &FlowQuery) -> Result<Vec<InterfaceFlows>, StoreError>;
    /// Removes flows and coverage of days before one; returns the number of sums.
    async fn flow_expire(&self, before_day: i32) -> Result<u64, StoreError>;
}
