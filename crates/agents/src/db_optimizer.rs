//! The judgement of `db_optimizer`: read replicas that anomalies and predictive rules
//! ask for.

mod agent;
mod replica;

pub use agent::DbOptimizer;
