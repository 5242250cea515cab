//! Outcomes of runbooks: each change that a finding of a runbook led to is verified by the condition
//! itself once the time of the verification has passed. What did not help is a failure, and failures
//! open breakers.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Resource, ResourceFilter};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::{
    Feedback, FeedbackOutcome, Recommendation, RecommendationType,
};
use reeve_recommend::runbook::breaker::{Application, Breaker, Outcome, opened_by};
use reeve_recommend::runbook::condition::{ConditionReading, Test};
use reeve_recommend::runbook::{Runbook, RunbookName};

use super::measuring::Measuring;
use super::{KEPT, RunbookService, log_entry, readable};
use crate::records::fresh_id;
use crate::run::descriptions::{complete_readings, documents};

/// Time before a start for which changes are looked for: the longest verification and a day.
const LOOKED_BACK: SignedDuration = SignedDuration::from_hours(24 * 15);
/// Time by which looks overlap: a change is stored a little after it ends.
const OVERLAP: SignedDuration = SignedDuration::from_mins(2);
/// Shortest time for which a verification waits for data after its time: a sync reads configurations
/// and metrics every few minutes.
const SHORTEST_WAIT: SignedDuration = SignedDuration::from_hours(1);
/// Longest time for which a verification waits for data after its time.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// Runbooks by their name.
type ByName = HashMap<RunbookName, Runbook>;

impl RunbookService {
    /// Notes new changes of runbooks, verifies those whose time has come, and closes breakers whose
    /// time is over. Returns the number of outcomes.
    ///
    /// # Errors
    /// The store or the log failed; what is not settled is looked at again.
    pub async fn settle(&self) -> Result<u64, EngineError> {
        let mut looked_at = self.settling.lock().await;
        let now = self.records.clock.now();
        let runbooks: ByName = readable(&*self.ports.runbooks)
            .await?
            .into_iter()
            .map(|runbook| (runbook.name.clone(), runbook))
            .collect();

        let since = looked_at.map_or(now - LOOKED_BACK, |at| at - OVERLAP);
        let mut settled = self.note_changes(&runbooks, since, now).await?;
        settled += self.verify_due(&runbooks, now).await?;
        self.close_ended(now).await?;
        if looked_at.is_none_or(|at| now.duration_since(at) > SignedDuration::from_hours(1)) {
            self.ports.runbooks.application_expire(now - KEPT).await?;
        }
        *looked_at = Some(now);
        Ok(settled)
    }

    /// Notes the actions of findings of runbooks.
    async fn note_changes(
        &self,
        runbooks: &ByName,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<u64, EngineError> {
        let filter = RecommendationFilter {
            kind: Some(RecommendationType::KnownIssue),
            updated_since: Some(since),
            ..RecommendationFilter::default()
        };
        let (changed, _) = self.records.agents.recommendation_list(&filter).await?;
        let mut settled = 0;
        for recommendation in changed {
            let name = RunbookName::of_codes(&recommendation.reason_codes);
            let Some(runbook) = name.and_then(|name| runbooks.get(&name)) else {
                continue;
            };
            let actions = self
                .records
                .agents
                .action_list(Some(&recommendation.id), None)
                .await?;
            for action in actions {
                let known = self.ports.runbooks.application_get(&action.id).await?;
                let Some(next) = noted(&action, &recommendation, runbook, known) else {
                    continue;
                };
                if next.outcome == Outcome::Verifying {
                    self.ports.runbooks.application_put(&next).await?;
                } else {
                    let settled_at = Some(now);
                    let next = Application { settled_at, ..next };
                    self.conclude(runbook, next, now).await?;
                    settled += 1;
                }
            }
        }
        Ok(settled)
    }

    async fn verify_due(&self, runbooks: &ByName, now: Timestamp) -> Result<u64, EngineError> {
        let all = self.ports.runbooks.application_list(now - KEPT).await?;
        let due = all
            .into_iter()
            .filter(|one| one.outcome == Outcome::Verifying && one.verify_at <= now);
        let mut settled = 0;
        for application in due {
            let Some(runbook) = runbooks.get(&application.runbook) else {
                continue;
            };
            if let Some((outcome, detail)) = self.verified(runbook, &application, now).await? {
                let concluded = Application {
                    outcome,
                    detail,
                    settled_at: Some(now),
                    ..application
                };
                self.conclude(runbook, concluded, now).await?;
                settled += 1;
            }
        }
        Ok(settled)
    }

    /// Returns the outcome of a change by the condition as it is now; `None` while it is undecided
    /// and data may still come.
    async fn verified(
        &self,
        runbook: &Runbook,
        application: &Application,
        now: Timestamp,
    ) -> Result<Option<(Outcome, String)>, EngineError> {
        let usual = SignedDuration::from_secs(
            i64::try_from(runbook.verify_after.seconds()).unwrap_or(i64::MAX / 2),
        );
        let may_wait =
            now.duration_since(application.verify_at) < usual.clamp(SHORTEST_WAIT, LONGEST_WAIT);
        let unverified = |words: String| {
            (!may_wait).then(|| {
                (
                    Outcome::Unverified,
                    format!("could not be verified: {words}"),
                )
            })
        };

        let filter = ResourceFilter {
            connection: Some(application.connection.clone()),
            ids: vec![application.resource.clone()],
            ..ResourceFilter::default()
        };
        let (found, _) = self.ports.scopes.estate().resource_list(&filter).await?;
        let Some(resource) = found.into_iter().next() else {
            return Ok(unverified("the resource is gone".to_owned()));
        };
        if !self
            .is_read_since(runbook, &resource, application.finished_at)
            .await?
        {
            let words = "its configuration was not read after the change".to_owned();
            return Ok(unverified(words));
        }

        let strict = Arc::new(runbook.verification());
        let measuring = Measuring::new(&self.ports, vec![Arc::clone(&strict)]);
        let history = (measuring.start(now).max(application.finished_at), now);
        let resources = [resource];
        let mut measured = measuring
            .load(&application.connection, &resources, history)
            .await?;
        let [resource] = resources;
        let measured = measured.remove(&resource.id).unwrap_or_default();
        let documents =
            documents(&*self.ports.descriptions, std::slice::from_ref(&resource)).await?;
        let (holds, answers) = strict.judge(&ConditionReading {
            state: resource.state,
            storage_gib: resource.specification.storage_gib,
            document: documents.values().next().map(|one| one.json()),
            measured: &measured,
            since: Some(application.finished_at),
            now,
        });
        let words: Vec<&str> = answers.iter().map(|one| one.words.as_str()).collect();
        let words = words.join("; ");

        // A metric that has just gone beyond its limit again refutes nothing and proves nothing.
        let refuted = answers
            .iter()
            .any(|one| one.holds == Some(false) && !one.is_pending);
        Ok(match holds {
            Some(true) => Some((
                Outcome::Ineffective,
                format!("the issue is still there: {words}"),
            )),
            Some(false) if refuted => Some((Outcome::Effective, words)),
            Some(false) | None => unverified(words),
        })
    }

    /// Returns `true` if what a condition reads of the configuration is of after a time.
    async fn is_read_since(
        &self,
        runbook: &Runbook,
        resource: &Resource,
        since: Timestamp,
    ) -> Result<bool, EngineError> {
        let is_measured = |test: &Test| matches!(test, Test::Metric(_) | Test::Log(_));
        if runbook.when.iter().all(is_measured) || resource.observed_at > since {
            return Ok(true);
        }
        let store = &*self.ports.descriptions;
        let readings = complete_readings(store, &resource.connection, &[resource.kind]).await?;
        let mut own = readings
            .iter()
            .filter(|one| one.region == resource.region || one.region.is_empty());
        Ok(own.any(|one| one.begun_at > since))
    }

    /// Records and keeps an outcome, lets a failure count in the track record of its finding, and
    /// opens the breakers that follow.
    async fn conclude(
        &self,
        runbook: &Runbook,
        application: Application,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let caller = Caller::system();
        let entry = log_entry::outcome(&application, runbook.kind.as_str(), &caller);
        self.records.record(vec![entry]).await?;
        self.ports.runbooks.application_put(&application).await?;
        if !application.outcome.is_failure() {
            return Ok(());
        }

        if application.outcome != Outcome::Failed {
            self.records
                .agents
                .feedback_insert(&Feedback {
                    id: fresh_id(),
                    recommendation: application.recommendation.clone(),
                    outcome: FeedbackOutcome::ImplementedIssues,
                    rating: None,
                    comments: Some(application.detail.clone()),
                    by: caller.name.clone(),
                    at: now,
                })
                .await?;
        }
        let store = &self.ports.runbooks;
        let all = store.application_list(now - KEPT).await?;
        let breakers = store.breaker_list().await?;
        for breaker in opened_by(&application, &runbook.breaker, &all, &breakers, now) {
            let entry = log_entry::breaker("runbook.breaker_open", &breaker, &caller);
            self.records.record(vec![entry]).await?;
            store.breaker_put(&breaker).await?;
        }
        Ok(())
    }

    /// Closes the breakers whose time is over.
    async fn close_ended(&self, now: Timestamp) -> Result<(), EngineError> {
        let store = &self.ports.runbooks;
        for breaker in store.breaker_list().await? {
            if breaker.closed_at.is_some() || breaker.is_open(now) {
                continue;
            }
            let closed = Breaker {
                closed_at: Some(breaker.closes_at),
                ..breaker
            };
            let caller = Caller::system();
            let entry = log_entry::breaker("runbook.breaker_close", &closed, &caller);
            self.records.record(vec![entry]).await?;
            store.breaker_put(&closed).await?;
        }
        Ok(())
    }
}

/// Returns the application that an action is, where it is a new one or has another outcome.
fn noted(
    action: &Action,
    recommendation: &Recommendation,
    runbook: &Runbook,
    known: Option<Application>,
) -> Option<Application> {
    if action.purpose != Purpose::Apply {
        return None;
    }
    let (outcome, detail) = match action.status {
        ActionStatus::Succeeded => (Outcome::Verifying, String::new()),
        ActionStatus::RolledBack if action.undone_by.is_some() => {
            (Outcome::TakenBack, "a person took it back".to_owned())
        }
        ActionStatus::RolledBack | ActionStatus::Failed => {
            let reason = action.reason.clone();
            (
                Outcome::Failed,
                reason.unwrap_or_else(|| "it failed".to_owned()),
            )
        }
        ActionStatus::Running | ActionStatus::RollingBack | ActionStatus::Aborted => return None,
    };
    match known {
        // An outcome stays: what is taken back after it was verified did or did not help.
        Some(known) if known.outcome != Outcome::Verifying || outcome == Outcome::Verifying => None,
        Some(known) => Some(Application {
            outcome,
            detail,
            ..known
        }),
        None => {
            let finished_at = action.finished_at?;
            let after = i64::try_from(runbook.verify_after.seconds()).unwrap_or(i64::MAX / 2);
            Some(Application {
                action: action.id.clone(),
                recommendation: recommendation.id.clone(),
                runbook: runbook.name.clone(),
                connection: action.connection.clone(),
                resource: action.resource.clone(),
                name: recommendation.subject.name.clone(),
                started_at: action.started_at,
                finished_at,
                verify_at: finished_at + SignedDuration::from_secs(after),
                outcome,
                detail,
                settled_at: None,
            })
        }
    }
}
