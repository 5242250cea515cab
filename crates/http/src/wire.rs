//! Wire types: what stands in requests and answers, versioned by the path prefix, apart from the
//! domain's types.
//!
//! Names are `docs/openapi.json`'s. Every request type refuses unknown fields; every time is RFC
//! 3339 UTC with milliseconds; every amount of money is US dollars as a number with cents.

pub mod access;
pub mod agent;
pub mod alert;
pub mod anomaly;
pub mod attack_chain;
pub mod compliance;
pub mod database;
pub mod dependency;
pub mod drift;
pub mod estate;
pub mod export;
pub mod exposure;
pub mod flow;
pub mod form;
pub mod guardrail;
pub mod inbound_alert;
pub mod incident;
pub mod integration;
pub mod log;
pub mod log_source;
pub mod notification;
pub mod objective;
pub mod predictive;
pub mod recommendation;
pub mod report;
pub mod runbook;
pub mod spot;
