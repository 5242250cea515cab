//! Passwords: Argon2id kept as PHC strings, and the few rules a new one must meet.
//!
//! Parameters are the OWASP minimum for Argon2id (19 MiB, 2 passes, 1 lane; password storage cheat
//! sheet). The rules follow NIST SP 800-63B: length counts, composition does not, well-known
//! passwords and the user's own name are refused. Hashing takes tens of milliseconds of processor
//! time: call it off the asynchronous threads.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

/// The fewest characters of a password.
pub const MIN_CHARACTERS: usize = 12;

/// The most bytes of a password; more would only keep the processor busy.
pub const MAX_BYTES: usize = 1024;

/// Salt of the hash that is computed when there is no user to compare with. Nothing is kept under
/// it.
const DUMMY_SALT: &[u8; 16] = b"reeve/dummy/salt";

/// Long enough for the rule, and on every list an attacker tries first. Compared case-blind, digits
/// and marks at the end cut off.
const WELL_KNOWN: &[&str] = &[
    "administrator",
    "changemeplease",
    "correcthorsebatterystaple",
    "iloveyouforever",
    "letmeinplease",
    "mypasswordis",
    "passwordpassword",
    "qwertyqwerty",
    "qwertyuiop",
    "qwertyuiopasdf",
    "welcomewelcome",
    "password",
    "adminadmin",
    "adminadminadmin",
    "letmeinletmein",
    "trustnoone",
    "asdfghjkl",
    "zxcvbnm",
    "qazwsxedc",
    "qazwsxedcrfv",
    "iloveyou",
    "changeme",
    "superadmin",
];

/// Reason why a new password is refused, in words for the person who chose it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRule {
    /// Fewer than [`MIN_CHARACTERS`] characters.
    #[error("the password has {found} characters; at least {MIN_CHARACTERS} are needed")]
    TooShort {
        /// Number that it has.
        found: usize,
    },
    /// More than [`MAX_BYTES`] bytes.
    #[error("the password has {found} bytes; at most {MAX_BYTES} are taken")]
    TooLong {
        /// Number that it has.
        found: usize,
    },
    /// Hardly any different characters, or one run of the keyboard or the digits.
    #[error(
        "the password repeats itself or runs along the keyboard; choose one that is harder to guess"
    )]
    TooSimple,
    /// Among the first an attacker tries.
    #[error("the password is among the most used ones; choose another")]
    WellKnown,
    /// Made of the user's e-mail address.
    #[error("the password contains the e-mail address; choose one that does not")]
    ContainsEmail,
}

/// Reason why a password was not hashed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the password could not be hashed: {0}")]
pub struct HashError(String);

/// Checks a new password against the rules. Existing ones are never checked again.
///
/// # Errors
/// The first rule it breaks.
pub fn check(password: &str, email: &str) -> Result<(), PasswordRule> {
    let characters = password.chars().count();
    if characters < MIN_CHARACTERS {
        return Err(PasswordRule::TooShort { found: characters });
    }

    if password.len() > MAX_BYTES {
        return Err(PasswordRule::TooLong {
            found: password.len(),
        });
    }

    let lower = password.to_lowercase();
    if distinct(&lower) < 5 || is_run(&lower) {
        return Err(PasswordRule::TooSimple);
    }

    let bare = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    if WELL_KNOWN.contains(&lower.as_str()) || WELL_KNOWN.contains(&bare) {
        return Err(PasswordRule::WellKnown);
    }

    let email = email.to_lowercase();
    let local = email.split('@').next().unwrap_or_default();
    if local.chars().count() >= 4 && lower.contains(local) {
        return Err(PasswordRule::ContainsEmail);
    }

    Ok(())
}

/// Hashes a password with a salt of its own; gives a PHC string
/// (`$argon2id$v=19$m=19456,t=2,p=1$...`).
///
/// # Errors
/// The operating system gave no randomness, or the password is longer than Argon2 accepts.
pub fn hash(password: &str) -> Result<String, HashError> {
    let hashed: PasswordHash = Argon2::default()
        .hash_password(password.as_bytes())
        .map_err(|error| HashError(error.to_string()))?;
    Ok(hashed.to_string())
}

/// Returns `true` if the password belongs to the PHC string, compared in constant time.
///
/// Without a string (no such user, or one without a password) it works just as long and says no, so
/// that the time taken does not tell whether a user exists. A string that is not PHC says no too,
/// after the same work.
#[must_use]
pub fn verify(password: &str, phc: Option<&str>) -> bool {
    if password.len() > MAX_BYTES {
        return false;
    }
    match phc.and_then(|phc| PasswordHash::new(phc).ok()) {
        Some(expected) => Argon2::default()
            .verify_password(password.as_bytes(), &expected)
            .is_ok(),
        None => {
            let wasted: Result<PasswordHash, _> =
                Argon2::default().hash_password_with_salt(password.as_bytes(), DUMMY_SALT);
            std::hint::black_box(wasted.is_ok());
            false
        }
    }
}

/// Number of different characters.
fn distinct(text: &str) -> usize {
    text.chars()
        .collect::<std::collections::BTreeSet<_>>()
        .len()
}

/// Returns `true` if the text is one stretch of the alphabet, the digits or a row of keys, once or
/// over and over.
fn is_run(text: &str) -> bool {
    const ROWS: &[&str] = &[
        "abcdefghijklmnopqrstuvwxyz",
        "0123456789",
        "qwertyuiopasdfghjklzxcvbnm",
    ];
    ROWS.iter().any(|row| {
        let over = row.repeat(1 + text.len().div_ceil(row.len()));
        let back: String = over.chars().rev().collect();
        over.contains(text) || back.contains(text)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_rules() {
        let long = "ab1cd2".repeat(200);
        let cases: &[(&str, &str, Option<PasswordRule>)] = &[
            ("short", "a@b.c", Some(PasswordRule::TooShort { found: 5 })),
            (
                "elevenchar1",
                "a@b.c",
                Some(PasswordRule::TooShort { found: 11 }),
            ),
            ("twelve chars", "a@b.c", None),
            ("dreißig Äpfel", "a@b.c", None),
            (&long, "a@b.c", Some(PasswordRule::TooLong { found: 1200 })),
            ("aaaaaaaaaaaaaaaa", "a@b.c", Some(PasswordRule::TooSimple)),
            ("abababababab", "a@b.c", Some(PasswordRule::TooSimple)),
            ("123456789012", "a@b.c", Some(PasswordRule::TooSimple)),
            ("ABCDEFGHIJKLMN", "a@b.c", Some(PasswordRule::TooSimple)),
            ("qwertyuiop123", "a@b.c", Some(PasswordRule::WellKnown)),
            ("PasswordPassword", "a@b.c", Some(PasswordRule::WellKnown)),
            ("Password1234!", "a@b.c", Some(PasswordRule::WellKnown)),
            ("administrator", "a@b.c", Some(PasswordRule::WellKnown)),
            (
                "I am Jane.Doe!!",
                "jane.doe@example.com",
                Some(PasswordRule::ContainsEmail),
            ),
            ("the bob who sails", "bob@example.com", None),
            ("correct horse battery", "", None),
        ];

        for (password, email, expected) in cases {
            assert_eq!(check(password, email).err(), *expected, "{password}");
        }
    }

    #[test]
    fn a_hash_is_argon2id_salted_and_verified() {
        let one = hash("wind over seven hills").unwrap();
        let two = hash("wind over seven hills").unwrap();
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        assert_ne!(one, two, "each hash has its own salt");
        assert!(verify("wind over seven hills", Some(&one)));
        assert!(!verify("wind over seven hillz", Some(&one)));
        assert!(!verify("wind over seven hills", None));
        assert!(!verify("", Some("not a hash")));
        assert!(!verify(&"x".repeat(MAX_BYTES + 1), Some(&one)));
    }

    #[test]
    fn a_missing_user_costs_as_much_as_a_wrong_password() {
        let kept = hash("wind over seven hills").unwrap();
        let took = |phc: Option<&str>| {
            let start = Instant::now();
            assert!(!verify("some other password", phc));
            start.elapsed()
        };

        // In turns, so that a busy machine slows all three alike.
        let mut fastest = [Duration::MAX; 3];
        for _ in 0..9 {
            for (least, phc) in fastest
                .iter_mut()
                .zip([Some(kept.as_str()), None, Some("broken")])
            {
                *least = took(phc).min(*least);
            }
        }

        let [known, unknown, broken] = fastest;
        assert!(unknown * 4 > known, "{unknown:?} against {known:?}");
        assert!(broken * 4 > known, "{broken:?} against {known:?}");
    }
}
