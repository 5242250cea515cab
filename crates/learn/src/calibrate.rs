//! Calibration: raw scores made into probabilities that hold, and the measures by which that is
//! judged.
//!
//! A [`Calibrator`] learns from [`Example`]s (what was known when a recommendation was made, and
//! whether it held) how likely a new one is to hold. It is a logistic regression with a Gaussian
//! prior around the backtest's own answer: without examples it answers exactly that, and each
//! example moves it. Every group (an agent and a recommendation type) has its own coefficients,
//! shrunk to those of all groups together, so that a kind seen seldom borrows from the rest and one
//! seen often supports itself. Examples fade with age. A beta curve (Kull, Silva Filho, Flach
//! 2017), fitted to predictions of later examples from earlier ones and shrunk to the identity,
//! takes out what over- or underconfidence is left.
//!
//! Nothing here reads a clock; what is not finite is read as zero evidence, never as a strong
//! opinion. Sizes are bounded: [`MAX_FEATURES`] features, [`MAX_GROUPS`] groups, [`MAX_EXAMPLES`]
//! examples a fit.

mod calibrator;
mod curve;
mod logistic;
mod matrix;
mod score;
mod signs;
mod split;

#[cfg(test)]
mod tests;

pub use calibrator::{Calibrated, Calibrator, CalibratorState, GroupState, StateError};
pub use curve::Curve;
pub use score::{CalibrationScores, Confusion, adaptive_ece, brier, brier_skill, scores};
pub use signs::{Daily, FEATURES, Signs, features};
pub use split::{forward_folds, split_by_time};

/// Most features an example may have; further ones are left out.
pub const MAX_FEATURES: usize = 32;
/// Most groups a calibrator keeps; examples of further ones teach all groups together only.
pub const MAX_GROUPS: usize = 64;
/// Most examples of one fit: the newest count.
pub const MAX_EXAMPLES: usize = 20_000;

/// A past recommendation with the facts known at its time and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Time of the recommendation, milliseconds since the epoch.
    pub at_ms: i64,
    /// Group of the recommendation: `agent type/recommendation type`.
    pub group: String,
    /// The backtest's own answer, 0 to 1.
    pub raw: f64,
    /// Figures of about unit size, in an order that never changes; see [`Signs`].
    pub features: Vec<f64>,
    /// `true` if the change proved right.
    pub held: bool,
    /// Weight of the example; 1 for a real outcome.
    pub weight: f64,
}

/// The logistic function, the inverse of [`logit`]; it does not overflow for large `x`.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// Inverse of the sigmoid, bounded: a probability is never nearer than 0.0005 to certainty.
#[must_use]
pub fn logit(p: f64) -> f64 {
    let p = if p.is_finite() {
        p.clamp(5e-4, 1.0 - 5e-4)
    } else {
        0.5
    };
    (p / (1.0 - p)).ln()
}
