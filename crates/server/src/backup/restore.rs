//! Restores a backup: into a folder beside the data directory, checked there, and given its name at
//! the very end.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use reeve_backup::BackupManifest;
use reeve_tlog::NoteVerifier;

use super::evidence::{self, BackupEvidence};
use super::keys::{self, KeySource};
use super::restored::Restored;
use super::tombstones::{self, LaterTombstone, RepeatedDeletions};
use super::verify::{Temporary, Trust, audit, beside, into_folder};
use super::{STATE, UNFINISHED};
use crate::account::Account;
use crate::config::Config;

/// Request to restore a backup.
pub(crate) struct Restore<'a> {
    pub(crate) file: &'a Path,
    /// Target: data directory, database and anchor.
    pub(crate) config: &'a Config,
    /// The log's verifier key, where it is known from elsewhere.
    pub(crate) public_key: Option<NoteVerifier>,
    /// Checkpoints that were kept elsewhere: name and content.
    pub(crate) checkpoints: Vec<(String, Vec<u8>)>,
    /// Anchors that were kept elsewhere.
    pub(crate) anchors: Vec<PathBuf>,
    pub(crate) keys: KeySource<'a>,
    /// File of tombstones: what was deleted after the backup is deleted again.
    pub(crate) tombstones: Option<&'a Path>,
    /// `true` if the person knows that entries are lost.
    pub(crate) accept_loss: bool,
}

/// Result of a restore.
pub(crate) enum RestoreOutcome {
    Done(Box<Done>),
    /// Nothing was done, and why.
    Refused(Vec<String>),
}

/// A data directory that was restored.
pub(crate) struct Done {
    /// Manifest of the backup.
    pub(crate) manifest: BackupManifest,
    /// The verifier key from now on; `None` without keys.
    pub(crate) public_key: Option<String>,
    /// Entries that are lost.
    pub(crate) lost_entries: u64,
    /// Deletions that were made again.
    pub(crate) repeated: RepeatedDeletions,
    /// Number of rows of the state.
    pub(crate) rows: u64,
}

impl Restore<'_> {
    /// Restores. Until the last step the data directory is not there.
    pub(crate) async fn run(self) -> Result<RestoreOutcome> {
        let target = &self.config.data_dir;
        empty(target)?;
        let parent = target
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        let folder = beside(target, "restore");
        let temporary = Temporary(folder.clone());
        let trust = Trust {
            key: self.public_key.as_ref(),
            accept_unsigned: self.config.accept_unsigned,
        };
        let checked = into_folder(self.file, &folder, |_| true, trust)?;
        if !checked.broken.is_empty() {
            return Ok(RestoreOutcome::Refused(checked.broken));
        }
        if let Some(reason) = checked
            .unattested
            .as_ref()
            .filter(|_| !self.config.accept_unsigned)
        {
            return Ok(RestoreOutcome::Refused(vec![reason.clone()]));
        }

        let manifest = checked
            .contents
            .manifest
            .context("the backup has no manifest")?;
        let backup = checked
            .contents
            .sha256
            .context("the backup has no digest")?;
        let evidence = self.evidence(&manifest.origin)?;
        let mut broken = Vec::new();
        audit(
            &folder,
            trust,
            evidence::within(&evidence, manifest.size),
            &manifest,
            &mut broken,
        )?;

        let later = evidence::beyond(&evidence, manifest.size);
        let lost_entries = later
            .iter()
            .map(|one| one.size - manifest.size)
            .max()
            .unwrap_or(0);

        if !broken.is_empty() {
            return Ok(RestoreOutcome::Refused(broken));
        }
        if lost_entries > 0 && !self.accept_loss {
            return Ok(RestoreOutcome::Refused(lost(
                &manifest,
                &later,
                lost_entries,
            )));
        }

        let later_tombstones = self.later_tombstones(&manifest)?;
        let has_keys = keys::install(
            &folder,
            manifest.keys,
            &manifest.origin,
            &manifest.public_key,
            self.keys,
        )?;

        let later_checkpoints = later
            .iter()
            .map(|one| one.note.clone().unwrap_or_else(|| one.to_string()))
            .collect();
        let restored = Restored {
            backup: backup.clone(),
            created_at: manifest.created_at.clone(),
            size: manifest.size,
            root: manifest.root.clone(),
            by: Account::current().to_string(),
            lost_entries,
            later_checkpoints,
            unattested: checked.unattested,
        };
        restored.leave(&folder)?;

        let (mut public_key, mut repeated) = (None, RepeatedDeletions::default());
        if has_keys {
            let (key, deletions) = self.settle(&folder, &later_tombstones).await?;
            (public_key, repeated) = (Some(key), deletions);
        } else if !later_tombstones.is_empty() {
            return Ok(RestoreOutcome::Refused(vec![format!(
                "{} deletions are newer than the backup, and without the log's key they cannot be made again",
                later_tombstones.len()
            )]));
        }

        let rows = self.state(&folder, &backup).await?;
        self.finish(&folder, target, parent)?;
        drop(temporary);

        Ok(RestoreOutcome::Done(Box::new(Done {
            manifest,
            public_key,
            lost_entries,
            repeated,
            rows,
        })))
    }

    fn evidence(&self, origin: &str) -> Result<Vec<BackupEvidence>> {
        let mut found = Vec::new();
        for (name, bytes) in &self.checkpoints {
            found.push(evidence::checkpoint(name, bytes, origin)?);
        }

        let configured = self.config.anchor.iter();
        for path in self.anchors.iter().chain(configured) {
            found.extend(evidence::anchor(path)?);
        }

        if let Some(path) = &self.config.publish.file
            && let Some(bytes) = read_if_there(path)?
        {
            found.push(evidence::checkpoint(
                &path.display().to_string(),
                &bytes,
                origin,
            )?);
        }

        Ok(found)
    }

    /// Deletions that the backup lacks.
    fn later_tombstones(&self, manifest: &BackupManifest) -> Result<Vec<LaterTombstone>> {
        let Some(path) = self.tombstones else {
            return Ok(Vec::new());
        };
        let key: NoteVerifier = manifest
            .public_key
            .parse()
            .context("the backup names no verifier key")?;
        tombstones::read(path, &key, manifest.size)
    }

    /// Opens the log once, which replaces its key and records the restore, and makes later
    /// deletions again; the new verifier key, and these deletions.
    async fn settle(
        &self,
        folder: &Path,
        later: &[LaterTombstone],
    ) -> Result<(String, RepeatedDeletions)> {
        let config = Config {
            data_dir: folder.to_owned(),
            anchor: None,
            ..self.config.clone()
        };

        let log = crate::service::open_restored(&config)
            .await
            .context("the restored log could not be opened")?;
        let key = log.ledger.verifier_key();
        let deleted = tombstones::apply(&log, later).await;
        log.ledger.close().await;

        let deletions = deleted.context("later deletions could not be made again")?;
        if deletions.lacks_identifiers {
            fs::remove_dir_all(folder.join("ledger").join("ids"))?;
        }
        Ok((key, deletions))
    }

    async fn state(&self, folder: &Path, backup: &str) -> Result<u64> {
        let file = folder.join(STATE);
        let url = match &self.config.state_url {
            Some(url) => url.clone(),
            None => format!(
                "sqlite://{}",
                folder.join("state").join("reeve.db").display()
            ),
        };

        let mut input = BufReader::with_capacity(
            1 << 18,
            File::open(&file).context("the backup has no state")?,
        );
        let rows = reeve_store::import(&url, backup, &mut input).await?;
        fs::remove_file(&file)?;

        Ok(rows)
    }

    /// Gives the folder its name. The anchor on another disk follows: until it does, a start is
    /// refused.
    fn finish(&self, folder: &Path, target: &Path, parent: &Path) -> Result<()> {
        fs::remove_file(folder.join(UNFINISHED))?;
        File::open(folder)?.sync_all()?;
        let anchor = fs::read(folder.join("anchor").join("head"))?;
        fs::rename(folder, target).with_context(|| {
            format!(
                "{} could not get its name; where it is a mount point, name a folder in it",
                target.display()
            )
        })?;

        File::open(parent)?.sync_all()?;
        if let Some(path) = &self.config.anchor {
            if let Some(kept) = read_if_there(path)? {
                let mut aside = path.clone().into_os_string();
                aside.push(".before-restore");
                fs::write(PathBuf::from(aside), kept)?;
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, anchor)?;
            File::open(path)?.sync_all()?;
        }

        Ok(())
    }
}

fn lost(manifest: &BackupManifest, later: &[BackupEvidence], count: u64) -> Vec<String> {
    let positions = later
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ");
    vec![
        format!(
            "the backup has {} entries, and the log had {} when it was last seen ({positions}): the entries {} to {} are not in it",
            manifest.size,
            manifest.size + count,
            manifest.size,
            manifest.size + count - 1
        ),
        "restore a later backup; if there is none and they are lost for good, --accept-loss restores this one and records the loss in the log"
            .to_owned(),
    ]
}

/// Refuses a directory in which anything is.
fn empty(dir: &Path) -> Result<()> {
    match fs::read_dir(dir) {
        Ok(mut items) => match items.next() {
            None => Ok(()),
            Some(_) => bail!(
                "{} is not empty: restore into a new directory",
                dir.display()
            ),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be used", dir.display())),
    }
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} could not be read", path.display())),
    }
}
