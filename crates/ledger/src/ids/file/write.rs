//! Writing a file of identifiers.

use std::io;

use super::{
    DIGEST_LEN, HEADER_LEN, Head, IdFile, IdRecord, PAGE_KEY_AT, PAGE_LEN, Place, Times, Widths,
    attested_name, bytes_of, damaged, digest, millis, name, page_digest,
};
use crate::disk::DiskFile;
use crate::ids::filter::IdFilter;

/// Pages written at once.
const PAGES_AT_ONCE: usize = 64;

/// Writes a file of `count` records in the order of their keys; its content is durable when this
/// returns, its name is not.
pub(crate) fn write(
    place: &Place<'_>,
    (first, end): (u64, u64),
    level: u32,
    (count, times): (u64, Times),
    records: impl Iterator<Item = io::Result<IdRecord>>,
) -> io::Result<IdFile> {
    let Place {
        disk,
        attestor,
        dir,
    } = *place;

    let mut head = Head {
        level,
        first,
        end,
        count,
        filter_checksum: 0,
        times,
        pages: 0,
    };

    let path = dir.join(name(first, end));
    let unnamed = dir.join(format!("{}.tmp", name(first, end)));
    let file = disk.create(&unnamed)?;
    let written = write_pages(file.as_ref(), &head, records).and_then(|(filter, digests)| {
        let filter = filter.to_bytes();
        head.pages = (digests.len() / DIGEST_LEN) as u32;
        head.filter_checksum = crc32c::crc32c(&filter);
        let header = head.encode();
        let attested = attestor.attest(
            &attested_name(first, end),
            end,
            digest(&header, &filter, &digests),
        );
        let note = attested.map_err(io::Error::other)?;
        let mut after = digests;
        after.extend_from_slice(note.as_bytes());
        after.extend_from_slice(&(note.len() as u32).to_le_bytes());
        file.write_at(head.page_at(head.pages()), &after)?;
        file.write_at(HEADER_LEN as u64, &filter)?;
        file.write_at(0, &header)?;
        file.sync()?;
        disk.rename(&unnamed, &path)
    });

    drop(file);
    if let Err(error) = written {
        let _ = disk.remove(&unnamed);
        return Err(error);
    }

    IdFile::open(disk, attestor, &path)
}

fn write_pages(
    file: &dyn DiskFile,
    head: &Head,
    records: impl Iterator<Item = io::Result<IdRecord>>,
) -> io::Result<(IdFilter, Vec<u8>)> {
    let mut filter = IdFilter::for_keys(head.count);
    let mut pages = Pages {
        head,
        widths: head.widths(),
        buffer: Vec::new(),
        page: Vec::new(),
        first: 0,
        digests: Vec::new(),
    };

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
    Ok((filter, pages.digests))
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
    /// Digests of the pages that are whole.
    digests: Vec<u8>,
}

impl Pages<'_> {
    fn add(&mut self, record: &IdRecord) -> io::Result<()> {
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

        self.page
            .extend_from_slice(&(key - self.first).to_le_bytes()[..key_len]);
        self.page.extend_from_slice(&record.mark.0[..mark_len]);
        self.page
            .extend_from_slice(&sequence.to_le_bytes()[..sequence_len]);
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
        self.digests.extend_from_slice(&page_digest(&self.page));
        self.buffer.append(&mut self.page);
    }

    fn flush(&mut self, file: &dyn DiskFile) -> io::Result<()> {
        let before =
            (self.digests.len() / DIGEST_LEN) as u64 - (self.buffer.len() / PAGE_LEN) as u64;
        file.write_at(self.head.page_at(before), &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
