//! From a request to a principal: bearer token, or session cookie.
//!
//! A cookie alone never changes anything from another site: unsafe methods with a cookie need a same-origin `Origin` or
//! `Sec-Fetch-Site` header.

mod known;
mod origin;
mod watched;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::http::{HeaderMap, Method, header};
use axum_extra::extract::CookieJar;

use reeve_access::principal::PrincipalKind;
use reeve_access::{
    AccessError, ApiToken, Permission, Principal, Role, SignInMethod, TokenGrant, TokenHash, User, UserId,
};

pub(crate) use self::known::KnownTokens;
pub(crate) use self::origin::network;
pub use self::origin::{Origin, origin};
pub(crate) use self::watched::Watched;
use crate::app::App;
use crate::error::{Code, Problem};

/// Name of the session cookie.
pub const COOKIE: &str = "reeve_session";

/// How often a token's last use is noted, ms.
const TOUCH_MS: i64 = 60_000;

/// The principal of a request; `None` when it names none. Wrong or ended credentials are a problem, not nobody.
///
/// # Errors
/// 401 for wrong credentials, 403 for a cookie from elsewhere, 500 when the store failed.
pub async fn principal(app: &App, method: &Method, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, Problem> {
    if let Some(token) = bearer(headers) {
        return by_token(app, token).await.map(Some);
    }
    let jar = CookieJar::from_headers(headers);
    let Some(cookie) = jar.get(COOKIE) else { return Ok(None) };
    if !method.is_safe() && !same_origin(headers) {
        return Err(Problem::new(Code::Forbidden, "A session cookie may only change things from Reeve's own pages."));
    }
    Ok(by_session(app, cookie.value()).await?.map(Arc::new))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn same_origin(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    match (text("origin"), text("host")) {
        (Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, rest)| rest == host),
        _ => false,
    }
}

/// The principal behind an API token.
///
/// # Errors
/// 401 when it is unknown, expired, or its user may not sign in.
pub async fn by_token(app: &App, secret: &str) -> Result<Arc<Principal>, Problem> {
    let wrong = || Problem::new(Code::Unauthenticated, "The token is not known or no longer valid.");
    let hash = TokenHash::of(secret);
    if let Some(principal) = app.tokens.get(&hash, app.now().as_millisecond()) {
        return Ok(principal);
    }
    let asking = app.tokens.asking();
    let token = found(app.access.token_by_hash(&hash).await)?.ok_or_else(wrong)?;
    let user = user_of(app, &token.user).await?.ok_or_else(wrong)?;
    let (roles, grant) = granted(app, &token, &user).ok_or_else(wrong)?;
    let now = app.now().as_millisecond();
    if token.last_used_at_ms.is_none_or(|last| now - last >= TOUCH_MS) {
        app.access.token_touch(&token.id, now).await?;
    }
    let principal = Arc::new(build(app, user, roles, (PrincipalKind::Token, token.id), Some(grant)).await?);
    app.tokens.put(hash, principal.clone(), token.expires_at_ms, asking);
    Ok(principal)
}

/// The principal of a session. A session made with a token is asked for that token each time: it has the token's roles, and ends when the
/// token ends or is revoked.
pub(crate) async fn by_session(app: &App, secret: &str) -> Result<Option<Principal>, Problem> {
    let Some(session) = found(app.access.session_by_hash(&TokenHash::of(secret)).await)? else { return Ok(None) };
    if session.expires_at_ms <= app.now().as_millisecond() {
        return Ok(None);
    }
    let Some(user) = user_of(app, &session.user).await? else { return Ok(None) };
    let (roles, grant) = match &session.method {
        SignInMethod::Password => (user.roles.iter().copied().collect(), None),
        SignInMethod::Token(id) => {
            let Some(token) = found(app.access.token_get(id).await)? else { return Ok(None) };
            let Some((roles, grant)) = granted(app, &token, &user) else { return Ok(None) };
            (roles, Some(grant))
        }
        SignInMethod::Unknown => return Ok(None),
    };
    build(app, user, roles, (PrincipalKind::Session, session.id), grant).await.map(Some)
}

/// What the store answered, with `None` for what it does not have.
fn found<T>(answer: Result<T, AccessError>) -> Result<Option<T>, Problem> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(AccessError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A user who may sign in.
async fn user_of(app: &App, id: &UserId) -> Result<Option<User>, Problem> {
    Ok(found(app.access.user_get(id).await)?.filter(|user| user.active))
}

/// The roles that a token carries now, never more than its user's; `None` once it has ended.
fn granted(app: &App, token: &ApiToken, user: &User) -> Option<(BTreeSet<Role>, TokenGrant)> {
    if token.user != user.id || token.expires_at_ms.is_some_and(|end| end <= app.now().as_millisecond()) {
        return None;
    }
    let carries = |role: &Role| token.roles.is_empty() || token.roles.contains(role);
    let narrowed = !user.roles.iter().all(carries);
    let roles = user.roles.iter().copied().filter(carries).collect();
    let (id, name) = (token.id.clone(), token.name.clone());
    Some((roles, TokenGrant { id, name, expires_at_ms: token.expires_at_ms, narrowed }))
}

/// Returns the principal of work that was asked for earlier, with the rights it has now: those of the user, bounded by the token that the
/// request came with. `None` once the user or the token is gone, inactive or at its end.
///
/// # Errors
/// 500 when the store failed.
pub async fn standing(app: &App, user: &UserId, token: Option<&str>) -> Result<Option<Principal>, Problem> {
    let Some(user) = user_of(app, user).await? else { return Ok(None) };
    let (roles, grant) = match token {
        None => (user.roles.iter().copied().collect(), None),
        Some(id) => {
            let Some(token) = found(app.access.token_get(id).await)? else { return Ok(None) };
            let Some((roles, grant)) = granted(app, &token, &user) else { return Ok(None) };
            (roles, Some(grant))
        }
    };
    build(app, user, roles, (PrincipalKind::System, String::new()), grant).await.map(Some)
}

async fn build(
    app: &App,
    user: User,
    roles: BTreeSet<Role>,
    (kind, session): (PrincipalKind, String),
    token: Option<TokenGrant>,
) -> Result<Principal, Problem> {
    let mut principal = Principal {
        team_members: BTreeSet::from([user.id.0.clone(), user.email.clone()]),
        user: user.id,
        email: user.email,
        name: user.name,
        kind,
        session: Some(session),
        token,
        roles,
    };
    if principal.may(Permission::AuditViewTeam) && !user.teams.is_empty() {
        for member in app.access.team_members(&user.teams).await? {
            principal.team_members.insert(member.id.0);
            principal.team_members.insert(member.email);
        }
    }
    Ok(principal)
}
