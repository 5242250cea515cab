//! A series as people keep it: a CSV file with a time and a value a row.
//!
//! Columns are told by their names, by their place where there is no header or only two of them, or by the caller. Values that
//! are blank, `NaN` or the like are gaps. Rows keep the file's order and text, so that what is printed beside them can be joined
//! to the file; [`SeriesFile::in_time_order`] is the order to judge them in. Whatever else cannot be read ends in an error that
//! names file, line and column: half a series judged in silence would be worse.

mod columns;
mod stamp;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use reeve_learn::Point;

use self::columns::Columns;
use super::file::Input;
use super::table::Table;
use crate::cli::SeriesArgs;

/// Rows that a series may have: two years of every second would be 63 million.
const MOST_ROWS: usize = 20_000_000;

/// One row, in the file's order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its line in the file, the first being 1.
    pub(super) line: u64,
    /// Its time as it stands in the file.
    pub(super) timestamp: String,
    /// Its value as it stands in the file.
    pub(super) text: String,
    /// Its time in milliseconds since the epoch. Without an offset it is UTC.
    pub(super) at_ms: i64,
    /// Its value; nothing where the file has none (blank, `NaN`, `null`, an infinity).
    pub(super) value: Option<f64>,
}

/// A file of one series.
#[derive(Debug)]
pub(super) struct SeriesFile {
    /// What messages call it.
    pub(super) name: String,
    /// Its rows, in the file's order. There may be none below a header.
    pub(super) rows: Vec<Row>,
}

impl SeriesFile {
    /// Reads a file, or stdin.
    pub(super) fn read(args: &SeriesArgs) -> Result<Self> {
        let input = Input::open(&args.file)?;
        Self::from_input(input, args.time_column.as_deref(), args.value_column.as_deref())
    }

    fn from_input(input: Input, time_column: Option<&str>, value_column: Option<&str>) -> Result<Self> {
        let table = Table::read(input)?;
        let name = table.name.clone();
        let (mut records, mut record) = (table.records(), ByteRecord::new());
        let Some(first) = records.next(&mut record)? else {
            bail!("{name} is empty; a series has a timestamp and a value a row");
        };
        let columns = Columns::told(&record, time_column, value_column).with_context(|| name.clone())?;
        let mut rows = Vec::new();
        if !columns.has_header {
            rows.push(columns.row(&record, first).with_context(|| name.clone())?);
        }
        while let Some(line) = records.next(&mut record)? {
            if rows.len() == MOST_ROWS {
                bail!("{name} has more than {MOST_ROWS} rows; divide it");
            }
            rows.push(columns.row(&record, line).with_context(|| name.clone())?);
        }
        Ok(Self { name, rows })
    }

    /// Places of the rows from the earliest to the latest; rows of the same time keep the file's order.
    pub(super) fn in_time_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        places.sort_by_key(|place| self.rows.get(*place).map(|row| row.at_ms));
        places
    }

    /// What was measured, from the earliest to the latest, gaps left out; the mean of values that share a time.
    pub(super) fn points(&self) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::with_capacity(self.rows.len());
        let mut sharing = 0.0;
        for row in self.in_time_order().into_iter().filter_map(|place| self.rows.get(place)) {
            let Some(value) = row.value else { continue };
            match points.last_mut() {
                Some((at, mean)) if *at == row.at_ms => {
                    sharing += 1.0;
                    // Halves, since the difference of two huge values may be more than a double holds.
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

#[cfg(test)]
mod tests;
