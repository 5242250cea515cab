//! Reasons of a verdict on a leak, in words.

use std::fmt;

use crate::window::{DAY_MS, HOUR_MS};

/// Reason of a verdict, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeakReason {
    /// Abstained: too few points.
    TooFewPoints {
        /// Points, or buckets of them.
        points: u64,
    },
    /// Abstained: too short a time.
    TooShort {
        /// Time between the first and the last point.
        span_ms: i64,
        /// Shortest time that a verdict needs.
        least_ms: i64,
    },
    /// Abstained: too much was not measured.
    Gaps {
        /// Share of the time that was measured, 0 to 1.
        coverage: f64,
    },
    /// Abstained: the level is released in cycles, and there are too few to see where their floors
    /// go.
    TooFewCycles {
        /// Cycles between releases that were seen.
        cycles: u64,
    },
    /// The level never moves.
    Constant,
    /// The level is released in short cycles; the floors after each were judged, not the rises
    /// within.
    Cycles {
        /// Median length of a cycle.
        length_ms: i64,
    },
    /// Growth significant against chance.
    Significant { p_value: f64 },
    /// Growth that chance explains.
    NotSignificant { p_value: f64 },
    /// It grows in each stretch between releases.
    GrowsAfterEachRelease {
        /// Stretches in which the level grows.
        growing: u64,
        /// Stretches long enough to tell.
        stretches: u64,
    },
    /// Too few of the stretches between releases grow.
    GrowsInFewStretches {
        /// Stretches in which the level grows.
        growing: u64,
        /// Stretches long enough to tell.
        stretches: u64,
    },
    /// Growth too small to matter.
    Slight {
        /// Growth over the time observed, as a share of the typical level.
        share: f64,
    },
    /// The growth has stopped, or is about to: a warm-up, a cache that fills, a shift.
    LevelsOff,
    /// The growth is in one part of the time only.
    Passing,
    /// Less than two weeks: a weekly swing was not ruled out.
    WeekNotSeen,
}

impl fmt::Display for LeakReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = |ms: i64| ms as f64 / DAY_MS as f64;
        match *self {
            LeakReason::TooFewPoints { points } => write!(out, "only {points} points"),
            LeakReason::TooShort { span_ms, least_ms } => {
                write!(
                    out,
                    "{:.1} days observed, {:.1} are needed",
                    days(span_ms),
                    days(least_ms)
                )
            }
            LeakReason::Gaps { coverage } => write!(
                out,
                "only {:.0} % of the time was measured",
                coverage * 100.0
            ),
            LeakReason::TooFewCycles { cycles } => {
                write!(out, "only {cycles} floors between releases")
            }
            LeakReason::Constant => write!(out, "the level never moves"),
            LeakReason::Cycles { length_ms } => write!(
                out,
                "released about every {:.1} hours; what was judged is the floor after each release",
                length_ms as f64 / HOUR_MS as f64
            ),
            LeakReason::Significant { p_value } => {
                write!(out, "the growth is significant (p = {p_value:.2e})")
            }
            LeakReason::NotSignificant { p_value } => {
                write!(out, "chance explains the growth (p = {p_value:.2})")
            }
            LeakReason::GrowsAfterEachRelease { growing, stretches } => {
                write!(
                    out,
                    "it grows in {growing} of {stretches} stretches between releases"
                )
            }
            LeakReason::GrowsInFewStretches { growing, stretches } => {
                write!(
                    out,
                    "it grows in only {growing} of {stretches} stretches between releases"
                )
            }
            LeakReason::Slight { share } => {
                write!(out, "it grew by {:.1} % of its level only", share * 100.0)
            }
            LeakReason::LevelsOff => write!(out, "the growth levels off"),
            LeakReason::Passing => write!(out, "the growth is in one part of the time only"),
            LeakReason::WeekNotSeen => write!(
                out,
                "less than two weeks observed: a weekly swing is not ruled out"
            ),
        }
    }
}
