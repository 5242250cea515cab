//! Reads records one at a time out of plain or gzip-compressed input of any size.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use reeve_audit::Entry;

use crate::map::map_record;
use crate::record::{CloudtrailRecord, MapError};
use crate::split::{SplitError, Splitter};

/// Members that hold the records in log files and in answers of `aws cloudtrail lookup-events`.
pub(crate) const HOLDERS: [&str; 2] = ["Records", "Events"];

/// Reason why a record was not taken, or why reading ended.
#[derive(Debug, thiserror::Error)]
pub enum CloudtrailReadError {
    /// The input could not be read or decompressed. Reading ends.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The input is not JSON from here on. Reading ends.
    #[error("{0}")]
    Broken(String),
    /// One record is too long. The next is tried.
    #[error("{0}")]
    TooLarge(String),
    /// One record is not taken. The next is tried.
    #[error("record {index} at byte {offset}: {source}")]
    Record {
        /// Position of the record in the input, from 0.
        index: u64,
        /// Offset of the record in the decompressed input.
        offset: u64,
        /// Fault in the record.
        #[source]
        source: MapError,
    },
}

impl CloudtrailReadError {
    /// Returns `true` if nothing can be read after this error.
    pub fn ends_reading(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Broken(_))
    }

    /// Returns `true` if the input is a digest file, which holds no records and may be skipped.
    pub fn is_digest(&self) -> bool {
        matches!(
            self,
            Self::Record {
                source: MapError::Digest,
                ..
            }
        )
    }
}

impl From<SplitError> for CloudtrailReadError {
    fn from(e: SplitError) -> Self {
        match e {
            SplitError::Io(e) => Self::Io(e),
            SplitError::TooLarge { .. } => Self::TooLarge(e.to_string()),
            _ => Self::Broken(e.to_string()),
        }
    }
}

/// An iterator over the records of one input. Holds one record in memory at a time.
pub struct RecordReader {
    pieces: Splitter<Box<dyn BufRead + Send>>,
    index: u64,
}

impl RecordReader {
    /// Reads `input`, decompressing it when it begins as gzip does.
    pub fn new(mut input: impl Read + Send + 'static) -> io::Result<Self> {
        let mut start = Vec::new();
        input.by_ref().take(2).read_to_end(&mut start)?;
        let gzip = start == [0x1f, 0x8b];
        let whole = Cursor::new(start).chain(input);
        let input: Box<dyn BufRead + Send> = if gzip {
            Box::new(BufReader::new(MultiGzDecoder::new(whole)))
        } else {
            Box::new(BufReader::new(whole))
        };

        Ok(Self {
            pieces: Splitter::new(input, &HOLDERS),
            index: 0,
        })
    }

    /// The entries that the records mean.
    pub fn entries(self) -> impl Iterator<Item = Result<Entry, CloudtrailReadError>> {
        self.map(|record| record.map(map_record))
    }
}

impl Iterator for RecordReader {
    type Item = Result<CloudtrailRecord, CloudtrailReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = match self.pieces.next()? {
            Ok(piece) => piece,
            Err(e) => return Some(Err(e.into())),
        };
        let index = self.index;
        self.index += 1;

        Some(
            CloudtrailRecord::parse(&piece.text).map_err(|source| CloudtrailReadError::Record {
                index,
                offset: piece.offset,
                source,
            }),
        )
    }
}
