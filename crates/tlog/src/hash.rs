//! The 32-byte SHA-256 hash and the two hashes of an RFC 6962 tree: `leaf_hash` (prefix 0x00) and
//! `node_hash` (prefix 0x01). Text forms are strict: 64 lower-case hex digits or 44 characters of
//! padded standard base64; anything else is refused.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Length of every hash in bytes.
pub const HASH_LEN: usize = 32;

/// A SHA-256 hash. `Display` and `Debug` write 64 lower-case hex digits; `FromStr` reads hex or
/// base64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Hash(pub [u8; HASH_LEN]);

/// Reason why a text or a byte string is not a hash.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HashError {
    /// Neither 64 hex digits nor 44 base64 characters, or not 32 raw bytes.
    #[error("a hash is 32 bytes: 64 hex digits or 44 base64 characters, not {0} characters")]
    Length(usize),
    /// A character that is not a lower-case hex digit.
    #[error("a hash in hex has only the digits 0-9 and a-f")]
    Hex,
    /// Text that is not canonical standard base64.
    #[error("a hash in base64 must be canonical standard base64 with padding")]
    Base64,
}

impl Hash {
    /// 32 zero bytes: what precedes the first entry of the chain. Never the hash of anything.
    pub const ZERO: Hash = Hash([0; HASH_LEN]);

    /// Returns the 32 bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; HASH_LEN] {
        &self.0
    }

    /// Standard base64 with padding, 44 characters, as notes and proofs write it.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// Reads canonical standard base64 (44 characters).
    pub fn from_base64(text: &str) -> Result<Hash, HashError> {
        if text.len() != 44 {
            return Err(HashError::Length(text.len()));
        }
        let bytes = STANDARD.decode(text).map_err(|_| HashError::Base64)?;
        Hash::from_slice(&bytes)
    }

    /// Reads 64 lower-case hex digits.
    pub fn from_hex(text: &str) -> Result<Hash, HashError> {
        if text.len() != 64 {
            return Err(HashError::Length(text.len()));
        }
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(HashError::Hex);
        }

        let mut bytes = [0; HASH_LEN];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| HashError::Hex)?;
        Ok(Hash(bytes))
    }

    /// Takes exactly 32 raw bytes.
    pub fn from_slice(bytes: &[u8]) -> Result<Hash, HashError> {
        bytes
            .try_into()
            .map(Hash)
            .map_err(|_| HashError::Length(bytes.len()))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 2 * HASH_LEN];
        hex::encode_to_slice(self.0, &mut text).map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Hash, HashError> {
        match text.len() {
            64 => Hash::from_hex(text),
            44 => Hash::from_base64(text),
            other => Err(HashError::Length(other)),
        }
    }
}

impl From<[u8; HASH_LEN]> for Hash {
    fn from(bytes: [u8; HASH_LEN]) -> Hash {
        Hash(bytes)
    }
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// RFC 6962 leaf hash: `SHA-256(0x00 || data)`.
pub fn leaf_hash(data: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    hasher.update(data);
    Hash(hasher.finalize().into())
}

/// RFC 6962 interior hash: `SHA-256(0x01 || left || right)`.
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut message = [0x01; 1 + 2 * HASH_LEN];
    message[1..=HASH_LEN].copy_from_slice(&left.0);
    message[1 + HASH_LEN..].copy_from_slice(&right.0);
    Hash(Sha256::digest(message).into())
}

/// The root of the tree without leaves: `SHA-256("")`.
pub fn empty_root() -> Hash {
    Hash(Sha256::digest([]).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn published_hashes() {
        // RFC 6962 test values, as in the reference Certificate Transparency implementations.
        let cases = [
            (
                empty_root(),
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                leaf_hash(b""),
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            ),
            (
                node_hash(&leaf_hash(b""), &leaf_hash(&[0])),
                "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            ),
        ];
        for (hash, expect) in cases {
            assert_eq!(hash.to_string(), expect);
        }
    }

    #[test]
    fn text_forms_round_trip_and_refuse_the_rest() {
        let hash = leaf_hash(b"text");
        assert_eq!(hash.to_string().parse::<Hash>(), Ok(hash));
        assert_eq!(hash.to_base64().parse::<Hash>(), Ok(hash));
        assert_eq!(format!("{hash:?}"), hash.to_string());

        let hex = hash.to_string();
        let base64 = Hash::ZERO.to_base64();
        let non_canonical = base64.replace("A=", "B=");
        let cases = [
            (String::new(), HashError::Length(0)),
            (hex[1..].to_owned(), HashError::Length(63)),
            (hex.to_uppercase(), HashError::Hex),
            (hex.replacen(&hex[..1], "g", 1), HashError::Hex),
            (non_canonical, HashError::Base64),
            (base64.replace('=', "A"), HashError::Length(33)),
            (base64.replace('A', "-"), HashError::Base64),
        ];

        for (text, expect) in cases {
            assert_eq!(text.parse::<Hash>(), Err(expect), "{text}");
        }

        assert_eq!(Hash::from_slice(&[0; 31]), Err(HashError::Length(31)));
    }
}
