//! From the engine's refusals to problems, and from an HTTP caller to the engine's.

use reeve_audit::ActionMethod;
use reeve_recommend::error::EngineError;

use crate::error::{BlockBody, Code, FieldProblem, Problem};
use crate::extract::Caller;
use crate::log_entry;
use crate::wire::form::enumeration::Name;

/// The one mapping of the engine's errors.
pub(in crate::routes) fn problem(error: EngineError) -> Problem {
    let words = error.to_string();
    match error {
        EngineError::Invalid(fields) => Problem::fields(
            fields
                .into_iter()
                .map(|field| FieldProblem {
                    field: field.path,
                    code: Name(field.code),
                    message: field.message,
                    index: None,
                })
                .collect(),
        ),
        EngineError::NotFound { what, id } => Problem::not_found(what, &id),
        EngineError::WrongState { .. } | EngineError::Conflict(_) | EngineError::NoTwin(_) => {
            Problem::new(Code::Conflict, words)
        }
        EngineError::Learning { .. } => Problem::new(Code::AgentLearning, words),
        EngineError::Blocked(block) => Problem::new(Code::GuardrailBlocked, words)
            .with_block(BlockBody::new(block.guardrail.as_str(), &block.message)),
        EngineError::PlanChanged { .. } => Problem::new(Code::PlanChanged, words),
        EngineError::Forbidden(_) => Problem::new(Code::Forbidden, words),
        EngineError::Cloud(_) => Problem::new(Code::CloudFailed, words),
        EngineError::Record(_) => Problem::new(
            Code::LedgerUnavailable,
            format!("{words}; nothing was done"),
        ),
        EngineError::Full(_) => Problem::new(Code::DiskFull, words),
        EngineError::Unavailable(_) => Problem::unavailable(&words),
        EngineError::Store(_) => Problem::internal(words),
    }
}

/// The engine's view of the caller.
pub(in crate::routes) fn asking(caller: &Caller) -> reeve_recommend::caller::Caller {
    let actor = log_entry::actor(&caller.principal, &caller.origin);
    reeve_recommend::caller::Caller::person(
        &caller.principal,
        actor,
        ActionMethod::Api,
        Some(caller.request_id.clone()),
    )
}
