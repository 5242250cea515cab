//! Answers of people to drifts: accepted until a time, and open again.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::caller::Caller;
use reeve_recommend::drift::{Acceptance, Drift, DriftFilter, DriftId, DriftState};
use reeve_recommend::error::EngineError;

use super::{DriftService, log_entry};

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

impl DriftService {
    /// Accepts a drift until a time; one that is accepted already gets the new reason and end.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; [`EngineError::Conflict`] if the drift is
    /// resolved, or the resource changed since it was seen.
    pub async fn accept(
        &self,
        id: &DriftId,
        input: &AcceptanceInput,
        caller: &Caller,
    ) -> Result<Drift, EngineError> {
        let _turn = self.turn.lock().await;
        let drift = self.ports.drifts.drift_get(id).await?;
        let now = self.records.clock.now();
        let (reason, ends_at) = checked(input, now)?;
        if drift.state == DriftState::Resolved {
            let words = "the drift is resolved: the resource agrees with the baseline";
            return Err(EngineError::Conflict(words.to_owned()));
        }
        if let Some(seen) = &input.seen_hash
            && *seen != drift.hash.clone().unwrap_or_default()
        {
            let words = "the configuration changed since you looked at it; look at it again";
            return Err(EngineError::Conflict(words.to_owned()));
        }

        let acceptance = Acceptance {
            by: caller.name.clone(),
            at: now,
            reason,
            ends_at,
            hash: drift.hash.clone(),
        };
        let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
        let entry = log_entry::accepted(&drift, &baseline, &acceptance, caller);
        let accepted = Drift {
            state: DriftState::Accepted,
            acceptance: Some(acceptance),
            ..drift
        };
        let write = std::slice::from_ref(&accepted);
        self.records
            .change(entry, self.ports.drifts.drift_put(write))
            .await?;
        Ok(accepted)
    }

    /// Withdraws the acceptance of a drift.
    ///
    /// # Errors
    /// [`EngineError::Conflict`] if it is not accepted.
    pub async fn reopen(
        &self,
        id: &DriftId,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Drift, EngineError> {
        let reason = crate::records::optional("reason", reason)?;
        let _turn = self.turn.lock().await;
        let drift = self.ports.drifts.drift_get(id).await?;
        if drift.state != DriftState::Accepted {
            let words = format!(
                "the drift is {}; only an accepted one is reopened",
                drift.state
            );
            return Err(EngineError::Conflict(words));
        }

        let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
        let reason = reason.unwrap_or_else(|| "the acceptance was withdrawn".to_owned());
        let entry = log_entry::reopened(&drift, &baseline, &reason, caller);
        let open = Drift {
            state: DriftState::Open,
            ..drift
        };
        let write = std::slice::from_ref(&open);
        self.records
            .change(entry, self.ports.drifts.drift_put(write))
            .await?;
        Ok(open)
    }

    /// Opens the drifts again whose acceptance is over; returns their number.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn reopen_ended(&self) -> Result<u64, EngineError> {
        let _turn = self.turn.lock().await;
        let ended = DriftFilter {
            ended_by: Some(self.records.clock.now()),
            ..DriftFilter::default()
        };
        let (ended, count) = self.ports.drifts.drift_list(&ended).await?;
        for drift in ended {
            let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
            let (reason, caller) = ("the acceptance ended", Caller::system());
            let entry = log_entry::reopened(&drift, &baseline, reason, &caller);
            self.records.record(vec![entry]).await?;
            let open = Drift {
                state: DriftState::Open,
                ..drift
            };
            self.ports.drifts.drift_put(&[open]).await?;
        }
        Ok(count)
    }
}

fn checked(input: &AcceptanceInput, now: Timestamp) -> Result<(String, Timestamp), EngineError> {
    let mut errors = Vec::new();
    let reason = input.reason.trim();
    let length = reason.chars().count();
    if !(SHORTEST_REASON..=LONGEST_REASON).contains(&length) {
        let message = format!("must have {SHORTEST_REASON} to {LONGEST_REASON} characters");
        errors.push(FieldError::new("reason", FieldCode::OutOfRange, message));
    }

    let longest = now
        .checked_add(SignedDuration::from_hours(24 * LONGEST_DAYS))
        .unwrap_or(Timestamp::MAX);
    match input.ends_at {
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
            match checked(&input, now) {
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
