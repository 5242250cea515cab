//! Numbers: the grammar of RFC 8259, the range of a double, and when a double changes the digits.

use super::MAX_INTEGER;
use super::error::JsonFault;

/// The literal at the start of `text`, which begins with `-` or a digit. On failure, the fault and
/// how many bytes into `text` it was found.
pub(crate) fn scan(text: &str) -> Result<&str, (JsonFault, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };

    let need = |from: usize| match digits(from) {
        0 if from < bytes.len() => Err((JsonFault::Syntax("a digit"), from)),
        0 => Err((JsonFault::UnexpectedEnd, from)),
        count => Ok(from + count),
    };

    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') {
        at + 1
    } else {
        need(at)?
    };

    if bytes.get(at) == Some(&b'.') {
        at = need(at + 1)?;
    }

    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = need(at)?;
    }

    Ok(&text[..at])
}

/// The double a literal means, unless it is an integer beyond 2^53 or overflows.
pub(crate) fn value(literal: &str) -> Result<f64, JsonFault> {
    if !literal.contains(['.', 'e', 'E']) {
        let magnitude: Result<u64, _> = literal.trim_start_matches('-').parse();
        if !magnitude.is_ok_and(|m| m <= MAX_INTEGER) {
            return Err(JsonFault::IntegerTooLarge);
        }
    }
    finite(literal)
}

/// The double nearest to a literal, unless it overflows.
pub(crate) fn finite(literal: &str) -> Result<f64, JsonFault> {
    match literal.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(JsonFault::NumberTooLarge),
    }
}

/// `value` again when writing it gives the number of `literal`, digit for digit, in a spelling that
/// the strict reader takes.
pub(super) fn unchanged(literal: &str, value: f64) -> Result<f64, JsonFault> {
    let written = ryu_js::Buffer::new().format_finite(value).to_owned();
    match (decimal(literal), decimal(&written)) {
        (Some(a), Some(b)) if a == b && self::value(&written).is_ok() => Ok(value),
        _ => Err(JsonFault::NumberTooLarge),
    }
}

/// Significant digits without zeros at either end, and the power of ten of the last of them. Zero
/// has no digits (and no sign: RFC 8785 writes -0 as 0).
fn decimal(literal: &str) -> Option<(bool, String, i64)> {
    let (negative, rest) = literal
        .strip_prefix('-')
        .map_or((false, literal), |rest| (true, rest));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let power = exponent
        .checked_sub(fraction.len() as i64)?
        .checked_add((all.len() - digits.len()) as i64)?;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some((false, String::new(), 0));
    }

    Some((negative, digits.to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_keeps_or_changes_the_digits() {
        for same in [
            "0", "-0", "0.0", "1", "100", "1e2", "1.50", "-12.25", "1e21", "5e-324", "0.1",
        ] {
            assert!(
                unchanged(same, same.parse().unwrap_or(f64::NAN)).is_ok(),
                "{same}"
            );
        }
        for changed in [
            "9007199254740993",
            "1e17",
            "123456789012345680000",
            "0.12345678901234567890",
            "1.00000000000000000001",
            "1e-400",
        ] {
            assert!(
                unchanged(changed, changed.parse().unwrap_or(f64::NAN)).is_err(),
                "{changed}"
            );
        }
    }
}
