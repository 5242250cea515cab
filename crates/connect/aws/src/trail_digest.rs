//! Digest files of a trail: the hourly proof of its log files, signed with RSA and chained.
//!
//! The signature is over the end of the hour, the place of the digest, the SHA-256 of its
//! uncompressed bytes, and the signature of the digest before ("Custom implementations of CloudTrail
//! log file integrity validation", AWS CloudTrail user guide).

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::operation::json::{JsonService, call};
use crate::session::AwsConnection;
use crate::source_bucket::SourceBucketError;

const TRAILS: JsonService = JsonService {
    name: "cloudtrail",
    target: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101",
    version: "1.1",
};

/// Log files that a digest may list.
const MAX_FILES: usize = 100_000;

/// Digest of an hour of a trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailDigest {
    pub start: Timestamp,
    pub end: Timestamp,
    /// End of the hour as the digest writes it, which is signed.
    end_text: String,
    pub bucket: String,
    pub key: String,
    /// Fingerprint of the public key.
    pub fingerprint: String,
    /// Place of the digest before; `None` for the first of a trail.
    pub previous: Option<(String, String)>,
    previous_signature: Option<String>,
    pub files: Vec<DigestFile>,
    sha256: [u8; 32],
}

/// A log file that a digest lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestFile {
    pub bucket: String,
    pub key: String,
    /// SHA-256 of the uncompressed file, in hexadecimal.
    pub sha256: String,
}

/// Reason for which a digest proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// The file is no digest.
    #[error("not a digest: {0}")]
    Unreadable(String),
    /// The digest lies at another place than it names.
    #[error("the digest names s3://{0} as its own place")]
    Moved(String),
    /// The signature is not one of this digest under this key.
    #[error("the signature does not belong to the digest")]
    Signature,
}

impl TrailDigest {
    /// Reads a digest from its uncompressed bytes.
    ///
    /// # Errors
    /// It is no digest.
    pub fn parse(bytes: &[u8]) -> Result<TrailDigest, DigestError> {
        let unreadable = |reason: &str| DigestError::Unreadable(reason.to_owned());
        let read = serde_json::from_slice::<Value>(bytes);
        let value = read.map_err(|error| unreadable(&error.to_string()))?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let given = |name: &str| text(name).ok_or_else(|| unreadable(&format!("it has no {name}")));
        let time = |name: &str| {
            let time = given(name)?.parse::<Timestamp>();
            time.map_err(|_| unreadable(&format!("{name} is no time")))
        };

        let none = Vec::new();
        let listed = value["logFiles"].as_array().unwrap_or(&none);
        if listed.len() > MAX_FILES {
            return Err(unreadable("it lists too many files"));
        }
        let files = listed.iter().map(|file| {
            let text = |name: &str| file[name].as_str().map(str::to_owned);
            let algorithm = text("hashAlgorithm");
            Some(DigestFile {
                bucket: text("s3Bucket")?,
                key: text("s3Object")?,
                sha256: text("hashValue").filter(|_| algorithm.as_deref() == Some("SHA-256"))?,
            })
        });
        Ok(TrailDigest {
            start: time("digestStartTime")?,
            end: time("digestEndTime")?,
            end_text: given("digestEndTime")?,
            bucket: given("digestS3Bucket")?,
            key: given("digestS3Object")?,
            fingerprint: given("digestPublicKeyFingerprint")?,
            previous: text("previousDigestS3Bucket").zip(text("previousDigestS3Object")),
            previous_signature: text("previousDigestSignature"),
            files: files
                .collect::<Option<_>>()
                .ok_or_else(|| unreadable("a file has no SHA-256"))?,
            sha256: Sha256::digest(bytes).into(),
        })
    }

    /// Returns the text that is signed.
    #[must_use]
    pub fn signed_text(&self) -> String {
        format!(
            "{}\n{}/{}\n{}\n{}",
            self.end_text,
            self.bucket,
            self.key,
            hex::encode(self.sha256),
            self.previous_signature.as_deref().unwrap_or("null"),
        )
    }

    /// Verifies the digest that lies at a place. `key` is the public key in DER (PKCS #1), as
    /// `ListPublicKeys` returns it; `signature` is in hexadecimal, as the object's metadata has it.
    ///
    /// # Errors
    /// It lies elsewhere than it names, or the signature is not of it.
    pub fn verify(
        &self,
        (bucket, key): (&str, &str),
        public_key: &[u8],
        signature: &str,
    ) -> Result<(), DigestError> {
        if (self.bucket.as_str(), self.key.as_str()) != (bucket, key) {
            return Err(DigestError::Moved(format!("{}/{}", self.bucket, self.key)));
        }
        let signature = hex::decode(signature.trim()).map_err(|_| DigestError::Signature)?;
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key)
            .verify(self.signed_text().as_bytes(), &signature)
            .map_err(|_| DigestError::Signature)
    }

    /// Returns `true` if this digest continues the one before with this signature.
    #[must_use]
    pub fn continues(&self, previous_signature: &str) -> bool {
        let own = self.previous_signature.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(previous_signature))
    }
}

impl AwsConnection {
    /// Returns the public key with a fingerprint that signed digests of an hour, in DER (PKCS #1);
    /// `None` if the account has no such key.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn trail_public_key(
        &self,
        region: &str,
        digest: &TrailDigest,
    ) -> Result<Option<Vec<u8>>, SourceBucketError> {
        let place = self.place("", region);
        let body = json!({
            "StartTime": digest.start.as_second(),
            "EndTime": digest.end.as_second(),
        });
        let permission = "cloudtrail:ListPublicKeys";
        let answer = call(&self.config(region), &place, TRAILS, permission, body).await?;
        let keys = answer["PublicKeyList"].as_array();
        let found = keys
            .into_iter()
            .flatten()
            .find(|key| key["Fingerprint"].as_str() == Some(&digest.fingerprint));
        Ok(found.and_then(|key| STANDARD.decode(key["Value"].as_str()?).ok()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::rsa::{KeyPair, KeySize};
    use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};

    use super::*;

    const PLACE: (&str, &str) = ("trail", "AWSLogs/1/CloudTrail-Digest/eu-west-1/d.json.gz");

    fn digest(previous: &str) -> String {
        format!(
            r#"{{"awsAccountId":"1","digestStartTime":"2026-11-28T09:00:00Z","digestEndTime":"2026-11-28T10:00:00Z","digestS3Bucket":"trail","digestS3Object":"{}","digestPublicKeyFingerprint":"f1","previousDigestS3Bucket":null,"previousDigestS3Object":null,"previousDigestSignature":{previous},"logFiles":[{{"s3Bucket":"trail","s3Object":"a.json.gz","hashValue":"00ff","hashAlgorithm":"SHA-256"}}]}}"#,
            PLACE.1
        )
    }

    fn sign(pair: &KeyPair, digest: &TrailDigest) -> String {
        let mut signature = vec![0; pair.public_modulus_len()];
        let text = digest.signed_text();
        pair.sign(
            &RSA_PKCS1_SHA256,
            &SystemRandom::new(),
            text.as_bytes(),
            &mut signature,
        )
        .unwrap();
        hex::encode(signature)
    }

    #[test]
    fn a_digest_is_proved_by_its_place_its_bytes_and_the_one_before() {
        let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let key = pair.public_key().as_ref().to_vec();
        let first = TrailDigest::parse(digest("null").as_bytes()).unwrap();
        assert!(first.signed_text().ends_with("\nnull"));
        let signature = sign(&pair, &first);
        first.verify(PLACE, &key, &signature).unwrap();

        let moved = first.verify(("other", PLACE.1), &key, &signature);
        assert!(matches!(moved, Err(DigestError::Moved(_))));
        let changed =
            TrailDigest::parse(digest("null").replace("00ff", "00fe").as_bytes()).unwrap();
        assert_eq!(
            changed.verify(PLACE, &key, &signature),
            Err(DigestError::Signature)
        );

        let second = TrailDigest::parse(digest(&format!("{signature:?}")).as_bytes()).unwrap();
        assert!(second.continues(&signature) && !second.continues("00") && !first.continues(""));
        second.verify(PLACE, &key, &sign(&pair, &second)).unwrap();
    }

    #[test]
    fn other_files_are_no_digests() {
        let weak = digest("null").replace("SHA-256", "MD5");
        for text in ["{}", "[]", r#"{"Records":[]}"#, &weak] {
            assert!(TrailDigest::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
