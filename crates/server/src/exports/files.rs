//! Files of an export under way: entries in the format, and the leaves that its proof is made of.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::format::{EntryView, FormatError, Integrity, Written};
use reeve_exports::{Export, ExportProgress, LeafFile, TextFile};
use reeve_lake::EntryFile;
use reeve_ledger::{StoredEntry, Stretch};
use tokio::task::spawn_blocking;

/// Name of the file of leaves.
pub(super) const LEAVES: &str = "leaves";
/// Entries of one Parquet file: what is written anew after a crash at most.
pub(super) const PARQUET_ENTRIES: u64 = 1_000_000;

/// Reason why entries were not written.
pub(super) enum WriteError {
    /// Writing to the disk failed.
    Io(io::Error),
    /// The export would be larger than it may be, at an entry of this time.
    Limit {
        /// Time of the first entry that did not fit.
        at: Timestamp,
    },
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

enum Body {
    Text(TextFile),
    /// `None` between two files.
    Parquet(Option<Box<EntryFile>>),
}

/// Writes entries, and knows where whole records end on disk.
pub(super) struct ExportFiles {
    folder: PathBuf,
    export: Export,
    body: Body,
    leaves: LeafFile,
    progress: ExportProgress,
    limit: u64,
}

impl ExportFiles {
    /// Begins the files of an export, or continues with them where its progress says.
    pub(super) async fn open(
        folder: &Path,
        export: &Export,
        limit: u64,
    ) -> io::Result<ExportFiles> {
        let (folder, export) = (folder.to_owned(), export.clone());
        blocking(move || ExportFiles::open_now(folder, export, limit)).await
    }

    fn open_now(folder: PathBuf, export: Export, limit: u64) -> io::Result<ExportFiles> {
        std::fs::create_dir_all(&folder)?;
        private(&folder)?;
        let mut progress = export.progress;
        let format = export
            .selection
            .options
            .text_format(export.selection.format);
        let body = match format.map_err(|error| io::Error::other(error.message))? {
            Some(format) => {
                let text =
                    TextFile::open(&folder.join(export.file_name(1)), format, progress.bytes)?;
                Body::Text(text)
            }
            None => {
                // A Parquet file cannot be cut: the one that was not complete is written anew.
                progress.position = progress.complete_position.max(export.from_sequence);
                progress.entries = progress.complete_entries;
                progress.bytes = progress.complete_bytes;
                Body::Parquet(None)
            }
        };

        let leaves = LeafFile::open(&folder.join(LEAVES), progress.entries)?;
        Ok(ExportFiles {
            folder,
            export,
            body,
            leaves,
            progress,
            limit,
        })
    }

    /// Place up to which everything was on disk at the last settling.
    pub(super) fn progress(&self) -> ExportProgress {
        self.progress
    }

    /// Writes a stretch of entries to the files.
    pub(super) async fn write(mut self, stretch: Stretch) -> Result<ExportFiles, WriteError> {
        let done = spawn_blocking(move || {
            for entry in &stretch.entries {
                self.entry(entry)?;
            }
            self.progress.position = stretch.to;
            Ok(self)
        });
        done.await.map_err(io::Error::other)?
    }

    fn entry(&mut self, entry: &Arc<StoredEntry>) -> Result<(), WriteError> {
        match &mut self.body {
            Body::Text(file) => {
                let integrity = integrity(entry);
                let view = EntryView {
                    entry: &entry.entry,
                    recorded_at: entry.recorded_at,
                    integrity: &integrity,
                };
                match file.write(&view) {
                    Ok(Written::Whole) => {}
                    Ok(Written::Reduced) => self.progress.reduced += 1,
                    Err(FormatError::Oversize { .. }) => {
                        self.progress.skipped += 1;
                        return Ok(());
                    }
                    Err(FormatError::Io(error)) => return Err(error.into()),
                }
                self.progress.bytes = file.bytes();
            }
            Body::Parquet(slot) => {
                let mut file = match slot.take() {
                    Some(file) => file,
                    None => {
                        let name = self.export.file_name(self.progress.complete_files + 1);
                        Box::new(EntryFile::create(&self.folder.join(name))?)
                    }
                };
                file.write(entry.clone())?;
                self.progress.bytes = self.progress.complete_bytes + file.bytes();
                *slot = Some(file);
            }
        }

        if self.progress.bytes > self.limit {
            return Err(WriteError::Limit {
                at: entry.entry.timestamp,
            });
        }

        self.leaves.write(entry.sequence, &entry.leaf_hash)?;
        self.progress.entries += 1;
        self.progress.span = Some((
            self.progress
                .span
                .map_or(entry.sequence, |(first, _)| first),
            entry.sequence,
        ));

        if self.progress.entries - self.progress.complete_entries >= PARQUET_ENTRIES {
            self.complete(entry.sequence + 1)?;
        }

        Ok(())
    }

    /// Ends the present Parquet file.
    fn complete(&mut self, position: u64) -> io::Result<()> {
        let Body::Parquet(slot) = &mut self.body else {
            return Ok(());
        };
        let Some(file) = slot.take() else {
            return Ok(());
        };

        file.finish()?;
        let progress = &mut self.progress;
        progress.complete_files += 1;
        let path = self
            .folder
            .join(self.export.file_name(progress.complete_files));
        progress.complete_bytes += std::fs::metadata(path)?.len();
        progress.complete_entries = progress.entries;
        progress.complete_position = position;
        progress.bytes = progress.complete_bytes;

        Ok(())
    }

    /// Makes what was written durable.
    pub(super) async fn settle(mut self) -> io::Result<ExportFiles> {
        blocking(move || {
            if let Body::Text(file) = &mut self.body {
                file.settle()?;
            }
            self.leaves.settle()?;
            Ok(self)
        })
        .await
    }

    /// Ends all files. An export of nothing still has one.
    pub(super) async fn finish(mut self) -> io::Result<ExportProgress> {
        blocking(move || {
            match &mut self.body {
                Body::Text(file) => {
                    self.progress.bytes = file.settle()?;
                    self.progress.complete_files = 1;
                    self.progress.complete_entries = self.progress.entries;
                    self.progress.complete_bytes = self.progress.bytes;
                }
                Body::Parquet(slot) => {
                    if slot.is_none() && self.progress.complete_files == 0 {
                        *slot = Some(Box::new(EntryFile::create(
                            &self.folder.join(self.export.file_name(1)),
                        )?));
                    }
                    self.complete(self.progress.position)?;
                }
            }
            self.leaves.settle()?;
            Ok(self.progress)
        })
        .await
    }
}

/// Proof data of an entry, with the salt of its commitment.
pub(crate) fn integrity(stored: &StoredEntry) -> Integrity {
    Integrity {
        sequence: stored.sequence,
        commitment: *stored.commitment.as_bytes(),
        leaf_hash: *stored.leaf_hash.as_bytes(),
        previous_hash: *stored.previous_hash.as_bytes(),
        hash: *stored.hash.as_bytes(),
        salt: Some(stored.salt),
    }
}

/// Makes a folder readable for its owner alone.
fn private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

/// Runs work that waits for the disk on a thread for that.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}
