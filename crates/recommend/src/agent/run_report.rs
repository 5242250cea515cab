//! Report of a run: how much it looked at, the findings, and the position from which a run over
//! changes continues.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, named};
use serde::{Deserialize, Serialize};

use crate::judgement::portfolio::Portfolio;

named!(
    /// Resources that a run judged.
    RunExtent {
        /// Every resource of the scope.
        Full => "full",
        /// Resources that changed since the run before, and the related ones whose judgement
        /// depends on them.
        Changes => "changes",
    }
);

/// Resources that a run judged and found nothing for, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver {
    /// Code of the reason.
    pub reason: String,
    pub count: u64,
    /// The first of them, at most [`MOST_PASSED_OVER`]: identifier and display name.
    pub resources: Vec<(String, String)>,
}

/// Resources that a report names for each reason.
pub const MOST_PASSED_OVER: usize = 20;

/// State of the estate that the judgements of an agent include.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPosition {
    /// Digest of what the judgements depend on beside the estate
    /// ([`AgentTypes::basis`](crate::agent::contract::AgentTypes::basis)).
    pub basis: String,
    /// Digest of the connections, and of the kinds and regions that were read completely. A check
    /// may answer otherwise where a kind is complete, whatever changed.
    pub readings: String,
    /// Revision of each connection's descriptions up to which changes are judged.
    pub revisions: BTreeMap<ConnectionId, u64>,
}

/// Result of one run of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Identifier of the run; its audit entries carry it.
    pub run_id: String,
    #[serde(default = "full")]
    pub extent: RunExtent,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    /// Resources of the scope that the run looked at, those of kinds that are not judged included.
    pub resources_seen: u64,
    /// Resources that the run judged; `None` in reports of releases that did not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_judged: Option<u64>,
    /// Days that the learning period is measured by: those with samples in the scope, or those
    /// since the first whole run of an agent that judges configurations alone.
    pub days_observed: u32,
    /// First whole run of an agent whose judgement needs no samples; `None` for any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_since: Option<Timestamp>,
    /// Position after the run, of an agent that has runs over changes. A run that failed leaves the
    /// position before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<RunPosition>,
    /// Recommendations made or refreshed.
    pub recommendations: u64,
    /// Recommendations applied by itself.
    pub applied: u64,
    /// Resources without a finding, and findings that led to nothing, as (reason, count).
    pub skipped: Vec<(String, u64)>,
    /// The part of `skipped` that is resources without a finding; empty in reports of releases that
    /// did not tell them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<PassedOver>,
    /// Commitments simulated on the use of the scope, one for each account that was measured for
    /// three weeks at least.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub portfolios: Vec<Portfolio>,
    /// Reason for which the run failed; `None` if it succeeded.
    pub error: Option<String>,
}

/// Extent of the runs of releases that had no others.
const fn full() -> RunExtent {
    RunExtent::Full
}

impl RunReport {
    /// Returns the report of a run that begins: nothing is counted yet.
    #[must_use]
    pub const fn begun(run_id: String, extent: RunExtent, started_at: Timestamp) -> Self {
        RunReport {
            run_id,
            extent,
            started_at,
            finished_at: started_at,
            resources_seen: 0,
            resources_judged: Some(0),
            days_observed: 0,
            complete_since: None,
            position: None,
            recommendations: 0,
            applied: 0,
            skipped: Vec::new(),
            passed_over: Vec::new(),
            portfolios: Vec::new(),
            error: None,
        }
    }
}
