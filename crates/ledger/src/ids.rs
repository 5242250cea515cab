//! The index of identifiers: event id -> sequence, time of receipt and mark of the claim, so that
//! an entry sent again finds its first receipt however long ago that was. Disposable: it is rebuilt
//! from segments when it is missing, of an earlier version, or not attested by the log's key: a
//! forged record would have an entry acknowledged that is never recorded. Layout:
//! `docs/formats/data-directory.md`.
//!
//! Each seal adds a sorted file with a filter; eight neighbours of a level become one of the next,
//! so that a lookup asks a few dozen filters, and reads a page only where the id (almost certainly)
//! is.

mod file;
mod filter;
mod mark;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use file::{IdFile, IdRecord, Place, Times};
pub(crate) use mark::{IdKey, Mark, MarkClaim};

use crate::attest::Attestor;
use crate::disk::{Disk, names};

/// Neighbours of a level that become one file of the next.
const FAN_IN: usize = 8;

/// The identifiers of all sealed entries, at one moment.
#[derive(Clone)]
pub(crate) struct SealedIds {
    disk: Arc<dyn Disk>,
    attestor: Arc<Attestor>,
    dir: PathBuf,
    /// Adjacent, from sequence 0 on.
    files: Vec<Arc<IdFile>>,
}

impl SealedIds {
    /// Opens the files that hold, adjacent from 0 up to at most `sealed_size`; what comes after is
    /// missing and must be added, what does not belong is removed.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        attestor: Arc<Attestor>,
        dir: &Path,
        sealed_size: u64,
    ) -> io::Result<SealedIds> {
        let mut ids = SealedIds {
            disk,
            attestor,
            dir: dir.to_owned(),
            files: Vec::new(),
        };
        let listed = names(ids.disk.as_ref(), dir)?;

        let mut spans: Vec<_> = listed
            .iter()
            .filter_map(|name| file::parse_name(name))
            .collect();
        // Of two that begin alike the longer is the merged one.
        spans.sort_unstable_by_key(|(first, end)| (*first, std::cmp::Reverse(*end)));

        for (first, end) in spans {
            if first == ids.end() && end <= sealed_size {
                let path = dir.join(file::name(first, end));
                match IdFile::open(ids.disk.as_ref(), &ids.attestor, &path) {
                    Ok(file) if (file.first(), file.end()) == (first, end) => {
                        ids.files.push(Arc::new(file))
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        tracing::warn!(file = %file::name(first, end), %error, "index of identifiers will be rebuilt");
                    }
                    Err(error) => return Err(error),
                }
            }
        }

        for name in listed {
            if !ids
                .files
                .iter()
                .any(|kept| file::name(kept.first(), kept.end()) == name)
            {
                ids.disk.remove(&dir.join(name))?;
            }
        }

        Ok(ids)
    }

    /// One past the last sequence whose identifier is in here.
    pub(crate) fn end(&self) -> u64 {
        self.files.last().map_or(0, |file| file.end())
    }

    /// Greatest `recorded_at` of the sealed entries, ms since the epoch; `None` when there are
    /// none.
    pub(crate) fn newest_time(&self) -> Option<i64> {
        self.files
            .iter()
            .filter_map(|file| i64::try_from(file.newest_time()).ok())
            .max()
    }

    /// Finds an identifier. Newest files first: what is sent again was mostly sent lately.
    pub(crate) fn find(&self, key: &IdKey) -> io::Result<Option<IdRecord>> {
        for file in self.files.iter().rev() {
            if let Some(record) = file.find(key)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// The set with the identifiers of sequences `end()..end` added, in a file that is durable when
    /// this returns.
    pub(crate) fn with(&self, end: u64, mut records: Vec<IdRecord>) -> io::Result<SealedIds> {
        let mut grown = self.clone();
        records.sort_unstable_by_key(|record| record.key);
        let counts = (records.len() as u64, Times::new(&records));
        let added = file::write(
            &self.place(),
            (self.end(), end),
            0,
            counts,
            records.into_iter().map(Ok),
        )?;
        grown.files.push(Arc::new(added));

        self.disk.sync_dir(&self.dir)?;
        Ok(grown)
    }

    /// The set with eight neighbours of a level made one, as often as there are such; `None` when
    /// there are none. The new files are durable when this returns; those that were merged are
    /// given back, to be removed once nobody asks for them by name.
    pub(crate) fn merged(&self) -> io::Result<Option<(SealedIds, Vec<PathBuf>)>> {
        let mut grown = self.clone();
        let mut merged = Vec::new();

        while let Some(run) = grown.mergeable() {
            let first = grown.files.len() - run;
            let (span, level) = (
                (grown.files[first].first(), grown.end()),
                grown.files[first].level() + 1,
            );
            let sources = grown.files.split_off(first);
            let counts = (
                sources.iter().map(|file| file.count()).sum(),
                Times::of_files(&sources),
            );
            let joined = file::write(&self.place(), span, level, counts, file::merged(&sources))?;
            merged.extend(
                sources
                    .iter()
                    .map(|file| self.dir.join(file::name(file.first(), file.end()))),
            );
            grown.files.push(Arc::new(joined));
        }

        if merged.is_empty() {
            return Ok(None);
        }

        self.disk.sync_dir(&self.dir)?;
        Ok(Some((grown, merged)))
    }

    fn place(&self) -> Place<'_> {
        Place {
            disk: self.disk.as_ref(),
            attestor: &self.attestor,
            dir: &self.dir,
        }
    }

    /// Returns the number of files at the end that should be merged into one; `None` if there are
    /// too few of one level.
    fn mergeable(&self) -> Option<usize> {
        let level = self.files.last()?.level();
        let run = self
            .files
            .iter()
            .rev()
            .take_while(|file| file.level() == level)
            .count();

        (run >= FAN_IN).then_some(run)
    }
}
