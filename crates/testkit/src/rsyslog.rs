//! A real rsyslog that receives messages over TCP and returns its parsed form of each, as JSON.
//!
//!
//! The program is `$REEVE_TEST_RSYSLOGD`, else `/usr/sbin/rsyslogd` (Debian's `rsyslog`). It runs
//! on a free port in its own folder and ends when the value is dropped.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

/// Time limit of the start and of receiving messages.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running rsyslog, killed when it is dropped.
#[derive(Debug)]
pub struct Rsyslog {
    child: Child,
    home: TempDir,
    port: u16,
}

impl Rsyslog {
    /// Returns the path of the program, if this machine has it.
    #[must_use]
    pub fn program() -> Option<PathBuf> {
        let path = std::env::var_os("REEVE_TEST_RSYSLOGD")
            .map_or_else(|| "/usr/sbin/rsyslogd".into(), PathBuf::from);
        path.is_file().then_some(path)
    }

    /// Starts one.
    ///
    /// # Errors
    /// The program is missing or does not listen within half a minute.
    pub fn start() -> Result<Rsyslog> {
        let program = Self::program().context("no rsyslogd (set REEVE_TEST_RSYSLOGD)")?;
        let home = tempfile::tempdir()?;
        std::fs::write(home.path().join("rsyslog.conf"), configuration(home.path()))?;
        let child = Command::new(program)
            .args(["-n", "-C", "-f"])
            .arg(home.path().join("rsyslog.conf"))
            .arg("-i")
            .arg(home.path().join("pid"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::from(std::fs::File::create(
                home.path().join("said"),
            )?))
            .spawn()?;

        let mut started = Rsyslog {
            child,
            home,
            port: 0,
        };

        started.port = started.wait("its port", |home| {
            std::fs::read_to_string(home.join("port"))
                .ok()?
                .trim()
                .parse()
                .ok()
        })?;

        Ok(started)
    }

    /// Returns the port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Sends bytes over one connection.
    ///
    /// # Errors
    /// The server does not accept the lines.
    pub fn send(&self, bytes: &[u8]) -> Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.write_all(bytes)?;
        Ok(())
    }

    /// Returns the messages that rsyslog parsed, once there are `count`: its properties by their
    /// names, structured data under `$!.rfc5424-sd`.
    ///
    /// # Errors
    ///
    /// If they have not arrived within half a minute.
    pub fn received(&mut self, count: usize) -> Result<Vec<Value>> {
        self.wait("the messages", |home| {
            let text = std::fs::read_to_string(home.join("received")).ok()?;
            let whole = text.rsplit_once('\n')?.0;
            let read: Vec<Value> = whole
                .lines()
                .map(serde_json::from_str)
                .collect::<Result<_, _>>()
                .ok()?;
            (read.len() >= count).then_some(read)
        })
    }

    fn wait<T>(&mut self, what: &str, ready: impl Fn(&Path) -> Option<T>) -> Result<T> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(found) = ready(self.home.path()) {
                return Ok(found);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("rsyslog ended with {status}: {}", self.said());
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }

        bail!("rsyslog: no {what} within {PATIENCE:?}: {}", self.said())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.home.path().join("said")).unwrap_or_default()
    }
}

impl Drop for Rsyslog {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn configuration(home: &Path) -> String {
    let home = home.display();
    format!(
        r#"global(workDirectory="{home}" maxMessageSize="64k")
module(load="imtcp")
module(load="mmpstrucdata")
template(name="all" type="list") {{ property(name="jsonmesg") constant(value="\n") }}
ruleset(name="understood") {{
  action(type="mmpstrucdata" sd_name.lowercase="off")
  action(type="omfile" file="{home}/received" template="all")
}}
input(type="imtcp" port="0" address="127.0.0.1" listenPortFileName="{home}/port" ruleset="understood")
"#
    )
}
