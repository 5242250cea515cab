//! An index, open: its directory in memory, everything else read by range and checked then.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::OnceLock;

use reeve_audit::Obstacle;
use sha2::{Digest as _, Sha256};

use super::bits::Bits;
use super::code::{CodeReader, Packed};
use super::dictionary::{Dictionary, DictionaryPiece, Hashed, Present};
use super::source::{BLOCK, Held, IndexSource, Sum, damaged};
use super::write::{IndexRow, MAGIC, build};

/// Bytes after the attestation: the directory's place, the attestation's length, the checksum, the
/// mark.
const TRAILER: usize = 8 + 4 + 4 + 8;
/// Longest attestation that is read.
const MAX_NOTE: u64 = 64 << 10;

/// Says whether a note attests that an index has this digest; an error tells why not.
pub(in crate::entries) type Attested<'a> = &'a dyn Fn(&[u8], [u8; 32]) -> Result<(), Obstacle>;

/// A field of an index.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) key: Vec<u8>,
    /// `true` if free text looks into it.
    pub(super) searched: bool,
    /// `true` if UUIDs are among its values, of which only the words are kept.
    pub(super) uuids: bool,
    pub(super) present: Present,
    /// Its values; `None` where only their words are kept.
    pub(super) values: Option<Dictionary>,
    /// The number of its first block among those of all fields.
    pub(super) base: usize,
}

/// The index of one segment, or of a piece of the tail.
#[derive(Debug)]
pub(in crate::entries) struct EntryIndex {
    pub(super) file: IndexSource,
    /// Size and time of change when it was opened.
    pub(super) looks: (u64, i64, i64),
    pub(super) rows: usize,
    first: u64,
    /// `true` if members were left out: a value that is not found may be there then.
    pub(super) incomplete: bool,
    timestamps: DictionaryPiece,
    recorded: DictionaryPiece,
    skips: DictionaryPiece,
    skipped: OnceLock<Packed>,
    pub(super) words: Dictionary,
    pub(super) uuids: Hashed,
    pub(super) uuid_rows: Present,
    pub(super) fields: Vec<Field>,
    pub(super) by_key: HashMap<Vec<u8>, usize>,
    pub(super) value_words: Hashed,
}

impl EntryIndex {
    /// Opens a file and checks its directory, which must be attested; the rest is compared with the
    /// digests in the directory where it is read. It must be the index of a segment with this
    /// SHA-256 and so many rows.
    pub(in crate::entries) fn open(
        path: &Path,
        sha256: &[u8; 32],
        rows: u64,
        attested: Attested<'_>,
    ) -> io::Result<Self> {
        let file = File::open(path)?;
        let looks = looks(&file)?;
        let index = Self::new(Held::File(file), looks, sha256, attested)?;
        if index.rows as u64 != rows {
            return Err(damaged());
        }
        Ok(index)
    }

    /// The index of entries that are in no segment yet.
    pub(in crate::entries) fn of_entries(entries: &[IndexRow<'_>]) -> io::Result<Self> {
        let bytes = build(entries, &[0; 32], &|_| String::new());
        let looks = (bytes.len() as u64, 0, 0);
        // Nobody else can write to this process's memory.
        Self::new(Held::Memory(bytes), looks, &[0; 32], &|_, _| Ok(()))
    }

    fn new(
        held: Held,
        looks: (u64, i64, i64),
        sha256: &[u8; 32],
        attested: Attested<'_>,
    ) -> io::Result<Self> {
        let (directory, file) = directory(held, looks.0, attested)?;
        Self::read(&mut CodeReader { rest: &directory }, file, looks, sha256).ok_or_else(damaged)
    }

    fn read(
        from: &mut CodeReader<'_>,
        file: IndexSource,
        looks: (u64, i64, i64),
        sha256: &[u8; 32],
    ) -> Option<Self> {
        let within = |piece: &DictionaryPiece| piece.end().is_some_and(|end| end <= looks.0);
        if from.bytes(32)? != sha256 {
            return None;
        }

        let (rows, first, incomplete) = (from.size()?, from.varint()?, from.varint()? == 1);
        let [timestamps, recorded, skips] = [
            DictionaryPiece::read(from)?,
            DictionaryPiece::read(from)?,
            DictionaryPiece::read(from)?,
        ];
        let (words, pieces) = Dictionary::read(from)?;
        let (uuids, uuid_piece) = Hashed::read(from)?;
        let (uuid_rows, present_piece) = Present::read(from)?;
        if ![timestamps, recorded, skips, uuid_piece, present_piece]
            .iter()
            .chain(&pieces)
            .all(within)
        {
            return None;
        }

        let mut fields = Vec::new();
        let mut base = 0;

        for _ in 0..from.size()? {
            let len = from.size()?;
            let key = from.bytes(len)?.to_vec();
            let flags = from.varint()?;
            let (present, piece) = Present::read(from)?;
            let values = if flags & 2 == 0 {
                Some(Dictionary::read(from)?)
            } else {
                None
            };
            if !within(&piece) || !values.iter().all(|(_, pieces)| pieces.iter().all(within)) {
                return None;
            }
            let values = values.map(|(values, _)| values);
            let count = values.as_ref().map_or(0, Dictionary::blocks);
            fields.push(Field {
                key,
                searched: flags & 1 == 1,
                uuids: flags & 4 == 4,
                present,
                values,
                base,
            });
            base += count;
        }

        let (value_words, piece) = Hashed::read(from)?;
        let by_key = fields
            .iter()
            .enumerate()
            .map(|(at, field)| (field.key.clone(), at))
            .collect();

        within(&piece).then_some(EntryIndex {
            file,
            looks,
            rows,
            first,
            incomplete,
            timestamps,
            recorded,
            skips,
            skipped: OnceLock::new(),
            words,
            uuids,
            uuid_rows,
            fields,
            by_key,
            value_words,
        })
    }

    /// Checks every block of the file that no search has needed yet.
    pub(in crate::entries) fn check(&self) -> io::Result<()> {
        self.file.check()
    }

    /// Returns `true` if the file still looks as it did when it was opened.
    pub(in crate::entries) fn is_as_opened(&self) -> bool {
        match &self.file.held {
            Held::File(file) => looks(file).is_ok_and(|now| now == self.looks),
            Held::Memory(_) => true,
        }
    }

    /// Number of rows of the segment.
    pub(in crate::entries) fn rows(&self) -> usize {
        self.rows
    }

    /// `timestamp` of every row, or `recorded_at`.
    pub(super) fn times(&self, recorded: bool) -> io::Result<Packed> {
        let piece = if recorded {
            self.recorded
        } else {
            self.timestamps
        };
        Packed::new(piece.all(&self.file)?, self.rows).ok_or_else(damaged)
    }

    /// `timestamp` of some rows, or `recorded_at`, in the order of the rows.
    pub(in crate::entries) fn times_of(
        &self,
        recorded: bool,
        rows: &Bits,
    ) -> io::Result<Vec<(usize, i64)>> {
        let times = self.times(recorded)?;
        Ok(rows.iter().map(|row| (row, times.get(row))).collect())
    }

    fn skipped(&self) -> io::Result<&Packed> {
        if let Some(skipped) = self.skipped.get() {
            return Ok(skipped);
        }
        let skipped = Packed::new(self.skips.all(&self.file)?, self.rows).ok_or_else(damaged)?;
        Ok(self.skipped.get_or_init(|| skipped))
    }

    /// The sequence of a row.
    pub(in crate::entries) fn sequence(&self, row: usize) -> io::Result<u64> {
        Ok(self.first + row as u64 + self.skipped()?.get(row) as u64)
    }

    /// The first row whose sequence is not below this one.
    pub(in crate::entries) fn row_at(&self, sequence: u64) -> io::Result<usize> {
        let skipped = self.skipped()?;
        let (mut low, mut high) = (0, self.rows);

        while low < high {
            let middle = (low + high) / 2;
            if self.first + middle as u64 + (skipped.get(middle) as u64) < sequence {
                low = middle + 1;
            } else {
                high = middle;
            }
        }

        Ok(low)
    }
}

/// Size and time of change.
fn looks(file: &File) -> io::Result<(u64, i64, i64)> {
    let found = file.metadata()?;
    Ok((found.len(), found.mtime(), found.mtime_nsec()))
}

/// The directory of a file, if it is attested, and the file with the digests of what is before it.
fn directory(file: Held, size: u64, attested: Attested<'_>) -> io::Result<(Vec<u8>, IndexSource)> {
    let end = size.checked_sub(TRAILER as u64).ok_or_else(damaged)?;
    let mut trailer = [0; TRAILER];
    file.read_exact_at(&mut trailer, end)?;
    let (checked, rest) = trailer.split_at(12);
    let (stored_sum, magic) = rest.split_at(4);
    let body = checked
        .first_chunk()
        .map_or(0, |place| u64::from_le_bytes(*place));
    let note = u64::from(
        checked
            .last_chunk()
            .map_or(0, |length| u32::from_le_bytes(*length)),
    );

    let start = end
        .checked_sub(note)
        .filter(|_| note <= MAX_NOTE)
        .ok_or_else(damaged)?;
    if magic != MAGIC || !(MAGIC.len() as u64..=start).contains(&body) {
        return Err(damaged());
    }

    let mut bytes = vec![0; (end - body) as usize];
    file.read_exact_at(&mut bytes, body)?;
    let sum = crc32c::crc32c_append(crc32c::crc32c(&bytes), checked);
    let note = bytes.split_off((start - body) as usize);
    let sums = (body as usize).div_ceil(BLOCK) * size_of::<Sum>();
    if sum.to_le_bytes() != stored_sum || bytes.len() < sums {
        return Err(damaged());
    }

    let refused = |cause| io::Error::new(io::ErrorKind::InvalidData, cause);
    attested(&note, Sha256::digest(&bytes).into()).map_err(refused)?;
    let sums = bytes.split_off(bytes.len() - sums);

    Ok((
        bytes,
        IndexSource::new(file, body, sums.as_chunks().0.to_vec()),
    ))
}
