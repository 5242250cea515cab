//! Every series of the table, read once from end to end: a band of resources at a time, in order, in bounded memory.
//!
//! Files are sorted by resource and their row groups are small, so a band of neighbouring resources is a narrow strip of each
//! file. Footers are read once; bands are cut where about [`BAND_ROWS`] rows come together. Bands may be read side by side.

mod strip;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int32Type, TimestampMillisecondType, UInt32Type};
use async_trait::async_trait;
use jiff::Timestamp;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use reeve_estate::{Metric, ResourceId, SampleScan, StoreError, Track};

use super::catalogue::SampleFile;
use super::columns::{FORMAT, ROW_GROUP, SCHEMA};
use super::series::ceil_ms;
use super::{PARALLEL, ReadError, SampleLake};
use crate::place::{Place, blocking};
use strip::Strip;

/// Rows of a band, about: with the points they become, some 60 MB.
const BAND_ROWS: u64 = 1 << 20;
/// Bytes at a Parquet file's end that say how long its footer is.
const TAIL: u64 = 8;

/// A pass over the table as it was when the pass began.
#[derive(Debug)]
pub struct LakeScan {
    place: Place,
    files: Vec<Arc<Open>>,
    /// The first resource of each band after the first.
    cuts: Vec<String>,
    metrics: Arc<[Metric]>,
    span_ms: Range<i64>,
}

/// A file with its footer.
#[derive(Debug)]
struct Open {
    file: Arc<SampleFile>,
    footer: ArrowReaderMetadata,
    size: u64,
    groups: Vec<Group>,
}

/// A row group: the resources in it, and where it lies.
#[derive(Debug)]
struct Group {
    least: String,
    greatest: Option<String>,
    rows: u64,
    bytes: Range<u64>,
}

impl SampleLake {
    /// Begins a pass over the series of some metrics within `[start, end)`.
    ///
    /// # Errors
    /// A footer cannot be read.
    pub async fn scan(&self, metrics: &[Metric], start: Timestamp, end: Timestamp) -> Result<LakeScan, StoreError> {
        use futures::{StreamExt as _, TryStreamExt as _};
        let span_ms = ceil_ms(start)..ceil_ms(end);
        let files: Vec<Arc<Open>> = self
            .over_files(
                |catalogue| catalogue.files(|_, day| day.start_ms() < span_ms.end && span_ms.start < day.end_ms()),
                |files| {
                    futures::stream::iter(files).map(|file| open(&self.place, file)).buffered(PARALLEL).try_collect()
                },
            )
            .await?;
        let mut files = files;
        // Of two points at the same time the one inserted last counts, wherever it lies.
        files.sort_by_key(|open| open.file.last());
        let cuts = cuts(&files, BAND_ROWS);
        Ok(LakeScan { place: self.place.clone(), files, cuts, metrics: metrics.into(), span_ms })
    }
}

/// Returns the beginnings of bands: at a resource, after about so many rows.
fn cuts(files: &[Arc<Open>], rows: u64) -> Vec<String> {
    let mut starts: Vec<(&str, u64)> =
        files.iter().flat_map(|open| &open.groups).map(|group| (group.least.as_str(), group.rows)).collect();
    starts.sort_unstable();
    let (mut cuts, mut gathered, mut last) = (Vec::new(), 0, "");
    for (least, more) in starts {
        if gathered >= rows && least > last {
            cuts.push(least.to_owned());
            gathered = 0;
        }
        gathered += more;
        last = least;
    }
    cuts
}

/// Reads a file's footer.
async fn open(place: &Place, file: Arc<SampleFile>) -> Result<Arc<Open>, ReadError> {
    let path = file.path().to_owned();
    let damaged = |message: String| ReadError::Damaged { path: path.clone(), message };
    let size = place.head(&path).await?.size;
    let tail = place.get_range(&path, size.saturating_sub(TAIL)..size).await?;
    let length = match *tail.as_ref() {
        [a, b, c, d, b'P', b'A', b'R', b'1'] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => return Err(damaged("it does not end as a Parquet file does".to_owned())),
    };
    let end = size - TAIL;
    let start = end.checked_sub(length).ok_or_else(|| damaged("its footer is longer than the file".to_owned()))?;
    let bytes = place.get_range(&path, start..end).await?;
    let named = Arc::clone(&file);
    let read = move || {
        let metadata = Arc::new(ParquetMetaDataReader::decode_metadata(&bytes)?);
        let footer = ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())?;
        Ok::<_, ParquetError>(Open { groups: groups(&footer), file: named, footer, size })
    };
    let open = blocking(&path, read).await?.map_err(|error| damaged(error.to_string()))?;
    let pairs = open.footer.metadata().file_metadata().key_value_metadata();
    let format = pairs.into_iter().flatten().find(|pair| pair.key == "reeve.format");
    if format.and_then(|pair| pair.value.as_deref()) != Some(FORMAT) || open.footer.schema().fields() != SCHEMA.fields()
    {
        return Err(damaged(format!("it is not of the format {FORMAT}")));
    }
    Ok(Arc::new(open))
}

fn groups(footer: &ArrowReaderMetadata) -> Vec<Group> {
    let text = |bytes: Option<&[u8]>| bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
    let group = |group: &parquet::file::metadata::RowGroupMetaData| {
        let known = group.column(1).statistics().filter(|known| known.min_is_exact() && known.max_is_exact());
        let ranges = group.columns().iter().map(parquet::file::metadata::ColumnChunkMetaData::byte_range);
        let start = ranges.clone().map(|(start, _)| start).min().unwrap_or(0);
        let end = ranges.map(|(start, length)| start + length).max().unwrap_or(0);
        Group {
            // What does not tell may have any.
            least: known.and_then(|known| text(known.min_bytes_opt())).unwrap_or_default(),
            greatest: known.and_then(|known| text(known.max_bytes_opt())),
            rows: u64::try_from(group.num_rows()).unwrap_or(0),
            bytes: start..end,
        }
    };
    footer.metadata().row_groups().iter().map(group).collect()
}

#[async_trait]
impl SampleScan for LakeScan {
    fn bands(&self) -> usize {
        if self.files.is_empty() { 0 } else { self.cuts.len() + 1 }
    }

    async fn band(&self, band: usize) -> Result<Vec<Track>, StoreError> {
        let from = band.checked_sub(1).and_then(|before| self.cuts.get(before)).cloned().unwrap_or_default();
        let to = self.cuts.get(band).cloned();
        let mut parts = Vec::with_capacity(self.files.len());
        for open in &self.files {
            if let Some(part) = part(&self.place, open, &from, to.as_deref()).await.map_err(backend)? {
                parts.push(part);
            }
        }
        let (metrics, span) = (Arc::clone(&self.metrics), self.span_ms.clone());
        let tracks = blocking("a band of samples", move || {
            let mut gather = Gather { from, to, metrics, span, tracks: BTreeMap::new() };
            parts.iter().try_for_each(|part| gather.read(part))?;
            Ok::<_, ReadError>(gather.finish())
        });
        tracks.await.map_err(|error| backend(error.into()))?.map_err(backend)
    }
}

fn backend(error: ReadError) -> StoreError {
    match error {
        ReadError::Missing(path) => StoreError::Conflict(format!("samples: {path} was merged or expired; begin again")),
        error => StoreError::Backend(format!("samples: {error}")),
    }
}

/// A strip of a file: some row groups that follow one another, and their bytes.
#[derive(Debug)]
struct Part {
    open: Arc<Open>,
    groups: Range<usize>,
    bytes: Strip,
}

async fn part(place: &Place, open: &Arc<Open>, from: &str, to: Option<&str>) -> Result<Option<Part>, ReadError> {
    let touches = |group: &Group| {
        group.greatest.as_deref().is_none_or(|greatest| from <= greatest)
            && to.is_none_or(|to| group.least.as_str() < to)
    };
    let Some(first) = open.groups.iter().position(touches) else { return Ok(None) };
    let end = open.groups.iter().rposition(touches).map_or(first, |last| last + 1);
    let picked = &open.groups[first..end];
    let start = picked.iter().map(|group| group.bytes.start).min().unwrap_or(0);
    let stop = picked.iter().map(|group| group.bytes.end).max().unwrap_or(start);
    let bytes = place.get_range(open.file.path(), start..stop).await?;
    let strip = Strip { bytes, start, size: open.size };
    Ok(Some(Part { open: Arc::clone(open), groups: first..end, bytes: strip }))
}

/// The points of a band, by series.
struct Gather {
    from: String,
    to: Option<String>,
    metrics: Arc<[Metric]>,
    span: Range<i64>,
    tracks: BTreeMap<(ResourceId, &'static str), Track>,
}

impl Gather {
    fn read(&mut self, part: &Part) -> Result<(), ReadError> {
        let damaged = |message: String| ReadError::Damaged { path: part.open.file.path().to_owned(), message };
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(part.bytes.clone(), part.open.footer.clone());
        // All but the connection, whose name says nothing of the series.
        let columns = ProjectionMask::leaves(builder.parquet_schema(), 1..6);
        let reader = builder
            .with_projection(columns)
            .with_row_groups(part.groups.clone().collect())
            .with_batch_size(ROW_GROUP)
            .build()
            .map_err(|error| damaged(error.to_string()))?;
        for batch in reader {
            self.batch(&batch.map_err(|error| damaged(error.to_string()))?);
        }
        Ok(())
    }

    fn batch(&mut self, batch: &RecordBatch) {
        let resources = batch.column(0).as_dictionary::<Int32Type>();
        let metrics = batch.column(1).as_dictionary::<Int32Type>();
        let names = resources.values().as_string::<i32>();
        let known: Vec<Option<Metric>> =
            metrics.values().as_string::<i32>().iter().map(|name| name.and_then(Metric::parse)).collect();
        let (resources, metrics) = (resources.keys().values(), metrics.keys().values());
        let times = batch.column(2).as_primitive::<TimestampMillisecondType>().values();
        let values = batch.column(3).as_primitive::<Float64Type>().values();
        let periods = batch.column(4).as_primitive::<UInt32Type>().values();
        let mut at = 0;
        while at < batch.num_rows() {
            let place = (resources[at], metrics[at]);
            let same = resources[at..].iter().zip(&metrics[at..]).take_while(|pair| (*pair.0, *pair.1) == place);
            let end = at + same.count();
            let name = names.value(place.0 as usize);
            let wanted = name >= self.from.as_str() && self.to.as_deref().is_none_or(|to| name < to);
            let metric = known[place.1 as usize].filter(|metric| wanted && self.metrics.contains(metric));
            if let (Some(metric), Some(last)) = (metric, periods.get(end - 1)) {
                let points = times[at..end].iter().zip(&values[at..end]).map(|(at, value)| (*at, *value));
                let resource = ResourceId::new(name);
                let track = self.tracks.entry((resource.clone(), metric.as_str())).or_insert_with(|| Track {
                    resource,
                    metric,
                    points: Vec::new(),
                    period_s: *last,
                });
                track.period_s = *last;
                let span = &self.span;
                track.points.extend(points.filter(|(at, _)| span.contains(at)));
            }
            at = end;
        }
    }

    fn finish(self) -> Vec<Track> {
        let mut tracks: Vec<Track> = self.tracks.into_values().filter(|track| !track.points.is_empty()).collect();
        for track in &mut tracks {
            let points = &mut track.points;
            if points.is_sorted_by(|before, after| before.0 < after.0) {
                continue;
            }
            // Stable: of points at the same time the last one given stays.
            points.sort_by_key(|(at, _)| *at);
            points.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    *kept = *later;
                }
                same
            });
        }
        tracks
    }
}
