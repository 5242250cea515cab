//! Entries of any classes in a Parquet file of their own, for export: the columns of a segment,
//! payloads as they were hashed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use reeve_ledger::StoredEntry;

use super::encode::{file_metadata, properties, whole};
use super::schema::SCHEMA;

/// Class in the metadata of exported files, which hold entries of all classes.
const CLASS: &str = "export";
/// Entries, and canonical bytes of them, that are turned into columns at a time.
const BATCH: usize = 4_096;
const BATCH_BYTES: usize = 8 << 20;

/// Writes a Parquet file of entries in constant memory: what is kept is one row group, compressed.
#[derive(Debug)]
pub struct EntryFile {
    writer: ArrowWriter<File>,
    waiting: Vec<Arc<StoredEntry>>,
    waiting_bytes: usize,
    span: Option<(u64, u64)>,
}

impl EntryFile {
    /// Begins a file; one of that name is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> io::Result<EntryFile> {
        let writer = ArrowWriter::try_new(
            File::create(path)?,
            Arc::clone(&SCHEMA),
            Some(properties().build()),
        );
        Ok(EntryFile {
            writer: writer.map_err(failed)?,
            waiting: Vec::new(),
            waiting_bytes: 0,
            span: None,
        })
    }

    /// Adds an entry; sequences ascend.
    ///
    /// # Errors
    /// The disk failed.
    pub fn write(&mut self, entry: Arc<StoredEntry>) -> io::Result<()> {
        self.span = Some((
            self.span.map_or(entry.sequence, |(first, _)| first),
            entry.sequence,
        ));
        self.waiting_bytes += entry.canonical.len();
        self.waiting.push(entry);

        if self.waiting.len() >= BATCH || self.waiting_bytes >= BATCH_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Bytes of the file so far, those of the present row group as they are kept in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.writer.bytes_written() + self.writer.in_progress_size()) as u64
    }

    /// Ends the file and makes it durable.
    ///
    /// # Errors
    /// The disk failed.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let (first, last) = self.span.unwrap_or_default();
        file_metadata(CLASS, first, last)
            .into_iter()
            .for_each(|pair| self.writer.append_key_value_metadata(pair));
        self.writer.into_inner().map_err(failed)?.sync_all()
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            let rows = whole(&self.waiting).map_err(|error| failed(error.into()))?;
            self.writer.write(&rows).map_err(failed)?;
            self.waiting.clear();
            self.waiting_bytes = 0;
        }
        Ok(())
    }
}

/// The disk's own error where that is the cause: a full disk must be told apart.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
