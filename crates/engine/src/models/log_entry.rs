//! The audit entries of models.

use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, events};
use reeve_recommend::agent::Agent;
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::entry;
use reeve_recommend::models::{Model, RetrainCause};

const MODEL: EventType = events::MODEL.event_type();

/// A training that begins, with its cause.
pub(super) fn training(
    agent: &Agent,
    name: &str,
    cause: RetrainCause,
    why: &str,
    caller: &Caller,
) -> Entry {
    entry(MODEL, "model.retrain", ActionStatus::Pending, caller)
        .on(ResourceRef::new("agent", agent.id.0.clone()))
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("model", name)
        .with_metadata("cause", cause.as_str())
        .with_metadata("reason", why)
}

/// Creates an entry about a version of a model.
pub(super) fn about(
    operation: &str,
    status: ActionStatus,
    model: &Model,
    caller: &Caller,
) -> Entry {
    entry(MODEL, operation, status, caller)
        .on(ResourceRef::new("model", model.id.0.clone()))
        .with_metadata("agent_id", model.agent_id.0.clone())
        .with_metadata("model", model.name.clone())
        .with_metadata("version", model.version)
        .with_metadata("cause", model.cause.as_str())
}

/// The figures of a version.
pub(super) fn figures(model: &Model) -> Json {
    Json::object([
        ("version", Json::from(model.version)),
        ("status", Json::from(model.status.as_str())),
        ("accuracy", Json::from(model.accuracy)),
        ("precision", Json::from(model.precision)),
        ("recall", Json::from(model.recall)),
        ("f1", Json::from(model.f1)),
        ("held_out", Json::from(model.held_out)),
        ("samples", Json::from(model.samples)),
        ("training_span_days", Json::from(model.training_span_days)),
    ])
}
