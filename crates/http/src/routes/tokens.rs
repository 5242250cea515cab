//! API tokens: shown once, kept as a hash, for oneself or, as administrator, for anybody.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::json;
use utoipa_axum::routes;

use reeve_access::{ApiToken, Permission, Secret, TokenHash, UserId};
use reeve_audit::{Json as AuditJson, ResourceRef, events};

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

/// One's own tokens; an administrator sees everybody's. A caller with fewer roles than their user sees the tokens that carry no
/// more than that.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "access", responses((status = 200, body = List<TokenBody>)))]
async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<List<TokenBody>>, Problem> {
    let items: Vec<TokenBody> = within_reach(&app, &caller).await?.iter().map(body_of).collect();
    Ok(Json(List { total: items.len() as u64, items, next_cursor: None }))
}

/// Tokens that the caller may see and revoke. A narrow token must not reach a wider one of its user's.
async fn within_reach(app: &App, caller: &Caller) -> Result<Vec<ApiToken>, Problem> {
    if caller.may(Permission::Administer) {
        return Ok(app.access.token_list(None).await?);
    }
    let narrowed = caller.token.as_ref().is_some_and(|token| token.narrowed);
    let mut own = app.access.token_list(Some(&caller.user)).await?;
    own.retain(|token| {
        !narrowed || (!token.roles.is_empty() && token.roles.iter().all(|role| caller.roles.contains(role)))
    });
    Ok(own)
}

/// Make a token. Its secret stands in this answer and nowhere else. A token made by the bearer of another one carries no more roles,
/// does not outlive it, and is revoked with it.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "access", request_body = TokenCreate,
    responses((status = 201, body = TokenCreated), (status = 403, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<TokenCreate>,
) -> Result<(StatusCode, Json<TokenCreated>), Problem> {
    let secret = Secret::generate("rvt_").map_err(Problem::internal)?;
    let token = wanted(&app, &caller, body, &secret).await?;
    let resource = ResourceRef::new("api_token", token.id.clone());
    let entry = story::did(&caller, &events::TOKEN_CREATE, "create_token", resource).after(state(&token));
    app.change(entry, app.access.token_insert(&token)).await?;
    Ok((StatusCode::CREATED, Json(TokenCreated { token: body_of(&token), secret: secret.reveal().to_owned() })))
}

/// The token that a body asks for, within what the caller may give.
async fn wanted(app: &App, caller: &Caller, body: TokenCreate, secret: &Secret) -> Result<ApiToken, Problem> {
    let user = body.user_id.map_or_else(|| caller.user.clone(), UserId);
    let own = user == caller.user;
    if !own && !caller.may(Permission::Administer) {
        return Err(Problem::new(Code::Forbidden, "Only an administrator makes tokens for others."));
    }
    let owner =
        app.access.user_get(&user).await.map_err(|_| Problem::field("user_id", "invalid", "there is no such user"))?;
    let name = body.name.trim();
    if name.is_empty() || name.chars().count() > 200 || name.contains(char::is_control) {
        return Err(Problem::field("name", "invalid", "must have 1 to 200 characters, none of control"));
    }
    let narrowed = if body.roles.is_empty() { Vec::new() } else { roles(&body.roles)? };
    // A token is never wider than the one that makes it.
    let allowed = if own { caller.roles.iter().copied().collect() } else { owner.roles.clone() };
    if let Some(role) = narrowed.iter().find(|role| !allowed.contains(role)) {
        return Err(Problem::field("roles", "not_held", format!("{} is not a role of that user", role.as_str())));
    }
    let narrowed = if narrowed.is_empty() && own { allowed } else { narrowed };
    let parent = caller.token.as_ref().filter(|_| own);
    let expires = time::parse_option("expires_at", body.expires_at.as_deref())?;
    if expires.is_some_and(|end| end <= app.now()) {
        return Err(Problem::field("expires_at", "in_the_past", "must lie in the future"));
    }
    let (expires_at_ms, longest) =
        (expires.map(|end| end.as_millisecond()), parent.and_then(|token| token.expires_at_ms));
    if let (Some(end), Some(longest)) = (expires_at_ms, longest)
        && end > longest
    {
        let message = format!("must not lie after the end of the token that makes it, {}", time::text_ms(longest));
        return Err(Problem::field("expires_at", "too_late", message));
    }
    Ok(ApiToken {
        id: uuid::Uuid::now_v7().to_string(),
        user,
        name: name.to_owned(),
        hash: TokenHash::of(secret.reveal()),
        roles: narrowed,
        parent: parent.map(|token| token.id.clone()),
        created_at_ms: app.now().as_millisecond(),
        expires_at_ms: expires_at_ms.or(longest),
        last_used_at_ms: None,
    })
}

/// Revoke a token, with the tokens and sessions made with it.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(State(app): State<Arc<App>>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let token = within_reach(&app, &caller).await?.into_iter().find(|token| token.id == id);
    let token = token.ok_or_else(|| Problem::not_found("token", &id))?;
    let resource = ResourceRef::new("api_token", token.id.clone());
    let entry = story::did(&caller, &events::TOKEN_DELETE, "revoke_token", resource).before(state(&token));
    app.change(entry, app.access.token_delete(&token.id)).await?;
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
