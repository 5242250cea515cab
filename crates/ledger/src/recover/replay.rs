//! Reads the write-ahead log over the sealed entries, and afterwards puts right what an
//! interruption may leave behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_audit::{Entry, ReadBackError};
use reeve_tlog::{Checkpoint, Hash, SignedNote};

use crate::config::Places;
use crate::disk::{Disk, names, remove_unnamed};
use crate::entry::StoredEntry;
use crate::ids::{IdRecord, MarkClaim};
use crate::open_error::OpenError;
use crate::tiles::Tiles;
use crate::wal::{
    FrameEntry, FrameReader, HEADER_LEN, Wal, WalFrame, WalHeader, WriteFailure, file_name,
    parse_file_name, whole_frame_after,
};

/// Fewer entries than this are restored by one thread.
const ALONE: usize = 1024;

/// End of the sealed part of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sealed {
    pub(super) size: u64,
    pub(super) chain_hash: Hash,
}

/// Content of the write-ahead log.
pub(super) struct ReplayedLog {
    pub(super) chain_hash: Hash,
    pub(super) entries: Vec<Arc<StoredEntry>>,
    /// Records for the index of identifiers.
    pub(super) records: Vec<IdRecord>,
    /// The newest file that counts.
    pub(super) newest: PathBuf,
    /// First sequence of the newest file; `None` if there is no file yet.
    newest_first: Option<u64>,
    /// Offset behind the last complete frame.
    good_len: usize,
    /// `true` if an incomplete frame follows.
    torn: bool,
    /// Last frame: offset, first sequence, bytes.
    last_frame: Option<(usize, u64, Vec<u8>)>,
    /// Checkpoint of the newest frame in any file.
    pub(super) newest_note: Option<FrameNote>,
    /// Files without frames that a failed rotation left.
    leftovers: Vec<PathBuf>,
}

/// Signed checkpoint of a frame, not verified.
pub(super) struct FrameNote {
    pub(super) path: PathBuf,
    pub(super) offset: usize,
    pub(super) note: String,
}

/// A log being read.
struct Replay<'a> {
    disk: &'a dyn Disk,
    dir: PathBuf,
    origin: &'a str,
    anchored_size: u64,
    tiles: &'a Tiles,
    log: ReplayedLog,
}

/// Reads all entries that are not sealed and grows the tree by them.
pub(super) fn replay(
    disk: &Arc<dyn Disk>,
    places: &Places,
    origin: &str,
    sealed: Sealed,
    anchored_size: u64,
    tiles: &Tiles,
) -> Result<ReplayedLog, OpenError> {
    let dir = places.wal();
    let listed = names(disk.as_ref(), &dir).map_err(OpenError::io(&dir, "listing"))?;

    // Seals end where files begin, so a file that begins before the sealed size is sealed as a
    // whole.
    let mut files: Vec<u64> = listed
        .iter()
        .filter_map(|name| parse_file_name(name))
        .collect();
    files.retain(|first| *first >= sealed.size);
    let first_path = dir.join(file_name(sealed.size));
    let log = ReplayedLog {
        chain_hash: sealed.chain_hash,
        entries: Vec::new(),
        records: Vec::new(),
        newest: first_path.clone(),
        newest_first: None,
        good_len: HEADER_LEN,
        torn: false,
        last_frame: None,
        newest_note: None,
        leftovers: Vec::new(),
    };

    if files.is_empty() && sealed.size == 0 && anchored_size == 0 {
        return Ok(log);
    }

    if files.first() != Some(&sealed.size) {
        return Err(OpenError::WalMissing {
            path: first_path,
            sequence: sealed.size,
        });
    }

    let mut replay = Replay {
        disk: disk.as_ref(),
        dir,
        origin,
        anchored_size,
        tiles,
        log,
    };

    for (at, first) in files.iter().enumerate() {
        replay.file(*first, &files[at + 1..])?;
    }

    Ok(replay.log)
}

impl Replay<'_> {
    fn damaged(&self, path: &Path, offset: usize, cause: impl ToString) -> OpenError {
        let (path, cause) = (path.to_owned(), cause.to_string());
        OpenError::Damaged {
            path,
            offset: offset as u64,
            sequence: self.tiles.size(),
            cause,
        }
    }

    fn file(&mut self, first: u64, later: &[u64]) -> Result<(), OpenError> {
        let path = self.dir.join(file_name(first));
        let bytes = self
            .disk
            .read(&path)
            .map_err(OpenError::io(&path, "reading"))?;
        let header = WalHeader::decode(&bytes).map_err(|fault| self.damaged(&path, 0, fault))?;

        if header.first_sequence != first {
            let cause = format!(
                "the header says that entry {} is the first",
                header.first_sequence
            );
            return Err(self.damaged(&path, 12, cause));
        }

        let size = self.tiles.size();
        if first > size {
            return Err(OpenError::WalMissing {
                path: self.dir.join(file_name(size)),
                sequence: size,
            });
        }

        if first < size {
            if bytes.len() == HEADER_LEN {
                self.log.leftovers.push(path);
                return Ok(());
            }
            let cause = format!("the previous file continues to entry {size}, so the two overlap");
            return Err(self.damaged(&path, HEADER_LEN, cause));
        }

        if header.previous_hash != self.log.chain_hash {
            let cause = format!(
                "the chain hash before entry {first} is {}, not {}",
                self.log.chain_hash, header.previous_hash
            );
            return Err(self.damaged(&path, 20, cause));
        }

        let taken_over = self.taken_over(header.epoch, later);
        self.log.newest = path.clone();
        self.log.newest_first = Some(first);
        self.log.good_len = HEADER_LEN;
        self.log.last_frame = None;

        self.frames(&path, &bytes, later, taken_over)
    }

    /// Returns the sequence at which a later writer took the log over from the writer of a file;
    /// `None` if the next file is its own, or cannot be read, which is found when its turn comes.
    fn taken_over(&self, epoch: u64, later: &[u64]) -> Option<u64> {
        let first = *later.first()?;
        let mut header = [0; HEADER_LEN];
        self.disk
            .open(&self.dir.join(file_name(first)))
            .and_then(|file| file.read_at(0, &mut header))
            .ok()?;
        let next = WalHeader::decode(&header).ok()?;
        (next.epoch > epoch && next.first_sequence == first).then_some(first)
    }

    fn frames(
        &mut self,
        path: &Path,
        bytes: &[u8],
        later: &[u64],
        taken_over: Option<u64>,
    ) -> Result<(), OpenError> {
        let (mut whole, mut faulty) = (Vec::new(), None);
        for frame in FrameReader::new(bytes, HEADER_LEN) {
            match frame {
                // Written by a server that did not know yet that it was replaced. It could not
                // acknowledge them.
                Ok(frame) if taken_over.is_some_and(|first| frame.head.first_sequence >= first) => {
                    let (file, offset) = (path.display(), frame.offset);
                    tracing::warn!(%file, offset, "leaving out what a server wrote after another one had taken over");
                    break;
                }
                Ok(frame) => whole.push(frame),
                Err(fault) => faulty = Some(fault),
            }
        }

        if let Some(last) = whole.last() {
            self.log.last_frame = Some((
                last.offset,
                last.head.first_sequence,
                bytes[last.offset..last.end].to_vec(),
            ));
            self.log.good_len = last.end;
            let note = last.head.note.clone();
            self.log.newest_note = Some(FrameNote {
                path: path.to_owned(),
                offset: last.offset,
                note,
            });
        }

        let restored = restore(&mut whole);
        for (frame, entries) in whole.into_iter().zip(restored) {
            self.frame(path, frame, entries)?;
        }

        let Some((offset, fault)) = faulty else {
            return Ok(());
        };

        if taken_over == Some(self.tiles.size()) {
            return Ok(());
        }
        if let Some(reason) = self.why_not_torn(bytes, offset, later)? {
            return Err(self.damaged(path, offset, format!("{fault}; {reason}")));
        }

        let (file, size) = (path.display(), self.tiles.size());
        tracing::warn!(%file, offset, size, %fault, "cutting off a frame that was being written when the log stopped; it was never acknowledged");
        self.log.torn = true;

        Ok(())
    }

    /// Returns the reason why a faulty frame is more than an interrupted write; `None` if it may be
    /// one.
    fn why_not_torn(
        &self,
        bytes: &[u8],
        offset: usize,
        later: &[u64],
    ) -> Result<Option<String>, OpenError> {
        let size = self.tiles.size();
        if size < self.anchored_size {
            let anchored = self.anchored_size;
            return Ok(Some(format!(
                "the anchor says that entries up to {anchored} were acknowledged, and only {size} stand before it"
            )));
        }

        if let Some(whole) = whole_frame_after(bytes, offset + 1, size) {
            return Ok(Some(format!(
                "a whole frame follows at byte {whole}, so it was written completely once"
            )));
        }

        for first in later {
            let path = self.dir.join(file_name(*first));
            let length = self
                .disk
                .open(&path)
                .and_then(|file| file.len())
                .map_err(OpenError::io(&path, "reading"))?;
            if length > HEADER_LEN as u64 {
                return Ok(Some(format!(
                    "{} follows with more entries",
                    path.display()
                )));
            }
        }

        Ok(None)
    }

    fn frame(&mut self, path: &Path, frame: WalFrame, restored: Restored) -> Result<(), OpenError> {
        let offset = frame.offset;
        let size = self.tiles.size();

        if frame.head.first_sequence != size {
            let cause = format!(
                "the frame begins with entry {} where {size} comes next",
                frame.head.first_sequence
            );
            return Err(self.damaged(path, offset, cause));
        }

        let mut growth = self.tiles.grow();
        let mut chain_hash = self.log.chain_hash;

        for (sequence, restored) in (size..).zip(restored) {
            let (mut entry, record) = restored.map_err(|error| {
                self.damaged(path, offset, format!("entry {sequence}: {error}"))
            })?;
            entry.place(sequence, chain_hash);
            growth.append(entry.leaf_hash);
            chain_hash = entry.hash;
            self.log.records.push(IdRecord { sequence, ..record });
            self.log.entries.push(Arc::new(entry));
        }

        let signed = SignedNote::parse(frame.head.note.as_bytes()).map_err(|error| {
            self.damaged(
                path,
                offset,
                format!("the checkpoint of the frame: {error}"),
            )
        })?;

        let checkpoint = Checkpoint::parse(signed.text()).map_err(|error| {
            self.damaged(
                path,
                offset,
                format!("the checkpoint of the frame: {error}"),
            )
        })?;

        let (size, root) = (growth.tree().size(), growth.tree().root());
        if checkpoint != Checkpoint::new(self.origin, size, root) {
            let cause = format!(
                "the frame's checkpoint is of {} with {} entries and the root {}, but the entries give {} with {size} and {root}",
                checkpoint.origin, checkpoint.size, checkpoint.root, self.origin
            );
            return Err(self.damaged(path, offset, cause));
        }

        self.tiles.adopt(growth);
        self.log.chain_hash = chain_hash;
        Ok(())
    }
}

/// The entries of a frame, parsed and hashed but not placed, and what the index of identifiers
/// would keep of them.
type Restored = Vec<Result<(StoredEntry, IdRecord), ReadBackError>>;

/// Parses and hashes the entries of frames on all processors; takes them out of the frames.
fn restore(frames: &mut [WalFrame]) -> Vec<Restored> {
    let total: usize = frames.iter().map(|frame| frame.entries.len()).sum();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    if total < ALONE || workers == 1 {
        return frames.iter_mut().map(restore_frame).collect();
    }

    // Frames are of very different sizes: each worker takes the next one as it comes.
    let results: Vec<_> = frames.iter().map(|_| Mutex::new(Restored::new())).collect();
    let queue = Mutex::new(frames.iter_mut().zip(&results));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().next();
                    let Some((frame, result)) = next else { return };
                    *result.lock() = restore_frame(frame);
                }
            });
        }
    });

    results.into_iter().map(Mutex::into_inner).collect()
}

fn restore_frame(frame: &mut WalFrame) -> Restored {
    let restore = |(salt, canonical): FrameEntry| {
        let (mut entry, recorded_at) = Entry::from_canonical(&canonical)?;
        let MarkClaim { key, mark, .. } = MarkClaim::of_stored(&mut entry, recorded_at);
        let record = IdRecord {
            key,
            mark,
            sequence: 0,
            recorded_at,
        };
        Ok((
            StoredEntry::hashed(salt, recorded_at, canonical, entry),
            record,
        ))
    };
    std::mem::take(&mut frame.entries)
        .into_iter()
        .map(restore)
        .collect()
}

/// Opens the newest file for appending, after all was found in order: cuts a torn frame off, makes
/// the last frame durable if nobody says that it is (the process may have died, or syncing may have
/// failed, after writing it), and removes leftovers.
pub(super) fn settle(
    disk: &Arc<dyn Disk>,
    places: &Places,
    log: &ReplayedLog,
    sealed: Sealed,
    anchored_size: u64,
) -> Result<Wal, OpenError> {
    let dir = places.wal();
    let writing = |source| OpenError::Io {
        path: log.newest.clone(),
        action: "writing",
        source,
    };

    for path in &log.leftovers {
        disk.remove(path).map_err(OpenError::io(path, "removing"))?;
    }

    for dir in [&dir, &places.dir] {
        remove_unnamed(disk.as_ref(), dir).map_err(OpenError::io(dir, "tidying"))?;
    }

    let Some(first) = log.newest_first else {
        let header = WalHeader {
            first_sequence: sealed.size,
            previous_hash: sealed.chain_hash,
            epoch: 0,
        };
        return Wal::create(disk.clone(), &dir, header).map_err(|failure| match failure {
            WriteFailure::Undone(source) | WriteFailure::Unknown(_, source) => writing(source),
        });
    };

    let mut wal = Wal::open(disk.clone(), &dir, first, log.good_len as u64).map_err(writing)?;
    match &log.last_frame {
        Some((offset, first, bytes)) if *first >= anchored_size => {
            wal.rewrite(*offset as u64, bytes).map_err(writing)?
        }
        _ if log.torn => wal.rewrite(log.good_len as u64, &[]).map_err(writing)?,
        _ => {}
    }

    wal.remove_before(sealed.size)
        .map_err(OpenError::io(&dir, "tidying"))?;
    Ok(wal)
}
