//! The manifest of an export (`NAME.manifest.json`): its files against their hashes, its entries against the tree, and the manifest
//! itself against the log, offline and in constant memory. Layout: `docs/formats/export.md`.
//!
//! The manifest is not signed. It is believed because it carries the proof of the `audit.export` entry that Reeve wrote when the export
//! was complete, and because that entry says the same as the manifest.

mod manifest;
mod rows;

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use reeve_tlog::{Checkpoint, Epochs, Hash, MultiProofReadError, MultiProofReader};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::error::with_causes;
use crate::error::{CannotVerify, is_absence};
use crate::kept::{self, Witnesses};
use crate::proof::verify_proof;

pub(crate) use manifest::is_manifest;
use manifest::{Format, Listed, Manifest};

/// Largest number of faults listed; further ones are counted.
const TOLD: usize = 100;
const BUFFER: usize = 256 << 10;

/// Outcome of checking an export.
#[derive(Debug)]
pub struct ExportReport {
    /// Name of the log.
    pub origin: String,
    /// Identifier of the export.
    pub export: String,
    /// Format of the files.
    pub format: String,
    /// Entries proven to be in the log.
    pub entries: u64,
    /// Size of the tree that proves it.
    pub size: u64,
    /// Root of that tree.
    pub root: Hash,
    /// Faults, at most 100.
    pub faults: Vec<String>,
    /// Number of faults.
    pub faults_total: u64,
    /// Checks that this format does not allow, and other remarks.
    pub not_checked: Vec<String>,
}

impl ExportReport {
    fn fault(&mut self, message: impl Into<String>) {
        self.faults_total += 1;
        if self.faults.len() < TOLD {
            self.faults.push(message.into());
        }
    }

    /// Returns `true` if everything that was checked holds.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.faults_total == 0
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "intact": self.is_intact(),
            "export": self.export,
            "format": self.format,
            "entries": self.entries,
            "tree": { "origin": self.origin, "size": self.size, "root": self.root.to_string() },
            "faults": self.faults,
            "faults_total": self.faults_total,
            "not_checked": self.not_checked,
        })
    }
}

impl std::fmt::Display for ExportReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_intact() {
            writeln!(f, "intact: export {} holds {} entries of {}", self.export, self.entries, self.origin)?;
        } else {
            writeln!(f, "BROKEN: export {} of {}: {} faults", self.export, self.origin, self.faults_total)?;
            self.faults.iter().try_for_each(|fault| writeln!(f, "  {fault}"))?;
        }
        writeln!(f, "  format       {}", self.format)?;
        writeln!(f, "  in the tree  {} entries, root {}", self.size, self.root)?;
        self.not_checked.iter().try_for_each(|message| writeln!(f, "  not checked  {message}"))
    }
}

/// Verifies an export by its manifest; the files lie beside it.
///
/// # Errors
/// No verdict was possible.
pub fn verify_export(path: &Path, keys: &Epochs, witnesses: &Witnesses) -> Result<ExportReport, CannotVerify> {
    let manifest = Manifest::read(path)?;
    let mut report = ExportReport {
        origin: String::new(),
        export: manifest.id.clone(),
        format: manifest.format.name().to_owned(),
        entries: 0,
        size: 0,
        root: Hash::ZERO,
        faults: Vec::new(),
        faults_total: 0,
        not_checked: Vec::new(),
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let Some(checkpoint) = evidence(&manifest, keys, witnesses, &mut report)? else { return Ok(report) };
    (report.origin, report.size, report.root) = (checkpoint.origin.clone(), checkpoint.size, checkpoint.root);
    for file in manifest.files.iter().chain([&manifest.proof]) {
        check_hash(folder, file, &mut report)?;
    }
    if report.is_intact() {
        check_entries(folder, &manifest, &checkpoint, &mut report)?;
    }
    Ok(report)
}

/// Checks the finishing entry, and that it says what the manifest says. Returns the checkpoint that vouches for both.
fn evidence(
    manifest: &Manifest,
    keys: &Epochs,
    witnesses: &Witnesses,
    report: &mut ExportReport,
) -> Result<Option<Checkpoint>, CannotVerify> {
    let proven = match verify_proof(manifest.entry_proof.as_bytes(), keys)? {
        Ok(proven) => proven,
        Err(fault) => {
            report.fault(format!("the proof of the audit.export entry is invalid: {}", with_causes(&fault)));
            return Ok(None);
        }
    };
    if let Err(message) = kept::count(&proven.note, witnesses) {
        report.fault(message);
    }
    let entry: Value = serde_json::from_slice(&proven.entry.to_canonical()).unwrap_or_default();
    for (pointer, expected) in [
        ("/event_type", "audit.export"),
        ("/action/status", "success"),
        ("/submitted_by/type", "reeve"),
        ("/resource/id", manifest.id.as_str()),
    ] {
        if entry.pointer(pointer).and_then(Value::as_str) != Some(expected) {
            report.fault(format!("the proven entry is not the one of this export: {pointer} is not {expected}"));
        }
    }
    if entry.pointer("/metadata/export") != Some(&manifest.export) {
        report.fault("the manifest's member \"export\" is not what the audit.export entry of the log says");
    }
    if manifest.checkpoint != proven.note.to_string() {
        report.fault("the manifest's checkpoint is not the one that its entry is proven under");
    }
    Ok(Some(proven.checkpoint))
}

fn check_hash(folder: &Path, listed: &Listed, report: &mut ExportReport) -> Result<(), CannotVerify> {
    let path = folder.join(&listed.name);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => {
            report.fault(format!("{} is missing", listed.name));
            return Ok(());
        }
        Err(error) => return Err(CannotVerify::unreadable(&path)(error)),
    };
    let (mut sha256, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER]);
    loop {
        match file.read(&mut buffer).map_err(CannotVerify::unreadable(&path))? {
            0 => break,
            count => {
                sha256.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
    if bytes != listed.bytes {
        report.fault(format!("{} has {bytes} bytes and not {}", listed.name, listed.bytes));
    } else if hex::encode(sha256.finalize()) != listed.sha256 {
        report.fault(format!("{} was changed: its SHA-256 differs from the export's", listed.name));
    }
    Ok(())
}

/// Leaves of the proof, one after another, held against the rows.
pub(crate) struct Leaves {
    proof: MultiProofReader<BufReader<File>>,
    count: u64,
    span: Option<(u64, u64)>,
}

impl Leaves {
    fn next(&mut self) -> Result<Option<(u64, Hash)>, MultiProofReadError> {
        let leaf = self.proof.leaf()?;
        if let Some((sequence, _)) = leaf {
            self.count += 1;
            self.span = Some((self.span.map_or(sequence, |(first, _)| first), sequence));
        }
        Ok(leaf)
    }
}

fn check_entries(
    folder: &Path,
    manifest: &Manifest,
    checkpoint: &Checkpoint,
    report: &mut ExportReport,
) -> Result<(), CannotVerify> {
    let path = folder.join(&manifest.proof.name);
    let file = File::open(&path).map_err(CannotVerify::unreadable(&path))?;
    let proof = match MultiProofReader::new(checkpoint.size, BufReader::with_capacity(BUFFER, file)) {
        Ok(proof) => proof,
        Err(error) => {
            report.fault(format!("{}: {}", manifest.proof.name, with_causes(&error)));
            return Ok(());
        }
    };
    let mut leaves = Leaves { proof, count: 0, span: None };
    let outcome = match manifest.format {
        Format::Json => rows::json(folder, manifest, &mut leaves, report)?,
        Format::Parquet => rows::parquet(folder, manifest, &mut leaves, report)?,
        Format::Lossy(_) => {
            report.not_checked.push(
                "the rows against the tree: this format does not carry the bytes that were hashed. The files are the ones that Reeve \
                 wrote (by the hashes in its audit.export entry), and their entries are in the log (by the proof); export JSON or \
                 Parquet to hash each entry again"
                    .to_owned(),
            );
            Ok(())
        }
    };
    if let Err(message) = outcome {
        report.fault(message);
        return Ok(());
    }
    let mut extra = 0;
    loop {
        match leaves.next() {
            Ok(Some(_)) => extra += 1,
            Ok(None) => break,
            Err(error) => {
                report.fault(format!("{}: {}", manifest.proof.name, with_causes(&error)));
                return Ok(());
            }
        }
    }
    if extra > 0 && !matches!(manifest.format, Format::Lossy(_)) {
        report.fault(format!("the proof has {extra} entries that the files do not have"));
    }
    if leaves.count != manifest.entries || leaves.span != manifest.span {
        report.fault("the proof is not about as many entries, or not from the first to the last, as the manifest says");
    }
    report.entries = leaves.count;
    if let Err(error) = leaves.proof.finish(&checkpoint.root) {
        report.fault(format!("the entries are not proven to be in the log: {}", with_causes(&error)));
    }
    Ok(())
}
