//! Periods of reports: a distance back from now, a calendar span that has ended, or two times. All
//! in UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};
use reeve_audit::query::{Bound, Expr, Match, QueryColumn, QueryComparison};

/// Longest period of a report, days.
pub const LONGEST_DAYS: i64 = 3 * 366;

const DAY_MS: i64 = 86_400_000;

/// Times of a report: from `start` on, before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportPeriod {
    /// First instant of the period.
    pub start: Timestamp,
    /// First instant after it.
    pub end: Timestamp,
}

/// Period as chosen; a recurring report resolves it at each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodChoice {
    /// So many milliseconds up to now.
    Last(i64),
    /// The last week, Monday to Sunday, that has ended.
    PreviousWeek,
    /// The last calendar month that has ended.
    PreviousMonth,
    /// The last quarter of a calendar year that has ended.
    PreviousQuarter,
    /// The last calendar year that has ended.
    PreviousYear,
    /// A fixed period, which does not move with the run.
    Between(ReportPeriod),
}

/// Length of the bars of a chart over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeBucket {
    Hour,
    Day,
    /// A week from Monday on.
    Week,
    /// A calendar month of UTC.
    Month,
}

const NAMED: [(&str, PeriodChoice); 4] = [
    ("previous_week", PeriodChoice::PreviousWeek),
    ("previous_month", PeriodChoice::PreviousMonth),
    ("previous_quarter", PeriodChoice::PreviousQuarter),
    ("previous_year", PeriodChoice::PreviousYear),
];

impl PeriodChoice {
    /// Reads `24h`, `30d`, `12w` or the name of a calendar span.
    #[must_use]
    pub fn parse(text: &str) -> Option<PeriodChoice> {
        if let Some((_, choice)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*choice);
        }

        let unit = text.chars().last()?;
        let length: i64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
        let ms = length.checked_mul(match unit {
            'h' => DAY_MS / 24,
            'd' => DAY_MS,
            'w' => 7 * DAY_MS,
            _ => return None,
        })?;

        (1..=LONGEST_DAYS * DAY_MS)
            .contains(&ms)
            .then_some(PeriodChoice::Last(ms))
    }

    /// Returns the text that [`PeriodChoice::parse`] reads; `None` for two times.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            PeriodChoice::Last(ms) if ms % DAY_MS == 0 => Some(format!("{}d", ms / DAY_MS)),
            PeriodChoice::Last(ms) => Some(format!("{}h", ms / (DAY_MS / 24))),
            PeriodChoice::Between(_) => None,
            named => NAMED
                .iter()
                .find(|(_, choice)| choice == named)
                .map(|(name, _)| (*name).to_owned()),
        }
    }

    /// Returns the period, relative to a time.
    #[must_use]
    pub fn resolve(&self, now: Timestamp) -> ReportPeriod {
        let today = now.to_zoned(TimeZone::UTC).date();
        let span = |end: Date, length: Span| between(end.saturating_sub(length), end);

        match *self {
            PeriodChoice::Between(period) => period,
            PeriodChoice::Last(ms) => ReportPeriod {
                start: now.saturating_sub(ms.milliseconds()).unwrap_or(now),
                end: now,
            },
            PeriodChoice::PreviousWeek => span(monday(today), 7.days()),
            PeriodChoice::PreviousMonth => span(today.first_of_month(), 1.month()),
            PeriodChoice::PreviousQuarter => {
                let into = (today.month() - 1) % 3;
                span(
                    today.first_of_month().saturating_sub(into.months()),
                    3.months(),
                )
            }
            PeriodChoice::PreviousYear => span(today.first_of_year(), 1.year()),
        }
    }
}

fn monday(day: Date) -> Date {
    day.saturating_sub(day.weekday().to_monday_zero_offset().days())
}

fn between(start: Date, end: Date) -> ReportPeriod {
    ReportPeriod {
        start: midnight(start),
        end: midnight(end),
    }
}

fn midnight(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC)
        .map_or(Timestamp::MIN, |at| at.timestamp())
}

impl ReportPeriod {
    /// Returns the length in days, rounded up.
    #[must_use]
    pub fn days(&self) -> i64 {
        let ms = self.end.as_millisecond() - self.start.as_millisecond();
        ms.max(0).saturating_add(DAY_MS - 1) / DAY_MS
    }

    /// Returns `true` if the instant is in it.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }

    /// Returns the condition that an entry's `timestamp` is in it.
    #[must_use]
    pub fn condition(&self) -> Expr {
        let side = |side, at| {
            Expr::field(
                QueryColumn::Timestamp,
                Match::Compare(side, Bound::Time(at)),
            )
        };
        Expr::and([
            side(QueryComparison::AtLeast, self.start),
            side(QueryComparison::Less, self.end),
        ])
    }

    /// Returns the length of bars that gives a readable chart.
    #[must_use]
    pub fn bucket(&self) -> TimeBucket {
        match self.days() {
            ..=2 => TimeBucket::Hour,
            3..=92 => TimeBucket::Day,
            93..=400 => TimeBucket::Week,
            _ => TimeBucket::Month,
        }
    }

    /// Returns the first instants of the bars that cover the period.
    #[must_use]
    pub fn bars(&self) -> Vec<Timestamp> {
        let bucket = self.bucket();
        let mut bars = Vec::new();
        let mut at = bucket.floor(self.start);

        while at < self.end {
            bars.push(at);
            let next = bucket.next(at);
            if next <= at {
                break;
            }
            at = next;
        }

        bars
    }
}

impl TimeBucket {
    /// Name of the length in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TimeBucket::Hour => "hour",
            TimeBucket::Day => "day",
            TimeBucket::Week => "week",
            TimeBucket::Month => "month",
        }
    }

    /// Returns the first instant of the bar that an instant is in.
    #[must_use]
    pub fn floor(self, at: Timestamp) -> Timestamp {
        let day = at.to_zoned(TimeZone::UTC).date();
        match self {
            TimeBucket::Hour => {
                let ms = at.as_millisecond();
                Timestamp::from_millisecond(ms - ms.rem_euclid(DAY_MS / 24)).unwrap_or(at)
            }
            TimeBucket::Day => midnight(day),
            TimeBucket::Week => midnight(monday(day)),
            TimeBucket::Month => midnight(day.first_of_month()),
        }
    }

    fn next(self, at: Timestamp) -> Timestamp {
        let day = at.to_zoned(TimeZone::UTC).date();
        match self {
            TimeBucket::Hour => at.saturating_add(1.hour()).unwrap_or(Timestamp::MAX),
            TimeBucket::Day => midnight(day.saturating_add(1.day())),
            TimeBucket::Week => midnight(day.saturating_add(7.days())),
            TimeBucket::Month => midnight(day.saturating_add(1.month())),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn calendar_spans_are_the_last_that_ended() {
        for (text, start, end) in [
            ("24h", "2026-11-21T10:00:00Z", "2026-11-22T10:00:00Z"),
            ("30d", "2026-10-23T10:00:00Z", "2026-11-22T10:00:00Z"),
            (
                "previous_week",
                "2026-11-09T00:00:00Z",
                "2026-11-16T00:00:00Z",
            ),
            (
                "previous_month",
                "2026-10-01T00:00:00Z",
                "2026-11-01T00:00:00Z",
            ),
            (
                "previous_quarter",
                "2026-07-01T00:00:00Z",
                "2026-10-01T00:00:00Z",
            ),
            (
                "previous_year",
                "2025-01-01T00:00:00Z",
                "2026-01-01T00:00:00Z",
            ),
        ] {
            let choice = PeriodChoice::parse(text).unwrap();
            let period = choice.resolve(at("2026-11-22T10:00:00Z"));
            assert_eq!((period.start, period.end), (at(start), at(end)), "{text}");
            assert_eq!(
                PeriodChoice::parse(&choice.text().unwrap()),
                Some(choice),
                "{text}"
            );
        }
        for wrong in [
            "",
            "0d",
            "-3d",
            "30",
            "5m",
            "é",
            "2000d",
            "99999999999999999999d",
            "last month",
        ] {
            assert_eq!(PeriodChoice::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bars_cover_the_period_and_are_few() {
        for (days, unit) in [(1, "hour"), (30, "day"), (365, "week"), (1000, "month")] {
            let end = at("2026-11-22T10:30:00Z");
            let period = ReportPeriod {
                start: end.checked_sub((days * 24).hours()).unwrap(),
                end,
            };
            let bars = period.bars();
            assert_eq!(period.bucket().as_str(), unit);
            assert!(
                bars.len() <= 100 && bars[0] <= period.start && bars.is_sorted(),
                "{days}: {}",
                bars.len()
            );
            assert_eq!(
                bars.last().copied(),
                Some(period.bucket().floor(at("2026-11-22T10:29:59Z")))
            );
        }
    }
}
