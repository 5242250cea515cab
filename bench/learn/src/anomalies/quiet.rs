//! False alarms: what is said of series, and of weeks, in which nobody marked anything.

use std::collections::BTreeMap;

use reeve_learn::WEEK_MS;

use crate::anomalies::corpus::Series;

/// Alarms counted over weeks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rate {
    pub(crate) alarms: u32,
    /// Weeks that the series last, in sum.
    pub(crate) weeks: f64,
}

impl Rate {
    /// Returns the alarms per week.
    pub(crate) fn a_week(self) -> f64 {
        f64::from(self.alarms) / self.weeks.max(f64::MIN_POSITIVE)
    }

    fn add(&mut self, other: Rate) {
        self.alarms += other.alarms;
        self.weeks += other.weeks;
    }
}

/// Alarms after the probation over the series of `artificialNoAnomaly`, whole.
pub(crate) fn clean<'a>(
    judged: impl Iterator<Item = (&'a Series, &'a [f64])>,
    threshold: f64,
) -> Rate {
    let mut sum = Rate::default();
    for (series, scores) in judged.filter(|(series, _)| series.folder() == "artificialNoAnomaly") {
        let start = series.labelled().probation();
        let times = &series.points[start..];
        let span = times
            .last()
            .zip(times.first())
            .map_or(0, |(last, first)| last.0 - first.0);
        let alarms = scores[start..]
            .iter()
            .filter(|score| **score >= threshold)
            .count() as u32;
        sum.add(Rate {
            alarms,
            weeks: span as f64 / WEEK_MS as f64,
        });
    }

    sum
}

/// Alarms over the whole weeks, counted from each other series' start, that touch neither a window
/// nor the probation.
pub(crate) fn quiet_weeks<'a>(
    judged: impl Iterator<Item = (&'a Series, &'a [f64])>,
    threshold: f64,
) -> Rate {
    let mut sum = Rate::default();
    for (series, scores) in judged.filter(|(series, _)| series.folder() != "artificialNoAnomaly") {
        sum.add(quiet_weeks_of(series, scores, threshold));
    }
    sum
}

fn quiet_weeks_of(series: &Series, scores: &[f64], threshold: f64) -> Rate {
    let start = series
        .points
        .iter()
        .map(|point| point.0)
        .min()
        .unwrap_or_default();

    let end = series
        .points
        .iter()
        .map(|point| point.0)
        .max()
        .unwrap_or_default();

    let probation = series.labelled().probation();
    let mut weeks: BTreeMap<i64, Option<u32>> = BTreeMap::new();

    for (row, ((at, _), score)) in series.points.iter().zip(scores).enumerate() {
        let week = weeks.entry((at - start) / WEEK_MS).or_insert(Some(0));
        if row < probation || series.in_window(row) {
            *week = None;
        }
        if let Some(alarms) = week {
            *alarms += u32::from(*score >= threshold);
        }
    }

    let whole = (end - start) / WEEK_MS;
    let quiet: Vec<u32> = weeks
        .into_iter()
        .filter(|(week, _)| *week < whole)
        .filter_map(|(_, alarms)| alarms)
        .collect();

    Rate {
        alarms: quiet.iter().sum(),
        weeks: quiet.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_weeks_without_a_window_count() {
        let hour = 3_600_000;
        let points: Vec<_> = (0..5 * 168 + 10).map(|row| (row * hour, 0.0)).collect();
        let mut series = Series {
            name: "a/b".to_owned(),
            points,
            windows: vec![(400, 410)],
        };

        // Rows 0 to 126 are the probation, so the first week does not count; the third holds the
        // window; the sixth is not whole.
        let scores: Vec<f64> = (0..series.points.len())
            .map(|row| f64::from(u8::from(row % 168 == 167)))
            .collect();
        assert_eq!(
            quiet_weeks_of(&series, &scores, 0.5),
            Rate {
                alarms: 3,
                weeks: 3.0
            }
        );

        series.windows.clear();
        assert_eq!(
            quiet_weeks_of(&series, &scores, 0.5),
            Rate {
                alarms: 4,
                weeks: 4.0
            }
        );
    }
}
