//! Files of version 2, with keys of 10 bytes, marks of 8 and whole times: written anew as the present version when they are met
//! at start, because reading every segment for the same would take minutes.
//!
//! A header, a filter of 64 bytes for 40 records, and pages of 146 records of 28 bytes: key 10, mark 8, sequence after the first 4,
//! milliseconds 6.

use std::io;
use std::path::Path;

use jiff::Timestamp;

use super::file::{self, HEADER_LEN, PAGE_COUNT_AT, PAGE_LEN, Record, Times, damaged};
use super::{IdKey, Mark};
use crate::disk::Disk;

const RECORD_LEN: usize = 28;
const PAGE_RECORDS: u64 = 146;
/// Records a block of the filter is for, and bytes of one.
const FILTER: (u64, u64) = (40, 64);

/// Writes the file over these sequences anew if it is of version 2; durable when this returns. Others stay as they are.
pub(super) fn take_over(disk: &dyn Disk, dir: &Path, span: (u64, u64)) -> io::Result<()> {
    let file = disk.open(&dir.join(file::name(span.0, span.1)))?;
    let mut header = [0; HEADER_LEN];
    if file.len()? < HEADER_LEN as u64 {
        return Ok(());
    }
    file.read_at(0, &mut header)?;
    let four = |at: usize| header[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let eight = |at: usize| header[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if !header.starts_with(b"reeveids") || four(8) != 2 {
        return Ok(());
    }
    let count = eight(32);
    if crc32c::crc32c(&header[..60]) != four(60) || count > span.1.saturating_sub(span.0) || eight(16) != span.0 {
        return Err(damaged("header"));
    }
    let filter = count.div_ceil(FILTER.0).max(1) * FILTER.1;
    let pages = count.div_ceil(PAGE_RECORDS);
    if file.len()? != HEADER_LEN as u64 + filter + pages * PAGE_LEN as u64 {
        return Err(damaged("length"));
    }
    let mut records = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
    for page in 0..pages {
        let mut bytes = [0; PAGE_LEN];
        file.read_at(HEADER_LEN as u64 + filter + page * PAGE_LEN as u64, &mut bytes)?;
        decode(&bytes, span.0, &mut records)?;
    }
    drop(file);
    let told = (count, Times::of(&records));
    file::write(disk, dir, span, four(12), told, records.into_iter().map(Ok))?;
    disk.sync_dir(dir)
}

fn decode(page: &[u8; PAGE_LEN], first: u64, into: &mut Vec<Record>) -> io::Result<()> {
    let count = usize::from(u16::from_le_bytes([page[PAGE_COUNT_AT], page[PAGE_COUNT_AT + 1]]));
    if page[PAGE_LEN - 4..] != crc32c::crc32c(&page[..PAGE_LEN - 4]).to_le_bytes() || count as u64 > PAGE_RECORDS {
        return Err(damaged("page"));
    }
    let (records, _) = page.as_chunks::<RECORD_LEN>();
    for bytes in &records[..count] {
        let mut time = [0; 8];
        time[..6].copy_from_slice(&bytes[22..]);
        let recorded_at = Timestamp::from_millisecond(i64::from_le_bytes(time)).map_err(|_| damaged("record"))?;
        let offset = bytes[18..].first_chunk().map_or(0, |offset| u32::from_le_bytes(*offset));
        into.push(Record {
            key: IdKey(bytes.first_chunk().copied().unwrap_or_default()),
            mark: Mark(bytes[10..].first_chunk().copied().unwrap_or_default()),
            sequence: first + u64::from(offset),
            recorded_at,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::disk::LocalDisk;
    use crate::ids::IdFile;

    /// Made from the page about version 2, not by Reeve: entries 3 to 302 with the identifiers `event 3` and so on, each
    /// received that many milliseconds after 1,800,000,000,000, with its sequence's last byte eight times as mark.
    const VERSION_2: &[u8] = include_bytes!("../../tests/fixtures/identifiers-v2.ids");

    #[test]
    fn a_file_of_version_2_is_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file::name(3, 303));
        std::fs::write(&path, VERSION_2).unwrap();
        assert!(IdFile::open(&LocalDisk, &path).is_err());
        take_over(&LocalDisk, dir.path(), (3, 303)).unwrap();
        let taken = IdFile::open(&LocalDisk, &path).unwrap();
        assert_eq!((taken.first(), taken.end(), taken.count(), taken.level()), (3, 303, 300, 1));
        for sequence in 3..303 {
            let found = taken.find(&IdKey::of(&format!("event {sequence}"))).unwrap().unwrap();
            assert_eq!((found.sequence, found.mark), (sequence, Mark([sequence as u8; 6])));
            assert_eq!(found.recorded_at.as_millisecond(), 1_800_000_000_000 + sequence as i64);
        }
        take_over(&LocalDisk, dir.path(), (3, 303)).unwrap();
        assert_eq!(IdFile::open(&LocalDisk, &path).unwrap().count(), 300);
    }

    #[test]
    fn a_damaged_file_of_version_2_is_left_for_rebuilding() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file::name(3, 303));
        for at in [20, 33, 1_000, VERSION_2.len() - 1] {
            let mut flipped = VERSION_2.to_vec();
            flipped[at] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert_eq!(take_over(&LocalDisk, dir.path(), (3, 303)).unwrap_err().kind(), io::ErrorKind::InvalidData);
            assert!(IdFile::open(&LocalDisk, &path).is_err());
        }
    }
}
