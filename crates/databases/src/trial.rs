//! Trials of candidates for indexes.

use serde::{Deserialize, Serialize};

use crate::candidate::IndexCandidate;

/// Way in which a candidate was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialMethod {
    /// The planner planned with a hypothetical index (hypopg).
    Hypothetical,
    /// From statistics, without a plan.
    Estimated,
}

/// Cost of one call of a statement without and with a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementCost {
    pub statement_id: String,
    pub before: f64,
    pub after: f64,
}

/// Costs of the statements of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexTrial {
    pub candidate: IndexCandidate,
    pub method: TrialMethod,
    /// Size that the server estimates; otherwise it follows from the columns.
    pub size_bytes: Option<f64>,
    pub costs: Vec<StatementCost>,
}
