//! Time spans: a whole number and a unit.

use std::fmt;
use std::str::FromStr;

use super::{QuantityError, shown};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A length of time in whole seconds, written as the requirements write it: `15m`, `24h`, `30d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeSpan(u64);

impl TimeSpan {
    /// Returns a span of seconds.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        TimeSpan(seconds)
    }

    /// Returns a span of hours; the longest span where that many hours do not fit.
    #[must_use]
    pub const fn from_hours(hours: u64) -> Self {
        TimeSpan(hours.saturating_mul(HOUR))
    }

    /// Returns the length in seconds.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// Returns the hours of a span that is a whole number of them.
    #[must_use]
    pub const fn whole_hours(self) -> Option<u64> {
        if self.0.is_multiple_of(HOUR) {
            Some(self.0 / HOUR)
        } else {
            None
        }
    }

    /// Returns the days of a span that is a whole number of them.
    #[must_use]
    pub const fn whole_days(self) -> Option<u64> {
        if self.0.is_multiple_of(DAY) {
            Some(self.0 / DAY)
        } else {
            None
        }
    }
}

impl FromStr for TimeSpan {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let read = || {
            let text = text.trim();
            let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let unit = match &text[digits.len()..] {
                "s" => 1,
                "m" => MINUTE,
                "h" => HOUR,
                "d" => DAY,
                _ => return None,
            };
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits
                .parse::<u64>()
                .ok()
                .filter(|_| plain)?
                .checked_mul(unit)
                .map(TimeSpan)
        };
        read().ok_or_else(|| QuantityError::TimeSpan(shown(text)))
    }
}

impl fmt::Display for TimeSpan {
    /// Writes the largest unit that gives a whole number. A single day is `24h`, as the
    /// specification writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0m"),
            seconds if seconds.is_multiple_of(DAY) && seconds > DAY => {
                write!(f, "{}d", seconds / DAY)
            }
            seconds if seconds.is_multiple_of(HOUR) => write!(f, "{}h", seconds / HOUR),
            seconds if seconds.is_multiple_of(MINUTE) => write!(f, "{}m", seconds / MINUTE),
            seconds => write!(f, "{seconds}s"),
        }
    }
}
