//! Attestations: notes in which a log's key says which bytes a file has that follows from the
//! entries (a search index, an index of identifiers, chain points). Layout: `docs/formats/tlog.md`,
//! "Attestations".
//!
//! A checksum inside such a file finds damage. Whoever changes the file on purpose writes the
//! checksum anew, and searches would silently pass over entries. Refuses an attestation by a key
//! that was retired before the size it speaks of, as for checkpoints.

use thiserror::Error;

use crate::decimal;
use crate::epoch::Epochs;
use crate::hash::Hash;
use crate::key::{KeyId, NoteSigner};
use crate::note::{NoteError, NoteVerifyError, SignedNote};

/// First line of every attestation; no log's origin, so that no attestation reads as a checkpoint.
const HEADER: &str = "reeve/attestation/v1";

/// A file that follows from the first entries of a log, and the digest of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// Origin of the log, as in its checkpoints.
    pub origin: String,
    /// Path of the file below the data directory, with `/`.
    pub file: String,
    /// Entries of the log that the file may follow from: those with a lower sequence.
    pub size: u64,
    /// SHA-256 of what the file's format says is attested.
    pub digest: Hash,
}

/// Reasons to refuse an attestation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AttestationError {
    /// The bytes are not a signed note.
    #[error("the attestation is not a signed note")]
    Note(#[from] NoteError),
    /// Malformed lines of an attestation.
    #[error("the attestation is not made of the five lines header, origin, file, size and digest")]
    Lines,
    /// Missing or wrong signature by a key of the log.
    #[error("the attestation is not signed by the log's key")]
    Signature(#[from] NoteVerifyError),
    /// Signed by a key that was retired before the log reached the size.
    #[error("the key {id} attested it, which is valid up to {to} entries, not up to {size}")]
    Retired {
        id: KeyId,
        /// Greatest size it was in charge of.
        to: u64,
        /// Size that the attestation speaks of.
        size: u64,
    },
    /// The attestation is about something else.
    #[error("the attestation is that of another file, of other content or of another log")]
    Other,
}

impl Attestation {
    fn text(&self) -> String {
        let Attestation {
            origin,
            file,
            size,
            digest,
        } = self;
        format!(
            "{HEADER}\n{origin}\n{file}\n{size}\n{}\n",
            digest.to_base64()
        )
    }

    /// Signs the text of the attestation with the log's key.
    pub fn sign(&self, signer: &NoteSigner) -> Result<SignedNote, NoteError> {
        SignedNote::sign(self.text(), &[signer])
    }

    /// Reads an attestation and verifies its signature. A key speaks for every size up to the
    /// greatest it was in charge of: what follows from old entries may have been made anew under a
    /// later key.
    pub fn open(bytes: &[u8], keys: &Epochs) -> Result<Attestation, AttestationError> {
        let note = SignedNote::parse(bytes)?;
        let attestation = Attestation::parse(note.text())?;
        let known: Vec<_> = keys.keys().cloned().collect();

        for key in note.verify(&known)? {
            let (_, to) = keys.span(key).unwrap_or((0, 0));
            if attestation.size > to {
                return Err(AttestationError::Retired {
                    id: key.id(),
                    to,
                    size: attestation.size,
                });
            }
        }

        Ok(attestation)
    }

    /// Accepts the bytes of a note that attests exactly this.
    pub fn check(&self, bytes: &[u8], keys: &Epochs) -> Result<(), AttestationError> {
        if Attestation::open(bytes, keys)? == *self {
            Ok(())
        } else {
            Err(AttestationError::Other)
        }
    }

    /// Size that an attestation's text speaks of. It must not be trusted before
    /// [`Attestation::check`].
    pub fn claimed_size(text: &str) -> Option<u64> {
        Attestation::parse(text)
            .ok()
            .map(|attestation| attestation.size)
    }

    fn parse(text: &str) -> Result<Attestation, AttestationError> {
        let body = text.strip_suffix('\n').ok_or(AttestationError::Lines)?;
        let lines: Vec<&str> = body.split('\n').collect();
        let [HEADER, origin, file, size, digest] = lines[..] else {
            return Err(AttestationError::Lines);
        };

        let attestation = Attestation {
            origin: origin.to_owned(),
            file: file.to_owned(),
            size: decimal::parse(size).ok_or(AttestationError::Lines)?,
            digest: Hash::from_base64(digest).map_err(|_| AttestationError::Lines)?,
        };

        // One spelling only: what is read is what would be written.
        if attestation.text() == text {
            Ok(attestation)
        } else {
            Err(AttestationError::Lines)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::epoch::Epoch;
    use crate::hash::leaf_hash;

    fn key(seed: u8) -> NoteSigner {
        NoteSigner::from_seed("log.example", &[seed; 32]).unwrap()
    }

    fn attestation() -> Attestation {
        Attestation {
            origin: "log.example".into(),
            file: "lake/index/default/00000000000000000000-00000000000000000009.idx".into(),
            size: 10,
            digest: leaf_hash(b"content"),
        }
    }

    fn rotated(size: u64) -> Epochs {
        let (old, new) = (key(1), key(2));
        let mut keys = Epochs::single(old.verifier().clone());
        let root = leaf_hash(b"root");
        keys.push(Epoch {
            number: 1,
            size,
            root,
            old: old.verifier().clone(),
            new: new.verifier().clone(),
        })
        .unwrap();

        keys
    }

    #[test]
    fn round_trip_and_every_flipped_byte_is_refused() {
        let keys = Epochs::single(key(1).verifier().clone());
        let note = attestation()
            .sign(&key(1))
            .unwrap()
            .to_string()
            .into_bytes();
        attestation().check(&note, &keys).unwrap();

        for at in 0..note.len() {
            let mut flipped = note.clone();
            flipped[at] ^= 1;
            assert!(attestation().check(&flipped, &keys).is_err(), "byte {at}");
        }

        let changes: [fn(&mut Attestation); 4] = [
            |other| other.origin = "other.example".into(),
            |other| other.file = "ledger/chain".into(),
            |other| other.size = 11,
            |other| other.digest = leaf_hash(b"other"),
        ];

        for change in changes {
            let mut other = attestation();
            change(&mut other);
            assert_eq!(other.check(&note, &keys), Err(AttestationError::Other));
        }
    }

    #[test]
    fn a_key_speaks_up_to_its_end_only() {
        let by_old = attestation().sign(&key(1)).unwrap().to_string();
        let by_new = attestation().sign(&key(2)).unwrap().to_string();
        let by_other = attestation().sign(&key(3)).unwrap().to_string();

        for (size, accepted) in [(9, false), (10, true), (30, true)] {
            let keys = rotated(size);
            assert_eq!(
                attestation().check(by_old.as_bytes(), &keys).is_ok(),
                accepted,
                "{size}"
            );
            attestation().check(by_new.as_bytes(), &keys).unwrap();
            assert!(attestation().check(by_other.as_bytes(), &keys).is_err());
        }
    }

    #[test]
    fn a_checkpoint_is_no_attestation() {
        let checkpoint = crate::Checkpoint::new("log.example", 10, leaf_hash(b"x"))
            .sign(&[&key(1)])
            .unwrap();
        let keys = Epochs::single(key(1).verifier().clone());
        assert_eq!(
            Attestation::open(checkpoint.to_string().as_bytes(), &keys),
            Err(AttestationError::Lines)
        );
    }
}
