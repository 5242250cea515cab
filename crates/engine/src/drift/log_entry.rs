//! Entries of the log about baselines and drifts. Those about a drift have its identifier in
//! `metadata.drift_id`, so that one search finds its history.

use reeve_audit::{ActionStatus, Entry, EventKind, Json, ResourceRef, events, format_instant};
use reeve_estate::ResourceId;
use reeve_recommend::caller::Caller;
use reeve_recommend::drift::cause::DriftCause;
use reeve_recommend::drift::comparison::ChangedMember;
use reeve_recommend::drift::{Acceptance, Drift, DriftBaseline, Resolution};

use crate::log_entry::entry;

/// Identifiers of resources that an entry names.
const NAMED: usize = 100;

/// About a pin of the whole scope, or of these resources.
pub(super) fn pinned(
    baseline: &DriftBaseline,
    resources: Option<&[ResourceId]>,
    caller: &Caller,
) -> Entry {
    let entry = about_baseline(&events::BASELINE_PIN, "baseline.pin", baseline, caller)
        .after(described(baseline));
    match resources {
        None => entry,
        Some(resources) => {
            let names = resources.iter().take(NAMED);
            let names = names.map(|id| Json::from(id.as_str())).collect();
            entry
                .with_metadata("resources", Json::Array(names))
                .with_metadata("resources_count", resources.len() as u64)
        }
    }
}

pub(super) fn removed(baseline: &DriftBaseline, caller: &Caller) -> Entry {
    about_baseline(
        &events::BASELINE_REMOVE,
        "baseline.remove",
        baseline,
        caller,
    )
    .before(described(baseline))
}

fn about_baseline(
    kind: &EventKind,
    operation: &str,
    baseline: &DriftBaseline,
    caller: &Caller,
) -> Entry {
    entry(kind.event_type(), operation, ActionStatus::Success, caller)
        .with_severity(kind.severity)
        .on(ResourceRef::new("baseline", baseline.id.0.clone()))
        .with_metadata("baseline", baseline.name.clone())
}

fn described(baseline: &DriftBaseline) -> Json {
    let scope = &baseline.scope;
    let list = |names: Vec<&str>| Json::Array(names.into_iter().map(Json::from).collect());
    Json::object([
        ("name", Json::from(baseline.name.clone())),
        ("description", Json::from(baseline.description.clone())),
        (
            "connections",
            list(scope.connections.iter().map(|id| id.0.as_str()).collect()),
        ),
        (
            "kinds",
            list(scope.kinds.iter().map(|kind| kind.as_str()).collect()),
        ),
        ("tags", Json::object(scope.tags.clone())),
        ("revision", Json::from(baseline.revision)),
        ("resources", Json::from(baseline.resources)),
    ])
}

fn about_drift(
    kind: &EventKind,
    operation: &str,
    drift: &Drift,
    baseline: &DriftBaseline,
    caller: &Caller,
) -> Entry {
    let subject = &drift.subject;
    let resource = ResourceRef::new(subject.kind.as_str(), subject.resource.0.clone()).in_cloud(
        subject.provider.as_str(),
        subject.account.clone(),
        subject.region.clone(),
    );
    entry(kind.event_type(), operation, ActionStatus::Success, caller)
        .with_severity(kind.severity)
        .on(resource)
        .with_metadata("drift_id", drift.id.0.clone())
        .with_metadata("baseline_id", drift.baseline.0.clone())
        .with_metadata("baseline", baseline.name.clone())
        .with_metadata("connection_id", subject.connection.0.clone())
        .with_metadata("resource_name", subject.name.clone())
        .with_metadata("form", drift.form.as_str())
}

/// About a drift that was found: what differs, and who caused it as far as the log says.
pub(super) fn detected(
    drift: &Drift,
    baseline: &DriftBaseline,
    members: &[ChangedMember],
    cause: Option<&DriftCause>,
    caller: &Caller,
) -> Entry {
    let value = |member: &ChangedMember, value: &Option<serde_json::Value>| {
        Some((member.path.clone(), Json::from(value.clone()?)))
    };
    let pinned = members.iter().filter_map(|one| value(one, &one.pinned));
    let now = members.iter().filter_map(|one| value(one, &one.now));
    let mut entry = about_drift(
        &events::DRIFT_DETECT,
        "drift.detect",
        drift,
        baseline,
        caller,
    )
    .with_metadata("document", drift.hash.clone())
    .with_metadata("pinned_document", drift.pinned_hash.clone());
    if !members.is_empty() {
        entry = entry.before(Json::object(pinned)).after(Json::object(now));
    }
    if let Some(at) = drift.agreed_at {
        entry = entry.with_metadata("agreed_at", format_instant(at));
    }

    let Some(cause) = cause else { return entry };
    let actor = [
        ("type", &cause.actor_type),
        ("id", &cause.actor_id),
        ("email", &cause.actor_email),
    ];
    let actor = actor
        .into_iter()
        .filter_map(|(name, value)| Some((name, Json::from(value.clone()?))));
    entry
        .with_metadata("changed_by", Json::object(actor))
        .with_metadata("caused_by", cause.event_id.clone())
}

pub(super) fn resolved(
    drift: &Drift,
    baseline: &DriftBaseline,
    resolution: Resolution,
    caller: &Caller,
) -> Entry {
    about_drift(
        &events::DRIFT_RESOLVE,
        "drift.resolve",
        drift,
        baseline,
        caller,
    )
    .with_metadata("resolution", resolution.as_str())
}

pub(super) fn accepted(
    drift: &Drift,
    baseline: &DriftBaseline,
    acceptance: &Acceptance,
    caller: &Caller,
) -> Entry {
    about_drift(
        &events::DRIFT_ACCEPT,
        "drift.accept",
        drift,
        baseline,
        caller,
    )
    .with_metadata("reason", acceptance.reason.clone())
    .with_metadata("ends_at", format_instant(acceptance.ends_at))
    .with_metadata("document", drift.hash.clone())
}

pub(super) fn reopened(
    drift: &Drift,
    baseline: &DriftBaseline,
    reason: &str,
    caller: &Caller,
) -> Entry {
    about_drift(
        &events::DRIFT_REOPEN,
        "drift.reopen",
        drift,
        baseline,
        caller,
    )
    .with_metadata("reason", reason)
}
