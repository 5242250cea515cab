//! Extractors: the caller, strict JSON bodies, strict query strings. Their refusals name the field.

mod document;
mod mismatch;
mod query;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, HttpBody as _};
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use http_body_util::BodyExt as _;
use reeve_access::Principal;
use reeve_audit::FieldCode;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use self::document::Document;
use self::mismatch::{Mismatch, MismatchKind};
use crate::app::App;
use crate::body_budget::BodyBudget;
use crate::error::{Code, Problem};
use crate::identify;
use crate::identify::Origin;

pub use crate::caller::Caller;

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let principal = parts
            .extensions
            .get::<Arc<Principal>>()
            .cloned()
            .ok_or_else(|| Problem::new(Code::Unauthenticated, "Sign in, or send an API token."))?;
        Ok(Caller {
            principal,
            origin: origin(parts, app),
            request_id: request_id(parts),
        })
    }
}

/// Origin of a request; for routes that are public.
#[derive(Debug, Clone)]
pub struct From {
    /// Origin of the request.
    pub origin: Origin,
    /// The request's identifier, for the log.
    pub request_id: String,
    /// `true` if the client reaches Reeve over TLS, as far as it is known.
    pub is_secure: bool,
}

impl FromRequestParts<Arc<App>> for From {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let is_secure = app.settings.secure_cookies
            || identify::is_behind_tls(&app.settings.trusted_proxies, &parts.headers, peer);
        Ok(From {
            origin: origin(parts, app),
            request_id: request_id(parts),
            is_secure,
        })
    }
}

fn origin(parts: &Parts, app: &App) -> Origin {
    identify::origin(
        &app.settings.trusted_proxies,
        &parts.headers,
        parts.extensions.get::<ConnectInfo<SocketAddr>>(),
    )
}

/// Returns the identifier that the client gave the request, or a new one.
pub(crate) fn request_id(parts: &Parts) -> String {
    parts
        .headers
        .get("x-request-id")
        .and_then(|value| value.to_str().ok())
        .filter(|id| !id.is_empty() && id.len() <= 128)
        .map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}

/// A JSON body. An empty one reads as `{}`. Unknown fields and wrong types are refused by name.
#[derive(Debug, Clone, Copy)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        if media_type(&request).is_some_and(|kind| kind != "application/json") {
            return Err(Problem::new(
                Code::UnsupportedMediaType,
                "Send application/json.",
            ));
        }

        let bytes = read(request, app).await?;
        let text: &[u8] = if bytes.iter().all(u8::is_ascii_whitespace) {
            b"{}"
        } else {
            &bytes
        };

        // serde would read a list of values as the members in order.
        if text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
            return Err(Problem::field(
                "body",
                FieldCode::WrongType,
                "must be an object, not a list",
            ));
        }

        Ok(Body(read_json(text)?))
    }
}

/// Reads a JSON text into a type.
fn read_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let document = Document::deserialize(&mut reader).map_err(|error| {
        Problem::new(Code::BadRequest, format!("The body is not JSON: {error}."))
    })?;
    reader.end().map_err(|error| {
        Problem::new(
            Code::BadRequest,
            format!("The body has further content after its end: {error}."),
        )
    })?;

    serde_path_to_error::deserialize(document).map_err(|error| body_problem(&error))
}

/// The media type of a body in lower case, without its parameters; `None` when none is given.
#[must_use]
pub fn media_type(request: &Request) -> Option<String> {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)?
        .to_str()
        .unwrap_or("unreadable");
    Some(
        kind.split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase(),
    )
}

fn body_problem(error: &serde_path_to_error::Error<Mismatch>) -> Problem {
    let (path, mismatch) = (error.path().to_string(), error.inner());
    let (field, code) = match &mismatch.kind {
        // The path already ends in the unknown name.
        MismatchKind::UnknownField(name) if path.ends_with(name) => (path, FieldCode::UnknownField),
        MismatchKind::UnknownField(name) => (join(&path, name), FieldCode::UnknownField),
        MismatchKind::DuplicateField(name) => (join(&path, name), FieldCode::DuplicateKey),
        MismatchKind::MissingField(name) => (join(&path, name), FieldCode::MissingField),
        MismatchKind::WrongType => (path, FieldCode::WrongType),
        MismatchKind::InvalidValue => (path, FieldCode::InvalidValue),
    };

    Problem::field(
        if field == "." {
            "body".to_owned()
        } else {
            field
        },
        code,
        mismatch.message.clone(),
    )
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() || path == "." {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Bytes past the limit that are read and thrown away: a client that is still sending would see a
/// broken connection in place of the answer.
const DRAIN: usize = 32 * 1024 * 1024;

/// Limits of the time in which a body must arrive.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Longest time without a byte.
    idle: Duration,
    /// In all.
    whole: Duration,
}

const PATIENCE: Patience = Patience {
    idle: Duration::from_secs(30),
    whole: Duration::from_secs(300),
};

/// Limits of a body.
#[derive(Debug, Clone, Copy)]
struct BodyLimits {
    /// Bytes of the body.
    most: usize,
    /// Bytes past them that are read and thrown away.
    drain: usize,
    patience: Patience,
}

impl BodyLimits {
    /// Limits of a route that anybody may call: a sign-in has a few hundred bytes, and what arrives
    /// before it must not add up.
    const PUBLIC: BodyLimits = BodyLimits {
        most: 16 * 1024,
        drain: 64 * 1024,
        patience: Patience {
            idle: Duration::from_secs(10),
            whole: Duration::from_secs(20),
        },
    };

    const fn of_caller(most: usize) -> BodyLimits {
        BodyLimits {
            most,
            drain: DRAIN,
            patience: PATIENCE,
        }
    }
}

/// Mark of a request whose route anybody may call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublicRoute;

/// Room made at once for a body that is only announced, bytes.
const TRUSTED: usize = 1024 * 1024;

/// Reads a whole body within the limit.
///
/// # Errors
/// 408 when it does not arrive in time, 413 past the limit, 415 for an encoded body, 429 when other
/// bodies leave no room, 400 when the connection broke.
pub async fn read(request: Request, app: &App) -> Result<Bytes, Problem> {
    let encoding = request
        .headers()
        .get(header::CONTENT_ENCODING)
        .map(|value| value.to_str().unwrap_or("unreadable"));
    if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        let message =
            format!("Content-Encoding {encoding} is not supported. Send the body uncompressed.");
        return Err(Problem::new(Code::UnsupportedMediaType, message));
    }

    let limits = match request.extensions().get::<PublicRoute>() {
        Some(PublicRoute) => BodyLimits::PUBLIC,
        None => BodyLimits::of_caller(app.settings.max_body_bytes),
    };
    if let Some(length) = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        && length > limits.most.saturating_add(limits.drain)
    {
        return Err(too_large(limits.most));
    }

    collect(request.into_body(), limits, &app.bodies).await
}

/// Reads a whole body that is compressed, as it is, within a limit of its own.
///
/// # Errors
/// 408 when it does not arrive in time, 413 past the limit, 429 when other bodies leave no room,
/// 400 when the connection broke.
pub async fn read_encoded(request: Request, limit: usize, app: &App) -> Result<Bytes, Problem> {
    collect(
        request.into_body(),
        BodyLimits::of_caller(limit),
        &app.bodies,
    )
    .await
}

async fn collect(
    mut body: axum::body::Body,
    limits: BodyLimits,
    budget: &BodyBudget,
) -> Result<Bytes, Problem> {
    let BodyLimits {
        most,
        drain,
        patience,
    } = limits;

    let whole = body
        .size_hint()
        .exact()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|bytes| *bytes <= most);
    let deadline = Instant::now() + patience.whole;
    let (mut bytes, mut seen, mut room) = (Vec::new(), 0_usize, budget.begin());

    while let Some(data) = next(&mut body, patience, deadline).await? {
        seen = seen.saturating_add(data.len());
        if seen > most {
            (bytes, room) = (Vec::new(), budget.begin());
            if seen > most.saturating_add(drain) {
                break;
            }
            continue;
        }
        room.grow(seen).await?;
        if bytes.is_empty() {
            if whole == Some(data.len()) {
                return Ok(room.hold(data));
            }
            bytes.reserve_exact(whole.unwrap_or_default().min(TRUSTED));
        }
        bytes.extend_from_slice(&data);
    }

    if seen > most {
        Err(too_large(most))
    } else {
        Ok(room.hold(Bytes::from(bytes)))
    }
}

/// The next piece of a body, which must not keep us waiting.
async fn next(
    body: &mut axum::body::Body,
    patience: Patience,
    deadline: Instant,
) -> Result<Option<Bytes>, Problem> {
    let until = deadline.min(Instant::now() + patience.idle);
    match tokio::time::timeout_at(until, body.frame()).await {
        Ok(None) => Ok(None),
        // Trailers carry nothing for us.
        Ok(Some(Ok(frame))) => Ok(Some(frame.into_data().unwrap_or_default())),
        Ok(Some(Err(error))) => Err(Problem::new(
            Code::BadRequest,
            format!("The body could not be read: {error}."),
        )),
        Err(_) => {
            let (idle, whole) = (patience.idle.as_secs(), patience.whole.as_secs());
            let message = format!(
                "No data arrived for {idle} s, or the body was incomplete after {whole} s; nothing was written."
            );
            Err(Problem::new(Code::RequestTimeout, message))
        }
    }
}

fn too_large(limit: usize) -> Problem {
    Problem::new(
        Code::BodyTooLarge,
        format!("The body is larger than {limit} bytes; nothing was written. Send it in parts."),
    )
}

/// A query string. Unknown parameters and wrong types are refused by name.
#[derive(Debug, Clone, Copy)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let text = parts.uri.query().unwrap_or_default();
        query::read(text)
            .map(Params)
            .map_err(|error| query_problem(&error))
    }
}

fn query_problem(error: &serde_path_to_error::Error<Mismatch>) -> Problem {
    let mismatch = error.inner();
    match &mismatch.kind {
        MismatchKind::UnknownField(name) => Problem::field(
            name,
            FieldCode::UnknownParameter,
            "the parameter does not exist",
        ),
        MismatchKind::MissingField(name) => {
            Problem::field(*name, FieldCode::MissingField, "is required")
        }
        MismatchKind::DuplicateField(name) => {
            Problem::field(*name, FieldCode::DuplicateParameter, "is given twice")
        }
        MismatchKind::WrongType | MismatchKind::InvalidValue => Problem::field(
            error.path().to_string(),
            FieldCode::WrongType,
            mismatch.message.clone(),
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::convert::Infallible;

    use axum::body::Body;
    use futures::StreamExt as _;
    use futures::stream;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(deserialize_with = "refused")]
        #[expect(dead_code, reason = "always refused")]
        cloud: String,
    }

    /// Refuses a text with the text as the message.
    fn refused<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
        Err(serde::de::Error::custom(String::deserialize(reader)?))
    }

    #[test]
    fn the_kind_of_an_error_does_not_depend_on_its_sentence() {
        let code = |text: &str| {
            let problem = read_json::<Sample>(text.as_bytes()).unwrap_err();
            let error = problem.body().errors[0].clone();
            (error.field, error.code.0.as_str())
        };

        for sentence in [
            "invalid type of cloud",
            "unknown field `x`",
            "missing field `x`",
            "duplicate field `x`",
        ] {
            let body = serde_json::json!({ "cloud": sentence }).to_string();
            assert_eq!(code(&body), ("cloud".into(), "invalid_value"), "{sentence}");
        }

        assert_eq!(code(r#"{"cloud": 7}"#), ("cloud".into(), "wrong_type"));
        assert_eq!(code(r#"{"sky": 7}"#), ("sky".into(), "unknown_field"));
        assert_eq!(code("{}"), ("cloud".into(), "missing_field"));
    }

    const SHORT: Patience = Patience {
        idle: Duration::from_millis(20),
        whole: Duration::from_millis(200),
    };

    async fn collected(body: Body, most: usize, patience: Patience) -> Result<Bytes, Problem> {
        collect(
            body,
            BodyLimits {
                most,
                drain: DRAIN,
                patience,
            },
            &BodyBudget::new(1 << 20),
        )
        .await
    }

    fn pieces(pieces: &[&'static str]) -> Vec<Result<Bytes, Infallible>> {
        pieces
            .iter()
            .map(|piece| Ok(Bytes::from_static(piece.as_bytes())))
            .collect()
    }

    #[tokio::test]
    async fn bodies_in_one_piece_and_in_many() {
        let (one, many) = (
            Body::from("abcdef"),
            Body::from_stream(stream::iter(pieces(&["ab", "", "cde", "f"]))),
        );
        assert_eq!(collected(one, 6, PATIENCE).await.unwrap(), "abcdef");
        assert_eq!(collected(many, 6, PATIENCE).await.unwrap(), "abcdef");
        assert_eq!(collected(Body::empty(), 6, PATIENCE).await.unwrap(), "");

        let many = Body::from_stream(stream::iter(pieces(&["ab", "cde", "fg"])));
        for long in [Body::from("abcdefg"), many] {
            assert_eq!(
                collected(long, 6, PATIENCE)
                    .await
                    .unwrap_err()
                    .status()
                    .as_u16(),
                413
            );
        }
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive() {
        let stopped = stream::iter(pieces(&["ab"])).chain(stream::pending());
        assert_eq!(
            collected(Body::from_stream(stopped), 6, SHORT)
                .await
                .unwrap_err()
                .status()
                .as_u16(),
            408
        );

        // One that never stops and never ends.
        let dripping = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b"x")), ()))
        });
        assert_eq!(
            collected(Body::from_stream(dripping), 1_000_000, SHORT)
                .await
                .unwrap_err()
                .status()
                .as_u16(),
            408
        );
    }
}
