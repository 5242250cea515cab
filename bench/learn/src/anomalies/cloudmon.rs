//! Series of a cloud's own monitoring (the Microsoft Cloud Monitoring Dataset), hourly and by the
//! minute, labelled row by row; and what detectors are held to there: how well scores rank the
//! rows, and events found at so many false alarms a week.

use anyhow::{Context, Result, ensure};
use reeve_learn::WEEK_MS;

use super::corpus::{Series, stamp_ms};
use crate::data::Data;

/// Rows between two labelled stretches that make them two events.
const APART: usize = 3;
/// Rows before an event and after it in which an alarm is neither false nor, after it, of use.
const AROUND: (usize, usize) = (1, 3);

/// Every series, those without an anomaly too, sorted by name. A value that is missing is not a
/// number.
pub(crate) fn read(data: &Data) -> Result<Vec<Series>> {
    data.csv_files("cloudmon")?
        .iter()
        .map(|path| series(path))
        .collect()
}

fn series(path: &std::path::Path) -> Result<Series> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut reader = csv::Reader::from_path(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let mut points: Vec<(i64, f64)> = Vec::new();
    let mut windows: Vec<(usize, usize)> = Vec::new();

    for (row, record) in reader.records().enumerate() {
        let record = record.with_context(|| format!("{name} row {row}"))?;
        let cell = |at: usize| record.get(at).unwrap_or_default().trim();
        let value = if cell(1).is_empty() {
            f64::NAN
        } else {
            cell(1)
                .parse()
                .with_context(|| format!("{name} row {row}"))?
        };
        points.push((
            stamp_ms(cell(0)).with_context(|| format!("{name} row {row}: {:?}", cell(0)))?,
            value,
        ));
        let label: f64 = cell(2)
            .parse()
            .with_context(|| format!("{name} row {row}: label {:?}", cell(2)))?;
        match windows.last_mut() {
            _ if label <= 0.0 => {}
            Some((_, last)) if *last + 1 == row => *last = row,
            _ => windows.push((row, row)),
        }
    }

    ensure!(!points.is_empty(), "{name} has no rows");
    Ok(Series {
        name,
        points,
        windows,
    })
}

/// Events found, events there are, false alarms and weeks of series.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Found {
    /// Events with an alarm from the row before them to the row after.
    pub(crate) found: usize,
    pub(crate) events: usize,
    /// Alarms away from every event.
    pub(crate) wrong: usize,
    /// Weeks that the series last, in sum.
    pub(crate) weeks: f64,
}

impl Found {
    /// False alarms a week.
    pub(crate) fn a_week(self) -> f64 {
        self.wrong as f64 / self.weeks.max(f64::MIN_POSITIVE)
    }
}

/// Counts the alarms of all series.
pub(crate) fn count<'a>(judged: impl Iterator<Item = (&'a Series, Vec<bool>)>) -> Found {
    judged.fold(Found::default(), |sum, (series, alarms)| {
        let one = count_one(series, &alarms);
        Found {
            found: sum.found + one.found,
            events: sum.events + one.events,
            wrong: sum.wrong + one.wrong,
            weeks: sum.weeks + one.weeks,
        }
    })
}

fn count_one(series: &Series, alarms: &[bool]) -> Found {
    let mut events: Vec<(usize, usize)> = Vec::new();
    for (first, last) in &series.windows {
        match events.last_mut() {
            Some((_, end)) if first - *end <= APART => *end = *last,
            _ => events.push((*first, *last)),
        }
    }

    let mut near = vec![false; alarms.len()];
    let mut found = 0;

    for (first, last) in &events {
        let from = first.saturating_sub(AROUND.0);
        let until = |after: usize| (last + after + 1).min(alarms.len());
        near[from..until(AROUND.1)].fill(true);
        found += usize::from(alarms[from..until(1)].contains(&true));
    }

    let wrong = alarms
        .iter()
        .zip(&near)
        .filter(|(alarm, near)| **alarm && !**near)
        .count();

    let span = series
        .points
        .last()
        .zip(series.points.first())
        .map_or(0, |(last, first)| last.0 - first.0);

    Found {
        found,
        events: events.len(),
        wrong,
        weeks: span as f64 / WEEK_MS as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_near_their_rows_and_alarms_elsewhere_are_false() {
        let points = (0..337).map(|row| (row * 3_600_000, 0.0)).collect();
        let series = Series {
            name: "a".to_owned(),
            points,
            windows: vec![(50, 52), (54, 54), (200, 200)],
        };

        let at = |rows: &[usize]| {
            (0..337)
                .map(|row| rows.contains(&row))
                .collect::<Vec<bool>>()
        };

        let check = |rows: &[usize], found, wrong| {
            assert_eq!(
                count_one(&series, &at(rows)),
                Found {
                    found,
                    events: 2,
                    wrong,
                    weeks: 2.0
                },
                "{rows:?}"
            );
        };
        check(&[], 0, 0);

        check(&[49, 53, 54, 55, 57], 1, 0);
        check(&[48, 57, 58, 198, 201], 1, 3);
        assert!((count_one(&series, &at(&[48, 58])).a_week() - 1.0).abs() < 1e-12);
    }
}
