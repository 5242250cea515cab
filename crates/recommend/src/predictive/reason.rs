//! Reasons of a prediction, with their numbers in the unit of its metric.

use std::fmt;

use reeve_learn::saturation;

/// One reason of a prediction.
#[derive(Debug, Clone, PartialEq)]
pub enum PredictiveReason {
    /// Value of the newest sample.
    Now { value: f64 },
    /// The level moves towards the capacity; free storage falls.
    Grows {
        /// Growth of one day, in the metric's unit.
        per_day: f64,
    },
    /// The level hardly moves.
    Still,
    /// The level rises with the day and stays below the capacity.
    StaysBelow {
        /// Capacity, in the metric's unit.
        limit: f64,
        /// Highest median of the forecast.
        most: f64,
    },
    /// The capacity is used up.
    Full,
    /// The level was released before, so that a release may come first again.
    Released {
        /// Releases that were seen.
        times: u64,
    },
    /// The level has risen above the limit already, which is no news.
    RisenAlready {
        /// Value of the newest sample.
        value: f64,
    },
    /// A reason without numbers in the metric's unit, in words.
    Other(String),
}

impl PredictiveReason {
    /// Stable name of the reason.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            PredictiveReason::Now { .. } => "now",
            PredictiveReason::Grows { .. } => "grows",
            PredictiveReason::Still => "still",
            PredictiveReason::StaysBelow { .. } => "stays_below",
            PredictiveReason::Full => "full",
            PredictiveReason::Released { .. } => "released",
            PredictiveReason::RisenAlready { .. } => "risen_already",
            PredictiveReason::Other(_) => "other",
        }
    }
}

impl From<saturation::SaturationReason> for PredictiveReason {
    fn from(reason: saturation::SaturationReason) -> Self {
        match reason {
            saturation::SaturationReason::Full => PredictiveReason::Full,
            saturation::SaturationReason::Grows { per_day } => PredictiveReason::Grows { per_day },
            saturation::SaturationReason::Still => PredictiveReason::Still,
            saturation::SaturationReason::Released { releases } => {
                PredictiveReason::Released { times: releases }
            }
            abstained => PredictiveReason::Other(abstained.to_string()),
        }
    }
}

impl From<String> for PredictiveReason {
    fn from(words: String) -> Self {
        PredictiveReason::Other(words)
    }
}

impl fmt::Display for PredictiveReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredictiveReason::Now { value } => write!(f, "it is {value:.4} now"),
            PredictiveReason::Grows { per_day } => write!(f, "it grows by {per_day:.4} a day"),
            PredictiveReason::Still => f.write_str("it does not grow"),
            PredictiveReason::StaysBelow { limit, most } => {
                let far = if most < &(limit / 2.0) { "far " } else { "" };
                write!(
                    f,
                    "it grows, but stays {far}below {limit:.4}: at most {most:.4} is forecast"
                )
            }
            PredictiveReason::Full => f.write_str("it is full now"),
            PredictiveReason::Released { times: 1 } => {
                f.write_str("released once before; that may come first again")
            }
            PredictiveReason::Released { times } => {
                write!(f, "released {times} times before; one may come first again")
            }
            PredictiveReason::RisenAlready { value } => {
                write!(f, "it has risen already: {value:.4}")
            }
            PredictiveReason::Other(words) => f.write_str(words),
        }
    }
}
