//! Decimal numbers as the C2SP formats write them: ASCII digits, no sign, no leading zero.

/// Reads such a number; `None` for any other spelling, or beyond 64 bits.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    if !digits || leading_zero {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn one_spelling_a_number() {
        let cases = [
            ("0", Some(0)),
            ("10", Some(10)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("", None),
            ("00", None),
            ("01", None),
            ("+1", None),
            ("-1", None),
            (" 1", None),
            ("1 ", None),
            ("1_0", None),
            ("٣", None),
        ];
        for (text, expect) in cases {
            assert_eq!(parse(text), expect, "{text:?}");
        }
    }
}
