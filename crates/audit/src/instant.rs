//! Points in time as entries carry them: RFC 3339 in, UTC with milliseconds out.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

/// Why a text is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstantError {
    /// Not the shape of RFC 3339.
    #[error("not an RFC 3339 time such as 2026-11-20T10:00:00.000Z")]
    Shape,
    /// The right shape, but no such day, hour or offset, or outside the years 0000 to 9999.
    #[error("no such point in time")]
    Range,
}

/// Cuts everything finer than a millisecond off, towards the past.
pub fn to_millis(instant: Timestamp) -> Timestamp {
    let millis = instant.as_nanosecond().div_euclid(1_000_000);
    i64::try_from(millis).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(instant)
}

/// The present, in milliseconds.
pub fn now() -> Timestamp {
    to_millis(Timestamp::now())
}

/// Writes `2026-11-20T10:00:00.000Z`.
pub fn format_instant(instant: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&to_millis(instant))
}

/// Reads RFC 3339 with any offset; digits beyond the millisecond are cut off. The `T` may be a space and both
/// letters may be lower case, as RFC 3339 allows.
pub fn parse_instant(text: &str) -> Result<Timestamp, InstantError> {
    let bytes = text.as_bytes();
    let shape = |pattern: &[u8], at: usize| {
        bytes.len() >= at + pattern.len()
            && pattern.iter().zip(&bytes[at..]).all(|(p, b)| if *p == b'0' { b.is_ascii_digit() } else { p == b })
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
        [b'+' | b'-', h1, h2, b':', m1, m2] if [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()) => rest,
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
            ("2026-11-20 10:00:00.123999999999Z", Ok("2026-11-20T10:00:00.123Z")),
            ("2026-11-20T10:00:00.000+05:30", Ok("2026-11-20T04:30:00.000Z")),
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
            assert_eq!(parse_instant(text).map(format_instant), expect.map(str::to_owned), "{text}");
        }
    }
}
