//! UTC days: how samples are partitioned.

use std::fmt;

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;

/// A UTC day, counted from 1970-01-01. Shown as `2026-11-20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Day(i64);

impl Day {
    /// The day of a time in milliseconds since the epoch.
    pub(super) fn of_ms(ms: i64) -> Self {
        Day(ms.div_euclid(DAY_MS))
    }

    /// First millisecond of the day, since 1970.
    pub(super) fn start_ms(self) -> i64 {
        self.0 * DAY_MS
    }

    /// The first millisecond after it.
    pub(super) fn end_ms(self) -> i64 {
        (self.0 + 1) * DAY_MS
    }

    /// Parses a date such as `2026-11-20`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let date: Date = text.parse().ok()?;
        let start = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
        let day = Day::of_ms(start.as_millisecond());
        (day.to_string() == text).then_some(day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.start_ms()) {
            Ok(start) => write!(f, "{}", TimeZone::UTC.to_datetime(start).date()),
            Err(_) => write!(f, "day{}", self.0),
        }
    }
}

/// A time in whole milliseconds since the epoch, rounded towards the past.
pub(super) fn floor_ms(time: Timestamp) -> i64 {
    i64::try_from(time.as_nanosecond().div_euclid(1_000_000)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn days_are_utc_and_round_trip() {
        for (ms, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (1_795_168_799_999, "2026-11-20"),
            (951_782_400_000, "2000-02-29"),
        ] {
            let day = Day::of_ms(ms);
            assert_eq!(day.to_string(), text);
            assert_eq!(Day::parse(text), Some(day));
            assert!(day.start_ms() <= ms && ms < day.end_ms());
        }
        for wrong in ["2026-13-01", "20261120", "", "2026-11-20T00:00", "day5"] {
            assert_eq!(Day::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_before_the_epoch_round_towards_the_past() {
        let early: Timestamp = "1969-12-31T23:59:59.9999Z".parse().unwrap();
        assert_eq!(floor_ms(early), -1);
    }
}
