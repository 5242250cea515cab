//! A file as the Parquet reader reads it: by position, so that many readers share one file.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// A file from a position on. It has no cursor that other readers could move.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) file: Arc<File>,
    pub(super) size: u64,
    pub(super) at: u64,
}

impl Read for At {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Length for At {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for At {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(At {
            at: start,
            ..self.clone()
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.size)
        {
            return Err(ParquetError::EOF(format!(
                "{length} bytes from {start} of {}",
                self.size
            )));
        }

        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}
