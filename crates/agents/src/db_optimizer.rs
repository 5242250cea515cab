//! The judgement of `db_optimizer`: indexes, parameters, statements and health of databases that are
//! read over their own protocol, and read replicas that anomalies and predictive rules ask for.

mod agent;
mod judgement;
mod replica;
mod settings;
#[cfg(test)]
mod tests;

pub use agent::DbOptimizer;
