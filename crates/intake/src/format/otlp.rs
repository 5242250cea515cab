//! Log records of OpenTelemetry, as OTLP over HTTP carries them: JSON or protobuf.

use reeve_audit::json::Object;
use reeve_audit::{Json, Severity};

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "otlp";

/// Takes the log records out of a request: each with its resource and its scope.
pub(crate) fn records(request: &Json) -> Result<Vec<Object>, Rejection> {
    let Some(resources) = request.get("resourceLogs").and_then(Json::as_array) else {
        return Err(Rejection::new(
            "resourceLogs",
            "must be a list of log records by resource",
        ));
    };
    let list = |value: &'_ Json, name: &str| -> Vec<Json> {
        value
            .get(name)
            .and_then(Json::as_array)
            .unwrap_or_default()
            .to_vec()
    };
    let mut found = Vec::new();
    for resource in resources {
        for scope in list(resource, "scopeLogs") {
            for record in list(&scope, "logRecords") {
                let mut members = Object::new();
                members.insert("record", flat(&record));
                for (name, value) in [
                    ("resource", resource.get("resource")),
                    ("scope", scope.get("scope")),
                ] {
                    if let Some(value) = value {
                        members.insert(name, flat(value));
                    }
                }
                for (name, value) in [("resource_schema", resource), ("scope_schema", &scope)] {
                    if let Some(url) = value.get("schemaUrl").and_then(Json::as_str) {
                        members.insert(name, url);
                    }
                }
                found.push(members);
            }
        }
    }
    Ok(found)
}

/// Writes attributes as members by their names, and values without the name of their type. Lists
/// with a key that is there twice stay as they are.
fn flat(value: &Json) -> Json {
    let Json::Object(members) = value else {
        return value.clone();
    };
    let flattened = members.iter().map(|(name, value)| {
        let value = match (name, value) {
            ("attributes", Json::Array(pairs)) => {
                attributes(pairs).unwrap_or_else(|| value.clone())
            }
            ("body", value) => plain(value),
            _ => value.clone(),
        };
        (name.to_owned(), value)
    });
    Json::Object(flattened.collect())
}

fn attributes(pairs: &[Json]) -> Option<Json> {
    let mut members = Object::new();
    for pair in pairs {
        let key = pair.get("key")?.as_str()?;
        let value = plain(pair.get("value").unwrap_or(&Json::Null));
        if members.insert(key, value).is_some() {
            return None;
        }
    }
    Some(Json::Object(members))
}

/// Returns a value without the name of its type. Whole numbers are text in OTLP's JSON and stay so;
/// bytes and what is not understood stay as they are.
fn plain(value: &Json) -> Json {
    let Some(members) = value.as_object().filter(|members| members.len() == 1) else {
        return value.clone();
    };
    let Some((kind, inner)) = members.iter().next() else {
        return value.clone();
    };
    match (kind, inner) {
        ("stringValue" | "boolValue" | "intValue" | "doubleValue", inner) => inner.clone(),
        ("arrayValue", inner) => match inner.get("values").and_then(Json::as_array) {
            Some(values) => Json::Array(values.iter().map(plain).collect()),
            None => value.clone(),
        },
        ("kvlistValue", inner) => inner
            .get("values")
            .and_then(Json::as_array)
            .and_then(attributes)
            .unwrap_or_else(|| value.clone()),
        _ => value.clone(),
    }
}

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let native = item
        .text("record.attributes.log.record.uid")
        .map(str::to_owned);
    let name = item.first_text(&["record.eventName", "record.attributes.event.name"]);
    let event_type = name
        .and_then(|name| words::event_type(KEPT, name))
        .unwrap_or_else(|| "otlp.log".to_owned());
    item.set("event_type", event_type);
    let severity = severity(
        item.number("record.severityNumber"),
        item.text("record.severityText"),
    );
    item.set("severity", severity.as_str());
    // Zero means that the time is not known.
    let is_known = item
        .number("record.timeUnixNano")
        .is_some_and(|time| time != 0);
    item.take_time(if is_known {
        "record.timeUnixNano"
    } else {
        "record.observedTimeUnixNano"
    });

    let of = |name: &str| format!("record.attributes.{name}");
    item.copy(
        "actor.id",
        &[&of("user.id"), &of("enduser.id"), &of("user.name")],
    );
    item.copy_email(&[&of("user.email"), &of("enduser.id"), &of("user.name")]);
    item.take_address(&of("client.address"));
    item.copy("actor.user_agent", &[&of("user_agent.original")]);
    item.copy("actor.session_id", &[&of("session.id")]);
    item.copy(
        "action.operation",
        &[
            "record.eventName",
            &of("event.name"),
            &of("http.request.method"),
        ],
    );
    let outcome = item
        .first_text(&[&of("event.outcome"), &of("outcome")])
        .and_then(words::status);
    item.set_text("action.status", outcome.map(|outcome| outcome.as_str()));
    let service = item
        .text("resource.attributes.service.name")
        .map(str::to_owned);
    if service.is_some() {
        item.set("resource.type", "service");
        item.set_text("resource.id", service);
    } else if item.text("resource.attributes.host.name").is_some() {
        item.set("resource.type", "host");
        item.copy("resource.id", &["resource.attributes.host.name"]);
    }
    item.copy(
        "resource.cloud_provider",
        &["resource.attributes.cloud.provider"],
    );
    item.copy(
        "resource.account_id",
        &["resource.attributes.cloud.account.id"],
    );
    item.copy("resource.region", &["resource.attributes.cloud.region"]);
    item.take("metadata.request_id", "record.traceId");
    Ok(item.finish(KEPT, native))
}

/// The numbers of OpenTelemetry's data model: four each of trace, debug, info, warn, error, fatal.
fn severity(number: Option<i64>, text: Option<&str>) -> Severity {
    match number.unwrap_or_default() {
        13..=16 => Severity::Medium,
        17..=20 => Severity::High,
        21..=24 => Severity::Critical,
        1..=12 => Severity::Info,
        _ => text.and_then(words::severity).unwrap_or(Severity::Info),
    }
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"cloud.region","value":{"stringValue":"eu-west-1"}}]},
"scopeLogs":[{"scope":{"name":"audit","version":"1"},"logRecords":[{"timeUnixNano":"1795860000123456789","severityNumber":17,"severityText":"ERROR","body":{"stringValue":"sign-in failed"},
"attributes":[{"key":"event.name","value":{"stringValue":"user.login"}},{"key":"user.id","value":{"stringValue":"ann"}},{"key":"tries","value":{"intValue":"3"}},{"key":"list","value":{"arrayValue":{"values":[{"boolValue":true}]}}}],"traceId":"5b8e"}]}]}]}"#;
