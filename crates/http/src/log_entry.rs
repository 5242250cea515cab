//! The entries that the HTTP face writes about itself: who signed in, who read the log and how, who
//! changed what.
//!
//! Reading the log writes one entry here and nothing else; writing that entry reads nothing, so it
//! does not log itself.

use serde_json::{Value, json};

use reeve_access::{AccessSession, Principal, PrincipalKind, SignInMethod, User};
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Entry, EventKind, Json, ResourceRef, Severity,
    Submitter, SubmitterType, events, is_email_address,
};

use crate::extract::Caller;
use crate::identify::Origin;

/// The actor that a principal is in the log.
#[must_use]
pub fn actor(principal: &Principal, origin: &Origin) -> Actor {
    let mut actor =
        Actor::new(ActorType::User, principal.user.0.clone()).with_email(principal.email.clone());
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
        // Nothing inside Reeve appends entries of others over HTTP, and nothing that does may pass
        // for Reeve.
        PrincipalKind::System => SubmitterType::Local,
    };

    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let token = principal.token.as_ref();
    Submitter {
        id: given(&principal.user.0),
        email: given(&principal.email),
        ip_address: caller
            .origin
            .ip_address
            .as_deref()
            .and_then(|address| address.parse().ok()),
        session_id: principal
            .session
            .as_deref()
            .and_then(given)
            .filter(|_| kind == SubmitterType::Session),
        token_id: token.and_then(|token| given(&token.id)),
        token_name: token.and_then(|token| given(&token.name)),
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
pub fn did(caller: &Caller, kind: &EventKind, operation: &str, resource: ResourceRef) -> Entry {
    Entry::for_event(kind)
        .by(actor(&caller.principal, &caller.origin))
        .on(resource)
        .with_action(operation, ActionStatus::Success, ActionMethod::Api)
        .with_request_id(caller.request_id.clone())
}

/// An entry about reading the log: which query or entry, how many were found.
#[must_use]
pub fn read_log(
    caller: &Caller,
    kind: &EventKind,
    operation: &str,
    asked: Value,
    found: Option<u64>,
) -> Entry {
    let mut entry = did(
        caller,
        kind,
        operation,
        ResourceRef::new("audit_log", "audit-logs"),
    )
    .with_metadata("request", Json::from(asked));

    if let Some(found) = found {
        entry = entry.with_metadata("found", Json::from(json!(found)));
    }
    // A page that refreshes itself is no review of the log: reports leave such reads out of the
    // evidence of reviews.
    if caller.origin.is_dashboard {
        entry = entry.with_metadata("purpose", "dashboard");
    }

    entry
}

/// An entry about a refusal.
#[must_use]
pub fn denied(caller: &Caller, method: &str, path: &str, needed: &str) -> Entry {
    Entry::for_event(&events::DENIED)
        .by(actor(&caller.principal, &caller.origin))
        .with_request_id(caller.request_id.clone())
        .on(ResourceRef::new(
            "route",
            path.chars().take(512).collect::<String>(),
        ))
        .with_action(method, ActionStatus::Denied, ActionMethod::Api)
        .with_metadata("needed", Json::from(json!(needed)))
}

/// An entry about an API token that opened nothing: it is unknown, has expired, or was revoked.
#[must_use]
pub fn token_refused(origin: &Origin, method: &str, path: &str, request_id: &str) -> Entry {
    Entry::for_event(&events::TOKEN_REFUSED)
        .by(from(Actor::new(ActorType::Anonymous, "anonymous"), origin))
        .on(ResourceRef::new(
            "route",
            path.chars().take(512).collect::<String>(),
        ))
        .with_action(method, ActionStatus::Denied, ActionMethod::Api)
        .with_request_id(request_id)
}

/// An entry about attempts to sign in that were not even tried: there were too many.
#[must_use]
pub fn login_limited(given: Option<&str>, origin: &Origin, request_id: &str) -> Entry {
    let mut entry = login_refused(given, origin, request_id, "too many attempts");
    entry.action.status = Some(ActionStatus::Denied);
    entry
}

/// An entry about signing in that succeeded.
#[must_use]
pub fn login(user: &User, session: &AccessSession, origin: &Origin, request_id: &str) -> Entry {
    let actor = Actor::new(ActorType::User, user.id.0.clone())
        .with_session_id(session.id.clone())
        .with_email(user.email.clone());
    let entry = sign_in(from(actor, origin), ActionStatus::Success, request_id);
    match &session.method {
        SignInMethod::Token(id) => entry.with_metadata("token_id", id.clone()),
        SignInMethod::Password | SignInMethod::Unknown => entry,
    }
}

/// An entry about an attempt to sign in that was refused. `given` is the e-mail address as typed,
/// which may be anything.
#[must_use]
pub fn login_refused(
    given: Option<&str>,
    origin: &Origin,
    request_id: &str,
    reason: &str,
) -> Entry {
    let actor = Actor::new(ActorType::Anonymous, "anonymous");
    let short: Option<String> = given.map(|text| text.chars().take(254).collect());
    let (email, other) = short.map_or((None, None), |text| {
        if is_email_address(&text) {
            (Some(text), None)
        } else {
            (None, Some(text))
        }
    });

    let actor = match email {
        Some(email) => actor.with_email(email),
        None => actor,
    };
    let entry = sign_in(from(actor, origin), ActionStatus::Failed, request_id)
        .with_severity(Severity::Medium)
        .with_metadata("reason", reason);
    match other {
        Some(text) => entry.with_metadata("email_given", text),
        None => entry,
    }
}

fn sign_in(actor: Actor, status: ActionStatus, request_id: &str) -> Entry {
    Entry::for_event(&events::LOGIN)
        .by(actor)
        .with_action("login", status, ActionMethod::Api)
        .with_request_id(request_id)
}
