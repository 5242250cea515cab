//! Entries of the Azure Activity Log, as diagnostic settings export them.

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "azure";

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let name = item.first_text(&["operationName.value", "operationName"]);
    let Some(operation) = name.map(str::to_owned) else {
        let message = "an entry of the Activity Log must have the name of its operation";
        return Err(Rejection::new("operationName", message));
    };
    let native = item.first_text(&["eventDataId", "properties.eventDataId"]);
    let native = native.map(str::to_owned);
    item.set("event_type", event_type(&operation));
    let level = item
        .first_text(&["level", "Level"])
        .and_then(words::severity);
    item.set_text("severity", level.map(|level| level.as_str()));
    let outcome = item.first_text(&["resultType", "status.value", "properties.statusCode"]);
    let status = outcome
        .and_then(words::status)
        .map(|status| status.as_str());
    item.set_text("action.status", status);
    if item.at("time").is_some() {
        item.take_time("time");
    } else {
        item.take_time("eventTimestamp");
    }

    item.copy_email(&[
        "caller",
        "identity.claims.http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn",
    ]);
    item.copy(
        "actor.id",
        &[
            "caller",
            "identity.claims.http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn",
            "identity.authorization.evidence.principalId",
            "identity.claims.appid",
        ],
    );
    item.take_address("callerIpAddress");
    item.copy("resource.id", &["resourceId", "resourceUri"]);
    let kind = item
        .first_text(&["resourceId", "resourceUri"])
        .and_then(resource_type);
    item.set_text("resource.type", kind);
    let account = item
        .first_text(&["resourceId", "resourceUri"])
        .and_then(subscription);
    item.set_text("resource.account_id", account);
    item.copy("resource.region", &["location"]);
    item.set("resource.cloud_provider", "azure");
    item.set("action.operation", operation);
    for path in ["operationName.value", "operationName"] {
        item.drop_if_held("action.operation", path);
    }
    item.take("metadata.request_id", "correlationId");
    Ok(item.finish(KEPT, native))
}

fn event_type(operation: &str) -> &'static str {
    let lower = operation.to_ascii_lowercase();
    let verb = lower.rsplit('/').next().unwrap_or_default();
    if lower.starts_with("microsoft.authorization/") && verb != "read" {
        return "policy.modify";
    }
    match verb {
        "read" => "resource.view",
        "write" => "resource.modify",
        "delete" => "resource.delete",
        _ => "resource.execute",
    }
}

/// Returns `microsoft.compute/virtualmachines` of an identifier that has it after `providers`.
fn resource_type(id: &str) -> Option<String> {
    let mut parts = id
        .split('/')
        .skip_while(|part| !part.eq_ignore_ascii_case("providers"));
    parts.next()?;
    Some(format!("{}/{}", parts.next()?, parts.next()?).to_ascii_lowercase())
}

fn subscription(id: &str) -> Option<String> {
    let mut parts = id
        .split('/')
        .skip_while(|part| !part.eq_ignore_ascii_case("subscriptions"));
    parts.next()?;
    parts.next().filter(|id| !id.is_empty()).map(str::to_owned)
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"time":"2026-11-28T10:00:00.1234567Z","resourceId":"/SUBSCRIPTIONS/S-1/RESOURCEGROUPS/SHOP/PROVIDERS/MICROSOFT.COMPUTE/VIRTUALMACHINES/VM1",
"operationName":"MICROSOFT.COMPUTE/VIRTUALMACHINES/WRITE","category":"Administrative","resultType":"Success","level":"Information","callerIpAddress":"203.0.113.9",
"correlationId":"C1","identity":{"claims":{"http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn":"ann@example.com"}},"properties":{"eventDataId":"e-1","statusCode":"Created"}}"#;
