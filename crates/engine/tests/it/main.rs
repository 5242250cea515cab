//! The engine against a cloud that refuses what a real one refuses, loses answers, and does not
//! always do as it says.
#![allow(clippy::unwrap_used)]

mod activity;
mod anomalies;
mod applicability;
mod approvals;
mod change_runs;
mod clock;
mod cloud;
mod configure;
mod decisions;
mod emergencies;
mod except;
mod execute;
mod faults;
mod feedback;
mod flows;
mod guardrails;
mod investigations;
mod isolation;
mod journal;
mod large_runs;
mod lessons;
mod load_history;
mod metric_watch;
mod models;
mod pages;
mod policy;
mod predictive;
mod preview;
mod protections;
mod remediation;
mod respond;
mod resume;
mod rollback;
mod rollouts;
mod run;
mod runbooks;
mod services;
mod simulation;
mod store;
mod watch;
mod world;
