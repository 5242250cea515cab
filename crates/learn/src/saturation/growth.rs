//! Forecast of the level, from extrapolations weighted by their accuracy in the past.
//!
//! A candidate is a straight line over the last so many buckets, an exponential, the likeliest of
//! line, kinked line and exponential, or a period that repeats, starting from its own end or from
//! the local level ([`super::fit`]). All are cheap by prefix sums, so each is tried at some thirty
//! origins and three lead times. Weights fall with the eighth power of the error (Bates and Granger
//! 1969 combine by inverse variance; recent origins count more, so that a rate that changed is
//! followed), and the mean is taken over the middle of the gains, as one of them may be far off
//! ([`super::mix`]). Its error at each lead is the answer's own error.

use super::fit::FitSums;
use super::mix::{Mix, middle, seen};
use super::passage::Paths;
use crate::leak::buckets::{Buckets, spread};

/// The weights were chosen on the trials whose errors are read, so the errors are a little small.
const WIDENING: f64 = 1.2;
/// Origins the backtest starts from.
const ORIGINS: usize = 32;
/// Lead times of the backtest, as shares of the lead requested.
const LEADS: [f64; 3] = [0.25, 0.5, 1.0];
/// Exponent with which weights fall with the squared error.
const SHARPNESS: i32 = 4;
/// Weights below this are none.
const LEAST_WEIGHT: f64 = 1e-3;
/// Half-life of an origin's weight, as a share of the series.
const HALF_LIFE: f64 = 0.15;

/// A level's growth from now on.
#[derive(Debug)]
pub(super) struct SaturationGrowth<'a> {
    mix: Mix,
    weights: Vec<f64>,
    leads: Vec<(f64, f64)>,
    end: f64,
    levels: &'a [f64],
    /// The first origin that was tried, and the longest lead.
    first: usize,
    lead: f64,
    /// Degrees of freedom of the errors.
    pub(super) freedom: f64,
}

impl<'a> SaturationGrowth<'a> {
    /// Backtests candidates on a glued series, around a lead (in buckets). `None` if there is too
    /// little data.
    pub(super) fn backtested(
        buckets: &Buckets,
        glued: &[f64],
        sums: &'a FitSums<'_>,
        lead: f64,
    ) -> Option<SaturationGrowth<'a>> {
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
                let lines = sums.candidates(origin);
                trials.push(Trial {
                    gains: lines
                        .iter()
                        .map(|line| line.gain(ahead, &sums.smooth))
                        .collect(),
                    unseen: lines.iter().map(|line| line.unseen).collect(),
                    actual: glued[target] - sums.smooth[origin],
                    weight: 0.5f64.powf(age / HALF_LIFE),
                    lead: steps as f64,
                });
            }
        }

        let now = sums.candidates(n - 1);
        let weights = weights(&trials, now.len());
        let leads = errors(&trials, &weights, spread_of_steps(glued));
        let independent = (n - first) as f64 / lead;

        Some(SaturationGrowth {
            mix: Mix::new(&weights, now),
            weights,
            leads,
            end: n as f64,
            levels: &sums.smooth,
            first,
            lead,
            freedom: (independent + 2.0).clamp(3.0, 30.0),
        })
    }

    /// Returns the growth of the level within each number of buckets.
    pub(super) fn gains(&self, steps: &[f64]) -> Vec<f64> {
        let mut mix = self.mix.clone();
        let gain = |steps: &f64| {
            // A bend is believed only as far ahead as it was seen.
            let seen = steps.min(self.end);
            mix.gain(|line| line.gain(seen, self.levels) + line.rate * (steps - seen))
        };
        steps.iter().map(gain).collect()
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

        // Beyond what was tried, errors grow as they did between the two longest leads: not at all
        // where the level only swings.
        let half = self.leads[self.leads.len() - 2];
        let growth = ((before.1 / half.1.max(1e-300)).ln()
            / (before.0 / half.0.max(1.0)).ln().max(0.1))
        .clamp(0.0, 1.0);
        before.1 * (steps / before.0.max(1.0)).powf(growth)
    }

    /// The past's paths of errors, up to what each bucket `reached`. `None` when the series is too
    /// short to lend any.
    pub(super) fn paths(
        &self,
        buckets: &Buckets,
        reached: &[f64],
        sums: &FitSums<'_>,
    ) -> Option<Paths> {
        Paths::new(buckets, reached, sums, &self.weights, self.lead, self.first)
    }

    /// The growth per bucket now.
    pub(super) fn rate(&self) -> f64 {
        self.mix.mean(|line| line.rate)
    }

    /// The standard error of the rate.
    pub(super) fn rate_error(&self) -> f64 {
        self.leads
            .last()
            .map_or(0.0, |(lead, error)| error / lead.max(1.0))
    }
}

struct Trial {
    gains: Vec<f64>,
    unseen: Vec<bool>,
    actual: f64,
    weight: f64,
    lead: f64,
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

    let best = squares
        .iter()
        .copied()
        .fold(f64::MAX, f64::min)
        .max(f64::MIN_POSITIVE);

    let raw: Vec<f64> = squares
        .iter()
        .map(|square| (best / square.max(best)).powi(SHARPNESS))
        .collect();
    let total: f64 = raw.iter().sum();
    let kept: Vec<f64> = raw
        .iter()
        .map(|weight| {
            if *weight < LEAST_WEIGHT * total {
                0.0
            } else {
                *weight
            }
        })
        .collect();
    let total: f64 = kept.iter().sum();

    kept.into_iter().map(|weight| weight / total).collect()
}

/// Root mean square error of the mean at each lead, nearest first, beginning with the noise of no
/// lead at all.
fn errors(trials: &[Trial], weights: &[f64], noise: f64) -> Vec<(f64, f64)> {
    let mut found = vec![(0.0, noise)];
    for chunk in trials.chunks(ORIGINS) {
        let (mut total, mut square) = (0.0, 0.0);
        for trial in chunk {
            let mean = middle(weights.iter().copied().zip(trial.gains.iter().copied()));
            // Half the weight of age: errors long past still say what can happen.
            let weight = trial.weight.sqrt()
                * seen(weights.iter().copied().zip(trial.unseen.iter().copied()));
            (total, square) = (
                total + weight,
                square + weight * (mean - trial.actual).powi(2),
            );
        }
        let lead = chunk.first().map_or(1.0, |trial| trial.lead);
        found.push((
            lead,
            WIDENING * (square / total.max(1e-12)).sqrt().max(noise),
        ));
    }

    found
}
