//! Amounts and times of a cell, as clouds export them and as spreadsheets rewrite them.

use jiff::civil::Date;

use super::super::{Amount, AmountError};
use crate::instant::{read_instant, utc};

/// Currency symbols allowed at either end of an amount.
const SYMBOLS: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// An amount: `1234.5`, `1,234.50`, `$10,000.00`, `($5.00)` and, with a decimal comma, `1234,5` and
/// `1.234,50`.
///
/// # Errors
/// The text is not an amount, for example with commas elsewhere than between groups of three
/// digits.
pub(super) fn amount(text: &str, decimal_comma: bool) -> Result<Amount, AmountError> {
    if let Ok(plain) = text.parse::<Amount>() {
        // `1.234` in a file with decimal commas is a thousand: grouping, which the shape below
        // tells.
        if !(decimal_comma && text.contains('.')) {
            return Ok(plain);
        }
    }

    // Accountants write what is negative in parentheses.
    let (text, negative) = match text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    };

    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("-", rest.trim_start()));
    let text = text.trim_matches(|letter| SYMBOLS.contains(&letter)).trim();
    let (grouping, point) = if decimal_comma {
        ('.', ',')
    } else {
        (',', '.')
    };

    let (whole, rest) = text
        .split_once(point)
        .map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut plain = String::from(sign);

    if whole.contains(grouping) {
        let mut groups = whole.split(grouping);
        let first = groups.next().unwrap_or_default();
        let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let grouped = (1..=3).contains(&first.len()) && digits(first);
        if !grouped || groups.any(|group| group.len() != 3 || !digits(group)) {
            return Err(AmountError::Shape);
        }
        plain.extend(whole.chars().filter(|letter| *letter != grouping));
    } else {
        plain.push_str(whole);
    }

    if let Some(rest) = rest {
        plain.push('.');
        plain.push_str(rest);
    }

    let amount: Amount = plain.parse()?;
    Ok(if negative { -amount } else { amount })
}

/// Returns the decimal mark of an amount, a point or a comma, where its shape leaves no doubt:
/// `12.5` and `0.125` have a point, `1.234` may be either.
#[must_use]
pub fn decimal_mark(text: &str) -> Option<char> {
    let place = text.rfind(['.', ','])?;
    let (whole, fraction) = (text.get(..place)?, text.get(place + 1..)?);
    let mark = text.get(place..)?.chars().next()?;
    let other = if mark == '.' { ',' } else { '.' };
    if whole.contains(mark) {
        // `1,234,567`: grouped, so that the other one would be the mark.
        return Some(other);
    }

    let digits = whole.chars().filter(char::is_ascii_digit).count();
    let groups = fraction.chars().take_while(char::is_ascii_digit).count() == 3
        && (1..=3).contains(&digits)
        && whole.trim_start_matches(|letter: char| !letter.is_ascii_digit()) != "0";
    (whole.contains(other) || !groups).then_some(mark)
}

/// Milliseconds since the epoch; UTC where there is no offset. Dates with slashes have the month
/// first, as FOCUS's own examples do.
pub(super) fn time(text: &str) -> Option<i64> {
    if text.contains('/') {
        month_first(text)
    } else {
        read_instant(text)
    }
}

/// `4/1/25`, `04/01/2025` and the same with a time of day after a space.
fn month_first(text: &str) -> Option<i64> {
    let text = text.strip_suffix("UTC").unwrap_or(text).trim_end();
    let (date, clock) = text
        .split_once(' ')
        .map_or((text, None), |(date, clock)| (date, Some(clock.trim())));
    let mut parts = date.split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !matches!(year.len(), 2 | 4) {
        return None;
    }

    let century = if year.len() == 2 { 2000 } else { 0 };
    let date = Date::new(
        year.parse::<i16>().ok()? + century,
        month.parse().ok()?,
        day.parse().ok()?,
    )
    .ok()?;

    let clock: jiff::civil::Time = match clock {
        None => jiff::civil::Time::midnight(),
        // `9:30` is what spreadsheets write for `09:30`.
        Some(clock) if clock.find(':') == Some(1) => format!("0{clock}").parse().ok()?,
        Some(clock) => clock.parse().ok()?,
    };

    utc(date.to_datetime(clock))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn amounts_of_bills_and_of_spreadsheets() {
        for (text, comma, expect) in [
            ("1.5", false, "1.5"),
            ("$10,000.00", false, "10000"),
            ("-$1,234.50", false, "-1234.5"),
            ("($5.25)", false, "-5.25"),
            ("1,234,567", false, "1234567"),
            ("3,5", true, "3.5"),
            ("1.234,50 €", true, "1234.5"),
            ("1.234", true, "1234"),
            ("1e-3", false, "0.001"),
        ] {
            assert_eq!(
                amount(text, comma)
                    .map(|amount| amount.to_string())
                    .as_deref(),
                Ok(expect),
                "{text}"
            );
        }
        for (text, comma) in [
            ("1,5", false),
            ("1,23,456", false),
            ("1234,567", false),
            (",123", false),
            ("1.5", true),
            ("$", false),
            ("1 000", false),
            ("()", false),
        ] {
            assert!(amount(text, comma).is_err(), "{text}");
        }
    }

    #[test]
    fn the_decimal_mark_is_told_where_there_is_no_doubt() {
        for (text, expect) in [
            ("12.5", Some('.')),
            ("0.125", Some('.')),
            ("-0.0416", Some('.')),
            ("1,234.50", Some('.')),
            ("1,234,567", Some('.')),
            ("12,5", Some(',')),
            ("1.234,50 €", Some(',')),
            ("1234.567", Some('.')),
            ("1.234", None),
            ("1,234", None),
            ("17", None),
        ] {
            assert_eq!(decimal_mark(text), expect, "{text}");
        }
    }

    #[test]
    fn times_of_bills_and_of_spreadsheets() {
        let day = "2025-04-01T00:00:00Z"
            .parse::<Timestamp>()
            .unwrap()
            .as_millisecond();
        for (text, hours) in [
            ("2025-04-01", 0),
            ("2025-04-01 00:00:00 UTC", 0),
            ("4/1/25", 0),
            ("04/01/2025", 0),
            ("4/1/25 9:30", 9),
            ("2025-04-01T30:00:00Z", 30),
            ("2025-04-01T00:00:00-08", 8),
            ("2025-04-01 05:30:00 +0530", 0),
        ] {
            assert_eq!(
                time(text).map(|at| (at - day) / 3_600_000),
                Some(hours),
                "{text}"
            );
        }

        for text in [
            "13/1/25",
            "2/30/25",
            "4/1/1",
            "4/1",
            "1/2/3/4",
            "2025-04-01T48:00:00Z",
            "2025-04-01T99",
            "soon",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
