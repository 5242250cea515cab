//! Leaves of Reeve's tree: the salted commitment to an entry's canonical bytes, the chain hash from
//! entry to entry, and the disclosure (salt and canonical bytes) that opens a commitment. Bytes:
//! `docs/formats/tlog.md`, sections "Commitment", "Chain" and "Disclosure".
//!
//! This file refuses a disclosure without the domain prefix or the salt; it never looks inside the
//! canonical bytes, which are opaque here.

use std::fmt;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::hash::{HASH_LEN, Hash, leaf_hash};

/// Domain prefix of every commitment: the ASCII text and one zero byte.
pub const COMMITMENT_DOMAIN: &[u8; 15] = b"reeve/entry/v1\0";

/// Length of an entry's random salt in bytes.
pub const SALT_LEN: usize = 16;

/// Commitment to an entry, 32 bytes: the data of its leaf, and the record in an entry bundle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commitment(pub [u8; HASH_LEN]);

impl Commitment {
    /// The raw bytes, exactly as an entry bundle stores them.
    pub const fn as_bytes(&self) -> &[u8; HASH_LEN] {
        &self.0
    }

    /// The RFC 6962 leaf hash of this commitment: `SHA-256(0x00 || commitment)`.
    pub fn leaf_hash(&self) -> Hash {
        leaf_hash(&self.0)
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Hash(self.0), f)
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `SHA-256("reeve/entry/v1" 0x00 || salt || canonical)`. `canonical` is the entry's RFC 8785 JSON.
pub fn commitment(salt: &[u8; SALT_LEN], canonical: &[u8]) -> Commitment {
    let mut hasher = Sha256::new();
    hasher.update(COMMITMENT_DOMAIN);
    hasher.update(salt);
    hasher.update(canonical);
    Commitment(hasher.finalize().into())
}

/// The chain: `SHA-256(previous || leaf)`. Before the first entry, `previous` is [`Hash::ZERO`].
pub fn chain_hash(previous: &Hash, leaf: &Hash) -> Hash {
    let mut message = [0; 2 * HASH_LEN];
    message[..HASH_LEN].copy_from_slice(&previous.0);
    message[HASH_LEN..].copy_from_slice(&leaf.0);
    Hash(Sha256::digest(message).into())
}

/// Opening of a commitment: salt and canonical bytes. Its encoding is the hashed message itself, so
/// that `SHA-256(encoding)` is the commitment; it travels as the `extra` line of a `.tlog-proof`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disclosure<'a> {
    /// The entry's random salt.
    pub salt: &'a [u8; SALT_LEN],
    /// The entry's canonical bytes.
    pub canonical: &'a [u8],
}

/// Reason why bytes are not a disclosure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DisclosureError {
    /// The bytes do not begin with [`COMMITMENT_DOMAIN`].
    #[error("the disclosure does not begin with \"reeve/entry/v1\" and a zero byte")]
    Domain,
    /// Fewer than 16 bytes follow the domain.
    #[error("the disclosure ends inside the salt")]
    Salt,
}

impl<'a> Disclosure<'a> {
    /// `"reeve/entry/v1" 0x00 || salt || canonical`.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(COMMITMENT_DOMAIN.len() + SALT_LEN + self.canonical.len());
        bytes.extend_from_slice(COMMITMENT_DOMAIN);
        bytes.extend_from_slice(self.salt);
        bytes.extend_from_slice(self.canonical);
        bytes
    }

    /// Reads what [`Disclosure::encode`] wrote.
    pub fn decode(bytes: &'a [u8]) -> Result<Disclosure<'a>, DisclosureError> {
        let rest = bytes
            .strip_prefix(COMMITMENT_DOMAIN)
            .ok_or(DisclosureError::Domain)?;
        let (salt, canonical) = rest
            .split_first_chunk::<SALT_LEN>()
            .ok_or(DisclosureError::Salt)?;
        Ok(Disclosure { salt, canonical })
    }

    /// The commitment these bytes open.
    pub fn commitment(&self) -> Commitment {
        commitment(self.salt, self.canonical)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The worked example of `docs/formats/tlog.md`.
    const SALT: [u8; SALT_LEN] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const CANONICAL: &[u8] = br#"{"event_type":"user.login"}"#;

    #[test]
    fn disclosure_is_the_hashed_message() {
        let disclosure = Disclosure {
            salt: &SALT,
            canonical: CANONICAL,
        };
        let bytes = disclosure.encode();
        assert_eq!(Disclosure::decode(&bytes), Ok(disclosure));

        let direct: [u8; HASH_LEN] = Sha256::digest(&bytes).into();
        assert_eq!(disclosure.commitment(), Commitment(direct));
        assert_eq!(commitment(&SALT, CANONICAL), Commitment(direct));
    }

    #[test]
    fn refused_disclosures() {
        let good = Disclosure {
            salt: &SALT,
            canonical: b"",
        }
        .encode();

        let cases: [(&[u8], DisclosureError); 4] = [
            (b"", DisclosureError::Domain),
            (b"reeve/entry/v1", DisclosureError::Domain),
            (b"reeve/entry/v2\0", DisclosureError::Domain),
            (&good[..good.len() - 1], DisclosureError::Salt),
        ];

        for (bytes, expect) in cases {
            assert_eq!(Disclosure::decode(bytes), Err(expect));
        }

        assert_eq!(Disclosure::decode(&good).unwrap().canonical, b"");
    }

    #[test]
    fn chain_joins_in_order() {
        let (a, b) = (leaf_hash(b"a"), leaf_hash(b"b"));
        let forward = chain_hash(&chain_hash(&Hash::ZERO, &a), &b);
        let backward = chain_hash(&chain_hash(&Hash::ZERO, &b), &a);
        assert_ne!(forward, backward);
    }
}
