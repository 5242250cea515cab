//! Samples as columns: grouped by connection and day, sorted, encoded as Parquet and decoded again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayRef, AsArray, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray, TimestampMillisecondArray,
    UInt32Array,
};
use arrow::datatypes::{
    DataType, Field, Float64Type, Int32Type, Schema, SchemaRef, TimeUnit, TimestampMillisecondType, UInt32Type,
};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use reeve_estate::{ConnectionId, Metric, ResourceId, Sample, StoreError};

use super::ReadError;
use super::day::{Day, floor_ms};

/// Rows of a row group: small, because a series is a narrow strip of a file sorted by resource.
const ROW_GROUP: usize = 8_192;

/// Version of the format, in each file's key-value metadata.
const FORMAT: &str = "reeve/samples/v1";

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let name = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("connection", name(), false),
        Field::new("resource", name(), false),
        Field::new("metric", name(), false),
        Field::new("timestamp", DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())), false),
        Field::new("value", DataType::Float64, false),
        Field::new("period_s", DataType::UInt32, false),
    ]))
});

/// What one file will hold.
#[derive(Debug)]
pub(super) struct DayBatch {
    pub(super) connection: ConnectionId,
    pub(super) day: Day,
    pub(super) rows: RecordBatch,
}

/// A point with its place in the order of resource and metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    resource: u32,
    metric: Metric,
    pub(super) period_s: u32,
    pub(super) timestamp_ms: i64,
    pub(super) value: f64,
}

/// Sorts samples into one batch a connection and day. Of two points at the same place the later one counts.
pub(super) fn from_samples(samples: &[Sample]) -> Result<Vec<DayBatch>, StoreError> {
    let names = Names::of(samples);
    let mut groups: BTreeMap<(&ConnectionId, Day), Vec<Row>> = BTreeMap::new();
    let mut run: Option<(&ConnectionId, Day, Vec<Row>)> = None;
    for (sample, id) in samples.iter().zip(&names.ids) {
        let timestamp_ms = floor_ms(sample.timestamp);
        if !sample.value.is_finite() {
            let Sample { resource, metric, timestamp, value, .. } = sample;
            return Err(StoreError::Backend(format!(
                "sample of {resource} {metric} at {timestamp} is {value}, not a finite number"
            )));
        }
        let day = Day::of_ms(timestamp_ms);
        let same = run.as_ref().is_some_and(|(connection, of, _)| *of == day && **connection == sample.connection);
        if !same {
            put_back(&mut groups, run.take());
            let rows = groups.remove(&(&sample.connection, day)).unwrap_or_default();
            run = Some((&sample.connection, day, rows));
        }
        if let Some((_, _, rows)) = &mut run {
            let resource = names.ranks[*id as usize];
            rows.push(Row {
                resource,
                metric: sample.metric,
                period_s: sample.period_s,
                timestamp_ms,
                value: sample.value,
            });
        }
    }
    put_back(&mut groups, run);
    groups.into_iter().map(|((connection, day), rows)| day_batch(connection, day, rows, &names.sorted)).collect()
}

/// The group that was being filled goes back among the others.
fn put_back<'a>(
    groups: &mut BTreeMap<(&'a ConnectionId, Day), Vec<Row>>,
    run: Option<(&'a ConnectionId, Day, Vec<Row>)>,
) {
    if let Some((connection, day, rows)) = run {
        groups.insert((connection, day), rows);
    }
}

/// The distinct resources of an insert.
struct Names<'a> {
    ids: Vec<u32>,
    ranks: Vec<u32>,
    sorted: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(samples: &'a [Sample]) -> Self {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let mut ids: Vec<u32> = Vec::with_capacity(samples.len());
        for sample in samples {
            let name = sample.resource.as_str();
            // Points of one resource mostly follow one another.
            let id = match ids.last() {
                Some(&last) if names[last as usize] == name => last,
                _ => *known.entry(name).or_insert_with(|| {
                    names.push(name);
                    (names.len() - 1) as u32
                }),
            };
            ids.push(id);
        }
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by_key(|&id| names[id as usize]);
        let mut ranks = vec![0; names.len()];
        for (rank, &id) in order.iter().enumerate() {
            ranks[id as usize] = rank as u32;
        }
        let sorted = order.iter().map(|&id| names[id as usize]).collect();
        Names { ids, ranks, sorted }
    }
}

fn day_batch(
    connection: &ConnectionId,
    day: Day,
    mut rows: Vec<Row>,
    resources: &[&str],
) -> Result<DayBatch, StoreError> {
    // Stable, so that the later of two equal places stays behind the earlier one; series arrive in runs, which it exploits.
    rows.sort_by(|a, b| {
        (a.resource, a.metric.as_str(), a.timestamp_ms).cmp(&(b.resource, b.metric.as_str(), b.timestamp_ms))
    });
    rows.dedup_by(|later, kept| {
        let same =
            (later.resource, later.metric, later.timestamp_ms) == (kept.resource, kept.metric, kept.timestamp_ms);
        if same {
            *kept = *later;
        }
        same
    });
    let rows = record_batch(connection, &rows, resources)
        .map_err(|error| StoreError::Backend(format!("samples of {connection} {day}: {error}")))?;
    Ok(DayBatch { connection: connection.clone(), day, rows })
}

/// Rows in their final order as columns. Only the resources that occur are named.
fn record_batch(connection: &ConnectionId, rows: &[Row], resources: &[&str]) -> Result<RecordBatch, ArrowError> {
    let mut names: Vec<&str> = Vec::new();
    let mut keys: Vec<i32> = Vec::with_capacity(rows.len());
    let mut last = None;
    for row in rows {
        if last != Some(row.resource) {
            names.push(resources[row.resource as usize]);
            last = Some(row.resource);
        }
        keys.push(names.len() as i32 - 1);
    }
    let metrics = DictionaryArray::<Int32Type>::try_new(
        Int32Array::from_iter_values(rows.iter().map(|row| row.metric as i32)),
        Arc::new(StringArray::from_iter_values(Metric::ALL.iter().map(|metric| metric.as_str()))),
    )?;
    let dictionary = |keys: Int32Array, values: Vec<&str>| -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(StringArray::from(values)))?))
    };
    RecordBatch::try_new(
        Arc::clone(&SCHEMA),
        vec![
            dictionary(Int32Array::from_iter_values(rows.iter().map(|_| 0)), vec![connection.0.as_str()])?,
            dictionary(Int32Array::from(keys), names)?,
            Arc::new(metrics),
            Arc::new(
                TimestampMillisecondArray::from_iter_values(rows.iter().map(|row| row.timestamp_ms))
                    .with_timezone("UTC"),
            ),
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.value))),
            Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.period_s))),
        ],
    )
}

/// One file's bytes.
pub(super) fn encode(rows: &RecordBatch) -> Result<Bytes, StoreError> {
    let write = || -> parquet::errors::Result<Vec<u8>> {
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&SCHEMA), Some(properties()))?;
        writer.write(rows)?;
        writer.into_inner()
    };
    write().map(Bytes::from).map_err(|error| StoreError::Backend(format!("samples: {error}")))
}

fn properties() -> WriterProperties {
    let sorting = [1, 2, 3].map(|column_idx| SortingColumn { column_idx, descending: false, nulls_first: false });
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_column_dictionary_enabled(ColumnPath::from("timestamp"), false)
        .set_column_encoding(ColumnPath::from("timestamp"), Encoding::DELTA_BINARY_PACKED)
        .set_column_dictionary_enabled(ColumnPath::from("value"), false)
        .set_column_encoding(ColumnPath::from("value"), Encoding::BYTE_STREAM_SPLIT)
        .set_sorting_columns(Some(sorting.to_vec()))
        .set_key_value_metadata(Some(vec![KeyValue::new("reeve.format".to_owned(), FORMAT.to_owned())]))
        .build()
}

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
    let picked: Vec<usize> = (0..metadata.num_row_groups())
        .filter(|&index| {
            let statistics = metadata.row_group(index).column(1).statistics();
            let edge =
                |bytes: Option<&[u8]>| bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
            let exact = |all: &parquet::file::statistics::Statistics| all.min_is_exact() && all.max_is_exact();
            match statistics.filter(|all| exact(all)).map(|all| (edge(all.min_bytes_opt()), edge(all.max_bytes_opt())))
            {
                Some((Some(least), Some(greatest))) => groups(&least, &greatest),
                _ => true,
            }
        })
        .collect();
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

/// One file's rows out of the runs of several, given in the order they were written.
pub(super) fn merge(connection: &ConnectionId, runs: Vec<Run>) -> Result<RecordBatch, ArrowError> {
    let mut places: BTreeMap<(ResourceId, &'static str), (Metric, Vec<Point>)> = BTreeMap::new();
    for run in runs {
        let place = places.entry((run.resource, run.metric.as_str())).or_insert_with(|| (run.metric, Vec::new()));
        place.1.extend(run.points);
    }
    let mut names: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for ((resource, _), (metric, points)) in &mut places {
        if names.last() != Some(&resource.as_str()) {
            names.push(resource.as_str());
        }
        latest_wins(points);
        let resource = names.len() as u32 - 1;
        rows.extend(points.iter().map(|point| Row {
            resource,
            metric: *metric,
            period_s: point.period_s,
            timestamp_ms: point.timestamp_ms,
            value: point.value,
        }));
    }
    record_batch(connection, &rows, &names)
}

/// Orders points by time; of several at the same time the last one given stays.
pub(super) fn latest_wins(points: &mut Vec<Point>) {
    points.sort_by_key(|point| point.timestamp_ms);
    points.dedup_by(|later, kept| {
        let same = later.timestamp_ms == kept.timestamp_ms;
        if same {
            *kept = *later;
        }
        same
    });
}
