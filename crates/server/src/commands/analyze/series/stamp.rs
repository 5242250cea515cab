//! Times as files have them: RFC 3339, the same with an offset as `+0530`, `+05` or `UTC`, the same without an offset (then UTC)
//! down to the day, and seconds, milliseconds, microseconds or nanoseconds since 1970.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reeve_audit::parse_instant;

/// Numbers below this are seconds (up to the year 5138); below its thousandfold milliseconds, and so on.
const SECONDS_END: f64 = 1e11;

/// Milliseconds since the epoch; nothing for what is no time.
pub(super) fn millis(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.get(4) == Some(&b'-') {
        let plain = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let plain = match &text[plain.len()..] {
            "UTC" | "utc" | "GMT" | "Z" | "z" => plain.trim_end(),
            _ => text,
        };
        return parse_instant(text)
            .ok()
            .map(jiff::Timestamp::as_millisecond)
            .or_else(|| without_offset(plain))
            .or_else(|| with_offset(plain));
    }
    since_epoch(text)
}

/// ISO 8601's shorter offsets, with or without a space before them: `+0530`, `-08`.
fn with_offset(text: &str) -> Option<i64> {
    let at = text.rfind(['+', '-']).filter(|at| *at > 10)?;
    let (local, offset) = (text[..at].trim_end(), &text[at..]);
    let digits: String = offset[1..].chars().filter(|letter| *letter != ':').collect();
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(2);
    let (hours, minutes): (i64, i64) =
        (hours.parse().ok()?, if minutes.is_empty() { 0 } else { minutes.parse().ok()? });
    if hours > 15 || minutes > 59 {
        return None;
    }
    let ahead = (hours * 60 + minutes) * 60_000;
    without_offset(local).map(|local| if offset.starts_with('-') { local + ahead } else { local - ahead })
}

fn without_offset(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00"));
    if date.len() != 10 || time.contains(['[', '+', '-']) {
        return None;
    }
    let at: DateTime = format!("{date}T{}", time.trim()).parse().ok()?;
    TimeZone::UTC.to_timestamp(at).ok().map(|at| at.as_millisecond())
}

fn since_epoch(text: &str) -> Option<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E')) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        let mut scale = SECONDS_END as u64;
        for per_ms in [None, Some(1), Some(1_000), Some(1_000_000)] {
            if whole.unsigned_abs() < scale {
                return per_ms.map_or_else(|| whole.checked_mul(1_000), |per_ms| Some(whole.div_euclid(per_ms)));
            }
            scale = scale.saturating_mul(1_000);
        }
        return None;
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let scales = [(SECONDS_END, 1e3), (SECONDS_END * 1e3, 1.0), (SECONDS_END * 1e6, 1e-3), (SECONDS_END * 1e9, 1e-6)];
    let (_, factor) = scales.into_iter().find(|(end, _)| number.abs() < *end)?;
    // To the millisecond nearest: 1700000000.123 has no exact double.
    Some((number * factor).round() as i64)
}
