//! Wire types: what stands in requests and answers, versioned by the path prefix, apart from the
//! domain's types.
//!
//! Names are `docs/openapi.json`'s. Every request type refuses unknown fields; every time is RFC
//! 3339 UTC with milliseconds; every amount of money is US dollars as a number with cents.

pub mod access;
pub mod agent;
pub mod agent_settings;
pub mod alert;
pub mod anomaly;
pub mod approval_matrix;
pub mod bill_source;
pub mod budget;
pub mod change_control;
pub mod channel;
pub mod description;
pub mod diagnosis;
pub mod entry;
pub mod enumeration;
pub mod estate;
pub mod event_type;
pub mod export;
pub mod guardrail_usage;
pub mod guardrails;
pub mod list;
pub mod metric;
pub mod metric_source;
pub mod model;
pub mod name;
mod object;
pub mod portfolio;
pub mod predictive;
pub mod preview;
pub mod price;
pub mod protection;
pub mod quantity;
pub mod recommendation;
pub mod report;
pub mod rollout;
pub mod saved_search;
pub mod search;
pub mod value_list;
pub mod verification;
pub mod webhook;
pub mod workflow;
pub mod workload;
pub mod workspace;
