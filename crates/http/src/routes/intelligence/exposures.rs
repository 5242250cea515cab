//! Exposures and privileges: what outsiders reach, what principals can become, and by which path.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, EXPOSURE, EvidenceFilter, JudgementEvidence, PRIVILEGES,
};
use serde::Deserialize;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::routes::resources::parse;
use crate::time;
use crate::wire::exposure::{
    ExposureBody, ExposureParams, ExposureStepBody, PrincipalUseBody, PrivilegeBody,
};
use crate::wire::form::list::List;

/// Members of an exposure in the values of its evidence.
#[derive(Debug, Deserialize)]
struct Answered {
    reachable_from: String,
    #[serde(default)]
    grade: Option<String>,
    #[serde(default)]
    access: Vec<String>,
    #[serde(default)]
    path: Vec<ExposureStepBody>,
    #[serde(default)]
    stopped_by: Option<ExposureStepBody>,
}

/// Members of the answer about a principal in the values of its evidence.
#[derive(Debug, Deserialize)]
struct Reached {
    #[serde(default)]
    path: Vec<ExposureStepBody>,
    #[serde(default)]
    stopped_by: Option<ExposureStepBody>,
    #[serde(default)]
    acts_as: Vec<String>,
    #[serde(default)]
    unused: Option<PrincipalUseBody>,
}

/// Resources with the outsiders that reach them, and the path.
#[utoipa::path(get, path = "/api/v1/intelligence/exposures", tag = "intelligence", params(ExposureParams),
    responses((status = 200, body = List<ExposureBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ExposureParams>,
) -> Result<Json<List<ExposureBody>>, Problem> {
    listed(&app, &caller, EXPOSURE, params, exposure).await
}

/// Users and roles with the way by which each becomes an administrator.
#[utoipa::path(get, path = "/api/v1/intelligence/privileges", tag = "intelligence", params(ExposureParams),
    responses((status = 200, body = List<PrivilegeBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn privileges(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ExposureParams>,
) -> Result<Json<List<PrivilegeBody>>, Problem> {
    listed(&app, &caller, PRIVILEGES, params, privilege).await
}

/// Lists the results of a check.
pub(super) async fn listed<T>(
    app: &App,
    caller: &Caller,
    check: &str,
    params: ExposureParams,
    body: impl Fn(&JudgementEvidence) -> Result<T, Problem>,
) -> Result<Json<List<T>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let answer = parse("result", params.result.as_deref(), CheckAnswer::parse)?;
    let visible = app.visible(&caller.principal).await?;
    let filter = EvidenceFilter {
        visible: visible.connections(),
        checks: vec![check.to_owned()],
        answer: Some(answer.unwrap_or(CheckAnswer::Fail)),
        resources: params.resource.into_iter().collect(),
        accounts: params.account.into_iter().collect(),
        limit: window.limit,
        offset: window.start(),
        ..EvidenceFilter::default()
    };

    let (found, total) = app.evidence.evidence_list(&filter).await?;
    let next_cursor = window.next(found.len(), total);
    let items: Result<Vec<T>, Problem> = found.iter().map(body).collect();
    Ok(Json(List {
        items: items?,
        total,
        next_cursor,
    }))
}

fn exposure(found: &JudgementEvidence) -> Result<ExposureBody, Problem> {
    let answered = Answered::deserialize(&found.result.values).map_err(Problem::internal)?;

    Ok(ExposureBody {
        resource_id: found.resource.0.clone(),
        resource_name: found.name.clone(),
        kind: found.kind.as_str().to_owned(),
        account: found.account.clone(),
        region: found.region.clone(),
        connection_id: found.connection.0.clone(),
        result: found.result.answer.into(),
        reachable_from: answered.reachable_from,
        grade: answered.grade,
        access: answered.access,
        path: answered.path,
        stopped_by: answered.stopped_by,
        why: found.result.why.clone(),
        since: time::text(found.since),
        event_id: found.event_id.clone(),
    })
}

fn privilege(found: &JudgementEvidence) -> Result<PrivilegeBody, Problem> {
    let answered = Reached::deserialize(&found.result.values).map_err(Problem::internal)?;

    Ok(PrivilegeBody {
        resource_id: found.resource.0.clone(),
        resource_name: found.name.clone(),
        kind: found.kind.as_str().to_owned(),
        account: found.account.clone(),
        connection_id: found.connection.0.clone(),
        result: found.result.answer.into(),
        path: answered.path,
        stopped_by: answered.stopped_by,
        acts_as: answered.acts_as,
        unused: answered.unused,
        why: found.result.why.clone(),
        since: time::text(found.since),
        event_id: found.event_id.clone(),
    })
}
