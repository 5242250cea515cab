//! A copy of the log as it was at one moment, taken while entries go on being appended.
//!
//! It ends at the newest acknowledged entry, never beyond: a frame that is written but not
//! acknowledged may still be cut off by a power loss, and the log would then go on otherwise than
//! the copy. While the files are opened nothing is sealed and no key is replaced; afterwards they
//! are read at leisure, because what was opened only grows and sealing removes no open file.
//!
//! What can be made anew (`chain`, `ids`, search indexes) is left out. Layout of the parts:
//! `docs/formats/data-directory.md`.

use std::io::{self, Read};
use std::sync::Arc;

use reeve_tlog::{HASH_LEN, Hash, TILE_WIDTH};

use crate::anchor::{self, AnchorHead};
use crate::disk::{DiskFile, names};
use crate::ledger::Ledger;
use crate::manifest::journal::{self, Journal};
use crate::segment::SegmentMeta;
use crate::shared::{LedgerHead, Shared};
use crate::wal;

/// A log at one moment.
pub struct Snapshot {
    /// Number of entries at that moment.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Hash,
    /// The signed checkpoint of that size.
    pub note: String,
    /// The verifier key in charge.
    pub public_key: String,
    /// The log's own files.
    pub files: Vec<SnapshotFile>,
    /// The segments that hold the sealed entries.
    pub segments: Arc<Vec<SegmentMeta>>,
}

/// A file of a snapshot.
pub struct SnapshotFile {
    /// Path below the data directory.
    pub path: String,
    /// Length of the part to copy; bytes behind it belong to later entries.
    pub bytes: u64,
    content: Content,
}

enum Content {
    Kept(Vec<u8>),
    Open(Box<dyn DiskFile>),
}

impl SnapshotFile {
    /// Reads the bytes that count, from the beginning.
    pub fn reader(&self) -> impl Read + '_ {
        SnapshotReader { file: self, at: 0 }
    }

    fn kept(path: impl Into<String>, bytes: Vec<u8>) -> SnapshotFile {
        SnapshotFile {
            path: path.into(),
            bytes: bytes.len() as u64,
            content: Content::Kept(bytes),
        }
    }
}

struct SnapshotReader<'a> {
    file: &'a SnapshotFile,
    at: u64,
}

impl Read for SnapshotReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = usize::try_from(self.file.bytes - self.at)
            .unwrap_or(usize::MAX)
            .min(into.len());
        let into = &mut into[..count];

        match &self.file.content {
            Content::Kept(bytes) => {
                into.copy_from_slice(&bytes[self.at as usize..self.at as usize + count])
            }
            Content::Open(file) => file.read_at(self.at, into)?,
        }

        self.at += count as u64;
        Ok(count)
    }
}

impl Ledger {
    /// Takes a snapshot. `hold` is given its segments while nothing can be sealed, to keep them
    /// from being removed.
    ///
    /// # Errors
    /// A file of the log cannot be read or contradicts the log, or `hold` failed.
    pub async fn snapshot(
        &self,
        hold: impl FnOnce(&[SegmentMeta]) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Snapshot> {
        let _no_rotation = self.shared().rotating.lock().await;
        let _no_seal = self.not_sealing().await;
        let shared = self.shared().clone();
        let taken = tokio::task::spawn_blocking(move || {
            let snapshot = take(&shared)?;
            hold(&snapshot.segments)?;
            Ok(snapshot)
        });
        taken.await.map_err(io::Error::other)?
    }
}

fn take(shared: &Shared) -> io::Result<Snapshot> {
    let mut segments = shared.all_segments.read().as_ref().clone();
    // A backup has the local disk alone; the farther tiers are places of their own.
    segments.retain(|segment| segment.expired.is_none() && segment.moved.is_none());
    let segments = Arc::new(segments);
    let head = shared.head.read().clone();
    let public_key = shared.signer.read().verifier().to_string();
    let missing = || io::Error::other("the manifest is not signed yet");
    let (length, sealed) = shared
        .journal
        .lock()
        .as_ref()
        .map(Journal::extent)
        .ok_or_else(missing)?;

    let mut files = vec![SnapshotFile::kept(
        "ledger/log.vkey",
        format!("{public_key}\n").into_bytes(),
    )];
    files.extend(epochs(shared)?);
    files.push(SnapshotFile::kept(
        "ledger/checkpoint",
        head.note.as_bytes().to_vec(),
    ));
    let cosigned = shared
        .cosigned
        .read()
        .clone()
        .filter(|cosigned| cosigned.size <= head.size);

    files.extend(cosigned.map(|cosigned| {
        SnapshotFile::kept(
            "ledger/checkpoint.cosigned",
            cosigned.note.to_string().into_bytes(),
        )
    }));

    let manifest = Content::Open(shared.disk.open(&shared.places.manifest())?);
    files.push(SnapshotFile {
        path: journal::NAME.to_owned(),
        bytes: length,
        content: manifest,
    });
    files.extend(hashes(shared, sealed)?);
    files.extend(unsealed(shared, sealed, &head)?);
    let anchor = AnchorHead::signed(head.size, head.root, head.chain_hash, &head.note);
    files.push(SnapshotFile::kept("anchor/head", anchor::encode(&anchor)));

    Ok(Snapshot {
        size: head.size,
        root: head.root,
        note: head.note.to_string(),
        public_key,
        files,
        segments,
    })
}

/// The records of key epochs.
fn epochs(shared: &Shared) -> io::Result<Vec<SnapshotFile>> {
    let dir = shared.places.epochs();
    let count = shared
        .epochs
        .read()
        .as_ref()
        .map_or(0, |epochs| epochs.rotations().len() as u64);

    let record = |number: u64| {
        let bytes = shared.disk.read(&dir.join(number.to_string()))?;
        Ok(SnapshotFile::kept(format!("ledger/epochs/{number}"), bytes))
    };

    (1..=count).map(record).collect()
}

/// Commitments and hashes of the tree over the sealed entries.
fn hashes(shared: &Shared, sealed: u64) -> io::Result<Vec<SnapshotFile>> {
    let mut files = Vec::new();
    let (mut path, mut count, mut level) = ("ledger/commitments".to_owned(), sealed, 0_u32);

    while count > 0 {
        let file = shared.disk.open(&shared.config.data_dir.join(&path))?;
        let bytes = count * HASH_LEN as u64;
        if file.len()? < bytes {
            return Err(io::Error::other(format!(
                "{path} has fewer than the {count} hashes that are sealed"
            )));
        }
        files.push(SnapshotFile {
            path,
            bytes,
            content: Content::Open(file),
        });
        level += 1;
        (path, count) = (
            format!("ledger/tree/{level}"),
            count / u64::from(TILE_WIDTH),
        );
    }

    Ok(files)
}

/// The files of the write-ahead log, the last of them up to the end of the newest acknowledged
/// frame.
fn unsealed(shared: &Shared, sealed: u64, head: &LedgerHead) -> io::Result<Vec<SnapshotFile>> {
    let dir = shared.places.wal();
    let firsts = names(shared.disk.as_ref(), &dir)?;
    let firsts = firsts.iter().filter_map(|name| wal::parse_file_name(name));
    let mut firsts: Vec<u64> = firsts
        .filter(|first| (sealed..=head.size).contains(first))
        .collect();
    firsts.sort_unstable();
    let mut files = Vec::new();

    for (at, first) in firsts.iter().enumerate() {
        let name = wal::file_name(*first);
        let file = shared.disk.open(&dir.join(&name))?;
        let end = firsts.get(at + 1).copied().unwrap_or(head.size);
        let bytes = wal::end_of(file.as_ref(), *first, end)?.ok_or_else(|| {
            io::Error::other(format!(
                "ledger/wal/{name} has no frame that ends with entry {end}"
            ))
        })?;
        files.push(SnapshotFile {
            path: format!("ledger/wal/{name}"),
            bytes,
            content: Content::Open(file),
        });
    }

    if firsts.first() != Some(&sealed) {
        return Err(io::Error::other(format!(
            "ledger/wal has no file that begins with entry {sealed}"
        )));
    }

    Ok(files)
}
