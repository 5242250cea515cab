//! One test binary of the crate: published vectors, oracles and properties.

#![allow(clippy::unwrap_used)]

mod batch;
mod canonical;
mod catalogue;
mod docs;
mod entry;
mod generate;
mod json_vectors;
mod query;
mod test_data;
