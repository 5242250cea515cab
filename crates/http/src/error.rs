//! Problems: the one mapping from what went wrong to HTTP (RFC 9457).
//!
//! Every problem has a stable `code`; each code has a page under `docs/errors/`. What the caller
//! may not see is a 404, never a 403, and messages name the field or cause and what to do. Internal
//! causes go to the log, not to the caller.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use reeve_access::AccessError;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::StoreError;
use reeve_estate::connection::rules::{BrokenRule, InvalidConnection};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::form::enumeration::{FieldFault, Name};

/// Codes of problems. The text is what stands in `code` and names the page under `docs/errors/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// 400: the request cannot be read at all.
    BadRequest,
    /// 401: the request names no principal.
    Unauthenticated,
    /// 401: e-mail address and password do not match.
    WrongCredentials,
    /// 403: a principal without the permission.
    Forbidden,
    /// 404: does not exist, or may not be seen.
    NotFound,
    /// 405: the path does not serve this method.
    MethodNotAllowed,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 410: the entry was erased for an approved request.
    Erased,
    /// 409: somebody changed it in between, or its state does not allow it.
    Conflict,
    /// 409: the event id stands for other bytes.
    EventIdConflict,
    /// 409: a guardrail says no.
    GuardrailBlocked,
    /// 409: the agent's mode does not act.
    AgentLearning,
    /// 409: the plan is not the one that was seen.
    PlanChanged,
    /// 413: the body is too large.
    BodyTooLarge,
    /// 413: one entry is too large.
    EntryTooLarge,
    /// 422: an export would be larger than one export may be.
    ExportTooLarge,
    /// 415: the content type of the body is not served.
    UnsupportedMediaType,
    /// 422: fields are wrong.
    InvalidFields,
    /// 422: the query is wrong, with position and hint.
    InvalidQuery,
    /// 422: the query asks for more of the log than one search may read.
    QueryTooCostly,
    /// 429: too much at once.
    TooManyRequests,
    /// 500: a fault of Reeve itself; its log of messages has the cause.
    Internal,
    /// 500: a part of the log is lost or is not what was written.
    LogDamaged,
    /// 503: the place of a farther tier of the log does not answer.
    LogAway,
    /// 502: the cloud did not answer or refused.
    CloudFailed,
    /// 503: the log cannot be written right now.
    LedgerUnavailable,
    /// 503: the state database does not answer.
    DatabaseUnavailable,
    /// 503: this server is a standby, and the active one does not answer; or it may have been
    /// replaced.
    NoActiveServer,
    /// 507: the disk is full.
    DiskFull,
}

impl Code {
    /// Every code, in the order of its declaration.
    pub const ALL: &'static [Code] = &[
        Code::BadRequest,
        Code::Unauthenticated,
        Code::WrongCredentials,
        Code::Forbidden,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::RequestTimeout,
        Code::Erased,
        Code::Conflict,
        Code::EventIdConflict,
        Code::GuardrailBlocked,
        Code::AgentLearning,
        Code::PlanChanged,
        Code::BodyTooLarge,
        Code::EntryTooLarge,
        Code::ExportTooLarge,
        Code::UnsupportedMediaType,
        Code::InvalidFields,
        Code::InvalidQuery,
        Code::QueryTooCostly,
        Code::TooManyRequests,
        Code::Internal,
        Code::LogDamaged,
        Code::LogAway,
        Code::CloudFailed,
        Code::LedgerUnavailable,
        Code::DatabaseUnavailable,
        Code::NoActiveServer,
        Code::DiskFull,
    ];

    /// Name, status and title.
    #[must_use]
    pub const fn describe(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Code::BadRequest => ("bad_request", StatusCode::BAD_REQUEST, "Malformed request"),
            Code::Unauthenticated => ("unauthenticated", StatusCode::UNAUTHORIZED, "Not signed in"),
            Code::WrongCredentials => (
                "wrong_credentials",
                StatusCode::UNAUTHORIZED,
                "Wrong e-mail or password",
            ),
            Code::Forbidden => ("forbidden", StatusCode::FORBIDDEN, "Permission denied"),
            Code::NotFound => ("not_found", StatusCode::NOT_FOUND, "Not found"),
            Code::MethodNotAllowed => (
                "method_not_allowed",
                StatusCode::METHOD_NOT_ALLOWED,
                "Method not allowed",
            ),
            Code::RequestTimeout => (
                "request_timeout",
                StatusCode::REQUEST_TIMEOUT,
                "The request took too long",
            ),
            Code::Erased => ("erased", StatusCode::GONE, "The entry was erased"),
            Code::Conflict => ("conflict", StatusCode::CONFLICT, "Conflict"),
            Code::EventIdConflict => (
                "event_id_conflict",
                StatusCode::CONFLICT,
                "The event id is taken by another entry",
            ),
            Code::GuardrailBlocked => (
                "guardrail_blocked",
                StatusCode::CONFLICT,
                "A guardrail blocks this",
            ),
            Code::AgentLearning => (
                "agent_learning",
                StatusCode::CONFLICT,
                "The agent is learning and does not act",
            ),
            Code::PlanChanged => ("plan_changed", StatusCode::CONFLICT, "The plan has changed"),
            Code::BodyTooLarge => (
                "body_too_large",
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request body is too large",
            ),
            Code::EntryTooLarge => (
                "entry_too_large",
                StatusCode::PAYLOAD_TOO_LARGE,
                "An entry is too large",
            ),
            Code::ExportTooLarge => (
                "export_too_large",
                StatusCode::UNPROCESSABLE_ENTITY,
                "The export is too large",
            ),
            Code::UnsupportedMediaType => (
                "unsupported_media_type",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Unsupported media type",
            ),
            Code::InvalidFields => (
                "invalid_fields",
                StatusCode::UNPROCESSABLE_ENTITY,
                "Some fields are not valid",
            ),
            Code::InvalidQuery => (
                "invalid_query",
                StatusCode::UNPROCESSABLE_ENTITY,
                "The query is not valid",
            ),
            Code::QueryTooCostly => (
                "query_too_costly",
                StatusCode::UNPROCESSABLE_ENTITY,
                "The query is too expensive",
            ),
            Code::TooManyRequests => (
                "too_many_requests",
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
            ),
            Code::Internal => (
                "internal",
                StatusCode::INTERNAL_SERVER_ERROR,
                "Internal error",
            ),
            Code::LogDamaged => (
                "log_damaged",
                StatusCode::INTERNAL_SERVER_ERROR,
                "A part of the log is damaged",
            ),
            Code::LogAway => (
                "log_away",
                StatusCode::SERVICE_UNAVAILABLE,
                "The place of a tier of the log does not answer",
            ),
            Code::CloudFailed => (
                "cloud_failed",
                StatusCode::BAD_GATEWAY,
                "The cloud provider refused or did not answer",
            ),
            Code::LedgerUnavailable => (
                "ledger_unavailable",
                StatusCode::SERVICE_UNAVAILABLE,
                "The audit log cannot be written",
            ),
            Code::DatabaseUnavailable => (
                "database_unavailable",
                StatusCode::SERVICE_UNAVAILABLE,
                "The state database does not answer",
            ),
            Code::NoActiveServer => (
                "no_active_server",
                StatusCode::SERVICE_UNAVAILABLE,
                "No active server",
            ),
            Code::DiskFull => (
                "disk_full",
                StatusCode::INSUFFICIENT_STORAGE,
                "The disk is full",
            ),
        }
    }
}

/// A field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldProblem {
    /// Dotted path, such as `actor.ip_address`.
    pub field: String,
    /// Fault of the field, for programs.
    pub code: FieldFault,
    pub message: String,
    /// Position in the batch, for batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
}

/// An RFC 9457 problem.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProblemBody {
    /// `/errors/<code>`: the page that explains it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the kind of problem, the same for each occurrence (RFC 9457).
    pub title: String,
    /// HTTP status, as in the answer's first line.
    pub status: u16,
    /// In this case, and what to do.
    pub detail: String,
    /// Stable name of the kind of problem; each has a page in `docs/errors`.
    pub code: String,
    /// Fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// The fault without its position, for wrong queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Position in the query, for wrong queries: characters from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The part of the query that is wrong, as written there, for wrong queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Correction, for wrong queries and names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The guardrail that blocks, for `guardrail_blocked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockBody>,
}

/// Guardrail that blocks a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BlockBody {
    /// Name of the guardrail (`cost_impact.max_decrease`).
    pub guardrail: String,
    /// Limit and value in words.
    pub message: String,
}

impl BlockBody {
    /// The block of a guardrail.
    #[must_use]
    pub fn new(guardrail: &str, message: &str) -> Self {
        BlockBody {
            guardrail: guardrail.to_owned(),
            message: message.to_owned(),
        }
    }
}

/// A problem on its way out.
#[derive(Debug, Clone)]
pub struct Problem {
    body: Box<ProblemBody>,
    status: StatusCode,
    retry_after_s: Option<u64>,
}

impl Problem {
    /// With the guardrail that blocks.
    #[must_use]
    pub fn with_block(mut self, block: BlockBody) -> Self {
        self.body.block = Some(block);
        self
    }

    /// A problem with its code and what is special about this case.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let (name, status, title) = code.describe();
        Problem {
            body: Box::new(ProblemBody {
                kind: format!("/errors/{name}"),
                title: title.to_owned(),
                status: status.as_u16(),
                detail: detail.into(),
                code: name.to_owned(),
                errors: Vec::new(),
                reason: None,
                position: None,
                part: None,
                hint: None,
                block: None,
            }),
            status,
            retry_after_s: None,
        }
    }

    /// Creates a problem about one field.
    #[must_use]
    pub fn field(field: impl Into<String>, code: FieldCode, message: impl Into<String>) -> Self {
        let message = message.into();
        let field = field.into();
        Problem::new(Code::InvalidFields, format!("{field}: {message}")).with_errors(vec![
            FieldProblem {
                field,
                code: Name(code),
                message,
                index: None,
            },
        ])
    }

    /// Creates a problem about several fields.
    #[must_use]
    pub fn fields(errors: Vec<FieldProblem>) -> Self {
        let detail = errors
            .iter()
            .map(|error| format!("{}: {}", error.field, error.message))
            .collect::<Vec<_>>()
            .join("; ");
        Problem::new(Code::InvalidFields, detail).with_errors(errors)
    }

    /// Creates a problem about a query that cannot be read.
    #[must_use]
    pub fn query(reason: String, position: usize, part: String, hint: Option<String>) -> Self {
        let detail = format!("At character {position}: {reason}");
        let mut problem = Problem::new(Code::InvalidQuery, detail).with_hint(hint);
        problem.body.reason = Some(reason);
        problem.body.position = Some(position as u64);
        problem.body.part = Some(part).filter(|part| !part.is_empty());
        problem
    }

    /// With what to write instead.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> Self {
        self.body.hint = hint;
        self
    }

    /// Not there, or not for the caller's eyes.
    #[must_use]
    pub fn not_found(what: &str, id: &str) -> Self {
        Problem::new(Code::NotFound, format!("{what} {id} does not exist"))
    }

    /// Something failed inside: the cause goes to the log, a reference to it to the caller.
    #[must_use]
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let reference = uuid::Uuid::now_v7();
        tracing::error!(%reference, %cause, "request failed");
        Problem::new(
            Code::Internal,
            format!(
                "An internal error occurred. Search the service's log for {reference} to find the cause."
            ),
        )
    }

    /// The database's disk is full.
    #[must_use]
    pub fn full(cause: &str) -> Self {
        tracing::error!(%cause, "the disk of the store is full");
        Problem::new(
            Code::DiskFull,
            "The disk of the store is full; nothing was changed. Free some space and try again.",
        )
    }

    /// The database does not answer.
    #[must_use]
    pub fn unavailable(cause: &str) -> Self {
        tracing::error!(%cause, "the state database does not answer");
        Problem::new(
            Code::DatabaseUnavailable,
            "The state database does not answer. Try again in a few seconds.",
        )
        .retry_after(5)
    }

    /// Adds the fields that are wrong.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<FieldProblem>) -> Self {
        self.body.errors = errors;
        self
    }

    /// With a time after which to try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// The status it answers with.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Problem that the caller reads.
    #[must_use]
    pub fn body(&self) -> &ProblemBody {
        &self.body
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&*self.body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }

        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { what, id } => Problem::not_found(what, &id),
            StoreError::Conflict(message) => Problem::new(Code::Conflict, message),
            StoreError::Full(message) => Problem::full(&message),
            StoreError::Unavailable(message) => Problem::unavailable(&message),
            StoreError::Backend(message) => Problem::internal(message),
        }
    }
}

impl From<InvalidConnection> for Problem {
    fn from(error: InvalidConnection) -> Self {
        let code = match error.rule {
            BrokenRule::Invalid => FieldCode::InvalidValue,
            BrokenRule::Missing => FieldCode::MissingField,
            BrokenRule::NotAvailable => FieldCode::NotAvailable,
        };
        Problem::field(error.field, code, error.message)
    }
}

impl From<FieldError> for Problem {
    fn from(error: FieldError) -> Self {
        Problem::field(error.path, error.code, error.message)
    }
}

impl From<AccessError> for Problem {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::NotFound { what, id } => Problem::not_found(what, &id),
            AccessError::Conflict(message) => Problem::new(Code::Conflict, message),
            AccessError::Full(message) => Problem::full(&message),
            AccessError::Unavailable(message) => Problem::unavailable(&message),
            AccessError::Backend(message) => Problem::internal(message),
        }
    }
}
