//! The ledger from outside: what is acknowledged stays, what is refused says why, whatever the disk
//! does.

#![allow(clippy::unwrap_used)]

mod append;
mod crash;
mod earlier;
mod epochs;
mod erasure;
mod expiry;
mod faults;
mod faulty_disk;
mod fence;
mod formats;
mod log;
mod moved_erasure;
mod proofs;
mod recovery;
mod seal_cost;
mod sealing;
mod segments;
mod signatures;
mod snapshot;
mod tiers;
