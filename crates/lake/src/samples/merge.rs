//! Several files' points as one file's.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use reeve_estate::{ConnectionId, Metric, ResourceId};

use super::columns::{SampleRow, record_batch};
use super::decode::{Point, Run};

/// One file's rows out of the runs of several, given in the order they were inserted.
pub(super) fn merge(connection: &ConnectionId, runs: Vec<Run>) -> Result<RecordBatch, ArrowError> {
    let mut places: BTreeMap<(ResourceId, &'static str), (Metric, Vec<Point>)> = BTreeMap::new();
    for run in runs {
        let place = places
            .entry((run.resource, run.metric.as_str()))
            .or_insert_with(|| (run.metric, Vec::new()));
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
        rows.extend(points.iter().map(|point| SampleRow {
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

/// Orders points by time; of several at the same time the highest stays.
pub(super) fn highest_wins(points: &mut Vec<Point>) {
    points.sort_by(|a, b| {
        let by_time = a.timestamp_ms.cmp(&b.timestamp_ms);
        by_time.then_with(|| b.value.total_cmp(&a.value))
    });
    points.dedup_by_key(|point| point.timestamp_ms);
}
