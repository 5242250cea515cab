//! The only crate that knows HTTP: routes, wire types, errors, OpenAPI, and the embedded dashboard.

pub mod wire;
