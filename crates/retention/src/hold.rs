//! Legal holds: a named case, and a query for the entries that must not be deleted while it is
//! open.
//!
//! A hold that cannot be evaluated on an entry includes it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use reeve_audit::query::Query;
use reeve_audit::{Entry, FieldCode, FieldError, Obstacle};
use serde::{Deserialize, Serialize};

use crate::fixed_query::fixed_query;

/// Most holds in force at once: each is evaluated on every entry that is about to be deleted.
pub const MAX_HOLDS: usize = 200;

const LONGEST_NAME: usize = 200;
const LONGEST_TEXT: usize = 2_000;

/// A hold on the entries of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalHold {
    pub id: String,
    /// Name of the case.
    pub case: String,
    /// Query for the entries; the empty one includes every entry. Without lists and relative times,
    /// whose meaning changes.
    pub query: String,
    /// Entries with a `timestamp` before this are not included; `None` sets no bound.
    pub start_time: Option<Timestamp>,
    /// Entries with a `timestamp` after this are not included; `None` sets no bound.
    pub end_time: Option<Timestamp>,
    /// Person or office that answers for the material.
    pub custodian: String,
    /// Reason for the hold.
    pub reason: String,
    /// Day on which to decide whether it is still needed. It stays in force beyond that day.
    pub review_on: Option<Date>,
    /// User who placed it.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Its end; `None` while it is in force.
    pub released: Option<HoldRelease>,
    /// 1 at first; grows with every change.
    pub version: u64,
}

/// End of a hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldRelease {
    /// User who released it.
    pub by: String,
    pub at: Timestamp,
    pub reason: String,
}

impl LegalHold {
    /// Checks the members that people write.
    ///
    /// # Errors
    /// Names the first member that cannot be taken.
    pub fn check(&self) -> Result<(), FieldError> {
        let texts = [
            ("case", &self.case, LONGEST_NAME, true),
            ("custodian", &self.custodian, LONGEST_NAME, true),
            ("reason", &self.reason, LONGEST_TEXT, true),
            ("query", &self.query, LONGEST_TEXT, false),
        ];
        for (field, text, longest, needed) in texts {
            if needed && text.trim().is_empty() {
                return Err(FieldError::new(
                    field,
                    FieldCode::MissingField,
                    "must not be empty",
                ));
            }
            if text.chars().count() > longest {
                let message = format!("must have at most {longest} characters");
                return Err(FieldError::new(field, FieldCode::TooLong, message));
            }
        }

        if let (Some(start), Some(end)) = (self.start_time, self.end_time)
            && start >= end
        {
            let message = "must be after start_time";
            return Err(FieldError::new("end_time", FieldCode::Conflicting, message));
        }

        fixed_query(&self.query)
            .map(|_| ())
            .map_err(|cause| FieldError::new("query", FieldCode::InvalidQuery, String::from(cause)))
    }

    /// Returns `true` unless it was released.
    pub fn is_in_force(&self) -> bool {
        self.released.is_none()
    }

    /// Returns the query with the bounds of time, or the reason why it cannot be evaluated.
    pub fn condition(&self) -> Result<Query, Obstacle> {
        let range = reeve_audit::query::time_range(self.start_time, self.end_time);
        Ok(fixed_query(&self.query)?.and(range))
    }
}

/// Evaluates holds on entries, and keeps the reason of each that includes one.
#[derive(Debug)]
pub struct HoldCheck {
    conditions: Vec<(String, Result<Query, Obstacle>)>,
    held: BTreeMap<String, String>,
}

impl HoldCheck {
    /// Begins a check of the holds in force.
    pub fn new<'h>(holds: impl IntoIterator<Item = &'h LegalHold>) -> HoldCheck {
        let in_force = holds.into_iter().filter(|hold| hold.is_in_force());
        HoldCheck {
            conditions: in_force
                .map(|hold| (hold.id.clone(), hold.condition()))
                .collect(),
            held: BTreeMap::new(),
        }
    }

    /// Identifiers of the holds that are evaluated.
    pub fn looked_at(&self) -> Vec<String> {
        self.conditions.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Returns the first hold that includes an entry, or that cannot be evaluated.
    pub fn first(&self, entry: &Entry, recorded_at: Timestamp) -> Option<&str> {
        let mut conditions = self.conditions.iter();
        let found = conditions.find(|(_, condition)| match condition {
            Err(_) => true,
            Ok(query) => query.matches(entry, recorded_at, Timestamp::UNIX_EPOCH),
        });
        found.map(|(id, _)| id.as_str())
    }

    /// Evaluates every hold on an entry.
    pub fn entry(&mut self, entry: &Entry, recorded_at: Timestamp) {
        for (id, condition) in &self.conditions {
            if self.held.contains_key(id) {
                continue;
            }
            let reason = match condition {
                Err(cause) => Some(format!("its query cannot be evaluated: {}", cause.as_str())),
                Ok(query) => query
                    .matches(entry, recorded_at, Timestamp::UNIX_EPOCH)
                    .then(|| format!("it includes the entry {}", entry.event_id.as_str())),
            };
            if let Some(reason) = reason {
                self.held.insert(id.clone(), reason);
            }
        }
    }

    /// Answer over all entries that were given.
    pub fn finish(self) -> crate::HoldAnswer {
        if self.held.is_empty() {
            crate::HoldAnswer::Clear
        } else {
            crate::HoldAnswer::Held(self.held)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::{Actor, ActorType, EventType};

    use super::*;
    use crate::HoldAnswer;

    fn hold(query: &str) -> LegalHold {
        LegalHold {
            id: "hold-1".into(),
            case: "Case 7".into(),
            query: query.into(),
            start_time: None,
            end_time: Some("2026-02-01T00:00:00Z".parse().unwrap()),
            custodian: "Legal".into(),
            reason: "Litigation".into(),
            review_on: None,
            created_by: "u-1".into(),
            created_at: Timestamp::UNIX_EPOCH,
            released: None,
            version: 1,
        }
    }

    fn entry(user: &str, time: &str) -> Entry {
        let mut entry = Entry::new(EventType::from_static("resource.view"))
            .by(Actor::new(ActorType::User, user));
        entry.timestamp = time.parse().unwrap();
        entry
    }

    fn answer(holds: &[LegalHold], entries: &[Entry]) -> HoldAnswer {
        let mut check = HoldCheck::new(holds);
        for entry in entries {
            check.entry(entry, Timestamp::UNIX_EPOCH);
        }
        check.finish()
    }

    #[test]
    fn a_hold_keeps_what_its_query_and_period_include() {
        let alice = hold("actor.id:alice");
        for (user, time, held) in [
            ("alice", "2026-01-01T00:00:00Z", true),
            ("alice", "2026-02-01T00:00:00Z", true),
            ("alice", "2026-02-01T00:00:00.001Z", false),
            ("bob", "2026-01-01T00:00:00Z", false),
        ] {
            let answer = answer(std::slice::from_ref(&alice), &[entry(user, time)]);
            assert_eq!(answer != HoldAnswer::Clear, held, "{user} {time}");
        }
    }

    #[test]
    fn what_cannot_be_evaluated_is_held_and_what_was_released_is_not() {
        let bob = [entry("bob", "2026-01-01T00:00:00Z")];
        for query in ["actor.id:(", "timestamp:>now-1d", "nosuch.field.here:~~~("] {
            assert_ne!(answer(&[hold(query)], &bob), HoldAnswer::Clear, "{query}");
        }

        let mut released = hold("");
        assert_ne!(answer(&[released.clone()], &bob), HoldAnswer::Clear);
        released.released = Some(HoldRelease {
            by: "u-1".into(),
            at: Timestamp::UNIX_EPOCH,
            reason: "settled".into(),
        });
        assert_eq!(answer(&[released], &bob), HoldAnswer::Clear);
    }

    #[test]
    fn queries_that_change_their_meaning_are_refused() {
        assert!(hold("actor.id:alice").check().is_ok());
        for query in ["timestamp:>now-1d", "actor.id:(", "actor.id:\""] {
            let error = hold(query).check().unwrap_err();
            assert_eq!(error.path, "query", "{query}");
        }
        let mut early = hold("");
        early.start_time = early.end_time;
        assert_eq!(early.check().unwrap_err().path, "end_time");
    }
}
