//! Spans of time as rules write them: a number and a unit, `15m`, `2h`, `7d`.

/// Seconds of such a span; `None` for anything else.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().last()? {
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse::<i64>().ok().filter(|_| plain)?.checked_mul(unit)
}

/// A span in its largest whole unit.
#[must_use]
pub fn as_text(seconds: i64) -> String {
    match seconds {
        s if s % 86_400 == 0 => format!("{}d", s / 86_400),
        s if s % 3_600 == 0 => format!("{}h", s / 3_600),
        s => format!("{}m", s / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_a_number_and_a_unit() {
        for (text, seconds) in [("15m", 900), ("2h", 7_200), ("7d", 604_800), (" 1d ", 86_400)] {
            assert_eq!(parse_duration(text), Some(seconds), "{text}");
        }
        for text in
            ["", "m", "15", "15 m", "-2h", "+2h", "1.5h", "2w", "99999999999999999999d", "9223372036854775807d", "7é"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(
            ["15m", "2h", "7d", "90m"].map(|t| as_text(parse_duration(t).unwrap_or(0))),
            ["15m", "2h", "7d", "90m"]
        );
    }
}
