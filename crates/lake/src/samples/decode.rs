//! Files of samples read again: run by run, only the row groups that matter.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int32Type, TimestampMillisecondType, UInt32Type};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use reeve_estate::{Metric, ResourceId};

use super::ReadError;
use super::columns::{FORMAT, ROW_GROUP, SCHEMA};

/// The points of one metric of one resource, as they stand in a file.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) resource: ResourceId,
    pub(super) metric: Metric,
    pub(super) points: Vec<Point>,
}

/// A point as it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) timestamp_ms: i64,
    pub(super) value: f64,
    pub(super) period_s: u32,
}

/// Reads a file's points, run by run. `groups` picks row groups by the least and the greatest resource in them; `wants`
/// picks resource and metric. Metrics that this version does not know are skipped.
pub(super) fn decode(
    path: &str,
    bytes: Bytes,
    groups: impl Fn(&str, &str) -> bool,
    wants: impl Fn(&str, Metric) -> bool,
) -> Result<Vec<Run>, ReadError> {
    let damaged = |message: String| ReadError::Damaged { path: path.to_owned(), message };
    let footer =
        ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).map_err(|error| damaged(error.to_string()))?;
    let metadata = Arc::clone(footer.metadata());
    let format =
        metadata.file_metadata().key_value_metadata().into_iter().flatten().find(|pair| pair.key == "reeve.format");
    if format.and_then(|pair| pair.value.as_deref()) != Some(FORMAT) || footer.schema().fields() != SCHEMA.fields() {
        return Err(damaged(format!("it is not of the format {FORMAT}")));
    }
    let picked = row_groups(&metadata, groups);
    if picked.is_empty() {
        return Ok(Vec::new());
    }
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, footer)
        .with_row_groups(picked)
        .with_batch_size(ROW_GROUP)
        .build()
        .map_err(|error| damaged(error.to_string()))?;
    let mut runs = Vec::new();
    for batch in reader {
        runs_of(&batch.map_err(|error| damaged(error.to_string()))?, &wants, &mut runs);
    }
    Ok(runs)
}

/// The row groups whose least and greatest resource `keep` takes, and those that do not tell.
fn row_groups(metadata: &ParquetMetaData, keep: impl Fn(&str, &str) -> bool) -> Vec<usize> {
    let text = |bytes: Option<&[u8]>| bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
    let may_have = |index: &usize| {
        let statistics = metadata.row_group(*index).column(1).statistics();
        let exact = statistics.filter(|known| known.min_is_exact() && known.max_is_exact());
        match exact.map(|known| (text(known.min_bytes_opt()), text(known.max_bytes_opt()))) {
            Some((Some(least), Some(greatest))) => keep(&least, &greatest),
            _ => true,
        }
    };
    (0..metadata.num_row_groups()).filter(may_have).collect()
}

/// Appends the batch's rows; a run may go on from the batch before.
fn runs_of(batch: &RecordBatch, wants: &impl Fn(&str, Metric) -> bool, runs: &mut Vec<Run>) {
    let resources = batch.column(1).as_dictionary::<Int32Type>();
    let metrics = batch.column(2).as_dictionary::<Int32Type>();
    let names = resources.values().as_string::<i32>();
    let known: Vec<Option<Metric>> =
        metrics.values().as_string::<i32>().iter().map(|name| name.and_then(Metric::parse)).collect();
    let (resources, metrics) = (resources.keys().values(), metrics.keys().values());
    let times = batch.column(3).as_primitive::<TimestampMillisecondType>().values();
    let values = batch.column(4).as_primitive::<Float64Type>().values();
    let periods = batch.column(5).as_primitive::<UInt32Type>().values();
    let mut at = 0;
    while at < batch.num_rows() {
        let place = (resources[at], metrics[at]);
        let end =
            (at..batch.num_rows()).find(|&row| (resources[row], metrics[row]) != place).unwrap_or(batch.num_rows());
        let name = names.value(place.0 as usize);
        if let Some(metric) = known[place.1 as usize].filter(|metric| wants(name, *metric)) {
            let goes_on = runs.last().is_some_and(|run| run.metric == metric && run.resource.as_str() == name);
            if !goes_on {
                runs.push(Run { resource: ResourceId::new(name), metric, points: Vec::with_capacity(end - at) });
            }
            if let Some(run) = runs.last_mut() {
                let point = |row: usize| Point { timestamp_ms: times[row], value: values[row], period_s: periods[row] };
                run.points.extend((at..end).map(point));
            }
        }
        at = end;
    }
}
