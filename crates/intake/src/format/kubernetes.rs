//! Audit events of the Kubernetes API server, `audit.k8s.io/v1`. An event is identified by its
//! `auditID` and its stage: one request is audited at several stages.

use reeve_audit::{ActionStatus, ActorType, Json};

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;

/// Member of `metadata` with what is left over.
const KEPT: &str = "kubernetes";
/// Resources whose change is a change of rights.
const RIGHTS: [&str; 4] = [
    "roles",
    "rolebindings",
    "clusterroles",
    "clusterrolebindings",
];
/// Subresources whose creation runs something.
const EXECUTING: [&str; 4] = ["exec", "attach", "portforward", "proxy"];

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let Some(audit_id) = item.text("auditID").map(str::to_owned) else {
        return Err(Rejection::new("auditID", "an audit event must have one"));
    };
    let stage = item.text("stage").unwrap_or_default().to_owned();
    let native = format!("{audit_id}/{stage}");

    let status = status(&item);
    item.set("action.status", status.as_str());
    let event_type = event_type(&item);
    item.set("event_type", event_type);
    actor(&mut item);
    resource(&mut item);
    if item.at("stageTimestamp").is_some() {
        item.take_time("stageTimestamp");
    } else {
        item.take_time("requestReceivedTimestamp");
    }

    let changes = matches!(item.text("verb"), Some("create" | "update" | "patch"));
    if changes && status == ActionStatus::Success {
        item.take_object("changes.after", "requestObject");
    }
    item.set("resource.cloud_provider", "kubernetes");
    item.set("action.method", "api");
    item.take("action.operation", "verb");
    item.take("metadata.request_id", "auditID");
    item.take("actor.user_agent", "userAgent");
    Ok(item.finish(KEPT, Some(native)))
}

fn status(item: &Item) -> ActionStatus {
    let decision = item.text("annotations.authorization.k8s.io/decision");
    let code = item.number("responseStatus.code");
    match (decision, code) {
        (Some("forbid"), _) | (_, Some(401 | 403)) => ActionStatus::Denied,
        (_, Some(400..)) => ActionStatus::Failed,
        (_, Some(_)) => ActionStatus::Success,
        (_, None) if item.text("stage") == Some("Panic") => ActionStatus::Failed,
        (_, None) => ActionStatus::Pending,
    }
}

fn event_type(item: &Item) -> &'static str {
    let verb = item.text("verb").unwrap_or_default();
    let resource = item.text("objectRef.resource").unwrap_or_default();
    let subresource = item.text("objectRef.subresource").unwrap_or_default();
    let is_change = !matches!(verb, "get" | "list" | "watch" | "head" | "options");
    if is_change && RIGHTS.contains(&resource) {
        return "policy.modify";
    }
    if EXECUTING.contains(&subresource) {
        return "resource.execute";
    }
    if subresource == "token" && verb == "create" {
        return "authentication.token_issue";
    }
    match verb {
        _ if !is_change => "resource.view",
        "create" if resource.ends_with("reviews") => "resource.view",
        "create" => "resource.create",
        "update" | "patch" | "put" => "resource.modify",
        "delete" | "deletecollection" => "resource.delete",
        _ => "resource.execute",
    }
}

fn actor(item: &mut Item) {
    if let Some(name) = item.text("user.username").map(str::to_owned) {
        let kind = match name.as_str() {
            "system:anonymous" => ActorType::Anonymous,
            name if name.starts_with("system:") => ActorType::Service,
            _ => ActorType::User,
        };
        item.set("actor.type", kind.as_str());
    }
    item.copy_email(&["user.username"]);
    item.take("actor.id", "user.username");
    // The list stays as it is: the addresses behind the first are of proxies.
    let address = item
        .text("sourceIPs.0")
        .and_then(reeve_audit::parse_address);
    item.set_text(
        "actor.ip_address",
        address.map(|address| address.to_string()),
    );
}

fn resource(item: &mut Item) {
    item.copy("resource.type", &["objectRef.resource"]);
    let name = item.text("objectRef.name");
    let id = match (item.text("objectRef.namespace"), name) {
        (Some(namespace), Some(name)) => Some(format!("{namespace}/{name}")),
        (None, Some(name)) => Some(name.to_owned()),
        (Some(namespace), None) => Some(namespace.to_owned()),
        (None, None) => item.text("requestURI").map(str::to_owned),
    };
    item.set("resource.id", id.map_or(Json::Null, Json::from));
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request",
"auditID":"9f3e1b0a-6f1f-4d0e-9d2b-0a7c5d3c9f11","stage":"ResponseComplete",
"requestURI":"/api/v1/namespaces/shop/secrets","verb":"create",
"user":{"username":"ann@example.com","groups":["system:authenticated"]},"sourceIPs":["10.0.0.7"],
"userAgent":"kubectl/v1.31","objectRef":{"resource":"secrets","namespace":"shop","name":"db","apiVersion":"v1"},
"responseStatus":{"metadata":{},"code":201},"requestObject":{"kind":"Secret","data":{}},
"requestReceivedTimestamp":"2026-11-28T10:00:00.000000Z","stageTimestamp":"2026-11-28T10:00:00.012345Z",
"annotations":{"authorization.k8s.io/decision":"allow"}}"#;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn verbs_and_subresources_name_the_event_type() {
        for (verb, resource, subresource, expected) in [
            ("get", "pods", "", "resource.view"),
            ("create", "pods", "exec", "resource.execute"),
            ("get", "pods", "exec", "resource.execute"),
            (
                "create",
                "serviceaccounts",
                "token",
                "authentication.token_issue",
            ),
            ("patch", "clusterroles", "", "policy.modify"),
            ("create", "subjectaccessreviews", "", "resource.view"),
            ("deletecollection", "jobs", "", "resource.delete"),
            ("bind", "x", "", "resource.execute"),
        ] {
            let text = format!(
                r#"{{"verb":"{verb}","objectRef":{{"resource":"{resource}","subresource":"{subresource}"}}}}"#
            );
            let item = Item::read(text.as_bytes()).unwrap();
            assert_eq!(
                event_type(&item),
                expected,
                "{verb} {resource}/{subresource}"
            );
        }
    }

    #[test]
    fn a_forbidden_request_is_denied_and_a_begun_one_pending() {
        for (members, expected) in [
            (
                r#""annotations":{"authorization.k8s.io/decision":"forbid"}"#,
                ActionStatus::Denied,
            ),
            (r#""responseStatus":{"code":403}"#, ActionStatus::Denied),
            (r#""responseStatus":{"code":404}"#, ActionStatus::Failed),
            (r#""responseStatus":{"code":200}"#, ActionStatus::Success),
            (r#""stage":"RequestReceived""#, ActionStatus::Pending),
        ] {
            let item = Item::read(format!("{{{members}}}").as_bytes()).unwrap();
            assert_eq!(status(&item), expected, "{members}");
        }
    }
}
