//! The log from outside all rooms: ledger, lake and auditor together under faults, and the fuzzers' corpora.

#![allow(clippy::unwrap_used)]

mod corpora;
mod simulation;
mod tampering;
