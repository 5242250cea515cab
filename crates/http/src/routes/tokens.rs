//! API tokens: shown once, kept as a hash, for oneself or, as administrator, for anybody.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{
    ApiToken, EventTypePattern, Permission, Secret, TOKEN_PREFIX, TokenHash, TokenRequest, UserId,
    read_roles,
};
use reeve_audit::{FieldCode, ResourceRef, events};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::wire::access::{TokenBody, TokenCreate, TokenCreated};
use crate::wire::form::list::List;
use crate::{log_entry, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::SignedIn, routes!(list, create))
        .add(Access::SignedIn, routes!(delete))
}

/// One's own tokens; an administrator sees everybody's. A caller with fewer roles than their user
/// sees the tokens that carry no more than that.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "access", responses((status = 200, body = List<TokenBody>)))]
async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<List<TokenBody>>, Problem> {
    let items: Vec<TokenBody> = visible_tokens(&app, &caller)
        .await?
        .iter()
        .map(body_of)
        .collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Tokens that the caller may see and revoke.
async fn visible_tokens(app: &App, caller: &Caller) -> Result<Vec<ApiToken>, Problem> {
    let user = (!caller.may(Permission::Administer)).then_some(&caller.user);
    let mut tokens = app.access.token_list(user).await?;
    caller.retain_visible(&mut tokens);
    Ok(tokens)
}

/// Make a token. Its secret stands in this answer and nowhere else. A token made by the bearer of
/// another one carries no more roles, does not outlive it, and is revoked with it.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "access", request_body = TokenCreate,
    responses((status = 201, body = TokenCreated), (status = 403, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<TokenCreate>,
) -> Result<(StatusCode, Json<TokenCreated>), Problem> {
    let secret = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    let token = requested(&app, &caller, body, &secret).await?;
    let resource = ResourceRef::new("api_token", token.id.clone());
    let entry = log_entry::did(&caller, &events::TOKEN_CREATE, "create_token", resource)
        .after(token.state());
    app.change(entry, app.access.token_insert(&token)).await?;

    Ok((
        StatusCode::CREATED,
        Json(TokenCreated {
            token: body_of(&token),
            secret: secret.reveal().to_owned(),
        }),
    ))
}

/// The token that a body asks for, within what the caller may give.
async fn requested(
    app: &App,
    caller: &Caller,
    body: TokenCreate,
    secret: &Secret,
) -> Result<ApiToken, Problem> {
    let user = body.user_id.map_or_else(|| caller.user.clone(), UserId);
    if !caller.may_make_tokens_for(&user) {
        return Err(Problem::new(
            Code::Forbidden,
            "Only administrators can create tokens for other users.",
        ));
    }

    let owner = app.access.user_get(&user).await.map_err(|_| {
        Problem::field(
            "user_id",
            FieldCode::InvalidValue,
            "the user does not exist",
        )
    })?;

    let request = TokenRequest {
        name: body.name,
        roles: if body.roles.is_empty() {
            Vec::new()
        } else {
            read_roles(&body.roles)?
        },
        event_types: EventTypePattern::parse_all(&body.event_types)?,
        expires_at_ms: time::parse_option("expires_at", body.expires_at.as_deref())?
            .map(|end| end.as_millisecond()),
    };

    let hash = TokenHash::from_secret(secret.reveal());
    Ok(ApiToken::grant(
        caller,
        &owner,
        request,
        hash,
        app.now().as_millisecond(),
    )?)
}

/// Revoke a token, with the tokens and sessions made with it.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let token = visible_tokens(&app, &caller)
        .await?
        .into_iter()
        .find(|token| token.id == id);
    let token = token.ok_or_else(|| Problem::not_found("token", &id))?;
    let resource = ResourceRef::new("api_token", token.id.clone());
    let entry = log_entry::did(&caller, &events::TOKEN_DELETE, "revoke_token", resource)
        .before(token.state());
    app.change(entry, app.access.token_delete(&token.id))
        .await?;

    Ok(StatusCode::NO_CONTENT)
}

fn body_of(token: &ApiToken) -> TokenBody {
    TokenBody {
        id: token.id.clone(),
        name: token.name.clone(),
        user_id: token.user.0.clone(),
        roles: token
            .roles
            .iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        event_types: token
            .event_types
            .iter()
            .map(|pattern| pattern.as_str().to_owned())
            .collect(),
        created_at: time::text_ms(token.created_at_ms),
        expires_at: token.expires_at_ms.map(time::text_ms),
        last_used_at: token.last_used_at_ms.map(time::text_ms),
    }
}
