//! The index files of a lake: found, checked once, kept open, and written.
//!
//! An index that is missing, cut short, of another file, damaged or not attested by the log's key
//! is as good as none; it is noticed once and not tried again until the file looks different.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_ledger::{Attestor, SegmentMeta};

use super::open::EntryIndex;
use crate::place::{FILE_MODE, private_dirs};

/// The folder of the segments, and that of their indexes beside it.
const SEGMENTS: &str = "lake/entries/";
const INDEXES: &str = "lake/index/";

/// Indexes that are kept open at a time, at most: a process may often have no more than 1,024
/// files.
const MAX_OPEN: usize = 600;

/// State of a file that was of no use: size and time, or its absence.
type Looks = Option<(u64, i64, i64)>;

#[derive(Debug)]
enum Known {
    Open(Arc<EntryIndex>),
    Useless(Looks),
}

/// The index files below a data directory.
#[derive(Debug)]
pub(in crate::entries) struct Shelf {
    root: PathBuf,
    attestor: OnceLock<Arc<Attestor>>,
    known: Mutex<HashMap<String, Known>>,
    missed: AtomicBool,
}

impl Shelf {
    /// The indexes of a data directory.
    pub(in crate::entries) fn new(root: &Path) -> Self {
        Shelf {
            root: root.to_path_buf(),
            attestor: OnceLock::new(),
            known: Mutex::default(),
            missed: AtomicBool::new(false),
        }
    }

    /// Believes only what this log's key attested from now on. A ledger says so before it publishes
    /// segments; without a ledger, as in tests of the search alone, indexes carry no attestation.
    pub(in crate::entries) fn attested_by(&self, attestor: Arc<Attestor>) {
        // A store serves one ledger; a second one could only be of another log, whose indexes must
        // not be believed.
        let _ = self.attestor.set(attestor);
    }

    /// The attestation of the index of a segment, given the digest; empty without a ledger.
    pub(in crate::entries) fn attest(
        &self,
        segment: &str,
        last_sequence: u64,
    ) -> impl Fn([u8; 32]) -> String + Send + use<> {
        let (attestor, name) = (self.attestor.get().cloned(), self.name(segment));
        move |digest| {
            let Some(attestor) = &attestor else {
                return String::new();
            };
            attestor.attest(&name, last_sequence + 1, digest).unwrap_or_else(|error| {
                tracing::error!(file = %name, %error, "an index could not be attested; it will be rebuilt");
                String::new()
            })
        }
    }

    fn check(&self, segment: &SegmentMeta, note: &[u8], digest: [u8; 32]) -> Result<(), Obstacle> {
        let Some(attestor) = self.attestor.get() else {
            return Ok(());
        };

        let checked = attestor.check(
            note,
            &self.name(&segment.path),
            segment.last_sequence + 1,
            digest,
        );

        checked.map_err(Obstacle::of)
    }

    /// The index's path below the data directory.
    fn name(&self, segment: &str) -> String {
        let name = segment.strip_prefix(SEGMENTS).unwrap_or(segment);
        format!(
            "{INDEXES}{}.idx",
            name.strip_suffix(".parquet").unwrap_or(name)
        )
    }

    /// Returns the path of a segment's index.
    pub(in crate::entries) fn path(&self, segment: &str) -> PathBuf {
        self.root.join(self.name(segment))
    }

    /// The index of a segment, if it has a sound one.
    pub(in crate::entries) fn get(&self, segment: &SegmentMeta) -> Option<Arc<EntryIndex>> {
        let path = self.path(&segment.path);
        match self.known.lock().get(&segment.path) {
            Some(Known::Open(index)) if index.is_as_opened() => return Some(Arc::clone(index)),
            Some(Known::Useless(then)) if *then == looks(&path) => return None,
            _ => {}
        }

        let then = looks(&path);
        let mut sha256 = [0; 32];
        let opened = match hex::decode_to_slice(&segment.sha256, &mut sha256) {
            Ok(()) => EntryIndex::open(&path, &sha256, segment.count, &|note, digest| {
                self.check(segment, note, digest)
            }),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };

        let (known, index) = match opened {
            Ok(index) => {
                let index = Arc::new(index);
                (Known::Open(Arc::clone(&index)), Some(index))
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(file = %path.display(), %error, "searching without an index that is of no use");
                }
                self.missed.store(true, Ordering::Release);
                (Known::Useless(then), None)
            }
        };

        let mut all = self.known.lock();
        // Each holds a file open.
        if index.is_some() && all.len() >= MAX_OPEN {
            let other = all
                .iter()
                .find(|(_, known)| matches!(known, Known::Open(_)))
                .map(|(path, _)| path.clone());
            other.map(|path| all.remove(&path));
        }

        all.insert(segment.path.clone(), known);
        index
    }

    /// Returns `true` if a segment has an index under its name that is sound as a whole; one that
    /// is open may have lost it.
    pub(in crate::entries) fn is_sound(&self, segment: &SegmentMeta) -> bool {
        let there = looks(&self.path(&segment.path));
        let sound = self
            .get(segment)
            .is_some_and(|index| there == Some(index.looks) && index.check().is_ok());
        if !sound {
            self.known.lock().remove(&segment.path);
        }
        sound
    }

    /// Stops using an index that could not be read.
    pub(in crate::entries) fn distrust(&self, segment: &SegmentMeta) {
        self.missed.store(true, Ordering::Release);
        let then = looks(&self.path(&segment.path));
        self.known
            .lock()
            .insert(segment.path.clone(), Known::Useless(then));
    }

    /// Returns `true` if an index was missed since this was last asked.
    pub(in crate::entries) fn missed(&self) -> bool {
        self.missed.swap(false, Ordering::AcqRel)
    }

    /// Writes the index of a segment. It need not be durable: what a power cut leaves is noticed
    /// and built anew.
    pub(in crate::entries) fn put(&self, segment: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(segment);
        let partial = path.with_extension("idx.partial");
        if let Some(folder) = path.parent() {
            private_dirs(folder)?;
        }

        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .open(&partial)?;
        file.write_all(bytes)?;

        drop(file);
        fs::rename(&partial, &path)?;
        self.known.lock().remove(segment);

        Ok(())
    }

    /// Keeps only the indexes of these segments open.
    pub(in crate::entries) fn keep(&self, segments: &[SegmentMeta]) {
        let kept: std::collections::HashSet<&str> = segments
            .iter()
            .map(|segment| segment.path.as_str())
            .collect();
        self.known
            .lock()
            .retain(|path, _| kept.contains(path.as_str()));
    }

    /// Removes the index of a segment. Returns its bytes, 0 where there is none.
    pub(in crate::entries) fn remove(&self, segment: &str) -> io::Result<u64> {
        self.known.lock().remove(segment);
        let path = self.path(segment);
        let bytes = match fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        fs::remove_file(&path)?;
        Ok(bytes)
    }

    /// Removes the files of segments that are neither among these nor there.
    pub(in crate::entries) fn sweep(&self, segments: &[SegmentMeta]) -> io::Result<()> {
        let kept: std::collections::HashSet<PathBuf> = segments
            .iter()
            .map(|segment| self.path(&segment.path))
            .collect();
        let folder = self.root.join(INDEXES);
        if !folder.exists() {
            return Ok(());
        }

        for class in fs::read_dir(&folder)? {
            for file in fs::read_dir(class?.path())? {
                let path = file?.path();
                let is_index = path.extension().is_some_and(|end| end == "idx");
                // One that is being sealed at this moment is not published yet.
                let segment = path
                    .strip_prefix(&folder)
                    .map(|name| self.root.join(SEGMENTS).join(name));
                let is_there =
                    segment.is_ok_and(|segment| segment.with_extension("parquet").exists());
                if is_index && !kept.contains(&path) && !is_there {
                    fs::remove_file(path)?;
                }
            }
        }

        Ok(())
    }
}

fn looks(path: &Path) -> Looks {
    let found = fs::metadata(path).ok()?;
    Some((found.len(), found.mtime(), found.mtime_nsec()))
}
