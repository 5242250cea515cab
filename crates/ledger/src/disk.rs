//! The ledger's port to the disk: what it needs of a file system and nothing more, so that tests
//! can tear writes, fill the disk and cut the power at any step. [`LocalDisk`] is the real one.
//! Nothing here knows a format.

mod local;

use std::io;
use std::path::{Path, PathBuf};

pub use local::LocalDisk;

/// File system operations that the ledger needs.
pub trait Disk: Send + Sync {
    /// Creates a directory and those above it, durably.
    fn create_dirs(&self, dir: &Path) -> io::Result<()>;
    /// Opens a file to read and write. `NotFound` when it does not exist.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Creates an empty file, or empties the one there is, to read and write.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Reads a whole file. `NotFound` when it does not exist.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Renames within a directory, replacing what has the new name. Durable after `sync_dir`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file. Durable after `sync_dir`.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names of the files in a directory, in any order. `NotFound` when it does not exist.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// Takes an exclusive lock, held until the value is dropped. `WouldBlock` when another process
    /// has it.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>>;
}

/// File that is open to read and write.
pub trait DiskFile: Send + Sync {
    /// Returns the length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Returns `true` if the file has no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Fills `buffer` from an offset; `UnexpectedEof` when the file ends before.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes all bytes at an offset. After an error any part of them may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Makes content and length durable. After an error nothing is known about what was written
    /// since the last success.
    fn sync(&self) -> io::Result<()>;
    /// Cuts the file to a length.
    fn truncate(&self, len: u64) -> io::Result<()>;
    /// Returns `true` if the path that the file was opened by still names it, `false` if it was
    /// deleted or replaced.
    fn is_linked(&self) -> io::Result<bool>;
}

/// Lock that is held until it is dropped.
pub trait DiskLock: Send + Sync {}

/// Returns `true` if an error means that no space or quota is left.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Returns the temporary path that a file is written to before it is renamed to `path`.
fn unnamed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}

/// The directory of a file.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Writes a file under a name that appears only once its content is durable. The name itself is
/// durable after `sync_dir`.
pub(crate) fn write_synced(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unnamed = unnamed(path);
    let file = disk.create(&unnamed)?;
    let written = file.write_at(0, bytes).and_then(|()| file.sync());
    drop(file);

    if let Err(error) = written.and_then(|()| disk.rename(&unnamed, path)) {
        // On a full disk every byte counts; the error that matters is the first.
        let _ = disk.remove(&unnamed);
        return Err(error);
    }

    Ok(())
}

/// Replaces a file atomically and durably.
pub(crate) fn write_durably(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_synced(disk, path, bytes)?;
    disk.sync_dir(parent(path))
}

/// Replaces a file atomically for other processes, but not durably: after a power cut the old or an
/// empty one may be back.
pub(crate) fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unnamed = unnamed(path);
    let file = disk.create(&unnamed)?;
    file.write_at(0, bytes)?;
    drop(file);
    disk.rename(&unnamed, path)
}

/// A whole file, or `None` when there is none.
pub(crate) fn read_if_there(disk: &dyn Disk, path: &Path) -> io::Result<Option<Vec<u8>>> {
    match disk.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a directory, sorted; none when the directory does not exist.
pub(crate) fn names(disk: &dyn Disk, dir: &Path) -> io::Result<Vec<String>> {
    match disk.list(dir) {
        Ok(mut names) => {
            names.sort_unstable();
            Ok(names)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Removes what was being written when the process ended: files that never got their name.
pub(crate) fn remove_unnamed(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
    for name in names(disk, dir)? {
        if name.ends_with(".tmp") {
            disk.remove(&dir.join(name))?;
        }
    }
    Ok(())
}
