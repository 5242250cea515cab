//! From a request to a principal: bearer token, or session cookie.
//!
//! A cookie alone never changes anything from another site: unsafe methods with a cookie need a same-origin `Origin` or
//! `Sec-Fetch-Site` header.

mod known;
mod watched;

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, header};
use axum_extra::extract::CookieJar;

use reeve_access::principal::PrincipalKind;
use reeve_access::{AccessError, Permission, Principal, Role, TokenHash, User};

pub(crate) use self::known::KnownTokens;
pub(crate) use self::watched::Watched;
use crate::app::App;
use crate::error::{Code, Problem};

/// Name of the session cookie.
pub const COOKIE: &str = "reeve_session";

/// How often a token's last use is noted, ms.
const TOUCH_MS: i64 = 60_000;

/// Where a request came from, for the log.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// IP address.
    pub ip_address: Option<String>,
    /// User agent, cut to 512 bytes.
    pub user_agent: Option<String>,
}

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
    let token = match app.access.token_by_hash(&hash).await {
        Ok(token) => token,
        Err(AccessError::NotFound { .. }) => return Err(wrong()),
        Err(error) => return Err(error.into()),
    };
    let now = app.now().as_millisecond();
    if token.expires_at_ms.is_some_and(|end| end <= now) {
        return Err(wrong());
    }
    let user = app.access.user_get(&token.user).await.map_err(|_| wrong())?;
    if !user.active {
        return Err(wrong());
    }
    if token.last_used_at_ms.is_none_or(|last| now - last >= TOUCH_MS) {
        app.access.token_touch(&token.id, now).await?;
    }
    let roles =
        user.roles.iter().copied().filter(|role| token.roles.is_empty() || token.roles.contains(role)).collect();
    let mut principal = build(app, user, roles, PrincipalKind::Token, token.id).await?;
    principal.token_name = Some(token.name);
    let principal = Arc::new(principal);
    app.tokens.put(hash, principal.clone(), token.expires_at_ms, asking);
    Ok(principal)
}

async fn by_session(app: &App, secret: &str) -> Result<Option<Principal>, Problem> {
    let session = match app.access.session_by_hash(&TokenHash::of(secret)).await {
        Ok(session) => session,
        Err(AccessError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if session.expires_at_ms <= app.now().as_millisecond() {
        return Ok(None);
    }
    let Ok(user) = app.access.user_get(&session.user).await else { return Ok(None) };
    if !user.active {
        return Ok(None);
    }
    let roles = user.roles.iter().copied().collect();
    build(app, user, roles, PrincipalKind::Session, session.id).await.map(Some)
}

async fn build(
    app: &App,
    user: User,
    roles: BTreeSet<Role>,
    kind: PrincipalKind,
    session: String,
) -> Result<Principal, Problem> {
    let mut principal = Principal {
        team_members: BTreeSet::from([user.id.0.clone(), user.email.clone()]),
        user: user.id,
        email: user.email,
        name: user.name,
        kind,
        session: Some(session),
        token_name: None,
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

/// Where a request came from. `X-Forwarded-For` counts only when the peer is a configured proxy.
#[must_use]
pub fn origin(app: &App, headers: &HeaderMap, peer: Option<&ConnectInfo<SocketAddr>>) -> Origin {
    let peer = peer.map(|ConnectInfo(address)| address.ip().to_canonical());
    let trusted = peer.is_some_and(|ip| app.settings.trusted_proxies.contains(&ip));
    let forwarded = headers
        .get("x-forwarded-for")
        .and_then(|value| value.to_str().ok())
        .and_then(|list| list.rsplit(',').next())
        .and_then(|last| last.trim().parse::<IpAddr>().ok());
    let ip = if trusted { forwarded.or(peer) } else { peer };
    let user_agent = headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .map(|text| text.chars().take(512).collect());
    Origin { ip_address: ip.map(|ip| ip.to_string()), user_agent }
}
