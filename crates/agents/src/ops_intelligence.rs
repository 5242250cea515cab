//! The judgement of `ops_intelligence`: more storage that anomalies ask for (`storage`), and storage,
//! limits and failovers that predictive rules ask for (`foreseen`).

mod agent;
mod dependencies;
mod foreseen;
mod storage;

pub use agent::OpsIntelligence;
