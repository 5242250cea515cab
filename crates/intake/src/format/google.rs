//! Google Cloud Audit Logs: log entries whose payload is an `AuditLog`, as sinks export them and as
//! Pub/Sub pushes them.

use reeve_audit::{ActionStatus, ActorType};

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "google";

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let Some(method) = item.text("protoPayload.methodName").map(str::to_owned) else {
        let message = "a log entry of the audit logs must have the name of its method";
        return Err(Rejection::new("protoPayload.methodName", message));
    };
    // Identifiers are unique within a log and a time.
    let native = item.text("insertId").map(|id| {
        let time = item.text("timestamp").unwrap_or_default();
        let log = item.text("logName").unwrap_or_default();
        format!("{log}/{time}/{id}")
    });
    item.set("event_type", event_type(&method));
    let severity = item.text("severity").and_then(words::severity);
    item.set_text("severity", severity.map(|severity| severity.as_str()));
    // Codes of google.rpc: 7 permission denied, 16 unauthenticated.
    let status = match item.number("protoPayload.status.code") {
        None | Some(0) => ActionStatus::Success,
        Some(7 | 16) => ActionStatus::Denied,
        Some(_) => ActionStatus::Failed,
    };
    item.set("action.status", status.as_str());
    item.take_time("timestamp");

    let email = "protoPayload.authenticationInfo.principalEmail";
    let is_service = item
        .text(email)
        .is_some_and(|email| email.ends_with("gserviceaccount.com"));
    if item.text(email).is_some() {
        let kind = if is_service {
            ActorType::Service
        } else {
            ActorType::User
        };
        item.set("actor.type", kind.as_str());
    }
    item.copy_email(&[email]);
    item.copy(
        "actor.id",
        &[email, "protoPayload.authenticationInfo.principalSubject"],
    );
    item.take_address("protoPayload.requestMetadata.callerIp");
    item.take(
        "actor.user_agent",
        "protoPayload.requestMetadata.callerSuppliedUserAgent",
    );
    item.copy("resource.type", &["resource.type"]);
    item.copy("resource.id", &["protoPayload.resourceName"]);
    item.copy("resource.account_id", &["resource.labels.project_id"]);
    item.copy(
        "resource.region",
        &["resource.labels.location", "resource.labels.zone"],
    );
    item.set("resource.cloud_provider", "gcp");
    item.take("action.operation", "protoPayload.methodName");
    item.take("metadata.request_id", "operation.id");
    if status == ActionStatus::Success
        && !matches!(event_type(&method), "resource.view" | "resource.delete")
    {
        item.take_object("changes.after", "protoPayload.request");
    }
    Ok(item.finish(KEPT, native))
}

fn event_type(method: &str) -> &'static str {
    let last = method
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| last.starts_with(word));
    if last.contains("iampolicy") && last.starts_with("set") {
        return "policy.modify";
    }
    if begins(&[
        "get",
        "list",
        "search",
        "query",
        "aggregated",
        "test",
        "read",
    ]) {
        "resource.view"
    } else if begins(&["create", "insert", "upload"]) {
        "resource.create"
    } else if begins(&["delete", "remove", "destroy"]) {
        "resource.delete"
    } else if begins(&[
        "update", "patch", "set", "add", "attach", "detach", "enable", "disable", "move",
    ]) {
        "resource.modify"
    } else if begins(&["start", "stop", "reset", "suspend", "resume"]) {
        "resource.state"
    } else {
        "resource.execute"
    }
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","status":{},"authenticationInfo":{"principalEmail":"ann@example.com"},
"requestMetadata":{"callerIp":"203.0.113.9","callerSuppliedUserAgent":"gcloud/1"},"serviceName":"compute.googleapis.com","methodName":"v1.compute.instances.insert","resourceName":"projects/p/zones/z/instances/i","request":{"name":"i"}},
"insertId":"-a1","resource":{"type":"gce_instance","labels":{"project_id":"p","zone":"europe-west1-b"}},"timestamp":"2026-11-28T10:00:00.123456Z","severity":"NOTICE","logName":"projects/p/logs/cloudaudit.googleapis.com%2Factivity","receiveTimestamp":"2026-11-28T10:00:01Z"}"#;
