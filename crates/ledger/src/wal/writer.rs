//! Appends frames to the newest file, durably, and knows what to do when that fails.
//!
//! A frame that could not be written is cut off again, so the file always ends with the last good
//! frame. When the cut fails, or when syncing fails (the kernel may have dropped the pages and will
//! not say so twice), nobody knows what the disk holds: the log takes nothing more until it has
//! been opened, and thereby read, anew.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_tlog::Hash;

use super::{HEADER_LEN, WalHeader, file_name, parse_file_name};
use crate::disk::{Disk, DiskFile, names, write_durably};

/// The write-ahead log, open for appending.
pub(crate) struct Wal {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    first_sequence: u64,
    /// Number of this writer, for the headers of its files.
    epoch: u64,
    /// Bytes that are durable and whole.
    len: u64,
    /// A frame was cut off and the file not synced since: what was cut may still be on the disk.
    cut: bool,
}

/// Reason why something was not written.
#[derive(Debug)]
pub(crate) enum WriteFailure {
    /// Nothing was written; another try may succeed.
    Undone(io::Error),
    /// State of the disk is unknown.
    Unknown(&'static str, io::Error),
}

impl Wal {
    /// Creates the file whose first entry will have this sequence.
    pub(crate) fn create(
        disk: Arc<dyn Disk>,
        dir: &Path,
        header: WalHeader,
    ) -> Result<Wal, WriteFailure> {
        let path = dir.join(file_name(header.first_sequence));
        let created = write_durably(disk.as_ref(), &path, &header.encode())
            .and_then(|()| Wal::open(disk.clone(), dir, header.first_sequence, HEADER_LEN as u64))
            .map(|wal| Wal {
                epoch: header.epoch,
                ..wal
            });

        created.map_err(|error| match disk.remove(&path) {
            Err(left) if left.kind() != io::ErrorKind::NotFound => {
                WriteFailure::Unknown("removing a file that was not begun", left)
            }
            _ => WriteFailure::Undone(error),
        })
    }

    /// Opens a file that was read and found whole up to `len`.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        first_sequence: u64,
        len: u64,
    ) -> io::Result<Wal> {
        let path = dir.join(file_name(first_sequence));
        let file = disk.open(&path)?;
        Ok(Wal {
            disk,
            dir: dir.to_owned(),
            path,
            file,
            first_sequence,
            epoch: 0,
            len,
            cut: false,
        })
    }

    /// Appends a frame; durable when this returns.
    pub(crate) fn append(&mut self, frame: &[u8]) -> Result<(), WriteFailure> {
        if let Err(error) = self.file.write_at(self.len, frame) {
            return Err(match self.file.truncate(self.len) {
                Ok(()) => {
                    self.cut = true;
                    WriteFailure::Undone(error)
                }
                Err(cut) => WriteFailure::Unknown("cutting off a frame that was not written", cut),
            });
        }

        self.file
            .sync()
            .map_err(|error| WriteFailure::Unknown("syncing", error))?;
        self.len += frame.len() as u64;
        self.cut = false;

        Ok(())
    }

    /// Makes the bytes from an offset on durable, whatever became of an earlier attempt: writes
    /// them once more.
    pub(crate) fn rewrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_at(offset, bytes)?;
        self.file.truncate(offset + bytes.len() as u64)?;
        self.file.sync()?;
        self.len = offset + bytes.len() as u64;
        Ok(())
    }

    /// Begins a new file at this point, unless the newest already begins there (and was not removed
    /// underneath). Older ones stay until [`Wal::remove_before`].
    pub(crate) fn rotate(
        &mut self,
        next_sequence: u64,
        previous_hash: Hash,
        removed: bool,
    ) -> Result<(), WriteFailure> {
        if removed || next_sequence > self.first_sequence {
            // Followed by another file, a torn end would be damage.
            if self.cut && !removed {
                self.file
                    .sync()
                    .map_err(|error| WriteFailure::Unknown("syncing", error))?;
                self.cut = false;
            }
            let header = WalHeader {
                first_sequence: next_sequence,
                previous_hash,
                epoch: self.epoch,
            };
            *self = Wal::create(self.disk.clone(), &self.dir, header)?;
        }
        Ok(())
    }

    /// Begins a file in the name of a writer, so that nothing that a writer before it still appends
    /// to its own file counts.
    ///
    /// A file without entries is replaced: the writer before goes on in a file that has no name any
    /// more.
    pub(crate) fn begin(
        &mut self,
        next_sequence: u64,
        previous_hash: Hash,
        epoch: u64,
    ) -> Result<(), WriteFailure> {
        self.epoch = epoch;
        if next_sequence > self.first_sequence {
            return self.rotate(next_sequence, previous_hash, false);
        }

        let header = WalHeader {
            first_sequence: next_sequence,
            previous_hash,
            epoch,
        }
        .encode();

        // Unlike `Wal::create`, a failure leaves the file that is there: the log may not be opened
        // without it.
        let replaced = write_durably(self.disk.as_ref(), &self.path, &header)
            .and_then(|()| self.disk.open(&self.path));
        self.file = replaced.map_err(WriteFailure::Undone)?;
        (self.len, self.cut) = (HEADER_LEN as u64, false);

        Ok(())
    }

    /// Removes the files whose entries all come before a sequence: every file but the newest that
    /// begins before it.
    pub(crate) fn remove_before(&self, sequence: u64) -> io::Result<()> {
        let kept_from = sequence.min(self.first_sequence);
        for name in names(self.disk.as_ref(), &self.dir)? {
            if parse_file_name(&name).is_some_and(|first| first < kept_from) {
                self.disk.remove(&self.dir.join(name))?;
            }
        }
        self.disk.sync_dir(&self.dir)
    }

    /// Returns `true` if the path of the file still names it.
    pub(crate) fn is_linked(&self) -> io::Result<bool> {
        self.file.is_linked()
    }

    /// The file being written.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
