//! Approvals: what waits for a signature, and signing.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_access::AccessError;
use reeve_audit::FieldCode;
use reeve_recommend::approval::{Approval, ApprovalId};
use reeve_recommend::recommendation::totals::ApprovalFilter;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::bodies;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::list::{List, Paging};
use crate::wire::recommendation::workflow::{ApprovalBody, ApproveBody, DelegateBody, RejectBody};

/// Approval requests, newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/approvals", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<ApprovalBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<Paging>,
) -> Result<Json<List<ApprovalBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = ApprovalFilter {
        limit: window.limit,
        offset: window.start(),
        ..ApprovalFilter::default()
    };
    let (found, total) = app.agents.approval_page(&filter).await?;
    let mut items = Vec::new();
    for approval in &found {
        items.push(body_of(&app, &caller, approval).await?);
    }

    let next_cursor = window.next(items.len(), total);
    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// Returns one approval request.
#[utoipa::path(get, path = "/api/v1/intelligence/approvals/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ApprovalBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ApprovalBody>, Problem> {
    let approval = app.agents.approval_get(&ApprovalId(id)).await?;
    Ok(Json(body_of(&app, &caller, &approval).await?))
}

/// Sign. With the last signature the plan runs.
#[utoipa::path(post, path = "/api/v1/intelligence/approvals/{id}/approve", tag = "intelligence", params(("id" = String, Path)),
    request_body = ApproveBody,
    responses((status = 200, body = ApprovalBody), (status = 403, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn approve(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ApproveBody>,
) -> Result<Json<ApprovalBody>, Problem> {
    let approval = app
        .recommendations
        .approve(&ApprovalId(id), body.comment.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(body_of(&app, &caller, &approval).await?))
}

/// Refuse, with a reason.
#[utoipa::path(post, path = "/api/v1/intelligence/approvals/{id}/reject", tag = "intelligence", params(("id" = String, Path)),
    request_body = RejectBody,
    responses((status = 200, body = ApprovalBody), (status = 403, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn reject(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RejectBody>,
) -> Result<Json<ApprovalBody>, Problem> {
    let approval = app
        .recommendations
        .reject(&ApprovalId(id), &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(body_of(&app, &caller, &approval).await?))
}

/// Leave one's signature to somebody else, for this request alone.
#[utoipa::path(post, path = "/api/v1/intelligence/approvals/{id}/delegate", tag = "intelligence", params(("id" = String, Path)),
    request_body = DelegateBody,
    responses((status = 200, body = ApprovalBody), (status = 403, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn delegate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<DelegateBody>,
) -> Result<Json<ApprovalBody>, Problem> {
    let unknown = || {
        Problem::field(
            "to",
            FieldCode::Unknown,
            "is not the e-mail address of an active user",
        )
    };

    let to = match app.access.user_by_email(body.to.trim()).await {
        Ok(user) if user.is_admitted(app.now().as_millisecond()) => user.email,
        Ok(_) | Err(AccessError::NotFound { .. }) => return Err(unknown()),
        Err(error) => return Err(error.into()),
    };
    let comment = body.comment.as_deref();
    let approval = app
        .recommendations
        .delegate(&ApprovalId(id), &to, comment, &asking(&caller))
        .await
        .map_err(problem)?;

    Ok(Json(body_of(&app, &caller, &approval).await?))
}

async fn body_of(app: &App, caller: &Caller, approval: &Approval) -> Result<ApprovalBody, Problem> {
    let found = app
        .agents
        .recommendation_get(&approval.recommendation)
        .await?;
    let can_sign = asking(caller)
        .can_sign(approval)
        .into_iter()
        .map(|signature| signature.as_str().to_owned())
        .collect();
    Ok(bodies::approval(approval, &found.title, can_sign))
}
