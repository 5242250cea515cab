//! The signature: HMAC-SHA-256 over `id.timestamp.body`, in Base64, after `v1,`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reeve_notify::webhook::Secret;
use sha2::Sha256;

/// The value of `webhook-signature`: one signature a secret, with a space between them.
#[must_use]
pub fn sign(secrets: &[Secret], id: &str, at: Timestamp, body: &str) -> String {
    let signed = format!("{id}.{}.{body}", at.as_second());
    let signatures: Vec<String> = secrets
        .iter()
        .filter_map(|secret| one(secret, signed.as_bytes()))
        .collect();
    signatures.join(" ")
}

fn one(secret: &Secret, signed: &[u8]) -> Option<String> {
    // HMAC takes keys of any length; the error cannot come.
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret.key()).ok()?;
    mac.update(signed);
    Some(format!(
        "v1,{}",
        STANDARD.encode(mac.finalize().into_bytes())
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The example of the specification's reference implementations.
    #[test]
    fn the_published_example() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let at = Timestamp::from_second(1_614_265_330).unwrap();
        let found = sign(
            &[secret],
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at,
            r#"{"test": 2432232314}"#,
        );

        assert_eq!(found, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
