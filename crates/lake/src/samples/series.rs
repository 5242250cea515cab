//! Reading series: which files and row groups matter, and how points of several files become one
//! line.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use arrow::error::ArrowError;
use jiff::Timestamp;
use reeve_estate::{Metric, ResourceId, SampleSeries};

use super::catalogue::SampleFile;
use super::day::{Day, floor_ms};
use super::decode::{Point, Run, decode_groups};
use super::fault::SampleReadError;
use super::footer::Footers;
use crate::place::{Place, blocking};

/// Request for series. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Wanted(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    order: Vec<(ResourceId, Metric)>,
    resources: BTreeSet<String>,
    metrics: HashSet<Metric>,
    /// First millisecond of the span, and the first after it.
    start_ms: i64,
    end_ms: i64,
}

impl Wanted {
    /// Series of these resources and metrics within `[start, end)`.
    pub(super) fn new(
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Self {
        let mut seen = HashSet::new();
        let pairs = resources.iter().flat_map(|resource| {
            metrics
                .iter()
                .map(move |metric| (resource.clone(), *metric))
        });

        Wanted(Arc::new(Inner {
            order: pairs.filter(|pair| seen.insert(pair.clone())).collect(),
            resources: resources
                .iter()
                .map(|resource| resource.0.clone())
                .collect(),
            metrics: metrics.iter().copied().collect(),
            start_ms: ceil_ms(start),
            end_ms: ceil_ms(end),
        }))
    }

    /// Returns `true` if nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        self.0.order.is_empty() || self.0.start_ms >= self.0.end_ms
    }

    /// Returns `true` if a day overlaps the span.
    pub(super) fn touches_day(&self, day: Day) -> bool {
        day.start_ms() < self.0.end_ms && self.0.start_ms < day.end_ms()
    }

    /// Returns `true` if one of the resources may lie between these, the greatest of which may be
    /// unknown.
    fn between(&self, least: &str, greatest: Option<&str>) -> bool {
        let from_least = (Bound::Included(least), Bound::Unbounded);
        let first = self.0.resources.range::<str, _>(from_least).next();
        first.is_some_and(|first| greatest.is_none_or(|greatest| first.as_str() <= greatest))
    }
}

/// The first whole millisecond at or after a time: points stand on whole milliseconds.
pub(super) fn ceil_ms(time: Timestamp) -> i64 {
    let floor = floor_ms(time);
    if i128::from(floor) * 1_000_000 == time.as_nanosecond() {
        floor
    } else {
        floor + 1
    }
}

/// The wanted points of one file.
pub(super) async fn read(
    place: &Place,
    footers: &Footers,
    file: Arc<SampleFile>,
    wanted: Wanted,
) -> Result<(Arc<SampleFile>, Vec<Run>), SampleReadError> {
    let footer = footers.get(place, Arc::clone(&file)).await?;
    let picked = footer.pick(|group| wanted.between(&group.least, group.greatest.as_deref()));
    if picked.is_empty() {
        return Ok((file, Vec::new()));
    }

    let bytes = footer.strip(place, &picked).await?;
    let metadata = footer.metadata.clone();
    let runs = blocking(file.path(), move || {
        let Inner {
            resources,
            metrics,
            start_ms,
            end_ms,
            ..
        } = &*wanted.0;
        let wants =
            |resource: &str, metric| metrics.contains(&metric) && resources.contains(resource);
        let mut runs = decode_groups(bytes, metadata, picked, wants)?;
        for run in &mut runs {
            run.points
                .retain(|point| (*start_ms..*end_ms).contains(&point.timestamp_ms));
        }
        Ok::<_, ArrowError>(runs)
    })
    .await?
    .map_err(|error| SampleReadError::Damaged {
        path: file.path().to_owned(),
        message: error.to_string(),
    })?;

    Ok((file, runs))
}

/// Lines in the order they were asked for. `settle` decides between points at the same time, which
/// are given in the order they were inserted, also where a metric source measures what the
/// connection does.
pub(super) fn merge(
    wanted: &Wanted,
    mut parts: Vec<(Arc<SampleFile>, Vec<Run>)>,
    settle: fn(&mut Vec<Point>),
) -> Vec<SampleSeries> {
    parts.sort_by_key(|(file, _)| file.last());
    let mut lines: HashMap<(ResourceId, Metric), Vec<Point>> = HashMap::new();

    for run in parts.into_iter().flat_map(|(_, runs)| runs) {
        lines
            .entry((run.resource, run.metric))
            .or_default()
            .extend(run.points);
    }

    let mut series = Vec::new();
    for (resource, metric) in &wanted.0.order {
        let Some(mut points) = lines.remove(&(resource.clone(), *metric)) else {
            continue;
        };
        settle(&mut points);
        let Some(period_s) = points.last().map(|point| point.period_s) else {
            continue;
        };
        let points = points
            .iter()
            .filter_map(|point| {
                Some((
                    Timestamp::from_millisecond(point.timestamp_ms).ok()?,
                    point.value,
                ))
            })
            .collect();
        series.push(SampleSeries {
            resource: resource.clone(),
            metric: *metric,
            points,
            period_s,
        });
    }

    series
}
