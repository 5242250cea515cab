//! Money in one currency, kept in millionths so that sums are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};

use serde::{Deserialize, Serialize};

/// Hours in an average month: 365 * 24 / 12, the figure the clouds' own calculators use.
pub const HOURS_PER_MONTH: f64 = 730.0;

/// An amount of US dollars in millionths. Reeve keeps one currency; adapters convert at the border.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Money(i64);

impl Money {
    pub const ZERO: Money = Money(0);

    /// From millionths of a dollar.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Money(micros)
    }

    /// From dollars, rounded to the nearest millionth; what is not finite becomes zero.
    #[must_use]
    pub fn from_usd(usd: f64) -> Self {
        if usd.is_finite() {
            Money((usd * 1e6).round() as i64)
        } else {
            Money::ZERO
        }
    }

    /// The cost of a month at a price an hour.
    #[must_use]
    pub fn per_month(usd_per_hour: f64) -> Self {
        Money::from_usd(usd_per_hour * HOURS_PER_MONTH)
    }

    /// Millionths of a dollar.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns the amount in US dollars.
    #[must_use]
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Dollars rounded to cents, as shown to people.
    #[must_use]
    pub fn usd_cents(self) -> f64 {
        (self.0 as f64 / 1e4).round() / 100.0
    }
}

impl Add for Money {
    type Output = Money;
    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Money;
    fn sub(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }
}

impl Neg for Money {
    type Output = Money;
    fn neg(self) -> Money {
        Money(self.0.saturating_neg())
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(items: I) -> Money {
        items.fold(Money::ZERO, Add::add)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.usd_cents())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_730_hours() {
        assert_eq!(Money::per_month(0.096).usd_cents(), 70.08);
        assert_eq!(Money::from_usd(f64::NAN), Money::ZERO);
        assert_eq!(
            (Money::from_usd(1.1) + Money::from_usd(2.2)).micros(),
            3_300_000
        );
    }
}
