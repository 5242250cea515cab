//! Google Cloud Storage: resumable uploads of the JSON interface, authorised by the key of a
//! service account (<https://developers.google.com/identity/protocols/oauth2/service-account>, RFC
//! 7523).

use std::path::Path;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use reeve_connect_outbound::{Method, Outbound, OutboundError, OutboundRequest, Url};
use serde_json::{Value, json};

use crate::upload::{StorageError, ask, encoded, open, part};

const ENDPOINT: &str = "https://storage.googleapis.com";
const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_write";
/// Address of tokens of keys that name none.
const TOKENS: &str = "https://oauth2.googleapis.com/token";

/// A bucket of Google Cloud Storage.
#[derive(Debug, Clone)]
pub struct GcsBucket {
    /// Name of the bucket.
    pub bucket: String,
    /// Another endpoint than Google's own.
    pub endpoint: Option<String>,
}

/// Stores a file as an object; returns its address. Without a secret no credentials are sent.
///
/// # Errors
/// [`StorageError`].
pub async fn put(
    client: &Outbound,
    place: &GcsBucket,
    secret: &str,
    name: &str,
    file: &Path,
) -> Result<String, StorageError> {
    let token = if secret.trim().is_empty() {
        None
    } else {
        Some(token(client, secret).await?)
    };
    let authorization = token.map(|token| ("authorization".to_owned(), format!("Bearer {token}")));

    let (mut file, length) = open(file).await?;
    let session = begin(client, place, name, authorization.as_ref()).await?;
    let mut sent = 0;

    loop {
        let bytes = part(&mut file).await?;
        let end = sent + bytes.len() as u64;
        let range = match bytes.len() {
            0 => format!("bytes */{length}"),
            _ => format!("bytes {sent}-{}/{length}", end - 1),
        };
        let mut headers = vec![("content-range".to_owned(), range)];
        headers.extend(authorization.clone());
        let request = OutboundRequest {
            method: Method::PUT,
            url: session.clone(),
            headers,
            body: bytes,
        };
        match ask(client, request, &[200, 201]).await {
            Ok(_) => break,
            // 308 without a location means here that the part arrived and more is expected; it
            // leads nowhere.
            Err(StorageError::Outbound(OutboundError::Redirect(to)))
                if to.is_empty() && end < length =>
            {
                sent = end
            }
            Err(error) => return Err(error),
        }
    }

    Ok(format!("gs://{}/{name}", place.bucket))
}

/// Begins an upload; the address that parts go to, which must be the endpoint's own.
async fn begin(
    client: &Outbound,
    place: &GcsBucket,
    name: &str,
    authorization: Option<&(String, String)>,
) -> Result<Url, StorageError> {
    let base = place
        .endpoint
        .as_deref()
        .unwrap_or(ENDPOINT)
        .trim_end_matches('/');
    let (bucket, name) = (encoded(&place.bucket, false), encoded(name, false));
    let address = format!("{base}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&name={name}");
    let url: Url = address
        .parse()
        .map_err(|_| StorageError::Settings(format!("{base} is not an address")))?;
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    headers.extend(authorization.cloned());
    let request = OutboundRequest {
        method: Method::POST,
        url: url.clone(),
        headers,
        body: b"{}".to_vec(),
    };
    let answer = ask(client, request, &[200, 201]).await?;

    let session = answer
        .headers
        .get("location")
        .and_then(|value| value.to_str().ok());
    let session = session
        .and_then(|text| url.join(text).ok())
        .filter(|session| session.origin() == url.origin());
    session.ok_or_else(|| {
        StorageError::Settings("the service named no upload address of its own".to_owned())
    })
}

/// An access token for the key of a service account.
async fn token(client: &Outbound, secret: &str) -> Result<String, StorageError> {
    let wrong = |cause: &str| {
        StorageError::Settings(format!(
            "the secret is not the JSON key of a service account: {cause}"
        ))
    };
    let key: Value = serde_json::from_str(secret).map_err(|_| wrong("it is not JSON"))?;

    if key["type"] != "service_account" {
        return Err(wrong("its type is not service_account"));
    }

    let text = |name: &str| {
        key[name]
            .as_str()
            .ok_or_else(|| wrong(&format!("{name} is missing")))
    };
    let (email, pem) = (text("client_email")?, text("private_key")?);

    let tokens = key["token_uri"].as_str().unwrap_or(TOKENS);
    let assertion = assertion(email, pem, tokens, Timestamp::now().as_second())
        .ok_or_else(|| wrong("private_key"))?;
    let grant = encoded("urn:ietf:params:oauth:grant-type:jwt-bearer", false);
    let request = OutboundRequest {
        method: Method::POST,
        url: tokens.parse().map_err(|_| wrong("token_uri"))?,
        headers: vec![(
            "content-type".to_owned(),
            "application/x-www-form-urlencoded".to_owned(),
        )],
        body: format!("grant_type={grant}&assertion={assertion}").into_bytes(),
    };
    let answer = ask(client, request, &[200]).await?;
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();

    let token = body["access_token"]
        .as_str()
        .filter(|token| !token.contains(char::is_control));
    token
        .map(str::to_owned)
        .ok_or_else(|| StorageError::Settings("the service gave no access token".to_owned()))
}

/// A signed claim of the service account; `None` for a key that cannot sign.
fn assertion(email: &str, pem: &str, audience: &str, now: i64) -> Option<String> {
    // PEM: lines of base64 between two that begin with dashes.
    let body: String = pem
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('-'))
        .collect();
    let der = STANDARD.decode(body).ok()?;
    let key = RsaKeyPair::from_pkcs8(&der).ok()?;
    let header = URL_SAFE_NO_PAD.encode(json!({ "alg": "RS256", "typ": "JWT" }).to_string());
    let claims =
        json!({ "iss": email, "scope": SCOPE, "aud": audience, "iat": now, "exp": now + 3600 });
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        signed.as_bytes(),
        &mut signature,
    )
    .ok()?;

    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
