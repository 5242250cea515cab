//! C2SP tlog-cosignature (<https://c2sp.org/tlog-cosignature>), version 1, Ed25519: a witness's
//! timestamped statement that a checkpoint extends all it has seen of the log before.
//!
//! Refuses verifier keys of other types than `0x04`, signatures of other lengths than 72 bytes, and
//! timestamps beyond 2^63 - 1.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::key::{KeyError, KeyId, NoteSigner, NoteVerifier, is_key_name};
use crate::note::{NoteSignature, SignedNote};

/// Signature type byte of Ed25519 cosignatures.
const COSIGNATURE: u8 = 0x04;

/// A witness's verifier key. `Display` and `FromStr` are the vkey text, `<name>+<id>+<base64 of
/// 0x04 || public key>`.
#[derive(Clone, PartialEq, Eq)]
pub struct WitnessKey {
    id: KeyId,
    key: NoteVerifier,
}

/// A cosignature that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cosigned {
    /// Time of the signature as the witness states it, seconds since 1970-01-01 UTC.
    pub timestamp: u64,
}

fn key_id(name: &str, public_key: &[u8; 32]) -> KeyId {
    let hash = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', COSIGNATURE])
        .chain_update(public_key)
        .finalize();
    KeyId([hash[0], hash[1], hash[2], hash[3]])
}

/// Returns the text that a witness signs.
fn message(timestamp: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {timestamp}\n{text}")
}

impl WitnessKey {
    /// A witness by name and raw public key.
    pub fn new(name: &str, public_key: &[u8; 32]) -> Result<WitnessKey, KeyError> {
        let key = NoteVerifier::new(name, public_key)?;
        Ok(WitnessKey {
            id: key_id(name, public_key),
            key,
        })
    }

    /// Returns the name of the witness, as in its signature lines.
    pub fn name(&self) -> &str {
        self.key.name()
    }

    /// The key's id, which is another one than the same public key has for plain signatures.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Returns `true` if a signature line names this witness's key. The signature itself is not
    /// verified.
    pub fn claims(&self, signature: &NoteSignature) -> bool {
        signature.name() == self.name() && signature.id() == self.id
    }

    /// Verifies one cosignature over a note's text; `None` when it does not hold.
    pub fn verify(&self, text: &str, signature: &NoteSignature) -> Option<Cosigned> {
        let (timestamp, bytes) = signature.bytes().split_first_chunk::<8>()?;
        let timestamp = u64::from_be_bytes(*timestamp);
        let holds = self.claims(signature)
            && i64::try_from(timestamp).is_ok()
            && self.key.verify(message(timestamp, text).as_bytes(), bytes);
        holds.then_some(Cosigned { timestamp })
    }

    /// The newest cosignature of this witness on a note; `None` when it has none that holds.
    pub fn cosigned(&self, note: &SignedNote) -> Option<Cosigned> {
        let cosigned = note
            .signatures()
            .iter()
            .filter_map(|signature| self.verify(note.text(), signature));
        cosigned.max_by_key(|cosigned| cosigned.timestamp)
    }
}

impl fmt::Display for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [COSIGNATURE; 33];
        bytes[1..].copy_from_slice(self.key.public_key());
        write!(f, "{}+{}+{}", self.name(), self.id, STANDARD.encode(bytes))
    }
}

impl fmt::Debug for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for WitnessKey {
    type Err = KeyError;

    fn from_str(vkey: &str) -> Result<WitnessKey, KeyError> {
        let mut parts = vkey.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Malformed);
        };

        if !is_key_name(name) {
            return Err(KeyError::Name);
        }

        let bytes = STANDARD.decode(key).map_err(|_| KeyError::Malformed)?;
        let Some((&COSIGNATURE, key)) = bytes.split_first() else {
            return Err(KeyError::CosignatureType);
        };

        let witness =
            WitnessKey::new(name, key.try_into().map_err(|_| KeyError::CosignatureType)?)?;
        if witness.id.to_string() == id {
            Ok(witness)
        } else {
            Err(KeyError::Id(witness.id))
        }
    }
}

/// Cosigns notes as a witness does.
#[derive(Clone, Debug)]
pub struct Cosigner(NoteSigner);

impl Cosigner {
    /// A witness from a name and an Ed25519 seed.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Cosigner, KeyError> {
        NoteSigner::from_seed(name, seed).map(Cosigner)
    }

    /// Returns the public key, by which the cosignatures are verified.
    pub fn key(&self) -> WitnessKey {
        let key = self.0.verifier().clone();
        WitnessKey {
            id: key_id(key.name(), key.public_key()),
            key,
        }
    }

    /// The cosignature of a note's text at a time, seconds since 1970-01-01 UTC.
    pub fn cosign(&self, text: &str, timestamp: u64) -> NoteSignature {
        let mut bytes = timestamp.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.0.sign(message(timestamp, text).as_bytes()));
        NoteSignature::new(self.0.name().to_owned(), self.key().id, bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The example of the specification: text, signature line, and that a changed one is refused.
    #[test]
    fn a_cosignature_covers_text_and_time() {
        let witness = Cosigner::from_seed("witness.example/w1", &[7; 32]).unwrap();
        let text =
            "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
        let line = witness.cosign(text, 1_679_315_147);
        let key = witness.key();
        assert_eq!(
            key.verify(text, &line),
            Some(Cosigned {
                timestamp: 1_679_315_147
            })
        );

        assert_eq!(key.verify(&text.replace("163", "164"), &line), None);

        let parsed = NoteSignature::parse(line.to_string().trim_end()).unwrap();
        assert_eq!(parsed, line);

        for at in 0..line.bytes().len() {
            let mut bytes = line.bytes().to_vec();
            bytes[at] ^= 1;
            assert_eq!(
                key.verify(
                    text,
                    &NoteSignature::new(line.name().into(), line.id(), bytes)
                ),
                None,
                "byte {at}"
            );
        }

        assert_eq!(key.verify(text, &witness.cosign(text, 1 << 63)), None);
    }

    #[test]
    fn vkeys_round_trip_and_plain_keys_are_refused() {
        let witness = Cosigner::from_seed("witness.example", &[7; 32])
            .unwrap()
            .key();
        assert_eq!(witness.to_string().parse::<WitnessKey>(), Ok(witness));

        let plain = NoteSigner::from_seed("witness.example", &[7; 32])
            .unwrap()
            .verifier()
            .to_string();
        assert_eq!(plain.parse::<WitnessKey>(), Err(KeyError::CosignatureType));
    }
}
