//! A series as people keep it: a CSV file with a time and a value a row.
//!
//! Columns are told by their names, by their place where there is no header or only two of them, or
//! by the caller. Values that are blank, `NaN` or the like are gaps. Rows keep the file's order and
//! text, so that what is printed beside them can be joined to the file;
//! [`SeriesFile::in_time_order`] is the order to judge them in. Whatever else cannot be read ends
//! in an error that names file, line and column: half a series judged in silence would be worse.

mod columns;
mod labels;
mod stamp;

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use reeve_learn::Point;

use self::columns::Columns;
use self::labels::{ChosenLabels, Labels};
pub(super) use self::stamp::millis as read_time;
use super::file::Input;
use super::table::AnalyzeTable;
use crate::cli::SeriesArgs;

/// Rows that a series may have: two years of every second would be 63 million.
const MOST_ROWS: usize = 20_000_000;

/// One row, in the file's order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeriesRow {
    /// Its line in the file, the first being 1.
    pub(super) line: u64,
    /// Its time as it is in the file.
    pub(super) timestamp: String,
    /// Its value as it is in the file.
    pub(super) text: String,
    /// Its time in milliseconds since the epoch. Without an offset it is UTC.
    pub(super) at_ms: i64,
    /// Its value; nothing where the file has none (blank, `NaN`, `null`, an infinity).
    pub(super) value: Option<f64>,
}

/// A file of one series.
#[derive(Debug)]
pub(super) struct SeriesFile {
    /// Name of the file, for messages.
    pub(super) name: String,
    /// Its rows, in the file's order. One of them at least has a value.
    pub(super) rows: Vec<SeriesRow>,
}

/// Columns that the caller named, and the series of several that was chosen.
#[derive(Debug, Default)]
struct Choice<'a> {
    time: Option<&'a str>,
    value: Option<&'a str>,
    only: Option<ChosenLabels>,
}

impl SeriesFile {
    /// Reads a file, or stdin.
    pub(super) fn read(args: &SeriesArgs) -> Result<Self> {
        let only = args.only.as_deref().map(ChosenLabels::parse).transpose()?;
        let choice = Choice {
            time: args.time_column.as_deref(),
            value: args.value_column.as_deref(),
            only,
        };
        Self::from_input(Input::open(&args.file)?, &choice)
    }

    /// Reads the columns of several series that share their times, `None` for each that the header
    /// does not name. `only` is `NAME=VALUE` of the rows to use.
    ///
    /// # Errors
    /// The file cannot be read, or a column that it has holds no series.
    pub(super) fn read_columns(
        file: &Path,
        names: &[&str],
        only: Option<&str>,
    ) -> Result<Vec<Option<Self>>> {
        let table = AnalyzeTable::read(Input::open(file)?)?;
        let mut header = ByteRecord::new();
        table.records().next(&mut header)?;
        let header = columns::names(&header);
        let series = |name: &&str| {
            if !header
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
            {
                return Ok(None);
            }
            let only = only.map(ChosenLabels::parse).transpose()?;
            let choice = Choice {
                value: Some(*name),
                only,
                ..Choice::default()
            };
            let rows = rows(&table, &choice).with_context(|| table.name.clone())?;
            Ok(Some(Self {
                name: table.name.clone(),
                rows,
            }))
        };

        names.iter().map(series).collect()
    }

    fn from_input(input: Input, choice: &Choice<'_>) -> Result<Self> {
        let table = AnalyzeTable::read(input)?;
        let rows = rows(&table, choice).with_context(|| table.name.clone())?;
        Ok(Self {
            name: table.name,
            rows,
        })
    }

    /// Places of the rows from the earliest to the latest; rows of the same time keep the file's
    /// order.
    pub(super) fn in_time_order(&self) -> Vec<usize> {
        places_in_time_order(&self.rows)
    }

    /// Judges the rows in an order of their places; the answers are in the file's order. A row is
    /// passed on with its place.
    pub(super) fn judge<T: Clone>(
        &self,
        order: &[usize],
        unjudged: T,
        mut judge: impl FnMut(usize, &SeriesRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut answers = vec![unjudged; self.rows.len()];
        for place in order {
            if let (Some(row), Some(answer)) = (self.rows.get(*place), answers.get_mut(*place)) {
                *answer = judge(*place, row)?;
            }
        }
        Ok(answers)
    }

    /// Returns the measurements from the earliest to the latest, gaps left out; the mean of values
    /// that share a time.
    pub(super) fn points(&self) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::with_capacity(self.rows.len());
        let mut sharing = 0.0;
        for row in self
            .in_time_order()
            .into_iter()
            .filter_map(|place| self.rows.get(place))
        {
            let Some(value) = row.value else { continue };
            match points.last_mut() {
                Some((at, mean)) if *at == row.at_ms => {
                    sharing += 1.0;
                    // Halves, since the difference of two huge values may be more than a double
                    // holds.
                    *mean += (0.5 * value - 0.5 * *mean) / sharing * 2.0;
                }
                _ => {
                    sharing = 1.0;
                    points.push((row.at_ms, value));
                }
            }
        }

        points
    }
}

/// Rows of a table that belong to one series.
fn rows(table: &AnalyzeTable, choice: &Choice<'_>) -> Result<Vec<SeriesRow>> {
    let (mut records, mut record) = (table.records(), ByteRecord::new());
    let Some(first) = records.next(&mut record)? else {
        bail!("it is empty; a series has a timestamp and a value a row");
    };

    let columns = Columns::detect(&record, choice.time, choice.value, table.decimal_comma())?;
    let header = if columns.has_header {
        columns::names(&record)
    } else {
        vec![String::new(); record.len()]
    };

    let only = choice
        .only
        .as_ref()
        .map(|only| only.place(&header).map(|place| (only, place)))
        .transpose()?;
    let mut labels = Labels::from_header(&header, &columns.places());
    let mut rows = Vec::new();
    let mut line = if columns.has_header {
        records.next(&mut record)?
    } else {
        Some(first)
    };

    while let Some(at) = line {
        if rows.len() == MOST_ROWS {
            bail!("it has more than {MOST_ROWS} rows; divide it");
        }
        if only.is_none_or(|(only, place)| only.is(record.get(place))) {
            rows.push(columns.row(&record, at)?);
            if only.is_none() {
                labels.note(&record);
            }
        }
        line = records.next(&mut record)?;
    }

    match only {
        Some((only, _)) if rows.is_empty() => bail!("no row has {only}"),
        _ => check(&rows, &labels, &columns)?,
    }

    Ok(rows)
}

/// Refuses rows that are no series: none at all, none with a number, those of several series.
fn check(rows: &[SeriesRow], labels: &Labels, columns: &Columns) -> Result<()> {
    if rows.is_empty() {
        bail!("it has a header and no rows below it; a series has a timestamp and a value a row");
    }

    if rows.iter().all(|row| row.value.is_none()) {
        bail!(
            "{} holds no number in any of {} rows",
            columns.value_label(),
            rows.len()
        );
    }

    let has = |mark: char| {
        rows.iter()
            .find(|row| row.value.is_some() && row.text.contains(mark))
    };

    if let (true, Some(comma), Some(point)) = (columns.decimal_comma, has(','), has('.')) {
        bail!(
            "lines {} and {} have {:?} and {:?}: write all numbers with a decimal comma or all with a point, without grouping",
            comma.line,
            point.line,
            comma.text.trim(),
            point.text.trim()
        );
    }

    labels.refuse_several(rows, &places_in_time_order(rows))
}

fn places_in_time_order(rows: &[SeriesRow]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by_key(|place| rows.get(*place).map(|row| row.at_ms));
    places
}

#[cfg(test)]
mod tests;
