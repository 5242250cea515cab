//! Source and date of a price, for presentations: a list price is true of the day of its list.

use std::borrow::Cow;
use std::fmt;

/// Source and date of a price. Displays as `AWS price list of 2026-07`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceOrigin {
    /// Name of the list.
    pub source: Cow<'static, str>,
    /// Its month or day.
    pub date: Cow<'static, str>,
}

impl PriceOrigin {
    /// Origin of prices that the program brings along.
    #[must_use]
    pub const fn bundled(source: &'static str, date: &'static str) -> Self {
        PriceOrigin {
            source: Cow::Borrowed(source),
            date: Cow::Borrowed(date),
        }
    }
}

impl fmt::Display for PriceOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.source, self.date)
    }
}
