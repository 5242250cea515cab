//! Code shared by both interfaces: the client, refusals, parts of files, and the encoding of names.

use std::path::Path;
use std::time::Duration;

use reeve_connect_outbound::{
    Outbound, OutboundAnswer, OutboundError, OutboundLimits, OutboundPolicy, OutboundRequest,
};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

/// Bytes of a part.
const PART: usize = 8 << 20;
/// Time that one part may take.
const PART_TIME: Duration = Duration::from_secs(120);

/// Reason why a file was not stored.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The service could not be asked.
    #[error("{0}")]
    Outbound(#[from] OutboundError),
    /// The service answered with a status that is no success.
    #[error("the service answers {status}: {code}")]
    Refused {
        /// HTTP status of the answer.
        status: u16,
        /// Error code of the service, or nothing.
        code: String,
    },
    /// The SSH server, or the way to it, failed.
    #[error("{0}")]
    Ssh(String),
    /// The SSH server refused the user.
    #[error("the server refused the user: {0}")]
    SignIn(String),
    /// The SSH server's host key is not the one that is expected.
    #[error("{0}")]
    HostKey(String),
    /// The address is none, or the secret cannot be used.
    #[error("{0}")]
    Settings(String),
    /// The file could not be read.
    #[error("the file cannot be read: {0}")]
    File(#[from] std::io::Error),
}

impl StorageError {
    /// Returns `true` if another attempt would end the same: the service or the guard has refused.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            StorageError::Refused { status, .. } => {
                (400..500).contains(status) && !matches!(status, 408 | 429)
            }
            StorageError::Outbound(error) => {
                matches!(error, OutboundError::Refused(_) | OutboundError::Header(_))
            }
            StorageError::Settings(_) | StorageError::SignIn(_) | StorageError::HostKey(_) => true,
            StorageError::Ssh(_) | StorageError::File(_) => false,
        }
    }
}

/// Returns the guarded client with the limits of an upload.
#[must_use]
pub fn client(policy: OutboundPolicy) -> Outbound {
    Outbound::new(
        policy,
        OutboundLimits {
            time: PART_TIME,
            body: 1 << 20,
            redirects: 0,
        },
    )
}

pub(crate) async fn ask(
    client: &Outbound,
    request: OutboundRequest,
    expected: &[u16],
) -> Result<OutboundAnswer, StorageError> {
    let answer = client.send(request).await?;
    if expected.contains(&answer.status.as_u16()) {
        return Ok(answer);
    }
    Err(StorageError::Refused {
        status: answer.status.as_u16(),
        code: code(&answer),
    })
}

/// The service's own error code, of an XML or JSON body.
fn code(answer: &OutboundAnswer) -> String {
    let header = answer
        .headers
        .get("x-ms-error-code")
        .and_then(|value| value.to_str().ok());
    let text = String::from_utf8_lossy(&answer.body);
    let xml = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map(|(code, _)| code);
    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let message = json
        .pointer("/error/message")
        .or_else(|| json.pointer("/error"))
        .and_then(|text| text.as_str());
    let code = header.or(xml).or(message).unwrap_or("no reason given");

    code.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// Reads the next part of a file; empty at its end.
pub(crate) async fn part(file: &mut File) -> Result<Vec<u8>, StorageError> {
    let mut bytes = Vec::with_capacity(PART);
    file.take(PART as u64).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

pub(crate) async fn open(path: &Path) -> Result<(File, u64), StorageError> {
    let file = File::open(path).await?;
    let length = file.metadata().await?.len();
    Ok((file, length))
}

/// Percent-encodes a part of a path or query.
pub(crate) fn encoded(text: &str, keep_slash: bool) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'~')
            || (keep_slash && byte == b'/')
    };
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
