//! Exclusions: what people do not want to be recommended, with a reason and an end.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_engine::ExclusionInput;
use reeve_recommend::recommendation::exclusion::ExclusionId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::time;
use crate::wire::form::list::{List, Paging};
use crate::wire::guardrail::change_control::{ExclusionBody, ExclusionCreateBody};

/// Exclusions, oldest first, ended ones included.
#[utoipa::path(get, path = "/api/v1/intelligence/exclusions", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<ExclusionBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<ExclusionBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.agents.exclusion_list().await?;
    let now = app.now();
    Ok(Json(
        window.page(all.iter(), |one| ExclusionBody::new(one, now)),
    ))
}

/// Exclude. What waits and is covered is dismissed with this reason.
#[utoipa::path(post, path = "/api/v1/intelligence/exclusions", tag = "intelligence", request_body = ExclusionCreateBody,
    responses((status = 201, body = ExclusionBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<ExclusionCreateBody>,
) -> Result<(StatusCode, Json<ExclusionBody>), Problem> {
    let until = time::parse_option("until", body.until.as_deref())?;
    let input = ExclusionInput {
        resource: body.resource,
        account: body.account,
        kind: body.kind,
        aspect: body.aspect,
        reason: body.reason,
        until,
    };

    let made = app
        .recommendations
        .exclude(input, &asking(&caller))
        .await
        .map_err(problem)?;

    Ok((
        StatusCode::CREATED,
        Json(ExclusionBody::new(&made, app.now())),
    ))
}

/// Remove an exclusion; what it covered may be found again.
#[utoipa::path(delete, path = "/api/v1/intelligence/exclusions/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.recommendations
        .include(&ExclusionId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}
