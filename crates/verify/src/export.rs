//! The manifest of an export (`NAME.manifest.json`): its files against their hashes, its entries
//! against the tree, and the manifest itself against the log, offline and in constant memory.
//! Layout: `docs/formats/export.md`.
//!
//! The manifest is not signed. It is believed because it carries the proof of the `audit.export`
//! entry that Reeve wrote when the export was complete, and because that entry says the same as the
//! manifest.

mod manifest;
mod rows;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use reeve_tlog::{Checkpoint, Epochs, Hash, MultiProofReadError, MultiProofReader};

use crate::attested::{ManifestReport, check_hash, check_statement};
use crate::error::{CannotVerify, Stop, with_causes};
use crate::kept::Witnesses;

use manifest::{ExportManifest, ManifestFormat};

const BUFFER: usize = 256 << 10;

/// Verifies an export by its manifest; the files lie beside it.
///
/// # Errors
/// No verdict was possible.
pub fn verify_export(
    path: &Path,
    keys: &Epochs,
    witnesses: &Witnesses,
) -> Result<ManifestReport, CannotVerify> {
    let manifest = ExportManifest::read(path)?;
    let mut report = ManifestReport::new("export", &manifest.statement.id, manifest.format.name());
    let folder = path.parent().unwrap_or(Path::new("."));
    let Some(checkpoint) = check_statement(&manifest.statement, keys, witnesses, &mut report)?
    else {
        return Ok(report);
    };

    for file in manifest.files.iter().chain([&manifest.proof]) {
        check_hash(folder, file, &mut report)?;
    }

    if report.is_intact() {
        check_entries(folder, &manifest, &checkpoint, &mut report)?;
    }

    Ok(report)
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
    manifest: &ExportManifest,
    checkpoint: &Checkpoint,
    report: &mut ManifestReport,
) -> Result<(), CannotVerify> {
    let path = folder.join(&manifest.proof.name);
    let file = File::open(&path).map_err(CannotVerify::unreadable(&path))?;
    let proof = match MultiProofReader::new(checkpoint.size, BufReader::with_capacity(BUFFER, file))
    {
        Ok(proof) => proof,
        Err(error) => {
            report.fault(format!("{}: {}", manifest.proof.name, with_causes(&error)));
            return Ok(());
        }
    };

    let mut leaves = Leaves {
        proof,
        count: 0,
        span: None,
    };

    let outcome = match manifest.format {
        ManifestFormat::Json => rows::json(folder, manifest, &mut leaves, report),
        ManifestFormat::Parquet => rows::parquet(folder, manifest, &mut leaves, report),
        ManifestFormat::Lossy(_) => {
            report.not_checked.push(
                "the rows against the tree: this format does not carry the bytes that were hashed. The files are the ones that Reeve \
                 wrote (by the hashes in its audit.export entry), and their entries are in the log (by the proof); export JSON or \
                 Parquet to hash each entry again"
                    .to_owned(),
            );
            Ok(())
        }
    };

    if let Some(fault) = Stop::fault_of(outcome)? {
        report.fault(with_causes(&fault));
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

    if extra > 0 && !matches!(manifest.format, ManifestFormat::Lossy(_)) {
        report.fault(format!(
            "the proof has {extra} entries that the files do not have"
        ));
    }

    if leaves.count != manifest.entries || leaves.span != manifest.span {
        report.fault("the proof is not about as many entries, or not from the first to the last, as the manifest says");
    }

    report.entries = leaves.count;
    if let Err(error) = leaves.proof.finish(&checkpoint.root) {
        report.fault(format!(
            "the entries are not proven to be in the log: {}",
            with_causes(&error)
        ));
    }

    Ok(())
}
