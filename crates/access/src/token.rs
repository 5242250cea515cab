//! API tokens and session secrets: random, shown once, kept only as SHA-256.

use rand::TryRngCore as _;
use sha2::{Digest as _, Sha256};

/// SHA-256 of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// The hash of a secret as presented.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        TokenHash(Sha256::digest(secret.as_bytes()).into())
    }
}

/// A secret in the clear, for the one moment it is shown.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// 32 random bytes with a prefix that secret scanners can look for.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn generate(prefix: &str) -> Result<Self, std::io::Error> {
        let mut bytes = [0u8; 32];
        rand::rngs::OsRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Secret(format!("{prefix}{}", hex::encode(bytes))))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(redacted)")
    }
}
