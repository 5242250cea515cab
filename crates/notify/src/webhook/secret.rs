//! Signing secrets: `whsec_` and the Base64 of 32 random bytes, as Standard Webhooks writes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};

/// Time for which the old secret signs beside the new one.
pub const OVERLAP: SignedDuration = SignedDuration::from_hours(24);

/// Prefix of a secret's text form.
const PREFIX: &str = "whsec_";

/// One secret. It has no `Debug` or `Display` that shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(...)")
    }
}

impl Secret {
    /// Encodes random bytes as a secret.
    #[must_use]
    pub fn from_random(random: &[u8; 32]) -> Secret {
        Secret(format!("{PREFIX}{}", STANDARD.encode(random)))
    }

    /// From its text; `None` unless it holds 24 to 64 bytes, which is what Standard Webhooks
    /// allows.
    #[must_use]
    pub fn parse(text: &str) -> Option<Secret> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        (24..=64)
            .contains(&bytes.len())
            .then(|| Secret(text.to_owned()))
    }

    /// The text: shown once to whoever made it, and sealed.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The key of the signature.
    #[must_use]
    pub fn key(&self) -> Vec<u8> {
        // Both constructors have made sure that it decodes.
        STANDARD.decode(&self.0[PREFIX.len()..]).unwrap_or_default()
    }
}

/// The secrets of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    /// The one that signs.
    pub current: Secret,
    /// The one before, and until when it signs too.
    pub previous: Option<(Secret, Timestamp)>,
}

impl Secrets {
    /// Returns the secrets of a new subscription: one, without a predecessor.
    #[must_use]
    pub fn first(secret: Secret) -> Secrets {
        Secrets {
            current: secret,
            previous: None,
        }
    }

    /// With a new one; the old one signs for [`OVERLAP`] more. One that was on its way out is gone
    /// at once: at most two sign.
    #[must_use]
    pub fn rotated(self, new: Secret, now: Timestamp) -> Secrets {
        let until = now.saturating_add(OVERLAP).unwrap_or(now);
        Secrets {
            current: new,
            previous: Some((self.current, until)),
        }
    }

    /// Those that sign now, the newest first.
    #[must_use]
    pub fn signing(&self, now: Timestamp) -> Vec<Secret> {
        let old = self
            .previous
            .iter()
            .filter(|(_, until)| *until > now)
            .map(|(secret, _)| secret.clone());
        std::iter::once(self.current.clone()).chain(old).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts() {
        let secret = Secret::from_random(&[7; 32]);
        assert_eq!(Secret::parse(secret.reveal()).unwrap(), secret);
        assert_eq!(secret.key(), [7; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(...)");

        for wrong in [
            "",
            "whsec_",
            "whsec_????",
            "whsec_c2hvcnQ=",
            "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
        ] {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn both_sign_for_a_day() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let later = |hours: i64| now + SignedDuration::from_hours(hours);
        let (first, second, third) = (
            Secret::from_random(&[1; 32]),
            Secret::from_random(&[2; 32]),
            Secret::from_random(&[3; 32]),
        );
        let secrets = Secrets::first(first.clone());
        assert_eq!(secrets.signing(now), std::slice::from_ref(&first));

        let secrets = secrets.rotated(second.clone(), now);
        assert_eq!(secrets.signing(later(23)), [second.clone(), first]);
        assert_eq!(secrets.signing(later(24)), std::slice::from_ref(&second));
        assert_eq!(
            secrets.rotated(third.clone(), later(1)).signing(later(2)),
            [third, second]
        );
    }
}
