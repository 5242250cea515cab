//! The program as its users meet it: processes, HTTP, files, and a real peer for the cloud.

#![allow(clippy::unwrap_used, missing_docs)]

mod bad_input;
mod demo;
mod ending;
mod full_disk;
mod journey;
mod routes;
mod shape;
mod visibility;
