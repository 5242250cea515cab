//! The small encodings an index file is made of: variable-length numbers, lists of rows, and
//! numbers packed by blocks. Reading refuses what runs out of its bytes. Format:
//! `docs/formats/index.md`.

use super::bits::Bits;

/// Numbers of a packed block.
pub(super) const BLOCK: usize = 1_024;
/// Bytes that describe a packed block: least value, place of its bits, width.
pub(super) const BLOCK_HEAD: usize = 16;

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes and a place in them.
pub(super) struct CodeReader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> CodeReader<'a> {
    /// The next number; `None` where the bytes end or it does not fit.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }

        None
    }

    /// The next number as a size.
    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// Takes the next `len` bytes; `None` if fewer are left.
    pub(super) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }
}

/// Stores a list of rows. Returns its length in bytes, twice, and one more where it is a bitmap. No
/// bytes are all rows.
pub(super) fn put_rows(out: &mut Vec<u8>, rows: &[u32], of: usize) -> u64 {
    if rows.len() == of {
        return 0;
    }

    let start = out.len();
    let bitmap = of.div_ceil(8);
    let mut next = 0;

    for &row in rows {
        put_varint(out, u64::from(row - next));
        next = row + 1;
        if out.len() - start > bitmap {
            out.resize(start, 0);
            out.resize(start + bitmap, 0);
            for &row in rows {
                out[start + row as usize / 8] |= 1 << (row % 8);
            }
            return (bitmap as u64) << 1 | 1;
        }
    }

    ((out.len() - start) as u64) << 1
}

/// A list of rows as it is stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) bytes: &'a [u8],
    /// `true` for a bitmap.
    pub(super) bitmap: bool,
    /// Number of rows in the list.
    pub(super) count: u64,
}

impl Rows<'_> {
    /// Adds the rows of the list to `bits`.
    pub(super) fn add_to(&self, bits: &mut Bits) {
        if self.count == bits.len() as u64 {
            bits.set_range(0..bits.len());
        } else if self.bitmap {
            bits.or_bytes(self.bytes);
        } else {
            self.each(|row| bits.set(row));
        }
    }

    /// Number of rows that are in `bits`.
    pub(super) fn count_in(&self, bits: &Bits) -> u64 {
        if self.count == bits.len() as u64 {
            bits.count()
        } else if self.bitmap {
            bits.count_bytes(self.bytes)
        } else {
            let mut count = 0;
            self.each(|row| count += u64::from(bits.has(row)));
            count
        }
    }

    fn each(&self, mut visit: impl FnMut(usize)) {
        let mut reader = CodeReader { rest: self.bytes };
        let mut next = 0;
        while let Some(gap) = reader.size() {
            let row: usize = next + gap;
            visit(row);
            next = row + 1;
        }
    }
}

/// Appends numbers in blocks of [`BLOCK`]: the heads (least value, place and width), then the
/// distances from the least value, each block as wide as its largest.
pub(super) fn put_packed(out: &mut Vec<u8>, values: &[i64]) {
    let mut bits: Vec<u8> = Vec::new();
    for block in values.chunks(BLOCK) {
        let least = block.iter().copied().min().unwrap_or_default();
        let most = block.iter().copied().max().unwrap_or_default();
        let width = 64 - (most.wrapping_sub(least) as u64).leading_zeros();
        out.extend_from_slice(&least.to_le_bytes());
        out.extend_from_slice(&(bits.len() as u32).to_le_bytes());
        out.extend_from_slice(&width.to_le_bytes());
        let (mut held, mut filled) = (0u128, 0);
        for &value in block {
            held |= u128::from(value.wrapping_sub(least) as u64) << filled;
            filled += width;
            while filled >= 8 {
                bits.push(held as u8);
                held >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            bits.push(held as u8);
        }
    }

    out.extend_from_slice(&bits);
}

/// Packed numbers, read into memory.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    count: usize,
}

impl Packed {
    /// Reads the bytes of [`put_packed`]; `None` if they cannot be that.
    pub(super) fn new(bytes: Vec<u8>, count: usize) -> Option<Self> {
        let packed = Packed { bytes, count };
        let blocks = count.div_ceil(BLOCK);
        let whole = (0..blocks).all(|at| {
            packed.head(at).is_some_and(|(_, offset, width)| {
                let rows = BLOCK.min(count - at * BLOCK);
                width <= 64
                    && packed.bytes.len()
                        >= blocks * BLOCK_HEAD + offset + (rows * width as usize).div_ceil(8)
            })
        });

        whole.then_some(packed)
    }

    pub(super) fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK)
    }

    /// Least value, place of the bits, and width of a block.
    fn head(&self, block: usize) -> Option<(i64, usize, u32)> {
        let head = self
            .bytes
            .get(block * BLOCK_HEAD..(block + 1) * BLOCK_HEAD)?;
        let (least, rest) = head.split_at(8);
        let (offset, width) = rest.split_at(4);
        let offset = u32::from_le_bytes(offset.try_into().ok()?);

        Some((
            i64::from_le_bytes(least.try_into().ok()?),
            offset as usize,
            u32::from_le_bytes(width.try_into().ok()?),
        ))
    }

    /// Values of a block lie from the first to the second.
    pub(super) fn span(&self, block: usize) -> (i64, i64) {
        self.head(block).map_or((0, 0), |(least, _, width)| {
            (
                least,
                if width >= 63 {
                    i64::MAX
                } else {
                    least.saturating_add((1 << width) - 1)
                },
            )
        })
    }

    /// Decodes the value at an index.
    pub(super) fn get(&self, at: usize) -> i64 {
        let Some((least, offset, width)) = self.head(at / BLOCK) else {
            return 0;
        };
        let start = self.blocks() * BLOCK_HEAD + offset;
        least.wrapping_add(self.bits(start, at % BLOCK, width) as i64)
    }

    fn bits(&self, start: usize, at: usize, width: u32) -> u64 {
        let bit = at * width as usize;
        let from = start + bit / 8;
        let mut window = [0; 16];
        let have = self
            .bytes
            .get(from..self.bytes.len().min(from + 16))
            .unwrap_or_default();
        window[..have.len()].copy_from_slice(have);
        let value = (u128::from_le_bytes(window) >> (bit % 8)) as u64;

        if width == 64 {
            value
        } else {
            value & ((1 << width) - 1)
        }
    }

    /// The values of a block.
    pub(super) fn block(&self, block: usize, into: &mut Vec<i64>) {
        into.clear();
        let rows = BLOCK.min(self.count - block * BLOCK);
        let Some((least, offset, width)) = self.head(block) else {
            return;
        };

        let start = self.blocks() * BLOCK_HEAD + offset;
        if width > 56 {
            into.extend((0..rows).map(|at| least.wrapping_add(self.bits(start, at, width) as i64)));
            return;
        }

        let mask = (1u64 << width) - 1;
        for at in 0..rows {
            let bit = at * width as usize;
            let from = start + bit / 8;
            let value = match self
                .bytes
                .get(from..from + 8)
                .and_then(|bytes| bytes.try_into().ok())
            {
                Some(bytes) => u64::from_le_bytes(bytes) >> (bit % 8) & mask,
                None => self.bits(start, at, width),
            };
            into.push(least.wrapping_add(value as i64));
        }
    }
}

/// A hash of bytes, the same everywhere: eight bytes at a time, multiplied into 128 bits and
/// folded.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;

    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mut state = fold(bytes.len() as u64 ^ 0xa076_1d64_78bd_642f, K);

    for chunk in bytes.chunks(8) {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        state = fold(state ^ u64::from_le_bytes(eight), K);
    }

    fold(state ^ K, 0xe703_7ed1_a0b4_28db)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lists_of_rows_come_back_short_or_dense() {
        for (rows, of) in [
            (vec![], 10),
            (vec![0], 1),
            (vec![3, 4, 9_000], 10_000),
            ((0..5_000).filter(|row| row % 3 != 0).collect(), 5_000),
            ((0..777).collect::<Vec<u32>>(), 777),
        ] {
            let mut bytes = Vec::new();
            let code = put_rows(&mut bytes, &rows, of);
            assert_eq!(code >> 1, bytes.len() as u64);
            assert!(bytes.len() <= of.div_ceil(8).max(1));
            let stored = Rows {
                bytes: &bytes,
                bitmap: code & 1 == 1,
                count: rows.len() as u64,
            };
            let mut bits = Bits::none(of);
            stored.add_to(&mut bits);
            assert!(bits.iter().eq(rows.iter().map(|&row| row as usize)));
            let half: Vec<u32> = rows.iter().copied().filter(|row| row % 2 == 0).collect();
            let mut some = Bits::none(of);
            half.iter().for_each(|&row| some.set(row as usize));
            assert_eq!(stored.count_in(&some), half.len() as u64);
        }
    }

    #[test]
    fn packed_numbers_come_back() {
        for values in [
            vec![],
            vec![5],
            vec![i64::MIN, i64::MAX, 0, -1],
            (0..5_000).map(|n| n * 7 - 3).collect(),
            vec![42; 2_000],
            (0..3_000)
                .map(|n: i64| n.wrapping_mul(0x1234_5678_9abc_def1) >> (n % 40))
                .collect::<Vec<i64>>(),
        ] {
            let mut bytes = Vec::new();
            put_packed(&mut bytes, &values);
            let packed = Packed::new(bytes.clone(), values.len()).unwrap();
            let mut all = Vec::new();
            let mut block = Vec::new();
            for at in 0..packed.blocks() {
                packed.block(at, &mut block);
                let (least, most) = packed.span(at);
                assert!(block.iter().all(|value| (least..=most).contains(value)));
                all.extend_from_slice(&block);
            }
            assert_eq!(all, values);
            assert!(
                values
                    .iter()
                    .enumerate()
                    .all(|(at, &value)| packed.get(at) == value)
            );
            if values.len() > 1 && values[0] != values[1] {
                bytes.pop();
                assert!(Packed::new(bytes, values.len()).is_none());
            }
        }
    }

    #[test]
    fn numbers_run_out_where_their_bytes_do() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        numbers
            .iter()
            .for_each(|&number| put_varint(&mut bytes, number));
        let mut reader = CodeReader { rest: &bytes };
        assert!(
            numbers
                .iter()
                .all(|&number| reader.varint() == Some(number))
        );
        assert_eq!(reader.varint(), None);
        assert_eq!(CodeReader { rest: &[0xff; 12] }.varint(), None);
        assert_eq!(CodeReader { rest: &[1] }.bytes(2), None);
    }

    #[test]
    fn the_hash_is_part_of_the_format() {
        let texts: [&[u8]; 3] = [b"", b"a", b"needle-0123456789"];
        // Another value finds nothing in the indexes that are on disk: such a change needs another
        // number in their magic bytes.
        assert_eq!(
            texts.map(hash),
            [
                0xcbe3_4718_37ce_bf09,
                0x0560_6fd0_904e_7ddf,
                0x6b31_2e9b_2634_9397
            ]
        );

        assert_ne!(hash(b"a"), hash(b"a\0"));
    }
}
