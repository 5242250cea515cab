//! Place of the lake's files: an object store, with the care that a local disk needs.
//!
//! A file appears under its name whole and durable or not at all: `object_store` renames but does
//! not sync, so on a local disk the bytes go to `<name>.partial`, are synced, renamed, and the
//! folder is synced. Readers never see `.partial` files. Files and the folders above them, up to
//! the root, are for their owner alone.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

/// The suffix of a file that is still being written.
const PARTIAL: &str = ".partial";
/// Permissions of files and folders.
pub(crate) const FILE_MODE: u32 = 0o600;
const DIR_MODE: u32 = 0o700;

/// Removes a file that may be gone already.
pub(crate) fn remove_if_there(path: &FsPath) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reason why a file was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// There is no such file.
    #[error("{0} is missing")]
    Missing(String),
    /// The disk or the object store failed.
    #[error("{path}: {message}")]
    Io {
        /// Path of the file.
        path: String,
        message: String,
    },
}

/// An object store whose writes are durable when they return.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    store: Arc<dyn ObjectStore>,
    root: Arc<PathBuf>,
}

impl Place {
    /// The local folder `root`, made when it is not there.
    pub(crate) fn local(root: &FsPath) -> Result<Self, PlaceError> {
        let fail = |message: String| PlaceError::Io {
            path: root.display().to_string(),
            message,
        };
        private_dirs(root).map_err(|error| fail(error.to_string()))?;

        let store =
            LocalFileSystem::new_with_prefix(root).map_err(|error| fail(error.to_string()))?;
        Ok(Place {
            store: Arc::new(store),
            root: Arc::new(root.to_path_buf()),
        })
    }

    /// The object store below.
    pub(crate) fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.store)
    }

    /// Writes a whole file; it is durable when this returns, and replaces one of the same name.
    pub(crate) async fn put(&self, path: &str, bytes: Bytes) -> Result<(), PlaceError> {
        let target = self.root.join(path);
        let partial = format!("{path}{PARTIAL}");
        self.store
            .put(&location(&partial)?, bytes.into())
            .await
            .map_err(|error| refused(path, error))?;
        let (root, source, name) = (
            Arc::clone(&self.root),
            self.root.join(&partial),
            path.to_owned(),
        );

        blocking(path, move || {
            settle(&root, &source, &target).map_err(|error| io(&name, error))
        })
        .await?
    }

    /// Reads a whole file.
    pub(crate) async fn get(&self, path: &str) -> Result<Bytes, PlaceError> {
        let answer = self
            .store
            .get(&location(path)?)
            .await
            .map_err(|error| refused(path, error))?;
        answer.bytes().await.map_err(|error| refused(path, error))
    }

    /// A range of a file's bytes.
    pub(crate) async fn get_range(
        &self,
        path: &str,
        range: std::ops::Range<u64>,
    ) -> Result<Bytes, PlaceError> {
        self.store
            .get_range(&location(path)?, range)
            .await
            .map_err(|error| refused(path, error))
    }

    /// Ranges of a file's bytes, in the order given; near ones are read at once.
    pub(crate) async fn get_ranges(
        &self,
        path: &str,
        ranges: &[std::ops::Range<u64>],
    ) -> Result<Vec<Bytes>, PlaceError> {
        self.store
            .get_ranges(&location(path)?, ranges)
            .await
            .map_err(|error| refused(path, error))
    }

    /// Size and time of a file.
    pub(crate) async fn head(&self, path: &str) -> Result<ObjectMeta, PlaceError> {
        self.store
            .head(&location(path)?)
            .await
            .map_err(|error| refused(path, error))
    }

    /// Removes a file; one that is not there is fine.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), PlaceError> {
        match self.store.delete(&location(path)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(refused(path, error)),
        }
    }

    /// The files below a folder, by path; what a crash left half written is removed on the way.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<ObjectMeta>, PlaceError> {
        let prefix = location(folder)?;
        let found: Vec<ObjectMeta> = self
            .store
            .list(Some(&prefix))
            .try_collect()
            .await
            .map_err(|error| refused(folder, error))?;

        let (partial, mut whole): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|meta| meta.location.as_ref().ends_with(PARTIAL));
        for meta in partial {
            tracing::warn!(file = %meta.location, "removing a file that was never finished");
            self.delete(meta.location.as_ref()).await?;
        }

        whole.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(whole)
    }
}

/// Syncs the partial file, gives it its name, and syncs the folders up to the root: also one that
/// is not new may be that of a process which was killed before it made the folder's name durable.
pub(crate) fn settle(root: &FsPath, source: &FsPath, target: &FsPath) -> std::io::Result<()> {
    let file = std::fs::File::open(source)?;
    file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    file.sync_all()?;
    std::fs::rename(source, target)?;
    let mut folder = target.parent();

    while let Some(path) = folder {
        let opened = std::fs::File::open(path)?;
        // The object store makes folders as the process's mask lets it.
        if path != root && opened.metadata()?.permissions().mode() & 0o077 != 0 {
            opened.set_permissions(Permissions::from_mode(DIR_MODE))?;
        }
        opened.sync_all()?;
        folder = if path != root { path.parent() } else { None };
    }

    Ok(())
}

/// Makes a folder and those above it that are missing, for their owner alone.
pub(crate) fn private_dirs(path: &FsPath) -> std::io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(DIR_MODE)
        .create(path)
}

/// A path of ours as the object store takes it.
pub(crate) fn location(path: &str) -> Result<Path, PlaceError> {
    Path::parse(path).map_err(|error| PlaceError::Io {
        path: path.to_owned(),
        message: error.to_string(),
    })
}

/// Any text as one path segment: letters, digits, `-` and `_` stay, every other byte becomes `~`
/// and two hex digits.
pub(crate) fn path_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            out.push(char::from(byte));
        } else {
            out.push('~');
            out.push_str(&hex::encode([byte]));
        }
    }

    if out.is_empty() {
        out.push('~');
    }

    out
}

/// The text that [`path_segment`] encoded; `None` when it did not come from there.
pub(crate) fn path_segment_text(segment: &str) -> Option<String> {
    if segment == "~" {
        return Some(String::new());
    }

    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();

    while let Some((&first, after)) = rest.split_first() {
        if first == b'~' {
            bytes.extend(hex::decode(after.get(..2)?).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(first);
            rest = after;
        }
    }

    String::from_utf8(bytes).ok()
}

/// Runs disk or processor work where it does not hold up others.
pub(crate) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PlaceError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| PlaceError::Io {
            path: what.to_owned(),
            message: format!("the work was broken off: {error}"),
        })
}

fn io(path: &str, error: std::io::Error) -> PlaceError {
    PlaceError::Io {
        path: path.to_owned(),
        message: error.to_string(),
    }
}

fn refused(path: &str, error: object_store::Error) -> PlaceError {
    match error {
        object_store::Error::NotFound { .. } => PlaceError::Missing(path.to_owned()),
        other => PlaceError::Io {
            path: path.to_owned(),
            message: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn any_text_becomes_one_segment_and_comes_back() {
        for (text, segment) in [
            ("conn-1_a", "conn-1_a"),
            ("a/b", "a~2fb"),
            ("..", "~2e~2e"),
            ("", "~"),
            ("~", "~7e"),
            ("é", "~c3~a9"),
            ("a#1", "a~231"),
        ] {
            assert_eq!(path_segment(text), segment);
            assert_eq!(path_segment_text(segment).as_deref(), Some(text));
        }
        for wrong in ["~2", "~zz", "~ff"] {
            assert_eq!(path_segment_text(wrong), None, "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_file_is_whole_or_absent() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::local(folder.path()).unwrap();
        place
            .put("a/b/one.parquet", Bytes::from_static(b"1"))
            .await
            .unwrap();
        place
            .put("a/b/one.parquet", Bytes::from_static(b"22"))
            .await
            .unwrap();
        std::fs::write(folder.path().join("a/b/two.parquet.partial"), b"half").unwrap();

        let names: Vec<String> = place
            .list("a")
            .await
            .unwrap()
            .iter()
            .map(|meta| meta.location.to_string())
            .collect();
        assert_eq!(names, ["a/b/one.parquet"]);

        assert!(!folder.path().join("a/b/two.parquet.partial").exists());
        assert_eq!(place.get("a/b/one.parquet").await.unwrap().as_ref(), b"22");
        assert_eq!(place.head("a/b/one.parquet").await.unwrap().size, 2);

        place.delete("a/b/one.parquet").await.unwrap();
        place.delete("a/b/one.parquet").await.unwrap();
        assert!(
            matches!(place.get("a/b/one.parquet").await, Err(PlaceError::Missing(path)) if path == "a/b/one.parquet")
        );
    }
}
