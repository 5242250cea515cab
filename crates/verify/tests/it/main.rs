//! The auditor against logs that the real ledger and the real lake have written.
#![allow(clippy::unwrap_used)]

mod cli;
mod damage;
#[path = "../../../ledger/tests/it/earlier.rs"]
mod earlier;
mod epochs;
mod erasure;
mod expiry;
mod forged;
mod intact;
mod live;
mod log;
mod moved_erasure;
mod proofs;
mod remote;
mod replaced;
mod signatures;
mod tail;
