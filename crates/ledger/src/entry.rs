//! An entry as the ledger keeps it: the claim, its canonical bytes, and what proves it.

use jiff::Timestamp;

use reeve_audit::{Entry, ReadBackError};
use reeve_tlog::{Commitment, Hash, chain_hash, commitment};

/// Bytes added to an entry's canonical bytes when the memory of queues and tail is counted.
pub(crate) const ENTRY_OVERHEAD: usize = 256;

/// Entry that the log has acknowledged.
#[derive(Debug, Clone)]
pub struct StoredEntry {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// Time at which Reeve received the entry; part of the canonical bytes.
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
    /// Hash of the chain that ends with this entry.
    pub hash: Hash,
}

impl StoredEntry {
    /// An entry that has no place in the log yet: sequence and chain hashes are zero.
    pub(crate) fn hashed(
        salt: [u8; 16],
        recorded_at: Timestamp,
        canonical: Vec<u8>,
        entry: Entry,
    ) -> StoredEntry {
        let commitment = commitment(&salt, &canonical);
        let leaf_hash = commitment.leaf_hash();
        let (previous_hash, hash) = (Hash::ZERO, Hash::ZERO);

        StoredEntry {
            sequence: 0,
            recorded_at,
            salt,
            canonical,
            entry,
            commitment,
            leaf_hash,
            previous_hash,
            hash,
        }
    }

    /// Gives the entry its place in log and chain.
    pub(crate) fn place(&mut self, sequence: u64, previous_hash: Hash) {
        self.sequence = sequence;
        self.previous_hash = previous_hash;
        self.hash = chain_hash(&previous_hash, &self.leaf_hash);
    }

    /// About how many bytes of memory and queue the entry is counted as.
    pub(crate) fn weight(&self) -> usize {
        self.canonical.len() + ENTRY_OVERHEAD
    }

    /// Creates the entry from its stored bytes and the previous chain hash; derived values are
    /// computed again.
    pub(crate) fn restore(
        sequence: u64,
        salt: [u8; 16],
        canonical: Vec<u8>,
        previous_hash: Hash,
    ) -> Result<StoredEntry, ReadBackError> {
        let (entry, recorded_at) = Entry::from_canonical(&canonical)?;
        let mut stored = StoredEntry::hashed(salt, recorded_at, canonical, entry);
        stored.place(sequence, previous_hash);
        Ok(stored)
    }

    /// Returns the receipt of the entry; `duplicate` marks a repeated submission.
    pub(crate) fn receipt(&self, duplicate: bool) -> Receipt {
        Receipt {
            event_id: self.entry.event_id.as_str().to_owned(),
            sequence: self.sequence,
            recorded_at: self.recorded_at,
            leaf_hash: self.leaf_hash,
            previous_hash: self.previous_hash,
            hash: self.hash,
            duplicate,
        }
    }
}

/// An entry as a segment holds it: what was hashed and what opens it. Everything else of a
/// [`StoredEntry`] follows from it and from the tree; `Ledger::restore` adds that and refuses rows
/// that are not what the log committed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedEntry {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// The salt of the commitment.
    pub salt: [u8; 16],
    /// The bytes that were hashed.
    pub canonical: Vec<u8>,
}

/// Receipt that a client gets once its entry is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// Time at which Reeve received the entry.
    pub recorded_at: Timestamp,
    /// RFC 6962 leaf hash.
    pub leaf_hash: Hash,
    /// Chain hash of the entry before.
    pub previous_hash: Hash,
    /// Hash of the chain that ends with this entry.
    pub hash: Hash,
    /// `true` if the entry had been recorded before; the other members are then those of the first
    /// receipt.
    pub duplicate: bool,
}
