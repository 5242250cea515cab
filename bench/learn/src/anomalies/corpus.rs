//! The series of the Numenta Anomaly Benchmark and their labelled windows.

use anyhow::{Context, Result, ensure};

use crate::anomalies::nab::Labelled;
use crate::data::Data;

/// One file: its points in the order of its rows, and its labelled windows as first and last row.
pub(crate) struct Series {
    /// Folder and file name.
    pub(crate) name: String,
    /// Milliseconds since the epoch and value, a row each.
    pub(crate) points: Vec<(i64, f64)>,
    /// First and last row of each window, ascending.
    pub(crate) windows: Vec<(usize, usize)>,
}

impl Series {
    /// The folder it lies in: series of one origin.
    pub(crate) fn folder(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Returns the input of the NAB scorer.
    pub(crate) fn labelled(&self) -> Labelled<'_> {
        Labelled {
            rows: self.points.len(),
            windows: &self.windows,
        }
    }

    /// Returns `true` if a row lies in a labelled window.
    pub(crate) fn in_window(&self, row: usize) -> bool {
        self.windows
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&row))
    }
}

/// Every series of the benchmark that has labels, sorted by name. Fails when a file or one of its
/// windows cannot be read.
pub(crate) fn read(data: &Data) -> Result<Vec<Series>> {
    let path = data.path("nab/labels.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let labels: std::collections::BTreeMap<String, Vec<(String, String)>> =
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not a map of windows", path.display()))?;

    labels
        .into_iter()
        .map(|(name, windows)| series(data, name, &windows))
        .collect()
}

fn series(data: &Data, name: String, windows: &[(String, String)]) -> Result<Series> {
    let path = data.path("nab").join(&name);
    let mut reader = csv::Reader::from_path(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let mut points = Vec::new();

    for (row, record) in reader.records().enumerate() {
        let record = record.with_context(|| format!("{name} row {row}"))?;
        let (stamp, value) = (
            record.get(0).unwrap_or_default(),
            record.get(1).unwrap_or_default(),
        );
        let value = value
            .trim()
            .parse::<f64>()
            .with_context(|| format!("{name} row {row}: value {value:?}"))?;
        points.push((
            stamp_ms(stamp).with_context(|| format!("{name} row {row}: timestamp {stamp:?}"))?,
            value,
        ));
    }

    let row_of = |stamp: &str| {
        let at = stamp_ms(stamp)?;
        points
            .iter()
            .position(|point| point.0 == at)
            .with_context(|| format!("{name} has no row at {stamp}"))
    };

    let windows: Vec<_> = windows
        .iter()
        .map(|(start, end)| Ok((row_of(start)?, row_of(end)?)))
        .collect::<Result<_>>()?;
    ensure!(
        windows.is_sorted(),
        "the windows of {name} are out of order"
    );
    Ok(Series {
        name,
        points,
        windows,
    })
}

/// `YYYY-MM-DD HH:MM:SS`, with or without a fraction, read as UTC.
pub(super) fn stamp_ms(stamp: &str) -> Result<i64> {
    let part = |from: usize, to: usize| -> Result<i64> {
        let digits = stamp.get(from..to).context("a timestamp is too short")?;
        digits
            .parse()
            .with_context(|| format!("{digits:?} is not a number"))
    };
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);

    let seconds = part(11, 13)? * 3600 + part(14, 16)? * 60 + part(17, 19)?;
    Ok((days_from_civil(year, month, day) * 86_400 + seconds) * 1000)
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms").
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_milliseconds_since_the_epoch() {
        assert_eq!(stamp_ms("1970-01-02 00:00:01").ok(), Some(86_401_000));
        assert_eq!(
            stamp_ms("2014-04-10 07:15:00.000000").ok(),
            Some(1_397_114_100_000)
        );
        assert!(stamp_ms("2014-04-10").is_err());
    }
}
