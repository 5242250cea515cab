//! The ledger: append, sequence, commit, publish.
//!
//! Handlers prepare drafts in parallel; one sequencer numbers them, appends one frame to the
//! write-ahead log, syncs it, signs the new tree head and acknowledges. What was acknowledged
//! survives `kill -9` and power loss. Sealed entries go to segments through the [`SegmentStore`]
//! port; readers see both through [`EntryReader`]. Formats: `docs/formats/wal.md` and
//! `docs/formats/data-directory.md`.
//!
//! | concern | items |
//! |---|---|
//! | writing | [`Ledger::append`], [`AppendError`], [`Receipt`] |
//! | reading | [`Ledger::view`] ([`LogView`], [`Tail`]), [`Ledger::restore`], [`Ledger::subscribe`], [`EntryReader`] |
//! | proving | [`Ledger::checkpoint`], [`Ledger::proof`], [`Ledger::multi_prover`], [`Ledger::tile`], [`keys`] |
//! | keys and witnesses | [`Ledger::rotate_key`], [`Ledger::keys`], [`Ledger::consistency`], [`Ledger::keep_cosigned`] |
//! | keeping | [`Ledger::seal_due`], [`Ledger::seal`], [`SegmentStore`], [`Ledger::snapshot`] |
//! | expiring | [`Ledger::expire`], [`Ledger::free`], [`Ledger::conceal`] |
//! | moving to other tiers | [`Ledger::relocate`], [`Ledger::settle`], [`Ledger::restored`] |
//! | files and time | [`wal`], [`manifest`], [`anchor`], [`disk`], [`clock`] |

mod accept;
pub mod anchor;
mod append;
mod attest;
mod chain;
pub mod clock;
mod config;
mod cosign;
mod deadlines;
mod delivery;
pub mod disk;
pub mod entry;
mod epoch;
mod erasure;
mod expiry;
mod extend;
mod fence;
mod hash_file;
mod ids;
pub mod keys;
mod ledger;
pub mod manifest;
mod open;
mod open_error;
mod queue;
mod read;
pub mod reader;
mod recover;
mod relocate;
mod seal;
pub mod segment;
mod sequencer;
mod shared;
mod snapshot;
pub mod tail;
mod tiles;
pub mod wal;

pub use accept::{AcceptUnsigned, EntryError, Unsigned};
pub use append::AppendError;
pub use attest::Attestor;
pub use config::Config;
pub use deadlines::Classes;
pub use delivery::Delivery;
pub use entry::{Receipt, SealedEntry, StoredEntry};
pub use epoch::{KeyEpoch, Planned, RotateError};
pub use erasure::{Erasure, RewrittenSegment};
pub use expiry::{ExpireError, Tombstone, root_of};
pub use extend::ExtendError;
pub use fence::{Fence, Fenced, Unfenced};
pub use ledger::Ledger;
pub use open_error::OpenError;
pub use read::ReadError;
pub use reader::{
    Aggregation, EntryCounts, EntryPage, EntryReader, GroupBy, LeftOut, MOST_PAIRS, MOST_SORTED,
    MOST_VALUES, Order, ReadOn, SearchRequest, Stretch, TimeUnit, TrailError,
};
pub use reeve_tlog::Epoch;
pub use relocate::Relocation;
pub use seal::SealError;
pub use segment::{
    Erased, Expired, Moved, SegmentContent, SegmentError, SegmentMeta, SegmentStore,
};
pub use shared::Health;
pub use snapshot::{Snapshot, SnapshotFile};
pub use tail::{LogView, Tail};
pub use tiles::{HashReadError, TreeHashes};
