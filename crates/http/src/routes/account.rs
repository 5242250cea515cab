//! The caller's own account: changing the password.
//!
//! The current password is asked for, so that a session left open is not enough to take the account
//! over. Guesses are limited as those of signing in are. Every other session of the user ends.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use reeve_access::{AccessError, PrincipalKind, User, password};
use reeve_audit::{ActionStatus, FieldCode, ResourceRef, events};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::routes::sessions;
use crate::wire::access::PasswordChange;
use crate::{identify, log_entry};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded.add(Access::SignedIn, routes!(change_password))
}

/// Change one's own password. Every other session of the user ends; API tokens stay.
#[utoipa::path(put, path = "/api/v1/account/password", tag = "access", request_body = PasswordChange,
    responses((status = 204), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
async fn change_password(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<PasswordChange>,
) -> Result<StatusCode, Problem> {
    let user = app.access.user_get(&caller.user).await?;
    let network = identify::network(caller.origin.ip_address.as_deref());
    app.sign_ins
        .on_account(&user.email, &network, app.now())
        .map_err(sessions::too_many)?;
    let (given, kept) = (body.current_password.clone(), user.password_hash.clone());
    let right = app
        .passwords
        .run(move || password::verify(&given, kept.as_deref()))
        .await?;

    if !right {
        let mut entry = entry(&caller, &user, "change_password")
            .with_metadata("reason", "wrong current password");
        entry.action.status = Some(ActionStatus::Failed);
        app.record(entry).await?;
        return Err(Problem::field(
            "current_password",
            FieldCode::Wrong,
            "is not your current password",
        ));
    }

    app.sign_ins.succeeded(&user.email, &network, app.now());
    if body.new_password == body.current_password {
        return Err(Problem::field(
            "new_password",
            FieldCode::Unchanged,
            "must differ from the current password",
        ));
    }

    let hash = hashed(&app, "new_password", body.new_password, &user.email).await?;
    let changed = User {
        password_hash: Some(hash),
        ..user.clone()
    };
    let own = caller
        .session
        .as_deref()
        .filter(|_| caller.kind == PrincipalKind::Session);
    replace_password(&app, &caller, &user, &changed, "change_password", own).await?;

    Ok(StatusCode::NO_CONTENT)
}

/// Checks a new password against the rules, and hashes it.
pub(super) async fn hashed(
    app: &App,
    field: &str,
    given: String,
    email: &str,
) -> Result<String, Problem> {
    password::check(&given, email)
        .map_err(|error| Problem::field(field, FieldCode::TooWeak, error.to_string()))?;
    app.passwords
        .run(move || password::hash(&given))
        .await?
        .map_err(Problem::internal)
}

/// Keeps a new password with its record, and ends the user's sessions but one.
pub(super) async fn replace_password(
    app: &App,
    caller: &Caller,
    before: &User,
    after: &User,
    operation: &str,
    session: Option<&str>,
) -> Result<(), Problem> {
    app.change(
        entry(caller, before, operation),
        app.access.user_update(before, after),
    )
    .await?;
    end_sessions(app, after, session).await
}

/// Ends the sessions of a user but one.
pub(super) async fn end_sessions(app: &App, user: &User, but: Option<&str>) -> Result<(), Problem> {
    for session in app.access.session_list(Some(&user.id)).await? {
        if Some(session.id.as_str()) != but {
            match app.access.session_delete(&session.id).await {
                // It has ended by itself.
                Ok(()) | Err(AccessError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

fn entry(caller: &Caller, user: &User, operation: &str) -> reeve_audit::Entry {
    log_entry::did(
        caller,
        &events::PASSWORD_CHANGE,
        operation,
        ResourceRef::new("user", user.id.0.clone()),
    )
}
