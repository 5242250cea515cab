//! The bytes of an index, in a file or in memory: read by range, each block checked when it is
//! first read.
//!
//! Checking whole files would make the first searches after a start read all of them; a search
//! needs a few blocks of each. What does not fit its sum is an error, never a value.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

/// Bytes that have a digest together.
pub(super) const BLOCK: usize = 16 * 1024;
/// The beginning of the SHA-256 of a block. A checksum would find damage, but not a block that was
/// changed on purpose.
pub(super) type Sum = [u8; 16];

/// Error of an index, a part of which lies beyond its end.
pub(super) fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the index leads beyond its own end",
    )
}

/// Place of the bytes of an index.
#[derive(Debug)]
pub(super) enum Held {
    File(File),
    Memory(Vec<u8>),
}

impl Held {
    pub(super) fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        match self {
            Held::File(file) => file.read_exact_at(into, at),
            Held::Memory(bytes) => {
                let from = usize::try_from(at)
                    .ok()
                    .and_then(|at| bytes.get(at..)?.get(..into.len()));
                into.copy_from_slice(from.ok_or_else(damaged)?);
                Ok(())
            }
        }
    }
}

/// Bytes with their digests.
#[derive(Debug)]
pub(super) struct IndexSource {
    pub(super) held: Held,
    /// Number of bytes with digests, from the first on.
    size: u64,
    sums: Vec<Sum>,
    /// Blocks that were found right, a bit each.
    right: Vec<AtomicU64>,
}

impl IndexSource {
    /// An index whose first `size` bytes have these digests, a block each.
    pub(super) fn new(held: Held, size: u64, sums: Vec<Sum>) -> Self {
        let right = (0..sums.len().div_ceil(64))
            .map(|_| AtomicU64::new(0))
            .collect();
        IndexSource {
            held,
            size,
            sums,
            right,
        }
    }

    /// Reads a range of the bytes, after a check of the blocks that hold it.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.start > range.end || range.end > self.size {
            return Err(damaged());
        }

        let blocks =
            (range.start / BLOCK as u64) as usize..range.end.div_ceil(BLOCK as u64) as usize;
        if blocks.clone().all(|block| self.is_right(block)) {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            self.held.read_exact_at(&mut bytes, range.start)?;
            return Ok(bytes);
        }

        let mut bytes = self.checked(blocks.clone())?;
        let start = (range.start - (blocks.start * BLOCK) as u64) as usize;
        bytes.truncate(start + (range.end - range.start) as usize);
        bytes.drain(..start);

        Ok(bytes)
    }

    /// Checks every block that was not found right before.
    pub(super) fn check(&self) -> io::Result<()> {
        (0..self.sums.len())
            .filter(|&block| !self.is_right(block))
            .try_for_each(|at| self.checked(at..at + 1).map(drop))
    }

    /// Whole blocks, each compared with its digest.
    fn checked(&self, blocks: Range<usize>) -> io::Result<Vec<u8>> {
        let start = (blocks.start * BLOCK) as u64;
        let mut bytes = vec![0; (((blocks.end * BLOCK) as u64).min(self.size) - start) as usize];
        self.held.read_exact_at(&mut bytes, start)?;

        for (block, bytes) in blocks.zip(bytes.chunks(BLOCK)) {
            if self.sums.get(block) != Some(&sum(bytes)) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a block of the index is not what was written",
                ));
            }
            self.right[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        }

        Ok(bytes)
    }

    fn is_right(&self, block: usize) -> bool {
        self.right
            .get(block / 64)
            .is_some_and(|bits| bits.load(Ordering::Relaxed) >> (block % 64) & 1 == 1)
    }
}

/// Digests of bytes, a block each.
pub(super) fn sums(bytes: &[u8]) -> impl Iterator<Item = Sum> {
    bytes.chunks(BLOCK).map(sum)
}

fn sum(block: &[u8]) -> Sum {
    let whole: [u8; 32] = Sha256::digest(block).into();
    whole.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ranges_come_back_and_a_wrong_block_is_refused_wherever_it_is_touched() {
        for len in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 77] {
            let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            std::fs::write(&path, &bytes).unwrap();
            let open = || {
                IndexSource::new(
                    Held::File(File::open(&path).unwrap()),
                    len as u64,
                    sums(&bytes).collect(),
                )
            };
            let ranges = [
                0..0,
                0..1,
                0..len,
                len - 1..len,
                len / 3..len / 2,
                len / 2..len.min(len / 2 + BLOCK),
            ];
            let sound = open();
            for range in ranges.iter().chain(&ranges) {
                let read = sound.read(range.start as u64..range.end as u64).unwrap();
                assert_eq!(read, bytes[range.clone()], "{len} {range:?}");
            }
            sound.check().unwrap();
            assert!(sound.read(0..len as u64 + 1).is_err());
            for flipped in [0, len / 2, len - 1] {
                let mut wrong = bytes.clone();
                wrong[flipped] ^= 4;
                std::fs::write(&path, &wrong).unwrap();
                let source = open();
                for range in &ranges {
                    let touched = !range.is_empty()
                        && (range.start / BLOCK..range.end.div_ceil(BLOCK))
                            .contains(&(flipped / BLOCK));
                    let read = source.read(range.start as u64..range.end as u64);
                    assert_eq!(read.is_err(), touched, "{len} {flipped} {range:?}");
                    assert!(read.is_err() || read.unwrap() == bytes[range.clone()]);
                }
                assert!(source.check().is_err());
                std::fs::write(&path, &bytes).unwrap();
            }
        }
    }
}
