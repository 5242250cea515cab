//! Durations as requirement B-098 writes them: `30s`, `5m`, `24h`, `7d`.

/// Units with their milliseconds, longest first.
const UNITS: [(&str, i64); 4] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
];

/// Reads a duration of whole seconds, minutes, hours or days; milliseconds. `None` for anything
/// else.
#[must_use]
pub fn parse_window(text: &str) -> Option<i64> {
    let (count, unit) = text
        .trim()
        .split_at_checked(text.trim().len().checked_sub(1)?)?;
    let unit_ms = UNITS.iter().find(|(name, _)| *name == unit)?.1;
    if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    count.parse::<i64>().ok()?.checked_mul(unit_ms)
}

/// Spells a duration in the longest unit that divides it, so that `5m` is answered as `5m`.
///
/// A day is spelled `24h`, as requirement A-289 spells it.
#[must_use]
pub fn window_text(window_ms: i64) -> String {
    let fits = |unit_ms: i64| window_ms != 0 && window_ms % unit_ms == 0;
    match UNITS
        .iter()
        .find(|(name, unit_ms)| fits(*unit_ms) && (*name != "d" || window_ms > *unit_ms))
    {
        Some((name, unit_ms)) => format!("{}{name}", window_ms / unit_ms),
        None => format!("{}s", window_ms / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (text, ms) in [
            ("5m", 300_000),
            ("30s", 30_000),
            ("24h", 86_400_000),
            ("7d", 604_800_000),
            ("90s", 90_000),
        ] {
            assert_eq!(parse_window(text), Some(ms), "{text}");
            assert_eq!(window_text(ms), text);
        }

        assert_eq!(parse_window("1d").map(window_text).as_deref(), Some("24h"));
        assert_eq!(parse_window("120m").map(window_text).as_deref(), Some("2h"));

        for wrong in [
            "",
            "5",
            "m",
            "5 m",
            "-5m",
            "5w",
            "1.5h",
            "999999999999999999d",
            "5é",
        ] {
            assert_eq!(parse_window(wrong), None, "{wrong}");
        }
    }
}
