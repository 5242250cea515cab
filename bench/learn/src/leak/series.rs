//! Real series from the open data, and windows cut from them.

use std::path::Path;

use anyhow::{Context, Result};
use reeve_learn::Point;

use crate::chance::Chance;
use crate::data::Data;

/// Half of the files that a run uses: choices are made on one, figures reported from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// To choose methods and settings on.
    Choosing,
    /// Files that figures are reported from.
    Reporting,
}

/// Points in a window: fourteen days of five minutes.
pub(crate) const WINDOW: usize = 4_032;

/// Every second real series of computers (CPU, latency, requests) with at least a window of points,
/// sorted by path.
pub(crate) fn of_machines(data: &Data, half: Half) -> Result<Vec<Vec<Point>>> {
    let wanted = ["cpu", "latency", "asg", "request_count"];
    let files =
        ["nab/realAWSCloudwatch", "nab/realKnownCause"].map(|folder| data.csv_files(folder));
    let mut paths = Vec::new();
    for found in files {
        paths.extend(found?);
    }

    paths.retain(|path| {
        wanted
            .iter()
            .any(|word| path.to_string_lossy().contains(word))
    });
    let turn = usize::from(half == Half::Reporting);
    let mut series = Vec::new();

    for path in paths.iter().skip(turn).step_by(2) {
        let points = read(path)?;
        if points.len() >= WINDOW {
            series.push(points);
        }
    }

    Ok(series)
}

/// A window at a random place.
pub(crate) fn window(series: &[Point], chance: &mut Chance) -> Vec<Point> {
    let start = chance.below(series.len() - WINDOW + 1);
    series[start..start + WINDOW].to_vec()
}

/// A window whose values are turned by a random number of points over the same times. Two weeks
/// wrap round into themselves: time of day and weekday stay, and a file that is one window long has
/// as many ends as points.
pub(crate) fn turned(series: &[Point], chance: &mut Chance) -> Vec<Point> {
    let (mut window, by) = (window(series, chance), chance.below(WINDOW));
    let values: Vec<f64> = window.iter().map(|(_, value)| *value).collect();
    window
        .iter_mut()
        .enumerate()
        .for_each(|(index, point)| point.1 = values[(index + by) % WINDOW]);
    window
}

/// Standard deviation of the values.
pub(crate) fn deviation(points: &[Point]) -> f64 {
    let n = points.len().max(1) as f64;
    let mean = points.iter().map(|(_, value)| value).sum::<f64>() / n;
    (points
        .iter()
        .map(|(_, value)| (value - mean).powi(2))
        .sum::<f64>()
        / n)
        .sqrt()
}

fn read(path: &Path) -> Result<Vec<Point>> {
    let mut reader = csv::Reader::from_path(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let mut points = Vec::new();

    for (line, record) in reader.records().enumerate() {
        let record = record?;
        let parsed = record
            .get(0)
            .and_then(millis)
            .zip(record.get(1).and_then(|value| value.parse().ok()));
        points.push(parsed.with_context(|| {
            format!(
                "{} line {}: no timestamp and value",
                path.display(),
                line + 2
            )
        })?);
    }

    points.sort_by_key(|(at, _)| *at);
    Ok(points)
}

/// `2014-02-14 14:30:00` in milliseconds since the epoch (Howard Hinnant's days from civil).
fn millis(text: &str) -> Option<i64> {
    let mut parts = text
        .split(['-', ' ', ':', 'T'])
        .map(|part| part.parse::<f64>().ok());
    let mut next = || parts.next().flatten();
    let (year, month, day) = (next()? as i64, next()? as i64, next()? as i64);
    let seconds = next()? as i64 * 3_600 + next()? as i64 * 60 + next()? as i64;
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;

    Some((days * 86_400 + seconds) * 1_000)
}
