//! Features of a series for a later step: simple forecasts, each known at its origin, that are then
//! weighted.
//!
//! Four families: levels (exponential smoothing, medians), seasons (the same phase of earlier
//! seasons, smoothed from season to season), seasons shifted by how far the series lately ran
//! beside them, and all of them carried on along the trend where there is one.

use super::season::Seasons;
use super::track::{self, Seasonal};

/// Features a frame may have at most.
pub(super) const MOST: usize = 26;

/// Points that a median looks at: more would cost without telling more.
const MEDIAN_POINTS: usize = 240;

/// Features of one origin that do not depend on the step ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub origin: usize,
    /// The level every feature is read against.
    pub centre: f64,
    pub slope: f64,
    levels: [f64; MOST],
}

/// The features of one series.
#[derive(Debug, Clone)]
pub(super) struct ForecastFrame {
    /// Each with the mean age of what it averages, in steps.
    levels: Vec<(Vec<f64>, f64)>,
    windows: [usize; 2],
    /// Each with the seasons its values lag behind.
    seasons: Vec<(Seasonal, f64)>,
    /// Index of the season that is the median profile of the first.
    middle: Option<usize>,
    shifted: Vec<(usize, Vec<f64>)>,
    slopes: Vec<f64>,
    values: Vec<f64>,
}

/// Seasons that the median profile looks at.
const MIDDLE_OF: usize = 7;

/// Index of the level that is the newest value.
const NEWEST: usize = 0;
/// Index of the level that the others are measured against.
const CENTRE: usize = 2;

impl ForecastFrame {
    /// Builds the frame of values on a grid, with their seasons. `unit` is a natural length in
    /// steps: the first season.
    pub(super) fn new(values: &[f64], seasons: &Seasons, unit: usize) -> Self {
        let unit_f = unit as f64;
        let levels = [0.01, unit_f / 4.0, unit_f, unit_f * 5.0]
            .map(|half_life: f64| {
                (
                    track::level(values, half_life),
                    if half_life < 0.1 {
                        0.0
                    } else {
                        half_life * 1.44
                    },
                )
            })
            .to_vec();

        let slopes = track::slopes(values, unit);
        let windows = [unit, unit * 7];
        let values = values.to_vec();
        let mut frame = ForecastFrame {
            levels,
            windows,
            seasons: Vec::new(),
            middle: None,
            shifted: Vec::new(),
            slopes,
            values,
        };

        for (at, period) in seasons.main.iter().enumerate().take(2) {
            frame.learn(*period, at, unit_f);
        }

        if let &[only] = seasons.main.as_slice() {
            // Where a second season is known, a profile of the first that forgets nothing speaks
            // against it.
            frame.middle = Some(frame.seasons.len());
            let age = (MIDDLE_OF - 1) as f64 / 2.0;
            frame.seasons.push((
                Seasonal::middle(&frame.values, only, MIDDLE_OF, only / 96),
                age,
            ));
        }

        if let Some(period) = seasons.beside {
            frame.learn(period, 2, unit_f);
        }

        frame
    }

    /// Adds what a season says; `at` is its rank: the first, the second, or one beside the
    /// calendar's.
    fn learn(&mut self, period: usize, at: usize, unit: f64) {
        let (values, lead) = (&self.values, period / 96);
        if at == 0 && lead > 0 {
            self.seasons
                .push((Seasonal::fit(values, period, 1.0, 0), 0.0));
        }

        self.seasons
            .push((Seasonal::fit(values, period, 1.0, lead), 0.0));
        if at < 2 {
            self.seasons
                .push((Seasonal::fit(values, period, 0.4, lead), 1.5));
        }

        self.seasons
            .push((Seasonal::fit(values, period, 0.12, lead), 7.3));
        let smooth = self.seasons.len() - 1;
        let beside = beside(values, &self.seasons[smooth].0);
        let lengths: &[f64] = match at {
            0 => &[0.0, 1.0 / 12.0, 0.5, 2.0],
            1 => &[1.0 / 12.0, 1.0],
            _ => &[0.5],
        };

        for length in lengths {
            self.shifted
                .push((smooth, track::level(&beside, unit * length)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.levels.len() + self.windows.len() + self.seasons.len() + self.shifted.len()
    }

    /// Returns `true` if the series is too coarse or too short for a season: one value a week, say.
    pub(super) fn is_seasonless(&self) -> bool {
        self.seasons.is_empty()
    }

    /// Weights of the newest value alone.
    pub(super) fn newest() -> [f64; MOST] {
        let mut weights = [0.0; MOST];
        weights[NEWEST] = 1.0;
        weights
    }

    /// The longest season a feature uses: before it was seen once, its features only repeat the
    /// level.
    pub(super) fn longest(&self) -> usize {
        self.seasons
            .iter()
            .map(|(season, _)| season.period + season.lead)
            .max()
            .unwrap_or(0)
    }

    /// Weights of what is usual: half the median profile of the first season, a quarter each of the
    /// medians of one and of seven of them. They were learnt on series of other kinds than
    /// forecasts are measured on, and rounded. `None` for a series without a season, and for one
    /// whose second season is known: what is usual of a day says nothing of its weekend.
    pub(super) fn usual(&self) -> Option<[f64; MOST]> {
        let mut weights = [0.0; MOST];
        weights[self.levels.len()..][..self.windows.len()].fill(0.25);
        weights[self.levels.len() + self.windows.len() + self.middle?] = 0.5;
        Some(weights)
    }

    /// The trend at an origin, per step.
    pub(super) fn slope(&self, origin: usize) -> f64 {
        self.slopes[origin]
    }

    pub(super) fn known(&self, origin: usize, scratch: &mut Vec<f64>) -> Known {
        let slope = self.slopes[origin];
        let centre = self.levels[CENTRE].0[origin];
        let mut levels = [centre; MOST];
        for (slot, (level, age)) in levels.iter_mut().zip(&self.levels) {
            *slot = level[origin] + slope * age.min(origin as f64 / 2.0);
        }

        for (slot, window) in levels[self.levels.len()..].iter_mut().zip(self.windows) {
            let from = (origin + 1).saturating_sub(window);
            let stride = (origin + 1 - from).div_ceil(MEDIAN_POINTS);
            scratch.clear();
            scratch.extend(
                self.values[from..=origin]
                    .iter()
                    .rev()
                    .step_by(stride)
                    .filter(|value| value.is_finite()),
            );
            let age = (origin - from) as f64 / 2.0;
            *slot = median(scratch).map_or(centre, |middle| middle + slope * age);
        }

        Known {
            origin,
            centre,
            slope,
            levels,
        }
    }

    /// The features of a target, each less the centre.
    pub(super) fn features(&self, known: &Known, target: usize) -> [f64; MOST] {
        let mut out = [0.0; MOST];
        let (ahead, slope) = ((target - known.origin) as f64, known.slope);
        let levels = self.levels.len() + self.windows.len();
        for (slot, level) in out.iter_mut().zip(&known.levels[..levels]) {
            *slot = level + slope * ahead - known.centre;
        }

        if self.is_seasonless() {
            // Beside those that follow the trend, one that does not: the newest value goes on.
            out[NEWEST] = known.levels[NEWEST] - known.centre;
        }

        // What a season does not know, the level answers.
        let instead = out[CENTRE];
        for (slot, (season, lag)) in out[levels..].iter_mut().zip(&self.seasons) {
            *slot = season
                .at(known.origin, target)
                .map_or(instead, |(value, back)| {
                    let lag = lag.min(known.origin as f64 / season.period as f64 / 2.0)
                        * season.period as f64;
                    value + slope * (back as f64 + lag) - known.centre
                });
        }

        for (slot, (season, beside)) in out[levels + self.seasons.len()..]
            .iter_mut()
            .zip(&self.shifted)
        {
            let season = &self.seasons[*season].0;
            *slot = season
                .at(known.origin, target)
                .map_or(instead, |(value, back)| {
                    let shift = beside[known.origin];
                    let more = back.saturating_sub(season.period) as f64;
                    value + if shift.is_finite() { shift } else { 0.0 } + slope * more
                        - known.centre
                });
        }

        out
    }
}

/// Returns the residuals of the series against its season, a season ahead.
fn beside(values: &[f64], season: &Seasonal) -> Vec<f64> {
    let expected = |index: usize| season.at(index.checked_sub(1)?, index);
    (0..values.len())
        .map(|index| expected(index).map_or(f64::NAN, |(value, _)| values[index] - value))
        .collect()
}

/// The median (the upper of two middles); reorders its input.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}
