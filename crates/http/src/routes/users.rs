//! Users. Passwords go in and are never shown. The store keeps the last active administrator.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{AuditScope, Permission, Role, User, UserId, read_roles};
use reeve_audit::{Entry, FieldCode, ResourceRef, Severity, events};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::routes::account;
use crate::wire::access::{AuditScopeBody, UserBody, UserCreate, UserPatch};
use crate::wire::form::list::List;
use crate::{log_entry, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::Administer), routes!(list, create))
        .add(
            Access::Needs(Permission::Administer),
            routes!(get, patch, delete),
        )
}

/// Returns all users.
#[utoipa::path(get, path = "/api/v1/users", tag = "access", responses((status = 200, body = List<UserBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<UserBody>>, Problem> {
    let items: Vec<UserBody> = app.access.user_list().await?.iter().map(body_of).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Returns one user.
#[utoipa::path(get, path = "/api/v1/users/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 200, body = UserBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<UserBody>, Problem> {
    Ok(Json(body_of(&app.access.user_get(&UserId(id)).await?)))
}

/// Add a user.
#[utoipa::path(post, path = "/api/v1/users", tag = "access", request_body = UserCreate,
    responses((status = 201, body = UserBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<UserCreate>,
) -> Result<(StatusCode, Json<UserBody>), Problem> {
    let mut user = User::new(
        &body.email,
        &body.name,
        read_roles(&body.roles)?,
        app.now().as_millisecond(),
    )?;
    user.join(&body.teams, &app.access.team_list().await?)?;
    let expires_at = time::parse_option("expires_at", body.expires_at.as_deref())?;
    user.end_at(expires_at.map(|at| at.as_millisecond()), user.created_at_ms)?;
    user.limit_to(scope(&app, body.scope.as_ref())?)?;

    user.password_hash = hash(&app, body.password, &user.email).await?;
    let entry = log_entry::did(
        &caller,
        &events::USER_CREATE,
        "create_user",
        ResourceRef::new("user", user.id.0.clone()),
    )
    .after(user.state());
    let entry = user.record_roles_added(entry, &[]);
    let entry = graded(entry, &[], &user.roles);
    app.change(entry, app.access.user_insert(&user)).await?;

    Ok((StatusCode::CREATED, Json(body_of(&user))))
}

/// Change a user.
#[utoipa::path(patch, path = "/api/v1/users/{id}", tag = "access", params(("id" = String, Path)), request_body = UserPatch,
    responses((status = 200, body = UserBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<UserPatch>,
) -> Result<Json<UserBody>, Problem> {
    let before = app.access.user_get(&UserId(id)).await?;
    let mut user = before.clone();
    if let Some(name) = &body.name {
        user.rename(name)?;
    }
    if let Some(given) = &body.roles {
        user.roles = read_roles(given)?;
    }
    if let Some(given) = &body.teams {
        user.join(given, &app.access.team_list().await?)?;
    }

    let now_ms = app.now().as_millisecond();
    if let Some(given) = &body.expires_at {
        let expires_at = time::parse_option("expires_at", given.as_deref())?;
        user.end_at(expires_at.map(|at| at.as_millisecond()), now_ms)?;
    }
    if let Some(given) = &body.scope {
        user.limit_to(scope(&app, given.as_ref())?)?;
    }
    user.check_end()?;
    user.check_scope()?;

    user.active = body.active.unwrap_or(user.active);
    if user.active && user.has_ended(now_ms) {
        let message = "has passed: give a later end, or null";
        return Err(Problem::field("expires_at", FieldCode::InThePast, message));
    }
    let new_password = body.password.is_some();
    if new_password {
        user.password_hash = hash(&app, body.password, &user.email).await?;
    }

    let password_hash = std::mem::replace(&mut user.password_hash, before.password_hash.clone());
    if user != before || !new_password {
        let resource = ResourceRef::new("user", user.id.0.clone());
        let entry = log_entry::did(&caller, &events::USER_MODIFY, "modify_user", resource)
            .before(before.state())
            .after(user.state());
        let entry = user.record_roles_added(entry, &before.roles);
        let entry = graded(entry, &before.roles, &user.roles);
        app.change(entry, app.access.user_update(&before, &user))
            .await?;
    }

    if new_password {
        let with_password = User {
            password_hash,
            ..user.clone()
        };
        account::replace_password(&app, &caller, &user, &with_password, "set_password", None)
            .await?;
    } else if !user.active {
        account::end_sessions(&app, &user, None).await?;
    }

    Ok(Json(body_of(&user)))
}

/// Remove a user with their tokens and sessions.
#[utoipa::path(delete, path = "/api/v1/users/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let user = app.access.user_get(&UserId(id)).await?;
    let resource = ResourceRef::new("user", user.id.0.clone());
    app.change(
        log_entry::did(&caller, &events::USER_DELETE, "delete_user", resource).before(user.state()),
        app.access.user_delete(&user.id),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Grades an entry about the roles of a user as severe when a role with administration is given:
/// its holder may do everything.
fn graded(entry: Entry, before: &[Role], after: &[Role]) -> Entry {
    let administers = |role: &&Role| role.permissions().contains(&Permission::Administer);
    let is_given = after
        .iter()
        .filter(administers)
        .any(|role| !before.contains(role));

    if is_given {
        entry.with_severity(Severity::High)
    } else {
        entry
    }
}

/// Reads a scope; its frameworks are those that are checked.
fn scope(app: &App, given: Option<&AuditScopeBody>) -> Result<Option<AuditScope>, Problem> {
    let scope = given.map(AuditScopeBody::read).transpose()?;
    let catalogue = app.checks.current();
    let mut named = scope.iter().flat_map(|scope| &scope.frameworks);
    match named.find(|name| catalogue.framework(name).is_none()) {
        None => Ok(scope),
        Some(name) => {
            let message = format!("there is no framework {name:?}");
            let field = "scope.frameworks";
            Err(Problem::field(field, FieldCode::InvalidValue, message))
        }
    }
}

async fn hash(app: &App, given: Option<String>, email: &str) -> Result<Option<String>, Problem> {
    match given {
        Some(given) => account::hashed(app, "password", given, email)
            .await
            .map(Some),
        None => Ok(None),
    }
}

fn body_of(user: &User) -> UserBody {
    UserBody {
        id: user.id.0.clone(),
        email: user.email.clone(),
        name: user.name.clone(),
        roles: user
            .roles
            .iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        teams: user.teams.iter().map(|team| team.0.clone()).collect(),
        active: user.active,
        expires_at: user.expires_at_ms.map(time::text_ms),
        scope: user.scope.as_deref().map(AuditScopeBody::from),
        created_at: time::text_ms(user.created_at_ms),
    }
}
