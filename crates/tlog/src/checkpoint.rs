//! C2SP tlog-checkpoint (<https://c2sp.org/tlog-checkpoint>): the signed size and root of a log.
//!
//! Refuses sizes with leading zeros or signs, roots that are not 32 bytes, empty lines, and, when
//! opening, a checkpoint that no key named like its origin has signed: a witness alone is not the
//! log.

use std::fmt::Write as _;

use thiserror::Error;

use crate::decimal;
use crate::hash::Hash;
use crate::key::{NoteSigner, NoteVerifier};
use crate::note::{NoteError, NoteVerifyError, SignedNote};

/// A log's origin, size and root, with any extension lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Identity of the log; not empty, one line.
    pub origin: String,
    /// Number of leaves of the tree.
    pub size: u64,
    /// RFC 6962 root over that many leaves.
    pub root: Hash,
    /// Further lines, each not empty. Reeve writes none.
    pub extensions: Vec<String>,
}

/// Reason why a text is not a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The last line is not ended by a newline.
    #[error("the checkpoint does not end in a newline")]
    Unended,
    /// Fewer than three lines.
    #[error("a checkpoint has at least the lines origin, size and root")]
    TooShort,
    /// The origin is empty.
    #[error("the origin of the checkpoint is empty")]
    Origin,
    /// The size is not a plain decimal number of 64 bits.
    #[error("the size of the checkpoint is not a decimal number without leading zeros")]
    Size,
    /// The root is not base64 of 32 bytes.
    #[error("the root of the checkpoint is not the base64 of 32 bytes")]
    Root,
    /// An extension line is empty; counted from 1.
    #[error("extension line {0} of the checkpoint is empty")]
    Extension(usize),
    /// A field has a newline or another control character.
    #[error("a field of the checkpoint has a control character")]
    Characters,
}

/// Reason why a checkpoint cannot be made into a note.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CheckpointSignError {
    /// A field cannot be written as a line.
    #[error("the checkpoint cannot be written")]
    Checkpoint(#[from] CheckpointError),
    /// The note cannot be made.
    #[error("the note cannot be made")]
    Note(#[from] NoteError),
}

/// Reason why a signed checkpoint is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointOpenError {
    /// The bytes are not a signed note.
    #[error("not a signed note")]
    Note(#[from] NoteError),
    /// Missing or wrong signature.
    #[error("the signatures are invalid")]
    Signature(#[from] NoteVerifyError),
    /// The text is not a checkpoint.
    #[error("the note is not a checkpoint")]
    Checkpoint(#[from] CheckpointError),
    /// Signed by known keys, none of which has the name of the log.
    #[error("no known key named {origin}, the origin of the checkpoint, has signed it")]
    NotTheLog {
        /// Origin line of the checkpoint.
        origin: String,
    },
}

impl Checkpoint {
    /// A checkpoint without extension lines.
    pub fn new(origin: &str, size: u64, root: Hash) -> Checkpoint {
        Checkpoint {
            origin: origin.to_owned(),
            size,
            root,
            extensions: Vec::new(),
        }
    }

    /// The note text: origin, size, root and extensions, a line each.
    pub fn to_text(&self) -> Result<String, CheckpointError> {
        if self.origin.is_empty() {
            return Err(CheckpointError::Origin);
        }
        if let Some(empty) = self.extensions.iter().position(String::is_empty) {
            return Err(CheckpointError::Extension(empty + 1));
        }

        let mut lines = std::iter::once(&self.origin).chain(&self.extensions);
        if lines.any(|line| line.contains(|c: char| c < ' ')) {
            return Err(CheckpointError::Characters);
        }

        let mut text = String::with_capacity(self.origin.len() + 68);
        let (origin, size, root) = (&self.origin, self.size, self.root.to_base64());

        // Writing to a String cannot fail.
        let _ = write!(text, "{origin}\n{size}\n{root}\n");
        for extension in &self.extensions {
            text.push_str(extension);
            text.push('\n');
        }

        Ok(text)
    }

    /// Reads a note text.
    pub fn parse(text: &str) -> Result<Checkpoint, CheckpointError> {
        if text.contains(|c: char| c < ' ' && c != '\n') {
            return Err(CheckpointError::Characters);
        }

        let body = text.strip_suffix('\n').ok_or(CheckpointError::Unended)?;
        let mut lines = body.split('\n');
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(CheckpointError::TooShort);
        };

        if origin.is_empty() {
            return Err(CheckpointError::Origin);
        }

        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        if let Some(empty) = extensions.iter().position(String::is_empty) {
            return Err(CheckpointError::Extension(empty + 1));
        }

        Ok(Checkpoint {
            origin: origin.to_owned(),
            size: decimal::parse(size).ok_or(CheckpointError::Size)?,
            root: Hash::from_base64(root).map_err(|_| CheckpointError::Root)?,
            extensions,
        })
    }

    /// Signs the checkpoint. The first signer is the log's own, named like the origin.
    pub fn sign(&self, signers: &[&NoteSigner]) -> Result<SignedNote, CheckpointSignError> {
        Ok(SignedNote::sign(self.to_text()?, signers)?)
    }

    /// Reads a signed checkpoint and verifies it: at least one of `keys` named like the origin has
    /// signed, and no signature by any of `keys` is wrong.
    pub fn open(bytes: &[u8], keys: &[NoteVerifier]) -> Result<Checkpoint, CheckpointOpenError> {
        Checkpoint::from_note(&SignedNote::parse(bytes)?, keys)
    }

    /// Opens a checkpoint from a parsed note.
    pub fn from_note(
        note: &SignedNote,
        keys: &[NoteVerifier],
    ) -> Result<Checkpoint, CheckpointOpenError> {
        let signed = note.verify(keys)?;
        let checkpoint = Checkpoint::parse(note.text())?;

        if !signed.iter().any(|key| key.name() == checkpoint.origin) {
            return Err(CheckpointOpenError::NotTheLog {
                origin: checkpoint.origin,
            });
        }
        Ok(checkpoint)
    }
}
