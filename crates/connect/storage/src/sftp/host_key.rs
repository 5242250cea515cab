//! Host keys: those that a server presents, and the one that is pinned.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::Server;
use super::program::{missing, program};
use crate::upload::StorageError;

/// A key that a server presented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostKey {
    /// Type, as in a file of known hosts (`ssh-ed25519`).
    pub(super) kind: String,
    /// Public key in base64.
    pub(super) key: String,
    fingerprint: String,
}

/// Types of keys, in the order in which they are asked for: nearly every server has the first.
const TYPES: [&str; 3] = ["ed25519", "ecdsa", "rsa"];
/// Pauses after an attempt that got no answer.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::ZERO,
];
/// An attempt that took longer is not repeated.
const QUICK: Duration = Duration::from_secs(2);

/// Returns the key that the settings name, if the server presents it.
///
/// `ssh` compares whole keys with a file of known hosts, and settings hold a fingerprint: so the
/// keys are asked for first, one type after the other until one fits, as a server drops connections
/// when many are open (`MaxStartups`). Only the key that fits is believed by the connection that
/// follows, whoever answers it.
///
/// # Errors
/// [`StorageError::HostKey`] with all that it presented; [`StorageError::Ssh`] when it does not
/// speak SSH or drops the connection.
pub(super) async fn pinned(server: &Server, address: SocketAddr) -> Result<HostKey, StorageError> {
    let pinned = server.host_key.as_deref();
    let mut keys = Vec::new();

    for kind in TYPES {
        for key in presented(address, kind).await? {
            if Some(key.fingerprint.as_str()) == pinned {
                return Ok(key);
            }
            keys.push(key);
        }
    }

    let presented: Vec<String> = keys
        .iter()
        .map(|key| format!("{} ({})", key.fingerprint, key.kind))
        .collect();
    let presented = if presented.is_empty() {
        "none of a type that is read".to_owned()
    } else {
        presented.join(", ")
    };

    let host = format!("{}:{}", server.host, server.port);
    Err(StorageError::HostKey(match pinned {
        None => format!(
            "the host key of {host} is not known. The server presented {presented}. Compare one with `ssh-keygen -lf` on the server, \
             and set it as host_key"
        ),
        Some(pinned) => format!(
            "the host key of {host} is not {pinned}. The server presented {presented}. If its key was replaced, compare the new one \
             on the server and set it as host_key; if it was not, another machine may be impersonating the server"
        ),
    }))
}

/// Returns the keys of a type that the server presents, none where it has no such key.
///
/// A busy server drops a connection now and then, and `ssh-keyscan` of OpenSSH 9.2 sometimes ends
/// at once without a word: both are asked again.
async fn presented(address: SocketAddr, kind: &str) -> Result<Vec<HostKey>, StorageError> {
    for pause in PAUSES {
        let begun = Instant::now();
        if let Some(keys) = scan(address, kind).await? {
            return Ok(keys);
        }
        if begun.elapsed() >= QUICK {
            break;
        }
        tokio::time::sleep(pause).await;
    }
    Err(StorageError::Ssh(format!(
        "port {} does not answer as an SSH server",
        address.port()
    )))
}

/// Asks once; `None` when no server's greeting came.
async fn scan(address: SocketAddr, kind: &str) -> Result<Option<Vec<HostKey>>, StorageError> {
    let mut command = program("ssh-keyscan");
    command.args([
        "-T",
        "20",
        "-t",
        kind,
        "-p",
        &address.port().to_string(),
        &address.ip().to_string(),
    ]);

    let output = command
        .stdin(Stdio::null())
        .output()
        .await
        .map_err(|error| missing("ssh-keyscan", &error))?;

    let keys: Vec<HostKey> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(read)
        .collect();
    // The greeting is repeated as a comment, on either output by version.
    let greeted = [&output.stdout, &output.stderr]
        .iter()
        .any(|said| String::from_utf8_lossy(said).contains(" SSH-"));
    Ok((greeted || !keys.is_empty()).then_some(keys))
}

/// Reads a line of known hosts: host, type, key.
fn read(line: &str) -> Option<HostKey> {
    let mut parts = line.split_whitespace();
    let (host, kind, key) = (parts.next()?, parts.next()?, parts.next()?);
    let is_plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-@.+/=".contains(&byte))
    };

    if host.starts_with('#') || !is_plain(kind) || !is_plain(key) {
        return None;
    }

    let digest = Sha256::digest(STANDARD.decode(key).ok()?);
    let fingerprint = format!("SHA256:{}", STANDARD_NO_PAD.encode(digest));
    Some(HostKey {
        kind: kind.to_owned(),
        key: key.to_owned(),
        fingerprint,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fingerprints_are_those_of_ssh_keygen() {
        // The host key of github.com and the fingerprint that GitHub publishes for it.
        let line = "github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl comment";
        let key = read(line).unwrap();
        assert_eq!(
            key.fingerprint,
            "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"
        );
        assert_eq!(key.kind, "ssh-ed25519");

        for wrong in [
            "",
            "# 127.0.0.1:22 SSH-2.0-x",
            "host ssh-ed25519",
            "host ssh-ed25519 !!!",
            "host a\"b AAAA",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
