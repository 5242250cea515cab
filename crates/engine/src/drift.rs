//! The service behind baselines and drifts: pins configurations, finds what differs from them after
//! each sync, and keeps the answers of people.

pub(crate) mod answer;
mod compare;
mod log_entry;
pub(crate) mod pin;

use std::sync::Arc;

use reeve_estate::{DescriptionStore, EstateStore};
use reeve_recommend::caller::Caller;
use reeve_recommend::drift::{Drift, DriftBaseline, DriftStore, Resolution};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::LogReader;

use crate::records::Records;

/// Entries that are recorded, and drifts that are written, at once.
const AT_ONCE: usize = 100;
/// Resources that are compared at a time.
const PAGE: u64 = 500;

/// Ports of the service.
pub struct DriftPorts {
    pub drifts: Arc<dyn DriftStore>,
    pub descriptions: Arc<dyn DescriptionStore>,
    pub estate: Arc<dyn EstateStore>,
    pub log: Arc<dyn LogReader>,
}

/// Baselines, and the drifts from them.
pub struct DriftService {
    records: Arc<Records>,
    ports: DriftPorts,
    /// Pins, comparisons and answers take turns: each reads drifts and writes them, and what a sync
    /// writes while a baseline is pinned is compared with that baseline once it is there.
    turn: tokio::sync::Mutex<()>,
}

impl DriftService {
    /// Creates the service over the records of agents and its own ports.
    #[must_use]
    pub fn new(records: Arc<Records>, ports: DriftPorts) -> Self {
        DriftService {
            records,
            ports,
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// Resolves drifts of a baseline, each with its entry.
    async fn resolve(
        &self,
        baseline: &DriftBaseline,
        drifts: Vec<Drift>,
        resolution: Resolution,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let now = self.records.clock.now();
        let drifts: Vec<Drift> = drifts
            .into_iter()
            .map(|drift| drift.resolved(resolution, now))
            .collect();
        for some in drifts.chunks(AT_ONCE) {
            let entries = some
                .iter()
                .map(|drift| log_entry::resolved(drift, baseline, resolution, caller));
            self.records.record(entries.collect()).await?;
            self.ports.drifts.drift_put(some).await?;
        }
        Ok(())
    }
}
