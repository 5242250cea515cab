//! Times as series have them: those that bills have too ([`read_instant`]), and seconds,
//! milliseconds, microseconds or nanoseconds since 1970.

use reeve_estate::read_instant;

/// Numbers below this are seconds (up to the year 5138); below its thousandfold milliseconds, and
/// so on.
const SECONDS_END: f64 = 1e11;

/// Milliseconds since the epoch; nothing for what is no time.
pub(in crate::commands::analyze) fn millis(text: &str) -> Option<i64> {
    read_instant(text).or_else(|| since_epoch(text))
}

fn since_epoch(text: &str) -> Option<i64> {
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
    {
        return None;
    }

    if let Ok(whole) = text.parse::<i64>() {
        let mut scale = SECONDS_END as u64;
        for per_ms in [None, Some(1), Some(1_000), Some(1_000_000)] {
            if whole.unsigned_abs() < scale {
                return per_ms.map_or_else(
                    || whole.checked_mul(1_000),
                    |per_ms| Some(whole.div_euclid(per_ms)),
                );
            }
            scale = scale.saturating_mul(1_000);
        }
        return None;
    }

    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())?;
    let scales = [
        (SECONDS_END, 1e3),
        (SECONDS_END * 1e3, 1.0),
        (SECONDS_END * 1e6, 1e-3),
        (SECONDS_END * 1e9, 1e-6),
    ];
    let (_, factor) = scales.into_iter().find(|(end, _)| number.abs() < *end)?;

    // To the millisecond nearest: 1700000000.123 has no exact double.
    Some((number * factor).round() as i64)
}
