//! Drift from a standard: checks that passed when a baseline was pinned and fail now.

use jiff::Timestamp;

use crate::judgement::evidence::{CheckAnswer, EvidenceStore, JudgementEvidence};
use reeve_estate::StoreError;

use super::record::DriftSubject;

/// Returns `true` if a check passed at a time, by its results, newest first. A check that had no
/// result yet did not pass.
#[must_use]
pub fn passed_at(history: &[JudgementEvidence], at: Timestamp) -> bool {
    history
        .iter()
        .find(|result| result.at <= at)
        .is_some_and(|result| result.result.answer == CheckAnswer::Pass)
}

/// Reads the checks that passed for a resource when it was pinned and fail now, by their
/// identifiers.
///
/// # Errors
/// The store failed.
pub async fn failing_since(
    store: &dyn EvidenceStore,
    subject: &DriftSubject,
    pinned_at: Timestamp,
) -> Result<Vec<JudgementEvidence>, StoreError> {
    let resource = std::slice::from_ref(&subject.resource);
    let mut failing = Vec::new();
    for result in store.evidence_of(&subject.connection, resource).await? {
        // A failure that is older than the pin is part of the baseline.
        if result.result.answer != CheckAnswer::Fail || result.since <= pinned_at {
            continue;
        }
        let check = &result.result.check;
        let history = store
            .evidence_history(&subject.connection, &subject.resource, check)
            .await?;
        if passed_at(&history, pinned_at) {
            failing.push(result);
        }
    }

    failing.sort_by(|a, b| a.result.check.cmp(&b.result.check));
    Ok(failing)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::{ConnectionId, ResourceId, ResourceKind};

    use super::*;
    use crate::agent::AgentId;
    use crate::judgement::evidence::CheckResult;

    fn result(answer: CheckAnswer, second: i64) -> JudgementEvidence {
        let at = Timestamp::from_second(second).unwrap();
        JudgementEvidence {
            agent: AgentId("a-1".to_owned()),
            connection: ConnectionId("c-1".to_owned()),
            resource: ResourceId::new("b-1"),
            kind: ResourceKind::Bucket,
            name: "b".to_owned(),
            account: String::new(),
            region: String::new(),
            result: CheckResult {
                check: "c".to_owned(),
                answer,
                why: String::new(),
                values: serde_json::Value::Null,
                document: None,
            },
            since: at,
            at,
            event_id: String::new(),
        }
    }

    #[test]
    fn the_result_of_the_time_decides() {
        let history = [
            result(CheckAnswer::Fail, 30),
            result(CheckAnswer::Pass, 20),
            result(CheckAnswer::Unknown, 10),
        ];
        let at = |second| passed_at(&history, Timestamp::from_second(second).unwrap());
        assert_eq!(
            [5, 10, 19, 20, 29, 30].map(at),
            [false, false, false, true, true, false]
        );
    }
}
