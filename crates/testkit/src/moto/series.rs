//! Metric series to put into moto: recorded ones from the Numenta Anomaly Benchmark where the data
//! is there, generated ones of the same make where not. The caller prints which.

use std::path::Path;

use anyhow::Context;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Basic period of CloudWatch: five minutes.
pub const PERIOD_S: i64 = 300;

/// A series as recorded or generated.
#[derive(Debug, Clone)]
pub struct Recording {
    /// File name without its ending (`ec2_cpu_utilization_24ae8d`).
    pub name: String,
    /// `true` for a real recording, `false` for a generated one.
    pub recorded: bool,
    /// (time, value), oldest first.
    pub points: Vec<(Timestamp, f64)>,
}

impl Recording {
    /// Moved in time so that the last point lies at the last whole period before `end`; times
    /// rounded down to whole periods, the first of two points in one period kept.
    #[must_use]
    pub fn ending_at(mut self, end: Timestamp) -> Self {
        let floor = |seconds: i64| seconds.div_euclid(PERIOD_S) * PERIOD_S;
        let Some(last) = self.points.last().map(|p| p.0.as_second()) else {
            return self;
        };

        let shift = floor(end.as_second()) - floor(last);
        for (time, _) in &mut self.points {
            let moved = floor(time.as_second()) + shift;
            *time = Timestamp::from_second(moved).unwrap_or(*time);
        }

        self.points.dedup_by_key(|p| p.0);
        self
    }

    /// Keeps the last `count` points.
    #[must_use]
    pub fn last(mut self, count: usize) -> Self {
        self.points.drain(..self.points.len().saturating_sub(count));
        self
    }
}

/// Every recording of a folder of CSV files (`timestamp,value`, UTC), by name; look-alikes when the
/// folder is missing.
///
/// # Errors
/// A file exists and cannot be read.
pub fn recordings(folder: &Path) -> anyhow::Result<Vec<Recording>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(look_alikes());
    };

    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "csv") {
            found.push(recording(&path).with_context(|| path.display().to_string())?);
        }
    }

    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn recording(path: &Path) -> anyhow::Result<Recording> {
    let name = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut points = Vec::new();

    for row in csv::Reader::from_path(path)?.into_records() {
        let row = row?;
        let time: DateTime = row
            .get(0)
            .context("no timestamp")?
            .replace(' ', "T")
            .parse()?;
        points.push((
            time.to_zoned(TimeZone::UTC)?.timestamp(),
            row.get(1).context("no value")?.parse()?,
        ));
    }

    points.sort_by_key(|p| p.0);
    Ok(Recording {
        name,
        recorded: true,
        points,
    })
}

/// Fourteen days of a quiet, a busy and a daily machine, and a database, with the recordings' names
/// and periods.
fn look_alikes() -> Vec<Recording> {
    [
        ("ec2_cpu_utilization_quiet", 0.2, 0.1),
        ("ec2_cpu_utilization_busy", 90.0, 5.0),
        ("ec2_cpu_utilization_daily", 40.0, 25.0),
        ("ec2_network_in_daily", 4.0e5, 2.5e5),
        ("rds_cpu_utilization_daily", 12.0, 6.0),
        ("elb_request_count_daily", 60.0, 50.0),
    ]
    .into_iter()
    .map(|(name, base, swing)| generated(name, base, swing))
    .collect()
}

/// A daily wave with noise that is the same every time.
fn generated(name: &str, base: f64, swing: f64) -> Recording {
    let start = Timestamp::UNIX_EPOCH;
    let mut state = name.bytes().fold(0x9e37_79b9_7f4a_7c15_u64, |s, b| {
        (s ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    let points = (0..14 * 288_i64)
        .map(|n| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let noise = (state >> 40) as f64 / f64::from(1 << 24) - 0.5;
            let wave = (n as f64 / 288.0 * std::f64::consts::TAU).sin();
            let value = (base + swing * wave + 0.3 * swing * noise).max(0.0);
            (start + SignedDuration::from_secs(n * PERIOD_S), value)
        })
        .collect();

    Recording {
        name: name.to_owned(),
        recorded: false,
        points,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_last_point_is_moved_to_the_end() {
        let end = Timestamp::from_second(1_800_000_123).unwrap();
        let moved = generated("x", 1.0, 1.0).ending_at(end);
        assert_eq!(moved.points.len(), 14 * 288);
        assert_eq!(moved.points.last().unwrap().0.as_second(), 1_800_000_000);
        assert!(
            moved
                .points
                .windows(2)
                .all(|w| w[1].0.as_second() - w[0].0.as_second() == PERIOD_S)
        );
    }

    #[test]
    fn a_missing_folder_gives_look_alikes() {
        let found = recordings(Path::new("/nowhere")).unwrap();
        assert!(
            !found.is_empty()
                && found
                    .iter()
                    .all(|r| !r.recorded && r.points.len() == 14 * 288)
        );
    }
}
