//! A real PostgreSQL for tests: made in a temporary directory, reached over a socket in it, gone
//! afterwards.
//!
//! The programs are looked for in `REEVE_TEST_PG_BIN` (default `/usr/lib/postgresql/15/bin`).
//! PostgreSQL refuses to run as root: there it runs as `REEVE_TEST_PG_USER` (default `postgres`).
//! Where either is missing, [`Postgres::shared`] says why and gives nothing, and the test says that
//! it was skipped.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context as _, Result, bail};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tempfile::TempDir;

/// The superuser of the test server.
pub const USER: &str = "reeve";

/// Password of the server.
pub const PASSWORD: &str = "correct horse";

/// The server of this test program, as long as any test holds it.
static SERVER: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());

/// A running server. Stopped and removed when dropped, also when a test panics.
#[derive(Debug)]
pub struct Postgres {
    programs: Programs,
    directory: TempDir,
    databases: AtomicU32,
    /// Options of the server beside those that every test server has.
    options: Vec<String>,
    /// Port of the socket's name, and of TCP where the server listens.
    port: u16,
}

/// Folder of PostgreSQL's programs, and the user that they run as.
#[derive(Debug, Clone)]
struct Programs {
    bin: PathBuf,
    owner: Option<(u32, u32)>,
}

impl Postgres {
    /// The server that the tests of one program share; `None`, with the reason printed, where there
    /// is no PostgreSQL.
    ///
    /// # Errors
    /// PostgreSQL is installed and does not start.
    pub fn shared() -> Result<Option<Arc<Self>>> {
        let mut server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = server.upgrade() {
            return Ok(Some(running));
        }

        let Some(started) = Self::start()?.map(Arc::new) else {
            return Ok(None);
        };
        *server = Arc::downgrade(&started);
        Ok(Some(started))
    }

    /// A server of one's own, for tests that stop it.
    ///
    /// # Errors
    /// As [`Postgres::shared`].
    pub fn start() -> Result<Option<Self>> {
        Self::start_on(5_432, Vec::new())
    }

    /// A server of one's own with further options, such as `-c shared_preload_libraries=...`, that
    /// listens on a free port of 127.0.0.1 too.
    ///
    /// # Errors
    /// As [`Postgres::shared`].
    pub fn start_with(options: &[&str]) -> Result<Option<Self>> {
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?
            .local_addr()?
            .port();
        let listening = format!("-c listen_addresses=127.0.0.1 -c port={port}");
        let options = options.iter().map(|option| (*option).to_owned());
        Self::start_on(port, options.chain([listening]).collect())
    }

    /// Address of the server for clients that connect by TCP.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn start_on(port: u16, options: Vec<String>) -> Result<Option<Self>> {
        let programs = match Programs::find() {
            Ok(programs) => programs,
            Err(reason) => {
                eprintln!("skipped on PostgreSQL: {reason}");
                return Ok(None);
            }
        };

        let directory = tempfile::Builder::new().prefix("reeve-pg-").tempdir()?;
        let password = directory.path().join("password");
        std::fs::write(&password, PASSWORD)?;
        if let Some((user, group)) = programs.owner {
            std::os::unix::fs::chown(directory.path(), Some(user), Some(group))?;
            std::os::unix::fs::chown(&password, Some(user), Some(group))?;
        }

        let server = Postgres {
            programs,
            directory,
            databases: AtomicU32::new(0),
            options,
            port,
        };
        let data = server.data();
        server.run(
            "initdb",
            &[
                "--no-sync",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--username",
                USER,
                "--pwfile",
                text(&password)?,
                "--pgdata",
                text(&data)?,
            ],
        )?;

        server.resume()?;
        Ok(Some(server))
    }

    /// Starts the server again after [`Postgres::stop`]; returns once it answers.
    ///
    /// # Errors
    /// The server does not start.
    pub fn resume(&self) -> Result<()> {
        let options = format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c fsync=off -c full_page_writes=off \
             -c shared_buffers=16MB -c max_connections=60 -c logging_collector=off {}",
            text(self.directory.path())?,
            self.options.join(" ")
        );
        let log = self.directory.path().join("log");
        self.run(
            "pg_ctl",
            &[
                "start",
                "--wait",
                "--pgdata",
                text(&self.data())?,
                "--log",
                text(&log)?,
                "--options",
                &options,
            ],
        )
    }

    /// Stops the server at once; the data stays.
    ///
    /// # Errors
    /// The server is not running.
    pub fn stop(&self) -> Result<()> {
        self.run(
            "pg_ctl",
            &[
                "stop",
                "--wait",
                "--mode=immediate",
                "--pgdata",
                text(&self.data())?,
            ],
        )
    }

    /// Makes an empty database; gives its URL.
    ///
    /// # Errors
    /// The server did not answer.
    pub async fn database(&self) -> Result<String> {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut connection = self.connect("postgres").await?;
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(self.url(PASSWORD, &name))
    }

    /// A connection of one's own to a database.
    ///
    /// # Errors
    /// The server did not answer.
    pub async fn connect(&self, database: &str) -> Result<PgConnection> {
        let options = PgConnectOptions::new()
            .socket(self.directory.path())
            .port(self.port)
            .username(USER)
            .password(PASSWORD)
            .database(database);
        options
            .connect()
            .await
            .context("connecting to the test server")
    }

    /// Runs statements in the database of a URL that [`Postgres::database`] gave, as somebody who
    /// bypasses Reeve; how many rows.
    ///
    /// # Errors
    /// The server did not answer, or refused a statement.
    pub async fn execute(&self, url: &str, statements: &str) -> Result<u64> {
        let (_, name) = url
            .split_once("@localhost/")
            .context("not a URL of the test server")?;
        let mut connection = self.connect(name.split('?').next().unwrap_or(name)).await?;
        let done = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(done.rows_affected())
    }

    /// The texts of the first column that a query answers, in the database of a URL that
    /// [`Postgres::database`] gave.
    ///
    /// # Errors
    /// The server did not answer, or the column holds other values.
    pub async fn texts(&self, url: &str, query: &str) -> Result<Vec<String>> {
        let (_, name) = url
            .split_once("@localhost/")
            .context("not a URL of the test server")?;
        let mut connection = self.connect(name.split('?').next().unwrap_or(name)).await?;
        let texts = sqlx::query_scalar(AssertSqlSafe(query.to_owned()))
            .fetch_all(&mut connection)
            .await?;
        connection.close().await?;
        Ok(texts)
    }

    /// The URL of a database, with a password of one's choice.
    #[must_use]
    pub fn url(&self, password: &str, database: &str) -> String {
        let password = password.replace(' ', "%20");
        format!(
            "postgres://{USER}:{password}@localhost/{database}?host={}&port={}",
            self.directory.path().display(),
            self.port
        )
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new(self.programs.bin.join(program));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::null());

        // The server inherits what pg_ctl writes to: a pipe would stay open as long as the server
        // lives.
        let output = self.directory.path().join(format!("{program}.out"));
        let file = std::fs::File::create(&output)?;
        command
            .stdout(file.try_clone()?)
            .stderr(file)
            .env("LC_ALL", "C")
            .env_remove("PGDATA");

        if let Some((user, group)) = self.programs.owner {
            command.uid(user).gid(group);
        }

        let status = command
            .status()
            .with_context(|| format!("running {program}"))?;
        if !status.success() {
            let said = std::fs::read_to_string(&output).unwrap_or_default();
            let log =
                std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            bail!("{program} failed ({status}): {said}{log}");
        }

        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists()
            && let Err(error) = self.stop()
        {
            eprintln!("the test PostgreSQL did not stop: {error}");
        }
    }
}

impl Programs {
    fn find() -> Result<Self> {
        let bin = std::env::var_os("REEVE_TEST_PG_BIN")
            .map_or_else(|| "/usr/lib/postgresql/15/bin".into(), PathBuf::from);
        for program in ["initdb", "pg_ctl", "postgres"] {
            if !bin.join(program).is_file() {
                bail!("no {program} in {} (set REEVE_TEST_PG_BIN)", bin.display());
            }
        }

        let owner = if is_root()? { Some(account()?) } else { None };
        Ok(Programs { bin, owner })
    }
}

pub(crate) fn is_root() -> Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(std::fs::metadata("/proc/self")?.uid() == 0)
}

/// User and group id of the account that the server runs as.
fn account() -> Result<(u32, u32)> {
    let name = std::env::var("REEVE_TEST_PG_USER").unwrap_or_else(|_| "postgres".into());
    let accounts = std::fs::read_to_string("/etc/passwd")?;
    let fields = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields[0] == name);

    match fields.as_deref() {
        Some([_, _, user, group, ..]) => Ok((user.parse()?, group.parse()?)),
        _ => bail!(
            "PostgreSQL does not run as root, and there is no user {name} (set REEVE_TEST_PG_USER)"
        ),
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str()
        .context("a temporary directory whose path is not UTF-8")
}
