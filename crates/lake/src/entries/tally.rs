//! Counting values: of columns in batches of a segment, of entries in the tail, and of open members
//! out of canonical bytes.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int32Type, TimestampMicrosecondType};
use hashbrown::HashMap;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_audit::query::{FieldPath, QueryColumn, column_text};
use reeve_audit::{Entry, Obstacle, format_instant};
use reeve_ledger::{
    EntryCounts, GroupBy, MOST_PAIRS, MOST_VALUES, StoredEntry, TimeUnit, TrailError,
};

use super::decode::{Canonical, canonical_columns};
use super::schema::{millis, position};
use super::values::values;

/// Values that are told for a field, at most.
const TOP: usize = 1_000;
/// Values of a second field that are told for each value of the first, at most.
const INNER: usize = 100;
/// Spans of time that are told, at most.
const SPANS: usize = 10_000;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
const WEEK_MS: i64 = 7 * DAY_MS;
/// The Monday before the epoch, which was a Thursday.
const MONDAY_MS: i64 = -3 * DAY_MS;

/// Refuses what has no values to count.
pub(super) fn countable(by: &GroupBy) -> Result<(), TrailError> {
    let refused = match by {
        GroupBy::Time { column, .. } if !column.is_time() => {
            format!("{} is not a time", column.field_name())
        }
        GroupBy::Field(FieldPath::Changes) => {
            "changes as a whole have no values to count".to_owned()
        }
        GroupBy::Field(
            FieldPath::Before(path) | FieldPath::After(path) | FieldPath::Metadata(path),
        ) if path.is_empty() => "a whole state has no values to count".to_owned(),
        GroupBy::Nested(outer, inner) => {
            if [outer, inner]
                .iter()
                .any(|by| matches!(***by, GroupBy::Nested(..)))
            {
                return Err(TrailError::Invalid(
                    "two fields can be nested, not more".to_owned(),
                ));
            }
            return countable(outer).and_then(|()| countable(inner));
        }
        _ => return Ok(()),
    };
    Err(TrailError::Invalid(refused))
}

/// The columns of a segment that counting reads.
pub(super) fn columns_of(by: &GroupBy) -> Vec<usize> {
    match by {
        GroupBy::Column(column) | GroupBy::Time { column, .. } => vec![position(*column)],
        GroupBy::User | GroupBy::Field(FieldPath::User) => {
            vec![
                position(QueryColumn::ActorEmail),
                position(QueryColumn::ActorId),
            ]
        }
        GroupBy::Field(FieldPath::Column(column)) => vec![position(*column)],
        GroupBy::Field(_) | GroupBy::Nested(..) => canonical_columns().to_vec(),
    }
}

/// The counts of one field.
#[derive(Debug, Clone)]
pub(super) struct EntryTally {
    by: GroupBy,
    texts: HashMap<String, u64>,
    times: HashMap<i64, u64>,
    /// The span of the last instant and what was counted in it since.
    last: (Range<i64>, u64),
    missing: u64,
    /// Counts of the second field for each value of the first, if two are nested.
    nested: HashMap<String, EntryTally>,
    pairs: usize,
}

impl EntryTally {
    pub(super) fn new(by: GroupBy) -> Self {
        // Columns reach this under either name.
        let by = match by {
            GroupBy::Field(FieldPath::Column(column)) => GroupBy::Column(column),
            GroupBy::Field(FieldPath::User) => GroupBy::User,
            other => other,
        };
        EntryTally {
            by,
            texts: HashMap::new(),
            times: HashMap::new(),
            last: (0..0, 0),
            missing: 0,
            nested: HashMap::new(),
            pairs: 0,
        }
    }

    /// Counts the rows of a batch whose columns are those at `places` of a segment. The error says
    /// why the canonical bytes of a row are not an entry.
    ///
    /// Nothing is counted any more once the count [is full](Self::is_full): it is refused at its
    /// end, and what is kept until then stays bounded.
    pub(super) fn batch(&mut self, batch: &RecordBatch, places: &[usize]) -> Result<(), Obstacle> {
        if self.is_full() {
            return Ok(());
        }

        let column = |place: usize| {
            batch.column(
                places
                    .iter()
                    .position(|&other| other == place)
                    .unwrap_or_default(),
            )
        };

        match self.by.clone() {
            GroupBy::Column(of) | GroupBy::Time { column: of, .. } => {
                self.column(column(position(of)))
            }
            GroupBy::User => {
                self.users(
                    column(position(QueryColumn::ActorEmail)),
                    column(position(QueryColumn::ActorId)),
                );
            }
            GroupBy::Nested(outer, inner) => {
                let mut canonical = Canonical::new(&canonical_columns().map(column));
                for row in 0..batch.num_rows() {
                    let (entry, recorded_at) = Entry::from_canonical(canonical.row(row))
                        .map_err(|error| error.to_string())?;
                    self.pairs(&entry, recorded_at, &outer, &inner);
                }
            }
            GroupBy::Field(field) => {
                let mut canonical = Canonical::new(&canonical_columns().map(column));
                for row in 0..batch.num_rows() {
                    let (entry, _) = Entry::from_canonical(canonical.row(row))
                        .map_err(|error| error.to_string())?;
                    self.field(&entry, &field);
                }
            }
        }

        Ok(())
    }

    fn column(&mut self, column: &ArrayRef) {
        self.missing += column.null_count() as u64;
        match column.data_type() {
            DataType::Timestamp(..) => {
                for &time in column.as_primitive::<TimestampMicrosecondType>().values() {
                    self.time(millis(time), 1);
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
                for (key, count) in counts
                    .into_iter()
                    .enumerate()
                    .filter(|(_, count)| *count > 0)
                {
                    add(&mut self.texts, values.value(key), count);
                }
            }
        }
    }

    fn users(&mut self, emails: &ArrayRef, ids: &ArrayRef) {
        for row in 0..emails.len() {
            match text_at(emails, row).or_else(|| text_at(ids, row)) {
                Some(value) => add(&mut self.texts, value, 1),
                None => self.missing += 1,
            }
        }
    }

    fn field(&mut self, entry: &Entry, field: &FieldPath) {
        let found = values(entry, field);
        self.missing += u64::from(found.is_empty());
        found
            .iter()
            .for_each(|value| add(&mut self.texts, value, 1));
    }

    /// Counts the value of one entry, if the tally has room.
    pub(super) fn entry(&mut self, stored: &StoredEntry) {
        if self.is_full() {
            return;
        }

        let entry = &stored.entry;
        match self.by.clone() {
            GroupBy::Column(column) | GroupBy::Time { column, .. } if column.is_time() => {
                let at = if column == QueryColumn::Timestamp {
                    entry.timestamp
                } else {
                    stored.recorded_at
                };
                self.time(at.as_millisecond(), 1);
            }
            GroupBy::Column(column) | GroupBy::Time { column, .. } => {
                match column_text(entry, column) {
                    Some(value) => add(&mut self.texts, &value, 1),
                    None => self.missing += 1,
                }
            }
            GroupBy::User => match entry.actor.email.as_ref().or(entry.actor.id.as_ref()) {
                Some(value) => add(&mut self.texts, value, 1),
                None => self.missing += 1,
            },
            GroupBy::Field(field) => self.field(entry, &field),
            GroupBy::Nested(outer, inner) => self.pairs(entry, stored.recorded_at, &outer, &inner),
        }
    }

    /// Counts the pairs of values that one entry has.
    fn pairs(&mut self, entry: &Entry, recorded_at: Timestamp, outer: &GroupBy, inner: &GroupBy) {
        let (first, second) = (
            values_of(outer, entry, recorded_at),
            values_of(inner, entry, recorded_at),
        );
        self.missing += u64::from(first.is_empty());

        for value in first {
            add(&mut self.texts, &value, 1);
            if self.is_full() {
                continue;
            }
            let tally = self
                .nested
                .entry(value)
                .or_insert_with(|| EntryTally::new(inner.clone()));
            let before = tally.texts.len();
            tally.missing += u64::from(second.is_empty());
            second
                .iter()
                .for_each(|value| add(&mut tally.texts, value, 1));
            self.pairs += tally.texts.len() - before;
        }
    }

    /// Returns `true` once there are more values than can be counted in bounded memory.
    fn is_full(&self) -> bool {
        self.pairs > MOST_PAIRS
            || self.nested.len() > MOST_PAIRS
            || self.texts.len() + self.times.len() > MOST_VALUES
    }

    /// Counts entries with a value.
    pub(super) fn text(&mut self, value: &str, count: u64) {
        if !self.is_full() {
            add(&mut self.texts, value, count);
        }
    }

    /// Counts entries without a value.
    pub(super) fn missing(&mut self, count: u64) {
        self.missing += count;
    }

    /// Counts entries at an instant.
    pub(super) fn time(&mut self, ms: i64, count: u64) {
        // Most follow the one before within the same span.
        if self.last.0.contains(&ms) {
            self.last.1 += count;
            return;
        }
        self.flush();
        self.last = (span_of(&self.by, ms), count);
    }

    fn flush(&mut self) {
        let (span, count) = std::mem::replace(&mut self.last, (0..0, 0));
        if count > 0 {
            *self.times.entry(span.start).or_default() += count;
        }
    }

    /// Takes another count of the same field over.
    pub(super) fn merge(&mut self, mut other: EntryTally) {
        if self.is_full() {
            return;
        }

        other.flush();
        merge(&mut self.texts, other.texts);
        merge(&mut self.times, other.times);
        self.missing += other.missing;

        for (value, more) in other.nested {
            if self.is_full() {
                break;
            }
            let inner = self
                .nested
                .entry(value)
                .or_insert_with(|| EntryTally::new(more.by.clone()));
            let before = inner.texts.len();
            inner.merge(more);
            self.pairs += inner.texts.len() - before;
        }
    }

    /// Values and counts: the most frequent first, equal ones by value; spans of time in their
    /// order, the newest that fit.
    ///
    /// # Errors
    /// There are more values than can be counted.
    pub(super) fn finish(mut self, limit: usize) -> Result<EntryCounts, TrailError> {
        self.flush();
        if self.is_full() {
            return Err(TrailError::Invalid(format!(
                "the field has more than {MOST_VALUES} different values, or more than {MOST_PAIRS} pairs with another; narrow the query"
            )));
        }

        if let GroupBy::Time {
            unit: TimeUnit::Month,
            ..
        } = self.by
        {
            for (day, count) in std::mem::take(&mut self.times) {
                *self
                    .times
                    .entry(span_start(day, TimeUnit::Month))
                    .or_default() += count;
            }
        }

        let all = self.texts.values().chain(self.times.values()).sum::<u64>();
        let instant = |ms: i64| {
            Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), format_instant)
        };

        let in_order = is_time_span(&self.by);
        let mut values: Vec<(String, u64)> = self.texts.into_iter().collect();
        values.extend(
            self.times
                .into_iter()
                .map(|(ms, count)| (instant(ms), count)),
        );
        let distinct = values.len() as u64;

        if in_order {
            values.sort_unstable();
            values = values.split_off(values.len().saturating_sub(SPANS));
        } else {
            values.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            values.truncate(limit.min(TOP));
        }

        let listed = values.iter().map(|(_, count)| count).sum::<u64>();
        let nested = match self.by {
            GroupBy::Nested(..) => {
                let inner = |(value, _): &(String, u64)| {
                    self.nested
                        .remove(value)
                        .map(|tally| tally.finish(limit.min(INNER)))
                };
                values.iter().filter_map(inner).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };

        Ok(EntryCounts {
            values,
            nested,
            distinct,
            other: all - listed,
            missing: self.missing,
        })
    }
}

/// Returns `true` if values are spans of time, which are told in their order.
fn is_time_span(by: &GroupBy) -> bool {
    match by {
        GroupBy::Time { .. } => true,
        GroupBy::Nested(outer, _) => is_time_span(outer),
        _ => false,
    }
}

/// Returns the values of an entry as one of two nested fields.
fn values_of(by: &GroupBy, entry: &Entry, recorded_at: Timestamp) -> BTreeSet<String> {
    let at = |column: QueryColumn| {
        if column == QueryColumn::Timestamp {
            entry.timestamp
        } else {
            recorded_at
        }
    };
    match by {
        GroupBy::Time { column, unit } => {
            let start = span_start(at(*column).as_millisecond(), *unit);
            Timestamp::from_millisecond(start)
                .map(format_instant)
                .into_iter()
                .collect()
        }
        GroupBy::Column(column) if column.is_time() => {
            BTreeSet::from([format_instant(at(*column))])
        }
        GroupBy::Column(column) => values(entry, &FieldPath::Column(*column)),
        GroupBy::User => values(entry, &FieldPath::User),
        GroupBy::Field(field) => values(entry, field),
        GroupBy::Nested(..) => BTreeSet::new(),
    }
}

/// Returns the text in a row of a column, which may be a dictionary.
pub(super) fn text_at(column: &ArrayRef, row: usize) -> Option<&str> {
    if column.is_null(row) {
        return None;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        return Some(texts.value(row));
    }

    let column = column.as_dictionary_opt::<Int32Type>()?;
    Some(
        column
            .values()
            .as_string_opt::<i32>()?
            .value(column.keys().value(row) as usize),
    )
}

/// The instants that are counted as one with an instant. Months are put together from days at the
/// end.
pub(super) fn span_of(by: &GroupBy, ms: i64) -> Range<i64> {
    let (start, length) = match by {
        GroupBy::Time {
            unit: TimeUnit::Month,
            ..
        } => (span_start(ms, TimeUnit::Day), DAY_MS),
        GroupBy::Time { unit, .. } => (span_start(ms, *unit), length(*unit)),
        _ => (ms, 1),
    };
    start..start.saturating_add(length)
}

fn length(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Minute => MINUTE_MS,
        TimeUnit::FiveMinutes => 5 * MINUTE_MS,
        TimeUnit::QuarterHour => 15 * MINUTE_MS,
        TimeUnit::Hour => HOUR_MS,
        TimeUnit::Day | TimeUnit::Month => DAY_MS,
        TimeUnit::Week => WEEK_MS,
    }
}

/// The first instant of the span that an instant lies in.
pub(super) fn span_start(ms: i64, unit: TimeUnit) -> i64 {
    let floor = |length: i64, origin: i64| (ms - origin).div_euclid(length) * length + origin;
    match unit {
        TimeUnit::Minute => floor(MINUTE_MS, 0),
        TimeUnit::FiveMinutes => floor(5 * MINUTE_MS, 0),
        TimeUnit::QuarterHour => floor(15 * MINUTE_MS, 0),
        TimeUnit::Hour => floor(HOUR_MS, 0),
        TimeUnit::Day => floor(DAY_MS, 0),
        TimeUnit::Week => floor(WEEK_MS, MONDAY_MS),
        TimeUnit::Month => {
            let day = Timestamp::from_millisecond(ms)
                .map(|at| at.to_zoned(TimeZone::UTC).date().first_of_month());
            day.and_then(|day| day.to_zoned(TimeZone::UTC))
                .map_or(ms, |start| start.timestamp().as_millisecond())
        }
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
    fn the_most_frequent_come_first_and_a_thousand_at_most() {
        let mut tally = EntryTally::new(GroupBy::Column(QueryColumn::ActorId));
        for number in 0..1_500 {
            add(&mut tally.texts, &format!("{number:04}"), 1);
        }

        let mut more = EntryTally::new(GroupBy::Column(QueryColumn::ActorId));
        add(&mut more.texts, "1499", 2);
        tally.merge(more);

        for (limit, expected) in [(5_000, TOP), (2, 2), (0, 0)] {
            let counts = tally.clone().finish(limit).unwrap();
            let expect = [("1499".to_owned(), 3), ("0000".to_owned(), 1)];
            assert_eq!(counts.values[..expected.min(2)], expect[..expected.min(2)]);
            assert_eq!((counts.values.len(), counts.missing), (expected, 0));
            assert_eq!(
                counts.other + counts.values.iter().map(|(_, n)| n).sum::<u64>(),
                1_502
            );
        }
    }

    /// More values than can be counted are refused, and their number in memory stays bounded
    /// whatever still comes.
    #[test]
    fn a_count_of_too_many_values_is_refused_in_bounded_memory() {
        let full = || {
            let mut tally = EntryTally::new(GroupBy::Column(QueryColumn::ActorId));
            for number in 0..=MOST_VALUES {
                tally.text(&number.to_string(), 1);
            }
            tally
        };
        let mut tally = full();

        for number in 0..1_000 {
            tally.text(&format!("further {number}"), 1);
        }
        assert_eq!(tally.texts.len(), MOST_VALUES + 1);

        let mut further = EntryTally::new(GroupBy::Column(QueryColumn::ActorId));
        further.text("of another segment", 1);
        tally.merge(further);
        assert_eq!(tally.texts.len(), MOST_VALUES + 1);

        let refused = tally.finish(10).unwrap_err();
        assert!(matches!(refused, TrailError::Invalid(text) if text.contains("narrow the query")));
    }

    #[test]
    fn spans_begin_where_the_calendar_says_also_before_the_epoch() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        for (unit, instant, first) in [
            (
                TimeUnit::Minute,
                "2026-11-20T10:20:30.5Z",
                "2026-11-20T10:20:00Z",
            ),
            (
                TimeUnit::FiveMinutes,
                "2026-11-20T10:24:59.9Z",
                "2026-11-20T10:20:00Z",
            ),
            (
                TimeUnit::QuarterHour,
                "2026-11-20T10:59:59Z",
                "2026-11-20T10:45:00Z",
            ),
            (
                TimeUnit::Hour,
                "1969-12-31T23:59:59.999Z",
                "1969-12-31T23:00:00Z",
            ),
            (
                TimeUnit::Day,
                "2026-11-20T10:20:30Z",
                "2026-11-20T00:00:00Z",
            ),
            (
                TimeUnit::Week,
                "2026-11-22T23:59:59Z",
                "2026-11-16T00:00:00Z",
            ),
            (
                TimeUnit::Week,
                "1970-01-01T00:00:00Z",
                "1969-12-29T00:00:00Z",
            ),
            (
                TimeUnit::Month,
                "2024-02-29T10:00:00Z",
                "2024-02-01T00:00:00Z",
            ),
            (
                TimeUnit::Month,
                "1960-01-01T00:00:00Z",
                "1960-01-01T00:00:00Z",
            ),
        ] {
            assert_eq!(
                span_start(at(instant), unit),
                at(first),
                "{unit:?} {instant}"
            );
        }
    }

    #[test]
    fn what_has_no_values_is_refused() {
        for (by, fine) in [
            (GroupBy::User, true),
            (GroupBy::Column(QueryColumn::Timestamp), true),
            (
                GroupBy::Time {
                    column: QueryColumn::EventId,
                    unit: TimeUnit::Day,
                },
                false,
            ),
            (GroupBy::Field(FieldPath::Changes), false),
            (GroupBy::Field(FieldPath::After(Vec::new())), false),
            (GroupBy::Field(FieldPath::After(vec!["a".into()])), true),
        ] {
            assert_eq!(countable(&by).is_ok(), fine, "{by:?}");
        }
    }
}
