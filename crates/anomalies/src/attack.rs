//! Technique and tactic of MITRE ATT&CK (<https://attack.mitre.org>) of an event.
//!
//! One table (`table`) leads from calls to techniques (`catalogue`). An event without a row may
//! still be what ATT&CK calls the use of a valid account: a place, hour or identity that is new. What
//! has no technique says why.

mod catalogue;
mod table;

use reeve_learn::behavior::prior::Meaning;
use reeve_learn::behavior::{ActivityEvent, BehaviorJudgement, BehaviorOutcome, BehaviorReason};

use catalogue::TECHNIQUES;
pub(crate) use catalogue::VALID_ACCOUNTS;
pub use catalogue::{AttackTechnique, technique_by_id};
use table::{AttackRow, Calls, TABLE};

/// Technique for failed sign-ins of one account.
const BRUTE_FORCE: &str = "T1110";
/// Technique for failed sign-ins of several accounts.
const SPRAYING: &str = "T1110.003";

/// Returns the technique of a call by the table; `None` for a call without a row.
#[must_use]
pub fn technique_of_call(event: &ActivityEvent) -> Option<&'static AttackTechnique> {
    let meaning = Meaning::from_operation(&event.service, &event.operation);
    let name = plain(&event.operation);
    let row = TABLE.iter().find(|row| row.fits(event, meaning, name))?;
    technique_by_id(row.technique)
}

/// Reason why a call has no technique, as a sentence for readers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTechnique {
    /// The table has no row for the operation.
    #[error("No ATT&CK technique: the matrix has none for {0}")]
    Unlisted(String),
    /// The table has no row for the operation, and it is no use of a valid account elsewhere.
    #[error(
        "No ATT&CK technique: the matrix has none for {0}, and neither its place nor its hour is new"
    )]
    Usual(String),
}

/// Returns the technique of an unusual event; `by_call` is the one of its call.
///
/// # Errors
/// Nothing in ATT&CK describes the event.
pub fn attribute(
    event: &ActivityEvent,
    judged: &BehaviorJudgement,
    by_call: Option<&'static AttackTechnique>,
) -> Result<&'static AttackTechnique, NoTechnique> {
    let weighs = |reason| judged.weight_of(reason) > 0.0;
    let guessed = if weighs(BehaviorReason::Guessing) {
        Some(SPRAYING)
    } else if super::behavior::is_sign_in(event) && event.outcome != BehaviorOutcome::Done {
        Some(BRUTE_FORCE)
    } else {
        None
    };

    let elsewhere = || {
        [
            BehaviorReason::Place,
            BehaviorReason::Time,
            BehaviorReason::Identity,
        ]
        .into_iter()
        .any(weighs)
        .then_some(VALID_ACCOUNTS)
    };
    guessed
        .and_then(technique_by_id)
        .or(by_call)
        .or_else(elsewhere)
        .ok_or_else(|| NoTechnique::Usual(event.operation.clone()))
}

/// Name of an operation without the version that AWS Lambda appends (`20150331v2`).
fn plain(operation: &str) -> &str {
    let end = operation
        .char_indices()
        .find(|(at, _)| {
            operation[*at..]
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count()
                >= 8
        })
        .map_or(operation.len(), |(at, _)| at);
    &operation[..end]
}

impl AttackRow {
    fn fits(&self, event: &ActivityEvent, meaning: Meaning, name: &str) -> bool {
        if self.with.is_some_and(|one| !event.traits.has(one)) {
            return false;
        }

        match self.calls {
            Calls::Named(names) => names.iter().any(|known| is_named(known, name)),
            Calls::Means(verbs, classes) => {
                verbs.contains(&meaning.verb)
                    && (classes.is_empty() || classes.contains(&meaning.class))
            }
        }
    }
}

fn is_named(known: &str, name: &str) -> bool {
    if let Some(end) = known.strip_prefix('*') {
        return name.ends_with(end);
    }
    match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => known == name,
    }
}

/// Returns every technique that an event can have.
pub fn techniques() -> impl Iterator<Item = &'static AttackTechnique> {
    TECHNIQUES.iter()
}

#[cfg(test)]
mod tests;
