//! The program as its users meet it: processes, HTTP, files, and a real peer for the cloud.

#![allow(clippy::unwrap_used, missing_docs)]

mod alerts;
mod anomalies;
mod attacks;
mod backup;
mod bad_input;
mod bills;
mod claims;
mod cli;
mod counting;
mod demo;
mod direct;
mod doors;
mod ending;
mod exports;
mod full_disk;
mod journey;
mod kill;
mod live;
mod own_activity;
mod predictive;
mod private;
mod provenance;
mod publication;
mod quarantine;
mod roles;
mod rollouts;
mod routes;
mod saved_searches;
mod shape;
mod tokens;
mod verifying;
mod visibility;
mod walk;
mod webhooks;
