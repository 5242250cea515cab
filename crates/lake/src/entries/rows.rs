//! Rows of a segment by their numbers, for what is shown: the pages that hold them, straight from
//! the file.
//!
//! A page of fifty entries may stand in fifty segments, one row in each. A scan of DataFusion costs
//! more than such a row, so here the Parquet reader is asked itself, with footers that are kept in
//! memory.

mod at;
mod newest;
mod pages;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use object_store::ObjectMeta;
use parking_lot::Mutex;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use reeve_ledger::SealedEntry;

use self::at::At;
use self::newest::Newest;
use self::pages::{Dictionaries, Footer, Groups};
use super::decode::{sealed, sealed_columns};
use super::schema::{SCHEMA, as_written_now};

/// Footers kept in memory at most, bytes: those of more than a thousand segments, each some 50 KiB.
const FOOTERS: usize = 64 << 20;

/// Footers of segments, the newest that fit.
#[derive(Debug)]
pub(super) struct Footers {
    /// State of a file when its footer was read, and the footer; `None` for a file without some of
    /// the columns.
    kept: Mutex<Newest<String, (ObjectMeta, Option<Known>)>>,
    dictionaries: Arc<Dictionaries>,
    /// Number of footers read so far, which numbers the next file.
    read: AtomicU64,
}

impl Default for Footers {
    fn default() -> Self {
        let kept = Mutex::new(Newest::new(FOOTERS));
        Footers {
            kept,
            dictionaries: Arc::default(),
            read: AtomicU64::default(),
        }
    }
}

/// A file's footer, and the way in which the columns of an entry become arrays.
#[derive(Debug, Clone)]
struct Known {
    footer: Footer,
    levels: Arc<FieldLevels>,
    number: u64,
}

impl Footers {
    /// The entries in these rows of a file, which ascend; `None` for a file of another version,
    /// which only a scan can read.
    pub(super) fn read(
        &self,
        root: &Path,
        file: &ObjectMeta,
        rows: &[usize],
    ) -> Result<Option<Vec<SealedEntry>>> {
        let at = At {
            file: Arc::new(File::open(root.join(file.location.as_ref()))?),
            size: file.size,
            at: 0,
        };
        match self.footer(&at, file)? {
            Some(known) => entries(at, known, &self.dictionaries, rows).map(Some),
            None => Ok(None),
        }
    }

    fn footer(&self, at: &At, file: &ObjectMeta) -> Result<Option<Known>> {
        let path = file.location.as_ref();
        if let Some((then, footer)) = self.kept.lock().get(path)
            && then == file
        {
            return Ok(footer.clone());
        }

        let read = ParquetMetaDataReader::new()
            .with_offset_index_policy(PageIndexPolicy::Optional)
            .with_column_index_policy(PageIndexPolicy::Skip)
            .parse_and_finish(at)?;
        let size = read.memory_size();
        let whole = read.file_metadata().schema_descr().num_columns() == SCHEMA.fields().len();
        let number = self.read.fetch_add(1, Ordering::Relaxed);
        let known = if whole { known(read, number)? } else { None };
        self.kept
            .lock()
            .put(path.to_owned(), (file.clone(), known.clone()), size);

        Ok(known)
    }
}

fn known(read: ParquetMetaData, number: u64) -> Result<Option<Known>> {
    let schema = read.file_metadata().schema_descr();
    let mask = ProjectionMask::roots(schema, sealed_columns());
    let levels = Arc::new(parquet_to_arrow_field_levels(
        schema,
        mask,
        Some(SCHEMA.fields()),
    )?);

    Ok(Footer::new(read)?.map(|footer| Known {
        footer,
        levels,
        number,
    }))
}

/// Reads rows, which ascend, from those row groups that have them.
fn entries(
    file: At,
    known: Known,
    dictionaries: &Arc<Dictionaries>,
    rows: &[usize],
) -> Result<Vec<SealedEntry>> {
    let (mut groups, mut ranges) = (Vec::new(), Vec::with_capacity(rows.len()));
    let (mut first, mut chosen, mut left) = (0, 0, rows);

    for (number, group) in known.footer.metadata().row_groups().iter().enumerate() {
        let count = usize::try_from(group.num_rows()).unwrap_or_default();
        let (inside, rest) = left.split_at(left.partition_point(|&row| row < first + count));
        if !inside.is_empty() {
            groups.push(number);
            ranges.extend(
                inside
                    .iter()
                    .map(|row| row - first + chosen..row - first + chosen + 1),
            );
            chosen += count;
        }
        (first, left) = (first + count, rest);
    }

    if !left.is_empty() {
        return Err(ParquetError::EOF(format!(
            "it has {first} rows and not {}",
            rows[rows.len() - 1] + 1
        )));
    }

    let selection = RowSelection::from_consecutive_ranges(ranges.into_iter(), chosen);
    let Known {
        footer,
        levels,
        number,
    } = known;
    let dictionaries = Arc::clone(dictionaries);
    let groups = Groups {
        file: Arc::new(file),
        number,
        dictionaries,
        footer,
        chosen: groups,
    };

    let batch = rows.len().max(1);
    let batches = ParquetRecordBatchReader::try_new_with_row_groups(
        &levels,
        &groups,
        batch,
        Some(selection),
    )?;

    let wanted = sealed_columns();
    // The reader gives columns in the order of the file.
    let order = wanted.map(|column| wanted.iter().filter(|other| **other < column).count());
    let mut entries = Vec::with_capacity(rows.len());
    for batch in batches {
        let batch = as_written_now(batch?.project(&order)?, &wanted)?;
        sealed(&batch, &mut entries);
    }

    Ok(entries)
}
