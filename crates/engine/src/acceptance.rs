//! Acceptances of people: what is not as it should be may stay until a time. Drifts and failed checks
//! are accepted in one form.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::error::EngineError;

/// Shortest reason of an acceptance, characters.
const SHORTEST_REASON: usize = 10;
const LONGEST_REASON: usize = 2000;
/// Longest acceptance, days.
const LONGEST_DAYS: i64 = 365;

/// An acceptance as given.
#[derive(Debug, Clone, Default)]
pub struct AcceptanceInput {
    pub reason: String,
    /// End of the acceptance.
    pub ends_at: Option<Timestamp>,
    /// Hash of the document that the person saw; another present one is a conflict. `None` accepts
    /// what there is.
    pub seen_hash: Option<String>,
}

impl AcceptanceInput {
    /// Refuses an acceptance of a configuration that is not the present one any more.
    pub(crate) fn check_seen(&self, present: Option<&str>) -> Result<(), EngineError> {
        match &self.seen_hash {
            Some(seen) if seen != present.unwrap_or_default() => Err(EngineError::Conflict(
                "the configuration changed since you looked at it; look at it again".to_owned(),
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns reason and end, or every field that is wrong.
    pub(crate) fn checked(&self, now: Timestamp) -> Result<(String, Timestamp), EngineError> {
        let mut errors = Vec::new();
        let reason = self.reason.trim();
        let length = reason.chars().count();
        if !(SHORTEST_REASON..=LONGEST_REASON).contains(&length) {
            let message = format!("must have {SHORTEST_REASON} to {LONGEST_REASON} characters");
            errors.push(FieldError::new("reason", FieldCode::OutOfRange, message));
        }

        let longest = now
            .checked_add(SignedDuration::from_hours(24 * LONGEST_DAYS))
            .unwrap_or(Timestamp::MAX);
        match self.ends_at {
            Some(ends_at) if ends_at > now && ends_at <= longest && errors.is_empty() => {
                return Ok((reason.to_owned(), ends_at));
            }
            Some(ends_at) if ends_at > now && ends_at <= longest => {}
            Some(_) => {
                let message = format!("must lie ahead, by at most {LONGEST_DAYS} days");
                errors.push(FieldError::new("ends_at", FieldCode::OutOfRange, message));
            }
            None => errors.push(FieldError::new(
                "ends_at",
                FieldCode::MissingField,
                "must be given: an acceptance without an end is forgotten",
            )),
        }
        Err(EngineError::Invalid(errors))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_acceptance_needs_a_reason_and_an_end_within_a_year() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let check = |reason: &str, hours: Option<i64>| {
            let input = AcceptanceInput {
                reason: reason.to_owned(),
                ends_at: hours.map(|hours| now + SignedDuration::from_hours(hours)),
                seen_hash: None,
            };
            match input.checked(now) {
                Ok(_) => Vec::new(),
                Err(EngineError::Invalid(errors)) => {
                    errors.into_iter().map(|error| error.path).collect()
                }
                Err(other) => panic!("{other}"),
            }
        };
        let none: [&str; 0] = [];
        assert_eq!(check("ten letters", Some(1)), none);
        assert_eq!(check("ten letters", Some(365 * 24)), none);
        assert_eq!(check("too short ", Some(1)), ["reason"]);
        assert_eq!(check("ten letters", Some(365 * 24 + 1)), ["ends_at"]);
        assert_eq!(check("ten letters", Some(0)), ["ends_at"]);
        assert_eq!(check("", None), ["reason", "ends_at"]);
    }
}
