//! How a level goes on, from extrapolations weighted by what each would have foretold in the past.
//!
//! A candidate is a straight line or a parabola over the last so many buckets, starting from its own end or from the local
//! level. All are cheap by prefix sums, so each is tried at some thirty origins and three lead times. Weights fall with the
//! twelfth power of the error (Bates and Granger 1969 combine by inverse variance; recent origins count more, so that a rate
//! that changed is followed). The error of the weighted mean at each lead is the answer's own error.

use super::passage::Paths;
use crate::leak::buckets::{Buckets, median, spread};

/// Windows of straight lines, in buckets; the whole series comes on top.
const LINES: [usize; 6] = [8, 16, 32, 64, 128, 256];
/// Windows of parabolas, in buckets.
const PARABOLAS: [usize; 2] = [96, 192];
/// Periods whose growth may repeat, in days.
const REPLAYS: [usize; 2] = [1, 7];
/// The weights were chosen on the trials whose errors are read, so the errors are a little small.
const WIDENING: f64 = 1.2;
/// Origins the backtest starts from.
const ORIGINS: usize = 32;
/// Lead times of the backtest, as shares of the lead asked for.
const LEADS: [f64; 3] = [0.25, 0.5, 1.0];
/// How sharply weights fall with the squared error.
const SHARPNESS: i32 = 6;
/// Half-life of an origin's weight, as a share of the series.
const HALF_LIFE: f64 = 0.15;

/// A level's growth from now on.
#[derive(Debug)]
pub(super) struct Growth {
    lines: Vec<(f64, Line)>,
    leads: Vec<(f64, f64)>,
    end: f64,
    levels: Vec<f64>,
    paths: Paths,
    /// Degrees of freedom of the errors.
    pub(super) freedom: f64,
}

/// A candidate at an origin: gain over a number of steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    offset: f64,
    rate: f64,
    bend: f64,
    /// Continue by constant relative growth of the rate in the place of the parabola.
    compound: bool,
    /// First and last bucket of a period whose gains are repeated.
    replay: Option<(usize, usize)>,
}

impl Line {
    /// The gain, given the smoothed levels that a period is read from.
    pub(super) fn gain(&self, steps: f64, levels: &[f64]) -> f64 {
        if let Some((start, end)) = self.replay {
            let period = (end - start) as f64;
            let within = steps % period;
            let (index, share) = (start + within.floor() as usize, within.fract());
            let part = levels[index] * (1.0 - share) + levels[(index + 1).min(end)] * share;
            return (steps / period).floor() * (levels[end] - levels[start]) + part - levels[start];
        }
        let growth = 2.0 * self.bend / self.rate;
        if self.compound && self.rate > 0.0 && growth.abs() > 1e-9 && growth.is_finite() {
            // Beyond a factor of seven nothing seen so far supports it.
            let exponent = (growth * steps).min(2.0);
            let beyond = steps - exponent / growth;
            return self.offset + self.rate * (exponent.exp_m1() / growth + exponent.exp() * beyond);
        }
        self.offset + self.rate * steps + self.bend * steps * steps
    }
}

impl Growth {
    /// Of a glued series, backtested around a lead (in buckets). `None` when there is too little to try on.
    pub(super) fn backtested(buckets: &Buckets, glued: &[f64], lead: f64) -> Option<Growth> {
        let sums = Sums::of(buckets, glued);
        let n = glued.len();
        let lead = lead.clamp(4.0, n as f64 / 3.0);
        let first = (n / 4).max(16);
        let mut trials: Vec<Trial> = Vec::new();
        for share in LEADS {
            let steps = ((lead * share).round() as usize).max(1);
            let last = n.checked_sub(1 + steps).filter(|last| *last > first)?;
            for number in 0..ORIGINS {
                let origin = first + (last - first) * number / (ORIGINS - 1);
                let target = (origin + steps).min(n - 1);
                let ahead = (buckets.slots[target] - buckets.slots[origin]) as f64;
                let age = (n - 1 - target) as f64 / n as f64;
                trials.push(Trial {
                    gains: sums.candidates(origin).iter().map(|line| line.gain(ahead, &sums.smooth)).collect(),
                    actual: glued[target] - sums.smooth[origin],
                    weight: 0.5f64.powf(age / HALF_LIFE),
                    lead: steps as f64,
                });
            }
        }
        let now = sums.candidates(n - 1);
        let weights = weights(&trials, now.len());
        let leads = errors(&trials, &weights, spread_of_steps(glued));
        let paths = Paths::of(buckets, glued, &sums, &weights, lead, first)?;
        let independent = (n - first) as f64 / lead;
        Some(Growth {
            lines: weights.into_iter().zip(now).collect(),
            leads,
            end: n as f64,
            levels: sums.smooth,
            paths,
            freedom: (independent + 2.0).clamp(3.0, 30.0),
        })
    }

    /// How much the level gains within a number of buckets.
    pub(super) fn gain(&self, steps: f64) -> f64 {
        // A bend is believed only as far ahead as it was seen.
        let seen = steps.min(self.end);
        self.lines
            .iter()
            .map(|(weight, line)| weight * (line.gain(seen, &self.levels) + line.rate * (steps - seen)))
            .sum()
    }

    /// The error of that gain.
    pub(super) fn error(&self, steps: f64) -> f64 {
        let mut before = self.leads[0];
        for (lead, error) in &self.leads[1..] {
            if steps <= *lead {
                let share = (steps - before.0) / (lead - before.0).max(1e-9);
                return before.1 + share * (error - before.1);
            }
            before = (*lead, *error);
        }
        // Beyond what was tried, errors grow as they did between the two longest leads: not at all where the level only swings.
        let half = self.leads[self.leads.len() - 2];
        let growth =
            ((before.1 / half.1.max(1e-300)).ln() / (before.0 / half.0.max(1.0)).ln().max(0.1)).clamp(0.0, 1.0);
        before.1 * (steps / before.0.max(1.0)).powf(growth)
    }

    /// The chance that a capacity was reached by each time, see [`Paths::chances`].
    pub(super) fn chances(&self, steps: &[f64], missing: &[f64]) -> Vec<f64> {
        self.paths.chances(self, steps, missing)
    }

    /// The growth per bucket now.
    pub(super) fn rate(&self) -> f64 {
        self.lines.iter().map(|(weight, line)| weight * line.rate).sum()
    }

    /// The standard error of the rate.
    pub(super) fn rate_error(&self) -> f64 {
        self.leads.last().map_or(0.0, |(lead, error)| error / lead.max(1.0))
    }
}

struct Trial {
    gains: Vec<f64>,
    actual: f64,
    weight: f64,
    lead: f64,
}

/// The level around a bucket: its median with the two before.
fn smooth(values: &[f64], index: usize) -> f64 {
    median(&mut values[index.saturating_sub(2)..=index].to_vec())
}

fn spread_of_steps(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    spread(&steps)
}

fn weights(trials: &[Trial], candidates: usize) -> Vec<f64> {
    let squares: Vec<f64> = (0..candidates)
        .map(|one| {
            trials
                .iter()
                .map(|trial| trial.weight * (trial.gains[one] - trial.actual).powi(2) / trial.lead)
                .sum::<f64>()
        })
        .collect();
    let best = squares.iter().copied().fold(f64::MAX, f64::min).max(f64::MIN_POSITIVE);
    let raw: Vec<f64> = squares.iter().map(|square| (best / square.max(best)).powi(SHARPNESS)).collect();
    let total: f64 = raw.iter().sum();
    raw.into_iter().map(|weight| weight / total).collect()
}

/// Root mean square error of the weighted mean at each lead, nearest first, beginning with the noise of no lead at all.
fn errors(trials: &[Trial], weights: &[f64], noise: f64) -> Vec<(f64, f64)> {
    let mut found = vec![(0.0, noise)];
    for chunk in trials.chunks(ORIGINS) {
        let (mut total, mut square) = (0.0, 0.0);
        for trial in chunk {
            let mean: f64 = trial.gains.iter().zip(weights).map(|(gain, weight)| gain * weight).sum();
            // Half the weight of age: errors long past still say what can happen.
            let weight = trial.weight.sqrt();
            (total, square) = (total + weight, square + weight * (mean - trial.actual).powi(2));
        }
        let lead = chunk.first().map_or(1.0, |trial| trial.lead);
        found.push((lead, WIDENING * (square / total.max(1e-12)).sqrt().max(noise)));
    }
    found
}

/// Prefix sums of powers of time and their products with the level, from which any window's line or parabola follows.
pub(super) struct Sums<'a> {
    at: Vec<f64>,
    /// The level around each bucket.
    pub(super) smooth: Vec<f64>,
    scale: f64,
    sums: Vec<[f64; 8]>,
    slots: &'a [i64],
    per_day: usize,
}

impl<'a> Sums<'a> {
    fn of(buckets: &'a Buckets, levels: &[f64]) -> Self {
        let first = buckets.slots.first().copied().unwrap_or(0);
        let scale = (buckets.slots.last().copied().unwrap_or(0) - first).max(1) as f64;
        let at: Vec<f64> = buckets.slots.iter().map(|slot| (slot - first) as f64 / scale).collect();
        let mut sums = vec![[0.0; 8]];
        let mut total = [0.0; 8];
        for (x, y) in at.iter().zip(levels) {
            let terms = [1.0, *x, x * x, x * x * x, x * x * x * x, *y, y * x, y * x * x];
            total.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
            sums.push(total);
        }
        let smooth = (0..levels.len()).map(|index| smooth(levels, index)).collect();
        Sums { at, smooth, scale, sums, slots: &buckets.slots, per_day: buckets.per_day() }
    }

    /// Every candidate at an origin.
    pub(super) fn candidates(&self, origin: usize) -> Vec<Line> {
        let local = self.smooth[origin];
        let mut found = Vec::with_capacity(2 * LINES.len() + 4 * PARABOLAS.len() + 8);
        let mut offer = |line: Option<(f64, f64, f64)>, compound: bool| {
            let (end, rate, bend) = line.unwrap_or((local, 0.0, 0.0));
            let own = Line { offset: end - local, rate, bend, compound, replay: None };
            found.push(Line { offset: 0.0, ..own });
            found.push(own);
        };
        for window in LINES.into_iter().chain([usize::MAX]) {
            offer(self.line(origin, window), false);
        }
        for window in PARABOLAS.into_iter().chain([usize::MAX]) {
            let bent = self.parabola(origin, window).or_else(|| self.line(origin, window));
            offer(bent, false);
            offer(bent, true);
        }
        let whole = self.line(origin, usize::MAX).map_or(0.0, |(_, rate, _)| rate);
        for days in REPLAYS {
            let replay = self.replay(origin, days * self.per_day);
            found.push(Line { offset: 0.0, rate: whole, bend: 0.0, compound: false, replay });
        }
        found
    }

    /// The gains of the period that ended at the origin, bucket by bucket, so that what grows on weekdays only is foretold
    /// to do so again. `None` when it was not seen whole.
    fn replay(&self, origin: usize, period: usize) -> Option<(usize, usize)> {
        let start = origin.checked_sub(period).filter(|start| *start >= 2 && period >= 2)?;
        (self.slots[origin] - self.slots[start] == period as i64).then_some((start, origin))
    }

    fn window(&self, origin: usize, window: usize) -> [f64; 8] {
        let (to, from) = (self.sums[origin + 1], self.sums[(origin + 1).saturating_sub(window)]);
        std::array::from_fn(|index| to[index] - from[index])
    }

    /// Level at the origin and rate per bucket.
    fn line(&self, origin: usize, window: usize) -> Option<(f64, f64, f64)> {
        let [n, x, xx, _, _, y, xy, _] = self.window(origin, window);
        let spread = n * xx - x * x;
        (n >= 4.0 && spread > 1e-12).then(|| {
            let rate = (n * xy - x * y) / spread;
            (y / n + rate * (self.at[origin] - x / n), rate / self.scale, 0.0)
        })
    }

    /// Level, rate and half the change of rate, at the origin and per bucket.
    fn parabola(&self, origin: usize, window: usize) -> Option<(f64, f64, f64)> {
        let [n, x, xx, xxx, xxxx, y, xy, xxy] = self.window(origin, window);
        // Around the window's middle the system is well conditioned.
        let m = x / n;
        let s2 = xx / n - m * m;
        let s3 = xxx / n - 3.0 * m * xx / n + 2.0 * m.powi(3);
        let s4 = xxxx / n - 4.0 * m * xxx / n + 6.0 * m * m * xx / n - 3.0 * m.powi(4);
        let (p0, p1) = (y / n, xy / n - m * y / n);
        let p2 = xxy / n - 2.0 * m * xy / n + m * m * y / n;
        let determinant = s2 * (s4 - s2 * s2) - s3 * s3;
        if n < 24.0 || determinant <= 1e-9 * s2 * s2 * s2 {
            return None;
        }
        let q2 = p2 - s2 * p0;
        let bend = (s2 * q2 - s3 * p1) / determinant;
        let rate = (p1 * (s4 - s2 * s2) - s3 * q2) / determinant;
        let d = self.at[origin] - m;
        let level = p0 + rate * d + bend * (d * d - s2);
        Some((level, (rate + 2.0 * bend * d) / self.scale, bend / self.scale.powi(2)))
    }
}
