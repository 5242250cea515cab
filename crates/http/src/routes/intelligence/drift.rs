//! Baselines, and the drifts from them: pinned, listed, explained, accepted.

mod bodies;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::FieldCode;
use reeve_engine::{AcceptanceInput, BaselineInput};
use reeve_estate::{ConnectionId, ResourceId, ResourceKind};
use reeve_recommend::drift::{
    BaselineId, BaselineScope, DriftBaseline, DriftFilter, DriftId, DriftState,
};

use crate::app::App;
use crate::error::{FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::{parse, parse_several};
use crate::time;
use crate::wire::drift::{
    BaselineBody, BaselineCreateBody, BaselinePinBody, BaselineScopeBody, DriftAcceptBody,
    DriftBody, DriftCountsBody, DriftDetailBody, DriftListBody, DriftParams, DriftReopenBody,
};
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::{List, Paging};

/// Most tags of a scope.
const MOST_TAGS: usize = 50;

/// Baselines by name, with the number of drifts from each.
#[utoipa::path(get, path = "/api/v1/intelligence/baselines", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<BaselineBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn baselines(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<BaselineBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.drifts.baseline_list().await?;
    let counts = counts(&app, &DriftFilter::default()).await?;
    Ok(Json(window.page(all.iter(), |baseline| {
        bodies::baseline(baseline, &counts)
    })))
}

/// A baseline.
#[utoipa::path(get, path = "/api/v1/intelligence/baselines/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = BaselineBody), (status = 404, body = ProblemBody)))]
pub(super) async fn baseline(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<BaselineBody>, Problem> {
    let baseline = app.drifts.baseline_get(&BaselineId(id)).await?;
    Ok(Json(body_of(&app, &baseline).await?))
}

/// Pin the configuration of a scope as it is now.
#[utoipa::path(post, path = "/api/v1/intelligence/baselines", tag = "intelligence", request_body = BaselineCreateBody,
    responses((status = 201, body = BaselineBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<BaselineCreateBody>,
) -> Result<(StatusCode, Json<BaselineBody>), Problem> {
    let input = BaselineInput {
        name: body.name,
        description: body.description,
        scope: scope(body.scope)?,
    };
    let made = app
        .drift_service
        .pin(input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(body_of(&app, &made).await?)))
}

/// Pin a baseline anew, or single resources of it: their present configuration is the new normal.
#[utoipa::path(post, path = "/api/v1/intelligence/baselines/{id}/pin", tag = "intelligence", params(("id" = String, Path)),
    request_body = BaselinePinBody,
    responses((status = 200, body = BaselineBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn pin(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<BaselinePinBody>,
) -> Result<Json<BaselineBody>, Problem> {
    let (id, caller) = (BaselineId(id), asking(&caller));
    let pinned = match body.resources {
        None => app.drift_service.pin_again(&id, &caller).await,
        Some(resources) => {
            let resources: Vec<ResourceId> = resources.into_iter().map(ResourceId).collect();
            let pinned = app.drift_service.pin_resources(&id, &resources, &caller);
            pinned.await
        }
    };
    let pinned = pinned.map_err(problem)?;
    Ok(Json(body_of(&app, &pinned).await?))
}

/// Remove a baseline with its drifts.
#[utoipa::path(delete, path = "/api/v1/intelligence/baselines/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.drift_service
        .remove(&BaselineId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Drifts, the last changed ones first.
#[utoipa::path(get, path = "/api/v1/intelligence/drift", tag = "intelligence", params(DriftParams),
    responses((status = 200, body = DriftListBody), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<DriftParams>,
) -> Result<Json<DriftListBody>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = DriftFilter {
        visible: app.visible(&caller.principal).await?.connections(),
        ..filter(params)?
    };
    let of_all_states = DriftFilter {
        states: Vec::new(),
        ..filter.clone()
    };
    let filter = DriftFilter {
        limit: window.limit,
        offset: window.start(),
        ..filter
    };
    let (found, total) = app.drifts.drift_list(&filter).await?;
    let mut all = DriftCountsBody::default();
    for one in counts(&app, &of_all_states).await?.into_values() {
        all.open += one.open;
        all.accepted += one.accepted;
        all.resolved += one.resolved;
    }

    let names = names(&app).await?;
    let next_cursor = window.next(found.len(), total);
    Ok(Json(DriftListBody {
        items: found.iter().map(|one| bodies::drift(one, &names)).collect(),
        total,
        next_cursor,
        counts: all,
    }))
}

/// A drift: what differs, who caused it as far as the caller may see, which checks fail now.
#[utoipa::path(get, path = "/api/v1/intelligence/drift/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = DriftDetailBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DriftDetailBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let drift = visible.drift(&DriftId(id)).await?;
    Ok(Json(bodies::detail(&app, &caller, &visible, &drift).await?))
}

/// Accept a drift until a time.
#[utoipa::path(post, path = "/api/v1/intelligence/drift/{id}/accept", tag = "intelligence", params(("id" = String, Path)),
    request_body = DriftAcceptBody,
    responses((status = 200, body = DriftBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn accept(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<DriftAcceptBody>,
) -> Result<Json<DriftBody>, Problem> {
    let input = AcceptanceInput {
        ends_at: time::parse_option("ends_at", body.ends_at.as_deref())?,
        reason: body.reason,
        seen_hash: body.hash,
    };
    let accepted = app
        .drift_service
        .accept(&DriftId(id), &input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::drift(&accepted, &names(&app).await?)))
}

/// Withdraw the acceptance of a drift.
#[utoipa::path(post, path = "/api/v1/intelligence/drift/{id}/reopen", tag = "intelligence", params(("id" = String, Path)),
    request_body = DriftReopenBody,
    responses((status = 200, body = DriftBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn reopen(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<DriftReopenBody>,
) -> Result<Json<DriftBody>, Problem> {
    let opened = app
        .drift_service
        .reopen(&DriftId(id), body.reason.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::drift(&opened, &names(&app).await?)))
}

/// Numbers of drifts by baseline.
async fn counts(
    app: &App,
    filter: &DriftFilter,
) -> Result<HashMap<BaselineId, DriftCountsBody>, Problem> {
    let mut counts: HashMap<BaselineId, DriftCountsBody> = HashMap::new();
    for one in app.drifts.drift_counts(filter).await? {
        let of_baseline = counts.entry(one.baseline).or_default();
        match one.state {
            DriftState::Open => of_baseline.open += one.count,
            DriftState::Accepted => of_baseline.accepted += one.count,
            DriftState::Resolved => of_baseline.resolved += one.count,
        }
    }
    Ok(counts)
}

async fn body_of(app: &App, baseline: &DriftBaseline) -> Result<BaselineBody, Problem> {
    let filter = DriftFilter {
        baseline: Some(baseline.id.clone()),
        ..DriftFilter::default()
    };
    Ok(bodies::baseline(baseline, &counts(app, &filter).await?))
}

/// Names of baselines.
async fn names(app: &App) -> Result<HashMap<BaselineId, String>, Problem> {
    let all = app.drifts.baseline_list().await?;
    Ok(all.into_iter().map(|one| (one.id, one.name)).collect())
}

fn scope(body: BaselineScopeBody) -> Result<BaselineScope, Problem> {
    let mut faults = Vec::new();
    let mut fault = |field: String, code, message: String| {
        faults.push(FieldProblem {
            field,
            code: Name(code),
            message,
            index: None,
        });
    };

    let mut kinds = Vec::new();
    for (at, name) in body.kinds.iter().enumerate() {
        match ResourceKind::parse(name) {
            Some(kind) => kinds.push(kind),
            None => fault(
                format!("scope.kinds[{at}]"),
                FieldCode::InvalidValue,
                format!("{name:?} is not known"),
            ),
        }
    }
    if body.tags.len() > MOST_TAGS {
        let message = format!("must have at most {MOST_TAGS} tags");
        fault("scope.tags".to_owned(), FieldCode::OutOfRange, message);
    }

    if faults.is_empty() {
        Ok(BaselineScope {
            connections: body.connections.into_iter().map(ConnectionId).collect(),
            kinds,
            tags: body.tags,
        })
    } else {
        Err(Problem::fields(faults))
    }
}

fn filter(params: DriftParams) -> Result<DriftFilter, Problem> {
    let states = parse_several("state", params.state.as_deref(), DriftState::parse)?;

    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    Ok(DriftFilter {
        baseline: text(params.baseline).map(BaselineId),
        connection: text(params.connection).map(ConnectionId),
        kind: parse("kind", params.kind.as_deref(), ResourceKind::parse)?,
        states,
        resources: text(params.resource).map(ResourceId).into_iter().collect(),
        since: time::parse_option("since", params.since.as_deref())?,
        ..DriftFilter::default()
    })
}
