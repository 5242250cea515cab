//! A PostgreSQL of the benchmark's own: made in its folder, durable as it is by default, gone
//! afterwards.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Executor as _};

/// The superuser of the server.
const USER: &str = "bench";

/// A running server. Stopped and removed when dropped.
pub(crate) struct Server {
    bin: PathBuf,
    owner: Option<(u32, u32)>,
    home: PathBuf,
    shared_mib: u64,
}

impl Server {
    /// Makes and starts one below `dir`.
    pub(crate) fn start(dir: &Path) -> Result<Self> {
        let bin = programs()?;
        let owner = if fs::metadata("/proc/self")?.uid() == 0 {
            Some(account("postgres")?)
        } else {
            None
        };

        let home = dir.join("postgres");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home)?;
        let home = home.canonicalize()?;
        if let Some((user, group)) = owner {
            std::os::unix::fs::chown(&home, Some(user), Some(group))?;
        }

        // A quarter of the memory, as the manual has it, and never more than 4 GiB.
        let meminfo = fs::read_to_string("/proc/meminfo")?;
        let kib: u64 = meminfo
            .split_whitespace()
            .nth(1)
            .context("/proc/meminfo has no total")?
            .parse()?;

        let server = Self {
            bin,
            owner,
            home,
            shared_mib: (kib / 1024 / 4).min(4_096),
        };
        let data = server.data();

        server.run(
            "initdb",
            &[
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--username",
                USER,
                "--pgdata",
                &data,
            ],
        )?;

        server.resume()?;
        Ok(server)
    }

    /// The settings that are not PostgreSQL's defaults, and those that durability rests on.
    pub(crate) fn settings(&self) -> String {
        format!(
            "fsync = on, synchronous_commit = on, full_page_writes = on, shared_buffers = {}MB, effective_cache_size = {}MB, maintenance_work_mem = 512MB, work_mem = 64MB, max_wal_size = 8GB, checkpoint_timeout = 15min, wal_compression = lz4, random_page_cost = 1.1; all else as it comes",
            self.shared_mib,
            self.shared_mib * 3
        )
    }

    fn resume(&self) -> Result<()> {
        let mut options = format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c max_connections=100",
            self.home.display()
        );
        for setting in self
            .settings()
            .trim_end_matches("; all else as it comes")
            .split(", ")
        {
            options += &format!(" -c {}", setting.replace(" = ", "="));
        }

        let log = self.home.join("log");
        self.run(
            "pg_ctl",
            &[
                "start",
                "--wait",
                "--timeout=900",
                "--pgdata",
                &self.data(),
                "--log",
                &log.to_string_lossy(),
                "--options",
                &options,
            ],
        )
    }

    /// Stops the server as a crash does and starts it; the time from the start until `answers`
    /// does.
    pub(crate) fn kill_and_start(&self, answers: impl Fn() -> Result<()>) -> Result<Duration> {
        self.run(
            "pg_ctl",
            &[
                "stop",
                "--wait",
                "--mode=immediate",
                "--pgdata",
                &self.data(),
            ],
        )?;

        let begun = Instant::now();
        self.resume()?;
        answers()?;

        Ok(begun.elapsed())
    }

    /// Opens a connection to the benchmark's database.
    pub(crate) async fn connect(&self) -> Result<PgConnection> {
        let options = PgConnectOptions::new()
            .socket(&self.home)
            .username(USER)
            .database("postgres");
        options
            .disable_statement_logging()
            .connect()
            .await
            .context("connecting to PostgreSQL")
    }

    /// The address of its database, as the service takes it.
    pub(crate) fn url(&self) -> String {
        format!(
            "postgres://{USER}@localhost/postgres?host={}",
            self.home.display()
        )
    }

    /// Runs statements without parameters.
    pub(crate) async fn execute(&self, sql: &str) -> Result<()> {
        let mut connection = self.connect().await?;
        connection
            .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())))
            .await
            .with_context(|| sql.to_owned())?;
        Ok(())
    }

    /// The path of one of its programs.
    pub(crate) fn program(&self, name: &str) -> String {
        self.bin.join(name).to_string_lossy().into_owned()
    }

    fn data(&self) -> String {
        self.home.join("data").to_string_lossy().into_owned()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let output = self.home.join(format!("{program}.out"));
        let file = fs::File::create(&output)?;
        let mut command = Command::new(self.bin.join(program));
        command
            .args(arguments)
            .current_dir(&self.home)
            .stdin(Stdio::null());
        command
            .stdout(file.try_clone()?)
            .stderr(file)
            .env("LC_ALL", "C")
            .env_remove("PGDATA");

        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }

        let status = command
            .status()
            .with_context(|| format!("running {program}"))?;
        if !status.success() {
            let said = fs::read_to_string(&output).unwrap_or_default();
            let log = fs::read_to_string(self.home.join("log")).unwrap_or_default();
            bail!("{program} failed ({status}): {said}{log}");
        }

        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail when it never ran.
        let _ = self.run(
            "pg_ctl",
            &[
                "stop",
                "--wait",
                "--mode=immediate",
                "--pgdata",
                &self.data(),
            ],
        );
        let _ = fs::remove_dir_all(&self.home);
    }
}

/// `REEVE_TEST_PG_BIN`, else version 15 as Debian has it, else the newest that is there.
fn programs() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("REEVE_TEST_PG_BIN") {
        return Ok(PathBuf::from(given));
    }

    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .context("no PostgreSQL in /usr/lib/postgresql (set REEVE_TEST_PG_BIN)")?
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|bin| bin.join("initdb").is_file())
        .collect();
    found.sort();
    let fifteen = found.iter().find(|bin| bin.ends_with("15/bin")).cloned();

    fifteen
        .or_else(|| found.pop())
        .context("no PostgreSQL server found (set REEVE_TEST_PG_BIN)")
}

/// User and group id of an account: PostgreSQL refuses to run as root.
fn account(name: &str) -> Result<(u32, u32)> {
    let accounts = fs::read_to_string("/etc/passwd")?;
    let fields = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields[0] == name);
    match fields.as_deref() {
        Some([_, _, user, group, ..]) => Ok((user.parse()?, group.parse()?)),
        _ => bail!("PostgreSQL does not run as root, and there is no user {name}"),
    }
}
