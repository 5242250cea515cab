//! The engine against a cloud that refuses what a real one refuses, loses answers, and does not always do as it says.
#![allow(clippy::unwrap_used)]

mod anomalies;
mod approvals;
mod cloud;
mod configure;
mod execute;
mod faults;
mod guardrails;
mod models;
mod policy;
mod respond;
mod resume;
mod rollback;
mod run;
mod store;
mod watch;
mod world;
