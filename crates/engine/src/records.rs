//! Reading and moving records: every move is legal, recorded first, and compared by version.

use std::future::Future;
use std::sync::Arc;

use reeve_audit::{ActionStatus, Entry, EventId, FieldCode, FieldError};
use reeve_estate::StoreError;
use reeve_recommend::agent::Agent;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::approval::{Approval, ApprovalStatus};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore, Clock, Recorder, record_change};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, Recommendation, RecommendationId};

use crate::log_entry;

/// Agents' records, the log, and the time: the part of the engine that every service shares.
pub struct Records {
    pub(super) agents: Arc<dyn AgentStore>,
    pub(super) recorder: Arc<dyn Recorder>,
    pub(super) clock: Arc<dyn Clock>,
    /// Guardrails are asked and recommendations claimed by one at a time: two requests at once
    /// cannot both be the last one that a limit allows.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Records {
    /// Creates the records over a store, a log and a clock.
    #[must_use]
    pub fn new(
        agents: Arc<dyn AgentStore>,
        recorder: Arc<dyn Recorder>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Records {
            agents,
            recorder,
            clock,
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// Writes entries at the engine's time; what cannot be recorded is not done.
    pub(super) async fn record(&self, entries: Vec<Entry>) -> Result<(), EngineError> {
        let now = self.clock.now();
        let entries = entries.into_iter().map(|entry| entry.at(now)).collect();
        Ok(self.recorder.record(entries).await?)
    }

    /// Returns the approval matrix that holds now.
    pub(super) async fn approval_matrix(&self) -> Result<ApprovalMatrix, EngineError> {
        Ok(self.agents.guardrails_get().await?.approval_matrix)
    }

    /// Records the intent of a change, makes it, and records its outcome.
    pub(super) async fn change<T>(
        &self,
        entry: Entry,
        change: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, EngineError> {
        record_change(&*self.recorder, &*self.clock, entry, change).await
    }

    /// A recommendation in its next state; nothing is written yet.
    pub(super) fn next(
        &self,
        recommendation: &Recommendation,
        status: Status,
    ) -> Result<Recommendation, EngineError> {
        if !recommendation.status.may_become(status) {
            let message = format!("it cannot become {status} from there");
            return Err(EngineError::WrongState {
                from: recommendation.status,
                message,
            });
        }
        Ok(Recommendation {
            status,
            updated_at: self.clock.now(),
            version: recommendation.version + 1,
            ..recommendation.clone()
        })
    }

    /// Records a move and makes it. Somebody faster is a conflict.
    pub(super) async fn make_move(
        &self,
        operation: &str,
        from: &Recommendation,
        to: Recommendation,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        let entry = log_entry::moved(operation, from, &to, caller);
        self.record(vec![entry.clone()]).await?;

        if let Err(error) = self.agents.recommendation_update(&to).await {
            // Somebody faster: the log must not end with a move that was not made.
            let moved = entry.event_id.clone();
            let undone = Entry {
                event_id: EventId::fresh(),
                ..entry
            };
            self.record(vec![undone.outcome(&moved, Some(&error.to_string()))])
                .await?;
            return Err(error.into());
        }

        Ok(to)
    }

    /// Moves a recommendation as the engine itself must, whatever else changed on it in between.
    pub(super) async fn settle_at(
        &self,
        id: &RecommendationId,
        operation: &str,
        status: Status,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        self.close_at(id, operation, status, None, reason, caller)
            .await
    }

    /// Opens a recommendation again, for a reason that it then shows.
    pub(super) async fn reopen(
        &self,
        id: &RecommendationId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        let operation = "recommendation.reopen";
        self.settle_at(id, operation, Status::Open, Some(reason), caller)
            .await
    }

    /// Opens a recommendation again, and closes the requests for its signatures.
    pub(super) async fn reopen_unsigned(
        &self,
        recommendation: &Recommendation,
        reason: &str,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        self.close_approvals(recommendation, ApprovalStatus::Expired, reason, caller)
            .await?;
        self.reopen(&recommendation.id, reason, caller).await
    }

    /// As [`Records::settle_at`], with the cause that ended it.
    pub(super) async fn close_at(
        &self,
        id: &RecommendationId,
        operation: &str,
        status: Status,
        closing: Option<Closing>,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Recommendation, EngineError> {
        for _ in 0..5 {
            let from = self.agents.recommendation_get(id).await?;
            if from.status == status {
                return Ok(from);
            }
            let mut to = self.next(&from, status)?;
            to.status_reason = reason.map(str::to_owned);
            to.closing = closing;
            if status == Status::Open {
                to.scheduled_for = None;
                to.snoozed_until = None;
                to.requested_by = None;
            }
            match self.make_move(operation, &from, to, caller).await {
                Err(EngineError::Conflict(_)) => {}
                other => return other,
            }
        }
        Err(EngineError::Conflict(format!(
            "recommendation {} is being changed by another user",
            id.0
        )))
    }

    /// The agent of a recommendation; `None` for advice without one.
    pub(super) async fn agent_of(
        &self,
        recommendation: &Recommendation,
    ) -> Result<Option<Agent>, EngineError> {
        let Some(id) = &recommendation.agent_id else {
            return Ok(None);
        };
        self.agents
            .agent_get(id)
            .await
            .map(Some)
            .map_err(|error| match error {
                StoreError::NotFound { .. } => EngineError::Conflict(format!(
                    "its agent {} was deleted, so it cannot be applied",
                    id.0
                )),
                other => other.into(),
            })
    }

    /// Closes the approval requests of a recommendation that still wait.
    pub(super) async fn close_approvals(
        &self,
        recommendation: &Recommendation,
        status: ApprovalStatus,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        for pending in self.agents.approval_list(Some(&recommendation.id)).await? {
            if pending.status != ApprovalStatus::Pending {
                continue;
            }
            let version = pending.version + 1;
            let closed = Approval {
                status,
                reason: Some(reason.to_owned()),
                version,
                ..pending
            };
            let operation = format!(
                "approval.{}",
                if status == ApprovalStatus::Expired {
                    "expire"
                } else {
                    "reject"
                }
            );
            self.record(vec![log_entry::approval(
                &operation,
                ActionStatus::Success,
                &closed,
                recommendation,
                caller,
            )])
            .await?;
            self.agents.approval_update(&closed).await?;
        }
        Ok(())
    }
}

/// An identifier that sorts by time.
pub(crate) fn fresh_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A text that has to be there: trimmed, not empty, not endless.
pub(super) fn needed(field: &str, text: &str) -> Result<String, EngineError> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > 2000 {
        let error = FieldError::new(
            field,
            FieldCode::InvalidValue,
            "must have 1 to 2000 characters",
        );
        return Err(EngineError::Invalid(vec![error]));
    }
    Ok(text.to_owned())
}

/// A text that may be left out.
pub(super) fn optional(field: &str, text: Option<&str>) -> Result<Option<String>, EngineError> {
    text.filter(|text| !text.trim().is_empty())
        .map(|text| needed(field, text))
        .transpose()
}
