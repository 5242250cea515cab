//! Limits that a judgement decides by.

use serde::{Deserialize, Serialize};

const GIB: f64 = 1_073_741_824.0;

/// Limits of the judgement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DatabaseThresholds {
    /// Days without a scan before an index is called unused.
    pub unused_days: f64,
    /// Share of its statements' cost that a new index must save.
    pub least_saving: f64,
    /// Storage that all new indexes may take, bytes.
    pub index_budget_bytes: f64,
    /// Statements a second from which a read replica is considered.
    pub replica_queries_per_second: f64,
}

impl Default for DatabaseThresholds {
    fn default() -> Self {
        DatabaseThresholds {
            unused_days: 14.0,
            least_saving: 0.3,
            index_budget_bytes: 10.0 * GIB,
            replica_queries_per_second: 1_000.0,
        }
    }
}
