//! Segments that were fetched from a farther tier, kept on the local disk while there is room: the
//! least recently used goes first. Each is verified against the manifest before it is named.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_audit::Tier;
use reeve_ledger::{SegmentError, SegmentMeta};
use sha2::{Digest as _, Sha256};

use super::faults::{away, damaged, failed, io as failure};
use crate::archive::ArchivePlace;
use crate::place::{FILE_MODE, blocking, private_dirs, remove_if_there};

/// Folder of fetched segments in the data directory.
const FOLDER: &str = "lake/fetched";
/// Folder of the segments themselves.
const SEGMENTS: &str = "lake/entries/";
/// Bytes that are hashed at a time.
const BUFFER: usize = 1 << 20;

/// The fetched segments of a data directory.
#[derive(Debug)]
pub(super) struct FetchedEntries {
    root: PathBuf,
    shelf: Arc<Mutex<Shelf>>,
    /// One fetch of a segment at a time.
    fetching: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Debug, Default)]
struct Shelf {
    root: PathBuf,
    limit: u64,
    files: HashMap<String, FetchedFile>,
    /// Segments that stay whatever the limit is: those that were restored.
    kept: HashSet<String>,
    /// Number of uses so far.
    uses: u64,
}

#[derive(Debug, Default)]
struct FetchedFile {
    bytes: u64,
    used: u64,
    readers: usize,
}

/// Use of a fetched file, which stays as long as this does.
#[derive(Debug)]
pub(super) struct InUse {
    shelf: Arc<Mutex<Shelf>>,
    path: String,
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut shelf = self.shelf.lock();
        if let Some(file) = shelf.files.get_mut(&self.path) {
            file.readers = file.readers.saturating_sub(1);
        }
        shelf.make_room();
    }
}

impl Shelf {
    /// Removes what was not used for longest until the rest is within the limit; neither what is
    /// read nor what was restored.
    fn make_room(&mut self) {
        let Shelf { files, kept, .. } = self;
        let mut counted: Vec<(u64, u64, bool, String)> = files
            .iter()
            .filter(|(path, _)| !kept.contains(*path))
            .map(|(path, file)| (file.used, file.bytes, file.readers > 0, path.clone()))
            .collect();
        counted.sort_unstable();
        let mut bytes: u64 = counted.iter().map(|(_, bytes, ..)| bytes).sum();

        for (_, size, is_read, path) in counted {
            if bytes <= self.limit {
                return;
            }
            if is_read {
                continue;
            }
            bytes -= size;
            self.files.remove(&path);
            if let Err(error) = fs::remove_file(file_of(&self.root, &path)) {
                tracing::warn!(segment = %path, %error, "a fetched segment could not be removed");
            }
        }
    }
}

fn file_of(root: &Path, path: &str) -> PathBuf {
    root.join(path.strip_prefix(SEGMENTS).unwrap_or(path))
}

impl FetchedEntries {
    /// The fetched segments of a data directory, of so many bytes at most. What a process before
    /// left is used on; what it had not finished is removed.
    pub(super) fn open(data_dir: &Path, limit: u64) -> io::Result<FetchedEntries> {
        let root = data_dir.join(FOLDER);
        let mut shelf = Shelf {
            root: root.clone(),
            limit,
            ..Shelf::default()
        };
        for class in fs::read_dir(&root).into_iter().flatten() {
            let class = class?.path();
            if class.is_file() {
                fs::remove_file(&class)?;
                continue;
            }
            for file in fs::read_dir(&class).into_iter().flatten() {
                let (path, bytes) = (file.as_ref().map(fs::DirEntry::path), file.as_ref());
                let (Ok(path), Ok(file)) = (path, bytes) else {
                    continue;
                };
                if path.extension().is_none_or(|end| end != "parquet") {
                    fs::remove_file(&path)?;
                    continue;
                }
                let bytes = file.metadata()?.len();
                if let Ok(name) = path.strip_prefix(&root) {
                    let name = format!("{SEGMENTS}{}", name.display());
                    let file = FetchedFile {
                        bytes,
                        ..FetchedFile::default()
                    };
                    shelf.files.insert(name, file);
                }
            }
        }

        Ok(FetchedEntries {
            root,
            shelf: Arc::new(Mutex::new(shelf)),
            fetching: Mutex::default(),
        })
    }

    /// Returns the name below the data directory under which a segment is kept.
    pub(super) fn name(path: &str) -> String {
        format!("{FOLDER}/{}", path.strip_prefix(SEGMENTS).unwrap_or(path))
    }

    fn file(&self, path: &str) -> PathBuf {
        file_of(&self.root, path)
    }

    /// Keeps these segments whatever the limit is, and no others.
    pub(super) fn keep(&self, kept: HashSet<String>) {
        let mut shelf = self.shelf.lock();
        shelf.kept = kept;
        shelf.make_room();
    }

    /// Returns `true` if a segment is here.
    pub(super) fn has(&self, path: &str) -> bool {
        self.shelf.lock().files.contains_key(path) && self.file(path).is_file()
    }

    /// Uses a segment that is here.
    fn in_use(&self, path: &str) -> Option<InUse> {
        let mut shelf = self.shelf.lock();
        if !self.file(path).is_file() {
            shelf.files.remove(path);
            return None;
        }
        shelf.uses += 1;
        let uses = shelf.uses;
        let file = shelf.files.get_mut(path)?;
        (file.used, file.readers) = (uses, file.readers + 1);
        Some(InUse {
            shelf: Arc::clone(&self.shelf),
            path: path.to_owned(),
        })
    }

    /// Returns the use of a segment, and `true` if it was fetched for it and is known to be what
    /// was sealed. A fetch outlives whoever waits for it: the next search finds the file.
    pub(super) async fn obtain(
        self: &Arc<Self>,
        segment: &SegmentMeta,
        place: &Arc<dyn ArchivePlace>,
    ) -> Result<(InUse, bool), SegmentError> {
        if let Some(used) = self.in_use(&segment.path) {
            return Ok((used, false));
        }
        let (fetched, segment, place) = (Arc::clone(self), segment.clone(), Arc::clone(place));
        let path = segment.path.clone();
        let work = tokio::spawn(async move { fetched.fetch(&segment, place.as_ref()).await });
        work.await
            .map_err(|error| failure(&path, format!("the fetch was broken off: {error}")))?
    }

    async fn fetch(
        &self,
        segment: &SegmentMeta,
        place: &dyn ArchivePlace,
    ) -> Result<(InUse, bool), SegmentError> {
        let path = &segment.path;
        let turn = Arc::clone(self.fetching.lock().entry(path.clone()).or_default());
        let _turn = turn.lock().await;
        if let Some(used) = self.in_use(path) {
            return Ok((used, false));
        }

        let target = self.file(path);
        let partial = target.with_extension("partial");
        if let Some(folder) = target.parent() {
            private_dirs(folder).map_err(|error| failure(path, error.to_string()))?;
        }
        read_back(segment, segment.tier(), place, &partial).await?;
        fs::rename(&partial, &target).map_err(|error| failure(path, error.to_string()))?;
        let file = FetchedFile {
            bytes: segment.bytes,
            ..FetchedFile::default()
        };
        self.shelf.lock().files.insert(path.clone(), file);
        self.fetching.lock().remove(path);
        let used = self.in_use(path);
        used.map(|used| (used, true))
            .ok_or_else(|| failure(path, "the fetched file was removed".to_owned()))
    }

    /// Removes a segment, wherever the next use fetches it from.
    pub(super) fn forget(&self, path: &str) -> io::Result<()> {
        self.shelf.lock().files.remove(path);
        remove_if_there(&self.file(path))
    }

    /// Removes a segment that its place no longer has. A fetch that began before ends first: it would
    /// leave the file here afterwards.
    pub(super) async fn remove(&self, path: &str) -> io::Result<()> {
        let turn = Arc::clone(self.fetching.lock().entry(path.to_owned()).or_default());
        let removed = {
            let _turn = turn.lock().await;
            self.forget(path)
        };
        drop(turn);
        // Turns that nobody takes or waits for.
        let mut fetching = self.fetching.lock();
        fetching.retain(|_, turn| Arc::strong_count(turn) > 1);
        removed
    }

    /// Returns a name for a copy that is only compared.
    pub(super) fn scratch(&self) -> io::Result<PathBuf> {
        private_dirs(&self.root)?;
        Ok(self.root.join(format!("{}.partial", uuid::Uuid::now_v7())))
    }
}

/// Reads a segment from a place into a file of the local disk, and verifies it there. What is not
/// the segment is removed.
pub(super) async fn read_back(
    segment: &SegmentMeta,
    tier: Tier,
    place: &dyn ArchivePlace,
    into: &Path,
) -> Result<(), SegmentError> {
    let path = &segment.path;
    let done = read(segment, tier, place, into).await;
    if done.is_err()
        && let Err(error) = remove_if_there(into)
    {
        tracing::warn!(file = %into.display(), %error, "a file that is of no use could not be removed");
    }
    done.map_err(|error| match error {
        SegmentError::Damaged { message, .. } => damaged(
            path,
            format!("in the {tier} tier ({}), {message}", place.address()),
        ),
        other => other,
    })
}

async fn read(
    segment: &SegmentMeta,
    tier: Tier,
    place: &dyn ArchivePlace,
    into: &Path,
) -> Result<(), SegmentError> {
    let path = &segment.path;
    let fetched = place.fetch(path, into).await;
    fetched.map_err(|obstacle| {
        away(
            path,
            format!(
                "the place of the {tier} tier does not give it: {}",
                obstacle.as_str()
            ),
        )
    })?;
    let file = into.to_owned();
    let digest = blocking(path, move || digest(&file))
        .await
        .map_err(failed)?;
    let (bytes, sha256) = digest.map_err(|error| failure(path, error.to_string()))?;
    if (bytes, &sha256) != (segment.bytes, &segment.sha256) {
        return Err(damaged(path, "its bytes are not those that were sealed"));
    }
    Ok(())
}

/// Returns the length and the SHA-256 of a file, which becomes its owner's alone.
fn digest(path: &Path) -> io::Result<(u64, String)> {
    use std::os::unix::fs::PermissionsExt as _;

    let mut file = fs::File::open(path)?;
    file.set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
    let (mut hasher, mut length) = (Sha256::new(), 0);
    let mut buffer = vec![0; BUFFER];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((length, hex::encode(hasher.finalize()))),
            count => {
                hasher.update(&buffer[..count]);
                length += count as u64;
            }
        }
    }
}
