//! Signing in and out.
//!
//! Signing in costs an Argon2 hash whether or not the user exists, and is limited per address, so that neither time nor
//! trying tells anything.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use utoipa_axum::routes;

use reeve_access::{AccessError, Permission, Principal, Secret, Session, TokenHash, User, password};
use reeve_audit::ResourceRef;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, From};
use crate::guard::{Access, Guarded};
use crate::wire::access::{MeBody, SessionBody, SignIn};
use crate::wire::list::List;
use crate::{identify, story, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Public, routes!(sign_in))
        .add(Access::SignedIn, routes!(current, sign_out))
        .add(Access::Needs(Permission::Administer), routes!(list))
}

/// Sign in with e-mail address and password, or with an API token, and get a session cookie.
#[utoipa::path(post, path = "/api/v1/sessions", tag = "access", request_body = SignIn,
    responses((status = 201, body = MeBody), (status = 401, body = ProblemBody), (status = 429, body = ProblemBody)))]
async fn sign_in(State(app): State<Arc<App>>, from: From, Body(body): Body<SignIn>) -> Result<Response, Problem> {
    let name = body.email.clone().unwrap_or_else(|| "token".to_owned());
    if !app.sign_ins.admit(from.origin.ip_address.as_deref().unwrap_or("unknown"), app.now()) {
        return Err(Problem::new(
            Code::TooManyRequests,
            "Too many attempts to sign in from this address. Try again in a minute.",
        )
        .retry_after(60));
    }
    let user = match verify(&app, &body).await {
        Ok(user) => user,
        Err(problem) => {
            app.record(story::login(&name, None, &from.origin, &from.request_id, Some("wrong credentials"))).await?;
            return Err(problem);
        }
    };
    let secret = Secret::generate("rvs_").map_err(Problem::internal)?;
    let now_ms = app.now().as_millisecond();
    let session = Session {
        id: uuid::Uuid::now_v7().to_string(),
        user: user.id.clone(),
        hash: TokenHash::of(secret.reveal()),
        created_at_ms: now_ms,
        expires_at_ms: now_ms + app.settings.session_s * 1000,
        ip_address: from.origin.ip_address.clone(),
        user_agent: from.origin.user_agent.clone(),
    };
    app.record(story::login(&user.email, Some((&user.id.0, &session.id)), &from.origin, &from.request_id, None))
        .await?;
    app.access.session_insert(&session).await?;
    let cookie = cookie(&app, secret.reveal(), app.settings.session_s);
    let me = me(&user_principal(&user, &session), Some(session.expires_at_ms), app.settings.demo);
    Ok((StatusCode::CREATED, cookie, Json(me)).into_response())
}

async fn verify(app: &App, body: &SignIn) -> Result<User, Problem> {
    let wrong =
        || Problem::new(Code::Unauthenticated, "E-mail address or password is wrong, or the token is not valid.");
    match (&body.email, &body.password, &body.token) {
        (None, None, Some(token)) => {
            let principal = identify::by_token(app, token).await.map_err(|_| wrong())?;
            app.access.user_get(&principal.user).await.map_err(|_| wrong())
        }
        (Some(email), Some(given), None) => {
            let user = match app.access.user_by_email(&email.to_lowercase()).await {
                Ok(user) => Some(user),
                Err(AccessError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            let hash = user.as_ref().and_then(|user| user.password_hash.clone());
            let given = given.clone();
            let right = tokio::task::spawn_blocking(move || password::verify(&given, hash.as_deref()))
                .await
                .map_err(Problem::internal)?;
            user.filter(|user| right && user.active).ok_or_else(wrong)
        }
        _ => Err(Problem::field("email", "missing", "give email and password, or token")),
    }
}

/// Who is signed in.
#[utoipa::path(get, path = "/api/v1/sessions/current", tag = "access", responses((status = 200, body = MeBody), (status = 401, body = ProblemBody)))]
async fn current(State(app): State<Arc<App>>, caller: Caller) -> Json<MeBody> {
    Json(me(&caller.principal, None, app.settings.demo))
}

/// Sign out.
#[utoipa::path(delete, path = "/api/v1/sessions/current", tag = "access", responses((status = 204)))]
async fn sign_out(State(app): State<Arc<App>>, headers: HeaderMap, caller: Caller) -> Result<Response, Problem> {
    let resource = ResourceRef::new("session", caller.session.clone().unwrap_or_default());
    app.record(story::did(&caller, "authentication.logout", "logout", resource)).await?;
    if let Some(cookie) = CookieJar::from_headers(&headers).get(identify::COOKIE)
        && let Ok(session) = app.access.session_by_hash(&TokenHash::of(cookie.value())).await
    {
        app.access.session_delete(&session.id).await?;
    }
    Ok((StatusCode::NO_CONTENT, cookie(&app, "", 0)).into_response())
}

/// Sessions of everybody.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "access", responses((status = 200, body = List<SessionBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<SessionBody>>, Problem> {
    let items: Vec<SessionBody> = app.access.session_list(None).await?.into_iter().map(session_body).collect();
    Ok(Json(List { total: items.len() as u64, items, next_cursor: None }))
}

fn session_body(session: Session) -> SessionBody {
    SessionBody {
        id: session.id,
        user_id: session.user.0,
        created_at: time::text_ms(session.created_at_ms),
        expires_at: time::text_ms(session.expires_at_ms),
        ip_address: session.ip_address,
        user_agent: session.user_agent,
    }
}

/// A `Set-Cookie` header for the session: not for scripts, not for other sites.
fn cookie(app: &App, value: &str, max_age_s: i64) -> [(header::HeaderName, String); 1] {
    let secure = if app.settings.secure_cookies { "; Secure" } else { "" };
    let text = format!("{}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age_s}{secure}", identify::COOKIE);
    [(header::SET_COOKIE, text)]
}

fn user_principal(user: &User, session: &Session) -> Principal {
    Principal {
        user: user.id.clone(),
        email: user.email.clone(),
        name: user.name.clone(),
        kind: reeve_access::PrincipalKind::Session,
        session: Some(session.id.clone()),
        token_name: None,
        roles: user.roles.iter().copied().collect(),
        team_members: std::collections::BTreeSet::new(),
    }
}

fn me(principal: &Principal, expires_at_ms: Option<i64>, demo: bool) -> MeBody {
    MeBody {
        id: principal.user.0.clone(),
        email: principal.email.clone(),
        name: principal.name.clone(),
        roles: principal.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        permissions: Permission::ALL
            .iter()
            .filter(|permission| principal.may(**permission))
            .map(|permission| permission.as_str().to_owned())
            .collect(),
        session_id: principal.session.clone(),
        expires_at: expires_at_ms.map(time::text_ms),
        demo,
    }
}
