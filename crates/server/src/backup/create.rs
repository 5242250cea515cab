//! Makes a backup: links to the files that never change, open handles on those that grow, and a
//! copy of the state, all taken within moments; then written at leisure.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;

use reeve_audit::format_instant;
use reeve_backup::{ATTESTED_AS, ArchiveWriter, BackupManifest, Keys, PartName, Summary, VERSION};
use reeve_ledger::{Attestor, Ledger, Snapshot};
use reeve_store::Store;

use super::STATE;
use super::keys::KeyParts;

/// Folder in the data directory for what backups under way hold.
const STAGING: &str = "backups-under-way";
/// Folders whose files are put there once and never changed.
const SAMPLES: [&str; 2] = ["lake/samples", "lake/maxima"];
/// Folders that people put files into.
const GIVEN: [&str; 2] = ["charges", "threat-lists"];

/// A backup that is taken and not written yet.
pub(crate) struct Staged {
    held: Held,
    pub(crate) snapshot: Snapshot,
    /// Files, by the name they have in the backup.
    files: Vec<(PartName, PathBuf)>,
    schema: i64,
    created_at: Timestamp,
    origin: String,
    attestor: Attestor,
}

/// A folder of links that goes when it is dropped.
struct Held(PathBuf);

impl Drop for Held {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "what a backup held could not be removed; the next start does");
        }
    }
}

/// Removes what backups that were interrupted held. Only for whoever has the log open.
pub(crate) fn clear(data_dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(data_dir.join(STAGING)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Takes state, log and samples as they are now.
pub(crate) async fn stage(data_dir: &Path, ledger: &Ledger, store: &Store) -> Result<Staged> {
    let created_at = Timestamp::now();
    let folder = data_dir
        .join(STAGING)
        .join(uuid::Uuid::now_v7().to_string());
    crate::private::make(&folder)?;
    let held = Held(folder.clone());
    let state = folder.join("state.jsonl");
    let mut out = BufWriter::with_capacity(1 << 18, private_file(&state)?);
    store
        .export(&mut out)
        .await
        .context("the state could not be copied")?;
    out.flush()?;
    let snapshot = {
        let (from, to) = (data_dir.to_owned(), folder.clone());
        let hold = move |segments: &[reeve_ledger::SegmentMeta]| {
            segments
                .iter()
                .try_for_each(|segment| link(&from, &to, &segment.path))
        };
        ledger
            .snapshot(hold)
            .await
            .context("the log could not be copied")?
    };

    let attestor = ledger.attestor();
    if attestor.public_key() != snapshot.public_key {
        anyhow::bail!("the log's key was replaced in this moment; make the backup again");
    }

    let mut files: Vec<(PartName, PathBuf)> = Vec::new();
    for segment in snapshot.segments.iter() {
        files.push((PartName::parse(&segment.path)?, folder.join(&segment.path)));
    }

    let (from, to) = (data_dir.to_owned(), folder.clone());
    files.extend(tokio::task::spawn_blocking(move || samples(&from, &to)).await??);

    for given in GIVEN {
        files.extend(found(data_dir, given)?.into_iter().filter_map(|name| {
            let path = data_dir.join(&name);
            match PartName::parse(&name) {
                Ok(part) => Some((part, path)),
                Err(error) => {
                    tracing::warn!(%error, "left out of the backup");
                    None
                }
            }
        }));
    }

    files.push((PartName::parse(STATE)?, state));
    let origin = snapshot.note.lines().next().unwrap_or_default().to_owned();
    Ok(Staged {
        held,
        snapshot,
        files,
        schema: store.schema(),
        created_at,
        origin,
        attestor,
    })
}

impl Staged {
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The manifest, without its parts.
    pub(crate) fn manifest(&self, keys: Keys) -> BackupManifest {
        BackupManifest {
            version: VERSION,
            created_at: format_instant(self.created_at),
            program: format!("reeve {}", env!("CARGO_PKG_VERSION")),
            origin: self.origin.clone(),
            size: self.snapshot.size,
            root: self.snapshot.root.to_string(),
            checkpoint: self.snapshot.note.clone(),
            public_key: self.snapshot.public_key.clone(),
            keys,
            state_schema: Some(self.schema),
            parts: Vec::new(),
            attestation: None,
        }
    }

    /// Writes the archive; `told` hears of the bytes of each part. Blocks.
    pub(crate) fn write<W: Write>(
        self,
        out: W,
        keys: &KeyParts,
        progress: &dyn Fn(u64),
    ) -> io::Result<(W, Summary)> {
        let mut writer = ArchiveWriter::new(out)?;
        for file in &self.snapshot.files {
            let name = PartName::parse(&file.path).map_err(io::Error::other)?;
            writer.add(&name, file.bytes, file.reader())?;
            progress(file.bytes);
        }

        for (name, path) in &self.files {
            let file = File::open(path)
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
            let bytes = file.metadata()?.len();
            writer.add(name, bytes, file)?;
            progress(bytes);
        }

        keys.add(&mut writer)?;
        let manifest = self.manifest(keys.kind());
        let attest = |manifest: &BackupManifest| {
            let digest = manifest.attested_digest().map_err(io::Error::other)?;
            self.attestor
                .attest(ATTESTED_AS, manifest.size, digest)
                .map(Some)
                .map_err(io::Error::other)
        };
        let written = writer.finish_with(manifest, attest)?;

        drop(self.held);
        Ok(written)
    }
}

/// Holds on to the samples. A merge may remove files between listing and linking; what it made of
/// them is in the next listing.
fn samples(data_dir: &Path, folder: &Path) -> io::Result<Vec<(PartName, PathBuf)>> {
    let mut held = std::collections::BTreeSet::new();
    loop {
        let (mut fresh, mut lost) = (false, false);
        for name in SAMPLES
            .iter()
            .map(|folder| found(data_dir, folder))
            .collect::<io::Result<Vec<_>>>()?
            .concat()
        {
            if held.contains(&name) || !name.ends_with(".parquet") {
                continue;
            }
            match link(data_dir, folder, &name) {
                Ok(()) => {
                    held.insert(name);
                    fresh = true;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => lost = true,
                Err(error) => return Err(error),
            }
        }
        if !lost || !fresh {
            break;
        }
    }

    let named = held.into_iter().map(|name| {
        Ok((
            PartName::parse(&name).map_err(io::Error::other)?,
            folder.join(&name),
        ))
    });

    named.collect()
}

/// The regular files below a folder of the data directory, by their paths in it, sorted.
fn found(data_dir: &Path, folder: &str) -> io::Result<Vec<String>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let items = match fs::read_dir(data_dir.join(&folder)) {
            Ok(items) => items,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for item in items {
            let item = item?;
            let Some(name) = item
                .file_name()
                .to_str()
                .map(|name| format!("{folder}/{name}"))
            else {
                continue;
            };
            let kind = item.file_type()?;
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                files.push(name);
            }
        }
    }

    files.sort_unstable();
    Ok(files)
}

/// Links a file that never changes, or copies it where the file system has no links.
fn link(data_dir: &Path, folder: &Path, name: &str) -> io::Result<()> {
    let (from, to) = (data_dir.join(name), folder.join(name));
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::hard_link(&from, &to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => fs::copy(&from, &to).map(drop),
        linked => linked,
    }
}

/// A new file for its owner alone.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}
