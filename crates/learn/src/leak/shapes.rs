//! Shape of the growth: steady from the start, steady from some day on, or levelling off (a cache
//! that warms up, a shift that takes a while).
//!
//! Each shape is fitted within the pieces between breaks. They compete by the Bayesian information
//! criterion, with the number of independent points in the place of the number of points, since
//! neighbouring buckets repeat each other.

use super::fit::{LeakFit, LeakSeries, Prepared};

/// Candidate starts of the growth, as shares of the span.
const ONSETS: [f64; 11] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.36, 0.42, 0.48, 0.54, 0.6];
/// Further candidate starts for a rise that then stops.
const LATE: [f64; 4] = [0.66, 0.72, 0.78, 0.84];
/// Durations of a rise that then stops, as shares of the span.
const RISES: [f64; 5] = [0.002, 0.08, 0.2, 0.35, 0.5];
/// Time constants of a warm-up, as shares of the longest piece.
const WARM_UPS: [f64; 4] = [0.05, 0.12, 0.25, 0.4];
/// Share of the span for which a rise must have stopped to be distinguished from one that
/// continues.
const REST: f64 = 0.15;

/// The growth of a series.
#[derive(Debug, Clone)]
pub(crate) struct LeakGrowth {
    /// The fit of the best steady growth; its slope is per day.
    pub(crate) fit: LeakFit,
    /// Days after the first bucket when it began; `None` for from the start.
    pub(crate) onset_day: Option<f64>,
    /// By how much a shape that levels off explains the series better; below zero, steady growth is
    /// the better one.
    pub(crate) levelling: f64,
}

struct Score {
    loss: f64,
    parameters: f64,
    onset: Option<f64>,
    shape: Vec<f64>,
}

impl Score {
    fn fit(prepared: &Prepared<'_>, shape: Vec<f64>, parameters: f64) -> Option<(f64, Score)> {
        prepared.glance(&shape).map(|(slope, loss)| {
            (
                slope,
                Score {
                    loss,
                    parameters,
                    onset: None,
                    shape,
                },
            )
        })
    }

    /// The information criterion, up to a constant.
    fn cost(&self, worth: f64, least: f64) -> f64 {
        worth * (self.loss.max(least) / least).ln() + self.parameters * worth.max(1.0).ln()
    }
}

/// The best steady growth, and how it compares with shapes that level off. `days` is time since the
/// first bucket, `since` time since the piece began, both in days. `None` where nothing can be
/// fitted.
pub(crate) fn growth(prepared: &Prepared<'_>, days: &[f64], since: &[f64]) -> Option<LeakGrowth> {
    let span = *days.last()?;
    let mut steady = vec![Score::fit(prepared, days.to_vec(), 1.0)?.1];

    for share in ONSETS {
        let onset = share * span;
        let shape = days.iter().map(|day| (day - onset).max(0.0)).collect();
        steady.extend(Score::fit(prepared, shape, 2.0).map(|(_, score)| Score {
            onset: Some(onset),
            ..score
        }));
    }

    let level = levelling(prepared, days, since, span);
    let all = || steady.iter().chain(&level);
    let best = all().min_by(|a, b| a.loss.total_cmp(&b.loss))?;
    let (worth, least) = (
        prepared.fit(&best.shape)?.worth,
        best.loss.max(f64::MIN_POSITIVE),
    );
    let rival = level
        .iter()
        .map(|one| one.cost(worth, least))
        .fold(f64::MAX, f64::min);
    let best = steady
        .iter()
        .min_by(|a, b| a.cost(worth, least).total_cmp(&b.cost(worth, least)))?;

    Some(LeakGrowth {
        levelling: best.cost(worth, least) - rival,
        fit: prepared.fit(&best.shape)?,
        onset_day: best.onset,
    })
}

fn levelling(prepared: &Prepared<'_>, days: &[f64], since: &[f64], span: f64) -> Vec<Score> {
    let mut found = Vec::new();
    let mut offer = |shape: Vec<f64>, parameters: f64| {
        found.extend(
            Score::fit(prepared, shape, parameters)
                .filter(|(slope, _)| *slope > 0.0)
                .map(|(_, score)| score),
        );
    };

    for from in std::iter::once(0.0).chain(ONSETS).chain(LATE) {
        for rise in RISES.iter().filter(|rise| from + **rise <= 1.0 - REST) {
            offer(
                days.iter()
                    .map(|day| ((day / span - from) / rise).clamp(0.0, 1.0))
                    .collect(),
                3.0,
            );
        }
    }

    let longest = since.iter().copied().fold(0.0, f64::max);
    for share in WARM_UPS {
        let constant = share * longest;
        offer(
            since
                .iter()
                .map(|day| 1.0 - (-day / constant.max(1e-9)).exp())
                .collect(),
            2.0,
        );
    }

    found
}

/// Slope and its standard error in each of a number of equal parts of the time since the onset. A
/// climb that continues shows in all of them; a bump shows in one.
pub(crate) fn slopes_in_parts(
    series: &LeakSeries<'_>,
    days: &[f64],
    from_day: f64,
    parts: usize,
) -> Vec<(f64, f64)> {
    let Some(last) = days.last().copied() else {
        return Vec::new();
    };
    (0..parts)
        .filter_map(|part| {
            let edge = |number: usize| from_day + (last - from_day) * number as f64 / parts as f64;
            let start = days.partition_point(|day| *day < edge(part));
            let end = days.partition_point(|day| *day <= edge(part + 1));
            let first_piece = *series.pieces.get(start)?;
            let pieces: Vec<usize> = series.pieces[start..end]
                .iter()
                .map(|piece| piece - first_piece)
                .collect();
            let inside = LeakSeries {
                values: &series.values[start..end],
                pieces: &pieces,
                covariate: &series.covariate[start..end],
            };
            Prepared::new(&inside)
                .fit(&days[start..end])
                .map(|fit| (fit.slope, fit.error))
        })
        .collect()
}
