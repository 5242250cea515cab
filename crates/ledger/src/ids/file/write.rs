//! Writing a file of identifiers.

use std::io;
use std::path::Path;

use super::{HEADER_LEN, Head, IdFile, PAGE_KEY_AT, PAGE_LEN, Record, Times, Widths, bytes_of, damaged, millis, name};
use crate::disk::{Disk, DiskFile};
use crate::ids::filter::Filter;

/// Pages written at once.
const PAGES_AT_ONCE: usize = 64;

/// Writes a file of `count` records in the order of their keys; its content is durable when this returns, its name is not.
pub(crate) fn write(
    disk: &dyn Disk,
    dir: &Path,
    (first, end): (u64, u64),
    level: u32,
    (count, times): (u64, Times),
    records: impl Iterator<Item = io::Result<Record>>,
) -> io::Result<IdFile> {
    let mut head = Head { level, first, end, count, filter_checksum: 0, times, pages: 0 };
    let path = dir.join(name(first, end));
    let unnamed = dir.join(format!("{}.tmp", name(first, end)));
    let file = disk.create(&unnamed)?;
    let written = write_pages(file.as_ref(), &head, records).and_then(|(filter, pages)| {
        let filter = filter.to_bytes();
        head.pages = pages;
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
) -> io::Result<(Filter, u32)> {
    let mut filter = Filter::for_keys(head.count);
    let mut pages = Pages { head, widths: head.widths(), buffer: Vec::new(), page: Vec::new(), first: 0, whole: 0 };
    let mut count = 0;
    for record in records {
        let record = record?;
        filter.insert(&record.key);
        pages.add(&record)?;
        count += 1;
        if pages.buffer.len() == PAGES_AT_ONCE * PAGE_LEN {
            pages.flush(file)?;
        }
    }
    if count != head.count {
        return Err(damaged("number of records"));
    }
    pages.end_page();
    pages.flush(file)?;
    Ok((filter, pages.whole))
}

/// Pages as they are filled.
struct Pages<'a> {
    head: &'a Head,
    widths: Widths,
    /// Whole pages that are not written yet.
    buffer: Vec<u8>,
    /// The page that is being filled, and its first key.
    page: Vec<u8>,
    first: u64,
    /// How many pages are whole.
    whole: u32,
}

impl Pages<'_> {
    fn add(&mut self, record: &Record) -> io::Result<()> {
        let key = record.key.number();
        let [key_len, mark_len, sequence_len, time_len] = self.widths.0;
        let far = |first: u64| bytes_of(key.wrapping_sub(first)) > key_len;
        if self.page.len() == self.widths.on_page() * self.widths.record() || far(self.first) {
            self.end_page();
        }
        if self.page.is_empty() {
            self.first = key;
        }
        let sequence = record.sequence.wrapping_sub(self.head.first);
        let time = millis(record.recorded_at).wrapping_sub(self.head.times.least);
        if bytes_of(sequence) > sequence_len || bytes_of(time) > time_len {
            return Err(damaged("record"));
        }
        self.page.extend_from_slice(&(key - self.first).to_le_bytes()[..key_len]);
        self.page.extend_from_slice(&record.mark.0[..mark_len]);
        self.page.extend_from_slice(&sequence.to_le_bytes()[..sequence_len]);
        self.page.extend_from_slice(&time.to_le_bytes()[..time_len]);
        Ok(())
    }

    /// Fills the page up and sums it; does nothing when it has no records.
    fn end_page(&mut self) {
        let count = self.page.len() / self.widths.record();
        if count == 0 {
            return;
        }
        self.page.resize(PAGE_KEY_AT, 0);
        self.page.extend_from_slice(&self.first.to_be_bytes());
        self.page.extend_from_slice(&(count as u32).to_le_bytes());
        let checksum = crc32c::crc32c(&self.page);
        self.page.extend_from_slice(&checksum.to_le_bytes());
        self.buffer.append(&mut self.page);
        self.whole += 1;
    }

    fn flush(&mut self, file: &dyn DiskFile) -> io::Result<()> {
        let before = u64::from(self.whole) - (self.buffer.len() / PAGE_LEN) as u64;
        file.write_at(self.head.page_at(before), &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
