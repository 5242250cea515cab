//! Percentages of settings.

use std::fmt;
use std::str::FromStr;

use super::{QuantityError, shown};

/// A percentage, finite and not negative, written with its sign: `5%`, `99.9%`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Percent(f64);

impl Percent {
    /// Returns the percentage of a number (`85.0` is 85 %); `None` for a negative or infinite one
    /// and for NaN.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // Negative zero would be written as `-0%`.
        (value.is_finite() && value >= 0.0).then(|| Percent(value.abs()))
    }

    /// Percent as a number: 85.0 for `85%`.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl FromStr for Percent {
    type Err = QuantityError;

    /// Reads `85%`, `85 %` and `85`.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let trimmed = text.trim();
        let number = trimmed.strip_suffix('%').unwrap_or(trimmed).trim_end();
        number
            .parse()
            .ok()
            .and_then(Percent::new)
            .ok_or_else(|| QuantityError::Percent(shown(text)))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}
