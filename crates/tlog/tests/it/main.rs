//! Integration tests of the log's cryptography: properties over generated trees, the texts of the
//! published specifications, and published vectors where `REEVE_TEST_DATA` has them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bundles;
mod fixtures;
mod memory;
mod multi_proofs;
mod notes;
mod proof_files;
mod proofs;
mod published;
mod vectors;
