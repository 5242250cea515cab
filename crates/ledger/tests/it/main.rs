//! The ledger from outside: what is acknowledged stays, what is refused says why, whatever the disk does.

#![allow(clippy::unwrap_used)]

mod append;
mod crash;
mod epochs;
mod faults;
mod faulty_disk;
mod formats;
mod log;
mod proofs;
mod recovery;
mod sealing;
mod segments;
mod snapshot;
