//! The audit entries of anomalies. All carry `metadata.anomaly_id`, so that one search reads out
//! the whole response.

use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, Severity, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::{POLICY, entry, severity};

use super::investigation::{Investigation, Source};
use super::lesson::LessonThreshold;
use super::probable_cause::ProbableCause;
use super::record::{Anomaly, Stage};
use super::threat::ThreatList;

const ANOMALY: EventType = events::ANOMALY.event_type();

/// Builds the entry of an operation on an anomaly, with the place as its resource.
pub(super) fn about(operation: &str, anomaly: &Anomaly, caller: &Caller) -> Entry {
    let place = &anomaly.place;
    let mut resource = ResourceRef::new(place.kind.clone(), place.id.clone());
    if let Some(provider) = &place.provider {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        resource = resource.in_cloud(provider.clone(), text(&place.account), text(&place.region));
    }

    entry(ANOMALY, operation, ActionStatus::Success, caller)
        .on(resource)
        .with_severity(severity(anomaly.severity))
        .with_metadata("anomaly_id", anomaly.id.0.clone())
        .with_metadata("anomaly_type", anomaly.class.as_str())
        .with_metadata("title", anomaly.title.clone())
}

/// A stage of the response.
pub(super) fn stage(stage: Stage, anomaly: &Anomaly, detail: &str, caller: &Caller) -> Entry {
    let operation = match stage {
        Stage::Alert => "anomaly.detect",
        Stage::Investigate => "anomaly.investigate",
        Stage::Recommend => "anomaly.recommend",
        Stage::Execute => "anomaly.execute",
        Stage::Learn => "anomaly.learn",
    };
    let entry = about(operation, anomaly, caller).with_metadata("detail", detail);

    match (stage, anomaly.readings.first()) {
        (Stage::Alert, Some(reading)) => entry.after(Json::object([
            (
                "metric",
                Json::from(reading.metric.map(|metric| metric.as_str().to_owned())),
            ),
            ("value", Json::from(reading.value)),
            ("expected", Json::from(reading.expected)),
            ("low", Json::from(reading.low)),
            ("high", Json::from(reading.high)),
            ("score", Json::from(reading.score)),
            ("sign", Json::from(reading.indication.to_string())),
        ])),
        (Stage::Investigate, _) => {
            let found = anomaly.investigation.as_ref().map(described);
            let entry = entry.with_metadata("investigation", found.unwrap_or(Json::Null));
            if anomaly.related_entries.is_empty() {
                return entry;
            }
            let sequences: Vec<Json> = anomaly
                .related_entries
                .iter()
                .map(|one| Json::from(one.sequence))
                .collect();
            entry.with_metadata("entries", Json::from(sequences))
        }
        _ => entry,
    }
}

/// The sources and hypotheses of an investigation, for its entry in the log.
fn described(of: &Investigation) -> Json {
    let lookups = of.lookups.iter().map(|lookup| {
        // Entries of the log are not counted: their readers differ.
        let found = lookup.found.filter(|_| lookup.source != Source::AuditLog);
        Json::object([
            ("source", Json::from(lookup.source.as_str())),
            ("subject", Json::from(lookup.subject.clone())),
            ("from", Json::from(lookup.from.to_string())),
            ("to", Json::from(lookup.to.to_string())),
            ("found", found.map_or(Json::Null, Json::from)),
        ])
    });

    let hypotheses = of.hypotheses.iter().map(|one| {
        Json::object([
            ("kind", Json::from(one.kind.as_str())),
            ("support", Json::from(one.support.as_str())),
            ("statement", Json::from(one.statement.clone())),
        ])
    });

    let cause = of.probable_cause.as_ref().map_or(Json::Null, cause);

    Json::object([
        ("lookups", Json::from(lookups.collect::<Vec<_>>())),
        ("hypotheses", Json::from(hypotheses.collect::<Vec<_>>())),
        ("probable_cause", cause),
    ])
}

/// The judgement of a probable cause without entries of the log, whose readers differ.
fn cause(of: &ProbableCause) -> Json {
    let candidates = of.candidates.iter().map(|one| {
        Json::object([
            ("resource", Json::from(one.resource.clone())),
            ("grade", Json::from(one.grade.as_str())),
            ("changes", Json::from(one.changes.len() as u64)),
        ])
    });
    Json::object([
        ("grade", Json::from(of.grade.as_str())),
        ("statement", Json::from(of.statement.clone())),
        ("candidates", Json::from(candidates.collect::<Vec<_>>())),
        ("ruled_out", Json::from(of.ruled_out_total)),
    ])
}

/// A change of a threshold that lessons moved.
pub(super) fn threshold(
    operation: &str,
    before: &LessonThreshold,
    after: &LessonThreshold,
    caller: &Caller,
) -> Entry {
    let described = |one: &LessonThreshold| {
        Json::object([
            ("factor", Json::from(one.factor)),
            ("lessons", Json::from(one.lessons.len())),
            (
                "baseline_from",
                Json::from(one.baseline_from.map(|at| at.to_string())),
            ),
        ])
    };

    let key = &before.key;
    entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("anomaly_threshold", key.id()))
        .with_severity(Severity::Medium)
        .with_metadata("anomaly_type", key.class.as_str())
        .with_metadata(
            "metric",
            Json::from(key.metric.map(|metric| metric.as_str().to_owned())),
        )
        .with_metadata("place", key.place.clone())
        .before(described(before))
        .after(described(after))
}

/// A change of the settings.
pub(super) fn policy(before: Json, after: Json, caller: &Caller) -> Entry {
    entry(
        POLICY,
        "anomaly_settings.put",
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new("anomaly_settings", "anomaly_settings"))
    .with_severity(Severity::Medium)
    .before(before)
    .after(after)
}

/// A change of a list of indicators.
pub(super) fn threat_list(
    operation: &str,
    before: Option<&ThreatList>,
    after: Option<&ThreatList>,
    caller: &Caller,
) -> Entry {
    let name = after
        .or(before)
        .map(|list| list.name.clone())
        .unwrap_or_default();
    let described = |list: &ThreatList| {
        Json::object([
            ("indicators", Json::from(list.indicators)),
            ("from_file", Json::from(list.from_file)),
            ("updated_at", Json::from(list.updated_at.to_string())),
        ])
    };

    let mut entry = entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("threat_list", name))
        .with_severity(Severity::Medium);
    if let Some(list) = before {
        entry = entry.before(described(list));
    }

    match after {
        Some(list) => entry.after(described(list)),
        None => entry,
    }
}
