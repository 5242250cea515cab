//! Counting values: of columns in batches of a segment, and of entries in the tail.

use std::collections::HashMap;
use std::hash::Hash;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int32Type, TimestampMillisecondType};
use jiff::Timestamp;
use reeve_audit::format_instant;
use reeve_audit::query::{Column, column_text};
use reeve_ledger::StoredEntry;

use super::schema::position;

/// Values that are told for a field, at most.
const TOP: usize = 1_000;

/// Milliseconds of an hour and a day.
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// The values of a column.
    Values(Column),
    /// Spans of `timestamp`, of this many milliseconds, told by their first instant.
    Spans(i64),
}

impl Counted {
    /// By the name of a field, the name of a column, or `hour` and `day` for spans of `timestamp` in UTC.
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name {
            "hour" => return Some(Counted::Spans(HOUR_MS)),
            "day" => return Some(Counted::Spans(DAY_MS)),
            _ => {}
        }
        let known = |column: &&Column| {
            let field = column.field_name();
            // `status` for `action.status`, `request_id` for `metadata.request_id`.
            name == field || name == column.segment_name() || (*column == &Column::ActionStatus && name == "status")
        };
        Column::ALL.iter().find(|column| known(column)).map(|&column| Counted::Values(column))
    }

    /// The column it is read from.
    pub(super) fn column(self) -> usize {
        match self {
            Counted::Values(column) => position(column),
            Counted::Spans(_) => position(Column::Timestamp),
        }
    }
}

/// The counts of one field. Entries without a value are not counted.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    what: Counted,
    texts: HashMap<String, u64>,
    times: HashMap<i64, u64>,
}

impl Tally {
    /// Nothing counted yet.
    pub(super) fn new(what: Counted) -> Self {
        Tally { what, texts: HashMap::new(), times: HashMap::new() }
    }

    /// Counts a column of a batch.
    pub(super) fn batch(&mut self, batch: &RecordBatch, index: usize) {
        let column = batch.column(index);
        match column.data_type() {
            DataType::Timestamp(..) => {
                for &ms in column.as_primitive::<TimestampMillisecondType>().values() {
                    self.time(ms);
                }
            }
            DataType::Utf8 => {
                for value in column.as_string::<i32>().iter().flatten() {
                    add(&mut self.texts, value, 1);
                }
            }
            _ => {
                let column = column.as_dictionary::<Int32Type>();
                let values = column.values().as_string::<i32>();
                let mut counts = vec![0; values.len()];
                for key in column.keys().iter().flatten() {
                    counts[key as usize] += 1;
                }
                for (key, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
                    add(&mut self.texts, values.value(key), count);
                }
            }
        }
    }

    /// Counts one entry.
    pub(super) fn entry(&mut self, stored: &StoredEntry) {
        match self.what {
            Counted::Spans(_) | Counted::Values(Column::Timestamp) => {
                self.time(stored.entry.timestamp.as_millisecond())
            }
            Counted::Values(Column::RecordedAt) => self.time(stored.recorded_at.as_millisecond()),
            Counted::Values(column) => {
                if let Some(value) = column_text(&stored.entry, column) {
                    add(&mut self.texts, &value, 1);
                }
            }
        }
    }

    fn time(&mut self, ms: i64) {
        let span = match self.what {
            Counted::Spans(length) => ms.div_euclid(length) * length,
            Counted::Values(_) => ms,
        };
        *self.times.entry(span).or_default() += 1;
    }

    /// Takes another count of the same field over.
    pub(super) fn merge(&mut self, other: Tally) {
        merge(&mut self.texts, other.texts);
        merge(&mut self.times, other.times);
    }

    /// Values and counts, the most frequent first, equal ones by value.
    pub(super) fn finish(self) -> Vec<(String, u64)> {
        let instant = |ms: i64| Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), format_instant);
        let mut all: Vec<(String, u64)> = self.texts.into_iter().collect();
        all.extend(self.times.into_iter().map(|(ms, count)| (instant(ms), count)));
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.truncate(TOP);
        all
    }
}

fn add(counts: &mut HashMap<String, u64>, value: &str, count: u64) {
    // Looked up by reference first: nearly every value is there already.
    match counts.get_mut(value) {
        Some(known) => *known += count,
        None => {
            counts.insert(value.to_owned(), count);
        }
    }
}

fn merge<K: Eq + Hash>(into: &mut HashMap<K, u64>, from: HashMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fields_are_named_as_in_a_query_or_as_columns() {
        for (name, expect) in [
            ("hour", Some(Counted::Spans(HOUR_MS))),
            ("actor.email", Some(Counted::Values(Column::ActorEmail))),
            ("actor_email", Some(Counted::Values(Column::ActorEmail))),
            ("status", Some(Counted::Values(Column::ActionStatus))),
            ("request_id", Some(Counted::Values(Column::RequestId))),
            ("metadata.request_id", Some(Counted::Values(Column::RequestId))),
            ("changes.after", None),
            ("", None),
        ] {
            assert_eq!(Counted::parse(name), expect, "{name}");
        }
    }

    #[test]
    fn the_most_frequent_come_first_and_a_thousand_at_most() {
        let mut tally = Tally::new(Counted::Values(Column::ActorId));
        for number in 0..1_500 {
            add(&mut tally.texts, &format!("{number:04}"), 1);
        }
        let mut more = Tally::new(Counted::Values(Column::ActorId));
        add(&mut more.texts, "1499", 2);
        tally.merge(more);
        let top = tally.finish();
        assert_eq!(top.len(), TOP);
        assert_eq!(top[..2], [("1499".to_owned(), 3), ("0000".to_owned(), 1)]);
    }

    #[test]
    fn spans_begin_on_the_hour_also_before_the_epoch() {
        let mut tally = Tally::new(Counted::Spans(HOUR_MS));
        for ms in [-1, 0, 3_599_999] {
            tally.time(ms);
        }
        assert_eq!(
            tally.finish(),
            [("1970-01-01T00:00:00.000Z".to_owned(), 2), ("1969-12-31T23:00:00.000Z".to_owned(), 1)]
        );
    }
}
