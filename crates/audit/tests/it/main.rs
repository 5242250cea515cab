//! One test binary of the crate: published vectors, oracles and properties.

mod batch;
mod canonical;
mod entry;
mod generate;
mod json_vectors;
mod query;
mod test_data;
