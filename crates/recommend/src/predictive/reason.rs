//! Reasons of a prediction, with their numbers in the unit of its metric.

use std::fmt;

use reeve_learn::saturation;

/// One reason of a prediction.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
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

impl Reason {
    /// Stable name of the reason.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Reason::Now { .. } => "now",
            Reason::Grows { .. } => "grows",
            Reason::Still => "still",
            Reason::StaysBelow { .. } => "stays_below",
            Reason::Full => "full",
            Reason::Released { .. } => "released",
            Reason::RisenAlready { .. } => "risen_already",
            Reason::Other(_) => "other",
        }
    }
}

impl From<saturation::Reason> for Reason {
    fn from(reason: saturation::Reason) -> Self {
        match reason {
            saturation::Reason::Full => Reason::Full,
            saturation::Reason::Grows { per_day } => Reason::Grows { per_day },
            saturation::Reason::Still => Reason::Still,
            saturation::Reason::Released { releases } => Reason::Released { times: releases },
            abstained => Reason::Other(abstained.to_string()),
        }
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Reason::Other(words)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Now { value } => write!(f, "it is {value:.4} now"),
            Reason::Grows { per_day } => write!(f, "it grows by {per_day:.4} a day"),
            Reason::Still => f.write_str("it does not grow"),
            Reason::StaysBelow { limit, most } => {
                let far = if most < &(limit / 2.0) { "far " } else { "" };
                write!(
                    f,
                    "it grows, but stays {far}below {limit:.4}: at most {most:.4} is forecast"
                )
            }
            Reason::Full => f.write_str("it is full now"),
            Reason::Released { times: 1 } => {
                f.write_str("released once before; that may come first again")
            }
            Reason::Released { times } => {
                write!(f, "released {times} times before; one may come first again")
            }
            Reason::RisenAlready { value } => write!(f, "it has risen already: {value:.4}"),
            Reason::Other(words) => f.write_str(words),
        }
    }
}
