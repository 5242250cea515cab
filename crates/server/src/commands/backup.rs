//! `reeve backup`: create, restore, verify. Progress and warnings go to stderr.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use futures::TryStreamExt as _;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use reeve_recommend::words::thousands;
use serde_json::json;
use tokio_util::io::{StreamReader, SyncIoBridge};

use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, Json, ResourceRef, events};
use reeve_backup::{ArchiveWriter, BackupManifest, Keys, Summary};
use reeve_ledger::{Ledger, OpenError};
use reeve_tlog::NoteVerifier;
use zeroize::Zeroizing;

use super::reading::refused;
use super::target::{Remote, Reply};
use crate::account::Account;
use crate::backup::create::{private_file, stage};
use crate::backup::keys::{KeyParts, KeySource};
use crate::backup::restore::{Restore, RestoreOutcome};
use crate::backup::verify::{Temporary, Trust, beside, into_folder, of_the_log};
use crate::cli::{
    BackupCommand, BackupCreateArgs, BackupRestoreArgs, BackupTombstonesArgs, BackupVerifyArgs,
    ServeArgs,
};
use crate::config::Config;
use crate::service::{open_log, open_store};

/// The passphrase, where no file is named.
const PASSPHRASE: &str = "REEVE_BACKUP_PASSPHRASE";

/// Runs one of them.
pub(super) async fn run(command: BackupCommand) -> Result<ExitCode> {
    match command {
        BackupCommand::Create(args) => create(&args).await,
        BackupCommand::Restore(args) => restore(&args).await,
        BackupCommand::Verify(args) => tokio::task::spawn_blocking(move || verify(&args)).await?,
        BackupCommand::Tombstones(args) => tombstones(&args).await,
    }
}

fn config(file: Option<&PathBuf>, data_dir: Option<&PathBuf>) -> Result<Config> {
    let (config, data_dir) = (file.cloned(), data_dir.cloned());
    Config::load(&ServeArgs {
        config,
        data_dir,
        listen: None,
        accept_unsigned: false,
    })
}

/// The first line of a file, or the environment's.
fn passphrase(file: Option<&Path>) -> Result<Option<Zeroizing<String>>> {
    let Some(path) = file else {
        return Ok(std::env::var(PASSPHRASE)
            .ok()
            .filter(|text| !text.is_empty())
            .map(Zeroizing::new));
    };

    let text = Zeroizing::new(
        fs::read_to_string(path)
            .with_context(|| format!("{} could not be read", path.display()))?,
    );
    let line = text.lines().next().unwrap_or_default().to_owned();
    if line.is_empty() {
        bail!("{} has no passphrase in its first line", path.display());
    }

    Ok(Some(Zeroizing::new(line)))
}

/// A file that gets its name when it is whole.
struct Target {
    file: PathBuf,
    part: PathBuf,
    done: bool,
}

impl Target {
    fn create(file: &Path) -> Result<(Target, BufWriter<File>)> {
        if file.exists() {
            bail!("{} already exists", file.display());
        }

        let part = beside(file, "part");
        let out =
            private_file(&part).with_context(|| format!("{} could not be made", part.display()))?;
        Ok((
            Target {
                file: file.to_owned(),
                part,
                done: false,
            },
            BufWriter::with_capacity(1 << 18, out),
        ))
    }

    fn finish(mut self, out: BufWriter<File>) -> Result<()> {
        let out = out
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        out.sync_all()?;
        fs::hard_link(&self.part, &self.file)
            .with_context(|| format!("{} could not be made", self.file.display()))?;
        fs::remove_file(&self.part)?;
        self.done = true;
        let parent = self
            .file
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));

        Ok(File::open(parent)?.sync_all()?)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.part);
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {bytes} read, {bytes_per_sec}, {elapsed}");
    ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

async fn create(args: &BackupCreateArgs) -> Result<ExitCode> {
    let passphrase = if args.without_keys {
        None
    } else {
        passphrase(args.passphrase_file.as_deref())?
    };

    let beside_data = args.data_dir.is_some() || args.config.is_some();
    let config = if beside_data {
        Some(config(args.config.as_ref(), args.data_dir.as_ref())?)
    } else {
        None
    };
    if let Some(config) = &config
        && !config.data_dir.join("ledger").is_dir()
    {
        bail!("{} holds no log", config.data_dir.display());
    }

    let (manifest, summary) = match &config {
        None => of_service(args, None, passphrase).await?,
        Some(config) => match open_log(config).await {
            Ok(log) => of_directory(args, config, log.ledger, passphrase).await?,
            Err(error) if is_locked(&error) && args.service.token.is_some() => {
                of_service(args, Some(config), passphrase).await?
            }
            Err(error) if is_locked(&error) => bail!(
                "a running service uses {}: give its address with --url and an administrator's token with --token (REEVE_URL, \
                 REEVE_TOKEN) beside --data-dir",
                config.data_dir.display()
            ),
            Err(error) => return Err(error.context("the log could not be opened")),
        },
    };

    tell(args, &manifest, &summary)?;
    Ok(ExitCode::SUCCESS)
}

fn is_locked(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| matches!(cause.downcast_ref(), Some(OpenError::Locked { .. })))
}

/// The keys that go into the file.
fn key_parts(
    args: &BackupCreateArgs,
    data_dir: &Path,
    (origin, public_key): (&str, &str),
    passphrase: Option<&str>,
) -> Result<KeyParts> {
    match args.without_keys {
        true => Ok(KeyParts::absent()),
        false => KeyParts::read(data_dir, origin, public_key, passphrase),
    }
}

/// A backup of a data directory that nobody else has open.
async fn of_directory(
    args: &BackupCreateArgs,
    config: &Config,
    ledger: Ledger,
    passphrase: Option<Zeroizing<String>>,
) -> Result<(BackupManifest, Summary)> {
    let (target, out) = Target::create(&args.file)?;
    let entry = Entry::for_event(&events::BACKUP)
        .by(Account::current().actor())
        .on(ResourceRef::new("backup", args.file.display().to_string()))
        .with_action("create_backup", ActionStatus::Success, ActionMethod::Cli)
        .with_metadata("place", args.file.display().to_string());
    let intent = entry.intent();
    let intent_id = intent.event_id.clone();
    record(&ledger, intent).await?;
    let made = async {
        let store = open_store(config).await?;
        let staged = stage(&config.data_dir, &ledger, &store).await;
        store.close().await;
        let staged = staged?;
        let names = (staged.origin(), staged.snapshot.public_key.as_str());
        let keys = key_parts(
            args,
            &config.data_dir,
            names,
            passphrase.as_deref().map(String::as_str),
        )?;
        let manifest = staged.manifest(keys.kind());
        let written = tokio::task::spawn_blocking(move || {
            let bar = bar();
            let written = staged.write(out, &keys, &|bytes| bar.inc(bytes));
            bar.finish_and_clear();
            written
        });
        let (out, summary) = written.await??;
        target.finish(out)?;
        anyhow::Ok((manifest, summary))
    }
    .await;
    let failure = made.as_ref().err().map(|error| format!("{error:#}"));

    let outcome = match &made {
        Ok((manifest, summary)) => entry.with_metadata("keys", words(manifest.keys)).with_metadata(
            "result",
            Json::from(json!({ "size": manifest.size, "bytes": summary.bytes, "sha256": summary.sha256 })),
        ),
        Err(_) => entry,
    };
    record(&ledger, outcome.outcome(&intent_id, failure.as_deref())).await?;

    ledger.close().await;
    made
}

async fn record(ledger: &Ledger, entry: Entry) -> Result<()> {
    let draft =
        Draft::by_reeve(entry, Timestamp::now()).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    ledger
        .append(vec![draft])
        .await
        .context("the backup could not be recorded")?;
    Ok(())
}

/// A backup of a running service, with the keys of its data directory where that is at hand.
async fn of_service(
    args: &BackupCreateArgs,
    config: Option<&Config>,
    passphrase: Option<Zeroizing<String>>,
) -> Result<(BackupManifest, Summary)> {
    let remote = Remote::new(&args.service)?;
    let (target, out) = Target::create(&args.file)?;
    let response = remote.response(remote.post("backups")).await?;

    if !response.status().is_success() {
        match remote.reply(response, 1 << 20).await? {
            Reply::Done(_) => bail!("{} sent an unexpected response", remote.base()),
            reply => bail!(refused(&remote, &reply)),
        }
    }

    let pieces = response.bytes_stream().map_err(std::io::Error::other);
    let stream = SyncIoBridge::new(StreamReader::new(pieces));
    let (args, data_dir) = (args.clone(), config.map(|config| config.data_dir.clone()));
    let written = tokio::task::spawn_blocking(move || {
        let bar = bar();
        let mut writer = ArchiveWriter::new(out)?;
        let contents = reeve_backup::read(bar.wrap_read(stream), &mut writer)?;
        bar.finish_and_clear();
        if let Some(flaw) = contents.flaws.first() {
            bail!("the backup was not received completely: {flaw}");
        }
        let manifest = contents.manifest.context("the backup has no manifest")?;
        let keys = match data_dir {
            Some(dir) => {
                let names = (manifest.origin.as_str(), manifest.public_key.as_str());
                key_parts(
                    &args,
                    &dir,
                    names,
                    passphrase.as_deref().map(String::as_str),
                )?
            }
            None => KeyParts::absent(),
        };
        keys.add(&mut writer)?;
        let manifest = BackupManifest {
            keys: keys.kind(),
            ..manifest
        };
        let (out, summary) = writer.finish(manifest.clone())?;
        target.finish(out)?;
        Ok((manifest, summary))
    });

    written.await?
}

fn words(keys: Keys) -> &'static str {
    match keys {
        Keys::Absent => "absent",
        Keys::Open => "open",
        Keys::Sealed => "sealed",
    }
}

fn tell(args: &BackupCreateArgs, manifest: &BackupManifest, summary: &Summary) -> Result<()> {
    let file = args.file.display();
    match manifest.keys {
        Keys::Open => eprintln!(
            "Warning: {file} holds the log's private key and the key of the stored credentials as they are. Whoever reads it can sign \
             as this log. Keep it as you keep the keys, or make it with --passphrase-file."
        ),
        Keys::Sealed => eprintln!(
            "The private keys in it are under the passphrase. Entries, samples, users and password hashes are not: keep it private."
        ),
        Keys::Absent => eprintln!(
            "The private keys are not in it: keep a copy of the service's keys folder apart. Without log.key the log can be read and \
             verified, and not continued."
        ),
    }

    let mut out = std::io::stdout();
    writeln!(
        out,
        "{file}: {} entries, {} parts, {}, SHA-256 {}",
        thousands(manifest.size),
        summary.parts,
        HumanBytes(summary.bytes),
        summary.sha256
    )?;

    Ok(())
}

/// A verifier key, or a file that holds one.
fn verifier(text: &str) -> Result<NoteVerifier> {
    let read = || {
        fs::read_to_string(text)
            .ok()
            .and_then(|text| text.trim().parse().ok())
    };
    text.trim().parse().ok().or_else(read).with_context(|| {
        format!("--public-key {text}: neither a verifier key nor a file that contains one")
    })
}

fn verify(args: &BackupVerifyArgs) -> Result<ExitCode> {
    let key = args.public_key.as_deref().map(verifier).transpose()?;
    let trust = Trust {
        key: key.as_ref(),
        accept_unsigned: args.accept_unsigned,
    };
    let folder = match &args.temp_dir {
        Some(dir) => beside(&dir.join("backup"), "verify"),
        None => beside(&args.file, "verify"),
    };
    let temporary = Temporary(folder.clone());
    let mut checked = into_folder(&args.file, &folder, of_the_log, trust)?;
    drop(temporary);
    let is_attested = checked.broken.is_empty() && checked.unattested.is_none();
    checked
        .broken
        .extend(checked.unattested.take().filter(|_| !args.accept_unsigned));
    let intact = checked.broken.is_empty();
    let manifest = checked.contents.manifest.as_ref();
    let mut out = std::io::stdout();

    if args.json {
        let summary = json!({
            "intact": intact,
            "attested": is_attested,
            "broken": checked.broken,
            "bytes": checked.contents.bytes,
            "sha256": checked.contents.sha256,
            "size": manifest.map(|manifest| manifest.size),
            "root": manifest.map(|manifest| manifest.root.clone()),
            "origin": manifest.map(|manifest| manifest.origin.clone()),
            "created_at": manifest.map(|manifest| manifest.created_at.clone()),
            "keys": manifest.map(|manifest| words(manifest.keys)),
            "parts": manifest.map(|manifest| manifest.parts.len()),
            "log": checked.report.as_ref().map(reeve_verify::Report::to_json),
        });
        writeln!(out, "{summary:#}")?;
    } else {
        for flaw in &checked.broken {
            writeln!(out, "BROKEN: {flaw}")?;
        }
        if let (true, Some(manifest)) = (intact, manifest) {
            writeln!(
                out,
                "intact: {} entries of {} as of {}, {} parts, keys {}",
                thousands(manifest.size),
                manifest.origin,
                manifest.created_at,
                manifest.parts.len(),
                words(manifest.keys)
            )?;
        }
    }

    Ok(if intact {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn restore(args: &BackupRestoreArgs) -> Result<ExitCode> {
    if args.data_dir.is_none() && args.config.is_none() {
        bail!("name the data directory to make with --data-dir, or --config");
    }

    let config = config(args.config.as_ref(), args.data_dir.as_ref())?;
    let config = Config {
        accept_unsigned: args.accept_unsigned,
        ..config
    };
    let passphrase = passphrase(args.passphrase_file.as_deref())?;
    let keys = match (&args.keys, args.without_keys) {
        (Some(folder), _) => KeySource::Folder(folder),
        (None, true) => KeySource::Nowhere,
        (None, false) => KeySource::Backup(passphrase.as_deref().map(String::as_str)),
    };

    let restore = Restore {
        file: &args.file,
        config: &config,
        public_key: args.public_key.as_deref().map(verifier).transpose()?,
        checkpoints: checkpoints(&args.checkpoint).await?,
        anchors: args.anchor.clone(),
        keys,
        tombstones: args.tombstones.as_deref(),
        accept_loss: args.accept_loss,
    };

    let done = match restore.run().await? {
        RestoreOutcome::Done(done) => done,
        RestoreOutcome::Refused(reasons) => {
            eprintln!("Nothing was restored:");
            reasons.iter().for_each(|reason| eprintln!("  {reason}"));
            return Ok(ExitCode::from(1));
        }
    };

    if done.lost_entries > 0 {
        eprintln!(
            "Warning: {} entries that the log had are lost. The log says so, and publishes nothing over what was published before.",
            thousands(done.lost_entries)
        );
    }

    if done.repeated.entries > 0 {
        eprintln!(
            "{} entries that were erased or expired after the backup were deleted again.",
            thousands(done.repeated.entries)
        );
    }
    for segment in &done.repeated.lost_segments {
        eprintln!(
            "Warning: {segment} is gone from its tier, and so is the file that an erasure replaced it by: its other entries are in a later backup alone."
        );
    }

    match &done.public_key {
        Some(key) => eprintln!(
            "The log continues under a new key; the old one is valid up to entry {}. Give the new one to witnesses:\n{key}",
            done.manifest.size
        ),
        None => eprintln!(
            "There are no keys: what was restored can be read and verified. With log.key in its keys folder the log can be continued."
        ),
    }

    let mut out = std::io::stdout();
    writeln!(
        out,
        "{}: {} entries as of {}, {} rows of state",
        config.data_dir.display(),
        thousands(done.manifest.size),
        done.manifest.created_at,
        thousands(done.rows)
    )?;

    Ok(ExitCode::SUCCESS)
}

/// Replaces a file by the proofs of all deletions.
async fn tombstones(args: &BackupTombstonesArgs) -> Result<ExitCode> {
    let remote = Remote::new(&args.service)?;
    let response = remote.response(remote.get("audit-logs/tombstones")).await?;
    if !response.status().is_success() {
        match remote.reply(response, 1 << 20).await? {
            Reply::Done(_) => bail!("{} sent an unexpected response", remote.base()),
            reply => bail!(refused(&remote, &reply)),
        }
    }
    let bytes = response.bytes().await?;
    let part = beside(&args.file, "part");
    let mut out =
        private_file(&part).with_context(|| format!("{} could not be made", part.display()))?;
    out.write_all(&bytes)?;
    out.sync_all()?;
    fs::rename(&part, &args.file)?;
    let count = bytes.iter().filter(|byte| **byte == b'\n').count();
    writeln!(
        std::io::stdout(),
        "{}: {count} tombstones",
        args.file.display()
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the checkpoints that were kept elsewhere.
async fn checkpoints(names: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut read = Vec::new();
    for name in names {
        let bytes = if name.starts_with("http://") || name.starts_with("https://") {
            let response = reqwest::get(name).await?.error_for_status()?;
            response
                .bytes()
                .await
                .with_context(|| format!("{name} could not be read"))?
                .to_vec()
        } else {
            fs::read(name).with_context(|| format!("{name} could not be read"))?
        };
        read.push((name.clone(), bytes));
    }

    Ok(read)
}
