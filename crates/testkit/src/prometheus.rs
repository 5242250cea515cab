//! A real Prometheus server on a free port of this machine, with the configuration and the past
//! that a test gives it.
//!
//! The programs are `$REEVE_TEST_PROMETHEUS` and the `promtool` beside it, else those on the path
//! (Debian's `prometheus`).

use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

/// Time limit of the start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A series of the past: name with labels, and (seconds since the epoch, value).
pub type Past = (String, Vec<(i64, f64)>);

/// A running Prometheus, killed when it is dropped.
#[derive(Debug)]
pub struct Prometheus {
    child: Child,
    home: TempDir,
    port: u16,
}

impl Prometheus {
    /// Starts a server with a configuration file (YAML) over series of the past.
    ///
    /// # Errors
    /// The program is missing, refuses the configuration, or is not ready within a minute.
    pub fn start(configuration: &str, past: &[Past]) -> Result<Prometheus> {
        Prometheus::start_guarded(configuration, past, None)
    }

    /// Starts a server whose web configuration (YAML) asks for a user name and a password.
    ///
    /// # Errors
    /// The program is missing, refuses a configuration, or is not ready within a minute.
    pub fn start_guarded(
        configuration: &str,
        past: &[Past],
        web: Option<&str>,
    ) -> Result<Prometheus> {
        for _ in 0..3 {
            let home = tempfile::tempdir()?;
            std::fs::write(home.path().join("prometheus.yml"), configuration)?;
            if !past.is_empty() {
                backfill(home.path(), past)?;
            }
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let web_file = home.path().join("web.yml");
            let web = web.map(|web| std::fs::write(&web_file, web)).transpose()?;
            let web = web.map(|()| format!("--web.config.file={}", web_file.display()));
            let said = std::fs::File::create(home.path().join("said"))?;
            let child = Command::new(program("prometheus"))
                .arg(format!(
                    "--config.file={}",
                    home.path().join("prometheus.yml").display()
                ))
                .arg(format!(
                    "--storage.tsdb.path={}",
                    home.path().join("data").display()
                ))
                .arg(format!("--web.listen-address=127.0.0.1:{port}"))
                .args([
                    "--storage.tsdb.retention.time=90d",
                    "--storage.remote.flush-deadline=1s",
                    // The past ends before the test begins, which may take minutes on a busy machine.
                    "--query.lookback-delta=30m",
                ])
                .args(web)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(said)
                .spawn()
                .context("cannot start prometheus; tools/setup test installs it")?;
            let mut server = Prometheus { child, home, port };
            if server.is_ready()? {
                return Ok(server);
            }
            let said = server.said()?;
            // Between finding a free port and binding it somebody else may take it; then another is
            // tried.
            if !said.contains("address already in use") {
                bail!("prometheus ended: {said}");
            }
        }
        bail!("prometheus found no free port")
    }

    /// Address of the server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns what the server said.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn said(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.home.path().join("said"))?)
    }

    /// Waits until it answers queries; `false` when the process ended.
    fn is_ready(&mut self) -> Result<bool> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.child.try_wait()?.is_some() {
                return Ok(false);
            }
            if self.said()?.contains("Server is ready")
                && TcpStream::connect(("127.0.0.1", self.port)).is_ok()
            {
                return Ok(true);
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }

        bail!(
            "prometheus was not ready within {PATIENCE:?}: {}",
            self.said()?
        )
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn program(name: &str) -> PathBuf {
    let given = std::env::var_os("REEVE_TEST_PROMETHEUS")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    match given {
        Some(path) if name == "prometheus" => path,
        Some(path) => path.with_file_name(name),
        None => PathBuf::from(name),
    }
}

/// Writes the past as blocks, as an operator does who moves to Prometheus.
fn backfill(home: &Path, past: &[Past]) -> Result<()> {
    let mut text = String::new();
    for (series, points) in past {
        let name = series.split('{').next().unwrap_or(series);
        // Families of OpenMetrics are named without the suffix of counters; untyped series need no
        // family.
        writeln!(text, "# TYPE {name} unknown")?;
        for (second, value) in points {
            writeln!(text, "{series} {value} {second}")?;
        }
    }

    text.push_str("# EOF\n");
    let file = home.join("past.om");
    std::fs::write(&file, text)?;
    let data = home.join("data");
    std::fs::create_dir_all(&data)?;
    let output = Command::new(program("promtool"))
        .args(["tsdb", "create-blocks-from", "openmetrics", "--quiet"])
        // The file is read once for each block, and blocks would span two hours.
        .arg("--max-block-duration=720h")
        .arg(&file)
        .arg(&data)
        .output()
        .context("cannot start promtool; tools/setup test installs it")?;

    if !output.status.success() {
        bail!(
            "promtool: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    Ok(())
}
