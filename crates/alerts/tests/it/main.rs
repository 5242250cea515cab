//! The evaluator against an engine that was written from the crate's documentation alone.

#![allow(clippy::unwrap_used)]

mod differential;
mod naive;
mod steps;
