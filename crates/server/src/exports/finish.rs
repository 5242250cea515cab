//! The end of an export: hashes, the entry in the log, proof, manifest, delivery. Each step may be
//! done again after a crash.
//!
//! The finishing `audit.export` entry names the hashes of the files. Its own proof is in the
//! manifest, so that the manifest is believed because of the log and of nothing else.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::Duration;

use reeve_exports::manifest::{self, ExportEvidence};
use reeve_exports::{
    CarryError, DestinationSecret, Export, ExportDestination, ExportFile, ExportState, FailureCode,
    FileRole, LeafReader, digest,
};
use reeve_ledger::Ledger;
use reeve_tlog::{Checkpoint, MultiProofWriter, SignedNote};

use super::files::{LEAVES, blocking};
use super::{ExportRunner, Stop, failed, record, recurring};

/// Waits before further attempts to reach a destination.
const ATTEMPTS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

impl ExportRunner {
    pub(super) async fn finish(&self, export: &mut Export) -> Result<(), Stop> {
        let folder = self.folder(export);
        if export.finished_at.is_none() {
            export.files = self.entries(export).await?;
            // Kept before it is recorded: the entry must read the same when it is recorded again.
            export.finished_at = Some(self.context.now());
            self.keep(export).await?;
        }

        let entry = record::succeeded(self.log(), export)
            .await
            .map_err(Stop::Later)?;
        export.files.retain(|file| file.role == FileRole::Entries);
        let evidence = evidence(&self.ledger, &entry).await.map_err(Stop::Later)?;
        let proof = proof(&self.ledger, &folder, export, &evidence).await?;
        export.files.push(proof);
        let text = manifest::text(export, &evidence);
        let name = format!("{}.manifest.json", export.name);
        let path = folder.join(&name);
        let written = blocking(move || {
            let mut file = File::create(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            digest(&path)
        });
        let digest = written.await?;
        let (bytes, sha256) = (digest.bytes, digest.sha256);

        export.files.push(ExportFile {
            name,
            role: FileRole::Manifest,
            bytes,
            sha256,
            entries: 0,
        });

        self.deliver(export, &folder).await?;
        export.state = ExportState::Succeeded;
        export.expires_at = Some(self.context.now() + self.keep);
        self.keep(export).await?;

        recurring::covered(&self.context, export)
            .await
            .map_err(Stop::Later)
    }

    /// Files of entries with their hashes.
    async fn entries(&self, export: &Export) -> Result<Vec<ExportFile>, Stop> {
        let (folder, progress) = (self.folder(export), export.progress);
        let names: Vec<_> = (1..=progress.complete_files)
            .map(|number| export.file_name(number))
            .collect();
        let mut files = Vec::with_capacity(names.len());

        for name in names {
            let path = folder.join(&name);
            let found = blocking(move || digest(&path)).await?;
            let (bytes, sha256) = (found.bytes, found.sha256);
            files.push(ExportFile {
                name,
                role: FileRole::Entries,
                bytes,
                sha256,
                entries: 0,
            });
        }

        // All files but the last of several are full.
        let mut left = progress.entries;
        let full = if files.len() > 1 {
            super::files::PARQUET_ENTRIES
        } else {
            left
        };

        for file in &mut files {
            file.entries = left.min(full);
            left -= file.entries;
        }

        Ok(files)
    }

    /// Carries all files to the destination, the manifest last: where it stands, the export is
    /// whole.
    async fn deliver(&self, export: &mut Export, folder: &Path) -> Result<(), Stop> {
        let Some(id) = export.destination.clone() else {
            return Ok(());
        };

        let unreachable = |message: String| failed(FailureCode::DestinationUnreachable, message);
        let gone =
            |_| unreachable("The destination was removed. The files can be downloaded.".to_owned());
        let destination = self
            .context
            .exports
            .destination_get(&id)
            .await
            .map_err(gone)?;

        let secret = self
            .context
            .exports
            .destination_secret(&id)
            .await
            .map_err(gone)?;

        for file in &export.files {
            let path = folder.join(&file.name);
            match self.carry(&destination, &secret, &file.name, &path).await {
                Ok(address) => export.delivered_to = Some(address),
                Err(error) => {
                    let name = &destination.name;
                    record::delivery(self.log(), export, name, Some(&error.message))
                        .await
                        .map_err(Stop::Later)?;
                    let message = format!(
                        "The destination {name} is not reachable: {error}. The files can be downloaded; \
                         test the destination and export again."
                    );
                    self.keep(export).await?;
                    return Err(unreachable(message));
                }
            }
        }

        record::delivery(self.log(), export, &destination.name, None)
            .await
            .map_err(Stop::Later)
    }

    /// Carries one file, again where an error may pass.
    async fn carry(
        &self,
        destination: &ExportDestination,
        secret: &DestinationSecret,
        name: &str,
        path: &Path,
    ) -> Result<String, CarryError> {
        let mut waits = ATTEMPTS.iter();
        loop {
            match self
                .context
                .carrier
                .put(destination, secret, name, path)
                .await
            {
                Err(error) if !error.is_permanent => {
                    let Some(wait) = waits.next() else {
                        return Err(error);
                    };
                    tracing::warn!(destination = destination.name, file = name, %error, "a file is sent again");
                    tokio::time::sleep(*wait).await;
                }
                outcome => return outcome,
            }
        }
    }
}

/// Proof of an entry, with the checkpoint that it is proven under.
pub(crate) async fn evidence(
    ledger: &Ledger,
    entry: &reeve_ledger::StoredEntry,
) -> anyhow::Result<ExportEvidence> {
    let entry_proof = ledger.proof(entry).await?;
    let checkpoint = reeve_tlog::ProofFile::parse(entry_proof.as_bytes())?
        .checkpoint
        .to_string();
    Ok(ExportEvidence {
        checkpoint,
        entry_proof,
        log_key: ledger.verifier_key(),
    })
}

/// Writes the multi-proof of every entry.
async fn proof(
    ledger: &Ledger,
    folder: &Path,
    export: &Export,
    evidence: &ExportEvidence,
) -> Result<ExportFile, Stop> {
    let wrong = |error: &dyn std::fmt::Display| {
        Stop::Later(anyhow::anyhow!("the checkpoint cannot be read: {error}"))
    };
    let note = SignedNote::parse(evidence.checkpoint.as_bytes()).map_err(|error| wrong(&error))?;

    let size = Checkpoint::parse(note.text())
        .map_err(|error| wrong(&error))?
        .size;
    let name = format!("{}.proof", export.name);
    let (leaves, path) = (folder.join(LEAVES), folder.join(&name));
    let prover = ledger.multi_prover(size);
    let written = blocking(move || {
        let out = BufWriter::with_capacity(256 << 10, File::create(&path)?);
        let mut writer = MultiProofWriter::new(prover, out)?;
        for leaf in LeafReader::open(&leaves)? {
            let (sequence, hash) = leaf?;
            writer.leaf(sequence, &hash).map_err(io::Error::other)?;
        }
        let out = writer.finish().map_err(io::Error::other)?;
        out.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()?;
        digest(&path)
    });
    let found = written.await?;

    Ok(ExportFile {
        name,
        role: FileRole::Proof,
        bytes: found.bytes,
        sha256: found.sha256,
        entries: 0,
    })
}
