//! Times as people give them to `--from` and `--to`.
//!
//! `now`, `now-7d`, `-24h`, `today`, `yesterday`, RFC 3339, and the same without an offset down to
//! a year: those are UTC, or the zone that is given. A year, month, day, hour or minute begins a
//! `--from` and is taken whole by a `--to`.

use anyhow::{Context as _, Result, bail};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use reeve_audit::parse_instant;

use crate::cli::Period;

/// Units of a distance, with their milliseconds.
const UNITS: [(&str, i64); 6] = [
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Both ends of a period.
pub(crate) fn period(
    given: &Period,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<(Option<Timestamp>, Option<Timestamp>)> {
    let read = |text: &Option<String>, flag: &str, last: bool| {
        text.as_deref()
            .map(|text| {
                moment(text, zone, now).map(|(first, end)| if last { before(first, end) } else { first }).with_context(|| {
                    format!(
                        "--{flag} {text:?} is not a time; write 2026-11-20, 2026-11-20T10:30, 2026-11-20T10:30:00Z, -24h, now-7d, today or yesterday"
                    )
                })
            })
            .transpose()
    };

    let (from, to) = (
        read(&given.from, "from", false)?,
        read(&given.to, "to", true)?,
    );
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        bail!("--from {from} is not before --to {to}");
    }

    Ok((from, to))
}

/// The last millisecond of what is meant: the log's times are milliseconds, and both ends of a
/// period belong to it.
fn before(first: Timestamp, end: Timestamp) -> Timestamp {
    if end > first {
        end.checked_sub(SignedDuration::from_millis(1))
            .unwrap_or(end)
    } else {
        end
    }
}

/// The first instant of what is meant, and the one after its last; the same for a point in time.
fn moment(text: &str, zone: &TimeZone, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let text = text.trim();
    let point = |at: Timestamp| Some((at, at));
    let day = |date: Date| between(date.into(), date.tomorrow().ok()?.into(), zone);

    match text {
        "now" => return point(now),
        "today" => return day(now.to_zoned(zone.clone()).date()),
        "yesterday" => return day(now.to_zoned(zone.clone()).date().yesterday().ok()?),
        _ => {}
    }

    if let Some(distance) = text
        .strip_prefix("now")
        .or_else(|| text.starts_with(['-', '+']).then_some(text))
    {
        return point(
            now.checked_add(SignedDuration::from_millis(millis(distance)?))
                .ok()?,
        );
    }

    if let Ok(at) = parse_instant(text) {
        return point(at);
    }

    calendar(text, zone)
}

/// `-24h` or `+15m` in milliseconds.
fn millis(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => return None,
    };
    let (count, unit) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let unit = UNITS.iter().find(|(name, _)| *name == unit)?.1;

    count
        .parse::<i64>()
        .ok()?
        .checked_mul(unit)?
        .checked_mul(sign)
}

fn calendar(text: &str, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let (date, time) = text
        .split_once(['T', 't', ' '])
        .map_or((text, None), |(date, time)| (date, Some(time)));
    let mut numbers = date.split('-').map(number::<i16>);
    let year = numbers.next()??;
    let (month, day) = (numbers.next(), numbers.next());
    if date.len() != [4, 7, 10].get(date.matches('-').count()).copied()? {
        return None;
    }

    let part =
        |number: Option<Option<i16>>| number.map_or(Some(1), |part| i8::try_from(part?).ok());
    let first = Date::new(year, part(month)?, part(day)?).ok()?;
    let start = DateTime::from_parts(first, Time::midnight());

    match (month.is_some(), day.is_some(), time) {
        (false, false, None) => between(start, start.checked_add(1.year()).ok()?, zone),
        (true, false, None) => between(start, start.checked_add(1.month()).ok()?, zone),
        (true, true, None) => between(start, start.checked_add(1.day()).ok()?, zone),
        (true, true, Some(time)) => within(first, time, zone),
        _ => None,
    }
}

/// An hour, minute or second of a day.
fn within(day: Date, time: &str, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let parts: Vec<&str> = time.split(':').collect();
    if parts.iter().any(|part| part.len() != 2) {
        return None;
    }

    let at = |index: usize| parts.get(index).map_or(Some(0), |part| number::<i8>(part));
    let start = DateTime::from_parts(day, Time::new(at(0)?, at(1)?, at(2)?, 0).ok()?);
    let length = match parts.len() {
        1 => 1.hour(),
        2 => 1.minute(),
        3 => return between(start, start, zone),
        _ => return None,
    };

    between(start, start.checked_add(length).ok()?, zone)
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

fn between(first: DateTime, end: DateTime, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    Some((zone.to_timestamp(first).ok()?, zone.to_timestamp(end).ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_as_people_give_them() {
        let now = "2026-11-20T12:34:56Z".parse().unwrap();
        let east = TimeZone::fixed(jiff::tz::offset(2));

        for (text, zone, expect) in [
            (
                "now",
                &TimeZone::UTC,
                "2026-11-20T12:34:56Z 2026-11-20T12:34:56Z",
            ),
            (
                "-24h",
                &TimeZone::UTC,
                "2026-11-19T12:34:56Z 2026-11-19T12:34:56Z",
            ),
            ("now-7d", &east, "2026-11-13T12:34:56Z 2026-11-13T12:34:56Z"),
            ("now+1m", &east, "2026-11-20T12:35:56Z 2026-11-20T12:35:56Z"),
            (
                "today",
                &TimeZone::UTC,
                "2026-11-20T00:00:00Z 2026-11-21T00:00:00Z",
            ),
            (
                "yesterday",
                &east,
                "2026-11-18T22:00:00Z 2026-11-19T22:00:00Z",
            ),
            (
                "2026",
                &TimeZone::UTC,
                "2026-01-01T00:00:00Z 2027-01-01T00:00:00Z",
            ),
            (
                "2026-12",
                &TimeZone::UTC,
                "2026-12-01T00:00:00Z 2027-01-01T00:00:00Z",
            ),
            (
                "2026-11-20",
                &east,
                "2026-11-19T22:00:00Z 2026-11-20T22:00:00Z",
            ),
            (
                "2026-11-20T10",
                &TimeZone::UTC,
                "2026-11-20T10:00:00Z 2026-11-20T11:00:00Z",
            ),
            (
                "2026-11-20 10:30",
                &TimeZone::UTC,
                "2026-11-20T10:30:00Z 2026-11-20T10:31:00Z",
            ),
            (
                "2026-11-20T10:30:05",
                &east,
                "2026-11-20T08:30:05Z 2026-11-20T08:30:05Z",
            ),
            (
                "2026-11-20T10:30:05+01:00",
                &east,
                "2026-11-20T09:30:05Z 2026-11-20T09:30:05Z",
            ),
        ] {
            let (first, end) = moment(text, zone, now).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(format!("{first} {end}"), expect, "{text}");
        }

        for text in [
            "",
            "tomorrow",
            "20",
            "2026-13",
            "2026-1-1",
            "-24",
            "24h",
            "now-",
            "2026-11-20T25",
            "2026-11T10",
            "+1y",
            "é",
        ] {
            assert_eq!(moment(text, &TimeZone::UTC, now), None, "{text}");
        }

        let given = |from: &str, to: &str| Period {
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
        };
        let (from, to) = period(&given("2026-11-20", "2026-11-20"), &TimeZone::UTC, now).unwrap();

        assert_eq!(from.unwrap().to_string(), "2026-11-20T00:00:00Z");
        assert_eq!(to.unwrap().to_string(), "2026-11-20T23:59:59.999Z");
        assert!(period(&given("now", "-1h"), &TimeZone::UTC, now).is_err());
    }
}
