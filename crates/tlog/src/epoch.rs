//! Epochs of a log's key: records, signed by the old and the new key, that one key took over from
//! another at a size of the log. Layout and reader's rules: `docs/formats/tlog.md`, "Key epochs".
//!
//! Refuses records that lack either signature, that do not follow each other, and checkpoints
//! signed by a key outside of the sizes it was in charge of: a key that was retired and then stolen
//! cannot speak for what came after it.

use thiserror::Error;

use crate::checkpoint::{Checkpoint, CheckpointOpenError};
use crate::decimal;
use crate::hash::Hash;
use crate::key::{KeyError, KeyId, NoteSigner, NoteVerifier};
use crate::note::{NoteError, NoteVerifyError, SignedNote};

/// First line of every record; no log's origin, so that no record reads as a checkpoint.
const HEADER: &str = "reeve/key-epoch/v1";

/// One rotation: `new` signs for the log from `size` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Number of the rotation, from 1.
    pub number: u64,
    /// Entries in the log when the key changed: the old key signed no more than these, the new one
    /// no fewer.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Hash,
    /// The key that signed before.
    pub old: NoteVerifier,
    /// The key that signs from now on.
    pub new: NoteVerifier,
}

/// Reason why a record is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EpochError {
    /// The bytes are not a signed note.
    #[error("the record is not a signed note")]
    Note(#[from] NoteError),
    /// Malformed lines of a record.
    #[error(
        "the record is not made of the seven lines header, origin, number, size, root, old key and new key"
    )]
    Lines,
    /// One of the two keys is none.
    #[error("a key in the record is refused")]
    Key(#[from] KeyError),
    /// The keys are not two keys of this log.
    #[error("the two keys of the record are not two keys named {0}, its origin")]
    Names(String),
    /// A signature is wrong.
    #[error("a signature of the record is invalid")]
    Signature(#[from] NoteVerifyError),
    /// A signature is missing.
    #[error("the record is not signed by {0}, one of its two keys")]
    Unsigned(KeyId),
    /// The record is not the one that comes next.
    #[error("the record does not follow the one before: {0}")]
    Order(&'static str),
}

/// Reason why a checkpoint is refused by the keys of a log.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EpochOpenError {
    /// Invalid signatures or text.
    #[error(transparent)]
    Open(#[from] CheckpointOpenError),
    /// Signed by a key that was not in charge at that size.
    #[error("the key {id} signed it, which is valid for sizes {from} to {to}, not for {size}")]
    OutOfEpoch {
        id: KeyId,
        /// Least size it signed.
        from: u64,
        /// Greatest size it signed.
        to: u64,
        /// Size of the checkpoint.
        size: u64,
    },
}

impl Epoch {
    /// Returns the origin of the log: the name of the new key.
    pub fn origin(&self) -> &str {
        self.new.name()
    }

    fn text(&self) -> String {
        let Epoch {
            number,
            size,
            root,
            old,
            new,
        } = self;
        format!(
            "{HEADER}\n{}\n{number}\n{size}\n{}\n{old}\n{new}\n",
            self.origin(),
            root.to_base64()
        )
    }

    /// Signs the record with both keys, which must be those it names.
    pub fn sign(&self, old: &NoteSigner, new: &NoteSigner) -> Result<SignedNote, EpochError> {
        let note = SignedNote::sign(self.text(), &[old, new])?;
        Epoch::from_note(&note)?;
        Ok(note)
    }

    /// Reads a record and verifies both signatures.
    pub fn open(bytes: &[u8]) -> Result<Epoch, EpochError> {
        Epoch::from_note(&SignedNote::parse(bytes)?)
    }

    fn from_note(note: &SignedNote) -> Result<Epoch, EpochError> {
        let epoch = Epoch::parse(note.text())?;
        let keys = [epoch.old.clone(), epoch.new.clone()];
        let signed = note.verify(&keys)?;
        if let Some(missing) = keys.iter().find(|key| !signed.contains(key)) {
            return Err(EpochError::Unsigned(missing.id()));
        }
        Ok(epoch)
    }

    fn parse(text: &str) -> Result<Epoch, EpochError> {
        let body = text.strip_suffix('\n').ok_or(EpochError::Lines)?;
        let lines: Vec<&str> = body.split('\n').collect();
        let [HEADER, origin, number, size, root, old, new] = lines[..] else {
            return Err(EpochError::Lines);
        };

        let epoch = Epoch {
            number: decimal::parse(number)
                .filter(|number| *number > 0)
                .ok_or(EpochError::Lines)?,
            size: decimal::parse(size).ok_or(EpochError::Lines)?,
            root: Hash::from_base64(root).map_err(|_| EpochError::Lines)?,
            old: old.parse()?,
            new: new.parse()?,
        };

        if epoch.old.name() != origin || epoch.new.name() != origin || epoch.old == epoch.new {
            return Err(EpochError::Names(origin.to_owned()));
        }

        // One spelling only: what is read is what would be written.
        if epoch.text() == text {
            Ok(epoch)
        } else {
            Err(EpochError::Lines)
        }
    }
}

/// The keys of a log, the oldest first, each with the sizes it was in charge of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epochs {
    first: NoteVerifier,
    rotations: Vec<Epoch>,
}

impl Epochs {
    /// A log whose key was never rotated.
    pub fn single(key: NoteVerifier) -> Epochs {
        Epochs {
            first: key,
            rotations: Vec::new(),
        }
    }

    /// Takes the next rotation, or refuses it.
    pub fn push(&mut self, epoch: Epoch) -> Result<(), EpochError> {
        if epoch.number != self.rotations.len() as u64 + 1 {
            return Err(EpochError::Order("its number is not the next one"));
        }

        if epoch.old != *self.newest() {
            return Err(EpochError::Order(
                "its old key is not the one that was in charge",
            ));
        }

        if self.contains(&epoch.new) {
            return Err(EpochError::Order("its new key was in charge before"));
        }
        if self
            .rotations
            .last()
            .is_some_and(|before| before.size > epoch.size)
        {
            return Err(EpochError::Order("its size is smaller"));
        }

        self.rotations.push(epoch);
        Ok(())
    }

    /// The keys that a list of records, in order, leads through; `None` when there are no records.
    pub fn from_records(
        records: impl IntoIterator<Item = Epoch>,
    ) -> Result<Option<Epochs>, EpochError> {
        let mut keys: Option<Epochs> = None;
        for epoch in records {
            keys.get_or_insert_with(|| Epochs::single(epoch.old.clone()))
                .push(epoch)?;
        }
        Ok(keys)
    }

    /// The key in charge.
    pub fn newest(&self) -> &NoteVerifier {
        self.rotations
            .last()
            .map_or(&self.first, |epoch| &epoch.new)
    }

    /// The rotations, in order.
    pub fn rotations(&self) -> &[Epoch] {
        &self.rotations
    }

    /// All keys, the oldest first.
    pub fn keys(&self) -> impl Iterator<Item = &NoteVerifier> {
        std::iter::once(&self.first).chain(self.rotations.iter().map(|epoch| &epoch.new))
    }

    /// Returns `true` if the key is or was one of the log's.
    pub fn contains(&self, key: &NoteVerifier) -> bool {
        self.keys().any(|known| known == key)
    }

    /// Least and greatest size that a key signs; `None` for a key that is not the log's.
    pub fn span(&self, key: &NoteVerifier) -> Option<(u64, u64)> {
        let at = self.keys().position(|known| known == key)?;
        let from = at
            .checked_sub(1)
            .and_then(|before| self.rotations.get(before))
            .map_or(0, |epoch| epoch.size);
        Some((
            from,
            self.rotations.get(at).map_or(u64::MAX, |epoch| epoch.size),
        ))
    }

    /// Reads a signed checkpoint: signed by one of the keys, and by none beyond the sizes it was in
    /// charge of.
    pub fn open(&self, bytes: &[u8]) -> Result<Checkpoint, EpochOpenError> {
        self.from_note(&SignedNote::parse(bytes).map_err(CheckpointOpenError::from)?)
    }

    /// Opens a checkpoint from a parsed note.
    pub fn from_note(&self, note: &SignedNote) -> Result<Checkpoint, EpochOpenError> {
        if self.rotations.is_empty() {
            return Ok(Checkpoint::from_note(
                note,
                std::slice::from_ref(&self.first),
            )?);
        }

        let keys: Vec<NoteVerifier> = self.keys().cloned().collect();
        let checkpoint = Checkpoint::from_note(note, &keys)?;

        for key in note.verify(&keys).map_err(CheckpointOpenError::from)? {
            let (from, to) = self.span(key).unwrap_or((0, 0));
            let size = checkpoint.size;
            if !(from..=to).contains(&size) {
                return Err(EpochOpenError::OutOfEpoch {
                    id: key.id(),
                    from,
                    to,
                    size,
                });
            }
        }

        Ok(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::hash::leaf_hash;

    fn key(seed: u8) -> NoteSigner {
        NoteSigner::from_seed("log.example", &[seed; 32]).unwrap()
    }

    fn epoch(number: u64, size: u64, old: u8, new: u8) -> Epoch {
        let (old, new) = (key(old).verifier().clone(), key(new).verifier().clone());
        Epoch {
            number,
            size,
            root: leaf_hash(b"root"),
            old,
            new,
        }
    }

    #[test]
    fn a_record_needs_both_signatures_and_its_one_spelling() {
        let rotation = epoch(1, 7, 1, 2);
        let note = rotation.sign(&key(1), &key(2)).unwrap();
        assert_eq!(Epoch::open(note.to_string().as_bytes()).unwrap(), rotation);

        for signers in [[1, 1], [2, 2], [2, 3]] {
            let refused = rotation.sign(&key(signers[0]), &key(signers[1]));
            assert!(
                matches!(refused, Err(EpochError::Unsigned(_))),
                "{refused:?}"
            );
        }

        for (from, to) in [
            ("\n7\n", "\n07\n"),
            ("\n7\n", "\n8\n"),
            ("v1\n", "v2\n"),
            ("\n1\n", "\n0\n"),
            ("log.", "lag."),
        ] {
            let text = note.to_string().replacen(from, to, 1);
            assert!(Epoch::open(text.as_bytes()).is_err(), "{from:?} as {to:?}");
        }
    }

    #[test]
    fn keys_sign_within_their_sizes_only() {
        let keys =
            Epochs::from_records([epoch(1, 10, 1, 2), epoch(2, 10, 2, 3), epoch(3, 20, 3, 4)])
                .unwrap()
                .unwrap();
        assert_eq!(keys.newest(), key(4).verifier());
        // size, signers, accepted
        let cases: [(u64, &[u8], bool); 11] = [
            (0, &[1], true),
            (10, &[1], true),
            (11, &[1], false),
            (10, &[2], true),
            (9, &[2], false),
            (15, &[3], true),
            (21, &[3], false),
            (19, &[4], false),
            (1000, &[4], true),
            (1000, &[4, 1], false),
            (15, &[9], false),
        ];
        for (size, signers, accepted) in cases {
            let signers: Vec<NoteSigner> = signers.iter().map(|seed| key(*seed)).collect();
            let signers: Vec<&NoteSigner> = signers.iter().collect();
            let note = Checkpoint::new("log.example", size, leaf_hash(b"r"))
                .sign(&signers)
                .unwrap();
            let opened = keys.open(note.to_string().as_bytes());
            assert_eq!(opened.is_ok(), accepted, "{size}: {opened:?}");
        }
    }

    #[test]
    fn records_follow_each_other() {
        let first = epoch(1, 10, 1, 2);
        for (next, why) in [
            (epoch(3, 20, 2, 3), "number"),
            (epoch(2, 20, 1, 3), "old key"),
            (epoch(2, 20, 2, 1), "new key"),
            (epoch(2, 9, 2, 3), "size"),
        ] {
            let refused = Epochs::from_records([first.clone(), next])
                .unwrap_err()
                .to_string();
            assert!(refused.contains(why), "{refused}");
        }

        assert_eq!(Epochs::from_records([]).unwrap(), None);
    }
}
