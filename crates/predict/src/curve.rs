//! Forecasts of one series: bands, the probability of crossing a level, and when.

use jiff::Timestamp;
use reeve_learn::Point;
use reeve_learn::forecast::{ForecastEvent, ForecastModel, ForecastSettings, fit};
use reeve_learn::grid::Grid;
use reeve_recommend::predictive::Expected;

use super::unpredictable::Unpredictable;

/// Steps of a forecast that are kept.
const KEPT: usize = 48;
/// Steps a forecast is walked at most.
const MOST_STEPS: usize = 2_016;
/// Levels a step's distribution is asked at.
const LEVELS: [f64; 19] = [
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
    0.9, 0.95,
];

/// A series with its forecast.
pub(super) struct Curve {
    model: ForecastModel,
    steps: usize,
    first: usize,
    start_ms: i64,
    step_ms: i64,
}

/// Knowledge that a forecast has besides the series.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Events, past and to come.
    pub(super) events: Vec<ForecastEvent>,
    /// `true` to forecast without seasons.
    pub(super) seasonless: bool,
}

/// The most likely step of a crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// Probability at the likeliest step, 0 to 1: a floor of that of any step.
    pub(super) probability: f64,
    /// The first step whose median crosses.
    pub(super) at: Option<Timestamp>,
}

impl Curve {
    /// Forecasts until `horizon_ms` after now, with what it is told.
    ///
    /// # Errors
    /// There is no forecast, for the reason in words.
    pub(super) fn new(
        points: &[Point],
        now_ms: i64,
        horizon_ms: i64,
        known: Known,
    ) -> Result<Curve, Unpredictable> {
        let grid = Grid::new(points)?;
        let next = grid.time_ms(grid.values.len());
        let ahead = (now_ms + horizon_ms - next).div_euclid(grid.step_ms) + 1;
        let steps = usize::try_from(ahead.max(1)).unwrap_or(1).min(MOST_STEPS);
        let Known { events, seasonless } = known;
        let model = fit(
            &grid,
            &ForecastSettings {
                horizon: steps,
                events,
                seasonless,
                ..ForecastSettings::default()
            },
        )?;

        // Steps that lie before now bridge the delay of the samples; only what is to come counts.
        let first = usize::try_from((now_ms - next).div_euclid(grid.step_ms) + 1)
            .unwrap_or(0)
            .min(steps - 1);
        Ok(Curve {
            model,
            steps,
            first,
            start_ms: next,
            step_ms: grid.step_ms,
        })
    }

    /// At most 48 steps of what is to come, evenly apart, the last one included.
    pub(super) fn bands(&self) -> Vec<Expected> {
        let bands = &self.model.forecast(self.steps)[self.first..];
        let every = bands.len().div_ceil(KEPT).max(1);
        let mut kept: Vec<Expected> = bands
            .iter()
            .rev()
            .step_by(every)
            .filter_map(|band| {
                let at = Timestamp::from_millisecond(band.at_ms).ok()?;
                Some(Expected {
                    at,
                    p05: band.p05,
                    p50: band.p50,
                    p95: band.p95,
                })
            })
            .collect();
        kept.reverse();

        kept
    }

    /// The chance that the series rises above (or falls below) a level.
    pub(super) fn crosses(&self, level: f64, rises: bool) -> Crossing {
        let mut likeliest = Crossing {
            probability: 0.0,
            at: None,
        };
        for step in self.first + 1..=self.steps {
            let quantiles = self.model.quantiles(step, &LEVELS);
            let below = quantiles
                .iter()
                .filter(|value| {
                    if rises {
                        **value <= level
                    } else {
                        **value < level
                    }
                })
                .count();
            let share = below as f64 / LEVELS.len() as f64;
            let probability = if rises { 1.0 - share } else { share };
            likeliest.probability = likeliest.probability.max(probability.clamp(0.01, 0.99));
            let median = quantiles[LEVELS.len() / 2];
            if likeliest.at.is_none()
                && (if rises {
                    median > level
                } else {
                    median < level
                })
            {
                let at_ms = self.start_ms + self.step_ms * (step as i64 - 1);
                likeliest.at = Timestamp::from_millisecond(at_ms).ok();
            }
        }

        likeliest
    }

    /// Returns the end of a peak above a level (the first hour of medians below it) and its height
    /// until then with a probability of 95 %; `None` if no end is forecast.
    pub(super) fn peak(&self, level: f64) -> Option<(Timestamp, f64)> {
        const HOUR_MS: i64 = 3_600_000;

        let (mut top, mut calm_since) = (f64::NEG_INFINITY, None);
        for band in &self.model.forecast(self.steps)[self.first..] {
            match (band.p50 > level, top.is_finite(), calm_since) {
                (true, ..) => calm_since = None,
                (false, false, _) => continue,
                (false, true, None) => calm_since = Some(band.at_ms),
                (false, true, Some(since)) if band.at_ms - since >= HOUR_MS => {
                    return Some((Timestamp::from_millisecond(since).ok()?, top));
                }
                (false, true, Some(_)) => {}
            }
            top = top.max(band.p95);
        }

        None
    }

    /// Returns the findings of the fit, in words.
    pub(super) fn findings(&self) -> String {
        self.model.findings().to_string()
    }
}
