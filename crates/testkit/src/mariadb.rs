//! A real MariaDB for tests: made in a temporary directory, reached over a socket in it, gone
//! afterwards.
//!
//! The program is `REEVE_TEST_MARIADBD` (default `/usr/sbin/mariadbd`). Where it is missing,
//! [`Mariadb::start`] says why and gives nothing, and the test says that it was skipped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tempfile::TempDir;

const USER: &str = "reeve";
const PASSWORD: &str = "battery-staple";
/// Longest wait for the server's first answer.
const START: Duration = Duration::from_secs(60);

/// A running server with `performance_schema`. Stopped and removed when dropped.
#[derive(Debug)]
pub struct Mariadb {
    server: Child,
    directory: TempDir,
}

impl Mariadb {
    /// Starts a server of one's own; `None`, with the reason printed, where there is no MariaDB.
    ///
    /// # Errors
    /// MariaDB is installed and does not start.
    pub async fn start() -> Result<Option<Self>> {
        let program = std::env::var_os("REEVE_TEST_MARIADBD")
            .filter(|path| !path.is_empty())
            .map_or_else(|| "/usr/sbin/mariadbd".into(), PathBuf::from);
        if !program.is_file() {
            eprintln!("skipped on MariaDB: no {}", program.display());
            return Ok(None);
        }

        let directory = tempfile::Builder::new()
            .prefix("reeve-mariadb-")
            .tempdir()?;
        bootstrap(&program, directory.path())?;
        let grants = directory.path().join("grants.sql");
        let text = format!(
            "CREATE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON *.* TO {USER}@localhost WITH GRANT OPTION;\n"
        );
        std::fs::write(&grants, text)?;
        let server = command(&program, directory.path())
            .args(["--performance-schema=ON", "--skip-networking"])
            .arg(format!("--socket={}", socket(directory.path()).display()))
            .arg(format!(
                "--pid-file={}",
                directory.path().join("pid").display()
            ))
            .arg(format!("--init-file={}", grants.display()))
            .spawn()
            .context("starting mariadbd")?;

        let running = Mariadb { server, directory };
        running.answered().await?;
        Ok(Some(running))
    }

    /// Makes an empty database; gives its URL.
    ///
    /// # Errors
    /// The server did not answer.
    pub async fn database(&self, name: &str) -> Result<String> {
        self.execute("", &format!("CREATE DATABASE {name}")).await?;
        Ok(self.url(USER, PASSWORD, name))
    }

    /// The URL of a database for a user.
    #[must_use]
    pub fn url(&self, user: &str, password: &str, database: &str) -> String {
        let socket = socket(self.directory.path());
        format!(
            "mysql://{user}:{password}@localhost/{database}?socket={}",
            socket.display()
        )
    }

    /// Executes statements in a database.
    ///
    /// # Errors
    /// The server did not answer, or refused a statement.
    pub async fn execute(&self, database: &str, statements: &str) -> Result<()> {
        let mut connection = self.connect(database).await?;
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(())
    }

    async fn connect(&self, database: &str) -> Result<MySqlConnection, sqlx::Error> {
        let options = MySqlConnectOptions::new()
            .socket(socket(self.directory.path()))
            .username(USER)
            .password(PASSWORD);
        let options = match database {
            "" => options,
            name => options.database(name),
        };
        options.connect().await
    }

    async fn answered(&self) -> Result<()> {
        let deadline = Instant::now() + START;
        loop {
            match self.connect("").await {
                Ok(connection) => return Ok(connection.close().await?),
                Err(error) if Instant::now() > deadline => {
                    let log = std::fs::read_to_string(self.directory.path().join("log"));
                    bail!(
                        "mariadbd does not answer: {error}\n{}",
                        log.unwrap_or_default()
                    );
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

impl Drop for Mariadb {
    fn drop(&mut self) {
        if let Err(error) = self.server.kill().and_then(|()| self.server.wait()) {
            eprintln!("the test MariaDB did not stop: {error}");
        }
    }
}

fn socket(directory: &Path) -> PathBuf {
    directory.join("socket")
}

/// Folder of the messages and scripts that belong to a program.
fn share(program: &Path) -> Result<PathBuf> {
    let root = program.parent().and_then(Path::parent);
    Ok(root.context("a program in a folder")?.join("share/mysql"))
}

fn command(program: &Path, directory: &Path) -> Command {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(directory.join("log"));
    let mut command = Command::new(program);
    command
        .args([
            "--no-defaults",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=64M",
        ])
        .arg(format!("--datadir={}", directory.join("data").display()))
        .arg(format!("--tmpdir={}", directory.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.map_or_else(|_| Stdio::null(), Stdio::from));
    if let Ok(share) = share(program) {
        command
            .arg(format!("--lc-messages-dir={}", share.display()))
            .arg(format!(
                "--character-sets-dir={}",
                share.join("charsets").display()
            ));
    }
    // The program refuses to run as root unless that is asked for.
    if crate::postgres::is_root().unwrap_or_default() {
        command.arg("--user=root");
    }
    command
}

/// Makes the system tables by the scripts that come with the program.
fn bootstrap(program: &Path, directory: &Path) -> Result<()> {
    let share = share(program)?;
    let mut script = "CREATE DATABASE mysql;\nUSE mysql;\n".to_owned();
    for name in [
        "mysql_system_tables.sql",
        "mysql_performance_tables.sql",
        "mysql_system_tables_data.sql",
    ] {
        let text = std::fs::read_to_string(share.join(name));
        script.push_str(&text.with_context(|| format!("{name} in {}", share.display()))?);
    }
    let file = directory.join("bootstrap.sql");
    std::fs::write(&file, script)?;
    std::fs::create_dir(directory.join("data"))?;

    let status = command(program, directory)
        .arg("--bootstrap")
        .stdin(std::fs::File::open(&file)?)
        .status()
        .context("running mariadbd --bootstrap")?;
    if !status.success() {
        let log = std::fs::read_to_string(directory.join("log")).unwrap_or_default();
        bail!("mariadbd --bootstrap failed ({status}): {log}");
    }
    Ok(())
}
