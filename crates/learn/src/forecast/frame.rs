//! Everything a series says about a later step: simple forecasts, each known at its origin, that are then weighed.
//!
//! Four families: levels (exponential smoothing, medians), seasons (the same phase of earlier seasons, smoothed from season to
//! season), seasons shifted by how far the series lately ran beside them, and all of them carried on along the trend where
//! there is one.

use super::track::{self, Seasonal};

/// Features a frame may have at most.
pub(super) const MOST: usize = 24;

/// Points that a median looks at: more would cost without telling more.
const MEDIAN_POINTS: usize = 240;

/// Features of one origin that do not depend on the step ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub origin: usize,
    /// The level every feature is read against.
    pub centre: f64,
    /// Change per step.
    pub slope: f64,
    levels: [f64; MOST],
}

/// The features of one series.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// Each with the mean age of what it averages, in steps.
    levels: Vec<(Vec<f64>, f64)>,
    windows: [usize; 2],
    /// Each with the seasons its values lag behind.
    seasons: Vec<(Seasonal, f64)>,
    shifted: Vec<(usize, Vec<f64>)>,
    slopes: Vec<f64>,
    values: Vec<f64>,
}

/// Which of the levels the others are read against.
const CENTRE: usize = 2;

impl Frame {
    /// Of values on a grid, with their seasons, shortest first. `unit` is a natural length in steps: the first season.
    pub(super) fn of(values: &[f64], periods: &[usize], unit: usize) -> Self {
        let unit_f = unit as f64;
        let levels = [0.01, unit_f / 4.0, unit_f, unit_f * 5.0]
            .map(|half_life: f64| {
                (track::level(values, half_life), if half_life < 0.1 { 0.0 } else { half_life * 1.44 })
            })
            .to_vec();
        let (mut seasons, mut shifted) = (Vec::new(), Vec::new());
        for (at, period) in periods.iter().enumerate().take(2) {
            let lead = period / 96;
            if at == 0 && lead > 0 {
                seasons.push((Seasonal::of(values, *period, 1.0, 0), 0.0));
            }
            seasons.push((Seasonal::of(values, *period, 1.0, lead), 0.0));
            seasons.push((Seasonal::of(values, *period, 0.4, lead), 1.5));
            seasons.push((Seasonal::of(values, *period, 0.12, lead), 7.3));
            let smooth = seasons.len() - 1;
            let beside = beside(values, &seasons[smooth].0);
            let lengths: &[f64] = if at == 0 { &[0.0, 1.0 / 12.0, 0.5, 2.0] } else { &[1.0 / 12.0, 1.0] };
            for length in lengths {
                shifted.push((smooth, track::level(&beside, unit_f * length)));
            }
        }
        let slopes = track::slopes(values, unit);
        Frame { levels, windows: [unit, unit * 7], seasons, shifted, slopes, values: values.to_vec() }
    }

    pub(super) fn len(&self) -> usize {
        self.levels.len() + self.windows.len() + self.seasons.len() + self.shifted.len()
    }

    /// The longest season a feature uses: before it was seen once, its features only repeat the level.
    pub(super) fn longest(&self) -> usize {
        self.seasons.iter().map(|(season, _)| season.period + season.lead).max().unwrap_or(0)
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
            scratch.extend(self.values[from..=origin].iter().rev().step_by(stride).filter(|value| value.is_finite()));
            let age = (origin - from) as f64 / 2.0;
            *slot = median(scratch).map_or(centre, |middle| middle + slope * age);
        }
        Known { origin, centre, slope, levels }
    }

    /// The features of a target, each less the centre.
    pub(super) fn features(&self, known: &Known, target: usize) -> [f64; MOST] {
        let mut out = [0.0; MOST];
        let (ahead, slope) = ((target - known.origin) as f64, known.slope);
        let levels = self.levels.len() + self.windows.len();
        for (slot, level) in out.iter_mut().zip(&known.levels[..levels]) {
            *slot = level + slope * ahead - known.centre;
        }
        // What a season does not know, the level answers.
        let instead = out[CENTRE];
        for (slot, (season, lag)) in out[levels..].iter_mut().zip(&self.seasons) {
            *slot = season.at(known.origin, target).map_or(instead, |(value, back)| {
                let lag = lag.min(known.origin as f64 / season.period as f64 / 2.0) * season.period as f64;
                value + slope * (back as f64 + lag) - known.centre
            });
        }
        for (slot, (season, beside)) in out[levels + self.seasons.len()..].iter_mut().zip(&self.shifted) {
            let season = &self.seasons[*season].0;
            *slot = season.at(known.origin, target).map_or(instead, |(value, back)| {
                let shift = beside[known.origin];
                let more = back.saturating_sub(season.period) as f64;
                value + if shift.is_finite() { shift } else { 0.0 } + slope * more - known.centre
            });
        }
        out
    }
}

/// How far the series ran beside what its season expected, a season ahead.
fn beside(values: &[f64], season: &Seasonal) -> Vec<f64> {
    let expected = |index: usize| season.at(index.checked_sub(1)?, index);
    (0..values.len()).map(|index| expected(index).map_or(f64::NAN, |(value, _)| values[index] - value)).collect()
}

/// The median (the upper of two middles); reorders its input.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}
