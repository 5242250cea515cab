//! Client side of SCRAM (RFC 5802, RFC 7677), without channel binding, as Kafka speaks it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256, Sha512};

/// Rounds that are accepted: fewer are weak (RFC 7677), and more keep a processor busy for whoever
/// answers at the address.
const ROUNDS: std::ops::RangeInclusive<u32> = 4_096..=50_000;

/// Hash function of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScramHash {
    Sha256,
    Sha512,
}

/// Reason why an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScramError {
    #[error("the broker's challenge cannot be read")]
    Malformed,
    #[error("the broker asks for {0} rounds; between {min} and {max} are allowed", min = ROUNDS.start(), max = ROUNDS.end())]
    Rounds(u32),
    #[error("the broker refused the user or its password: {0}")]
    Refused(String),
    #[error("the broker does not know the password, so it is not the broker that it should be")]
    NotTheBroker,
}

/// An exchange after its first message.
#[derive(Debug)]
pub(super) struct ScramExchange {
    hash: ScramHash,
    first_bare: String,
    nonce: String,
}

/// Last message of the client, and the signature that the broker must answer with.
#[derive(Debug)]
pub(super) struct ScramProof {
    pub(super) message: String,
    server_signature: Vec<u8>,
}

impl ScramExchange {
    /// Begins an exchange; `nonce` is random and has no comma.
    pub(super) fn new(hash: ScramHash, user: &str, nonce: String) -> ScramExchange {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        ScramExchange {
            hash,
            first_bare: format!("n={user},r={nonce}"),
            nonce,
        }
    }

    /// Returns the first message.
    pub(super) fn first(&self) -> String {
        format!("n,,{}", self.first_bare)
    }

    /// Answers the broker's challenge.
    pub(super) fn answer(&self, challenge: &str, password: &str) -> Result<ScramProof, ScramError> {
        let nonce = attribute(challenge, 'r').ok_or(ScramError::Malformed)?;
        let salt = attribute(challenge, 's').and_then(|salt| STANDARD.decode(salt).ok());
        let salt = salt.ok_or(ScramError::Malformed)?;
        let rounds = attribute(challenge, 'i').and_then(|rounds| rounds.parse().ok());
        let rounds: u32 = rounds.ok_or(ScramError::Malformed)?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(ScramError::Malformed);
        }
        if !ROUNDS.contains(&rounds) {
            return Err(ScramError::Rounds(rounds));
        }

        let salted = self.hash.derive(password.as_bytes(), &salt, rounds);
        let without_proof = format!("c=biws,r={nonce}");
        let signed = format!("{},{challenge},{without_proof}", self.first_bare);
        let client_key = self.hash.hmac(&salted, b"Client Key");
        let stored_key = self.hash.digest(&client_key);
        let signature = self.hash.hmac(&stored_key, signed.as_bytes());
        let proof = STANDARD.encode(xor(client_key, &signature));
        let server_key = self.hash.hmac(&salted, b"Server Key");
        Ok(ScramProof {
            message: format!("{without_proof},p={proof}"),
            server_signature: self.hash.hmac(&server_key, signed.as_bytes()),
        })
    }
}

impl ScramProof {
    /// Checks that the broker knows the password too.
    pub(super) fn check(&self, last: &str) -> Result<(), ScramError> {
        if let Some(reason) = attribute(last, 'e') {
            return Err(ScramError::Refused(reason.to_owned()));
        }
        let signature = attribute(last, 'v').and_then(|text| STANDARD.decode(text).ok());
        match signature.ok_or(ScramError::Malformed)? {
            signature if signature == self.server_signature => Ok(()),
            _ => Err(ScramError::NotTheBroker),
        }
    }
}

fn attribute(message: &str, name: char) -> Option<&str> {
    message
        .split(',')
        .find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

fn xor(mut left: Vec<u8>, right: &[u8]) -> Vec<u8> {
    for (byte, other) in left.iter_mut().zip(right) {
        *byte ^= other;
    }
    left
}

impl ScramHash {
    fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    /// HMAC takes a key of any length.
    fn hmac(self, key: &[u8], bytes: &[u8]) -> Vec<u8> {
        macro_rules! mac {
            ($hash:ty) => {
                Hmac::<$hash>::new_from_slice(key).map_or_else(
                    |_| Vec::new(),
                    |mut mac| {
                        mac.update(bytes);
                        mac.finalize().into_bytes().to_vec()
                    },
                )
            };
        }
        match self {
            Self::Sha256 => mac!(Sha256),
            Self::Sha512 => mac!(Sha512),
        }
    }

    /// `Hi` of RFC 5802: PBKDF2 with one block.
    fn derive(self, password: &[u8], salt: &[u8], rounds: u32) -> Vec<u8> {
        let mut block = self.hmac(password, &[salt, &1_u32.to_be_bytes()].concat());
        let mut derived = block.clone();
        for _ in 1..rounds {
            block = self.hmac(password, &block);
            derived = xor(derived, &block);
        }
        derived
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CHALLENGE: &str =
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    fn exchange() -> ScramExchange {
        ScramExchange::new(ScramHash::Sha256, "user", "rOprNGfwEbeRWgbNEkqO".to_owned())
    }

    /// The exchange of RFC 7677, section 3.
    #[test]
    fn the_published_exchange_succeeds() {
        assert_eq!(exchange().first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let proof = exchange().answer(CHALLENGE, "pencil").unwrap();
        assert_eq!(
            proof.message,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(
            proof.check("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
            Ok(())
        );
    }

    #[test]
    fn a_broker_that_only_pretends_is_refused() {
        let check = |challenge: &str| exchange().answer(challenge, "pencil").unwrap_err();
        assert_eq!(check("r=other,s=W22Z,i=4096"), ScramError::Malformed);
        let few = CHALLENGE.replace("4096", "1");
        assert_eq!(check(&few), ScramError::Rounds(1));
        let many = CHALLENGE.replace("4096", "4000000000");
        assert_eq!(check(&many), ScramError::Rounds(4_000_000_000));
        let proof = exchange().answer(CHALLENGE, "pencil").unwrap();
        assert_eq!(proof.check("v=AAAA"), Err(ScramError::NotTheBroker));
        assert_eq!(
            proof.check("e=invalid-proof"),
            Err(ScramError::Refused("invalid-proof".to_owned()))
        );
    }
}
