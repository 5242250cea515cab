//! A file of the index of identifiers: a header, a filter, and pages of records sorted by key. Layout:
//! `docs/formats/data-directory.md`. Header, filter and each page carry a checksum; what does not hold is `InvalidData`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::filter::{BLOCK_BYTES, Filter};
use super::mark::{KEY_LEN, MARK_LEN};
use super::{IdKey, Mark};
use crate::disk::{Disk, DiskFile};

#[cfg(test)]
mod tests;

const MAGIC: &[u8; 8] = b"reeveids";
const VERSION: u32 = 2;
const HEADER_LEN: usize = 64;
const PAGE_LEN: usize = 4096;
const RECORD_LEN: usize = KEY_LEN + MARK_LEN + 4 + 6;
const PAGE_RECORDS: usize = PAGE_COUNT_AT / RECORD_LEN;
/// Where a page says how many records it has; its checksum is its last four bytes.
const PAGE_COUNT_AT: usize = PAGE_LEN - 8;
/// Pages written or read at once when files are merged.
const PAGES_AT_ONCE: usize = 64;

/// An identifier and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    /// Key of the event id.
    pub(crate) key: IdKey,
    /// Mark of the claim.
    pub(crate) mark: Mark,
    /// Its position in the log.
    pub(crate) sequence: u64,
    /// When it was received.
    pub(crate) recorded_at: Timestamp,
}

/// A file, open for lookups. Its filter is in memory (1.6 bytes a record), its pages on disk.
pub(crate) struct IdFile {
    file: Box<dyn DiskFile>,
    head: Head,
    filter: Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    level: u32,
    first: u64,
    end: u64,
    count: u64,
    filter_checksum: u32,
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

fn damaged(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the {what} of the index of identifiers does not hold; delete ledger/ids and restart, it is rebuilt"),
    )
}

impl Head {
    fn filter_len(&self) -> usize {
        Filter::blocks(self.count) as usize * BLOCK_BYTES
    }

    fn pages(&self) -> u64 {
        self.count.div_ceil(PAGE_RECORDS as u64)
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
        let checksum = crc32c::crc32c(&bytes[..60]);
        bytes[60..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; HEADER_LEN]) -> io::Result<Head> {
        let four = |at: usize| bytes[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        let eight = |at: usize| bytes[at..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        let head =
            Head { level: four(12), first: eight(16), end: eight(24), count: eight(32), filter_checksum: four(40) };
        // The encoding is one to one, so this checks magic, version, padding and checksum at once.
        if head.encode() != *bytes {
            return Err(damaged("header"));
        }
        if head.first > head.end || head.count > head.end - head.first || head.end - head.first > u64::from(u32::MAX) {
            return Err(damaged("header"));
        }
        Ok(head)
    }
}

impl IdFile {
    /// Opens a file and reads its header and filter.
    pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<IdFile> {
        let file = disk.open(path)?;
        let mut header = [0; HEADER_LEN];
        let length = file.len()?;
        if length < HEADER_LEN as u64 {
            return Err(damaged("header"));
        }
        file.read_at(0, &mut header)?;
        let head = Head::decode(&header)?;
        if length != head.page_at(head.pages()) {
            return Err(damaged("length"));
        }
        let mut filter = vec![0; head.filter_len()];
        file.read_at(HEADER_LEN as u64, &mut filter)?;
        if crc32c::crc32c(&filter) != head.filter_checksum {
            return Err(damaged("filter"));
        }
        Ok(IdFile { file, head, filter: Filter::from_bytes(&filter) })
    }

    /// First sequence it covers.
    pub(crate) fn first(&self) -> u64 {
        self.head.first
    }

    /// One past the last sequence it covers.
    pub(crate) fn end(&self) -> u64 {
        self.head.end
    }

    /// How often its records were merged.
    pub(crate) fn level(&self) -> u32 {
        self.head.level
    }

    /// How many records it has.
    pub(crate) fn count(&self) -> u64 {
        self.head.count
    }

    /// Finds a key. Keys are hashes, so where it stands in the order says which page it is on, give or take one.
    pub(crate) fn find(&self, key: &IdKey) -> io::Result<Option<Record>> {
        let pages = self.head.pages();
        if pages == 0 || !self.filter.may_hold(key) {
            return Ok(None);
        }
        let mut head = [0; 8];
        head.copy_from_slice(&key.0[..8]);
        let mut page = ((u128::from(u64::from_be_bytes(head)) * u128::from(pages)) >> 64) as u64;
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

    fn page(&self, page: u64) -> io::Result<Vec<Record>> {
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(self.head.page_at(page), &mut bytes)?;
        self.decode_page(&bytes)
    }

    fn decode_page(&self, page: &[u8; PAGE_LEN]) -> io::Result<Vec<Record>> {
        let checksum = crc32c::crc32c(&page[..PAGE_LEN - 4]).to_le_bytes();
        let count = usize::from(u16::from_le_bytes([page[PAGE_COUNT_AT], page[PAGE_COUNT_AT + 1]]));
        if page[PAGE_LEN - 4..] != checksum || count > PAGE_RECORDS {
            return Err(damaged("page"));
        }
        let (records, _) = page.as_chunks::<RECORD_LEN>();
        records[..count].iter().map(|bytes| self.decode_record(bytes)).collect()
    }

    fn decode_record(&self, bytes: &[u8; RECORD_LEN]) -> io::Result<Record> {
        let (mut key, mut mark, mut offset, mut time) = ([0; KEY_LEN], [0; MARK_LEN], [0; 4], [0; 8]);
        let (keys, rest) = bytes.split_at(KEY_LEN);
        let (marks, rest) = rest.split_at(MARK_LEN);
        let (offsets, times) = rest.split_at(4);
        key.copy_from_slice(keys);
        mark.copy_from_slice(marks);
        offset.copy_from_slice(offsets);
        time[..times.len()].copy_from_slice(times);
        let recorded_at = Timestamp::from_millisecond(i64::from_le_bytes(time)).map_err(|_| damaged("record"))?;
        let sequence = self.head.first + u64::from(u32::from_le_bytes(offset));
        Ok(Record { key: IdKey(key), mark: Mark(mark), sequence, recorded_at })
    }
}

/// Writes a file of `count` records in the order of their keys; its content is durable when this returns, its name is not.
pub(crate) fn write(
    disk: &dyn Disk,
    dir: &Path,
    (first, end): (u64, u64),
    level: u32,
    count: u64,
    records: impl Iterator<Item = io::Result<Record>>,
) -> io::Result<IdFile> {
    let mut head = Head { level, first, end, count, filter_checksum: 0 };
    let path = dir.join(name(first, end));
    let unnamed = dir.join(format!("{}.tmp", name(first, end)));
    let file = disk.create(&unnamed)?;
    let written = write_pages(file.as_ref(), &head, records).and_then(|filter| {
        let filter = filter.to_bytes();
        head.filter_checksum = crc32c::crc32c(&filter);
        file.write_at(HEADER_LEN as u64, &filter)?;
        file.write_at(0, &head.encode())?;
        file.sync()?;
        disk.rename(&unnamed, &path)
    });
    drop(file);
    if let Err(error) = written {
        let _ = disk.remove(&unnamed);
        return Err(error);
    }
    IdFile::open(disk, &path)
}

fn write_pages(
    file: &dyn DiskFile,
    head: &Head,
    records: impl Iterator<Item = io::Result<Record>>,
) -> io::Result<Filter> {
    let mut filter = Filter::for_keys(head.count);
    let mut buffer = Vec::with_capacity(PAGES_AT_ONCE * PAGE_LEN);
    let mut flushed = 0;
    let mut on_page = 0;
    let mut count = 0;
    for record in records {
        let record = record?;
        filter.insert(&record.key);
        buffer.extend_from_slice(&record.key.0);
        buffer.extend_from_slice(&record.mark.0);
        buffer.extend_from_slice(&((record.sequence - head.first) as u32).to_le_bytes());
        // Six bytes reach from 1970 to the year 10889; no clock is before or after.
        let millis = record.recorded_at.as_millisecond().max(0) as u64;
        buffer.extend_from_slice(&millis.to_le_bytes()[..6]);
        on_page += 1;
        count += 1;
        if on_page == PAGE_RECORDS || count == head.count {
            end_page(&mut buffer, on_page);
            on_page = 0;
        }
        if buffer.len() == PAGES_AT_ONCE * PAGE_LEN {
            file.write_at(head.page_at(flushed), &buffer)?;
            flushed += PAGES_AT_ONCE as u64;
            buffer.clear();
        }
    }
    if count != head.count {
        return Err(damaged("number of records"));
    }
    file.write_at(head.page_at(flushed), &buffer)?;
    Ok(filter)
}

/// Fills the last page of a buffer up and sums it.
fn end_page(buffer: &mut Vec<u8>, on_page: usize) {
    let start = buffer.len() - on_page * RECORD_LEN;
    buffer.resize(start + PAGE_COUNT_AT, 0);
    buffer.extend_from_slice(&(on_page as u32).to_le_bytes());
    let checksum = crc32c::crc32c(&buffer[start..]);
    buffer.extend_from_slice(&checksum.to_le_bytes());
}

/// All records of several files in the order of their keys.
pub(crate) fn merged(files: &[Arc<IdFile>]) -> impl Iterator<Item = io::Result<Record>> {
    let mut sources: Vec<_> = files.iter().map(|file| Records::of(file).peekable()).collect();
    std::iter::from_fn(move || {
        let order = |source: &mut std::iter::Peekable<Records<'_>>| match source.peek()? {
            Ok(record) => Some(record.key),
            // Errors come first, so that they are not merged past.
            Err(_) => Some(IdKey([0; KEY_LEN])),
        };
        let keys = sources.iter_mut().enumerate().filter_map(|(at, source)| Some((order(source)?, at)));
        let (_, least) = keys.min()?;
        sources[least].next()
    })
}

/// The records of a file in order.
struct Records<'a> {
    file: &'a IdFile,
    page: u64,
    buffer: std::vec::IntoIter<Record>,
}

impl<'a> Records<'a> {
    fn of(file: &'a IdFile) -> Records<'a> {
        Records { file, page: 0, buffer: Vec::new().into_iter() }
    }
}

impl Iterator for Records<'_> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<io::Result<Record>> {
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
