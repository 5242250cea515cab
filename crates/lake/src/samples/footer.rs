//! Footers of sample files, read once and kept: a series is a narrow strip of a file, and the
//! footer says where it lies.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader, RowGroupMetaData};
use reeve_audit::Obstacle;

use super::catalogue::SampleFile;
use super::columns::{FORMAT, SCHEMA};
use super::fault::SampleReadError;
use super::strip::Strip;
use crate::place::{Place, blocking};

/// Bytes at a Parquet file's end that say how long its footer is.
const TAIL: u64 = 8;
/// Row groups whose place is kept, of all files together: some 3 kB each.
const MOST_GROUPS: usize = 16_384;

/// A file with its footer.
#[derive(Debug)]
pub(super) struct Footer {
    pub(super) file: Arc<SampleFile>,
    pub(super) metadata: ArrowReaderMetadata,
    pub(super) groups: Vec<FooterGroup>,
    size: u64,
}

/// A row group: the resources in it, and where it lies.
#[derive(Debug)]
pub(super) struct FooterGroup {
    /// Least resource in it, or nothing if the file does not tell.
    pub(super) least: String,
    /// Greatest resource in it; `None` if the file does not tell.
    pub(super) greatest: Option<String>,
    pub(super) rows: u64,
    bytes: Range<u64>,
}

impl Footer {
    /// Reads a file's footer.
    async fn read(place: &Place, file: Arc<SampleFile>) -> Result<Footer, SampleReadError> {
        let path = file.path().to_owned();
        let damaged = |message: String| SampleReadError::Damaged {
            path: path.clone(),
            message,
        };

        let size = place.head(&path).await?.size;
        let tail = place
            .get_range(&path, size.saturating_sub(TAIL)..size)
            .await?;
        let length = match *tail.as_ref() {
            [a, b, c, d, b'P', b'A', b'R', b'1'] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => return Err(damaged("it does not end as a Parquet file does".to_owned())),
        };
        let end = size - TAIL;
        let start = end
            .checked_sub(length)
            .ok_or_else(|| damaged("its footer is longer than the file".to_owned()))?;
        let bytes = place.get_range(&path, start..end).await?;
        let read = move || {
            let metadata = Arc::new(ParquetMetaDataReader::decode_metadata(&bytes)?);
            let metadata = ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())?;
            Ok::<_, ParquetError>(Footer {
                groups: groups(&metadata),
                file,
                metadata,
                size,
            })
        };

        let footer = blocking(&path, read)
            .await?
            .map_err(|error| damaged(error.to_string()))?;
        check_format(&footer.metadata).map_err(|fault| damaged(fault.into()))?;
        Ok(footer)
    }

    /// Positions of the row groups that a condition takes.
    pub(super) fn pick(&self, keep: impl Fn(&FooterGroup) -> bool) -> Vec<usize> {
        self.groups
            .iter()
            .enumerate()
            .filter(|(_, group)| keep(group))
            .map(|(position, _)| position)
            .collect()
    }

    /// Reads the bytes of some row groups, given by position in ascending order.
    pub(super) async fn strip(
        &self,
        place: &Place,
        groups: &[usize],
    ) -> Result<Strip, SampleReadError> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for group in groups.iter().filter_map(|group| self.groups.get(*group)) {
            match ranges.last_mut() {
                Some(last) if last.end == group.bytes.start => last.end = group.bytes.end,
                _ => ranges.push(group.bytes.clone()),
            }
        }

        let bytes = place.get_ranges(self.file.path(), &ranges).await?;
        let windows = ranges.iter().map(|range| range.start).zip(bytes).collect();
        Ok(Strip {
            windows,
            size: self.size,
        })
    }
}

/// Refuses files of another format.
pub(super) fn check_format(metadata: &ArrowReaderMetadata) -> Result<(), Obstacle> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    let format = pairs
        .into_iter()
        .flatten()
        .find(|pair| pair.key == "reeve.format");
    if format.and_then(|pair| pair.value.as_deref()) != Some(FORMAT)
        || metadata.schema().fields() != SCHEMA.fields()
    {
        return Err(format!("it is not of the format {FORMAT}").into());
    }

    Ok(())
}

fn groups(metadata: &ArrowReaderMetadata) -> Vec<FooterGroup> {
    let text = |bytes: Option<&[u8]>| {
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .map(str::to_owned)
    };

    let group = |group: &RowGroupMetaData| {
        let known = group
            .column(1)
            .statistics()
            .filter(|known| known.min_is_exact() && known.max_is_exact());
        let ranges = group.columns().iter().map(ColumnChunkMetaData::byte_range);
        let start = ranges.clone().map(|(start, _)| start).min().unwrap_or(0);
        let end = ranges
            .map(|(start, length)| start + length)
            .max()
            .unwrap_or(0);
        FooterGroup {
            // What does not tell may have any.
            least: known
                .and_then(|known| text(known.min_bytes_opt()))
                .unwrap_or_default(),
            greatest: known.and_then(|known| text(known.max_bytes_opt())),
            rows: u64::try_from(group.num_rows()).unwrap_or(0),
            bytes: start..end,
        }
    };

    metadata.metadata().row_groups().iter().map(group).collect()
}

/// Footers that were read, by path. Files never change, so a footer is true for as long as its file
/// is there.
#[derive(Debug, Default)]
pub(super) struct Footers(Mutex<HashMap<String, Arc<Footer>>>);

impl Footers {
    /// Returns a file's footer, read if it is not known.
    pub(super) async fn get(
        &self,
        place: &Place,
        file: Arc<SampleFile>,
    ) -> Result<Arc<Footer>, SampleReadError> {
        if let Some(known) = self.0.lock().get(file.path()) {
            return Ok(Arc::clone(known));
        }

        let footer = Arc::new(Footer::read(place, file).await?);
        let mut known = self.0.lock();
        let kept: usize = known.values().map(|footer| footer.groups.len()).sum();
        if kept + footer.groups.len() > MOST_GROUPS {
            known.clear();
        }

        known.insert(footer.file.path().to_owned(), Arc::clone(&footer));
        Ok(footer)
    }

    /// Forgets a file that is removed.
    pub(super) fn forget(&self, file: &SampleFile) {
        self.0.lock().remove(file.path());
    }
}
