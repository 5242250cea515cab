//! A CSV file as a whole: its delimiter told from its first line, and each record with the line it starts on.

use std::io::Read as _;

use anyhow::{Context as _, Result, bail};
use csv::{ByteRecord, Reader, ReaderBuilder};

use super::file::Input;

/// A CSV file in memory, without a byte order mark.
pub(super) struct Table {
    /// What messages call it.
    pub(super) name: String,
    bytes: Vec<u8>,
}

/// Its records, one after the other.
pub(super) struct Records<'a> {
    table: &'a Table,
    reader: Reader<&'a [u8]>,
    counted: usize,
    line: u64,
}

impl Table {
    /// Reads a file whole.
    pub(super) fn read(mut input: Input) -> Result<Self> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).with_context(|| format!("{} could not be read", input.name))?;
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            bail!("{} is UTF-16; save it as UTF-8", input.name);
        }
        if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
            bytes.drain(..3);
        }
        Ok(Self { name: input.name, bytes })
    }

    /// Its records from the first on, a header being one of them. Commas stand between columns, or semicolons or tabs where
    /// the first line has no comma.
    pub(super) fn records(&self) -> Records<'_> {
        let first = self.bytes.split(|byte| matches!(byte, b'\n' | b'\r')).find(|line| !line.is_empty()).unwrap_or(&[]);
        let other = [b';', b'\t'].into_iter().find(|other| first.contains(other));
        let delimiter = other.filter(|_| !first.contains(&b',')).unwrap_or(b',');
        let mut builder = ReaderBuilder::new();
        let reader = builder.has_headers(false).flexible(true).delimiter(delimiter).from_reader(self.bytes.as_slice());
        Records { table: self, reader, counted: 0, line: 1 }
    }
}

impl Records<'_> {
    /// Reads the next record; the line it starts on, the file's first being 1, or nothing at the end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<Option<u64>> {
        let mut start = usize::try_from(self.reader.position().byte())?;
        let more =
            self.reader.read_byte_record(record).with_context(|| format!("{} could not be read", self.table.name))?;
        if !more {
            return Ok(None);
        }
        // The reader leaves the second half of a line's end, and empty lines, to the record that follows.
        let bytes = &self.table.bytes;
        start += bytes.get(start..).unwrap_or(&[]).iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let passed = bytes.get(self.counted..start).unwrap_or(&[]);
        let lonely = |at: usize| passed.get(at) == Some(&b'\r') && bytes.get(self.counted + at + 1) != Some(&b'\n');
        let ends = (0..passed.len()).filter(|at| passed.get(*at) == Some(&b'\n') || lonely(*at)).count();
        self.line += ends as u64;
        self.counted = start;
        Ok(Some(self.line))
    }
}
