//! The lake against real files in temporary folders.
#![allow(clippy::unwrap_used)]

mod damage;
mod fixtures;
mod generate;
mod index;
mod ledger;
mod log;
mod samples;
mod search;
mod segments;
mod stretches;
mod tiers;
