//! A file of the index of identifiers: a header, a filter, and pages of records sorted by key.
//! Layout: `docs/formats/data-directory.md`. The log's key attests header, filter and the digests
//! of all pages, and a page is compared with its digest each time it is read; what does not hold is
//! `InvalidData`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_tlog::MAX_NOTE_BYTES;
use sha2::{Digest as _, Sha256};

use super::filter::{BLOCK_BYTES, IdFilter};
use super::mark::{KEY_LEN, MARK_LEN};
use super::{IdKey, Mark};
use crate::attest::Attestor;
use crate::disk::{Disk, DiskFile};

mod write;

pub(crate) use write::write;

#[cfg(test)]
mod tests;

const MAGIC: &[u8; 8] = b"reeveids";
const VERSION: u32 = 4;
/// Bytes kept of the SHA-256 of a page.
pub(super) const DIGEST_LEN: usize = 16;
/// Bytes of the attestation's length, at the end of the file.
const NOTE_LEN: u64 = 4;
pub(super) const HEADER_LEN: usize = 64;
pub(super) const PAGE_LEN: usize = 4096;
/// Offset of a page's first key, which is followed by its number of records. The last four bytes
/// are its checksum.
const PAGE_KEY_AT: usize = PAGE_LEN - 16;
pub(super) const PAGE_COUNT_AT: usize = PAGE_LEN - 8;
/// From so many records on the keys of a page are close enough to each other to share their first
/// byte.
const MANY: u64 = 80_000;

/// An identifier and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdRecord {
    /// Key of the event id.
    pub(crate) key: IdKey,
    /// Mark of the claim.
    pub(crate) mark: Mark,
    /// Position in the log.
    pub(crate) sequence: u64,
    /// Time at which Reeve received the entry.
    pub(crate) recorded_at: Timestamp,
}

/// A file, open for lookups. Its filter is in memory (1.6 bytes a record), its pages on disk.
pub(crate) struct IdFile {
    file: Box<dyn DiskFile>,
    head: Head,
    filter: IdFilter,
    /// A digest of each page, one after another.
    digests: Vec<u8>,
}

/// Folder for index files, with the disk and the signer that attests them.
pub(crate) struct Place<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) attestor: &'a Attestor,
    pub(crate) dir: &'a Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    level: u32,
    first: u64,
    end: u64,
    count: u64,
    filter_checksum: u32,
    times: Times,
    pages: u32,
}

/// From when to when records were received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Times {
    /// Milliseconds since the epoch.
    least: u64,
    most: u64,
}

impl Times {
    /// Returns the time range of some records.
    pub(crate) fn new(records: &[IdRecord]) -> Times {
        records
            .iter()
            .map(|record| millis(record.recorded_at))
            .map(|at| Times {
                least: at,
                most: at,
            })
            .fold(None, joined)
            .unwrap_or_default()
    }

    /// Returns the time range of some files.
    pub(crate) fn of_files(files: &[Arc<IdFile>]) -> Times {
        files
            .iter()
            .map(|file| file.head.times)
            .fold(None, joined)
            .unwrap_or_default()
    }
}

fn joined(all: Option<Times>, next: Times) -> Option<Times> {
    let Times { least, most } = all.unwrap_or(next);
    Some(Times {
        least: least.min(next.least),
        most: most.max(next.most),
    })
}

/// Six bytes reach from 1970 to the year 10889; no clock is before or after.
fn millis(at: Timestamp) -> u64 {
    at.as_millisecond().clamp(0, (1 << 48) - 1) as u64
}

/// Bytes that hold a number.
fn bytes_of(most: u64) -> usize {
    (64 - most.leading_zeros()).div_ceil(8) as usize
}

/// Widths of a record's parts in bytes: key, mark, sequence, time.
#[derive(Debug, Clone, Copy)]
struct Widths([usize; 4]);

impl Widths {
    fn record(self) -> usize {
        self.0.iter().sum()
    }

    fn on_page(self) -> usize {
        PAGE_KEY_AT / self.record()
    }
}

/// The name of the file over sequences `first..end`.
pub(crate) fn name(first: u64, end: u64) -> String {
    format!("{first:020}-{end:020}.ids")
}

/// The sequences a file name speaks of.
pub(crate) fn parse_name(text: &str) -> Option<(u64, u64)> {
    let (first, end) = text.strip_suffix(".ids")?.split_once('-')?;
    let span = (first.parse().ok()?, end.parse().ok()?);
    (name(span.0, span.1) == text).then_some(span)
}

/// The name of a file in its attestation.
fn attested_name(first: u64, end: u64) -> String {
    format!("ledger/ids/{}", name(first, end))
}

/// The digest that is attested.
fn digest(header: &[u8], filter: &[u8], digests: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(header)
        .chain_update(filter)
        .chain_update(digests)
        .finalize()
        .into()
}

/// The beginning of the SHA-256 of a page.
fn page_digest(page: &[u8]) -> [u8; DIGEST_LEN] {
    let whole: [u8; 32] = Sha256::digest(page).into();
    whole.first_chunk().copied().unwrap_or_default()
}

pub(super) fn damaged(message: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!(
            "the {message} of the index of identifiers is wrong; delete ledger/ids and restart to rebuild it"
        ),
    )
}

impl Head {
    fn filter_len(&self) -> usize {
        IdFilter::blocks(self.count) as usize * BLOCK_BYTES
    }

    fn pages(&self) -> u64 {
        self.pages.into()
    }

    fn widths(&self) -> Widths {
        let key = if self.count < MANY {
            KEY_LEN
        } else {
            KEY_LEN - 1
        };

        let (sequence, time) = (
            (self.end - self.first).saturating_sub(1),
            self.times.most - self.times.least,
        );
        Widths([key, MARK_LEN, bytes_of(sequence), bytes_of(time)])
    }

    fn page_at(&self, page: u64) -> u64 {
        (HEADER_LEN + self.filter_len()) as u64 + page * PAGE_LEN as u64
    }

    fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.level.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.end.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.count.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.filter_checksum.to_le_bytes());
        bytes[44..50].copy_from_slice(&self.times.least.to_le_bytes()[..6]);
        bytes[50..56].copy_from_slice(&(self.times.most - self.times.least).to_le_bytes()[..6]);
        bytes[56..60].copy_from_slice(&self.pages.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[..60]);
        bytes[60..].copy_from_slice(&checksum.to_le_bytes());

        bytes
    }

    fn decode(bytes: &[u8; HEADER_LEN]) -> io::Result<Head> {
        let four = |at: usize| {
            bytes[at..]
                .first_chunk()
                .map_or(0, |b| u32::from_le_bytes(*b))
        };

        let eight = |at: usize| {
            bytes[at..]
                .first_chunk()
                .map_or(0, |b| u64::from_le_bytes(*b))
        };
        let six = |at: usize| eight(at) & ((1 << 48) - 1);

        let times = Times {
            least: six(44),
            most: six(44) + six(50),
        };
        let head = Head {
            level: four(12),
            first: eight(16),
            end: eight(24),
            count: eight(32),
            filter_checksum: four(40),
            times,
            pages: four(56),
        };

        if bytes.starts_with(MAGIC) && (1..VERSION).contains(&four(8)) {
            let earlier = format!(
                "an index of identifiers of version {} is not attested",
                four(8)
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, earlier));
        }

        // The encoding is one to one, so this checks magic, version, padding and checksum at once.
        if head.encode() != *bytes {
            return Err(damaged("header"));
        }
        if head.first > head.end
            || head.count > head.end - head.first
            || head.end - head.first > u64::from(u32::MAX)
        {
            return Err(damaged("header"));
        }

        Ok(head)
    }
}

impl IdFile {
    /// Opens a file: reads its header, its filter and the digests of its pages, which the log's key
    /// must have attested.
    pub(crate) fn open(disk: &dyn Disk, attestor: &Attestor, path: &Path) -> io::Result<IdFile> {
        let file = disk.open(path)?;
        let mut header = [0; HEADER_LEN];
        let length = file.len()?;
        if length < HEADER_LEN as u64 {
            return Err(damaged("header"));
        }

        file.read_at(0, &mut header)?;
        let head = Head::decode(&header)?;
        let (digests_at, digests_len) =
            (head.page_at(head.pages()), head.pages() * DIGEST_LEN as u64);
        let note_at = digests_at + digests_len;
        let Some(note_len) = length
            .checked_sub(note_at + NOTE_LEN)
            .filter(|len| *len <= MAX_NOTE_BYTES as u64)
        else {
            return Err(damaged("length"));
        };

        let mut filter = vec![0; head.filter_len()];
        file.read_at(HEADER_LEN as u64, &mut filter)?;
        let mut end = vec![0; (length - digests_at) as usize];
        file.read_at(digests_at, &mut end)?;
        let (digests, rest) = end.split_at(digests_len as usize);
        let (note, counts) = rest.split_at(note_len as usize);
        if counts != (note_len as u32).to_le_bytes() {
            return Err(damaged("length"));
        }

        let attested = attestor.check(
            note,
            &attested_name(head.first, head.end),
            head.end,
            digest(&header, &filter, digests),
        );

        attested.map_err(|error| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{}: {error}", path.display()),
            )
        })?;

        Ok(IdFile {
            file,
            head,
            filter: IdFilter::from_bytes(&filter),
            digests: digests.to_vec(),
        })
    }

    /// First sequence it covers.
    pub(crate) fn first(&self) -> u64 {
        self.head.first
    }

    /// Greatest `recorded_at` of the records, ms since the epoch.
    pub(crate) fn newest_time(&self) -> u64 {
        self.head.times.most
    }

    /// One past the last sequence it covers.
    pub(crate) fn end(&self) -> u64 {
        self.head.end
    }

    /// Returns the number of merges that its records have been through.
    pub(crate) fn level(&self) -> u32 {
        self.head.level
    }

    /// Returns the number of records.
    pub(crate) fn count(&self) -> u64 {
        self.head.count
    }

    /// Finds a key. Keys are hashes, so that the position of a key in their order gives its page,
    /// plus or minus one.
    pub(crate) fn find(&self, key: &IdKey) -> io::Result<Option<IdRecord>> {
        let pages = self.head.pages();
        if pages == 0 || !self.filter.may_hold(key) {
            return Ok(None);
        }

        let mut page = ((u128::from(key.number()) * u128::from(pages)) >> 64) as u64;
        let mut came_from = None;

        loop {
            let records = self.page(page)?;
            let next = match (records.first(), records.last()) {
                (Some(first), _) if *key < first.key => page.checked_sub(1),
                (_, Some(last)) if *key > last.key => Some(page + 1).filter(|next| *next < pages),
                _ => {
                    let found = records.binary_search_by_key(key, |record| record.key);
                    return Ok(found.ok().map(|at| records[at]));
                }
            };
            if next.is_none() || next == came_from {
                return Ok(None);
            }
            came_from = Some(page);
            page = next.unwrap_or(page);
        }
    }

    fn page(&self, page: u64) -> io::Result<Vec<IdRecord>> {
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(self.head.page_at(page), &mut bytes)?;
        let (digests, _) = self.digests.as_chunks::<DIGEST_LEN>();
        if digests.get(page as usize) != Some(&page_digest(&bytes)) {
            return Err(damaged("page"));
        }
        self.decode_page(&bytes)
    }

    fn decode_page(&self, page: &[u8; PAGE_LEN]) -> io::Result<Vec<IdRecord>> {
        let checksum = crc32c::crc32c(&page[..PAGE_LEN - 4]).to_le_bytes();
        let count = usize::from(u16::from_le_bytes([
            page[PAGE_COUNT_AT],
            page[PAGE_COUNT_AT + 1],
        ]));
        let widths = self.head.widths();
        if page[PAGE_LEN - 4..] != checksum || count > widths.on_page() {
            return Err(damaged("page"));
        }

        let first = page[PAGE_KEY_AT..]
            .first_chunk()
            .map_or(0, |key| u64::from_be_bytes(*key));
        let records = page.chunks_exact(widths.record()).take(count);
        records
            .map(|bytes| self.decode_record(first, widths, bytes))
            .collect()
    }

    fn decode_record(&self, first: u64, widths: Widths, bytes: &[u8]) -> io::Result<IdRecord> {
        let mut rest = bytes;
        let [key, mark, sequence, time] = widths.0.map(|width| {
            let (part, after) = rest.split_at(width);
            rest = after;
            let mut eight = [0; 8];
            eight[..width].copy_from_slice(part);
            eight
        });

        let key = IdKey(first.wrapping_add(u64::from_le_bytes(key)).to_be_bytes());
        let mark = Mark(mark.first_chunk().copied().unwrap_or_default());
        let time = self.head.times.least + u64::from_le_bytes(time);
        let recorded_at =
            Timestamp::from_millisecond(time as i64).map_err(|_| damaged("record"))?;

        Ok(IdRecord {
            key,
            mark,
            sequence: self.head.first + u64::from_le_bytes(sequence),
            recorded_at,
        })
    }
}

/// All records of several files in the order of their keys.
pub(crate) fn merged(files: &[Arc<IdFile>]) -> impl Iterator<Item = io::Result<IdRecord>> {
    let mut sources: Vec<_> = files
        .iter()
        .map(|file| Records::new(file).peekable())
        .collect();
    std::iter::from_fn(move || {
        let order = |source: &mut std::iter::Peekable<Records<'_>>| match source.peek()? {
            Ok(record) => Some(record.key),
            // Errors come first, so that they are not merged past.
            Err(_) => Some(IdKey([0; KEY_LEN])),
        };
        let keys = sources
            .iter_mut()
            .enumerate()
            .filter_map(|(at, source)| Some((order(source)?, at)));
        let (_, least) = keys.min()?;
        sources[least].next()
    })
}

/// The records of a file in order.
struct Records<'a> {
    file: &'a IdFile,
    page: u64,
    buffer: std::vec::IntoIter<IdRecord>,
}

impl<'a> Records<'a> {
    fn new(file: &'a IdFile) -> Records<'a> {
        Records {
            file,
            page: 0,
            buffer: Vec::new().into_iter(),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = io::Result<IdRecord>;

    fn next(&mut self) -> Option<io::Result<IdRecord>> {
        loop {
            if let Some(record) = self.buffer.next() {
                return Some(Ok(record));
            }
            if self.page >= self.file.head.pages() {
                return None;
            }
            match self.file.page(self.page) {
                Ok(records) => self.buffer = records.into_iter(),
                Err(error) => {
                    self.page = u64::MAX;
                    return Some(Err(error));
                }
            }
            self.page += 1;
        }
    }
}
