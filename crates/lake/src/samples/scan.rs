//! Every series of the table, read once from end to end: a band of resources at a time, in order,
//! in bounded memory.
//!
//! Files are sorted by resource and their row groups are small, so a band of neighbouring resources
//! is a narrow strip of each file. Bands are cut where about [`BAND_ROWS`] rows come together.
//! Bands may be read side by side.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int32Type, TimestampMillisecondType, UInt32Type};
use async_trait::async_trait;
use jiff::Timestamp;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use reeve_estate::{ConnectionId, Metric, ResourceId, SampleScan, StoreError, Track};

use super::columns::ROW_GROUP;
use super::fault::SampleReadError;
use super::footer::{Footer, FooterGroup};
use super::series::ceil_ms;
use super::strip::Strip;
use super::{PARALLEL, SampleLake};
use crate::place::{Place, blocking};

/// Rows of a band, about: with the points they become, some 60 MB.
const BAND_ROWS: u64 = 1 << 20;

/// A pass over the table as it was when the pass began.
#[derive(Debug)]
pub struct LakeScan {
    place: Place,
    files: Vec<Arc<Footer>>,
    /// The first resource of each band after the first.
    cuts: Vec<String>,
    metrics: Arc<[Metric]>,
    span_ms: Range<i64>,
}

impl SampleLake {
    /// Begins a pass over the series of some metrics within `[start, end)`.
    ///
    /// # Errors
    /// A footer cannot be read.
    pub async fn scan(
        &self,
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<LakeScan, StoreError> {
        use futures::{StreamExt as _, TryStreamExt as _};

        let span_ms = ceil_ms(start)..ceil_ms(end);
        let files: Vec<Arc<Footer>> = self
            .over_files(
                &self.catalogue,
                |catalogue| {
                    catalogue.files(|_, day| {
                        day.start_ms() < span_ms.end && span_ms.start < day.end_ms()
                    })
                },
                |files| {
                    let footers = futures::stream::iter(files)
                        .map(|file| self.footers.get(&self.place, file));
                    footers.buffered(PARALLEL).try_collect()
                },
            )
            .await?;
        let mut files = files;

        // Of two points at the same time the one inserted last counts, wherever it lies.
        files.sort_by_key(|footer| footer.file.last());
        let cuts = cuts(&files, BAND_ROWS);
        Ok(LakeScan {
            place: self.place.clone(),
            files,
            cuts,
            metrics: metrics.into(),
            span_ms,
        })
    }
}

/// Returns the beginnings of bands: at a resource, after about so many rows.
fn cuts(files: &[Arc<Footer>], rows: u64) -> Vec<String> {
    let mut starts: Vec<(&str, u64)> = files
        .iter()
        .flat_map(|footer| &footer.groups)
        .map(|group| (group.least.as_str(), group.rows))
        .collect();
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

#[async_trait]
impl SampleScan for LakeScan {
    fn bands(&self) -> usize {
        if self.files.is_empty() {
            0
        } else {
            self.cuts.len() + 1
        }
    }

    async fn band(&self, band: usize) -> Result<Vec<Track>, StoreError> {
        let from = band
            .checked_sub(1)
            .and_then(|before| self.cuts.get(before))
            .cloned()
            .unwrap_or_default();
        let to = self.cuts.get(band).cloned();
        let mut parts = Vec::with_capacity(self.files.len());

        for footer in &self.files {
            if let Some(part) = part(&self.place, footer, &from, to.as_deref())
                .await
                .map_err(backend)?
            {
                parts.push(part);
            }
        }

        let (metrics, span) = (Arc::clone(&self.metrics), self.span_ms.clone());
        let tracks = blocking("a band of samples", move || {
            let mut gather = Gather {
                from,
                to,
                metrics,
                span,
                tracks: BTreeMap::new(),
            };
            parts.iter().try_for_each(|part| gather.read(part))?;
            Ok::<_, SampleReadError>(gather.finish())
        });

        tracks
            .await
            .map_err(|error| backend(error.into()))?
            .map_err(backend)
    }
}

fn backend(error: SampleReadError) -> StoreError {
    match error {
        SampleReadError::Missing(path) => StoreError::Conflict(format!(
            "samples: {path} was merged or expired; begin again"
        )),
        error => StoreError::Backend(format!("samples: {error}")),
    }
}

/// Row groups of a file, and their bytes.
#[derive(Debug)]
struct Part {
    footer: Arc<Footer>,
    groups: Vec<usize>,
    bytes: Strip,
}

async fn part(
    place: &Place,
    footer: &Arc<Footer>,
    from: &str,
    to: Option<&str>,
) -> Result<Option<Part>, SampleReadError> {
    let touches = |group: &FooterGroup| {
        group
            .greatest
            .as_deref()
            .is_none_or(|greatest| from <= greatest)
            && to.is_none_or(|to| group.least.as_str() < to)
    };
    let groups = footer.pick(touches);

    if groups.is_empty() {
        return Ok(None);
    }

    let bytes = footer.strip(place, &groups).await?;
    Ok(Some(Part {
        footer: Arc::clone(footer),
        groups,
        bytes,
    }))
}

/// The points of a band, by series.
struct Gather {
    from: String,
    to: Option<String>,
    metrics: Arc<[Metric]>,
    span: Range<i64>,
    tracks: BTreeMap<(ResourceId, &'static str, ConnectionId), Track>,
}

impl Gather {
    fn read(&mut self, part: &Part) -> Result<(), SampleReadError> {
        let damaged = |message: String| SampleReadError::Damaged {
            path: part.footer.file.path().to_owned(),
            message,
        };

        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
            part.bytes.clone(),
            part.footer.metadata.clone(),
        );
        // All but the connection, which the file's own path names.
        let columns = ProjectionMask::leaves(builder.parquet_schema(), 1..6);
        let reader = builder
            .with_projection(columns)
            .with_row_groups(part.groups.clone())
            .with_batch_size(ROW_GROUP)
            .build()
            .map_err(|error| damaged(error.to_string()))?;

        for batch in reader {
            self.batch(
                part.footer.file.connection(),
                &batch.map_err(|error| damaged(error.to_string()))?,
            );
        }

        Ok(())
    }

    fn batch(&mut self, connection: &ConnectionId, batch: &RecordBatch) {
        let resources = batch.column(0).as_dictionary::<Int32Type>();
        let metrics = batch.column(1).as_dictionary::<Int32Type>();
        let names = resources.values().as_string::<i32>();
        let known: Vec<Option<Metric>> = metrics
            .values()
            .as_string::<i32>()
            .iter()
            .map(|name| name.and_then(Metric::parse))
            .collect();

        let (resources, metrics) = (resources.keys().values(), metrics.keys().values());
        let times = batch
            .column(2)
            .as_primitive::<TimestampMillisecondType>()
            .values();
        let values = batch.column(3).as_primitive::<Float64Type>().values();
        let periods = batch.column(4).as_primitive::<UInt32Type>().values();
        let mut at = 0;

        while at < batch.num_rows() {
            let place = (resources[at], metrics[at]);
            let same = resources[at..]
                .iter()
                .zip(&metrics[at..])
                .take_while(|pair| (*pair.0, *pair.1) == place);
            let end = at + same.count();
            let name = names.value(place.0 as usize);
            let wanted =
                name >= self.from.as_str() && self.to.as_deref().is_none_or(|to| name < to);
            let metric =
                known[place.1 as usize].filter(|metric| wanted && self.metrics.contains(metric));
            if let (Some(metric), Some(last)) = (metric, periods.get(end - 1)) {
                let points = times[at..end]
                    .iter()
                    .zip(&values[at..end])
                    .map(|(at, value)| (*at, *value));
                let resource = ResourceId::new(name);
                let key = (resource.clone(), metric.as_str(), connection.clone());
                let track = self.tracks.entry(key).or_insert_with(|| Track {
                    connection: connection.clone(),
                    resource,
                    metric,
                    points: Vec::new(),
                    period_s: *last,
                });
                track.period_s = *last;
                let span = &self.span;
                track
                    .points
                    .extend(points.filter(|(at, _)| span.contains(at)));
            }
            at = end;
        }
    }

    fn finish(self) -> Vec<Track> {
        let mut tracks: Vec<Track> = self
            .tracks
            .into_values()
            .filter(|track| !track.points.is_empty())
            .collect();

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
