//! Columns that divide a file into several series: hosts, metrics, devices.
//!
//! Rows of two hosts taken for one series would be judged as one that jumps between them, so such a
//! file is refused unless the caller names the series. A column divides a file when its name says
//! so and it holds more than one label, or when rows that share their time differ in it. Columns of
//! measurements and of labels that hardly repeat do not.

use std::collections::HashMap;

use anyhow::{Result, bail};
use csv::ByteRecord;

use super::SeriesRow;

/// Names of columns that tell series apart, letters and digits alone.
const NAMES: [&str; 25] = [
    "host",
    "hostname",
    "hostid",
    "instance",
    "instanceid",
    "node",
    "nodename",
    "server",
    "machine",
    "vm",
    "pod",
    "container",
    "device",
    "deviceid",
    "sensor",
    "sensorid",
    "resource",
    "resourceid",
    "series",
    "seriesid",
    "metric",
    "metricname",
    "itemid",
    "uniqueid",
    "shard",
];
/// Columns that are looked at.
const MOST_COLUMNS: usize = 16;
/// Distinct labels of a column beyond which it is no name of a series.
const MOST_LABELS: usize = 10_000;
/// Labels that a message shows.
const SHOWN: usize = 3;

/// A series that the caller chose: rows whose cell in a column holds a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::analyze) struct ChosenLabels {
    column: String,
    value: String,
}

impl ChosenLabels {
    /// Reads `NAME=VALUE`.
    ///
    /// # Errors
    /// The text has no `=`.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let Some((column, value)) = text.split_once('=') else {
            bail!("--only {text:?} is not NAME=VALUE, such as host=web-1");
        };
        Ok(Self {
            column: column.trim().to_owned(),
            value: value.trim().to_owned(),
        })
    }

    /// The place of its column in a header.
    ///
    /// # Errors
    /// The header has no such column.
    pub(super) fn place(&self, header: &[String]) -> Result<usize> {
        let Some(place) = header
            .iter()
            .position(|name| name.eq_ignore_ascii_case(&self.column))
        else {
            bail!(
                "the header has no --only column {:?}; it has {}",
                self.column,
                header.join(", ")
            );
        };
        Ok(place)
    }

    /// Returns `true` if a cell holds its value.
    pub(super) fn is(&self, cell: Option<&[u8]>) -> bool {
        cell.is_some_and(|cell| cell.trim_ascii() == self.value.as_bytes())
    }
}

impl std::fmt::Display for ChosenLabels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.column, self.value)
    }
}

/// Labels of the columns beside times and values, a row at a time.
#[derive(Debug)]
pub(super) struct Labels(Vec<Column>);

#[derive(Debug)]
struct Column {
    place: usize,
    name: String,
    named: bool,
    labels: Vec<String>,
    known: HashMap<String, u32>,
    /// A label a row.
    rows: Vec<u32>,
}

impl Labels {
    /// For the columns of a header that are not among `taken`.
    pub(super) fn from_header(header: &[String], taken: &[usize]) -> Self {
        let others = header
            .iter()
            .enumerate()
            .filter(|(place, _)| !taken.contains(place));
        let column = |(place, name): (usize, &String)| {
            let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            Column {
                place,
                name: name.clone(),
                named: NAMES.iter().any(|known| plain.eq_ignore_ascii_case(known)),
                labels: Vec::new(),
                known: HashMap::new(),
                rows: Vec::new(),
            }
        };

        Self(others.take(MOST_COLUMNS).map(column).collect())
    }

    /// Takes note of a row.
    pub(super) fn note(&mut self, record: &ByteRecord) {
        self.0.retain_mut(|column| column.note(record));
    }

    /// Refuses rows of more than one series.
    pub(super) fn refuse_several(&self, rows: &[SeriesRow], in_time_order: &[usize]) -> Result<()> {
        let Some(column) = self
            .0
            .iter()
            .find(|column| column.divides(rows, in_time_order))
        else {
            return Ok(());
        };

        let shown = column
            .labels
            .iter()
            .take(SHOWN)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");

        let more = column.labels.len().saturating_sub(SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };

        let first = column.labels.first().map_or("", String::as_str);
        bail!(
            "it holds several series: column {} ({}) has {shown}{more}; choose one with --only {}={first}",
            column.place + 1,
            column.name,
            column.name
        );
    }
}

impl Column {
    /// Returns `false` once the column is known to hold no labels.
    fn note(&mut self, record: &ByteRecord) -> bool {
        let cell = String::from_utf8_lossy(record.get(self.place).unwrap_or_default().trim_ascii())
            .into_owned();
        if !self.named && cell.parse::<f64>().is_ok() {
            return false;
        }

        let label = *self.known.entry(cell).or_insert_with_key(|cell| {
            self.labels.push(cell.clone());
            (self.labels.len() - 1) as u32
        });
        self.rows.push(label);
        self.labels.len() <= MOST_LABELS
    }

    fn divides(&self, rows: &[SeriesRow], in_time_order: &[usize]) -> bool {
        if self.labels.len() < 2 || self.labels.len() > rows.len() / 2 {
            return false;
        }
        if self.named {
            return true;
        }

        let of = |place: &usize| Some((rows.get(*place)?.at_ms, *self.rows.get(*place)?));
        let mut labelled: Vec<(i64, u32)> = in_time_order.iter().filter_map(of).collect();
        labelled.sort_unstable();
        let differ = labelled
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
            .count();
        let same = labelled
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .count();

        differ * 4 >= rows.len() && same * 4 < differ
    }
}
