//! Points in time as entries carry them: RFC 3339 in, UTC with milliseconds out.

mod civil;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

/// Seconds in a day.
const DAY: i64 = 86_400;
/// Length of `2026-11-20T10:00:00.000Z`, in bytes.
const WRITTEN: usize = 24;

/// Reason why a text is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstantError {
    /// Text that is not in RFC 3339 form.
    #[error("not an RFC 3339 time such as 2026-11-20T10:00:00.000Z")]
    Shape,
    /// The right shape, but no such day, hour or offset, or outside the years 0000 to 9999.
    #[error("the time is outside of the supported range")]
    Range,
}

/// Cuts everything finer than a millisecond off, towards the past.
pub fn to_millis(instant: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(millis(instant)).unwrap_or(instant)
}

/// Milliseconds since 1970, rounded towards the past.
fn millis(instant: Timestamp) -> i64 {
    instant.as_second() * 1_000 + i64::from(instant.subsec_nanosecond().div_euclid(1_000_000))
}

/// The present, in milliseconds.
pub fn now() -> Timestamp {
    to_millis(Timestamp::now())
}

/// Formats a time as `2026-11-20T10:00:00.000Z`: UTC, milliseconds.
pub fn format_instant(instant: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    let written = written(instant).and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    written.unwrap_or_else(|| PRINTER.timestamp_to_string(&to_millis(instant)))
}

/// Appends a time as [`format_instant`] formats it.
pub fn write_instant(instant: Timestamp, out: &mut Vec<u8>) {
    match written(instant) {
        Some(bytes) => out.extend_from_slice(&bytes),
        None => out.extend_from_slice(format_instant(instant).as_bytes()),
    }
}

/// The spelling of a point in time within the years 0000 to 9999.
fn written(instant: Timestamp) -> Option<[u8; WRITTEN]> {
    let millis = millis(instant);
    let (second, milli) = (millis.div_euclid(1_000), millis.rem_euclid(1_000));
    let of_day = second.rem_euclid(DAY);
    let (year, month, day) = civil::date(second.div_euclid(DAY));
    if !(0..=9_999).contains(&year) {
        return None;
    }

    let mut out = *b"0000-00-00T00:00:00.000Z";
    let mut two = |at: usize, value: i64| {
        out[at] = b'0' + (value / 10) as u8;
        out[at + 1] = b'0' + (value % 10) as u8;
    };
    two(0, year / 100);

    two(2, year % 100);
    two(5, month);
    two(8, day);
    two(11, of_day / 3_600);
    two(14, of_day / 60 % 60);
    two(17, of_day % 60);
    two(20, milli / 10);
    out[22] = b'0' + (milli % 10) as u8;

    Some(out)
}

/// Reads RFC 3339 with any offset; digits beyond the millisecond are cut off. The `T` may be a
/// space and both letters may be lower case, as RFC 3339 allows.
pub fn parse_instant(text: &str) -> Result<Timestamp, InstantError> {
    match usual(text.as_bytes()) {
        Some(instant) => Ok(instant),
        None => parse_any(text),
    }
}

/// Reads what nearly every log writes: UTC with a `Z`, with or without a fraction, in the years
/// 0001 to 9998. Whatever else stands there is left to [`parse_any`].
fn usual(bytes: &[u8]) -> Option<Timestamp> {
    let head: &[u8; 19] = bytes.first_chunk()?;
    let digit =
        |at: usize| Some(i64::from(head[at].wrapping_sub(b'0'))).filter(|digit| *digit < 10);
    let two = |at: usize| Some(digit(at)? * 10 + digit(at + 1)?);
    if [head[4], head[7], head[10], head[13], head[16]] != *b"--T::" {
        return None;
    }

    let (year, month, day) = (two(0)? * 100 + two(2)?, two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    let sound = (1..=9_998).contains(&year)
        && (1..=12).contains(&month)
        && (1..=civil::days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;

    let (zone, fraction) = bytes[19..].split_last()?;
    let milli = match fraction {
        [] => 0,
        [b'.', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            let place = |at: usize| digits.get(at).map_or(0, |digit| i64::from(digit - b'0'));
            place(0) * 100 + place(1) * 10 + place(2)
        }
        _ => return None,
    };

    if !sound || *zone != b'Z' {
        return None;
    }

    let seconds = civil::days(year, month, day) * DAY + hour * 3_600 + minute * 60 + second;
    Timestamp::from_millisecond(seconds * 1_000 + milli).ok()
}

fn parse_any(text: &str) -> Result<Timestamp, InstantError> {
    let bytes = text.as_bytes();
    let shape = |pattern: &[u8], at: usize| {
        bytes.len() >= at + pattern.len()
            && pattern.iter().zip(&bytes[at..]).all(|(p, b)| {
                if *p == b'0' {
                    b.is_ascii_digit()
                } else {
                    p == b
                }
            })
    };

    let middle = matches!(bytes.get(10), Some(b'T' | b't' | b' '));
    if !(shape(b"0000-00-00", 0) && middle && shape(b"00:00:00", 11)) {
        return Err(InstantError::Shape);
    }

    let mut rest = &text[19..];
    let mut fraction = "";

    if let Some(after) = rest.strip_prefix('.') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(InstantError::Shape);
        }
        (fraction, rest) = after.split_at(digits);
    }

    let offset = match rest.as_bytes() {
        [b'Z' | b'z'] => "Z",
        [b'+' | b'-', h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()) =>
        {
            rest
        }
        _ => return Err(InstantError::Shape),
    };

    let fraction = &fraction[..fraction.len().min(3)];
    let dot = if fraction.is_empty() { "" } else { "." };
    let whole = format!("{}T{}{dot}{fraction}{offset}", &text[..10], &text[11..19]);
    let instant: Timestamp = whole.parse().map_err(|_| InstantError::Range)?;
    if format_instant(instant).starts_with('-') {
        return Err(InstantError::Range);
    }

    Ok(to_millis(instant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc_3339_and_writes_utc_milliseconds() {
        let cases = [
            ("2026-11-20T10:00:00Z", Ok("2026-11-20T10:00:00.000Z")),
            ("2026-11-20t10:00:00.5z", Ok("2026-11-20T10:00:00.500Z")),
            (
                "2026-11-20 10:00:00.123999999999Z",
                Ok("2026-11-20T10:00:00.123Z"),
            ),
            (
                "2026-11-20T10:00:00.000+05:30",
                Ok("2026-11-20T04:30:00.000Z"),
            ),
            ("1969-12-31T23:59:59.9999Z", Ok("1969-12-31T23:59:59.999Z")),
            ("0000-01-01T00:00:00+00:01", Err(InstantError::Range)),
            ("2026-02-30T10:00:00Z", Err(InstantError::Range)),
            ("2026-11-20T25:00:00Z", Err(InstantError::Range)),
            ("2026-11-20T10:00:00", Err(InstantError::Shape)),
            ("2026-11-20T10:00Z", Err(InstantError::Shape)),
            ("2026-11-20T10:00:00.Z", Err(InstantError::Shape)),
            ("2026-11-20T10:00:00Z[UTC]", Err(InstantError::Shape)),
            ("20261120T100000Z", Err(InstantError::Shape)),
            ("2026-11-20", Err(InstantError::Shape)),
            ("2026-11-20é10:00:00Z", Err(InstantError::Shape)),
            ("", Err(InstantError::Shape)),
        ];
        for (text, expect) in cases {
            assert_eq!(
                parse_instant(text).map(format_instant),
                expect.map(str::to_owned),
                "{text}"
            );
            assert_eq!(parse_any(text), parse_instant(text), "{text}");
        }
    }

    #[test]
    fn the_short_ways_agree_with_the_calendar_of_jiff() {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

        // Steps of some 27 hours and odd nanoseconds, over all that a time can be.
        let (mut second, mut nano) = (Timestamp::MIN.as_second() + 1, 0);
        let mut short = 0;

        while second < Timestamp::MAX.as_second() {
            let sign = if second < 0 { -1 } else { 1 };
            let instant = Timestamp::new(second, sign * nano).expect("within range");
            let text = PRINTER.timestamp_to_string(&to_millis(instant));
            assert_eq!(format_instant(instant), text);
            assert_eq!(
                to_millis(instant).as_nanosecond(),
                instant.as_nanosecond().div_euclid(1_000_000) * 1_000_000
            );
            short += usize::from(usual(text.as_bytes()).is_some());
            assert_eq!(parse_instant(&text), parse_any(&text), "{text}");
            second += 98_765;
            nano = (nano + 7_654_321) % 1_000_000_000;
        }

        assert!(short > 1_000_000, "{short}");
        for odd in [
            "2024-02-29T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2016-12-31T23:59:60Z",
            "2024-01-01T00:00:00.1234567Z",
        ] {
            assert_eq!(parse_instant(odd), parse_any(odd), "{odd}");
        }
    }
}
