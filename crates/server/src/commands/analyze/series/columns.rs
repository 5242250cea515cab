//! Columns with times and values, and rows read by them.

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;

use super::{SeriesRow, stamp};

/// Names of a column of times, in lower case, the surest first.
const TIMES: [&str; 10] = [
    "timestamp",
    "time",
    "datetime",
    "date_time",
    "date",
    "ts",
    "ds",
    "at",
    "epoch",
    "_time",
];
/// Names of a column of values.
const VALUES: [&str; 10] = [
    "value",
    "values",
    "y",
    "metric_value",
    "_value",
    "val",
    "average",
    "target",
    "available",
    "availability",
];
/// Texts for a value that was not measured, in lower case.
const MISSING: [&str; 17] = [
    "", "nan", "-nan", "null", "none", "na", "n/a", "nil", "-", "\\n", "missing", "<na>", "#n/a",
    "#n/a n/a", "#na", "#null!", "#value!",
];
/// Characters of a cell that a message shows.
const SHOWN: usize = 40;

/// Columns of times and values.
pub(super) struct Columns {
    time: Column,
    value: Column,
    /// `true` if the first row names them.
    pub(super) has_header: bool,
    /// Numbers may have a decimal comma.
    pub(super) decimal_comma: bool,
}

struct Column {
    place: usize,
    /// `column 2 (value)`
    label: String,
}

impl Column {
    fn at(place: usize, name: &str) -> Self {
        let number = place + 1;
        Self {
            place,
            label: if name.is_empty() {
                format!("column {number}")
            } else {
                format!("column {number} ({name})")
            },
        }
    }
}

impl Columns {
    /// Detects the columns from a file's first row.
    pub(super) fn detect(
        first: &ByteRecord,
        time: Option<&str>,
        value: Option<&str>,
        decimal_comma: bool,
    ) -> Result<Self> {
        let names = names(first);
        let named = time.is_some() || value.is_some();

        if !named
            && names.len() >= 2
            && names
                .first()
                .is_some_and(|cell| stamp::millis(cell).is_some())
        {
            return Ok(Self {
                time: Column::at(0, ""),
                value: Column::at(1, ""),
                has_header: false,
                decimal_comma,
            });
        }

        let time = place(&names, time, "--time-column", &TIMES)?;
        let value = place(&names, value, "--value-column", &VALUES)?;
        let (time, value) = match (time, value) {
            (Some(time), Some(value)) => (time, value),
            // Two columns of any names are a time and a value, in this order unless one of them is
            // known.
            (Some(time), None) if names.len() == 2 => (time, 1 - time),
            (None, Some(value)) if names.len() == 2 => (1 - value, value),
            (None, None) if names.len() == 2 => (0, 1),
            (found, _) => {
                let (what, flag) = if found.is_none() {
                    ("times", "time")
                } else {
                    ("values", "value")
                };
                bail!(
                    "the header names no column of {what}; choose one with --{flag}-column: {}",
                    names.join(", ")
                );
            }
        };

        if time == value {
            bail!(
                "the header: times and values cannot both be {}",
                Column::at(time, &names[time]).label
            );
        }

        let (time, value) = (
            Column::at(time, &names[time]),
            Column::at(value, &names[value]),
        );
        Ok(Self {
            time,
            value,
            has_header: true,
            decimal_comma,
        })
    }

    /// Places of the columns of times and values.
    pub(super) fn places(&self) -> [usize; 2] {
        [self.time.place, self.value.place]
    }

    /// The column of values, as messages call it.
    pub(super) fn value_label(&self) -> &str {
        &self.value.label
    }

    /// The row that starts on a line.
    pub(super) fn row(&self, record: &ByteRecord, line: u64) -> Result<SeriesRow> {
        let timestamp = self.time.cell(record, line)?;
        let at_ms = stamp::millis(timestamp.trim()).with_context(|| {
            format!(
                "line {line}, {}: {:?} is not a time; write 2026-11-20T10:00:00Z, 2026-11-20 10:00:00 or seconds or milliseconds since 1970",
                self.time.label,
                shortened(timestamp)
            )
        })?;

        let text = self.value.cell(record, line)?;
        let value = number(text.trim(), self.decimal_comma).with_context(|| {
            format!(
                "line {line}, {}: {:?} is not a number; write it with a point and without grouping, or leave it blank for a gap",
                self.value.label,
                shortened(text)
            )
        })?;

        Ok(SeriesRow {
            line,
            timestamp: timestamp.to_owned(),
            text: text.to_owned(),
            at_ms,
            value,
        })
    }
}

impl Column {
    fn cell<'r>(&self, record: &'r ByteRecord, line: u64) -> Result<&'r str> {
        let cell = record.get(self.place).with_context(|| {
            let columns = record.len();
            format!(
                "line {line} has no {}: it has {columns} column{}",
                self.label,
                if columns == 1 { "" } else { "s" }
            )
        })?;
        std::str::from_utf8(cell).with_context(|| {
            format!(
                "line {line}, {}: it is not UTF-8; save it as UTF-8",
                self.label
            )
        })
    }
}

/// Returns the position of a column: as it was requested, or by a usual name.
fn place(
    names: &[String],
    asked: Option<&str>,
    flag: &str,
    usual: &[&str],
) -> Result<Option<usize>> {
    let find = |wanted: &str| {
        let exact = names.iter().position(|name| name == wanted);
        exact.or_else(|| {
            names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(wanted))
        })
    };

    let Some(asked) = asked else {
        return Ok(usual.iter().find_map(|name| find(name)));
    };

    let found = find(asked).with_context(|| {
        format!(
            "the header has no {flag} {asked:?}; it has {}",
            names.join(", ")
        )
    })?;

    Ok(Some(found))
}

/// Names of a header's columns.
pub(super) fn names(header: &ByteRecord) -> Vec<String> {
    header
        .iter()
        .map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned())
        .collect()
}

/// A number, nothing where there is none to have, and `None` for what is neither.
fn number(text: &str, decimal_comma: bool) -> Option<Option<f64>> {
    if MISSING
        .iter()
        .any(|missing| text.eq_ignore_ascii_case(missing))
    {
        return Some(None);
    }

    if decimal_comma && text.contains(',') {
        // A point beside the comma would be grouping, and is refused as such.
        let plain = text.replacen(',', ".", 1);
        return plain
            .parse::<f64>()
            .ok()
            .filter(|_| !text.contains('.'))
            .map(Some);
    }

    text.parse::<f64>()
        .ok()
        .map(|value| Some(value).filter(|value| value.is_finite()))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
