//! Quantities of settings: time spans (`5m`), percentages (`85%`), data sizes (`500GB`), baselines
//! (`30d_average`).
//!
//! Every setting is read by one of these types, and its text is the one spelling in which it is
//! answered: reading that text gives the same value. Which range a setting allows is the setting's
//! own rule.

mod baseline;
mod data_size;
mod percent;
mod time_span;

pub use baseline::QuantityBaseline;
pub use data_size::DataSize;
pub use percent::Percent;
pub use time_span::TimeSpan;

/// A text that is not a quantity of the expected type. The caller names the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Not a time span.
    #[error(
        "{0:?} is not a time span: a whole number and one of s, m, h, d, such as 5m, 24h or 30d"
    )]
    TimeSpan(String),
    #[error(
        "{0:?} is not a percentage: a number that is not negative and a percent sign, such as 85% or 99.9%"
    )]
    Percent(String),
    /// Not a data size.
    #[error("{0:?} is not a data size: a number and one of B, KB, MB, GB, TB, PB, such as 500GB")]
    DataSize(String),
    #[error("{0:?} is not a baseline: a number of days and _average, such as 30d_average")]
    Baseline(String),
}

/// Returns the part of an error message that a text fits in.
fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

#[cfg(test)]
mod tests;
