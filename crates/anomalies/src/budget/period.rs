//! Periods of the calendar: months, quarters and years, of UTC.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

named!(
    /// Length of a budget's period.
    Period {
        /// A month of the calendar.
        Month => "month",
        /// Three months, from January, April, July or October.
        Quarter => "quarter",
        /// A year from January.
        Year => "year",
    }
);

/// A period that a moment is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetSpan {
    /// First day of the period, in UTC.
    pub start: Date,
    /// First day after it.
    pub end: Date,
}

impl Period {
    /// Returns the period that a moment is in.
    #[must_use]
    pub fn span_at(self, at: Timestamp) -> BudgetSpan {
        let today = at.to_zoned(TimeZone::UTC).date();
        let (month, months) = match self {
            Period::Month => (today.month(), 1),
            Period::Quarter => ((today.month() - 1) / 3 * 3 + 1, 3),
            Period::Year => (1, 12),
        };
        let start = date(today.year(), month, 1);

        BudgetSpan {
            start,
            end: start.saturating_add(months.months()),
        }
    }
}

/// Returns the number of a day, counted from the epoch.
pub(super) fn number(day: Date) -> i64 {
    i64::from(
        date(1970, 1, 1)
            .until(day)
            .map_or(0, |span| span.get_days()),
    )
}

/// Returns the day of a number.
pub(super) fn day(number: i64) -> Date {
    date(1970, 1, 1).saturating_add(number.days())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn months_quarters_and_years() {
        let check = |at: &str, period: Period, start: &str, end: &str| {
            let span = period.span_at(at.parse().unwrap());
            assert_eq!(
                (span.start.to_string(), span.end.to_string()),
                (start.to_owned(), end.to_owned()),
                "{at}"
            );
        };

        check(
            "2028-02-29T23:59:59Z",
            Period::Month,
            "2028-02-01",
            "2028-03-01",
        );

        check(
            "2028-03-01T00:00:00Z",
            Period::Month,
            "2028-03-01",
            "2028-04-01",
        );

        check(
            "2026-11-22T12:00:00Z",
            Period::Quarter,
            "2026-10-01",
            "2027-01-01",
        );

        check(
            "2026-03-31T12:00:00Z",
            Period::Quarter,
            "2026-01-01",
            "2026-04-01",
        );

        check(
            "2026-12-31T12:00:00Z",
            Period::Year,
            "2026-01-01",
            "2027-01-01",
        );

        assert_eq!(number(date(1970, 1, 11)), 10);
        assert_eq!(day(number(date(2026, 11, 22))), date(2026, 11, 22));
    }
}
