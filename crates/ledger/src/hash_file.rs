//! Files of hashes: 32 bytes an item, one after another, no header. They only grow, and only what
//! the manifest covers counts: what an interrupted seal wrote beyond is overwritten by the next.
//! Layout: `docs/formats/data-directory.md`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use reeve_tlog::HASH_LEN;

use crate::disk::{Disk, DiskFile, parent, write_durably};

/// A file of hashes; it need not be there until something is written.
pub(crate) struct HashFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: RwLock<Option<Box<dyn DiskFile>>>,
}

impl HashFile {
    /// Opens the file if it is there.
    pub(crate) fn open(disk: Arc<dyn Disk>, path: &Path) -> io::Result<HashFile> {
        let file = match disk.open(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(HashFile {
            disk,
            path: path.to_owned(),
            file: RwLock::new(file),
        })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the file has at least `count` hashes.
    pub(crate) fn has_at_least(&self, count: u64) -> io::Result<bool> {
        let length = self.file.read().as_ref().map_or(Ok(0), |file| file.len())?;
        Ok(length / HASH_LEN as u64 >= count)
    }

    /// The bytes of some hashes; `None` when the file ends before the last of them.
    pub(crate) fn read(&self, first: u64, count: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; count * HASH_LEN];
        let file = self.file.read();
        let Some(file) = file.as_ref() else {
            return Ok((count == 0).then_some(bytes));
        };

        match file.read_at(first * HASH_LEN as u64, &mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes hashes from an index on; durable when this returns.
    pub(crate) fn write(&self, first: u64, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }

        if self.file.read().is_none() {
            self.disk.create_dirs(parent(&self.path))?;
            let file = self.disk.create(&self.path)?;
            self.disk.sync_dir(parent(&self.path))?;
            *self.file.write() = Some(file);
        }

        // Shared: what is written lies beyond what anybody reads, and syncing must hold up no
        // reader.
        let file = self.file.read();
        let Some(file) = file.as_ref() else {
            return Ok(());
        };

        file.write_at(first * HASH_LEN as u64, bytes)?;
        file.sync()
    }

    /// Replaces the whole file, durably and at once.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.write();
        self.disk.create_dirs(parent(&self.path))?;
        write_durably(self.disk.as_ref(), &self.path, bytes)?;
        *file = Some(self.disk.open(&self.path)?);
        Ok(())
    }
}
