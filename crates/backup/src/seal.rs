//! Encryption of keys under a passphrase: Argon2id derives a key from it, and AES-256-GCM encrypts
//! the files. The parameters stand beside the sealed text and are authenticated with it.

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rand::TryRng as _;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Memory of a derivation, KiB: a tenth of a second of one core, once a backup.
const MEMORY_KIB: u32 = 64 << 10;
const PASSES: u32 = 3;
/// Largest memory that a sealed text may demand for its key; more would be an attack on the reader.
const MOST_MEMORY_KIB: u32 = 1 << 20;
const MOST_PASSES: u32 = 64;
/// Fewer characters are guessed.
const LEAST_CHARACTERS: usize = 12;

/// Reason why keys are not sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// A passphrase that is guessed too easily.
    #[error("the passphrase has fewer than {LEAST_CHARACTERS} characters")]
    Short,
    /// The sealed text is none.
    #[error("the encrypted keys cannot be read: {0}")]
    Form(String),
    /// Another passphrase, or a changed text.
    #[error("the keys do not open with this passphrase")]
    Passphrase,
    /// The system has no randomness, or the cipher failed.
    #[error("the keys could not be encrypted: {0}")]
    Failed(String),
}

/// Keys under a passphrase, as stored in a backup.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    version: u32,
    kdf: String,
    memory_kib: u32,
    passes: u32,
    salt: String,
    nonce: String,
    ciphertext: String,
}

/// Seals a text under a passphrase, for the log of this name.
///
/// # Errors
/// [`SealError::Short`], [`SealError::Failed`].
pub fn seal(passphrase: &str, origin: &str, plain: &[u8]) -> Result<Vec<u8>, SealError> {
    if passphrase.chars().count() < LEAST_CHARACTERS {
        return Err(SealError::Short);
    }

    let (mut salt, mut nonce) = ([0u8; 16], [0u8; 12]);
    let mut random = rand::rngs::SysRng;
    let drawn = random
        .try_fill_bytes(&mut salt)
        .and_then(|()| random.try_fill_bytes(&mut nonce));
    drawn.map_err(|error| SealError::Failed(error.to_string()))?;
    let cipher = cipher(passphrase, &salt, (MEMORY_KIB, PASSES))?;
    let payload = Payload {
        msg: plain,
        aad: &associated(origin, (MEMORY_KIB, PASSES)),
    };
    let failed = || SealError::Failed("the cipher failed".to_owned());
    let ciphertext = cipher
        .encrypt(&Nonce::from(nonce), payload)
        .map_err(|_| failed())?;
    let sealed = Sealed {
        version: 1,
        kdf: "argon2id".to_owned(),
        memory_kib: MEMORY_KIB,
        passes: PASSES,
        salt: BASE64.encode(salt),
        nonce: BASE64.encode(nonce),
        ciphertext: BASE64.encode(ciphertext),
    };

    serde_json::to_vec_pretty(&sealed).map_err(|error| SealError::Failed(error.to_string()))
}

/// Opens what [`seal`] made for the same log.
///
/// # Errors
/// [`SealError::Form`], [`SealError::Passphrase`].
pub fn open(
    passphrase: &str,
    origin: &str,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let form = |cause: String| SealError::Form(cause);
    let sealed: Sealed = serde_json::from_slice(sealed).map_err(|error| form(error.to_string()))?;

    if sealed.version != 1 || sealed.kdf != "argon2id" {
        return Err(form(format!(
            "version {} with {} is not known",
            sealed.version, sealed.kdf
        )));
    }

    if sealed.memory_kib > MOST_MEMORY_KIB || sealed.passes > MOST_PASSES {
        return Err(form(
            "they ask for more memory or time than is given".to_owned(),
        ));
    }

    let bytes = |text: &str| BASE64.decode(text).map_err(|error| form(error.to_string()));
    let (salt, nonce, ciphertext) = (
        bytes(&sealed.salt)?,
        bytes(&sealed.nonce)?,
        bytes(&sealed.ciphertext)?,
    );
    let nonce = Nonce::try_from(nonce.as_slice())
        .map_err(|_| form("the nonce is not 12 bytes".to_owned()))?;
    let cost = (sealed.memory_kib, sealed.passes);
    let cipher = cipher(passphrase, &salt, cost)?;
    let payload = Payload {
        msg: &ciphertext,
        aad: &associated(origin, cost),
    };

    cipher
        .decrypt(&nonce, payload)
        .map(Zeroizing::new)
        .map_err(|_| SealError::Passphrase)
}

fn cipher(
    passphrase: &str,
    salt: &[u8],
    (memory_kib, passes): (u32, u32),
) -> Result<Aes256Gcm, SealError> {
    let params = Params::new(memory_kib, passes, 1, Some(32))
        .map_err(|error| SealError::Form(error.to_string()))?;
    let mut key = Zeroizing::new([0u8; 32]);
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let derived = argon2.hash_password_into(passphrase.as_bytes(), salt, key.as_mut_slice());
    derived.map_err(|error| SealError::Form(error.to_string()))?;
    Aes256Gcm::new_from_slice(key.as_slice()).map_err(|error| SealError::Failed(error.to_string()))
}

fn associated(origin: &str, (memory_kib, passes): (u32, u32)) -> Vec<u8> {
    format!("reeve/backup-keys/v1\0{memory_kib}\0{passes}\0{origin}").into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_open_with_their_passphrase_alone() {
        let sealed = seal("correct horse battery", "log.example", b"secret").unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("secret"));
        assert_eq!(
            open("correct horse battery", "log.example", &sealed)
                .unwrap()
                .as_slice(),
            b"secret"
        );

        for (passphrase, origin) in [
            ("correct horse batterx", "log.example"),
            ("correct horse battery", "log.other"),
        ] {
            assert!(matches!(
                open(passphrase, origin, &sealed),
                Err(SealError::Passphrase)
            ));
        }

        assert!(matches!(
            seal("elevenchars", "log.example", b"x"),
            Err(SealError::Short)
        ));

        let greedy = String::from_utf8(sealed)
            .unwrap()
            .replace("65536", "999999999");
        assert!(matches!(
            open("correct horse battery", "log.example", greedy.as_bytes()),
            Err(SealError::Form(_))
        ));
        assert!(matches!(
            open("x", "log.example", b"{}"),
            Err(SealError::Form(_))
        ));
    }
}
