//! API tokens and session secrets: random, shown once, kept only as SHA-256.
//!
//! A fast hash is enough here: a secret has 256 random bits, so there is nothing to guess.

use rand::TryRng as _;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Prefix of the secrets of API tokens.
pub const TOKEN_PREFIX: &str = "rvt_";

/// Prefix of the secrets of browser sessions.
pub const SESSION_PREFIX: &str = "rvs_";

/// SHA-256 of a secret. Compared in constant time.
#[derive(Clone, Copy)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// The hash of a secret as presented.
    #[must_use]
    pub fn from_secret(secret: &str) -> Self {
        TokenHash(Sha256::digest(secret.as_bytes()).into())
    }
}

impl PartialEq for TokenHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for TokenHash {}

impl std::hash::Hash for TokenHash {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl std::fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TokenHash({}...)", hex::encode(&self.0[..4]))
    }
}

/// A secret in the clear, for the one moment it is shown.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// 32 random bytes with a prefix that secret scanners can look for.
    ///
    /// # Errors
    /// The operating system gave no randomness.
    pub fn generate(prefix: &str) -> Result<Self, std::io::Error> {
        let mut bytes = [0u8; 32];
        rand::rngs::SysRng
            .try_fill_bytes(&mut bytes)
            .map_err(std::io::Error::other)?;
        Ok(Secret(format!("{prefix}{}", hex::encode(bytes))))
    }

    /// Returns the secret in plain text, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Hash of the secret, which is all that is kept of it.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::from_secret(&self.0)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_secret_is_random_prefixed_and_never_printed() {
        let (one, two) = (
            Secret::generate(TOKEN_PREFIX).unwrap(),
            Secret::generate(TOKEN_PREFIX).unwrap(),
        );
        assert_ne!(one.reveal(), two.reveal());
        assert!(one.reveal().starts_with("rvt_") && one.reveal().len() == 4 + 64);
        assert_eq!(format!("{one:?}"), "Secret(redacted)");
        assert_eq!(one.hash(), TokenHash::from_secret(one.reveal()));
        assert_ne!(one.hash(), two.hash());
    }

    #[test]
    fn the_hash_is_sha_256() {
        let expected =
            hex::decode("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                .unwrap();
        assert_eq!(TokenHash::from_secret("abc").0.as_slice(), expected);
        assert_eq!(
            format!("{:?}", TokenHash::from_secret("abc")),
            "TokenHash(ba7816bf...)"
        );
    }

    #[test]
    fn every_byte_of_a_hash_counts() {
        let hash = TokenHash::from_secret("abc");
        for index in 0..32 {
            let mut other = hash;
            other.0[index] ^= 1;
            assert_ne!(hash, other, "byte {index}");
        }
    }
}
