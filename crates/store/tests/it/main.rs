//! The store on SQLite in a temporary directory, and on a real PostgreSQL where there is one.
//!
//! Both run the same contract suites. Without PostgreSQL (see `reeve_testkit::postgres`) its half
//! says that it was skipped.

#![allow(clippy::unwrap_used)]

mod alert_upkeep;
mod contract;
mod dispatch;
mod lease;
mod migrations;
mod opening;
mod place;
mod scale;
mod secrets;
mod settings;
mod state_digest;
mod transfer;
