//! Object storage as peers: versitygw for S3, which checks signatures; Azurite for Azure Blob,
//! which checks Shared Key; fake-gcs-server for Google Cloud Storage, which takes any credentials.
//! Each is a process on a free port with nothing in it, gone with the value.
//!
//! Programs: `$REEVE_TEST_VERSITYGW`, `$REEVE_TEST_AZURITE`, `$REEVE_TEST_FAKE_GCS`, else those
//! that `tools/setup test` puts into `.build/peers` and `tests/peers`.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Access key of the S3 peer.
pub const S3_KEY: (&str, &str) = ("REEVETESTKEY", "the-secret-key-of-the-s3-peer");
/// Account of the Azure peer, with the key that Azurite documents.
pub const AZURE_KEY: (&str, &str) = (
    "devstoreaccount1",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
);
/// SAS token of that account until 2099, signed with its documented key: reads and makes
/// containers.
pub const AZURE_SAS: &str = "sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01T00%3A00%3A00Z&spr=https%2Chttp&sig=jlSI%2B5DohmjtlB2oCr2Vhd9u7l%2F%2FvB9E8D7vhfmKGX4%3D";

/// Kind of an object storage service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Amazon S3, played by versitygw.
    S3,
    /// Azure Blob Storage, played by Azurite.
    Azure,
    /// Google Cloud Storage, played by fake-gcs-server.
    Gcs,
}

/// A running service with one bucket or container, `archive`.
#[derive(Debug)]
pub struct Storage {
    kind: Kind,
    child: Child,
    home: TempDir,
    port: u16,
    http: reqwest::Client,
}

/// Name of the bucket or container.
pub const BUCKET: &str = "archive";

impl Storage {
    /// Starts a service.
    ///
    /// # Errors
    /// The program is missing or does not answer within 60 seconds.
    pub async fn start(kind: Kind) -> Result<Storage> {
        // Between finding a free port and binding it somebody else may take it; then another is
        // tried.
        for _ in 0..3 {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let home = tempfile::tempdir()?;
            let mut command = command(kind, port, home.path());
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let child = command.spawn().with_context(|| {
                format!(
                    "cannot start {:?}; tools/setup test installs it",
                    command.get_program()
                )
            })?;
            let http = reqwest::Client::builder().no_proxy().build()?;
            let mut storage = Storage {
                kind,
                child,
                home,
                port,
                http,
            };
            if storage.answers().await? {
                storage.make_bucket().await?;
                return Ok(storage);
            }
        }
        bail!("the {kind:?} peer ended three times before it answered")
    }

    /// Returns the port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns every object that a reader of the bucket sees, by name.
    ///
    /// # Errors
    /// The service did not answer.
    pub async fn objects(&self) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut objects = BTreeMap::new();
        match self.kind {
            // What versitygw serves are the files of a folder; unfinished uploads lie below
            // `.sgwtmp`.
            Kind::S3 => files(&self.home.path().join(BUCKET), "", &mut objects)?,
            Kind::Azure => {
                let list = self
                    .text(&format!(
                        "{}?restype=container&comp=list&{AZURE_SAS}",
                        self.azure()
                    ))
                    .await?;
                for name in list
                    .split("<Name>")
                    .skip(1)
                    .filter_map(|part| part.split("</Name>").next())
                {
                    let address = format!("{}/{name}?{AZURE_SAS}", self.azure());
                    let bytes = self
                        .http
                        .get(address)
                        .send()
                        .await?
                        .error_for_status()?
                        .bytes()
                        .await?;
                    objects.insert(name.to_owned(), bytes.to_vec());
                }
            }
            Kind::Gcs => {
                let base = format!("http://127.0.0.1:{}/storage/v1/b/{BUCKET}/o", self.port);
                let list: Value = serde_json::from_str(&self.text(&base).await?)?;
                for name in list["items"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|item| item["name"].as_str())
                {
                    let address = format!("{base}/{}?alt=media", name.replace('/', "%2F"));
                    let bytes = self
                        .http
                        .get(address)
                        .send()
                        .await?
                        .error_for_status()?
                        .bytes()
                        .await?;
                    objects.insert(name.to_owned(), bytes.to_vec());
                }
            }
        }

        Ok(objects)
    }

    fn azure(&self) -> String {
        format!("http://127.0.0.1:{}/{}/{BUCKET}", self.port, AZURE_KEY.0)
    }

    async fn text(&self, address: &str) -> Result<String> {
        Ok(self
            .http
            .get(address)
            .send()
            .await?
            .error_for_status()?
            .text()
            .await?)
    }

    /// Waits for the first answer, whatever it is; `false` when the process ended.
    async fn answers(&mut self) -> Result<bool> {
        let url = format!("http://127.0.0.1:{}/", self.port);
        let waiting = async {
            let mut pause = tokio::time::interval(Duration::from_millis(50));
            loop {
                pause.tick().await;
                if self.child.try_wait()?.is_some() {
                    return Ok(false);
                }
                if self.http.get(&url).send().await.is_ok() {
                    return Ok(true);
                }
            }
        };

        let kind = self.kind;
        let late = || format!("the {kind:?} peer did not answer within 60 seconds");
        tokio::time::timeout(Duration::from_secs(60), waiting)
            .await
            .with_context(late)?
    }

    async fn make_bucket(&self) -> Result<()> {
        let request = match self.kind {
            Kind::S3 => {
                std::fs::create_dir(self.home.path().join(BUCKET))?;
                return Ok(());
            }
            Kind::Azure => self
                .http
                .put(format!("{}?restype=container&{AZURE_SAS}", self.azure()))
                .body(""),
            Kind::Gcs => {
                let address = format!("http://127.0.0.1:{}/storage/v1/b?project=test", self.port);
                self.http.post(address).json(&json!({ "name": BUCKET }))
            }
        };
        let answer = request.send().await?;
        let status = answer.status();

        if !status.is_success() {
            bail!(
                "the {:?} peer made no bucket: {status} {}",
                self.kind,
                answer.text().await?
            );
        }

        Ok(())
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn command(kind: Kind, port: u16, home: &Path) -> Command {
    match kind {
        Kind::S3 => {
            let mut command =
                Command::new(program("REEVE_TEST_VERSITYGW", ".build/peers/versitygw"));
            command
                .env("ROOT_ACCESS_KEY", S3_KEY.0)
                .env("ROOT_SECRET_KEY", S3_KEY.1);
            command
                .args(["--port", &format!("127.0.0.1:{port}"), "posix"])
                .arg(home);
            command
        }
        Kind::Azure => {
            let azurite = program(
                "REEVE_TEST_AZURITE",
                "tests/peers/node_modules/.bin/azurite-blob",
            );
            let mut command = Command::new(azurite);
            command.args([
                "--inMemoryPersistence",
                "--skipApiVersionCheck",
                "--disableTelemetry",
                "--silent",
            ]);
            command
                .args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()])
                .current_dir(home);
            command
        }
        Kind::Gcs => {
            let mut command = Command::new(program(
                "REEVE_TEST_FAKE_GCS",
                ".build/peers/fake-gcs-server",
            ));
            command.args([
                "-scheme",
                "http",
                "-host",
                "127.0.0.1",
                "-port",
                &port.to_string(),
                "-backend",
                "memory",
            ]);
            command.current_dir(home);
            command
        }
    }
}

fn program(variable: &str, installed: &str) -> PathBuf {
    let named = std::env::var_os(variable).filter(|path| !path.is_empty());
    named.map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(installed)
        },
        PathBuf::from,
    )
}

/// Adds the files below a folder by their paths in it.
fn files(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for item in std::fs::read_dir(folder)? {
        let item = item?;
        let name = item.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}/{name}")
        };
        if item.file_type()?.is_dir() {
            if name != ".sgwtmp" {
                files(&item.path(), &path, found)?;
            }
        } else {
            found.insert(path, std::fs::read(item.path())?);
        }
    }
    Ok(())
}
