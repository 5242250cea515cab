//! Receiver of remote write 1.0 (<https://prometheus.io/docs/specs/prw/remote_write_spec/>):
//! protobuf in snappy, 204 once it is stored.
//!
//! A push that sending again cannot mend is a 4xx, for which Prometheus drops the samples; a full
//! queue is a 429 and a store that failed a 5xx, for which it sends them again. Version 2.0 is
//! refused with 415, and Prometheus is configured to send 1.0.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::read_encoded;
use crate::guard::Pushing;
use crate::metric_intake::WriteError;

/// Largest body, bytes.
const MAX_BODY_BYTES: usize = 8 << 20;

/// Take metrics that a Prometheus server pushes (remote write 1.0). The token is the one of a
/// metric source.
#[utoipa::path(post, path = "/api/v1/metrics/write", tag = "metrics", operation_id = "metrics_write",
    request_body(content = Vec<u8>, content_type = "application/x-protobuf", description = "`prometheus.WriteRequest`, compressed with snappy (block format)"),
    responses((status = 204, description = "Stored"), (status = 400, body = ProblemBody), (status = 413, body = ProblemBody),
        (status = 415, body = ProblemBody), (status = 429, body = ProblemBody)))]
pub(super) async fn write(
    State(app): State<Arc<App>>,
    Pushing(source): Pushing,
    request: Request,
) -> Result<StatusCode, Problem> {
    if !source.enabled {
        return Err(Problem::new(
            Code::Forbidden,
            "This metric source is disabled.",
        ));
    }

    check_form(&request)?;
    let body = read_encoded(request, MAX_BODY_BYTES, &app).await?;
    app.metric_intake
        .write(&source, body)
        .await
        .map_err(problem)?;

    Ok(StatusCode::NO_CONTENT)
}

/// Refuses everything but remote write 1.0. A body without a media type is taken for it, as the
/// specification's senders always say it.
fn check_form(request: &Request) -> Result<(), Problem> {
    let text = |name: header::HeaderName| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable").to_ascii_lowercase())
    };

    let refused = |message: &str| Err(Problem::new(Code::UnsupportedMediaType, message));
    let kind = text(header::CONTENT_TYPE).unwrap_or_else(|| "application/x-protobuf".to_owned());
    let mut parts = kind.split(';').map(str::trim);
    if parts.next() != Some("application/x-protobuf") {
        return refused("Send application/x-protobuf, as Prometheus' remote write does.");
    }

    if parts.any(|part| {
        part.strip_prefix("proto=")
            .is_some_and(|message| message != "prometheus.writerequest")
    }) {
        return refused(
            "Remote write 1.0 alone is taken: set protobuf_message to prometheus.WriteRequest.",
        );
    }

    match text(header::CONTENT_ENCODING).as_deref() {
        Some("snappy") => Ok(()),
        _ => refused("Send the body with Content-Encoding snappy."),
    }
}

fn problem(error: WriteError) -> Problem {
    match error {
        WriteError::Malformed(message) => {
            Problem::new(Code::BadRequest, format!("Nothing was stored: {message}."))
        }
        WriteError::TooLarge(message) => Problem::new(
            Code::BodyTooLarge,
            format!("Nothing was stored: {message}."),
        ),
        WriteError::Busy { retry_after_s } => {
            let message =
                "Too many pushes of this source wait; nothing was stored. Send it again later.";
            Problem::new(Code::TooManyRequests, message).retry_after(retry_after_s)
        }
        WriteError::Store(error) => error.into(),
    }
}
