//! A fitted series and what it answers.

use super::effect::Effects;
use super::findings::ForecastFindings;
use super::frame::{ForecastFrame, Known, MOST};
use super::short::Line;
use super::spread::{Spread, normal_quantile};
use super::stack::dot;

/// Weights and errors around one number of steps ahead.
#[derive(Debug, Clone)]
pub(super) struct Knot {
    pub step: usize,
    pub weights: [f64; MOST],
    pub spread: Spread,
}

/// Components of a forecast.
#[derive(Debug, Clone)]
pub(super) enum ForecastShape {
    Line(Line),
    Stacked {
        frame: Box<ForecastFrame>,
        known: Box<Known>,
        knots: Vec<Knot>,
        scales: Vec<f64>,
        unit: usize,
    },
}

/// Range of the values that the series can take.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForecastBounds {
    not_negative: bool,
    whole: bool,
    most: f64,
    largest: f64,
}

impl ForecastBounds {
    pub(super) fn new(values: &[f64]) -> Self {
        let known = || values.iter().filter(|value| value.is_finite());
        let most = known().fold(0f64, |most, value| most.max(value.abs()));
        ForecastBounds {
            not_negative: known().all(|value| *value >= 0.0),
            whole: most < 9e15 && known().all(|value| value.fract() == 0.0),
            // Nothing grows a thousandfold on the word of a trend; also what keeps every answer
            // finite.
            most: (most * 1e3).clamp(f64::MIN_POSITIVE, f64::MAX),
            largest: most,
        }
    }

    /// The power of two that values are divided by, so that no square or product of them leaves
    /// what a double holds. It is 1 where nothing could, and a power of two so that no value is
    /// rounded.
    pub(super) fn scale(&self) -> f64 {
        if self.largest == 0.0 || (1e-100..=1e100).contains(&self.largest) {
            return 1.0;
        }
        2f64.powi(self.largest.log2().floor().clamp(-1_000.0, 1_000.0) as i32)
    }

    fn hold(&self, value: f64, level: f64) -> f64 {
        let lowest = if self.not_negative { 0.0 } else { -self.most };
        let held = if value.is_nan() {
            0.0
        } else {
            value.clamp(lowest, self.most)
        };
        let nearest = held.round();

        match self.whole {
            false => held,
            // What lies at a whole number but for rounding is that number: a constant stays
            // constant.
            true if (held - nearest).abs() <= 1e-9 * held.abs().max(1.0) => nearest,
            true if level < 0.5 => held.floor(),
            true if level > 0.5 => held.ceil(),
            true => nearest,
        }
    }
}

/// The middle of a step ahead and the interval that holds nine times in ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Steps after the last value, from 1.
    pub step: usize,
    /// Time, in milliseconds since the epoch.
    pub at_ms: i64,
    /// One value in twenty is below.
    pub p05: f64,
    /// The median: one value in two is above.
    pub p50: f64,
    /// One value in twenty is above.
    pub p95: f64,
}

/// A fitted series, from which forecasts of any later time are read.
#[derive(Debug, Clone)]
pub struct ForecastModel {
    pub(super) shape: ForecastShape,
    /// Scale of the shape and the effects, in the series' unit.
    pub(super) scale: f64,
    pub(super) effects: Effects,
    pub(super) bounds: ForecastBounds,
    pub(super) findings: ForecastFindings,
    pub(super) next_ms: i64,
    pub(super) step_ms: i64,
}

impl ForecastModel {
    /// The next `steps` steps.
    #[must_use]
    pub fn forecast(&self, steps: usize) -> Vec<Band> {
        (1..=steps)
            .map(|step| {
                let [p05, p50, p95] = self.at(step, [0.05, 0.5, 0.95]);
                Band {
                    step,
                    at_ms: self.time_ms(step),
                    p05,
                    p50,
                    p95,
                }
            })
            .collect()
    }

    /// Quantiles of one step ahead (from 1), at ascending levels between 0 and 1.
    #[must_use]
    pub fn quantiles(&self, step: usize, levels: &[f64]) -> Vec<f64> {
        let mut found = self.raw(step.max(1), levels);
        ascend(&mut found);
        found
    }

    /// Returns the findings of the fit.
    #[must_use]
    pub fn findings(&self) -> &ForecastFindings {
        &self.findings
    }

    fn at<const N: usize>(&self, step: usize, levels: [f64; N]) -> [f64; N] {
        let raw = self.raw(step, &levels);
        let mut found = std::array::from_fn(|at| raw[at]);
        ascend(&mut found);
        found
    }

    fn time_ms(&self, step: usize) -> i64 {
        self.next_ms
            .saturating_add(self.step_ms.saturating_mul(step as i64 - 1))
    }

    fn raw(&self, step: usize, levels: &[f64]) -> Vec<f64> {
        let effect = self.effects.at(self.time_ms(step));
        let doubt = effect.map_or(0.0, |effect| effect.spread);
        let (point, error) = self.shape.at(step);

        levels
            .iter()
            .map(|level| {
                let value = point + error.at(*level);
                let value = effect.map_or(value, |effect| effect.apply(value));
                self.bounds.hold(
                    (value + 1.25 * doubt * normal_quantile(*level)) * self.scale,
                    *level,
                )
            })
            .collect()
    }
}

/// The error of one step ahead, by level.
enum Errors<'a> {
    Normal(f64),
    Learnt {
        near: &'a Spread,
        far: &'a Spread,
        mix: f64,
        scale: f64,
    },
}

impl Errors<'_> {
    fn at(&self, level: f64) -> f64 {
        match self {
            Errors::Normal(width) => width * normal_quantile(level),
            Errors::Learnt {
                near,
                far,
                mix,
                scale,
            } => scale * ((1.0 - mix) * near.error(level) + mix * far.error(level)),
        }
    }
}

impl ForecastShape {
    fn at(&self, step: usize) -> (f64, Errors<'_>) {
        match self {
            ForecastShape::Line(line) => (line.middle(step), Errors::Normal(line.width(step))),
            ForecastShape::Stacked {
                frame,
                known,
                knots,
                scales,
                unit,
            } => {
                let right = knots
                    .partition_point(|knot| knot.step < step)
                    .min(knots.len() - 1);
                let (near, far) = (&knots[right.saturating_sub(1)], &knots[right]);
                let mix = if near.step == far.step || step >= far.step {
                    1.0
                } else {
                    (step as f64 / near.step as f64).ln()
                        / (far.step as f64 / near.step as f64).ln()
                };
                let features = frame.features(known, known.origin + step);
                let count = frame.len();
                let point = (1.0 - mix) * dot(&near.weights, &features, count)
                    + mix * dot(&far.weights, &features, count);
                let scale = scale_at(scales, *unit, known.origin, known.origin + step)
                    * beyond(near, far, step);
                (
                    known.centre + point,
                    Errors::Learnt {
                        near: &near.spread,
                        far: &far.spread,
                        mix,
                        scale,
                    },
                )
            }
        }
    }
}

/// Returns the factor by which an interval widens beyond the last calibrated step. It keeps its
/// rate of growth, a power between noise around a level and a random walk.
fn beyond(near: &Knot, far: &Knot, step: usize) -> f64 {
    if step <= far.step {
        return 1.0;
    }

    let grown = far.spread.width() / near.spread.width();
    let distance = (far.step as f64 / near.step as f64).ln();
    let power = if distance > 0.0 && grown > 0.0 {
        (grown.ln() / distance).clamp(0.1, 0.6)
    } else {
        0.5
    };

    (step as f64 / far.step as f64).powf(power)
}

/// The size of errors at the phase of a target, from what was known at the origin.
pub(super) fn scale_at(scales: &[f64], unit: usize, origin: usize, target: usize) -> f64 {
    let back = target.saturating_sub(origin).div_ceil(unit) * unit;
    target
        .checked_sub(back)
        .and_then(|index| scales.get(index))
        .copied()
        .unwrap_or(scales[origin])
}

/// Makes quantiles ascend where rounding or mixing crossed them.
fn ascend(quantiles: &mut [f64]) {
    for at in 1..quantiles.len() {
        quantiles[at] = quantiles[at].max(quantiles[at - 1]);
    }
}
