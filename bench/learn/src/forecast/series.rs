//! The series forecasts are judged on, and the origins they are made at.

use std::path::Path;

use anyhow::{Context, Result};
use reeve_learn::grid::Grid;
use reeve_learn::{DAY_MS, Point};

use crate::data::Data;

pub(crate) struct Series {
    pub name: String,
    pub grid: Grid,
    /// Steps in a day.
    pub day: usize,
}

/// Series of one source.
pub(crate) struct Set {
    pub name: &'static str,
    pub series: Vec<Series>,
}

/// Hourly transformer data: every column of both files.
pub(crate) fn ett(data: &Data) -> Result<Set> {
    let mut series = Vec::new();
    for path in data.csv_files("ett")? {
        for column in 1..=7 {
            series.push(read(&path, column)?);
        }
    }

    Ok(Set {
        name: "ETT hourly",
        series,
    })
}

/// Five-minute CloudWatch metrics of the Numenta Anomaly Benchmark.
pub(crate) fn cloudwatch(data: &Data) -> Result<Set> {
    let files = data.csv_files("nab/realAWSCloudwatch")?;
    let series = files
        .iter()
        .map(|path| read(path, 1))
        .collect::<Result<Vec<_>>>()?;
    Ok(Set {
        name: "NAB CloudWatch",
        series,
    })
}

/// NAB's series of other kinds.
pub(crate) fn others(data: &Data) -> Result<Set> {
    let mut series = Vec::new();
    for folder in [
        "realAdExchange",
        "realKnownCause",
        "realTraffic",
        "realTweets",
    ] {
        for path in data.csv_files(&format!("nab/{folder}"))? {
            series.push(read(&path, 1)?);
        }
    }

    Ok(Set {
        name: "NAB, other kinds",
        series,
    })
}

impl Series {
    /// Returns the measured points.
    pub(crate) fn points(&self) -> Vec<Point> {
        let point = |(slot, value): (usize, &f64)| (self.grid.time_ms(slot), *value);
        self.grid
            .values
            .iter()
            .enumerate()
            .map(point)
            .filter(|(_, value)| value.is_finite())
            .collect()
    }

    /// Returns the slots from one up to and including another.
    pub(super) fn until(&self, from: usize, last: usize) -> Grid {
        let values = self.grid.values[from..=last].to_vec();
        Grid {
            start_ms: self.grid.time_ms(from),
            values,
            doubled: 0,
            dropped: 0,
            ..self.grid
        }
    }

    /// Last known slots of the forecasts: for 24 hours after a week or more, for 7 days after five
    /// days or more (few CloudWatch files are longer than 14 days); on long series after 60 days or
    /// more, 40 of them. They are no whole number of days apart, so that forecasts start at all
    /// times of day.
    pub(super) fn origins(&self, horizon: usize) -> Vec<usize> {
        let (length, day) = (self.grid.values.len(), self.day);
        let long = length > 100 * day;
        let first = day
            * if long {
                60
            } else if horizon > 2 * day {
                5
            } else {
                7
            };

        let every = if long {
            (length - first) / 40 / day * day + day / 3 + 1
        } else {
            day / 3 + 1
        };

        let whole =
            |origin: &usize| origin + horizon < length && self.grid.values[*origin].is_finite();
        (first..length).step_by(every).filter(whole).collect()
    }
}

fn read(path: &Path, column: usize) -> Result<Series> {
    let mut reader = csv::Reader::from_path(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let title = reader.headers()?.get(column).unwrap_or("value").to_owned();
    let mut points: Vec<Point> = Vec::new();

    for (row, record) in reader.records().enumerate() {
        let record = record?;
        let parsed = record
            .get(0)
            .and_then(millis)
            .zip(record.get(column).and_then(|value| value.parse().ok()));
        points.push(
            parsed.with_context(|| {
                format!("{} line {}: no time and value", path.display(), row + 2)
            })?,
        );
    }

    let grid = Grid::new(&points).with_context(|| path.display().to_string())?;
    let stem = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let day = (DAY_MS / grid.step_ms) as usize;

    Ok(Series {
        name: format!("{stem} {title}"),
        grid,
        day,
    })
}

fn millis(text: &str) -> Option<i64> {
    let time: jiff::civil::DateTime = text.parse().ok()?;
    Some(
        time.to_zoned(jiff::tz::TimeZone::UTC)
            .ok()?
            .timestamp()
            .as_millisecond(),
    )
}
