//! C2SP tlog-proof (<https://c2sp.org/tlog-proof>): one file that proves, offline, that an entry is
//! in the log. Index, inclusion proof and signed checkpoint, and optionally what opens the leaf's
//! commitment.
//!
//! Reading is strict and the exact inverse of writing. The extra data is not authenticated by the
//! file; it counts only after its own hash has been found to be the leaf (see
//! `docs/formats/tlog.md`).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::checkpoint::{Checkpoint, CheckpointOpenError};
use crate::commitment::{Disclosure, DisclosureError};
use crate::decimal;
use crate::hash::Hash;
use crate::inclusion::{InclusionError, verify_inclusion};
use crate::key::NoteVerifier;
use crate::note::{NoteError, SignedNote};

/// First line of every proof.
const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// Most hashes an inclusion proof can have in a tree of 64-bit size.
const MAX_HASHES: usize = 64;

/// A proof that the leaf at `index` is in the checkpointed tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// Opaque bytes for the application; Reeve puts an encoded [`Disclosure`] here. Empty: no line.
    pub extra: Vec<u8>,
    /// Index of the leaf, from 0: the entry's sequence.
    pub index: u64,
    /// Inclusion proof, from the leaf up.
    pub hashes: Vec<Hash>,
    /// The signed checkpoint, verbatim.
    pub checkpoint: SignedNote,
}

/// Reason why bytes are not a `.tlog-proof`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProofFileError {
    /// Text that is not UTF-8.
    #[error("the proof is not UTF-8")]
    Utf8,
    /// The first line is not that of this format and version.
    #[error("the first line is not \"c2sp.org/tlog-proof@v1\"")]
    Header,
    /// The `extra` line is empty or not canonical base64.
    #[error("the extra line is not \"extra\" and base64")]
    Extra,
    /// The `index` line is missing or not a plain decimal number.
    #[error("the index line is not \"index\" and a decimal number without leading zeros")]
    Index,
    /// A hash line is not base64 of 32 bytes; counted from 1.
    #[error("hash line {0} is not the base64 of 32 bytes")]
    Hash(usize),
    /// More hashes than any tree needs.
    #[error("the proof has more than 64 hashes")]
    TooManyHashes,
    /// Missing blank line after the hashes.
    #[error("the proof ends before its checkpoint")]
    NoCheckpoint,
    /// The text after the proof is not a signed note.
    #[error("the checkpoint of the proof is not a signed note")]
    Note(#[from] NoteError),
}

/// Reason why a proof is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProofVerifyError {
    /// The checkpoint is refused.
    #[error("the checkpoint of the proof is refused")]
    Checkpoint(#[from] CheckpointOpenError),
    /// The leaf is not in the checkpointed tree.
    #[error("the entry is not proven to be in the log")]
    Inclusion(#[from] InclusionError),
    /// The extra data does not open a commitment.
    #[error("the extra data of the proof is not an entry")]
    Disclosure(#[from] DisclosureError),
}

impl ProofFile {
    /// Reads a proof. Nothing in it must be trusted before it is verified.
    pub fn parse(bytes: &[u8]) -> Result<ProofFile, ProofFileError> {
        let text = std::str::from_utf8(bytes).map_err(|_| ProofFileError::Utf8)?;
        let (header, rest) = text.split_once('\n').ok_or(ProofFileError::Header)?;
        if header != HEADER {
            return Err(ProofFileError::Header);
        }

        let (extra, rest) = parse_extra(rest)?;
        let (line, rest) = rest.split_once('\n').ok_or(ProofFileError::Index)?;
        let index = line
            .strip_prefix("index ")
            .and_then(decimal::parse)
            .ok_or(ProofFileError::Index)?;
        let (hashes, note) = parse_hashes(rest)?;

        Ok(ProofFile {
            extra,
            index,
            hashes,
            checkpoint: SignedNote::parse(note.as_bytes())?,
        })
    }

    /// Verifies that the leaf with hash `leaf` is in the log whose keys are `keys`, and returns the
    /// checkpoint that vouches for it. Needs nothing else: no log, no network.
    pub fn verify(
        &self,
        leaf: &Hash,
        keys: &[NoteVerifier],
    ) -> Result<Checkpoint, ProofVerifyError> {
        let checkpoint = Checkpoint::from_note(&self.checkpoint, keys)?;
        let (size, root) = (checkpoint.size, &checkpoint.root);
        verify_inclusion(leaf, self.index, size, &self.hashes, root)?;
        Ok(checkpoint)
    }

    /// Verifies a proof that carries its own entry, and returns that entry with the checkpoint.
    pub fn verify_disclosed(
        &self,
        keys: &[NoteVerifier],
    ) -> Result<(Disclosure<'_>, Checkpoint), ProofVerifyError> {
        let disclosure = Disclosure::decode(&self.extra)?;
        let checkpoint = self.verify(&disclosure.commitment().leaf_hash(), keys)?;
        Ok((disclosure, checkpoint))
    }
}

/// Writes the lines of the C2SP file.
impl fmt::Display for ProofFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        if !self.extra.is_empty() {
            writeln!(f, "extra {}", STANDARD.encode(&self.extra))?;
        }

        writeln!(f, "index {}", self.index)?;
        for hash in &self.hashes {
            writeln!(f, "{}", hash.to_base64())?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}

/// The bytes of the `extra` line if there is one, and what follows it.
fn parse_extra(text: &str) -> Result<(Vec<u8>, &str), ProofFileError> {
    let Some(line) = text.strip_prefix("extra ") else {
        return Ok((Vec::new(), text));
    };

    let (base64, rest) = line.split_once('\n').ok_or(ProofFileError::Extra)?;
    let extra = STANDARD.decode(base64).map_err(|_| ProofFileError::Extra)?;
    if extra.is_empty() {
        return Err(ProofFileError::Extra);
    }
    Ok((extra, rest))
}

/// The hash lines up to the blank line, and what follows it.
fn parse_hashes(mut text: &str) -> Result<(Vec<Hash>, &str), ProofFileError> {
    let mut hashes = Vec::new();
    loop {
        let (line, rest) = text.split_once('\n').ok_or(ProofFileError::NoCheckpoint)?;
        text = rest;
        if line.is_empty() {
            return Ok((hashes, text));
        }
        if hashes.len() == MAX_HASHES {
            return Err(ProofFileError::TooManyHashes);
        }
        let number = hashes.len() + 1;
        hashes.push(Hash::from_base64(line).map_err(|_| ProofFileError::Hash(number))?);
    }
}
