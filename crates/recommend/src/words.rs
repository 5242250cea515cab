//! Numbers, times and lists as people read them.

use jiff::Timestamp;
use reeve_estate::Money;

/// Formats a time to the minute, such as `2026-11-21 10:00 UTC`.
pub fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Formats the day of a time in UTC, such as `2026-11-21`.
pub fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Formats a percentage, such as `7.4 %`.
pub fn percent(value: f64) -> String {
    format!("{value:.1} %")
}

/// Formats a whole number, such as `4,032`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);

    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats an amount, such as `$1,234.50`.
pub fn dollars(money: Money) -> String {
    let cents = (money.usd_cents().abs() * 100.0).round() as u64;
    let sign = if money < Money::ZERO { "-" } else { "" };
    format!("{sign}${}.{:02}", thousands(cents / 100), cents % 100)
}

/// Names the first entries of a list and counts the others, such as `web-1, web-2 and 3 more`.
pub fn first_of(all: &[impl AsRef<str>], most: usize, separator: &str) -> String {
    let first: Vec<&str> = all.iter().take(most).map(AsRef::as_ref).collect();
    let first = first.join(separator);
    match all.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Describes the highest monthly cost; says so if no price is known.
pub fn at_most(price: Option<Money>) -> String {
    price.map_or("a price that is not known".to_owned(), |price| {
        format!("at most {} a month", dollars(price))
    })
}

/// Formats a number of bytes in powers of 1024, such as `1.24 MiB`: the one form of all pages,
/// messages and texts.
pub fn bytes(value: f64) -> String {
    let mut left = value;
    let mut unit = "B";

    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if left.abs() < 1024.0 {
            break;
        }
        (left, unit) = (left / 1024.0, next);
    }
    format!("{} {unit}", figures(left))
}

/// Formats bytes per second, such as `12.3 KiB/s`.
pub fn byte_rate(bytes_per_second: f64) -> String {
    format!("{}/s", bytes(bytes_per_second))
}

/// Formats a number so that three digits count and none says nothing: `12,000`, `315`, `3.13`,
/// `0.0212`.
#[must_use]
pub fn figures(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }

    let size = value.abs();
    if size >= 99.95 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", thousands(size.round() as u64));
    }

    let magnitude = size.log10().floor() as i32;
    let step = 10_f64.powi(magnitude - 2);
    let rounded = (value / step).round() * step;
    let decimals = usize::try_from(2 - magnitude).unwrap_or(0).min(12);
    let text = format!("{rounded:.decimals$}");

    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_their_first_entries() {
        let names = ["web-1", "web-2", "web-3"];
        assert_eq!(first_of(&names, 3, ", "), "web-1, web-2, web-3");
        assert_eq!(first_of(&names, 2, "; "), "web-1; web-2 and 1 more");
        assert_eq!(first_of(&names[..0], 2, ", "), "");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            (thousands(0), thousands(999), thousands(4032)),
            ("0".into(), "999".into(), "4,032".into())
        );
        assert_eq!(thousands(1_234_567), "1,234,567");

        let written = [12_000.0, -315.4, 75.0, 3.126, 0.0212, 0.0].map(figures);
        assert_eq!(written, ["12,000", "-315", "75", "3.13", "0.0212", "0"]);
        assert_eq!(dollars(Money::from_usd(1234.5)), "$1,234.50");
        assert_eq!(dollars(Money::from_usd(-35.04)), "-$35.04");
        assert_eq!(
            (byte_rate(12.0), byte_rate(1_500_000.0)),
            ("12 B/s".into(), "1.43 MiB/s".into())
        );
    }
}
