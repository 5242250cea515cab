//! Checks a backup: every byte of the file, every part, and the log within it as the offline
//! auditor does.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use reeve_backup::{ATTESTED_AS, BackupManifest, Contents, Folder, PartName};
use reeve_tlog::{Attestation, Hash, NoteVerifier};
use reeve_verify::{DirectoryOptions, KeptCheckpoint, Progress, Report, verify_directory};

/// A folder that goes when it is dropped.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}

/// Trust of whoever checks a backup.
#[derive(Clone, Copy)]
pub(crate) struct Trust<'a> {
    /// The log's verifier key, where it is known from elsewhere.
    pub(crate) key: Option<&'a NoteVerifier>,
    /// `true` to take a log of a version that signed neither its manifest nor its anchor.
    pub(crate) accept_unsigned: bool,
}

/// Result of verifying a backup.
pub(crate) struct Checked {
    /// Manifest of the file.
    pub(crate) contents: Contents,
    /// Findings of the auditor in the log; `None` if the file itself is not sound.
    pub(crate) report: Option<Report>,
    /// Everything that does not hold, in words.
    pub(crate) broken: Vec<String>,
    /// Reason not to trust a manifest that nobody signed; `None` if the log's key attested it.
    pub(crate) unattested: Option<String>,
}

/// Reads a backup into a new folder and checks it.
pub(crate) fn into_folder(
    file: &Path,
    folder: &Path,
    wanted: fn(&PartName) -> bool,
    trust: Trust<'_>,
) -> Result<Checked> {
    let input =
        File::open(file).with_context(|| format!("{} could not be read", file.display()))?;
    let mut sink = Folder::create(folder, wanted)
        .with_context(|| format!("{} could not be made", folder.display()))?;

    // Before anything else is in it, so that nothing starts on what is not whole.
    File::create(folder.join(super::UNFINISHED))?.sync_all()?;
    let contents = reeve_backup::read(input, &mut sink)
        .with_context(|| format!("writing to {}", folder.display()))?;
    let broken = contents.flaws.iter().map(ToString::to_string).collect();
    let mut checked = Checked {
        broken,
        contents,
        report: None,
        unattested: None,
    };

    if let (true, Some(manifest)) = (checked.broken.is_empty(), &checked.contents.manifest) {
        let report = audit(folder, trust, Vec::new(), manifest, &mut checked.broken)?;
        checked.report = Some(report);
        match &manifest.attestation {
            None => checked.unattested = Some(unattested(manifest)),
            Some(attestation) => checked
                .broken
                .extend(changed(folder, manifest, attestation)),
        }
    }

    Ok(checked)
}

/// Reason not to trust a manifest that nobody signed.
fn unattested(manifest: &BackupManifest) -> String {
    format!(
        "the log's key did not sign the backup's manifest (made by {}): users, roles and tokens in it may have been changed by anybody who could write the file. If you trust where it was kept, --accept-unsigned takes it",
        manifest.program
    )
}

/// Checks that the log's key attested the manifest, and with it every part that is not a private
/// key; the reason if it attested another.
///
/// Without it, whoever can write to a backup could add an administrator to its state, and every
/// SHA-256 would be right.
fn changed(folder: &Path, manifest: &BackupManifest, attestation: &str) -> Option<String> {
    let check = || -> Result<()> {
        let (keys, digest) = (
            reeve_ledger::keys::epochs(folder)?,
            manifest.attested_digest()?,
        );
        let (origin, file) = (manifest.origin.clone(), ATTESTED_AS.to_owned());
        let expected = Attestation {
            origin,
            file,
            size: manifest.size,
            digest: Hash(digest),
        };
        Ok(expected.check(attestation.as_bytes(), &keys)?)
    };
    check().err().map(|error| {
        format!("the backup was changed after it was made: the log's key signed another manifest ({error:#}). Use another backup")
    })
}

/// Runs the offline auditor over the log in a folder.
pub(crate) fn audit(
    folder: &Path,
    trust: Trust<'_>,
    checkpoints: Vec<KeptCheckpoint>,
    manifest: &BackupManifest,
    broken: &mut Vec<String>,
) -> Result<Report> {
    let Trust {
        key,
        accept_unsigned,
    } = trust;
    let options = DirectoryOptions {
        public_key: key.cloned(),
        checkpoints,
        accept_unsigned,
        ..DirectoryOptions::default()
    };
    let report = verify_directory(folder, &options, &Progress::bar())?;
    broken.extend(report.findings.iter().map(ToString::to_string));

    let root = report.root.map(|root| root.to_string());
    if report.size != manifest.size || root.as_deref() != Some(&manifest.root) {
        broken.push(format!(
            "the manifest says {} entries with the root {}, and the log in it has {} with {}",
            manifest.size,
            manifest.root,
            report.size,
            root.unwrap_or_else(|| "no root that can be known".to_owned())
        ));
    }

    Ok(report)
}

/// Parts that the auditor reads.
pub(crate) fn of_the_log(name: &PartName) -> bool {
    matches!(name.folder(), "ledger" | "anchor") || name.as_str().starts_with("lake/entries/")
}

/// A name beside a path that nothing has.
pub(crate) fn beside(path: &Path, what: &str) -> PathBuf {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!(".{name}.{what}-{}", uuid::Uuid::now_v7().simple()))
}
