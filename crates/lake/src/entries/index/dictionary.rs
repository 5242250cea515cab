//! Reading an index file's pieces: dictionaries of values with their rows, hashes with what has
//! them, packed numbers.

use std::cmp::Ordering;
use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use reeve_audit::query::fold;

use super::bits::Bits;
use super::code::{CodeReader, Rows};
use super::source::{IndexSource, damaged};
use super::write::{VALUES, mark};

/// Bytes of a file that hold one thing.
#[derive(Debug, Clone, Copy)]
pub(super) struct DictionaryPiece {
    start: u64,
    len: usize,
}

impl DictionaryPiece {
    /// The piece that a directory notes.
    pub(super) fn read(from: &mut CodeReader<'_>) -> Option<Self> {
        Some(DictionaryPiece {
            start: from.varint()?,
            len: from.size()?,
        })
    }

    /// One past its last byte.
    pub(super) fn end(&self) -> Option<u64> {
        self.start.checked_add(self.len as u64)
    }

    /// All of its bytes.
    pub(super) fn all(&self, file: &IndexSource) -> io::Result<Vec<u8>> {
        self.some(file, 0..self.len)
    }

    /// Some of its bytes.
    pub(super) fn some(&self, file: &IndexSource, range: Range<usize>) -> io::Result<Vec<u8>> {
        if range.start > range.end || range.end > self.len {
            return Err(damaged());
        }
        file.read(self.start + range.start as u64..self.start + range.end as u64)
    }
}

/// Place of one list of rows.
#[derive(Debug, Clone)]
pub(super) struct DictionaryList {
    pub(super) count: u64,
    pub(super) bitmap: bool,
    pub(super) place: Range<usize>,
}

/// A list of rows that stands alone.
#[derive(Debug, Clone)]
pub(super) struct Present {
    count: u64,
    bitmap: bool,
    piece: DictionaryPiece,
}

impl Present {
    /// The list that a directory notes.
    pub(super) fn read(from: &mut CodeReader<'_>) -> Option<(Self, DictionaryPiece)> {
        let (count, bitmap, piece) = (
            from.varint()?,
            from.varint()? == 1,
            DictionaryPiece::read(from)?,
        );
        Some((
            Present {
                count,
                bitmap,
                piece,
            },
            piece,
        ))
    }

    /// Returns the number of rows that have a value.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn rows(&self, file: &IndexSource, of: usize) -> io::Result<Bits> {
        let mut bits = Bits::none(of);
        let bytes = self.piece.all(file)?;
        Rows {
            bytes: &bytes,
            bitmap: self.bitmap,
            count: self.count,
        }
        .add_to(&mut bits);

        Ok(bits)
    }
}

/// Verdict of a walk through values on one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DictionaryVerdict {
    Take,
    Pass,
    Stop,
}

/// Values in order, with their rows.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub(super) count: usize,
    heads: DictionaryPiece,
    data: DictionaryPiece,
    lists: DictionaryPiece,
    read: OnceLock<Vec<u8>>,
}

impl Dictionary {
    /// The dictionary that a directory notes, and its pieces.
    pub(super) fn read(from: &mut CodeReader<'_>) -> Option<(Self, [DictionaryPiece; 3])> {
        let count = from.size()?;
        let [heads, data, lists] = [
            DictionaryPiece::read(from)?,
            DictionaryPiece::read(from)?,
            DictionaryPiece::read(from)?,
        ];
        Some((
            Dictionary {
                count,
                heads,
                data,
                lists,
                read: OnceLock::new(),
            },
            [heads, data, lists],
        ))
    }

    /// Number of blocks that its values fill.
    pub(super) fn blocks(&self) -> usize {
        self.count.div_ceil(VALUES)
    }

    fn heads(&self, file: &IndexSource) -> io::Result<&[u8]> {
        if let Some(read) = self.read.get() {
            return Ok(read);
        }

        let heads = self.heads.all(file)?;
        if heads.len() < (self.blocks() + 1) * 12 {
            return Err(damaged());
        }
        Ok(self.read.get_or_init(|| heads))
    }

    /// Places of a block: in the data, in the lists, in the keys.
    fn head(heads: &[u8], block: usize) -> [usize; 3] {
        let at = |part: usize| {
            let from = block * 12 + part * 4;
            heads
                .get(from..from + 4)
                .and_then(|four| four.try_into().ok())
                .map_or(0, u32::from_le_bytes) as usize
        };
        [at(0), at(1), at(2)]
    }

    fn key<'h>(&self, heads: &'h [u8], block: usize) -> &'h [u8] {
        let keys = (self.blocks() + 1) * 12;
        let (from, to) = (Self::head(heads, block)[2], Self::head(heads, block + 1)[2]);
        heads.get(keys + from..keys + to).unwrap_or_default()
    }

    /// The block where values that are not before (kind, folded text) begin.
    fn seek(&self, heads: &[u8], kind: u8, folded: &str) -> usize {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = (low + high) / 2;
            if compare(self.key(heads, middle), kind, folded) == Ordering::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }

        low.saturating_sub(1)
    }

    /// Walks through the values that are not before (kind, folded text), with the number each has,
    /// until told to stop.
    pub(super) fn walk(
        &self,
        file: &IndexSource,
        (kind, folded): (u8, &str),
        mut visit: impl FnMut(usize, u8, &str, &DictionaryList) -> DictionaryVerdict,
    ) -> io::Result<Vec<DictionaryList>> {
        let heads = self.heads(file)?;
        let first = self.seek(heads, kind, folded);
        let mut taken = Vec::new();
        let mut bytes = Vec::new();
        let mut loaded = first..first;

        for block in first..self.blocks() {
            if !loaded.contains(&block) {
                // A few blocks at first, then ever more: most walks end soon.
                let upto = (block + (loaded.len() * 4).clamp(1, 512)).min(self.blocks());
                bytes = self.data.some(
                    file,
                    Self::head(heads, block)[0]..Self::head(heads, upto)[0],
                )?;
                loaded = block..upto;
            }
            let from = Self::head(heads, block)[0] - Self::head(heads, loaded.start)[0];
            let stopped = self.walk_block(
                heads,
                block,
                bytes.get(from..).unwrap_or_default(),
                |number, value, list| {
                    if kind > 0 && compare(value, kind, folded) == Ordering::Less {
                        return DictionaryVerdict::Pass;
                    }
                    let Some((&kind, text)) = value.split_first() else {
                        return DictionaryVerdict::Pass;
                    };
                    let verdict = visit(
                        number,
                        kind,
                        std::str::from_utf8(text).unwrap_or_default(),
                        &list,
                    );
                    if verdict == DictionaryVerdict::Take {
                        taken.push(list);
                    }
                    verdict
                },
            )?;
            if stopped {
                break;
            }
        }

        Ok(taken)
    }

    fn walk_block(
        &self,
        heads: &[u8],
        block: usize,
        bytes: &[u8],
        mut visit: impl FnMut(usize, &[u8], DictionaryList) -> DictionaryVerdict,
    ) -> io::Result<bool> {
        let mut value = self.key(heads, block).to_vec();
        let mut reader = CodeReader { rest: bytes };
        let mut list_at = Self::head(heads, block)[1];

        for number in block * VALUES..self.count.min((block + 1) * VALUES) {
            let mut next = || {
                let (shared, more) = (reader.size()?, reader.size()?);
                value.truncate(shared);
                value.extend_from_slice(reader.bytes(more)?);
                Some((reader.varint()?, reader.size()?))
            };
            let Some((count, code)) = next() else {
                return Err(damaged());
            };
            let place = list_at..list_at + (code >> 1);
            list_at = place.end;
            if visit(
                number,
                &value,
                DictionaryList {
                    count,
                    bitmap: code & 1 == 1,
                    place,
                },
            ) == DictionaryVerdict::Stop
            {
                return Ok(true);
            }
        }

        Ok(false)
    }

    /// Walks through the values of blocks, which ascend.
    pub(super) fn in_blocks(
        &self,
        file: &IndexSource,
        blocks: &[usize],
        mut visit: impl FnMut(u8, &str, DictionaryList),
    ) -> io::Result<()> {
        if blocks.is_empty() {
            return Ok(());
        }

        let heads = self.heads(file)?;
        for run in blocks.chunk_by(|a, b| a + 1 == *b) {
            let (first, end) = (run[0], run[0] + run.len());
            if end > self.blocks() {
                return Err(damaged());
            }
            let start = Self::head(heads, first)[0];
            let bytes = self.data.some(file, start..Self::head(heads, end)[0])?;
            for block in first..end {
                let bytes = bytes
                    .get(Self::head(heads, block)[0] - start..)
                    .unwrap_or_default();
                self.walk_block(heads, block, bytes, |_, value, list| {
                    if let Some((&kind, text)) = value.split_first() {
                        visit(kind, std::str::from_utf8(text).unwrap_or_default(), list);
                    }
                    DictionaryVerdict::Pass
                })?;
            }
        }

        Ok(())
    }

    /// Calls `with` for each list with its rows. Lists ascend.
    pub(super) fn each_list(
        &self,
        file: &IndexSource,
        lists: &[DictionaryList],
        mut with: impl FnMut(usize, Rows<'_>),
    ) -> io::Result<()> {
        /// Lists are read together where so many bytes at most lie between them.
        const GAP: usize = 4_096;

        let mut at = 0;
        while at < lists.len() {
            let (start, mut end, mut upto) = (lists[at].place.start, lists[at].place.end, at + 1);
            while upto < lists.len()
                && lists[upto].place.start >= end
                && lists[upto].place.start - end <= GAP
            {
                end = lists[upto].place.end;
                upto += 1;
            }
            let bytes = self.lists.some(file, start..end)?;
            for (number, list) in lists.iter().enumerate().take(upto).skip(at) {
                let bytes = bytes
                    .get(list.place.start - start..list.place.end - start)
                    .unwrap_or_default();
                with(
                    number,
                    Rows {
                        bytes,
                        bitmap: list.bitmap,
                        count: list.count,
                    },
                );
            }
            at = upto;
        }

        Ok(())
    }

    /// The rows of all lists together.
    pub(super) fn rows(
        &self,
        file: &IndexSource,
        lists: &[DictionaryList],
        of: usize,
    ) -> io::Result<Bits> {
        let mut bits = Bits::none(of);
        self.each_list(file, lists, |_, rows| rows.add_to(&mut bits))?;
        Ok(bits)
    }
}

fn compare(value: &[u8], kind: u8, folded: &str) -> Ordering {
    let Some((&held, text)) = value.split_first() else {
        return Ordering::Less;
    };
    held.cmp(&kind)
        .then_with(|| match std::str::from_utf8(text) {
            Ok(text) => fold::fold(text).as_ref().cmp(folded),
            Err(_) => Ordering::Less,
        })
}

/// Hashes, and what has them.
#[derive(Debug)]
pub(super) struct Hashed {
    bits: u32,
    width: usize,
    buckets: u64,
    piece: DictionaryPiece,
}

impl Hashed {
    /// The table that a directory notes.
    pub(super) fn read(from: &mut CodeReader<'_>) -> Option<(Self, DictionaryPiece)> {
        let (bits, width, buckets, piece) = (
            from.varint()?,
            from.size()?,
            from.varint()?,
            DictionaryPiece::read(from)?,
        );

        let sound = bits <= 32
            && (3..=4).contains(&width)
            && buckets.is_power_of_two()
            && piece.len as u64 >= buckets.checked_add(1)?.checked_mul(4)?;
        sound.then_some((
            Hashed {
                bits: bits as u32,
                width,
                buckets,
                piece,
            },
            piece,
        ))
    }

    /// Numbers that may have the hash, ascending, and all that do.
    pub(super) fn find(&self, file: &IndexSource, hashed: u64) -> io::Result<Vec<usize>> {
        let bucket = (hashed & (self.buckets - 1)) as usize;
        let ends = self.piece.some(file, bucket * 4..bucket * 4 + 8)?;
        let mut ends = ends.chunks(4).map(number);
        let (from, to) = (
            ends.next().unwrap_or_default() as usize,
            ends.next().unwrap_or_default() as usize,
        );
        let start = (self.buckets as usize + 1) * 4;
        let held = self
            .piece
            .some(file, start + from * self.width..start + to * self.width)?;
        let room = if self.width == 4 {
            u32::MAX
        } else {
            (1 << 24) - 1
        };

        let low = if self.bits >= 32 {
            u32::MAX
        } else {
            (1 << self.bits) - 1
        };

        let wanted = mark(hashed, self.bits) & room;
        let held = held.chunks(self.width).map(number);
        Ok(held
            .filter(|held| held & !low == wanted)
            .map(|held| (held & low) as usize)
            .collect())
    }
}

/// A number of up to four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u32::from(byte))
}
