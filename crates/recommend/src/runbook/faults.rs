//! Faults of the text of a runbook, each with its field.

use std::str::FromStr;

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{ResourceState, TimeSpan};

pub(super) const MINUTE: u64 = 60;
pub(super) const HOUR: u64 = 3600;
pub(super) const DAY: u64 = 24 * HOUR;

/// Faults that were found so far.
#[derive(Default)]
pub(super) struct Faults(Vec<FieldError>);

impl Faults {
    /// Returns `true` if nothing is wrong.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns every fault.
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.0
    }

    /// Adds a fault of a field.
    pub(super) fn add(
        &mut self,
        path: impl Into<String>,
        code: FieldCode,
        message: impl Into<String>,
    ) {
        self.0.push(FieldError::new(path, code, message));
    }

    /// Adds a fault of a field that is absent.
    pub(super) fn missing(&mut self, path: impl Into<String>, message: &str) {
        self.add(path, FieldCode::MissingField, message);
    }

    /// Reads a name of a closed set.
    pub(super) fn named<T>(
        &mut self,
        path: &str,
        text: &str,
        read: impl Fn(&str) -> Option<T>,
        choices: &str,
    ) -> Option<T> {
        let found = read(text);
        if found.is_none() {
            let message = format!("{text:?} must be one of {choices}");
            self.add(path, FieldCode::InvalidValue, message);
        }
        found
    }

    /// Reads a time span within seconds.
    pub(super) fn span(
        &mut self,
        path: &str,
        text: Option<&str>,
        default: u64,
        (least, most): (u64, u64),
    ) -> TimeSpan {
        let span = match text.map(TimeSpan::from_str) {
            None => return TimeSpan::from_seconds(default),
            Some(Ok(span)) if (least..=most).contains(&span.seconds()) => return span,
            Some(span) => span,
        };
        let (low, high) = (TimeSpan::from_seconds(least), TimeSpan::from_seconds(most));
        let (code, message) = match span {
            Ok(_) => (
                FieldCode::OutOfRange,
                format!("must be from {low} to {high}"),
            ),
            Err(_) => (
                FieldCode::InvalidTime,
                format!("must be a time span from {low} to {high}, such as 30m, 2h or 7d"),
            ),
        };
        self.add(path, code, message);
        TimeSpan::from_seconds(default)
    }

    /// Reads a number within limits.
    pub(super) fn number(&mut self, path: &str, value: f64, (least, most): (f64, f64)) -> f64 {
        if !(least..=most).contains(&value) {
            let message = format!("must be from {least} to {most}");
            self.add(path, FieldCode::OutOfRange, message);
        }
        value
    }

    /// Reads a text for people.
    pub(super) fn text(&mut self, path: &str, text: &str, most: usize, is_needed: bool) -> String {
        let text = text.trim();
        let count = text.chars().count();
        if is_needed && count == 0 {
            self.missing(path, "must not be empty");
        } else if count > most {
            self.add(
                path,
                FieldCode::TooLong,
                format!("must have at most {most} characters"),
            );
        }
        text.to_owned()
    }
}

/// States that a test may name.
pub(super) fn states() -> String {
    let names: Vec<&str> = ResourceState::ALL.iter().map(|one| one.as_str()).collect();
    names.join(", ")
}
