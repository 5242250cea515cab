//! Points in time as people write them in a query: a time, a calendar period, or a distance from
//! now.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::ast::{Bound, QueryComparison};
use super::eval::from_now;
use crate::instant::parse_instant;

/// Meaning of a written time: one instant, or a period such as a day.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum QueryMoment {
    /// One instant, such as a time with seconds.
    At(Bound),
    /// A year, month, day, hour or minute: from the first instant up to, not including, the second.
    Period(Timestamp, Timestamp),
}

impl QueryMoment {
    /// The side of an instant that means the side of this moment. `>` a day begins with the next
    /// day, `<=` a day includes all of it.
    pub(super) fn compared(&self, comparison: QueryComparison) -> (QueryComparison, Bound) {
        use QueryComparison::{AtLeast, AtMost, Greater, Less};
        match (self, comparison) {
            (Self::At(bound), _) => (comparison, bound.clone()),
            (Self::Period(_, end), Greater) => (AtLeast, Bound::Time(*end)),
            (Self::Period(_, end), AtMost) => (Less, Bound::Time(*end)),
            (Self::Period(start, _), AtLeast | Less) => (comparison, Bound::Time(*start)),
        }
    }
}

/// Reads `2026`, `2026-11`, `2026-11-20`, `2026-11-20T10`, `2026-11-20T10:30`, RFC 3339, the same
/// without an offset (then UTC), `now`, `now-24h`.
pub(super) fn moment(text: &str) -> Option<QueryMoment> {
    if let Some(rest) = text.strip_prefix("now") {
        return distance(rest).map(|ms| QueryMoment::At(Bound::Now(ms)));
    }
    if let Ok(instant) = parse_instant(text).or_else(|_| parse_instant(&format!("{text}Z"))) {
        return Some(QueryMoment::At(Bound::Time(instant)));
    }
    period(text)
}

/// A point in time as a bound beside a query may be written: RFC 3339, `now`, or a distance from it
/// such as `now-24h`.
pub fn point_in_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    match text.strip_prefix("now") {
        Some(rest) => distance(rest).map(|ms| from_now(now, ms)),
        None => parse_instant(text).ok(),
    }
}

/// `-24h`, `+15m` or nothing, in milliseconds.
fn distance(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }

    let (sign, rest) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => return None,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = rest.split_at(digits);
    let unit_ms = UNITS.iter().find(|(name, _)| *name == unit)?.1;

    count
        .parse::<i64>()
        .ok()?
        .checked_mul(unit_ms)
        .filter(|ms| *ms <= FURTHEST_MS)
        .map(|ms| sign * ms)
}

/// Units of a distance, longest first, in milliseconds.
pub(super) const UNITS: [(&str, i64); 6] = [
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// A thousand years: no distance from now leaves the range of a timestamp.
const FURTHEST_MS: i64 = 365_250 * 86_400_000;

fn period(text: &str) -> Option<QueryMoment> {
    let (day, time) = text
        .split_once(['T', 't'])
        .map_or((text, None), |(day, time)| (day, Some(time)));
    let mut parts = day.split('-');
    let year: i16 = number(parts.next()?, 4)?;
    let month = parts
        .next()
        .map(|m| number(m, 2))
        .map_or(Some(None), |m| m.map(Some))?;
    let dom = parts
        .next()
        .map(|d| number(d, 2))
        .map_or(Some(None), |d| d.map(Some))?;
    if parts.next().is_some() {
        return None;
    }

    match (month, dom, time) {
        (None, None, None) => between(
            Date::new(year, 1, 1).ok()?,
            Date::new(year.checked_add(1)?, 1, 1).ok()?,
        ),
        (Some(month), None, None) => {
            let next = if month == 12 {
                Date::new(year.checked_add(1)?, 1, 1)
            } else {
                Date::new(year, month + 1, 1)
            };
            between(Date::new(year, month, 1).ok()?, next.ok()?)
        }
        (Some(month), Some(dom), None) => {
            let day = Date::new(year, month, dom).ok()?;
            between(day, day.tomorrow().ok()?)
        }
        (Some(month), Some(dom), Some(time)) => within_day(Date::new(year, month, dom).ok()?, time),
        _ => None,
    }
}

fn within_day(day: Date, time: &str) -> Option<QueryMoment> {
    let (hour, minute) = time
        .split_once(':')
        .map_or((time, None), |(hour, minute)| (hour, Some(minute)));
    let (hour, length_ms) = (
        number(hour, 2)?,
        if minute.is_some() { 60_000 } else { 3_600_000 },
    );
    let minute = minute.map_or(Some(0), |m| number(m, 2))?;
    let start = instant(DateTime::from_parts(
        day,
        jiff::civil::Time::new(hour, minute, 0, 0).ok()?,
    ))?;
    let end = Timestamp::from_millisecond(start.as_millisecond() + length_ms).ok()?;

    Some(QueryMoment::Period(start, end))
}

fn number<T: std::str::FromStr>(text: &str, digits: usize) -> Option<T> {
    if text.len() == digits && text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

fn between(from: Date, to: Date) -> Option<QueryMoment> {
    Some(QueryMoment::Period(
        instant(from.into())?,
        instant(to.into())?,
    ))
}

fn instant(civil: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(civil).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::format_instant;

    fn spell(text: &str) -> String {
        match moment(text) {
            None => "-".into(),
            Some(QueryMoment::At(Bound::Time(at))) => format_instant(at),
            Some(QueryMoment::At(bound)) => format!("{bound:?}"),
            Some(QueryMoment::Period(from, to)) => {
                format!("{} {}", format_instant(from), format_instant(to))
            }
        }
    }

    #[test]
    fn bounds_beside_a_query() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap_or_default();
        for (text, expect) in [
            ("now", Some("2026-11-20T12:00:00.000Z")),
            ("now-24h", Some("2026-11-19T12:00:00.000Z")),
            ("now+1w", Some("2026-11-27T12:00:00.000Z")),
            (
                "2026-11-20T10:00:00+01:00",
                Some("2026-11-20T09:00:00.000Z"),
            ),
            ("2026-11-20", None),
            ("now - 24h", None),
            ("24h", None),
            ("", None),
        ] {
            assert_eq!(
                point_in_time(text, now).map(format_instant).as_deref(),
                expect,
                "{text}"
            );
        }
    }

    #[test]
    fn times_as_people_write_them() {
        for (text, expect) in [
            ("2026", "2026-01-01T00:00:00.000Z 2027-01-01T00:00:00.000Z"),
            (
                "2026-12",
                "2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z",
            ),
            (
                "2024-02-28",
                "2024-02-28T00:00:00.000Z 2024-02-29T00:00:00.000Z",
            ),
            (
                "2026-11-20T23",
                "2026-11-20T23:00:00.000Z 2026-11-21T00:00:00.000Z",
            ),
            (
                "2026-11-20T10:30",
                "2026-11-20T10:30:00.000Z 2026-11-20T10:31:00.000Z",
            ),
            ("2026-11-20T10:30:05", "2026-11-20T10:30:05.000Z"),
            ("2026-11-20T10:30:05.5+01:00", "2026-11-20T09:30:05.500Z"),
            ("now", "Now(0)"),
            ("now-24h", "Now(-86400000)"),
            ("now+1w", "Now(604800000)"),
            ("now-", "-"),
            ("now-h", "-"),
            ("now-5y", "-"),
            ("now-99999999999999w", "-"),
            ("nowhere", "-"),
            ("2026-13", "-"),
            ("2026-02-30", "-"),
            ("9999", "-"),
            ("26", "-"),
            ("yesterday", "-"),
            ("", "-"),
        ] {
            assert_eq!(spell(text), expect, "{text}");
        }
    }
}
