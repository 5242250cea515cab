//! State of a database server that changes of it read and write.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Indexes, parameters and statements of a database server, as the observation of a single one
/// reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseState {
    /// Indexes by schema and name: `public.orders_status`.
    pub indexes: BTreeMap<String, DatabaseIndexState>,
    /// Parameters that Reeve changes, by name; sizes in bytes.
    pub parameters: BTreeMap<String, u64>,
    /// Statements by the identifier that the server gives them.
    pub statements: BTreeMap<String, StatementCalls>,
}

/// State of one index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseIndexState {
    /// Statement that creates it, as the server writes it.
    pub definition: String,
    /// `false` while it is built, and after a build that failed.
    pub is_valid: bool,
    /// Scans since the counters were reset; `None` where the server does not count them.
    pub scans: Option<u64>,
}

/// Calls of a statement since the counters were reset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementCalls {
    pub calls: u64,
    /// Time of all calls, microseconds.
    pub total_us: u64,
    /// Columns that it filters, joins or sorts by: `public.orders.status`.
    pub columns: Vec<String>,
}

impl StatementCalls {
    /// Calls since an earlier reading; `None` if the counters were reset in between, or nothing was
    /// called.
    #[must_use]
    pub fn since(&self, earlier: &StatementCalls) -> Option<StatementCalls> {
        let calls = self.calls.checked_sub(earlier.calls)?;
        let total_us = self.total_us.checked_sub(earlier.total_us)?;
        (calls > 0).then(|| StatementCalls {
            calls,
            total_us,
            columns: self.columns.clone(),
        })
    }

    /// Mean time of a call, milliseconds; 0 without calls.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        match self.calls {
            0 => 0.0,
            calls => self.total_us as f64 / calls as f64 / 1_000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_since_an_earlier_reading() {
        let calls = |calls, total_us| StatementCalls {
            calls,
            total_us,
            columns: Vec::new(),
        };
        let since = calls(110, 15_000).since(&calls(100, 10_000)).unwrap();
        assert_eq!((since.mean_ms(), since), (0.5, calls(10, 5_000)));
        assert_eq!(calls(100, 10_000).since(&calls(100, 10_000)), None);
        assert_eq!(calls(3, 10).since(&calls(100, 10_000)), None, "reset");
    }
}
