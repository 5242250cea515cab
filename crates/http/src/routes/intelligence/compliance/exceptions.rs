//! Exceptions of checks: failed results that a person accepts until a time.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_engine::AcceptanceInput;
use reeve_estate::{ConnectionId, ResourceId};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::time;
use crate::wire::compliance::CheckExceptionBody;
use crate::wire::guardrail::change_control::ExclusionBody;

/// Accept a failed result of a check until a time. The exception is an exclusion that names the check:
/// the recommendation is dismissed with its reason, and DELETE of the exclusion withdraws it.
#[utoipa::path(post, path = "/api/v1/intelligence/checks/{id}/exceptions", tag = "intelligence", params(("id" = String, Path)),
    request_body = CheckExceptionBody,
    responses((status = 201, body = ExclusionBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn accept(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<CheckExceptionBody>,
) -> Result<(StatusCode, Json<ExclusionBody>), Problem> {
    let catalogue = app.checks.current();
    if catalogue.check(&id).is_none() {
        return Err(Problem::not_found("check", &id));
    }

    let connection = ConnectionId(body.connection_id);
    let resource = ResourceId::new(body.resource_id);
    let found = app
        .evidence
        .evidence_of(&connection, std::slice::from_ref(&resource))
        .await?;
    let found = found
        .into_iter()
        .find(|one| one.result.check == id)
        .ok_or_else(|| Problem::not_found("result of the check about", &resource.0))?;

    let input = AcceptanceInput {
        reason: body.reason,
        ends_at: time::parse_option("ends_at", body.ends_at.as_deref())?,
        seen_hash: body.document_hash,
    };
    let made = app
        .recommendations
        .accept_result(&found, &input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((
        StatusCode::CREATED,
        Json(ExclusionBody::new(&made, app.now())),
    ))
}
