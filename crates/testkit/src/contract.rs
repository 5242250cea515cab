//! Contract suites: what every implementation of a port must do, written once.
//!
//! A suite takes an empty store and asserts; it may be run on any number of implementations.

pub mod access;
pub mod agents;
pub mod alerts;
pub mod anomalies;
pub mod bill_sources;
pub mod budgets;
pub mod database_loads;
pub mod deliveries;
pub mod descriptions;
pub mod drift;
pub mod estate;
pub mod evidence;
pub mod exports;
pub mod flows;
pub mod inbound_alerts;
pub mod incidents;
pub mod log_sources;
pub mod metric_sources;
pub mod models;
pub mod objectives;
pub mod predictive;
pub mod price_files;
pub mod reports;
pub mod retention;
pub mod rollouts;
pub mod runbooks;
pub mod saved_searches;
pub mod spots;
pub mod streams;
pub mod value_lists;
pub mod workloads;
