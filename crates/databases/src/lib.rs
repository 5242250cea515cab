//! Database servers: what was read of one, and the judgement of its statements, indexes,
//! parameters and health.
//!
//! A connector reads an [`Observation`]. [`candidates`] names the indexes that its statements could
//! use, the connector measures them ([`IndexTrial`]), and [`judge`] returns the advice with the
//! numbers behind each item. What cannot be judged is an [`Unjudged`] with the reason and a remedy.
//! The crate does no I/O.

mod advice;
mod candidate;
pub mod change_statement;
mod engine;
mod estimate;
mod health;
mod index;
mod judge;
mod literal;
mod observation;
mod parameter;
mod predicate;
mod query;
mod quote;
mod reading;
mod replica;
mod statement;
#[cfg(test)]
mod testing;
mod thresholds;
mod trial;
mod unit;

pub use advice::{
    AdviceCost, Area, CostUnit, DatabaseAdvice, DatabaseChange, DatabaseReport, Severity, Unjudged,
};
pub use candidate::{IndexCandidate, candidates};
pub use engine::Engine;
pub use estimate::estimated_trials;
pub use judge::judge;
pub use literal::without_literals;
pub use observation::{
    ActivityFacts, BackendSession, Constraint, DatabaseColumn, DatabaseIndex, DatabaseSetting,
    DatabaseStatement, DatabaseTable, Observation, ReplicationFacts, Sequence, ServerFacts,
    StatementSource,
};
pub use predicate::{is_plannable, used_columns};
pub use quote::name as quoted_name;
pub use reading::DatabaseReading;
pub use thresholds::DatabaseThresholds;
pub use trial::{IndexTrial, StatementCost, TrialMethod};
