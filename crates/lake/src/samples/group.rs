//! An insert sorted into what its files will hold: one batch a connection and day.

use std::collections::{BTreeMap, HashMap};

use arrow::array::RecordBatch;
use reeve_estate::{ConnectionId, Sample, StoreError};

use super::columns::{SampleRow, record_batch};
use super::day::{Day, floor_ms};

/// Samples of one file.
#[derive(Debug)]
pub(super) struct DayBatch {
    pub(super) connection: ConnectionId,
    pub(super) day: Day,
    pub(super) rows: RecordBatch,
}

/// Sorts samples into one batch a connection and day. Of two points at the same place the later one
/// counts.
pub(super) fn from_samples(samples: &[Sample]) -> Result<Vec<DayBatch>, StoreError> {
    let names = Names::new(samples);
    let mut groups: BTreeMap<(&ConnectionId, Day), Vec<SampleRow>> = BTreeMap::new();
    let mut run: Option<(&ConnectionId, Day, Vec<SampleRow>)> = None;

    for (sample, id) in samples.iter().zip(&names.ids) {
        let timestamp_ms = floor_ms(sample.timestamp);
        if !sample.value.is_finite() {
            let Sample {
                resource,
                metric,
                timestamp,
                value,
                ..
            } = sample;
            return Err(StoreError::Backend(format!(
                "sample of {resource} {metric} at {timestamp} is {value}, not a finite number"
            )));
        }
        let day = Day::of_ms(timestamp_ms);
        let same = run
            .as_ref()
            .is_some_and(|(connection, of, _)| *of == day && **connection == sample.connection);
        if !same {
            put_back(&mut groups, run.take());
            let rows = groups
                .remove(&(&sample.connection, day))
                .unwrap_or_default();
            run = Some((&sample.connection, day, rows));
        }
        if let Some((_, _, rows)) = &mut run {
            let resource = names.ranks[*id as usize];
            rows.push(SampleRow {
                resource,
                metric: sample.metric,
                period_s: sample.period_s,
                timestamp_ms,
                value: sample.value,
            });
        }
    }

    put_back(&mut groups, run);
    groups
        .into_iter()
        .map(|((connection, day), rows)| day_batch(connection, day, rows, &names.sorted))
        .collect()
}

/// The group that was being filled goes back among the others.
fn put_back<'a>(
    groups: &mut BTreeMap<(&'a ConnectionId, Day), Vec<SampleRow>>,
    run: Option<(&'a ConnectionId, Day, Vec<SampleRow>)>,
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
    fn new(samples: &'a [Sample]) -> Self {
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
    mut rows: Vec<SampleRow>,
    resources: &[&str],
) -> Result<DayBatch, StoreError> {
    // Stable, so that the later of two equal places stays behind the earlier one; series arrive in
    // runs, which it exploits.
    rows.sort_by(|a, b| {
        (a.resource, a.metric.as_str(), a.timestamp_ms).cmp(&(
            b.resource,
            b.metric.as_str(),
            b.timestamp_ms,
        ))
    });

    rows.dedup_by(|later, kept| {
        let same = (later.resource, later.metric, later.timestamp_ms)
            == (kept.resource, kept.metric, kept.timestamp_ms);
        if same {
            *kept = *later;
        }
        same
    });

    let rows = record_batch(connection, &rows, resources)
        .map_err(|error| StoreError::Backend(format!("samples of {connection} {day}: {error}")))?;
    Ok(DayBatch {
        connection: connection.clone(),
        day,
        rows,
    })
}
