//! The log from outside all rooms: ledger, lake and auditor together under faults, alert rules over
//! recorded attacks, and the fuzzers' corpora.

#![allow(clippy::unwrap_used)]

mod alerts;
mod corpora;
mod simulation;
mod tampering;
mod templates;
