//! Parts of a file that Parquet's reader takes for the whole: what it asks for must lie inside one
//! of them.

use bytes::{Buf as _, Bytes, buf::Reader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Bytes of a file, in their places.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    /// Positions in the file at which the parts begin, ascending, with the parts.
    pub(super) windows: Vec<(u64, Bytes)>,
    /// Length of the file, bytes.
    pub(super) size: u64,
}

impl Strip {
    /// The bytes from a position to the end of the part that it lies in.
    fn rest(&self, start: u64) -> Option<Bytes> {
        let after = self.windows.partition_point(|(first, _)| *first <= start);
        let (first, bytes) = self.windows.get(after.checked_sub(1)?)?;
        let skipped = usize::try_from(start - first).ok()?;
        (skipped <= bytes.len()).then(|| bytes.slice(skipped..))
    }
}

impl Length for Strip {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Strip {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        self.rest(start)
            .map(Bytes::reader)
            .ok_or_else(|| outside(start, 1))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let rest = self.rest(start).filter(|rest| length <= rest.len());
        rest.map(|rest| rest.slice(..length))
            .ok_or_else(|| outside(start, length))
    }
}

fn outside(start: u64, length: usize) -> ParquetError {
    ParquetError::EOF(format!(
        "{length} bytes at {start} are outside what was read"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_bytes_that_were_read_are_given() {
        let part = |text: &'static str| Bytes::from_static(text.as_bytes());
        let strip = Strip {
            windows: vec![(10, part("abcde")), (20, part("xyz"))],
            size: 30,
        };
        assert_eq!(strip.get_bytes(11, 3).unwrap(), "bcd");
        assert_eq!(strip.get_bytes(20, 3).unwrap(), "xyz");

        for (start, length) in [(9, 1), (11, 5), (15, 1), (20, 4), (23, 1), (29, 1)] {
            assert!(
                strip.get_bytes(start, length).is_err(),
                "{length} at {start}"
            );
        }
    }
}
