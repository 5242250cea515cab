//! Entries of a GitHub organization's or enterprise's audit log, as the API lists them and as
//! streaming exports them.

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "github";

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let Some(action) = item.text("action").map(str::to_owned) else {
        let message = "an entry of the audit log must have an action";
        return Err(Rejection::new("action", message));
    };
    let native = item.text("_document_id").map(str::to_owned);
    let event_type = event_type(&action, item.text("operation_type"))
        .map(str::to_owned)
        .or_else(|| words::event_type(KEPT, &format!("github.{action}")))
        .unwrap_or_else(|| "github.event".to_owned());
    item.set("event_type", event_type);
    if item.at("@timestamp").is_some() {
        item.take_time("@timestamp");
    } else {
        item.take_time("created_at");
    }
    let is_program = item.at("actor_is_bot").and_then(reeve_audit::Json::as_bool) == Some(true);
    item.set("actor.type", if is_program { "service" } else { "user" });
    item.copy_email(&["external_identity_nameid"]);
    item.take("actor.id", "actor");
    item.take_address("actor_ip");
    item.take("actor.user_agent", "user_agent");
    let kind = ["repo", "team", "user", "org", "business"]
        .into_iter()
        .find(|name| item.text(name).is_some());
    if let Some(kind) = kind {
        item.set(
            "resource.type",
            if kind == "repo" { "repository" } else { kind },
        );
        item.copy("resource.id", &[kind]);
    }
    item.copy("resource.account_id", &["org", "business"]);
    item.set("resource.cloud_provider", "github");
    let status = match item.text("operation_type") {
        _ if action.ends_with("failed") || action.ends_with("_failure") => "failed",
        _ => "success",
    };
    item.set("action.status", status);
    item.take("action.operation", "action");
    item.take("metadata.request_id", "request_id");
    Ok(item.finish(KEPT, native))
}

fn event_type(action: &str, operation: Option<&str>) -> Option<&'static str> {
    let rights = [
        "add_member",
        "remove_member",
        "update_member",
        "permission",
        "oauth",
        "access_token",
    ];
    if operation != Some("access") && rights.iter().any(|word| action.contains(word)) {
        return Some("policy.modify");
    }
    Some(match (action, operation?) {
        ("user.logout", _) => "authentication.logout",
        (_, "authentication") => "authentication.login",
        (_, "create") => "resource.create",
        (_, "modify" | "transfer" | "restore") => "resource.modify",
        (_, "remove") => "resource.delete",
        (_, "access") => "resource.view",
        _ => return None,
    })
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"@timestamp":1795860000123,"_document_id":"pQ1","action":"repo.create","actor":"ann","actor_id":7,
"actor_ip":"203.0.113.9","user_agent":"git/2.4","org":"acme","repo":"acme/shop","operation_type":"create","visibility":"private","created_at":1795860000123,"request_id":"R:1","org_id":12}"#;
