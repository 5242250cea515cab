//! A part of a file that Parquet's reader takes for the whole: what it asks for must lie inside.

use bytes::{Buf as _, Bytes, buf::Reader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Bytes of a file, in their place.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    pub(super) bytes: Bytes,
    /// Position in the file at which they begin.
    pub(super) start: u64,
    /// Length of the file, bytes.
    pub(super) size: u64,
}

impl Length for Strip {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Strip {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let end = self.start + self.bytes.len() as u64;
        let length = end.checked_sub(start).and_then(|length| usize::try_from(length).ok());
        self.get_bytes(start, length.unwrap_or(usize::MAX)).map(Bytes::reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let first = start.checked_sub(self.start).and_then(|first| usize::try_from(first).ok());
        let range = first.and_then(|first| Some(first..first.checked_add(length)?));
        match range.filter(|range| range.end <= self.bytes.len()) {
            Some(range) => Ok(self.bytes.slice(range)),
            None => Err(ParquetError::EOF(format!("{length} bytes at {start} are outside what was read"))),
        }
    }
}
