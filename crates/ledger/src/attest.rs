//! Attestation of derived files by the log's key, for their owners: the ledger and the segment
//! store. The file format defines the attested bytes; this module decides which keys are valid.

use std::sync::Arc;

use parking_lot::RwLock;
use reeve_tlog::{Attestation, AttestationError, Epochs, Hash, NoteError, NoteSigner};

/// Signs and checks attestations with the keys of a log.
pub struct Attestor {
    keys: RwLock<Keys>,
}

struct Keys {
    signer: Arc<NoteSigner>,
    epochs: Epochs,
}

impl std::fmt::Debug for Attestor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attestor")
            .field("key", &self.keys.read().signer.id())
            .finish()
    }
}

impl Attestor {
    /// Creates the attestor of a log with this current key and its former keys; `epochs` is `None`
    /// if the key was never replaced.
    pub fn new(signer: Arc<NoteSigner>, epochs: Option<Epochs>) -> Attestor {
        let epochs = epochs.unwrap_or_else(|| Epochs::single(signer.verifier().clone()));
        Attestor {
            keys: RwLock::new(Keys { signer, epochs }),
        }
    }

    /// Returns an attestor with the keys of now, which a rotation does not change.
    pub(crate) fn of_now(&self) -> Attestor {
        let keys = self.keys.read();
        Attestor {
            keys: RwLock::new(Keys {
                signer: keys.signer.clone(),
                epochs: keys.epochs.clone(),
            }),
        }
    }

    /// The verifier key that attests, as text.
    pub fn public_key(&self) -> String {
        self.keys.read().signer.verifier().to_string()
    }

    /// Signs with another key from now on.
    pub(crate) fn rotate(&self, signer: Arc<NoteSigner>, epochs: Epochs) {
        *self.keys.write() = Keys { signer, epochs };
    }

    /// Attests that a file, which follows from the entries before `size`, has this digest. The
    /// answer is a signed note.
    pub fn attest(&self, file: &str, size: u64, digest: [u8; 32]) -> Result<String, NoteError> {
        let keys = self.keys.read();
        let attestation = attestation(&keys, file, size, digest);
        Ok(attestation.sign(&keys.signer)?.to_string())
    }

    /// Accepts a note that attests exactly this.
    pub fn check(
        &self,
        note: &[u8],
        file: &str,
        size: u64,
        digest: [u8; 32],
    ) -> Result<(), AttestationError> {
        let keys = self.keys.read();
        attestation(&keys, file, size, digest).check(note, &keys.epochs)
    }
}

fn attestation(keys: &Keys, file: &str, size: u64, digest: [u8; 32]) -> Attestation {
    let origin = keys.signer.name().to_owned();
    Attestation {
        origin,
        file: file.to_owned(),
        size,
        digest: Hash(digest),
    }
}
