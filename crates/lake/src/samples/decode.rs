//! Files of samples read again: run by run, only the row groups that matter.

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int32Type, TimestampMillisecondType, UInt32Type};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use reeve_estate::{Metric, ResourceId};

use super::columns::ROW_GROUP;
use super::fault::SampleReadError;
use super::footer::check_format;

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

/// Reads all points of a file, run by run, a row group at a time: a run may go on in the next one.
/// Metrics that this version does not know are skipped.
pub(super) fn decode(
    path: &str,
    bytes: Bytes,
    mut take: impl FnMut(Run),
) -> Result<(), SampleReadError> {
    let damaged = |message: String| SampleReadError::Damaged {
        path: path.to_owned(),
        message,
    };

    let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new())
        .map_err(|error| damaged(error.to_string()))?;
    check_format(&metadata).map_err(|fault| damaged(fault.into()))?;
    for group in 0..metadata.metadata().num_row_groups() {
        let runs = decode_groups(bytes.clone(), metadata.clone(), vec![group], |_, _| true);
        runs.map_err(|error| damaged(error.to_string()))?
            .into_iter()
            .for_each(&mut take);
    }

    Ok(())
}

/// Reads the points of some row groups, run by run. `wants` picks resource and metric.
pub(super) fn decode_groups(
    bytes: impl ChunkReader + 'static,
    metadata: ArrowReaderMetadata,
    groups: Vec<usize>,
    wants: impl Fn(&str, Metric) -> bool,
) -> Result<Vec<Run>, ArrowError> {
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
        .with_row_groups(groups)
        .with_batch_size(ROW_GROUP)
        .build()?;
    let mut runs = Vec::new();
    for batch in reader {
        runs_of(&batch?, &wants, &mut runs);
    }
    Ok(runs)
}

/// Appends the batch's rows; a run may go on from the batch before.
fn runs_of(batch: &RecordBatch, wants: &impl Fn(&str, Metric) -> bool, runs: &mut Vec<Run>) {
    let resources = batch.column(1).as_dictionary::<Int32Type>();
    let metrics = batch.column(2).as_dictionary::<Int32Type>();
    let names = resources.values().as_string::<i32>();
    let known: Vec<Option<Metric>> = metrics
        .values()
        .as_string::<i32>()
        .iter()
        .map(|name| name.and_then(Metric::parse))
        .collect();

    let (resources, metrics) = (resources.keys().values(), metrics.keys().values());
    let times = batch
        .column(3)
        .as_primitive::<TimestampMillisecondType>()
        .values();
    let values = batch.column(4).as_primitive::<Float64Type>().values();
    let periods = batch.column(5).as_primitive::<UInt32Type>().values();
    let mut at = 0;

    while at < batch.num_rows() {
        let place = (resources[at], metrics[at]);
        let end = (at..batch.num_rows())
            .find(|&row| (resources[row], metrics[row]) != place)
            .unwrap_or(batch.num_rows());
        let name = names.value(place.0 as usize);
        if let Some(metric) = known[place.1 as usize].filter(|metric| wants(name, *metric)) {
            let goes_on = runs
                .last()
                .is_some_and(|run| run.metric == metric && run.resource.as_str() == name);
            if !goes_on {
                runs.push(Run {
                    resource: ResourceId::new(name),
                    metric,
                    points: Vec::with_capacity(end - at),
                });
            }
            if let Some(run) = runs.last_mut() {
                let point = |row: usize| Point {
                    timestamp_ms: times[row],
                    value: values[row],
                    period_s: periods[row],
                };
                run.points.extend((at..end).map(point));
            }
        }
        at = end;
    }
}
