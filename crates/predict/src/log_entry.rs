//! The audit entries of rules and calendars.

use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, Severity, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::{POLICY, entry};
use reeve_recommend::predictive::PredictiveRule;

use super::calendar::{Calendar, Subscription};
use super::traffic::TrafficSettings;

const EVALUATION: EventType = events::PREDICTION.event_type();

/// A change of a rule.
pub(super) fn rule(
    operation: &str,
    before: Option<&PredictiveRule>,
    after: Option<&PredictiveRule>,
    caller: &Caller,
) -> Entry {
    let id = after.or(before).map_or("", |rule| rule.id.0.as_str());
    let entry = entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("predictive_rule", id))
        .with_severity(Severity::Medium);
    changed(entry, before.map(described), after.map(described))
}

/// A change of traffic intelligence.
pub(super) fn traffic(before: &TrafficSettings, after: &TrafficSettings, caller: &Caller) -> Entry {
    let described = |settings: &TrafficSettings| {
        Json::object([
            ("learn_patterns", Json::from(settings.learn_patterns)),
            (
                "seasonal_adjustments",
                Json::from(settings.seasonal_adjustments),
            ),
            ("event_awareness", Json::from(settings.event_awareness)),
        ])
    };

    let entry = entry(
        POLICY,
        "traffic_intelligence.put",
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new(
        "traffic_intelligence",
        "traffic_intelligence",
    ))
    .with_severity(Severity::Medium);

    changed(entry, Some(described(before)), Some(described(after)))
}

/// A change of a calendar.
pub(super) fn calendar(
    operation: &str,
    before: Option<&Calendar>,
    after: Option<&Calendar>,
    caller: &Caller,
) -> Entry {
    let id = after
        .or(before)
        .map_or("", |calendar| calendar.id.0.as_str());
    let entry = entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("calendar", id))
        .with_severity(Severity::Medium);
    let described = |calendar: &Calendar| {
        Json::object([
            ("name", Json::from(calendar.name.clone())),
            ("kind", Json::from(calendar.kind.as_str())),
            ("sha256", Json::from(calendar.digest())),
            (
                "address",
                Json::from(calendar.subscription.as_ref().map(Subscription::shown)),
            ),
        ])
    };

    changed(entry, before.map(described), after.map(described))
}

fn changed(entry: Entry, before: Option<Json>, after: Option<Json>) -> Entry {
    let entry = match before {
        Some(before) => entry.before(before),
        None => entry,
    };
    match after {
        Some(after) => entry.after(after),
        None => entry,
    }
}

/// An evaluation that found something, or was requested by a person.
pub(super) fn evaluated(
    rule: &PredictiveRule,
    counts: [(&'static str, u64); 4],
    caller: &Caller,
) -> Entry {
    entry(
        EVALUATION,
        "predictive_rule.evaluate",
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new("predictive_rule", rule.id.0.clone()))
    .with_metadata("rule", rule.name.clone())
    .with_metadata("rule_version", rule.version)
    .after(Json::object(
        counts.map(|(name, count)| (name, Json::from(count))),
    ))
}

fn described(rule: &PredictiveRule) -> Json {
    let condition = &rule.condition;
    let calendars: Vec<String> = condition.calendars.iter().map(|id| id.0.clone()).collect();
    Json::object([
        ("name", Json::from(rule.name.clone())),
        ("enabled", Json::from(rule.enabled)),
        ("agent_type", Json::from(rule.agent_type.as_str())),
        (
            "condition.metric",
            Json::from(condition.signal.map(|signal| signal.as_str().to_owned())),
        ),
        (
            "condition.prediction",
            Json::from(condition.foreseen.as_str()),
        ),
        ("condition.value", Json::from(condition.value)),
        ("condition.calendars", Json::from(calendars)),
        (
            "condition.horizon",
            Json::from(super::as_text(condition.horizon_s)),
        ),
        (
            "condition.probability",
            Json::from(condition.probability_percent),
        ),
        ("action.kind", Json::from(rule.response.kind.as_str())),
        (
            "action.step_percent",
            Json::from(rule.response.step_percent),
        ),
        (
            "action.target",
            rule.response
                .call
                .as_ref()
                .map_or(Json::Null, |call| Json::from(call.to_string())),
        ),
        ("approval.kind", Json::from(rule.approval.kind.as_str())),
        ("approval.below_gb", Json::from(rule.approval.below_gb)),
        ("scope.accounts", Json::from(rule.scope.accounts.clone())),
        ("scope.services", Json::from(rule.scope.services.clone())),
        ("resources", Json::from(rule.resources.clone())),
        ("every", Json::from(super::as_text(rule.every_s))),
    ])
}
