//! Trails over a real ledger and the real lake, its entries partly sealed: what a caller may not
//! see is in no answer, whichever way it is asked for, and reading on holds little in memory.

#![allow(clippy::unwrap_used, missing_docs)]

mod company;
mod following;
mod patience;
mod scope;
