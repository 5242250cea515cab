//! Runs `sftp` with a configuration of its own, in a private folder that is removed with the
//! session. Secrets are on no command line.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::Server;
use super::host_key::HostKey;
use crate::upload::StorageError;

/// Name of the server in the file of known hosts.
const ALIAS: &str = "destination";
/// Variable that the program asks for the password by.
const PASSWORD: &str = "REEVE_SFTP_PASSWORD";
/// Beginning of every private key in PEM or OpenSSH's format.
const PRIVATE_KEY: &str = "-----BEGIN";
/// Most characters of an error that are shown.
const MAX_REASON: usize = 400;

/// Settings of one sign-in, ready to be used by several programs one after the other.
pub(super) struct SftpSession {
    folder: TempDir,
    target: String,
    port: u16,
    secret: String,
}

/// End of a program that did not do all of its commands.
pub(super) enum SftpFailure {
    /// It is not installed, or could not be run.
    Program(StorageError),
    /// It ended with this reason.
    Refused(String),
}

impl From<SftpFailure> for StorageError {
    fn from(failure: SftpFailure) -> Self {
        match failure {
            SftpFailure::Program(error) => error,
            SftpFailure::Refused(reason) if reason.contains("Permission denied (") => {
                StorageError::SignIn(reason)
            }
            SftpFailure::Refused(reason) => StorageError::Ssh(reason),
        }
    }
}

/// A command in an environment that holds nothing but the path of programs.
pub(super) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_clear().env("LC_ALL", "C").kill_on_drop(true);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// The error of a program that cannot be run.
pub(super) fn missing(name: &str, error: &io::Error) -> StorageError {
    StorageError::Ssh(match error.kind() {
        io::ErrorKind::NotFound => {
            format!(
                "{name} is not installed; SFTP needs the OpenSSH client (package openssh-client)"
            )
        }
        _ => format!("{name} could not be run: {error}"),
    })
}

impl SftpSession {
    /// Writes what the program reads: the known host, the private key or the way to the password.
    pub(super) fn begin(
        server: &Server,
        address: SocketAddr,
        host_key: &HostKey,
        secret: &str,
    ) -> Result<SftpSession, StorageError> {
        if secret.trim().is_empty() {
            return Err(StorageError::Settings(
                "a password or a private key is needed".to_owned(),
            ));
        }

        let folder = tempfile::Builder::new().prefix("reeve-sftp-").tempdir()?;
        let private = |name: &str, text: &str, mode: u32| -> io::Result<()> {
            let path = folder.path().join(name);
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(mode)
                .open(path)?;
            file.write_all(text.as_bytes())
        };

        private(
            "known_hosts",
            &format!("{ALIAS} {} {}\n", host_key.kind, host_key.key),
            0o600,
        )?;

        if secret.trim_start().starts_with(PRIVATE_KEY) {
            // OpenSSH refuses a key whose last line does not end.
            private("key", &format!("{}\n", secret.trim()), 0o600)?;
        } else {
            private(
                "askpass",
                &format!("#!/bin/sh\nprintf '%s\\n' \"${PASSWORD}\"\n"),
                0o700,
            )?;
        }

        let ip = address.ip();
        let host = if ip.is_ipv6() {
            format!("[{ip}]")
        } else {
            ip.to_string()
        };
        let target = format!("{}@{host}", server.username);

        Ok(SftpSession {
            folder,
            target,
            port: address.port(),
            secret: secret.to_owned(),
        })
    }

    /// Runs commands to their end, or to the first that fails.
    pub(super) async fn run(&self, batch: &str) -> Result<(), SftpFailure> {
        let failed = |error: io::Error| SftpFailure::Program(missing("sftp", &error));
        let mut child = self.command().spawn().map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            // A program that has ended already reads nothing; its status says why.
            input.write_all(batch.as_bytes()).await.ok();
        }

        let output = child.wait_with_output().await.map_err(failed)?;
        if output.status.success() {
            Ok(())
        } else {
            Err(SftpFailure::Refused(self.reason(&output.stderr)))
        }
    }

    fn command(&self) -> Command {
        let mut command = program("sftp");
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let mut options = vec![
            "StrictHostKeyChecking=yes".to_owned(),
            format!("UserKnownHostsFile={}", at("known_hosts")),
            "GlobalKnownHostsFile=/dev/null".to_owned(),
            format!("HostKeyAlias={ALIAS}"),
            "CheckHostIP=no".to_owned(),
            "UpdateHostKeys=no".to_owned(),
            "IdentitiesOnly=yes".to_owned(),
            "IdentityAgent=none".to_owned(),
            "NumberOfPasswordPrompts=1".to_owned(),
            "ConnectTimeout=20".to_owned(),
            "ServerAliveInterval=20".to_owned(),
            "ServerAliveCountMax=3".to_owned(),
            "LogLevel=ERROR".to_owned(),
        ];

        if self.folder.path().join("key").exists() {
            options.extend([
                "BatchMode=yes".to_owned(),
                format!("IdentityFile={}", at("key")),
                "PreferredAuthentications=publickey".to_owned(),
            ]);
        } else {
            options.extend([
                // Before -b, which would forbid the password too.
                "BatchMode=no".to_owned(),
                "IdentityFile=none".to_owned(),
                "PreferredAuthentications=password,keyboard-interactive".to_owned(),
            ]);
            command
                .env("SSH_ASKPASS", at("askpass"))
                .env("SSH_ASKPASS_REQUIRE", "force")
                .env(PASSWORD, &self.secret);
        }

        command.args(["-F", "none"]);
        for option in options {
            command.args(["-o", &option]);
        }

        command.args(["-P", &self.port.to_string(), "-b", "-", "--", &self.target]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// The program's own words, without the paths of this session and without the secret.
    fn reason(&self, said: &[u8]) -> String {
        let folder = self.folder.path().display().to_string();
        let said = String::from_utf8_lossy(said)
            .replace(&format!("{folder}/"), "")
            .replace(self.secret.trim(), "...");
        let lines: Vec<&str> = said
            .lines()
            .map(str::trim)
            .filter(|line| tells(line))
            .collect();

        let text: String = lines
            .join("; ")
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_REASON)
            .collect();

        if text.is_empty() {
            "the connection ended without a reason".to_owned()
        } else {
            text
        }
    }
}

/// Returns `true` for lines that say why: a folder that is there already fails to be made, and that
/// is well.
fn tells(line: &str) -> bool {
    let is_known_folder =
        (line.contains("mkdir") || line.contains("create directory")) && line.ends_with("Failure");
    let is_progress = line.starts_with("sftp>") || line.starts_with("Connected to");
    !(line.is_empty() || is_known_folder || is_progress || line == "Connection closed")
}

impl Drop for SftpSession {
    fn drop(&mut self) {
        // What was the private key is overwritten before it is removed with its folder.
        let path = self.folder.path().join("key");
        if let Ok(length) = fs::metadata(&path).map(|metadata| metadata.len()) {
            fs::write(&path, vec![0; usize::try_from(length).unwrap_or(0)]).ok();
        }
    }
}
