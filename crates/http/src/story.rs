//! The entries that the HTTP face writes about itself: who signed in, who read the log and how, who changed what.
//!
//! Reading the log writes one entry here and nothing else; writing that entry reads nothing, so it does not log itself.

use serde_json::{Value, json};

use reeve_access::{Principal, PrincipalKind};
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Entry, EventType, Json, ResourceRef, Severity, Submitter,
    SubmitterType,
};

use crate::extract::Caller;
use crate::identify::Origin;

/// The actor that a principal is in the log.
#[must_use]
pub fn actor(principal: &Principal, origin: &Origin) -> Actor {
    let mut actor = Actor::new(ActorType::User, principal.user.0.clone()).with_email(principal.email.clone());
    if let Some(session) = &principal.session {
        actor = actor.with_session_id(session.clone());
    }
    from(actor, origin)
}

/// The submitter that a caller is of the entries it appends.
#[must_use]
pub fn submitter(caller: &Caller) -> Submitter {
    let principal = &caller.principal;
    let kind = match principal.kind {
        PrincipalKind::Token => SubmitterType::Token,
        PrincipalKind::Session => SubmitterType::Session,
        // Nothing inside Reeve appends entries of others over HTTP, and nothing that does may pass for Reeve.
        PrincipalKind::System => SubmitterType::Local,
    };
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let credential = || principal.session.as_deref().and_then(given);
    Submitter {
        id: given(&principal.user.0),
        email: given(&principal.email),
        ip_address: caller.origin.ip_address.as_deref().and_then(|address| address.parse().ok()),
        session_id: credential().filter(|_| kind == SubmitterType::Session),
        token_id: credential().filter(|_| kind == SubmitterType::Token),
        token_name: principal.token_name.as_deref().and_then(given),
        ..Submitter::new(kind)
    }
}

fn from(mut actor: Actor, origin: &Origin) -> Actor {
    if let Some(ip) = origin.ip_address.as_deref().and_then(|ip| ip.parse().ok()) {
        actor = actor.with_ip_address(ip);
    }
    if let Some(agent) = &origin.user_agent {
        actor = actor.with_user_agent(agent.clone());
    }
    actor
}

/// An entry about something the caller did.
#[must_use]
pub fn did(caller: &Caller, event_type: &'static str, operation: &str, resource: ResourceRef) -> Entry {
    Entry::new(EventType::from_static(event_type))
        .by(actor(&caller.principal, &caller.origin))
        .on(resource)
        .with_action(operation, ActionStatus::Success, ActionMethod::Api)
        .with_request_id(caller.request_id.clone())
}

/// An entry about reading the log: which query or entry, how many were found.
#[must_use]
pub fn read_log(caller: &Caller, event_type: &'static str, operation: &str, asked: Value, found: Option<u64>) -> Entry {
    let mut entry = did(caller, event_type, operation, ResourceRef::new("audit_log", "audit-logs"))
        .with_metadata("request", Json::from(asked));
    if let Some(found) = found {
        entry = entry.with_metadata("found", Json::from(json!(found)));
    }
    entry
}

/// An entry about a refusal.
#[must_use]
pub fn denied(principal: &Principal, method: &str, path: &str, needed: &str) -> Entry {
    Entry::new(EventType::from_static("authorization.denied"))
        .by(actor(principal, &Origin::default()))
        .with_severity(Severity::Low)
        .on(ResourceRef::new("route", path.chars().take(512).collect::<String>()))
        .with_action(method, ActionStatus::Denied, ActionMethod::Api)
        .with_metadata("needed", Json::from(json!(needed)))
}

/// An entry about signing in, well or not. `who` is the user's id when known.
#[must_use]
pub fn login(
    email: &str,
    who: Option<(&str, &str)>,
    origin: &Origin,
    request_id: &str,
    failure: Option<&str>,
) -> Entry {
    let actor = match who {
        Some((id, session)) => Actor::new(ActorType::User, id).with_session_id(session),
        None => Actor::new(ActorType::Anonymous, "anonymous"),
    };
    let actor = if email.contains('@') { actor.with_email(email) } else { actor };
    let status = if failure.is_none() { ActionStatus::Success } else { ActionStatus::Failed };
    let mut entry = Entry::new(EventType::from_static("authentication.login"))
        .by(from(actor, origin))
        .with_severity(if failure.is_none() { Severity::Info } else { Severity::Medium })
        .with_action("login", status, ActionMethod::Api)
        .with_request_id(request_id);
    if let Some(reason) = failure {
        entry = entry.with_metadata("reason", Json::from(json!(reason)));
    }
    entry
}
