//! Ed25519 keys of C2SP signed notes (<https://c2sp.org/signed-note>): names, key ids, and the two
//! text forms, `<name>+<id>+<base64>` for verifying and `PRIVATE+KEY+<name>+<id>+<base64>` for
//! signing.
//!
//! Refuses every spelling but the one that writing would produce, names with spaces, control
//! characters or a plus, key types other than Ed25519 (0x01), weak public keys, and ids that are
//! not the key's own.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use zeroize::Zeroizing;

/// Signature type byte of plain Ed25519 note signatures.
const ED25519: u8 = 0x01;

/// Prefix of a signing key's text form.
const PRIVATE_PREFIX: &str = "PRIVATE+KEY+";

/// First four bytes of `SHA-256(name || 0x0A || 0x01 || public key)`; written as 8 lower-case hex
/// digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 4]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reason why a text is not a note key. Never carries key material.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Text without the parts of the format.
    #[error("not a note key: expected <name>+<8 hex digits>+<base64>")]
    Malformed,
    /// The name is empty, or has a space, a control character or a plus.
    #[error("a key name is not empty and has no spaces, control characters or plus signs")]
    Name,
    /// The type byte is not 0x01 or the key is not 32 bytes.
    #[error("the key is not an Ed25519 key of 32 bytes after the type byte 0x01")]
    Algorithm,
    /// A witness's key is of the type 0x04.
    #[error("the key is not an Ed25519 key of 32 bytes for cosignatures, after the type byte 0x04")]
    CosignatureType,
    /// The bytes are not a usable point: not on the curve, not canonical, or of small order.
    #[error("the bytes are not a usable Ed25519 public key")]
    PublicKey,
    /// The id in the text is not the id of the key.
    #[error("the key id in the text is not {0}, which is that of the key")]
    Id(KeyId),
}

/// Returns `true` if the text is allowed as a key's name.
pub(crate) fn is_key_name(name: &str) -> bool {
    let refused = |c: char| c.is_whitespace() || c < ' ' || c == '+';
    !name.is_empty() && !name.contains(refused)
}

/// Verifies signatures of one named key. `Display` and `FromStr` are the vkey text.
#[derive(Clone, PartialEq, Eq)]
pub struct NoteVerifier {
    name: String,
    id: KeyId,
    key: VerifyingKey,
}

impl NoteVerifier {
    /// A verifier from a name and a raw public key (RFC 8032 encoding).
    pub fn new(name: &str, public_key: &[u8; 32]) -> Result<NoteVerifier, KeyError> {
        if !is_key_name(name) {
            return Err(KeyError::Name);
        }

        let key = VerifyingKey::from_bytes(public_key).map_err(|_| KeyError::PublicKey)?;
        if key.is_weak() {
            return Err(KeyError::PublicKey);
        }
        Ok(NoteVerifier::from_key(name.to_owned(), key))
    }

    fn from_key(name: String, key: VerifyingKey) -> NoteVerifier {
        let hash = Sha256::new()
            .chain_update(name.as_bytes())
            .chain_update([b'\n', ED25519])
            .chain_update(key.as_bytes())
            .finalize();
        let id = KeyId([hash[0], hash[1], hash[2], hash[3]]);
        NoteVerifier { name, id, key }
    }

    /// The key's name; for a log's key, the log's origin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key id, which signature lines begin with.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The raw public key.
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Returns `true` if `signature` (64 bytes) is this key's over `message`. Strict: refuses what
    /// RFC 8032 leaves open (small-order points, non-canonical scalars), so that every verifier
    /// agrees.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Display for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [ED25519; 33];
        bytes[1..].copy_from_slice(self.key.as_bytes());
        write!(f, "{}+{}+{}", self.name, self.id, STANDARD.encode(bytes))
    }
}

impl fmt::Debug for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for NoteVerifier {
    type Err = KeyError;

    fn from_str(vkey: &str) -> Result<NoteVerifier, KeyError> {
        let (name, id, key) = parse_parts(vkey)?;
        let verifier = NoteVerifier::new(name, &key)?;
        check_id(id, verifier.id)?;
        Ok(verifier)
    }
}

/// Signs notes under one name. The secret is wiped when dropped and never shown by `Debug`.
#[derive(Clone)]
pub struct NoteSigner {
    key: SigningKey,
    verifier: NoteVerifier,
}

impl NoteSigner {
    /// A signer from a name and an Ed25519 seed: 32 bytes from a cryptographic random source.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<NoteSigner, KeyError> {
        if !is_key_name(name) {
            return Err(KeyError::Name);
        }
        let key = SigningKey::from_bytes(seed);
        let verifier = NoteVerifier::from_key(name.to_owned(), key.verifying_key());
        Ok(NoteSigner { key, verifier })
    }

    /// Reads what [`NoteSigner::to_skey`] wrote.
    pub fn from_skey(skey: &str) -> Result<NoteSigner, KeyError> {
        let rest = skey
            .strip_prefix(PRIVATE_PREFIX)
            .ok_or(KeyError::Malformed)?;
        let (name, id, seed) = parse_parts(rest)?;
        let signer = NoteSigner::from_seed(name, &seed)?;
        check_id(id, signer.verifier.id)?;
        Ok(signer)
    }

    /// `PRIVATE+KEY+<name>+<id>+<base64(0x01 || seed)>`: the whole secret, in the form Go's
    /// `sumdb/note` uses. Wiped when dropped.
    pub fn to_skey(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new([ED25519; 33]);
        bytes[1..].copy_from_slice(self.key.as_bytes());
        let secret = Zeroizing::new(STANDARD.encode(&bytes[..]));
        let (name, id) = (self.name(), self.id());
        let secret: &str = &secret;
        Zeroizing::new(format!("{PRIVATE_PREFIX}{name}+{id}+{secret}"))
    }

    /// Returns the name of the key, as in its signature lines.
    pub fn name(&self) -> &str {
        &self.verifier.name
    }

    /// Returns the key id, which signature lines begin with.
    pub fn id(&self) -> KeyId {
        self.verifier.id
    }

    /// Returns the public key that verifies the signatures.
    pub fn verifier(&self) -> &NoteVerifier {
        &self.verifier
    }

    /// The Ed25519 signature over `message`.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }
}

impl fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoteSigner({}+{})", self.name(), self.id())
    }
}

/// Name, id text and the 32 bytes behind the type byte. The last part may itself hold plus signs.
fn parse_parts(text: &str) -> Result<(&str, &str, Zeroizing<[u8; 32]>), KeyError> {
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(KeyError::Malformed);
    };

    if !is_key_name(name) {
        return Err(KeyError::Name);
    }

    let bytes = Zeroizing::new(STANDARD.decode(key).map_err(|_| KeyError::Malformed)?);
    let Some((&ED25519, key)) = bytes.split_first() else {
        return Err(KeyError::Algorithm);
    };

    let key: [u8; 32] = key.try_into().map_err(|_| KeyError::Algorithm)?;
    Ok((name, id, Zeroizing::new(key)))
}

fn check_id(given: &str, expected: KeyId) -> Result<(), KeyError> {
    if given == expected.to_string() {
        return Ok(());
    }
    Err(KeyError::Id(expected))
}
