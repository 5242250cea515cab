//! Events of the Open Cybersecurity Schema Framework, of any class and version 1.

use reeve_audit::Severity;

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "ocsf";

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let Some(class) = item.number("class_uid") else {
        let message = "an OCSF event must have the number of its class";
        return Err(Rejection::new("class_uid", message));
    };
    let native = item.text("metadata.uid").map(str::to_owned);
    let activity = item.number("activity_id").unwrap_or_default();
    item.set("event_type", event_type(class, activity));
    item.set("severity", severity(item.number("severity_id")).as_str());
    let status = match item.number("status_id") {
        Some(1) => Some("success"),
        Some(2) => Some("failed"),
        _ => item
            .text("status")
            .and_then(words::status)
            .map(|one| one.as_str()),
    };
    item.set_text("action.status", status);
    item.take_time("time");

    item.copy(
        "actor.id",
        &[
            "actor.user.uid",
            "actor.user.name",
            "user.uid",
            "user.name",
            "actor.app_name",
        ],
    );
    item.copy_email(&[
        "actor.user.email_addr",
        "user.email_addr",
        "actor.user.name",
        "user.name",
    ]);
    item.copy("actor.session_id", &["actor.session.uid", "session.uid"]);
    item.take_address("src_endpoint.ip");
    item.take("actor.user_agent", "http_request.user_agent");
    item.copy(
        "action.operation",
        &["api.operation", "activity_name", "type_name", "class_name"],
    );
    item.take("metadata.request_id", "api.request.uid");
    item.copy(
        "resource.type",
        &["resources.0.type", "resource.type", "device.type"],
    );
    item.copy(
        "resource.id",
        &[
            "resources.0.uid",
            "resources.0.name",
            "resource.uid",
            "device.uid",
            "device.hostname",
        ],
    );
    item.copy("resource.region", &["cloud.region"]);
    item.copy("resource.account_id", &["cloud.account.uid"]);
    let provider = item.text("cloud.provider").map(str::to_ascii_lowercase);
    item.set_text("resource.cloud_provider", provider);
    Ok(item.finish(KEPT, native))
}

fn event_type(class: i64, activity: i64) -> String {
    let known = match (class, activity) {
        (3002, 1) => "authentication.login",
        (3002, 2) => "authentication.logout",
        (3002, 3) => "authentication.token_issue",
        (3002, _) => "authentication.event",
        (3001, 1) => "user.create",
        (3001, 6) => "user.delete",
        (3001, 3 | 4) => "authentication.password_change",
        (3001, _) => "user.modify",
        (3005, _) => "policy.modify",
        (6003 | 3004 | 5019, 1) => "resource.create",
        (6003 | 3004, 2) => "resource.view",
        (6003 | 3004 | 5019, 3) => "resource.modify",
        (6003 | 3004, 4) => "resource.delete",
        (2001..=2099, 1) => "finding.create",
        (2001..=2099, 3) => "finding.close",
        (2001..=2099, _) => "finding.modify",
        _ => return format!("ocsf.class_{}", class.unsigned_abs()),
    };
    known.to_owned()
}

fn severity(id: Option<i64>) -> Severity {
    match id {
        Some(2) => Severity::Low,
        Some(3) => Severity::Medium,
        Some(4) => Severity::High,
        Some(5 | 6) => Severity::Critical,
        _ => Severity::Info,
    }
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"class_uid":3002,"class_name":"Authentication","activity_id":1,"category_uid":3,
"severity_id":3,"status_id":2,"time":1795860000123,"metadata":{"uid":"8f1","version":"1.3.0","product":{"name":"Gate"}},
"user":{"uid":"u-1","name":"ann","email_addr":"ann@example.com"},"src_endpoint":{"ip":"10.0.0.7","port":50123},
"cloud":{"provider":"AWS","region":"eu-west-1","account":{"uid":"111122223333"}},"unmapped":{"x":1}}"#;
