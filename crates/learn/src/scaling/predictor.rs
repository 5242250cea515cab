//! Predictors of the highest load ahead, each with the distribution of its errors.

use std::collections::VecDeque;

use crate::forecast::{ForecastSettings, fit};
use crate::grid::Grid;
use crate::window::{DAY_MS, HOUR_MS, WEEK_MS};

/// Predictors: the load now, its slope, a day ago, a week ago, the forecast.
const COUNT: usize = 5;
/// Predictors that know no season, the first ones.
const WITHOUT_SEASONS: usize = 2;
/// Share of the errors below the bound.
const LEVEL: f64 = 0.99;
/// Width of a bin of the logarithm of the error, and bins on each side of zero.
const BIN: f64 = 0.01;
const BINS: usize = 300;
/// Time within which errors are forgotten.
const MEMORY_MS: f64 = 14.0 * DAY_MS as f64;
/// Errors that a bound takes, counted after forgetting.
const LEAST_ERRORS: f64 = 40.0;
/// Time between fits of the forecast, and values it is fitted on.
const REFIT_MS: i64 = 12 * HOUR_MS;
const FITTED: usize = 4_096;
/// Values that are kept.
const KEPT: usize = 120_000;
/// Steps whose level is compared with the same steps of the past.
const LEVEL_STEPS: usize = 6;

/// Upper bounds of the load ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScalingBounds {
    /// Within the lead.
    pub(super) lead: f64,
    /// Within the next hour, or the lead where that is longer.
    pub(super) hour: f64,
}

/// Errors of one predictor: a histogram of logarithms, forgotten.
#[derive(Debug, Clone)]
struct Errors {
    counts: Vec<f64>,
    total: f64,
    /// Weight of the next error: it grows, so that old errors are forgotten without being
    /// rewritten.
    weight: f64,
    /// Mean loss of its bounds (the quantile's own loss), with its weight.
    loss: [f64; 2],
    bound: Option<f64>,
}

impl Errors {
    fn new() -> Self {
        Self {
            counts: vec![0.0; 2 * BINS + 1],
            total: 0.0,
            weight: 1.0,
            loss: [0.0; 2],
            bound: None,
        }
    }

    /// Learns that the load was `error` (a logarithm) above what was predicted.
    fn learn(&mut self, error: f64, bound: Option<f64>, kept: f64) {
        let bin = ((error / BIN).round() + BINS as f64).clamp(0.0, 2.0 * BINS as f64) as usize;
        if let Some(count) = self.counts.get_mut(bin) {
            *count += self.weight;
        }
        self.total += self.weight;

        if let Some(bound) = bound {
            let beyond = error - bound;
            let level = if beyond > 0.0 { LEVEL } else { LEVEL - 1.0 };
            self.loss = [
                self.loss[0] + self.weight * level * beyond,
                self.loss[1] + self.weight,
            ];
        }

        self.bound = self.quantile();
        self.weight /= kept;
        if self.weight > 1e100 {
            let scale = self.weight.recip();
            self.counts.iter_mut().for_each(|count| *count *= scale);
            self.loss = self.loss.map(|sum| sum * scale);
            (self.total, self.weight) = (self.total * scale, 1.0);
        }
    }

    fn quantile(&self) -> Option<f64> {
        if self.total < LEAST_ERRORS * self.weight {
            return None;
        }
        let mut above = (1.0 - LEVEL) * self.total;
        let bin = self.counts.iter().rposition(|count| {
            above -= count;
            above < 0.0
        })?;
        Some((bin as f64 - BINS as f64) * BIN)
    }

    fn mean_loss(&self) -> f64 {
        if self.loss[1] < LEAST_ERRORS * self.weight {
            return f64::INFINITY;
        }
        self.loss[0] / self.loss[1]
    }
}

/// A prediction whose lead is not over.
#[derive(Debug)]
struct Pending {
    slot: usize,
    predicted: [Option<f64>; COUNT],
    bounds: [Option<f64>; COUNT],
    /// Bound of the load that decided.
    decided: Option<f64>,
}

/// Load above a bound that is a surprise, in floors: half a unit.
const SURPRISE: f64 = 50.0;

/// Predictors of one series on a grid of equal steps.
#[derive(Debug)]
pub(super) struct Predictors {
    step_ms: i64,
    ahead: usize,
    hour: usize,
    /// Added to loads before they are divided, so that a load of zero has an error.
    floor: f64,
    /// Predictors that compete, the first of all.
    competing: usize,
    start_ms: Option<i64>,
    /// Values by slot, gaps as `NaN`; those before `dropped` are gone.
    values: VecDeque<f64>,
    dropped: usize,
    errors: [Errors; COUNT],
    pending: VecDeque<Pending>,
    /// Medians by the newest fit, from the slot after it.
    forecast: (usize, Vec<f64>),
    fitted_ms: i64,
    /// Slot until which the load and its slope count beside the best, since a bound was broken.
    surprised: usize,
}

impl Predictors {
    pub(super) fn new(step_ms: i64, ahead: usize, floor: f64, seasonal: bool) -> Self {
        Self {
            step_ms,
            ahead,
            hour: ahead.max((HOUR_MS / step_ms) as usize),
            floor: floor.max(f64::MIN_POSITIVE),
            competing: if seasonal { COUNT } else { WITHOUT_SEASONS },
            start_ms: None,
            values: VecDeque::new(),
            dropped: 0,
            errors: std::array::from_fn(|_| Errors::new()),
            pending: VecDeque::new(),
            forecast: (0, Vec::new()),
            fitted_ms: i64::MIN / 2,
            surprised: 0,
        }
    }

    /// Takes the next load, and returns the bounds of what follows. `None` while no predictor
    /// knows its errors.
    pub(super) fn observe(&mut self, at_ms: i64, load: f64) -> Option<ScalingBounds> {
        let start_ms = *self.start_ms.get_or_insert(at_ms);
        let since = (at_ms - start_ms).max(0) + self.step_ms / 2;
        let slot = (since / self.step_ms) as usize;
        self.place(slot, load);
        self.settle(slot);
        if self.competing == COUNT {
            self.refit(at_ms, slot);
        }

        let predicted: [Option<f64>; COUNT] =
            std::array::from_fn(|which| self.predict(which, slot, self.ahead));
        let bounds = self.errors.each_ref().map(|errors| errors.bound);
        // Bounds are broken by a little once in a hundred times.
        let broken = |one: &Pending| {
            one.decided
                .is_some_and(|bound| load > bound + SURPRISE * self.floor)
        };
        if self.pending.iter().any(broken) {
            self.surprised = slot + 2 * self.ahead;
        }

        let decided = self.decide(slot, &predicted, &bounds);
        self.pending.push_back(Pending {
            slot,
            predicted,
            bounds,
            decided: decided.map(|bounds| bounds.lead),
        });
        decided
    }

    /// Chooses the predictor whose bounds were the tightest that held. After a broken bound, those
    /// of the load now and of its slope are asked as well, for twice the lead: no past announces a
    /// flash crowd.
    fn decide(
        &self,
        slot: usize,
        predicted: &[Option<f64>; COUNT],
        bounds: &[Option<f64>; COUNT],
    ) -> Option<ScalingBounds> {
        let loss = |which: usize| self.errors[which].mean_loss();
        let above = |which: usize, predicted: f64| {
            Some((predicted + self.floor) * bounds[which]?.exp() - self.floor)
        };
        let lead = |which: usize| above(which, predicted[which]?);

        let usable = || (0..self.competing).filter(|which| lead(*which).is_some());
        let best = usable().min_by(|a, b| loss(*a).total_cmp(&loss(*b)))?;
        let highest = [best, 0, 1].into_iter().filter_map(lead).reduce(f64::max)?;
        Some(ScalingBounds {
            lead: if slot < self.surprised {
                highest
            } else {
                lead(best)?
            },
            hour: above(best, self.predict(best, slot, self.hour)?)?,
        })
    }

    /// Puts a value into its slot; slots that were left out are gaps.
    fn place(&mut self, slot: usize, load: f64) {
        let end = self.dropped + self.values.len();
        if slot >= end {
            // A silence longer than all that is kept leaves nothing to compare with.
            let gap = slot - end;
            if gap > KEPT {
                self.values.clear();
                self.dropped = slot;
            } else {
                self.values.extend(std::iter::repeat_n(f64::NAN, gap));
            }
            self.values.push_back(load);
        } else if let Some(value) = slot
            .checked_sub(self.dropped)
            .and_then(|at| self.values.get_mut(at))
        {
            *value = value.max(load);
        }
        while self.values.len() > KEPT {
            self.values.pop_front();
            self.dropped += 1;
        }
    }

    fn value(&self, slot: usize) -> Option<f64> {
        let at = slot.checked_sub(self.dropped)?;
        self.values.get(at).copied().filter(|value| !value.is_nan())
    }

    /// Highest value of some slots.
    fn highest(&self, from: usize, until: usize) -> Option<f64> {
        (from..until)
            .filter_map(|slot| self.value(slot))
            .reduce(f64::max)
    }

    /// Learns from the predictions whose lead is over.
    fn settle(&mut self, slot: usize) {
        let kept = (-(self.step_ms as f64) / MEMORY_MS).exp();
        while self
            .pending
            .front()
            .is_some_and(|one| one.slot + self.ahead <= slot)
        {
            let Some(pending) = self.pending.pop_front() else {
                break;
            };
            let Some(load) = self.highest(pending.slot + 1, pending.slot + self.ahead + 1) else {
                continue;
            };
            let cases = pending.predicted.into_iter().zip(pending.bounds);
            for (errors, (predicted, bound)) in self.errors.iter_mut().zip(cases) {
                if let Some(predicted) = predicted {
                    let error = ((load + self.floor) / (predicted + self.floor)).ln();
                    errors.learn(error, bound, kept);
                }
            }
        }
    }

    /// Fits the forecast again every twelve hours.
    fn refit(&mut self, at_ms: i64, slot: usize) {
        if at_ms - self.fitted_ms < REFIT_MS {
            return;
        }
        self.fitted_ms = at_ms;
        let steps = (REFIT_MS / self.step_ms).max(1) as usize + self.hour + 1;
        let from = self.values.len().saturating_sub(FITTED);
        let grid = Grid {
            start_ms: (self.dropped + from) as i64 * self.step_ms,
            step_ms: self.step_ms,
            values: self.values.iter().skip(from).copied().collect(),
            doubled: 0,
            dropped: 0,
        };

        let settings = ForecastSettings {
            horizon: steps.min(grid.values.len() / 3).max(1),
            ..ForecastSettings::default()
        };
        self.forecast = match fit(&grid, &settings) {
            Ok(model) => {
                let medians = (1..=steps).filter_map(|step| model.quantiles(step, &[0.5]).pop());
                (slot + 1, medians.collect())
            }
            Err(_) => (slot + 1, Vec::new()),
        };
    }

    /// Predicts the highest load of the next slots.
    fn predict(&self, which: usize, slot: usize, ahead: usize) -> Option<f64> {
        let now = self.value(slot)?;
        match which {
            0 => Some(now),
            1 => {
                let before = self.value(slot.checked_sub(self.ahead)?)?;
                Some(now.max(2.0 * now - before))
            }
            2 | 3 => {
                let period_ms = if which == 2 { DAY_MS } else { WEEK_MS };
                let back = (period_ms / self.step_ms) as usize;
                let then = slot.checked_sub(back).filter(|_| back > ahead)?;
                let highest = self.highest(then + 1, then + ahead + 1)?;
                Some(highest * self.ratio(slot, |at| self.value(at.checked_sub(back)?)))
            }
            _ => {
                let (from, medians) = &self.forecast;
                let median = |at: usize| medians.get(at.checked_sub(*from)?).copied();
                let highest = (slot + 1..=slot + ahead)
                    .filter_map(median)
                    .reduce(f64::max)?;
                Some(highest.max(0.0) * self.ratio(slot, median))
            }
        }
    }

    /// The level of the latest slots over that of a reference.
    fn ratio(&self, slot: usize, reference: impl Fn(usize) -> Option<f64>) -> f64 {
        let (mut now, mut then) = (self.floor, self.floor);
        for at in (slot + 1).saturating_sub(LEVEL_STEPS)..=slot {
            if let (Some(value), Some(expected)) = (self.value(at), reference(at)) {
                now += value;
                then += expected.max(0.0);
            }
        }
        (now / then).clamp(0.5, 2.0)
    }
}
