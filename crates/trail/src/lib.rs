//! The log as one caller may read it.
//!
//! A [`Trail`] is bound to the rows that a principal may see, and narrows every request by them:
//! pages, counts, single entries, proofs, the live view, and the forward reading of exports,
//! reports and previews. What serves callers holds a [`Log`], which writes and proves, and reads
//! only through a trail; it gives out neither the ledger nor the reader below. Background work that
//! acts for no one person is handed a trail of [`Trail::service_wide`] by the program that opened
//! the log.
//!
//! Entries about Reeve's own acts go through one [`Journal`], which keeps those that the log cannot
//! take right now and counts what happens too often to be recorded one by one ([`Tallies`]).
//!
//! Reading on is the same for everybody who follows the log: a [`Follower`] reads stretches from a
//! position that its host keeps, and [`Live`] is a follower that waits for what is new. Entries
//! that are not sealed yet are shared in memory by all of them; what is sealed is read once for
//! those that follow every entry (alerts, anomalies, deliveries).

mod follower;
mod journal;
mod live;
mod log;
mod recent;
mod shared;
mod tallies;
mod trail;

pub use follower::{Follower, Scan};
pub use journal::{Journal, JournalError};
pub use live::{Live, LiveError};
pub use log::Log;
pub use tallies::Tallies;
pub use trail::Trail;
