//! A CSV file as a whole: its delimiter told from its first lines, and each record with the line it
//! starts on.

use std::io::Read as _;

use anyhow::{Context as _, Result, bail};
use csv::{ByteRecord, Reader, ReaderBuilder};

use super::file::Input;

/// Lines that the delimiter is told from.
const LOOKED_AT: usize = 20;

/// A CSV file in memory, without a byte order mark.
pub(super) struct AnalyzeTable {
    /// Name of the file, for messages.
    pub(super) name: String,
    bytes: Vec<u8>,
    delimiter: u8,
}

/// Its records, one after the other.
pub(super) struct AnalyzeRecords<'a> {
    table: &'a AnalyzeTable,
    reader: Reader<&'a [u8]>,
    counted: usize,
    line: u64,
}

impl AnalyzeTable {
    /// Reads a file whole.
    pub(super) fn read(mut input: Input) -> Result<Self> {
        let mut bytes = Vec::new();
        input
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} could not be read", input.name))?;
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            bail!("{} is UTF-16; save it as UTF-8", input.name);
        }
        if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
            bytes.drain(..3);
        }

        if is_binary(&bytes) {
            bail!(
                "{} is not text; this command reads CSV (.gz is unpacked by its name, and a bill may be .parquet)",
                input.name
            );
        }

        if bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[")
        {
            bail!(
                "{} is JSON; this command reads CSV with a header and a row a line",
                input.name
            );
        }

        let delimiter = delimiter(&bytes);
        Ok(Self {
            name: input.name,
            bytes,
            delimiter,
        })
    }

    /// Returns `true` where numbers may have a decimal comma, because columns are divided by
    /// something else.
    pub(super) fn decimal_comma(&self) -> bool {
        self.divided_by_semicolons()
    }

    /// Returns `true` where semicolons divide the columns.
    pub(super) fn divided_by_semicolons(&self) -> bool {
        self.delimiter == b';'
    }

    /// Its records from the first on, a header being one of them.
    pub(super) fn records(&self) -> AnalyzeRecords<'_> {
        let mut builder = ReaderBuilder::new();
        let reader = builder
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .from_reader(self.bytes.as_slice());

        AnalyzeRecords {
            table: self,
            reader,
            counted: 0,
            line: 1,
        }
    }
}

/// Returns `true` for content that no text file has: a terminal would obey the control characters
/// of a quoted cell.
fn is_binary(bytes: &[u8]) -> bool {
    const MAGIC: [&[u8]; 4] = [
        b"PAR1",
        b"PK\x03\x04",
        &[0x1f, 0x8b],
        &[0x28, 0xb5, 0x2f, 0xfd],
    ];

    let control =
        |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c);
    MAGIC.iter().any(|magic| bytes.starts_with(magic)) || bytes.iter().any(control)
}

/// The byte between columns: a comma, or a semicolon or tab that the first lines have equally often
/// and whose cells have commas only as decimal commas.
fn delimiter(bytes: &[u8]) -> u8 {
    let lines = || {
        bytes
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .filter(|line| !line.is_empty())
            .take(LOOKED_AT)
    };

    let divides = |other: u8| {
        let count = |line: &[u8]| line.iter().filter(|byte| **byte == other).count();
        let columns = lines().next().map_or(0, count);
        columns > 0
            && lines().all(|line| {
                count(line) == columns && line.split(|byte| *byte == other).all(has_no_column_comma)
            })
    };

    let first = lines().next().unwrap_or(&[]);
    let only = |other: &u8| !first.contains(&b',') && first.contains(other);
    let others = [b';', b'\t'];

    others
        .into_iter()
        .find(|other| divides(*other))
        .or_else(|| others.into_iter().find(only))
        .unwrap_or(b',')
}

/// Returns `true` for a cell without a comma, in quotes, or with commas between digits alone.
fn has_no_column_comma(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let digit = |at: Option<usize>| {
        at.and_then(|at| cell.get(at))
            .is_some_and(u8::is_ascii_digit)
    };

    let commas = || {
        cell.iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b',')
            .map(|(at, _)| at)
    };

    let number = cell
        .iter()
        .all(|byte| byte.is_ascii_digit() || b",.-+eE".contains(byte));
    cell.starts_with(b"\"")
        || commas().next().is_none()
        || number && commas().all(|at| digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

impl AnalyzeRecords<'_> {
    /// Reads the next record; the line it starts on, the file's first being 1, or nothing at the
    /// end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<Option<u64>> {
        let mut start = usize::try_from(self.reader.position().byte())?;
        let more = self
            .reader
            .read_byte_record(record)
            .with_context(|| format!("{} could not be read", self.table.name))?;
        if !more {
            return Ok(None);
        }

        // The reader leaves the second half of a line's end, and empty lines, to the record that
        // follows.
        let bytes = &self.table.bytes;
        start += bytes
            .get(start..)
            .unwrap_or(&[])
            .iter()
            .take_while(|byte| matches!(byte, b'\n' | b'\r'))
            .count();

        let passed = bytes.get(self.counted..start).unwrap_or(&[]);
        let lonely = |at: usize| {
            passed.get(at) == Some(&b'\r') && bytes.get(self.counted + at + 1) != Some(&b'\n')
        };

        let ends = (0..passed.len())
            .filter(|at| passed.get(*at) == Some(&b'\n') || lonely(*at))
            .count();
        self.line += ends as u64;
        self.counted = start;

        Ok(Some(self.line))
    }
}
