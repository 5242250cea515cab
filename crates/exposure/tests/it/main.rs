//! Exposure of whole estates: each test is a small estate in the form in which its documents are
//! stored.

mod balancers;
mod documents;
mod hops;
mod network;
mod policies;
mod shared;
