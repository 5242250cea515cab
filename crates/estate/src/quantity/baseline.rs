//! Baselines that values are compared with.

use std::fmt;
use std::str::FromStr;

use super::{QuantityError, TimeSpan, shown};

/// The average of the last days, written as `30d_average`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuantityBaseline {
    /// Days that are averaged.
    pub days: u32,
}

impl FromStr for QuantityBaseline {
    type Err = QuantityError;

    /// Reads `30d_average`, and `30d` for the same.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let trimmed = text.trim();
        let span: Option<TimeSpan> = trimmed
            .strip_suffix("_average")
            .unwrap_or(trimmed)
            .parse()
            .ok();

        let days = span
            .and_then(TimeSpan::whole_days)
            .and_then(|days| u32::try_from(days).ok());
        days.map(|days| QuantityBaseline { days })
            .ok_or_else(|| QuantityError::Baseline(shown(text)))
    }
}

impl fmt::Display for QuantityBaseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d_average", self.days)
    }
}
