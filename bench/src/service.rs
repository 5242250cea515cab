//! The service under test: the real `reeve serve`, started, watched and ended as an operator would.

use std::fs::OpenOptions;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::wire::{self, Connection};

/// Token of the administrator.
pub(crate) const TOKEN: &str = "the-token-of-the-benchmark-and-of-nobody-else";
/// Time limit of a start or stop.
const PATIENCE: Duration = Duration::from_secs(600);
/// Seals follow each other faster than this while there are any to come.
const SETTLED: Duration = Duration::from_secs(4);

/// A running `reeve serve`. Killed when dropped.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From the start of the process until it was ready.
    pub(crate) started_in: Duration,
}

impl Service {
    /// Starts it over `data`, with variables beside the defaults; returns when it is ready.
    pub(crate) fn start(programs: &Path, data: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(data.with_extension("log"))?;
        let mut command = Command::new(programs.join("reeve"));
        command
            .arg("serve")
            .arg("--data-dir")
            .arg(data)
            .args(["--listen", &address.to_string()]);

        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REEVE_")) {
            command.env_remove(name);
        }

        command
            .env("REEVE_ADMIN_TOKEN", TOKEN)
            .env("RUST_LOG", "warn")
            .envs(variables.iter().copied());
        let begun = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let child = child.with_context(|| format!("starting {command:?}"))?;
        let mut service = Self {
            child,
            address,
            started_in: Duration::ZERO,
        };

        while !service.ready() {
            if let Some(status) = service.child.try_wait()? {
                bail!(
                    "reeve ended with {status} before it served; see {}",
                    data.with_extension("log").display()
                );
            }
            if begun.elapsed() > PATIENCE {
                bail!("reeve was not ready within {PATIENCE:?}");
            }
            crate::process::pause(Duration::from_millis(2));
        }

        service.started_in = begun.elapsed();
        Ok(service)
    }

    fn ready(&self) -> bool {
        if TcpStream::connect(self.address).is_err() {
            return false;
        }

        let asked = Connection::open(self.address).and_then(|mut connection| {
            let request = wire::request("GET", "/readyz", TOKEN, "application/json", b"");
            connection.send(&request).map(|(head, _)| head.status)
        });
        asked.is_ok_and(|status| status == 200)
    }

    /// Returns the process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a service manager does.
    pub(crate) fn stop(mut self) -> Result<()> {
        Command::new("kill")
            .args(["-TERM", &self.pid().to_string()])
            .status()?;
        let begun = Instant::now();

        while self.child.try_wait()?.is_none() {
            if begun.elapsed() > PATIENCE {
                bail!("reeve did not end within {PATIENCE:?}");
            }
            crate::process::pause(Duration::from_millis(20));
        }

        Ok(())
    }

    /// Kills it: `kill -9`.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends a GET; gives the body of a 200.
    pub(crate) fn get(&self, path: &str) -> Result<Vec<u8>> {
        let request = wire::request("GET", path, TOKEN, "application/json", b"");
        let mut connection = Connection::open(self.address)?;
        let (head, body) = connection.send(&request)?;
        if head.status != 200 {
            bail!("{path}: {} {}", head.status, String::from_utf8_lossy(body));
        }
        Ok(body.to_vec())
    }

    /// Returns the number of entries in the newest signed checkpoint.
    pub(crate) fn size(&self) -> Result<u64> {
        let note = self.get("/api/v1/audit-logs/checkpoint")?;
        checkpoint_size(&note).context("a checkpoint without a size")
    }
}

/// The size in a checkpoint: its second line.
pub(crate) fn checkpoint_size(note: &[u8]) -> Option<u64> {
    std::str::from_utf8(note).ok()?.lines().nth(1)?.parse().ok()
}

/// Returns the number of sealed entries, by the manifest.
pub(crate) fn sealed_size(data: &Path) -> u64 {
    let path: PathBuf = data.join("ledger").join("manifest.journal");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let record = text
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    record
        .and_then(|record| record["sealed_size"].as_u64())
        .unwrap_or_default()
}

/// Waits until no seal has ended for some seconds: those that an append has begun are over.
pub(crate) fn until_settled(data: &Path) {
    let (mut sealed, mut since) = (sealed_size(data), Instant::now());
    while since.elapsed() < SETTLED {
        crate::process::pause(Duration::from_millis(100));
        let now = sealed_size(data);
        if now != sealed {
            (sealed, since) = (now, Instant::now());
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
