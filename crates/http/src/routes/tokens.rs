//! API tokens: shown once, kept as a hash, for oneself or, as administrator, for anybody.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::json;
use utoipa_axum::routes;

use reeve_access::{ApiToken, Permission, Secret, TokenHash, UserId};
use reeve_audit::{Json as AuditJson, ResourceRef};

use super::users::roles;
use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::wire::access::{TokenBody, TokenCreate, TokenCreated};
use crate::wire::list::List;
use crate::{story, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded.add(Access::SignedIn, routes!(list, create)).add(Access::SignedIn, routes!(delete))
}

/// One's own tokens; an administrator sees everybody's.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "access", responses((status = 200, body = List<TokenBody>)))]
async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<List<TokenBody>>, Problem> {
    let of = (!caller.may(Permission::Administer)).then_some(&caller.user);
    let items: Vec<TokenBody> = app.access.token_list(of).await?.iter().map(body_of).collect();
    Ok(Json(List { total: items.len() as u64, items, next_cursor: None }))
}

/// Make a token. Its secret stands in this answer and nowhere else.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "access", request_body = TokenCreate,
    responses((status = 201, body = TokenCreated), (status = 403, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<TokenCreate>,
) -> Result<(StatusCode, Json<TokenCreated>), Problem> {
    let user = body.user_id.map_or_else(|| caller.user.clone(), UserId);
    if user != caller.user && !caller.may(Permission::Administer) {
        return Err(Problem::new(Code::Forbidden, "Only an administrator makes tokens for others."));
    }
    let owner =
        app.access.user_get(&user).await.map_err(|_| Problem::field("user_id", "invalid", "there is no such user"))?;
    if body.name.trim().is_empty() || body.name.len() > 200 {
        return Err(Problem::field("name", "invalid", "must have 1 to 200 characters"));
    }
    let narrowed = if body.roles.is_empty() { Vec::new() } else { roles(&body.roles)? };
    // A token is never wider than the one that makes it.
    let allowed = if user == caller.user { caller.roles.iter().copied().collect() } else { owner.roles.clone() };
    if let Some(role) = narrowed.iter().find(|role| !allowed.contains(role)) {
        return Err(Problem::field("roles", "not_held", format!("{} is not a role of that user", role.as_str())));
    }
    let narrowed = if narrowed.is_empty() && user == caller.user { allowed } else { narrowed };
    let expires = time::parse_option("expires_at", body.expires_at.as_deref())?;
    if expires.is_some_and(|end| end <= app.now()) {
        return Err(Problem::field("expires_at", "in_the_past", "must lie in the future"));
    }
    let secret = Secret::generate("rvt_").map_err(Problem::internal)?;
    let token = ApiToken {
        id: uuid::Uuid::now_v7().to_string(),
        user,
        name: body.name.trim().to_owned(),
        hash: TokenHash::of(secret.reveal()),
        roles: narrowed,
        created_at_ms: app.now().as_millisecond(),
        expires_at_ms: expires.map(|end| end.as_millisecond()),
        last_used_at_ms: None,
    };
    let resource = ResourceRef::new("api_token", token.id.clone());
    app.record(story::did(&caller, "token.create", "create_token", resource).after(state(&token))).await?;
    app.access.token_insert(&token).await?;
    Ok((StatusCode::CREATED, Json(TokenCreated { token: body_of(&token), secret: secret.reveal().to_owned() })))
}

/// Revoke a token.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(State(app): State<Arc<App>>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let of = (!caller.may(Permission::Administer)).then_some(&caller.user);
    let token = app
        .access
        .token_list(of)
        .await?
        .into_iter()
        .find(|token| token.id == id)
        .ok_or_else(|| Problem::not_found("token", &id))?;
    let resource = ResourceRef::new("api_token", token.id.clone());
    app.record(story::did(&caller, "token.delete", "revoke_token", resource).before(state(&token))).await?;
    app.access.token_delete(&token.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn state(token: &ApiToken) -> AuditJson {
    AuditJson::from(json!({
        "name": token.name,
        "user": token.user.0,
        "roles": token.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>(),
        "expires_at": token.expires_at_ms.map(time::text_ms),
    }))
}

fn body_of(token: &ApiToken) -> TokenBody {
    TokenBody {
        id: token.id.clone(),
        name: token.name.clone(),
        user_id: token.user.0.clone(),
        roles: token.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        created_at: time::text_ms(token.created_at_ms),
        expires_at: token.expires_at_ms.map(time::text_ms),
        last_used_at: token.last_used_at_ms.map(time::text_ms),
    }
}
