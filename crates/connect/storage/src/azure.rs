//! Azure Blob Storage: block blobs, authorised by Shared Key
//! (<https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key>) or by a SAS
//! token.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reeve_connect_outbound::{Method, Outbound, OutboundRequest, Url};
use sha2::Sha256;

use crate::upload::{StorageError, ask, encoded, open, part};

/// Version of the REST interface.
const VERSION: &str = "2021-12-02";

/// A container of Azure Blob Storage.
#[derive(Debug, Clone)]
pub struct Container {
    /// Name of the storage account.
    pub account: String,
    /// Name of the container.
    pub container: String,
    /// Another endpoint than `https://ACCOUNT.blob.core.windows.net`; the account's name is part of
    /// an emulator's path.
    pub endpoint: Option<String>,
}

/// Way to authorise requests. It has no `Debug` that would show it.
enum Authority {
    Key(Vec<u8>),
    Sas(String),
}

/// Stores a file as a block blob; returns its address.
///
/// # Errors
/// [`StorageError`].
pub async fn put(
    client: &Outbound,
    place: &Container,
    secret: &str,
    name: &str,
    file: &Path,
) -> Result<String, StorageError> {
    let authority = authority(secret)?;
    let base = place
        .endpoint
        .clone()
        .unwrap_or_else(|| format!("https://{}.blob.core.windows.net", place.account));
    let address = format!(
        "{}/{}/{}",
        base.trim_end_matches('/'),
        place.container,
        encoded(name, true)
    );

    let (mut file, _) = open(file).await?;
    let mut list = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");

    for number in 0_u32.. {
        let bytes = part(&mut file).await?;
        if bytes.is_empty() {
            break;
        }
        // Identifiers of one length, as the interface asks for.
        let block = STANDARD.encode(format!("part-{number:08}"));
        list.push_str(&format!("<Latest>{block}</Latest>"));
        let query = [("blockid", block.as_str()), ("comp", "block")];
        ask(
            client,
            request(place, &authority, &address, &query, bytes)?,
            &[201],
        )
        .await?;
    }

    list.push_str("</BlockList>");
    let query = [("comp", "blocklist")];
    ask(
        client,
        request(place, &authority, &address, &query, list.into_bytes())?,
        &[201],
    )
    .await?;

    Ok(address)
}

fn authority(secret: &str) -> Result<Authority, StorageError> {
    let secret = secret.trim();
    if secret.contains("sig=") {
        return Ok(Authority::Sas(secret.trim_start_matches('?').to_owned()));
    }

    let wrong = |_| {
        StorageError::Settings(
            "the secret is neither an account key (base64) nor a SAS token".to_owned(),
        )
    };

    STANDARD.decode(secret).map(Authority::Key).map_err(wrong)
}

fn request(
    place: &Container,
    authority: &Authority,
    address: &str,
    query: &[(&str, &str)],
    body: Vec<u8>,
) -> Result<OutboundRequest, StorageError> {
    let text = query
        .iter()
        .map(|(name, value)| format!("{name}={}", encoded(value, false)))
        .collect::<Vec<_>>()
        .join("&");

    let sas = match authority {
        Authority::Sas(token) => format!("&{token}"),
        Authority::Key(_) => String::new(),
    };
    let url: Url = format!("{address}?{text}{sas}")
        .parse()
        .map_err(|_| StorageError::Settings(format!("{address} is not an address")))?;
    let date = Timestamp::now()
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    let mut headers = vec![
        ("x-ms-date".to_owned(), date),
        ("x-ms-version".to_owned(), VERSION.to_owned()),
    ];

    if let Authority::Key(key) = authority {
        let signature = sign(
            key,
            &string_to_sign(place, &url, query, &headers, body.len()),
        )?;
        headers.push((
            "authorization".to_owned(),
            format!("SharedKey {}:{signature}", place.account),
        ));
    }

    Ok(OutboundRequest {
        method: Method::PUT,
        url,
        headers,
        body,
    })
}

/// The text that Shared Key signs for a PUT without content headers but the length.
fn string_to_sign(
    place: &Container,
    url: &Url,
    query: &[(&str, &str)],
    headers: &[(String, String)],
    length: usize,
) -> String {
    let length = if length == 0 {
        String::new()
    } else {
        length.to_string()
    };

    let named: String = headers
        .iter()
        .map(|(name, value)| format!("{name}:{value}\n"))
        .collect();
    let parameters: String = query
        .iter()
        .map(|(name, value)| format!("\n{name}:{value}"))
        .collect();

    // Verb, encoding, language, length, MD5, type, date, four conditions, range.
    format!(
        "PUT\n\n\n{length}\n\n\n\n\n\n\n\n\n{named}/{}{}{parameters}",
        place.account,
        url.path()
    )
}

fn sign(key: &[u8], text: &str) -> Result<String, StorageError> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac =
        mac.map_err(|_| StorageError::Settings("the account key cannot be used".to_owned()))?;
    mac.update(text.as_bytes());
    Ok(STANDARD.encode(mac.finalize().into_bytes()))
}
