//! Data sizes.

use std::fmt;
use std::str::FromStr;

use super::{QuantityError, shown};

/// Decimal units from the largest, as sizes of disks are sold.
const UNITS: [(&str, u64); 6] = [
    ("PB", 1_000_000_000_000_000),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("B", 1),
];

/// Binary units; they are read and answered in decimal ones.
const BINARY: [(&str, u64); 5] = [
    ("PIB", 1 << 50),
    ("TIB", 1 << 40),
    ("GIB", 1 << 30),
    ("MIB", 1 << 20),
    ("KIB", 1 << 10),
];

/// Largest size: every whole number up to it is exact in a JSON number.
const MOST: f64 = 9_007_199_254_740_992.0;

/// An amount of data in bytes, written in decimal units: `500GB` is 500 * 10^9 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DataSize(u64);

impl DataSize {
    /// Returns a size of gigabytes (10^9 bytes), to the byte; `None` when negative, not finite or
    /// above 2^53 bytes.
    #[must_use]
    pub fn from_gigabytes(gigabytes: f64) -> Option<Self> {
        DataSize::from_units(gigabytes, 1_000_000_000)
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the size in gigabytes of 10^9 bytes.
    #[must_use]
    pub fn gigabytes(self) -> f64 {
        self.0 as f64 / 1e9
    }

    fn from_units(count: f64, unit: u64) -> Option<Self> {
        let bytes = (count * unit as f64).round();
        (0.0..=MOST)
            .contains(&bytes)
            .then_some(DataSize(bytes as u64))
    }
}

impl FromStr for DataSize {
    type Err = QuantityError;

    /// Reads a number and a unit in any case; spaces between them are allowed.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let read = || {
            let upper = text.trim().to_ascii_uppercase();
            let number = upper.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let named = &upper[number.len()..];
            let (_, unit) = UNITS
                .iter()
                .chain(&BINARY)
                .find(|(name, _)| *name == named)?;
            let number = number.trim_end();
            let plain = number.starts_with(|c: char| c.is_ascii_digit());
            number
                .parse::<f64>()
                .ok()
                .filter(|_| plain)
                .and_then(|count| DataSize::from_units(count, *unit))
        };
        read().ok_or_else(|| QuantityError::DataSize(shown(text)))
    }
}

impl fmt::Display for DataSize {
    /// Writes the largest decimal unit that gives a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |unit: u64| self.0.is_multiple_of(unit) && self.0 >= unit;
        match UNITS.iter().find(|(_, unit)| fits(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => f.write_str("0B"),
        }
    }
}
