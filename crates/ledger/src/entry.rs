//! An entry as the ledger keeps it: the claim, its canonical bytes, and what proves it.

use jiff::Timestamp;

use reeve_audit::Entry;
use reeve_tlog::{Commitment, Hash};

/// An acknowledged entry.
#[derive(Debug, Clone)]
pub struct StoredEntry {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// When Reeve received it; part of the canonical bytes.
    pub recorded_at: Timestamp,
    /// The salt of the commitment.
    pub salt: [u8; 16],
    /// The bytes that were hashed.
    pub canonical: Vec<u8>,
    /// The claim, parsed from `canonical`.
    pub entry: Entry,
    /// SHA-256 of domain, salt and canonical bytes.
    pub commitment: Commitment,
    /// RFC 6962 leaf hash of the commitment.
    pub leaf_hash: Hash,
    /// Chain hash of the entry before; zeros for the first.
    pub previous_hash: Hash,
    /// Chain hash.
    pub hash: Hash,
}

/// An entry as a segment holds it: what was hashed and what opens it. Everything else of a [`StoredEntry`] follows from it
/// and from the tree; `Ledger::restore` adds that and refuses rows that are not what the log committed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedEntry {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// The salt of the commitment.
    pub salt: [u8; 16],
    /// The bytes that were hashed.
    pub canonical: Vec<u8>,
}

/// What the writer of an entry gets back once it is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The entry's identifier.
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// When Reeve received it.
    pub recorded_at: Timestamp,
    /// RFC 6962 leaf hash.
    pub leaf_hash: Hash,
    /// Chain hash of the entry before.
    pub previous_hash: Hash,
    /// Chain hash.
    pub hash: Hash,
    /// Whether the same entry had been recorded before and this is its first receipt again.
    pub duplicate: bool,
}
