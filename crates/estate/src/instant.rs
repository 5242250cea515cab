//! Times as people's files write them: RFC 3339, the same with a shorter offset (`+0530`, `-08`,
//! `UTC`, `GMT`, with or without a space before it), and the same without an offset, then UTC, down
//! to the day. Bills and series are read by this one reader.
//!
//! Refuses zone names in brackets, offsets beyond 15 hours, and anything that begins with something
//! else than a year of four digits.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Reads a time, milliseconds since the epoch.
#[must_use]
pub fn read_instant(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.as_bytes().get(4) != Some(&b'-') || text.contains('[') {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }

    let plain = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let plain = match &text[plain.len()..] {
        "UTC" | "utc" | "GMT" | "Z" | "z" => plain.trim_end(),
        _ => text,
    };
    without_offset(plain).or_else(|| with_offset(plain))
}

/// ISO 8601's shorter offsets.
fn with_offset(text: &str) -> Option<i64> {
    let at = text.rfind(['+', '-']).filter(|at| *at > 10)?;
    let (local, offset) = (text[..at].trim_end(), &text[at..]);
    let digits: String = offset[1..]
        .chars()
        .filter(|letter| *letter != ':')
        .collect();
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }

    let (hours, minutes) = digits.split_at(2);
    let (hours, minutes): (i64, i64) = (
        hours.parse().ok()?,
        if minutes.is_empty() {
            0
        } else {
            minutes.parse().ok()?
        },
    );

    if hours > 25 || minutes > 59 {
        return None;
    }

    let ahead = (hours * 60 + minutes) * 60_000;
    without_offset(local).map(|local| {
        if offset.starts_with('-') {
            local + ahead
        } else {
            local - ahead
        }
    })
}

fn without_offset(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00"));
    if date.len() != 10 || time.contains(['+', '-']) {
        return None;
    }
    match format!("{date}T{}", time.trim()).parse() {
        Ok(at) => utc(at),
        Err(_) => beyond_midnight(date, time.trim()),
    }
}

/// An hour past the day's last, `2023-02-01T30:00:00Z`: the examples of FOCUS add hours to a date
/// and let them run on.
fn beyond_midnight(date: &str, time: &str) -> Option<i64> {
    let (hours, rest) = time.split_once(':')?;
    let hours = hours
        .parse::<i64>()
        .ok()
        .filter(|hours| (24..48).contains(hours))?;
    let at: DateTime = format!("{date}T{:02}:{rest}", hours - 24).parse().ok()?;
    utc(at.checked_add(SignedDuration::from_hours(24)).ok()?)
}

/// The time in UTC, milliseconds since the epoch.
pub(crate) fn utc(at: DateTime) -> Option<i64> {
    TimeZone::UTC
        .to_timestamp(at)
        .ok()
        .map(|at| at.as_millisecond())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_time_in_every_spelling() {
        let expect = "2025-04-01T09:30:00Z"
            .parse::<Timestamp>()
            .unwrap()
            .as_millisecond();
        for text in [
            "2025-04-01T09:30:00Z",
            "2025-04-01T09:30:00.000z",
            "2025-04-01 09:30:00 UTC",
            "2025-04-01 09:30 GMT",
            "2025-04-01T09:30",
            "2025-04-01T01:30:00-08:00",
            "2025-04-01T01:30:00-08",
            "2025-04-01 01:30:00 -0800",
            "2025-04-01T15:00:00+0530",
            "2025-04-01T15:00:00 +05:30",
            "2025-03-31T33:30:00Z",
        ] {
            assert_eq!(read_instant(text), Some(expect), "{text}");
        }

        assert_eq!(read_instant("2025-04-01"), Some(expect - 34_200_000));
        for text in [
            "",
            "2025",
            "2025-04",
            "2025-13-01",
            "2025-02-30",
            "2025-04-01T99:00",
            "2025-04-01T48:00:00Z",
            "soon",
            "2025-04-01T09:30:00+26",
            "2025-04-01T09:30:00+1",
            "2025-04-01T09:30:00 CEST",
            "2025-04-01T09:30[Europe/Berlin]",
            "1/2/2025",
        ] {
            assert_eq!(read_instant(text), None, "{text}");
        }
    }
}
