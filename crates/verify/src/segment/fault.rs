//! Faults of a segment's bytes: verdicts about the file, which become findings.

use arrow::error::ArrowError;
use parquet::errors::ParquetError;

/// Fault that ends the reading of a file or of one of its row groups.
///
/// The errors of the libraries state their own causes, so they are part of the text and not
/// `source`: a chain would print them twice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SegmentFault {
    /// A decoder panicked on the bytes.
    #[error("its bytes cannot be decoded")]
    Undecodable,
    #[error("{0}")]
    File(std::io::Error),
    #[error("{0}")]
    Parquet(ParquetError),
    #[error("{0}")]
    Arrow(ArrowError),
    #[error("it has {found} columns and not {expected}")]
    ColumnCount { expected: usize, found: usize },
    #[error("it has the column {found} where {expected} belongs")]
    Column { expected: String, found: String },
    /// A column of a batch, by its position.
    #[error("column {0} is of another type")]
    ColumnType(usize),
    #[error("sequence, salt or canonical is null")]
    Null,
    #[error(transparent)]
    Row(#[from] RowFault),
}

/// Reason why the canonical bytes of a row cannot be put together again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowFault {
    #[error("the payload has white space outside of its columns")]
    WhiteSpace,
    #[error("the value of column {0} was cut out of the payload, and cannot be put back")]
    Column(usize),
    #[error("{0} was cut out of the payload, and cannot be put back")]
    Member(&'static str),
    #[error("the payload is larger than an entry can be")]
    TooLarge,
    #[error("the column cut has the unknown value {0}")]
    UnknownCut(i32),
}
