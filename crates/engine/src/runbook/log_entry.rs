//! Audit entries of runbooks, of their outcomes and of their breakers.

use reeve_audit::{ActionStatus, Entry, Json, ResourceRef, Severity, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::{POLICY, entry};
use reeve_recommend::runbook::breaker::{Application, Breaker};
use reeve_recommend::runbook::{Runbook, WrittenRunbook};

/// A change of a runbook of people.
pub(super) fn runbook(
    operation: &str,
    before: Option<&WrittenRunbook>,
    after: Option<&WrittenRunbook>,
    caller: &Caller,
) -> Entry {
    let name = after.or(before).map(|one| one.name.0.clone());
    let mut entry = entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("runbook", name.unwrap_or_default()))
        .with_severity(Severity::Medium);
    if let Some(before) = before {
        entry = entry.before(in_words(before));
    }
    if let Some(after) = after {
        entry = entry.after(in_words(after));
    }
    entry
}

fn in_words(written: &WrittenRunbook) -> Json {
    let source = ("source", Json::from(written.source.clone()));
    let Ok(runbook) = Runbook::read(&written.source) else {
        return Json::object([source]);
    };
    let tests = runbook.when.iter().map(|test| Json::from(test.words()));
    let change = runbook.remedy.change(runbook.kind).unwrap_or("none");
    Json::object([
        ("title", Json::from(runbook.title)),
        ("kind", Json::from(runbook.kind.as_str())),
        ("when", Json::from(tests.collect::<Vec<Json>>())),
        ("change", Json::from(change)),
        source,
    ])
}

/// The outcome of an application.
pub(super) fn outcome(application: &Application, kind: &str, caller: &Caller) -> Entry {
    let severity = if application.outcome.is_failure() {
        Severity::Medium
    } else {
        Severity::Info
    };
    entry(
        events::RUNBOOK_OUTCOME.event_type(),
        "runbook.verify",
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new(kind, application.resource.0.clone()))
    .with_severity(severity)
    .with_metadata("runbook", application.runbook.0.clone())
    .with_metadata("outcome", application.outcome.as_str())
    .with_metadata("resource_name", application.name.clone())
    .with_metadata("action_id", application.action.0.clone())
    .with_metadata("recommendation_id", application.recommendation.0.clone())
    .with_metadata("detail", application.detail.clone())
}

/// A breaker that opens or closes.
pub(super) fn breaker(operation: &str, breaker: &Breaker, caller: &Caller) -> Entry {
    let severity = if breaker.closed_at.is_none() {
        Severity::High
    } else {
        Severity::Medium
    };
    let entry = entry(
        events::RUNBOOK_BREAKER.event_type(),
        operation,
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new("runbook", breaker.runbook.0.clone()))
    .with_severity(severity)
    .with_metadata("runbook", breaker.runbook.0.clone())
    .with_metadata("failures", breaker.failures)
    .with_metadata("reason", breaker.reason.clone())
    .with_metadata("closes_at", breaker.closes_at.to_string());
    match &breaker.resource {
        Some(resource) => entry
            .with_metadata("resource_id", resource.id.0.clone())
            .with_metadata("resource_name", resource.name.clone()),
        None => entry,
    }
}
