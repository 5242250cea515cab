//! The signature in a slot of the anchor: that of the checkpoint whose size and root the slot has.
//! The text it is over is not kept, because origin, size and root give it.

use reeve_tlog::{
    Checkpoint, CheckpointError, EpochOpenError, Epochs, Hash, KeyId, NoteSignature, SignedNote,
};

use super::AnchorHead;

/// Bytes of a signature in a slot: key id and Ed25519 signature.
pub(super) const LEN: usize = 4 + 64;

/// Signature of a checkpoint without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadSignature {
    /// Id of the key that signed.
    pub key: KeyId,
    /// Ed25519 signature over the checkpoint's text.
    pub bytes: [u8; 64],
}

/// Reason why the signature of an anchor is refused.
#[derive(Debug, thiserror::Error)]
pub enum HeadSignatureError {
    /// The slot is of a version without signatures.
    #[error("it has no signature")]
    Missing,
    /// Origin, size and root are not those of a checkpoint.
    #[error(transparent)]
    Text(#[from] CheckpointError),
    /// Wrong signature, or one by a key that was not in charge at that size.
    #[error(transparent)]
    Note(#[from] EpochOpenError),
}

impl HeadSignature {
    /// Takes the first signature of a checkpoint's note, which is the log's own.
    pub(crate) fn of_note(note: &str) -> Option<HeadSignature> {
        let note = SignedNote::parse(note.as_bytes()).ok()?;
        let first = note.signatures().first()?;
        Some(HeadSignature {
            key: first.id(),
            bytes: first.bytes().try_into().ok()?,
        })
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<HeadSignature> {
        let (key, rest) = bytes.split_first_chunk::<4>()?;
        Some(HeadSignature {
            key: KeyId(*key),
            bytes: *rest.first_chunk::<64>()?,
        })
    }

    pub(super) fn encode(&self) -> [u8; LEN] {
        let mut bytes = [0; LEN];
        bytes[..4].copy_from_slice(&self.key.0);
        bytes[4..].copy_from_slice(&self.bytes);
        bytes
    }
}

impl AnchorHead {
    /// The head of a log with the signature of its checkpoint.
    pub(crate) fn signed(size: u64, root: Hash, chain_hash: Hash, note: &str) -> AnchorHead {
        AnchorHead {
            size,
            root,
            chain_hash,
            signature: HeadSignature::of_note(note),
        }
    }

    /// Verifies the signature with the keys of a log.
    ///
    /// # Errors
    /// There is no signature, or it is not that of a key in charge at the size.
    pub fn verify(&self, keys: &Epochs) -> Result<(), HeadSignatureError> {
        let signature = self.signature.as_ref().ok_or(HeadSignatureError::Missing)?;
        let origin = keys.newest().name();
        let text = Checkpoint::new(origin, self.size, self.root).to_text()?;
        let line = NoteSignature::new(origin.to_owned(), signature.key, signature.bytes.to_vec());
        keys.open(format!("{text}\n{line}").as_bytes())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_tlog::{NoteSigner, leaf_hash};

    use super::*;

    #[test]
    fn a_signature_holds_for_its_size_and_root_alone() {
        let signer = NoteSigner::from_seed("log.example", &[1; 32]).unwrap();
        let (root, keys) = (
            leaf_hash(b"root"),
            Epochs::single(signer.verifier().clone()),
        );
        let note = Checkpoint::new("log.example", 5, root)
            .sign(&[&signer])
            .unwrap()
            .to_string();
        let head = AnchorHead::signed(5, root, Hash::ZERO, &note);
        head.verify(&keys).unwrap();
        let other = AnchorHead { size: 6, ..head };
        assert!(matches!(
            other.verify(&keys),
            Err(HeadSignatureError::Note(_))
        ));

        let other = AnchorHead {
            root: leaf_hash(b"other"),
            ..head
        };
        assert!(matches!(
            other.verify(&keys),
            Err(HeadSignatureError::Note(_))
        ));

        let unsigned = AnchorHead {
            signature: None,
            ..head
        };
        assert!(matches!(
            unsigned.verify(&keys),
            Err(HeadSignatureError::Missing)
        ));
    }
}
