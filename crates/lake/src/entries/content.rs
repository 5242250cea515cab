//! Content of a segment as far as its retention depends on it: event types and latest times, from
//! three columns.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Int32Type, TimestampMicrosecondType};
use futures::TryStreamExt;
use reeve_audit::query::QueryColumn;
use reeve_ledger::{SegmentContent, SegmentError, SegmentMeta};

use super::faults::damaged;
use super::scan::message;
use super::schema::{millis, position};
use super::segments::EntrySegments;

/// Reads the event types and the latest times of a segment, whose bytes must be those that were
/// sealed.
pub(super) async fn content(
    segments: &EntrySegments,
    segment: &SegmentMeta,
) -> Result<SegmentContent, SegmentError> {
    let columns = [
        QueryColumn::EventType,
        QueryColumn::Timestamp,
        QueryColumn::RecordedAt,
    ]
    .map(position);
    let mut stream = segments.scan(segment, None, &[], &columns).await?;
    let (mut found, mut rows) = (SegmentContent::default(), 0);
    let wrong = || damaged(&segment.path, "a column of it is of another type");

    while let Some(batch) = stream
        .try_next()
        .await
        .map_err(|error| damaged(&segment.path, message(&error)))?
    {
        let types = batch
            .column(0)
            .as_dictionary_opt::<Int32Type>()
            .ok_or_else(wrong)?;
        let names = types.values().as_string_opt::<i32>().ok_or_else(wrong)?;
        let mut counts = vec![0_u64; names.len()];
        for key in types.keys().iter() {
            let key = key.and_then(|key| usize::try_from(key).ok());
            *key.and_then(|key| counts.get_mut(key)).ok_or_else(wrong)? += 1;
        }
        for (at, count) in counts
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0)
        {
            found.add(names.value(at), count);
        }

        let latest = |column: usize| {
            let times = batch
                .column(column)
                .as_primitive_opt::<TimestampMicrosecondType>()
                .filter(|times| times.null_count() == 0)
                .ok_or_else(wrong)?;
            Ok::<_, SegmentError>(times.values().iter().copied().max().map(millis))
        };
        if let (Some(timestamp), Some(recorded_at)) = (latest(1)?, latest(2)?) {
            found.date(timestamp, recorded_at);
        }
        rows += batch.num_rows() as u64;
    }

    if rows != segment.count {
        return Err(damaged(
            &segment.path,
            format!("it has {rows} rows instead of {}", segment.count),
        ));
    }

    Ok(found)
}
