//! The whole service as one router.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header,
};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _};
use tower_http::trace::{DefaultMakeSpan, TraceLayer};
use utoipa::openapi::OpenApi;

use crate::app::App;
use crate::error::{Code, Problem};
use crate::guard::GuardRule;
use crate::routes::health;
use crate::{dashboard, description, leftover, routes};

/// Builds the router of the whole service.
pub fn router(app: Arc<App>) -> Router {
    let (api, openapi) = routes::all(Some(app.clone()))
        .into_router()
        .split_for_parts();
    let document = Arc::new(description::completed(openapi, &rules()));
    Router::new()
        .merge(api)
        .route(
            "/api/openapi.json",
            get(move || async move { Json((*document).clone()) }),
        )
        .route("/api/{*rest}", axum::routing::any(unknown))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::guarded_metrics))
        .fallback(page)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(leftover::middleware))
        .layer(from_fn(headers))
        .layer(
            CompressionLayer::new()
                .gzip(true)
                .compress_when(DefaultPredicate::new().and(may_be_compressed)),
        )
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                Problem::internal("a handler panicked").into_response()
            },
        ))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().include_headers(false)),
        )
        .with_state(app)
}

/// Health, readiness and metrics alone, without sign-in: for a listener that only the monitoring
/// reaches.
pub fn metrics_router(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .with_state(app)
}

/// The description of the interface.
#[must_use]
pub fn openapi() -> OpenApi {
    description::completed(routes::all(None).into_router().into_openapi(), &rules())
}

/// Every route of the interface with what it asks for.
#[must_use]
pub fn rules() -> Vec<GuardRule> {
    routes::all(None).into_rules()
}

async fn unknown(request: Request) -> Problem {
    Problem::new(
        Code::NotFound,
        format!(
            "There is no route {} {}. /api/openapi.json lists all routes.",
            request.method(),
            request.uri().path()
        ),
    )
}

async fn wrong_method(request: Request) -> Problem {
    Problem::new(
        Code::MethodNotAllowed,
        format!(
            "{} does not accept {}.",
            request.uri().path(),
            request.method()
        ),
    )
}

async fn page(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return wrong_method(request).await.into_response();
    }
    dashboard::file(request.uri().clone(), request.headers().clone()).await
}

/// An answer that is sent as it is, however the client would take it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uncompressed;

fn may_be_compressed(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<Uncompressed>().is_none()
}

async fn headers(request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();

    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; \
             connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        ),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), microphone=(), geolocation=()",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }

    if api && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }

    response
}
