//! A real OpenSSH server that gives SFTP to the user of the tests by a key, in a folder of its own,
//! on a free port of this machine.
//!
//! The program is `$REEVE_TEST_SSHD`, else `/usr/sbin/sshd` (Debian's `openssh-server`). It signs
//! in only the user that runs it, which is all that one without privileges can do.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

/// Time limit of the start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running OpenSSH server, killed when it is dropped.
#[derive(Debug)]
pub struct Sshd {
    child: Child,
    home: TempDir,
    port: u16,
    username: String,
}

impl Sshd {
    /// Starts a server with a host key and a user's key of its own.
    ///
    /// # Errors
    /// The program is missing or does not listen within half a minute.
    pub fn start() -> Result<Sshd> {
        // Between finding a free port and binding it somebody else may take it; then another is
        // tried.
        for _ in 0..3 {
            let mut sshd = Sshd::spawn(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())?;
            if sshd.listens()? {
                return Ok(sshd);
            }
            let said = std::fs::read_to_string(sshd.home.path().join("said"))?;
            if !said.contains("Address already in use") {
                bail!("sshd ended: {said}");
            }
        }
        bail!("sshd found no free port")
    }

    fn spawn(port: u16) -> Result<Sshd> {
        let program = std::env::var_os("REEVE_TEST_SSHD").filter(|path| !path.is_empty());
        let program = program.map_or_else(|| "/usr/sbin/sshd".into(), PathBuf::from);
        let home = tempfile::tempdir()?;

        for key in ["host_key", "user_key"] {
            run(Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(home.path().join(key)))?;
        }

        std::fs::create_dir(home.path().join("files"))?;
        let username = run(Command::new("id").arg("-un"))?.trim().to_owned();

        if username == "root" {
            // Where a server of root puts processes without privileges; the package makes it at the
            // start of its service.
            std::fs::create_dir_all("/run/sshd")?;
        }

        let configuration = home.path().join("sshd_config");
        std::fs::write(&configuration, settings(home.path(), port))?;
        let said = std::fs::File::create(home.path().join("said"))?;
        let child = Command::new(&program)
            .args(["-D", "-e", "-f"])
            .arg(&configuration)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .with_context(|| {
                format!(
                    "cannot start {}; tools/setup test installs it",
                    program.display()
                )
            })?;

        Ok(Sshd {
            child,
            home,
            port,
            username,
        })
    }

    /// Returns the port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// User that may sign in.
    #[must_use]
    pub fn username(&self) -> &str {
        &self.username
    }

    /// Private key of the user.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn private_key(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.home.path().join("user_key"))?)
    }

    /// Fingerprint of the host key, as `ssh-keygen` prints it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn fingerprint(&self) -> Result<String> {
        let said = run(Command::new("ssh-keygen")
            .arg("-lf")
            .arg(self.home.path().join("host_key.pub")))?;
        let fingerprint = said
            .split_whitespace()
            .nth(1)
            .context("ssh-keygen prints no fingerprint")?;
        Ok(fingerprint.to_owned())
    }

    /// Folder that the user is put into.
    #[must_use]
    pub fn files(&self) -> PathBuf {
        self.home.path().join("files")
    }

    /// Waits until it listens; `false` when the process ended.
    fn listens(&mut self) -> Result<bool> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.child.try_wait()?.is_some() {
                return Ok(false);
            }
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return Ok(true);
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }

        bail!("sshd did not listen within {PATIENCE:?}")
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("running {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!(
            "{:?} ended with {}: {}",
            command.get_program(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }

    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn settings(home: &Path, port: u16) -> String {
    let home = home.display();
    format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host_key\nPidFile none\nUsePAM no\nStrictModes no\n\
         AuthorizedKeysFile {home}/user_key.pub\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin prohibit-password\nSubsystem sftp internal-sftp -d {home}/files\n"
    )
}
