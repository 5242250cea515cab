//! Decimals that add up exactly.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Digits behind the point that are kept.
const DIGITS: usize = 18;
/// One, in the unit that is kept.
const ONE: i128 = 1_000_000_000_000_000_000;
/// Digits before the point that are read: a hundred thousand of the greatest still add up.
const WHOLE: usize = 15;

/// Decimal number with 18 fractional digits; its currency or unit is stored beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(i128);

/// Reason why a text is not an amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Text other than digits with at most one point, a sign and an exponent.
    #[error("it is not a decimal number; write it with a point and without grouping")]
    Shape,
    /// Beyond what is read.
    #[error("it has more than 15 digits before the point")]
    Range,
}

impl Amount {
    pub const ZERO: Amount = Amount(0);

    /// Returns an amount of whole units of the currency.
    #[must_use]
    pub const fn whole(units: i64) -> Self {
        Amount(units as i128 * ONE)
    }

    /// A share of it, rounded towards zero; zero for a share of nothing.
    #[must_use]
    pub fn share(self, part: i64, whole: i64) -> Self {
        if whole == 0 {
            return Amount::ZERO;
        }

        let (part, whole) = (i128::from(part), i128::from(whole));
        // Beyond 1e20 the product does not fit, and the last digits no longer matter.
        Amount(self.0.checked_mul(part).map_or_else(
            || (self.0 / whole).saturating_mul(part),
            |product| product / whole,
        ))
    }

    /// Rounded to digits behind the point, halves away from zero.
    #[must_use]
    pub fn rounded(self, digits: u32) -> Self {
        let unit = 10_i128.pow((DIGITS as u32).saturating_sub(digits));
        let half = unit / 2 * self.0.signum();
        Amount(self.0.saturating_add(half) / unit * unit)
    }

    /// The nearest double, for statistics only: sums are made here.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// From a statistic; what is not finite is zero.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        if value.is_finite() {
            Amount((value * ONE as f64) as i128)
        } else {
            Amount::ZERO
        }
    }

    /// Returns the absolute value.
    #[must_use]
    pub const fn abs(self) -> Self {
        Amount(self.0.saturating_abs())
    }
}

/// The decimal as a text, so that no reader rounds it.
impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;

        text.parse()
            .map_err(|error| de::Error::custom(format!("{text:?} is no amount: {error}")))
    }
}

impl FromStr for Amount {
    type Err = AmountError;

    /// Reads `-12.5`, `+3`, `1.6e-05`. Digits behind the eighteenth are rounded, halves away from
    /// zero.
    fn from_str(text: &str) -> Result<Self, AmountError> {
        let (negative, rest) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i32 = exponent.parse().map_err(|_| AmountError::Shape)?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        if whole.len() + fraction.len() == 0 || !digits().all(|byte| byte.is_ascii_digit()) {
            return Err(AmountError::Shape);
        }

        // Where the point stands, counted in digits from the first.
        let point = i64::try_from(whole.len())
            .unwrap_or(i64::MAX)
            .saturating_add(i64::from(exponent));
        let leading = digits().take_while(|byte| *byte == b'0').count();
        if leading == whole.len() + fraction.len() {
            return Ok(Amount::ZERO);
        }
        if point - i64::try_from(leading).unwrap_or(i64::MAX) > WHOLE as i64 {
            return Err(AmountError::Range);
        }

        let kept = point + DIGITS as i64;
        let mut value: i128 = 0;

        for place in 0..kept.max(0) {
            let digit = usize::try_from(place)
                .ok()
                .and_then(|place| nth(whole, fraction, place))
                .unwrap_or(0);
            value = value * 10 + i128::from(digit);
        }

        let next = usize::try_from(kept)
            .ok()
            .and_then(|place| nth(whole, fraction, place))
            .unwrap_or(0);
        value += i128::from(next >= 5);
        Ok(Amount(if negative { -value } else { value }))
    }
}

fn nth(whole: &str, fraction: &str, place: usize) -> Option<u8> {
    let digits = (whole.as_bytes(), fraction.as_bytes());
    digits
        .0
        .get(place)
        .or_else(|| digits.1.get(place.checked_sub(digits.0.len())?))
        .map(|digit| digit - b'0')
}

impl fmt::Display for Amount {
    /// Writes the shortest exact form: `0`, `-12.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, one) = (self.0.unsigned_abs(), ONE.unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        let fraction = format!("{:018}", value % one);
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{sign}{}", value / one),
            fraction => write!(f, "{sign}{}.{fraction}", value / one),
        }
    }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}

impl Sub for Amount {
    type Output = Amount;
    fn sub(self, other: Amount) -> Amount {
        Amount(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Amount) {
        *self = *self - other;
    }
}

impl Neg for Amount {
    type Output = Amount;
    fn neg(self) -> Amount {
        Amount(self.0.saturating_neg())
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(items: I) -> Amount {
        items.fold(Amount::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn decimals_are_kept_as_they_are() {
        for (text, expect) in [
            ("0.00000080000", "0.0000008"),
            ("-12.50", "-12.5"),
            ("+3", "3"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1.6059900000000001e-05", "0.000016059900000000"),
            ("1E3", "1000"),
            ("0.0000000000000000005", "0.000000000000000001"),
            ("4e-19", "0"),
            ("0e99", "0"),
            (
                "999999999999999.999999999999999999",
                "999999999999999.999999999999999999",
            ),
        ] {
            let expect: Amount = expect.parse().unwrap();
            assert_eq!(text.parse::<Amount>().unwrap(), expect, "{text}");
            assert_eq!(expect.to_string().parse::<Amount>().unwrap(), expect);
        }

        assert_eq!("-0.10".parse::<Amount>().unwrap().to_string(), "-0.1");
        for text in [
            "", "-", ".", "1,000", "1.2.3", "NaN", "inf", "1e", "e5", "--1", " 1",
        ] {
            assert_eq!(text.parse::<Amount>(), Err(AmountError::Shape), "{text}");
        }

        for text in ["1000000000000000", "1e15", "1e999999999"] {
            assert_eq!(text.parse::<Amount>(), Err(AmountError::Range), "{text}");
        }
    }

    #[test]
    fn ten_tenths_are_one() {
        let tenth: Amount = "0.1".parse().unwrap();
        assert_eq!((0..10).map(|_| tenth).sum::<Amount>(), Amount::whole(1));
        assert_eq!(
            Amount::whole(1).share(1, 3).to_string(),
            "0.333333333333333333"
        );
        assert_eq!(Amount::whole(1).share(1, 0), Amount::ZERO);
        assert_eq!(
            "-2.345".parse::<Amount>().unwrap().rounded(2).to_string(),
            "-2.35"
        );
        assert_eq!(
            "2.344".parse::<Amount>().unwrap().rounded(2).to_string(),
            "2.34"
        );
    }
}
