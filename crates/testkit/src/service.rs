//! The built programs as processes of their own: `reeve serve` or `reeve demo` on a free port, and
//! `reeve-verify`.
//!
//! The programs are `$REEVE_BIN` and `$REEVE_VERIFY_BIN`, else the ones beside the test's own
//! target folder; one that is missing is built. A service is killed when the test ends, however it
//! ends, and what it said is shown when the test failed. It gets none of the caller's `REEVE_`
//! variables, so that a developer's settings change no test.

use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::http::Api;

/// Time limit of the start.
const START: Duration = Duration::from_secs(120);

/// The administrator's token of a served data directory.
pub const ADMIN_TOKEN: &str = "the-first-administrator-of-the-tests";

/// The variable that lets a service reach emulators on this machine, which it refuses otherwise.
pub const EMULATORS: (&str, &str) = ("REEVE_OUTBOUND", r#"{ allow = ["127.0.0.0/8"] }"#);

/// A running `reeve`, killed when it is dropped.
#[derive(Debug)]
pub struct Service {
    child: Child,
    url: String,
    printed: Arc<Mutex<Vec<String>>>,
    said: Arc<Mutex<String>>,
}

impl Service {
    /// `reeve serve` over a data directory, with further variables.
    ///
    /// # Errors
    /// The process ended or did not print its address within two minutes; the message contains its
    /// output.
    pub fn serve(data_dir: &Path, variables: &[(&str, &str)]) -> Result<Service> {
        let mut command = program("reeve")?;
        command
            .arg("serve")
            .arg("--data-dir")
            .arg(data_dir)
            .args(["--listen", "127.0.0.1:0"]);

        command
            .env("REEVE_ADMIN_TOKEN", ADMIN_TOKEN)
            .envs(variables.iter().copied());
        Service::start(command)
    }

    /// `reeve serve` over a data directory, begun with a soft limit of open files.
    ///
    /// # Errors
    /// As [`Service::serve`].
    pub fn serve_with_open_files(data_dir: &Path, limit: usize) -> Result<Service> {
        let mut command = without_settings(Command::new("sh"));
        command
            .args(["-c", &format!("ulimit -S -n {limit} && exec \"$0\" \"$@\"")])
            .arg(path_of("reeve")?);
        command
            .arg("serve")
            .arg("--data-dir")
            .arg(data_dir)
            .args(["--listen", "127.0.0.1:0"]);
        command.env("REEVE_ADMIN_TOKEN", ADMIN_TOKEN);

        Service::start(command)
    }

    /// `reeve demo` over a data directory.
    ///
    /// # Errors
    /// As [`Service::serve`].
    pub fn demo(data_dir: &Path) -> Result<Service> {
        let mut command = program("reeve")?;
        command
            .arg("demo")
            .arg("--data-dir")
            .arg(data_dir)
            .args(["--listen", "127.0.0.1:0"]);
        command.env("REEVE_ADMIN_TOKEN", ADMIN_TOKEN);
        Service::start(command)
    }

    /// Runs a command that serves, and waits until it has printed its address.
    ///
    /// # Errors
    /// As [`Service::serve`].
    pub fn start(mut command: Command) -> Result<Service> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("starting {command:?}"))?;
        let (printed, said) = (Arc::default(), Arc::default());
        let lines = child.stdout.take().context("no standard output")?;
        let errors = child.stderr.take().context("no standard error")?;
        keep(errors, Arc::clone(&said));
        let first = lines_of(lines, Arc::clone(&printed));
        let mut service = Service {
            child,
            url: String::new(),
            printed,
            said,
        };

        let begun = Instant::now();
        loop {
            match first.recv_timeout(START.saturating_sub(begun.elapsed())) {
                Ok(line) => {
                    if let Some(url) = line.strip_prefix("Dashboard: ") {
                        service.url = url.trim().to_owned();
                        return Ok(service);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    bail!("no address within {START:?}; it said: {}", service.said())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = service.child.wait()?;
                    // The thread that reads standard error ends right after the process.
                    let ended = Instant::now();
                    while Arc::strong_count(&service.said) > 1
                        && ended.elapsed() < Duration::from_secs(5)
                    {
                        std::thread::yield_now();
                    }
                    bail!(
                        "it ended with {status} before it served; it said: {}",
                        service.said()
                    );
                }
            }
        }
    }

    /// Returns the address of the service, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A client that is nobody.
    #[must_use]
    pub fn nobody(&self) -> Api {
        Api::new(&self.url)
    }

    /// Returns the administrator's token.
    #[must_use]
    pub fn admin_token(&self) -> &'static str {
        ADMIN_TOKEN
    }

    /// Returns a client that is signed in as administrator.
    #[must_use]
    pub fn admin(&self) -> Api {
        Api::new(&self.url).with_token(ADMIN_TOKEN)
    }

    /// Returns the text behind a label on standard output (`Password`), waiting up to ten seconds
    /// for it.
    ///
    /// # Errors
    /// The line was not printed within ten seconds.
    pub fn printed(&self, label: &str) -> Result<String> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            let lines = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            let found = lines
                .iter()
                .find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
            if let Some(found) = found {
                return Ok(found.trim().to_owned());
            }
            drop(lines);
            std::thread::yield_now();
        }

        bail!("{label}: was not printed")
    }

    /// Returns the output on standard error so far.
    #[must_use]
    pub fn said(&self) -> String {
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Ends it as a service manager does; how it ended and how long that took.
    ///
    /// # Errors
    /// The process has not ended after thirty seconds.
    pub fn stop(mut self) -> Result<(ExitStatus, Duration)> {
        let begun = Instant::now();
        let id = self.child.id().to_string();
        Command::new("sh")
            .args(["-c", "kill -TERM \"$0\"", &id])
            .status()
            .context("sending SIGTERM")?;

        while begun.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, begun.elapsed()));
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }

        bail!(
            "it did not end within 30 seconds of SIGTERM; it said: {}",
            self.said()
        )
    }

    /// Stops it without ending it (SIGSTOP), as a machine that hangs does.
    ///
    /// # Errors
    /// The signal could not be sent.
    pub fn freeze(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// Lets it go on after [`Service::freeze`] (SIGCONT).
    ///
    /// # Errors
    /// The signal could not be sent.
    pub fn thaw(&self) -> Result<()> {
        self.signal("CONT")
    }

    fn signal(&self, name: &str) -> Result<()> {
        let command = format!("kill -{name} \"$0\"");
        if !Command::new("sh")
            .args(["-c", &command, &self.child.id().to_string()])
            .status()?
            .success()
        {
            bail!("SIG{name} could not be sent");
        }
        Ok(())
    }

    /// Returns the exit code once the process has ended by itself; `None` before that.
    ///
    /// # Errors
    /// The process cannot be asked, or a signal ended it.
    pub fn exit_code(&mut self) -> Result<Option<i32>> {
        match self.child.try_wait()? {
            None => Ok(None),
            Some(status) => Ok(Some(
                status
                    .code()
                    .with_context(|| format!("it ended with {status}"))?,
            )),
        }
    }

    /// Returns the resident memory of the process, bytes.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn resident_bytes(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .context("no VmRSS")?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kilobytes * 1024)
    }

    /// Returns `true` if the process has ended.
    ///
    /// # Errors
    /// The process cannot be asked.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Ends it as a power cut does.
    ///
    /// # Errors
    /// The process cannot be ended.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();

        if std::thread::panicking() {
            let said = self.said();
            let from = said.len().saturating_sub(4000);
            eprintln!(
                "the service said: {}",
                String::from_utf8_lossy(&said.as_bytes()[from..])
            );
        }
    }
}

fn keep(mut from: impl Read + Send + 'static, into: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut part) {
            into.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_str(&String::from_utf8_lossy(&part[..read]));
        }
    });
}

fn lines_of(from: impl Read + Send + 'static, into: Arc<Mutex<Vec<String>>>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            into.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line.clone());
            // Nobody listens once the address is known.
            sender.send(line).ok();
        }
    });

    receiver
}

/// Runs `reeve` with arguments to its end.
///
/// # Errors
/// The program cannot be started.
pub fn reeve(arguments: &[&str]) -> Result<Output> {
    program("reeve")?
        .args(arguments)
        .output()
        .context("running reeve")
}

/// A command that runs `reeve`, to be given its arguments, streams and variables.
///
/// # Errors
/// The program is missing and cannot be built.
pub fn reeve_command() -> Result<Command> {
    program("reeve")
}

/// A command that runs `reeve-verify`, to be given its arguments and variables.
///
/// # Errors
/// The program is missing and cannot be built.
pub fn verify_command() -> Result<Command> {
    program("reeve-verify")
}

/// Runs `reeve-verify` with arguments to its end: its exit code, and everything it wrote.
///
/// # Errors
/// The program cannot be started.
pub fn verify(arguments: &[&str]) -> Result<(Option<i32>, String)> {
    let output = program("reeve-verify")?
        .args(arguments)
        .output()
        .context("running reeve-verify")?;
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok((output.status.code(), text))
}

/// A command that runs one of the programs, without the caller's `REEVE_` variables.
fn program(name: &str) -> Result<Command> {
    Ok(without_settings(Command::new(path_of(name)?)))
}

fn path_of(name: &str) -> Result<PathBuf> {
    let variable = if name == "reeve" {
        "REEVE_BIN"
    } else {
        "REEVE_VERIFY_BIN"
    };
    match std::env::var_os(variable) {
        Some(path) => Ok(PathBuf::from(path)),
        None => built(name),
    }
}

fn without_settings(mut command: Command) -> Command {
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("REEVE_") {
            command.env_remove(key);
        }
    }
    command
}

/// Tests run in `target/<profile>/deps`; the programs lie one folder up.
fn built(name: &str) -> Result<PathBuf> {
    static BUILDING: Mutex<()> = Mutex::new(());

    let _one = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::env::current_exe()?;
    let folder = own
        .parent()
        .and_then(Path::parent)
        .context("the test lies in no target folder")?;
    let path = folder.join(name);

    if !path.exists() {
        let package = if name == "reeve" {
            "reeve-server"
        } else {
            "reeve-verify"
        };
        eprintln!("{} is missing: building {package}", path.display());
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
        let status = Command::new(cargo)
            .args(["build", "--quiet", "-p", package, "--manifest-path"])
            .arg(manifest)
            .status()
            .context("running cargo")?;
        if !status.success() || !path.exists() {
            bail!(
                "{} could not be built: run `cargo build -p {package}`, or set {variable}",
                path.display(),
                variable = if name == "reeve" {
                    "REEVE_BIN"
                } else {
                    "REEVE_VERIFY_BIN"
                }
            );
        }
    }

    Ok(path)
}
