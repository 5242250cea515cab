//! The guard: every route names what it asks for, and nothing is reached without it.
//!
//! Routes are added through [`Guarded::add`], which wraps each handler and notes it in a list, so
//! that a test can walk every route as every role and a route without a rule cannot exist.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use reeve_access::{Permission, Principal};
use reeve_intake::LogSource;
use reeve_siem::AlertSource;
use reeve_sources::MetricSource;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::app::App;
use crate::error::{Code, Problem};
use crate::extract::{Caller, PublicRoute, request_id};
use crate::{identify, log_entry, scope};

/// Permission that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody: health, sign-in, the description of the interface.
    Public,
    /// Anybody who is signed in; what is answered concerns the caller alone.
    SignedIn,
    /// A principal that holds this permission.
    Needs(Permission),
    /// Each of several permissions.
    NeedsAll(&'static [Permission]),
    /// Any of several permissions; what is answered is narrowed by them.
    NeedsAny(&'static [Permission]),
    /// The token of a metric source, which opens nothing else. No principal has it.
    MetricSource,
    /// The token of a source of alerts, which opens nothing else. No principal has it.
    AlertSource,
    /// The token of a source of entries, which opens nothing else. No principal has it.
    LogSource,
}

impl Access {
    /// Returns `true` if the principal fulfils the rule.
    #[must_use]
    pub fn allows(self, principal: &Principal) -> bool {
        match self {
            Access::Public | Access::SignedIn => true,
            Access::Needs(permission) => principal.may(permission),
            Access::NeedsAll(permissions) => permissions
                .iter()
                .all(|permission| principal.may(*permission)),
            Access::NeedsAny(permissions) => permissions
                .iter()
                .any(|permission| principal.may(*permission)),
            Access::MetricSource | Access::AlertSource | Access::LogSource => false,
        }
    }

    fn words(self) -> String {
        match self {
            Access::Public | Access::SignedIn => String::new(),
            Access::Needs(permission) => permission.as_str().to_owned(),
            Access::MetricSource => {
                "to push metrics, which the token of a metric source alone has".to_owned()
            }
            Access::AlertSource => {
                "to push alerts, which the token of an alert source alone has".to_owned()
            }
            Access::LogSource => "to push events, which the token of a source alone has".to_owned(),
            Access::NeedsAll(permissions) => permissions
                .iter()
                .map(|permission| permission.as_str())
                .collect::<Vec<_>>()
                .join(" and "),
            Access::NeedsAny(permissions) => permissions
                .iter()
                .map(|permission| permission.as_str())
                .collect::<Vec<_>>()
                .join(" or "),
        }
    }
}

/// May see some of the log: all, a team's, or one's own.
pub const VIEW_LOG: Access = Access::NeedsAny(&[
    Permission::AuditViewAll,
    Permission::AuditViewTeam,
    Permission::AuditViewOwn,
]);

/// May have every entry read by an engine outside of Reeve.
pub const READ_LAKE: Access = Access::NeedsAll(&[Permission::AuditLake, Permission::AuditViewAll]);

/// Metric source that a request comes from.
#[derive(Debug, Clone)]
pub struct Pushing(pub Arc<MetricSource>);

impl FromRequestParts<Arc<App>> for Pushing {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let source = parts.extensions.get::<Pushing>().cloned();
        source.ok_or_else(|| {
            Problem::new(Code::Unauthenticated, "Send the token of a metric source.")
        })
    }
}

/// Source of alerts that a request comes from.
#[derive(Debug, Clone)]
pub struct PushingAlerts(pub Arc<AlertSource>);

impl FromRequestParts<Arc<App>> for PushingAlerts {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let source = parts.extensions.get::<PushingAlerts>().cloned();
        source.ok_or_else(|| {
            Problem::new(Code::Unauthenticated, "Send the token of an alert source.")
        })
    }
}

/// Source of entries that a request comes from.
#[derive(Debug, Clone)]
pub struct PushingEvents(pub Arc<LogSource>);

impl FromRequestParts<Arc<App>> for PushingEvents {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let source = parts.extensions.get::<PushingEvents>().cloned();
        source.ok_or_else(|| Problem::new(Code::Unauthenticated, "Send the token of a source."))
    }
}

/// A route and its rule, for documents and tests.
#[derive(Debug, Clone)]
pub struct GuardRule {
    pub method: String,
    /// Path with its `{parameters}` unfilled.
    pub path: String,
    pub access: Access,
}

/// A router that only takes guarded routes.
pub struct Guarded {
    /// `None` while the interface is only described: such a router is never served.
    app: Option<Arc<App>>,
    router: OpenApiRouter<Arc<App>>,
    rules: Vec<GuardRule>,
}

impl Guarded {
    /// Creates a router without routes.
    #[must_use]
    pub fn new(app: Option<Arc<App>>, router: OpenApiRouter<Arc<App>>) -> Self {
        Guarded {
            app,
            router,
            rules: Vec::new(),
        }
    }

    /// Adds the routes of one path under one rule.
    #[must_use]
    pub fn add(mut self, access: Access, routes: UtoipaMethodRouter<Arc<App>>) -> Self {
        let (schemas, paths, handlers) = routes;
        for (path, item) in &paths.paths {
            for (method, present) in [
                ("GET", item.get.is_some()),
                ("POST", item.post.is_some()),
                ("PUT", item.put.is_some()),
                ("PATCH", item.patch.is_some()),
                ("DELETE", item.delete.is_some()),
            ] {
                if present {
                    self.rules.push(GuardRule {
                        method: method.to_owned(),
                        path: path.clone(),
                        access,
                    });
                }
            }
        }

        let guarded = match &self.app {
            Some(app) => handlers.route_layer(from_fn_with_state((app.clone(), access), check)),
            None => MethodRouter::new(),
        };
        self.router = self.router.routes((schemas, paths, guarded));
        self
    }

    /// Returns the router with the routes added so far.
    #[must_use]
    pub fn into_router(self) -> OpenApiRouter<Arc<App>> {
        self.router
    }

    /// Every route with its rule.
    #[must_use]
    pub fn into_rules(self) -> Vec<GuardRule> {
        self.rules
    }
}

async fn check(
    State((app, access)): State<(Arc<App>, Access)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let principal = match admitted(&app, access, &mut parts).await {
        Ok(principal) => principal,
        Err(problem) => return problem.into_response(),
    };

    if !is_text(parts.uri.path()) {
        return Problem::new(
            Code::BadRequest,
            "The path is not valid UTF-8 after its %-escapes are decoded.",
        )
        .into_response();
    }

    if access == Access::Public {
        parts.extensions.insert(PublicRoute);
    }

    let (safe, method) = (parts.method.is_safe(), parts.method.clone());
    let origin = identify::origin(
        &app.settings.trusted_proxies,
        &parts.headers,
        parts.extensions.get::<ConnectInfo<SocketAddr>>(),
    );

    let route = parts
        .extensions
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned())
        .unwrap_or_default();
    let answer = next.run(Request::from_parts(parts, body));
    let response = if safe {
        answer.await
    } else {
        finished(answer).await
    };

    if let Some(principal) = &principal {
        app.api_calls.note(
            principal,
            origin,
            (method.as_str(), &route, response.status().as_u16()),
            app.now(),
        );
    }

    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        app.journal
            .failed(
                "http",
                format!(
                    "{method} {route} was answered with 500; the service's own log has the cause"
                ),
            )
            .await;
    }

    response
}

/// Runs a request that may change something to its end, whether or not its client waits for the
/// answer.
async fn finished(answer: impl Future<Output = Response> + Send + 'static) -> Response {
    // A client that goes away ends its own request. A change that has begun goes on in a task of
    // its own, so that it is never left half made or without the record of its outcome.
    match tokio::spawn(answer).await {
        Ok(response) => response,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Problem::internal(error).into_response(),
    }
}

/// Returns `true` if a path is text once its escapes are read, as identifiers in it are.
fn is_text(path: &str) -> bool {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();

    for part in parts {
        match part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => bytes.extend(part.as_bytes()),
        }
    }

    std::str::from_utf8(&bytes).is_ok()
}

/// Lets a request in and gives its handler the principal or the source that it comes from.
async fn admitted(
    app: &App,
    access: Access,
    parts: &mut Parts,
) -> Result<Option<Arc<Principal>>, Problem> {
    if access == Access::MetricSource
        && let Some(source) = identify::metric_source(app, &parts.headers).await?
    {
        parts.extensions.insert(Pushing(Arc::new(source)));
        return Ok(None);
    }

    if access == Access::AlertSource
        && let Some(source) = identify::alert_source(app, &parts.headers).await?
    {
        parts.extensions.insert(PushingAlerts(Arc::new(source)));
        return Ok(None);
    }

    if let Some(source) = identify::log_source(app, &parts.headers).await? {
        if access != Access::LogSource {
            return Err(beyond_source(app, parts, &source).await);
        }
        parts.extensions.insert(PushingEvents(Arc::new(source)));
        return Ok(None);
    }

    let principal = admit(app, access, parts).await?;
    if let Some(principal) = &principal {
        parts.extensions.insert(principal.clone());
    }

    Ok(principal)
}

/// Refuses the token of a source of entries on any other route, and records that.
async fn beyond_source(app: &App, parts: &Parts, source: &LogSource) -> Problem {
    let origin = identify::origin(
        &app.settings.trusted_proxies,
        &parts.headers,
        parts.extensions.get::<ConnectInfo<SocketAddr>>(),
    );
    let entry = log_entry::token_refused(
        &origin,
        parts.method.as_str(),
        parts.uri.path(),
        &request_id(parts),
    )
    .with_metadata("source", source.name.clone());
    app.refused(format!("source {}", source.name), entry).await;
    Problem::new(
        Code::Forbidden,
        "The token of a source appends through its source and opens nothing else.",
    )
}

async fn admit(
    app: &App,
    access: Access,
    parts: &Parts,
) -> Result<Option<Arc<Principal>>, Problem> {
    let principal = match identify::principal(app, &parts.method, &parts.headers).await {
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {
            let origin = identify::origin(
                &app.settings.trusted_proxies,
                &parts.headers,
                parts.extensions.get::<ConnectInfo<SocketAddr>>(),
            );
            let kind = format!("token {}", identify::network(origin.ip_address.as_deref()));
            let entry = log_entry::token_refused(
                &origin,
                parts.method.as_str(),
                parts.uri.path(),
                &request_id(parts),
            );
            app.refused(kind, entry).await;
            return Err(problem);
        }
        other => other?,
    };
    match principal {
        None if access == Access::Public => Ok(None),
        None => Err(Problem::new(
            Code::Unauthenticated,
            "Send a token as `Authorization: Bearer <token>`, or sign in at POST /api/v1/sessions.",
        )),
        Some(principal)
            if access.allows(&principal)
                && !scope::refuses(
                    &principal,
                    access,
                    &parts.method,
                    parts
                        .extensions
                        .get::<MatchedPath>()
                        .map(MatchedPath::as_str),
                ) =>
        {
            Ok(Some(principal))
        }
        Some(principal) => {
            let origin = identify::origin(
                &app.settings.trusted_proxies,
                &parts.headers,
                parts.extensions.get::<ConnectInfo<SocketAddr>>(),
            );
            let caller = Caller {
                principal,
                origin,
                request_id: request_id(parts),
            };
            app.denied(&caller, &parts.method, parts.uri.path(), &access.words())
                .await;
            Err(Problem::new(
                Code::Forbidden,
                format!(
                    "You need the permission {}. Ask an administrator for a role that has it.",
                    access.words()
                ),
            ))
        }
    }
}
