//! Features of the hazard, with their priors.

use super::Instance;
use super::logistic::InterruptionBelief;
use super::memory::{PRIOR_PER_DAY, Recollection};
use crate::window::{DAY_MS, HOUR_MS};

/// Names of the features, in order.
pub(super) const NAMES: [&str; 11] = [
    "base",
    "past interruptions of the pool",
    "younger than an hour",
    "younger than six hours",
    "age",
    "scarce capacity",
    "capacity not measured",
    "interruptions in the pool within an hour",
    "interruptions in the pool within a day",
    "interruptions in the estate within an hour",
    "price",
];

/// The middle of availability and of price over on-demand, around which they count.
const MIDDLE: [f64; 2] = [0.5, 0.35];

/// The features of an instance for a horizon.
pub(super) fn features(instance: &Instance, known: &Recollection, horizon_ms: i64) -> Vec<f64> {
    let expected = known.per_day * horizon_ms as f64 / DAY_MS as f64;
    let age_hours = instance.age_ms.max(0) as f64 / HOUR_MS as f64;
    let scarce = instance
        .availability
        .filter(|value| value.is_finite())
        .map(|value| MIDDLE[0] - value.clamp(0.0, 1.0));
    let price = instance
        .price_ratio
        .filter(|value| value.is_finite())
        .map_or(0.0, |ratio| ratio.clamp(0.0, 2.0) - MIDDLE[1]);

    vec![
        1.0,
        expected.max(1e-9).ln(),
        f64::from(age_hours < 1.0),
        f64::from(age_hours < 6.0),
        (age_hours / 24.0).ln_1p() - 1.0,
        scarce.unwrap_or(0.0),
        f64::from(scarce.is_none()),
        known.pool[0].ln_1p(),
        known.pool[1].ln_1p(),
        known.estate[0].ln_1p(),
        price,
    ]
}

/// The features of an instance of which nothing is known.
pub(super) fn unknown(horizon_ms: i64) -> Vec<f64> {
    let expected = PRIOR_PER_DAY * horizon_ms as f64 / DAY_MS as f64;
    let mut plain = vec![0.0; NAMES.len()];
    (plain[0], plain[1], plain[6]) = (1.0, expected.ln(), 1.0);
    plain
}

/// Returns the priors of the coefficients: the rate counts as it is; scarcity, youth and recent
/// interruptions raise the risk; price hardly moves it unless data say otherwise.
pub(super) fn beliefs() -> Vec<InterruptionBelief> {
    let belief = |mean, deviation| InterruptionBelief { mean, deviation };
    vec![
        belief(0.0, 0.4),
        belief(1.0, 0.25),
        belief(0.1, 0.4),
        belief(0.1, 0.4),
        belief(0.0, 0.4),
        belief(1.5, 1.0),
        belief(0.0, 0.4),
        belief(0.7, 0.7),
        belief(0.4, 0.5),
        belief(0.2, 0.4),
        belief(0.0, 0.3),
    ]
}
