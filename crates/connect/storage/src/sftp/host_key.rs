//! Host keys: those that a server presents, and the one that is pinned.

use std::net::SocketAddr;
use std::process::Stdio;

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
    /// Key in base64.
    pub(super) key: String,
    fingerprint: String,
}

/// Returns the key that the settings name, if the server presents it.
///
/// `ssh` compares whole keys with a file of known hosts, and settings hold a fingerprint: so the keys are asked for first. Only the one
/// that fits is believed by the connection that follows, whoever answers it.
///
/// # Errors
/// [`StorageError::HostKey`] with all that it presented; [`StorageError::Ssh`] when it does not speak SSH.
pub(super) async fn pinned(server: &Server, address: SocketAddr) -> Result<HostKey, StorageError> {
    let keys = presented(address).await?;
    let pinned = server.host_key.as_deref();
    if let Some(key) = keys.iter().find(|key| Some(key.fingerprint.as_str()) == pinned) {
        return Ok(key.clone());
    }
    let presented: Vec<String> = keys.iter().map(|key| format!("{} ({})", key.fingerprint, key.kind)).collect();
    let presented = presented.join(", ");
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

async fn presented(address: SocketAddr) -> Result<Vec<HostKey>, StorageError> {
    let mut command = program("ssh-keyscan");
    command.args(["-T", "20", "-p", &address.port().to_string(), &address.ip().to_string()]);
    let output = command.stdin(Stdio::null()).output().await.map_err(|error| missing("ssh-keyscan", &error))?;
    let mut keys: Vec<HostKey> = String::from_utf8_lossy(&output.stdout).lines().filter_map(read).collect();
    // The strongest first, and the same order at each attempt.
    keys.sort_by_key(|key| (key.kind != "ssh-ed25519", key.kind.clone()));
    if keys.is_empty() {
        return Err(StorageError::Ssh(format!("port {} does not answer as an SSH server", address.port())));
    }
    Ok(keys)
}

/// Reads a line of known hosts: host, type, key.
fn read(line: &str) -> Option<HostKey> {
    let mut parts = line.split_whitespace();
    let (host, kind, key) = (parts.next()?, parts.next()?, parts.next()?);
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-@.+/=".contains(&byte));
    if host.starts_with('#') || !is_plain(kind) || !is_plain(key) {
        return None;
    }
    let digest = Sha256::digest(STANDARD.decode(key).ok()?);
    let fingerprint = format!("SHA256:{}", STANDARD_NO_PAD.encode(digest));
    Some(HostKey { kind: kind.to_owned(), key: key.to_owned(), fingerprint })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fingerprints_are_those_of_ssh_keygen() {
        // The host key of github.com and the fingerprint that GitHub publishes for it.
        let line =
            "github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl comment";
        let key = read(line).unwrap();
        assert_eq!(key.fingerprint, "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
        assert_eq!(key.kind, "ssh-ed25519");
        for wrong in ["", "# 127.0.0.1:22 SSH-2.0-x", "host ssh-ed25519", "host ssh-ed25519 !!!", "host a\"b AAAA"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
