//! Reasons of a saturation forecast, in words.

use std::fmt;

/// Reason of a forecast of saturation, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SaturationReason {
    /// Abstained: no capacity, or no horizon.
    NoCapacity,
    /// Abstained: too few points.
    TooFewPoints {
        /// Points, or buckets of them.
        points: u64,
    },
    /// Abstained: too much was not measured.
    Gaps {
        /// Share of the time that was measured, 0 to 1.
        coverage: f64,
    },
    /// The resource is full now.
    Full,
    /// The level grows towards the capacity.
    Grows {
        /// Units of the series per day.
        per_day: f64,
    },
    /// The level hardly grows.
    Still,
    /// Releases came before; one may come first again.
    Released { releases: u64 },
}

impl fmt::Display for SaturationReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SaturationReason::NoCapacity => write!(out, "no capacity to reach, or no horizon"),
            SaturationReason::TooFewPoints { points } => {
                write!(out, "only {points} points to backtest on")
            }
            SaturationReason::Gaps { coverage } => write!(
                out,
                "only {:.0} % of the time was measured",
                coverage * 100.0
            ),
            SaturationReason::Full => write!(out, "it is full now"),
            SaturationReason::Grows { per_day } => write!(out, "it grows by {per_day:.4} a day"),
            SaturationReason::Still => write!(out, "it does not grow"),
            SaturationReason::Released { releases } => write!(
                out,
                "released {releases} times before; one may come first again"
            ),
        }
    }
}
