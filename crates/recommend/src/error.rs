//! Errors of the engine.

use reeve_audit::FieldError;
use reeve_estate::StoreError;

use crate::guardrail::GuardrailBlock;
use crate::ports::RecordError;
use crate::recommendation::lifecycle::Status;

/// A refusal or failure, in words for a person. Where nothing else is said, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The input is wrong; every failing field is named. HTTP 422.
    #[error("{}", list(.0))]
    Invalid(Vec<FieldError>),
    /// No such record. HTTP 404.
    #[error("{what} {id} does not exist")]
    NotFound { what: &'static str, id: String },
    /// The recommendation's state does not allow it. HTTP 409.
    #[error("the recommendation is {from}; {message}")]
    WrongState {
        /// State that the record has.
        from: Status,
        /// Condition that is not met.
        message: String,
    },
    /// The agent only learns. HTTP 409, `agent_learning`.
    #[error(
        "agent mode is learning: agent {agent} recommends and does not act; set its mode to safe_mode or active first"
    )]
    Learning { agent: String },
    /// A guardrail says no. HTTP 409, `guardrail_blocked`.
    #[error("blocked by guardrail {0}")]
    Blocked(#[from] GuardrailBlock),
    /// The plan is not the one that was seen. HTTP 409, `plan_changed`.
    #[error("the plan changed: its hash is {now}, not {seen}; look at it again")]
    PlanChanged {
        /// The hash the caller saw.
        seen: String,
        /// Hash of the plan as it is now.
        now: String,
    },
    /// There is nothing real to test on. HTTP 409.
    #[error("{0}")]
    NoTwin(String),
    /// Somebody else was faster, or something else is in the way. HTTP 409.
    #[error("{0}")]
    Conflict(String),
    /// This caller may not. HTTP 403.
    #[error("{0}")]
    Forbidden(String),
    /// The connection cannot act, or the cloud refused. HTTP 502.
    #[error("{0}")]
    Cloud(String),
    /// The audit log did not take the entry, so nothing was done. HTTP 503.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There is no room on the store's disk. HTTP 507, `disk_full`.
    #[error("the disk of the store is full: {0}")]
    Full(String),
    /// The state store does not answer. HTTP 503, `database_unavailable`.
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// The state store failed. HTTP 500.
    #[error("the store failed: {0}")]
    Store(String),
}

impl EngineError {
    /// Returns `true` if the log or the store failed, and not the request itself. Callers that
    /// process many items stop and retry later.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(
            self,
            EngineError::Record(_)
                | EngineError::Full(_)
                | EngineError::Unavailable(_)
                | EngineError::Store(_)
        )
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { what, id } => EngineError::NotFound { what, id },
            StoreError::Conflict(message) => EngineError::Conflict(message),
            StoreError::Full(message) => EngineError::Full(message),
            StoreError::Unavailable(message) => EngineError::Unavailable(message),
            StoreError::Backend(message) => EngineError::Store(message),
        }
    }
}

fn list(errors: &[FieldError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
