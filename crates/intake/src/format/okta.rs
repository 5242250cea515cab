//! Events of the Okta System Log, as its API lists them and as event hooks deliver them.

use reeve_audit::ActorType;

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;
use crate::words;

/// Member of `metadata` with what is left over.
const KEPT: &str = "okta";

pub(crate) fn map(mut item: Item) -> Result<ItemClaim, Rejection> {
    let Some(name) = item.text("eventType").map(str::to_owned) else {
        let message = "an event of the System Log must have a type";
        return Err(Rejection::new("eventType", message));
    };
    let native = item.text("uuid").map(str::to_owned);
    let event_type = event_type(&name)
        .map(str::to_owned)
        .or_else(|| words::event_type(KEPT, &format!("okta.{name}")))
        .unwrap_or_else(|| "okta.event".to_owned());
    item.set("event_type", event_type);
    let severity = item.text("severity").and_then(words::severity);
    item.set_text("severity", severity.map(|severity| severity.as_str()));
    let status = item.text("outcome.result").and_then(words::status);
    item.set_text("action.status", status.map(|status| status.as_str()));
    item.take_time("published");

    let kind = item.text("actor.type").map(|kind| match kind {
        "User" => ActorType::User,
        "SystemPrincipal" => ActorType::System,
        _ => ActorType::Service,
    });
    item.set_text("actor.type", kind.map(|kind| kind.as_str()));
    item.copy_email(&["actor.alternateId"]);
    item.take("actor.id", "actor.id");
    item.take_address("client.ipAddress");
    item.take("actor.user_agent", "client.userAgent.rawUserAgent");
    item.take(
        "actor.session_id",
        "authenticationContext.externalSessionId",
    );
    item.copy("resource.type", &["target.0.type"]);
    item.copy("resource.id", &["target.0.id", "target.0.alternateId"]);
    item.set("resource.cloud_provider", "okta");
    item.take("action.operation", "eventType");
    item.take("metadata.request_id", "transaction.id");
    Ok(item.finish(KEPT, native))
}

fn event_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "user.session.start" | "user.authentication.sso" | "user.authentication.verify" => {
            "authentication.login"
        }
        "user.session.end" => "authentication.logout",
        "user.account.update_password" => "authentication.password_change",
        "user.account.reset_password" => "authentication.password_reset",
        "user.lifecycle.create" => "user.create",
        "user.lifecycle.delete.initiated" => "user.delete",
        _ if name.starts_with("user.authentication.auth_via_mfa")
            || name.starts_with("user.mfa.") =>
        {
            "authentication.mfa"
        }
        _ if name.starts_with("user.lifecycle.") || name.starts_with("user.account.") => {
            "user.modify"
        }
        _ if name.starts_with("policy.")
            || name.contains(".privilege.")
            || name.starts_with("group.user_membership.") =>
        {
            "policy.modify"
        }
        _ => return None,
    })
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = r#"{"uuid":"c0ffee00-1111","published":"2026-11-28T10:00:00.123Z","eventType":"user.session.start","version":"0",
"severity":"INFO","displayMessage":"User login to Okta","actor":{"id":"00u1","type":"User","alternateId":"ann@example.com","displayName":"Ann"},
"client":{"userAgent":{"rawUserAgent":"Mozilla/5.0","os":"Linux"},"ipAddress":"203.0.113.9","geographicalContext":{"country":"Germany","geolocation":{"lat":52.5,"lon":13.4}}},
"outcome":{"result":"FAILURE","reason":"INVALID_CREDENTIALS"},"target":[{"id":"0oa1","type":"AppInstance"}],
"transaction":{"type":"WEB","id":"T1"},"authenticationContext":{"externalSessionId":"idx1","authenticationStep":0}}"#;
