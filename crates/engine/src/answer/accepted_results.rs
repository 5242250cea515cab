//! Exceptions of checks: results that failed and that a person accepted, with a reason and an end.
//!
//! An exception is an exclusion that names a check, so that one record hides the recommendation and
//! takes the result out of scores. The result itself stays as it is.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, EvidenceFilter, EvidenceStore, JudgementEvidence,
};
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::exclusion::Exclusion;

use super::RecommendationService;
use super::exclusions::{ExclusionInput, described, exclusion_entry};
use crate::acceptance::AcceptanceInput;

/// Resources that one question names.
const AT_ONCE: usize = 500;

/// Result that failed, with the exception under which it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedResult {
    pub found: JudgementEvidence,
    pub exception: Exclusion,
}

/// Returns the failed results that a filter chooses and that people accepted, each once, with the
/// exception that holds; at a time before now, with those of the exceptions that are kept.
///
/// # Errors
/// The store failed.
pub async fn accepted_results(
    agents: &dyn AgentStore,
    evidence: &dyn EvidenceStore,
    filter: &EvidenceFilter,
    now: Timestamp,
) -> Result<Vec<AcceptedResult>, StoreError> {
    let at = filter.before.unwrap_or(now);
    let is_wanted =
        |check: &String| filter.checks.is_empty() || filter.checks.iter().any(|one| one == check);
    let mut exceptions = agents.exclusion_list().await?;
    exceptions.retain(|one| {
        let names_check = one.aspect.as_ref().is_some_and(is_wanted);
        names_check && one.kind.is_none() && one.at <= at && one.holds(at)
    });

    let mut accepted: Vec<AcceptedResult> = Vec::new();
    let mut known = BTreeSet::new();
    for question in questions(&exceptions, filter) {
        let (found, _) = evidence.evidence_list(&question).await?;
        for one in found {
            let exception = exceptions.iter().find(|exception| exception.accepts(&one));
            if let Some(exception) = exception
                && known.insert(one.key())
            {
                accepted.push(AcceptedResult {
                    exception: exception.clone(),
                    found: one,
                });
            }
        }
    }
    Ok(accepted)
}

/// Questions whose answers have every result that the exceptions cover.
fn questions(exceptions: &[Exclusion], filter: &EvidenceFilter) -> Vec<EvidenceFilter> {
    let check = |one: &Exclusion| one.aspect.clone();
    let broad: BTreeSet<String> = exceptions
        .iter()
        .filter(|one| one.resource.is_none())
        .filter_map(check)
        .collect();
    let named: Vec<&Exclusion> = exceptions
        .iter()
        .filter(|one| one.resource.is_some())
        .collect();

    let failed = EvidenceFilter {
        answer: Some(CheckAnswer::Fail),
        limit: 0,
        offset: 0,
        ..filter.clone()
    };
    let of_checks = |checks: BTreeSet<String>| EvidenceFilter {
        checks: checks.into_iter().collect(),
        ..failed.clone()
    };
    let mut questions = Vec::new();
    if !broad.is_empty() {
        questions.push(of_checks(broad));
    }
    for some in named.chunks(AT_ONCE) {
        let question = of_checks(some.iter().filter_map(|one| check(one)).collect());
        let resources = some.iter().filter_map(|one| one.resource.clone());
        questions.push(EvidenceFilter {
            // A filter of its own has wildcards, which cannot be joined with names.
            resources: if filter.resources.is_empty() {
                resources.collect()
            } else {
                filter.resources.clone()
            },
            ..question
        });
    }
    questions
}

impl RecommendationService {
    /// Accepts a failed result until a time; its recommendation is dismissed with the reason.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; [`EngineError::Conflict`] if the result did
    /// not fail, is accepted already, or is about another configuration than the one that was seen.
    pub async fn accept_result(
        &self,
        found: &JudgementEvidence,
        input: &AcceptanceInput,
        caller: &Caller,
    ) -> Result<Exclusion, EngineError> {
        let now = self.records.clock.now();
        let (reason, ends_at) = input.checked(now)?;
        if found.result.answer != CheckAnswer::Fail {
            let words = format!(
                "the check did not fail: it answered {}",
                found.result.answer
            );
            return Err(EngineError::Conflict(words));
        }
        input.check_seen(found.result.document.as_deref())?;

        let all = self.records.agents.exclusion_list().await?;
        let known = all.iter().find(|one| one.holds(now) && one.accepts(found));
        if let Some(known) = known {
            let words = format!(
                "{} accepted it already: {}; withdraw that exception first",
                known.by, known.reason
            );
            return Err(EngineError::Conflict(words));
        }

        let exclusion = ExclusionInput {
            resource: Some(found.resource.0.clone()),
            account: Some(found.account.clone()).filter(|account| !account.is_empty()),
            kind: None,
            aspect: Some(found.result.check.clone()),
            reason,
            until: Some(ends_at),
        };
        self.exclude(exclusion, caller).await
    }

    /// Records the ends of exclusions that are over; returns their number.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn end_exclusions(&self) -> Result<u64, EngineError> {
        let ended = self
            .records
            .agents
            .exclusions_ended(self.records.clock.now())
            .await?;
        for exclusion in &ended {
            let entry = exclusion_entry("exclusion.end", exclusion, &Caller::system())
                .before(described(exclusion));
            self.records.record(vec![entry]).await?;
            self.records.agents.exclusion_settle(&exclusion.id).await?;
        }
        Ok(ended.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use reeve_recommend::recommendation::exclusion::ExclusionId;

    use super::*;

    fn exception(check: &str, resource: Option<&str>) -> Exclusion {
        Exclusion {
            id: ExclusionId("x".to_owned()),
            resource: resource.map(str::to_owned),
            account: None,
            kind: None,
            aspect: Some(check.to_owned()),
            reason: "it serves the public site".to_owned(),
            until: None,
            by: "maria@acme.example".to_owned(),
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn exceptions_ask_for_failures_that_they_name_and_no_others() {
        let exceptions = [
            exception("a", Some("r-1")),
            exception("b", Some("r-2")),
            exception("c", None),
        ];
        let asked = |filter: &EvidenceFilter| -> Vec<(Vec<String>, Vec<String>)> {
            let questions = questions(&exceptions, filter).into_iter();
            questions
                .inspect(|one| assert_eq!(one.answer, Some(CheckAnswer::Fail)))
                .map(|one| (one.checks, one.resources))
                .collect()
        };
        let texts = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let mut filter = EvidenceFilter {
            answer: Some(CheckAnswer::Pass),
            limit: 1,
            ..EvidenceFilter::default()
        };
        assert_eq!(
            asked(&filter),
            [
                (texts(&["c"]), texts(&[])),
                (texts(&["a", "b"]), texts(&["r-1", "r-2"])),
            ]
        );
        filter.resources = texts(&["r-*"]);
        assert_eq!(asked(&filter)[1].1, ["r-*"]);
        assert_eq!(questions(&[], &filter), []);
    }
}
