//! From a request to a principal: bearer token, or session cookie.
//!
//! A cookie alone never changes anything from another site: unsafe methods with a cookie need a
//! same-origin `Origin` or `Sec-Fetch-Site` header.

mod known;
mod origin;
mod watched;

use std::sync::Arc;

use axum::http::{HeaderMap, Method, header};
use axum_extra::extract::CookieJar;
use reeve_access::{Authenticator, Principal, TokenHash};
use reeve_intake::LogSource;
use reeve_siem::AlertSource;
use reeve_sources::{MetricSource, TOKEN_PREFIX};

use crate::app::App;
use crate::error::{Code, Problem};

pub(crate) use self::known::KnownTokens;
pub use self::origin::Origin;
pub use self::origin::STANDBY_KEY;
pub use self::origin::TrustedProxies;
pub use self::origin::is_behind_tls;
pub(crate) use self::origin::network;
pub use self::origin::origin;
pub(crate) use self::origin::site;
pub(crate) use self::watched::Watched;

/// Name of the session cookie over plain HTTP.
pub const COOKIE: &str = "reeve_session";

/// Name of the session cookie over TLS. Browsers take a cookie of such a name from this host alone,
/// over TLS alone, for all paths (RFC 6265bis, section 4.1.3.2): another host of the same domain
/// cannot plant one.
pub const SECURE_COOKIE: &str = "__Host-reeve_session";

/// Interval at which a token's last use is noted, ms.
const TOUCH_MS: i64 = 60_000;

/// The principal of a request; `None` when it names none. Wrong or ended credentials are a problem,
/// not nobody.
///
/// # Errors
/// 401 for wrong credentials, 403 for a cookie from elsewhere, 500 when the store failed.
pub async fn principal(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Arc<Principal>>, Problem> {
    if let Some(token) = bearer(headers) {
        return by_token(app, token).await.map(Some);
    }

    let jar = CookieJar::from_headers(headers);
    // Where cookies are known to be secure, one without the prefix may have been planted.
    let plain = || jar.get(COOKIE).filter(|_| !app.settings.secure_cookies);
    let Some(cookie) = jar.get(SECURE_COOKIE).or_else(plain) else {
        return Ok(None);
    };

    if !method.is_safe() && !same_origin(headers) {
        return Err(Problem::new(
            Code::Forbidden,
            "A session cookie permits changes only from Reeve's own pages. Use an API token instead.",
        ));
    }

    Ok(by_session(app, cookie.value()).await?.map(Arc::new))
}

/// The metric source whose token a request carries; `None` for any other token and for none.
///
/// # Errors
/// 500 when the store failed.
pub async fn metric_source(
    app: &App,
    headers: &HeaderMap,
) -> Result<Option<MetricSource>, Problem> {
    match bearer(headers).filter(|token| token.starts_with(TOKEN_PREFIX)) {
        Some(token) => Ok(app
            .metric_sources
            .metric_source_by_token(&TokenHash::from_secret(token))
            .await?),
        None => Ok(None),
    }
}

/// The source of alerts whose token a request carries; `None` for any other token and for none.
///
/// # Errors
/// 500 when the store failed.
pub async fn alert_source(app: &App, headers: &HeaderMap) -> Result<Option<AlertSource>, Problem> {
    match bearer(headers).filter(|token| token.starts_with(reeve_siem::TOKEN_PREFIX)) {
        Some(token) => Ok(app
            .alert_intake
            .sources()
            .alert_source_by_token(&TokenHash::from_secret(token))
            .await?),
        None => Ok(None),
    }
}

/// The source of entries whose token a request carries; `None` for any other token and for none.
///
/// # Errors
/// 500 when the store failed.
pub async fn log_source(app: &App, headers: &HeaderMap) -> Result<Option<LogSource>, Problem> {
    match bearer(headers).filter(|token| token.starts_with(reeve_intake::TOKEN_PREFIX)) {
        Some(token) => Ok(app
            .source_intake
            .sources()
            .log_source_by_token(&TokenHash::from_secret(token))
            .await?),
        None => Ok(None),
    }
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
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
        (Some(origin), Some(host)) => origin
            .split_once("://")
            .is_some_and(|(_, rest)| rest == host),
        _ => false,
    }
}

/// The principal behind an API token.
///
/// # Errors
/// 401 when it is unknown, expired, or its user may not sign in.
pub async fn by_token(app: &App, secret: &str) -> Result<Arc<Principal>, Problem> {
    let wrong = || {
        Problem::new(
            Code::Unauthenticated,
            "The API token is not valid, has expired or was revoked.",
        )
    };

    let hash = TokenHash::from_secret(secret);
    if let Some(principal) = app.tokens.get(&hash, app.now().as_millisecond()) {
        return Ok(principal);
    }

    let asking = app.tokens.asking();
    let now = app.now().as_millisecond();
    let (principal, token) = Authenticator::new(&*app.access, now)
        .by_token(&hash)
        .await?
        .ok_or_else(wrong)?;
    if token
        .last_used_at_ms
        .is_none_or(|last| now - last >= TOUCH_MS)
    {
        app.access.token_touch(&token.id, now).await?;
    }

    let principal = Arc::new(principal);
    app.tokens
        .put(hash, principal.clone(), token.expires_at_ms, asking);
    Ok(principal)
}

/// The principal of a session's secret.
pub(crate) async fn by_session(app: &App, secret: &str) -> Result<Option<Principal>, Problem> {
    let authenticator = Authenticator::new(&*app.access, app.now().as_millisecond());
    Ok(authenticator
        .by_session(&TokenHash::from_secret(secret))
        .await?)
}
