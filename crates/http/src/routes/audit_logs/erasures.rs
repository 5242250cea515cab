//! Erasure of a person's entries: requests, their preview, and the approvals that let them run.
//!
//! The entries about a request name it and its digest, not the person: the log cannot forget them.

pub(super) mod report;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use reeve_audit::{Entry, EventKind, FieldCode, ResourceRef, events};
use reeve_retention::{
    ApprovalRefused, ErasureOutcome, ErasureRequest, ErasureScope, ErasureSigner, ErasureStatus,
};

use super::holds::instant;
use crate::app::App;
use crate::erasures::{ErasurePreview, digest};
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::log::erasure::{ErasureBody, ErasureCreate, ErasureReject, ErasureScopeBody};

/// Longest reason of a rejection, characters.
const LONGEST_REASON: usize = 2_000;

/// Requests to erase a person's entries, the newest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/erasures", tag = "audit-logs", operation_id = "erasures_list", params(Paging),
    responses((status = 200, body = List<ErasureBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ErasureBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.retention_store.erasure_list().await?;
    Ok(Json(
        window.page(all.iter(), |request| body(request, &caller)),
    ))
}

/// One request to erase a person's entries.
#[utoipa::path(get, path = "/api/v1/audit-logs/erasures/{id}", tag = "audit-logs", operation_id = "erasures_get", params(("id" = String, Path)),
    responses((status = 200, body = ErasureBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ErasureBody>, Problem> {
    let request = app.retention_store.erasure_get(&id).await?;
    Ok(Json(body(&request, &caller)))
}

/// Show which entries a request would erase, without making it.
#[utoipa::path(post, path = "/api/v1/audit-logs/erasures/preview", tag = "audit-logs", operation_id = "erasures_preview", request_body = ErasureScopeBody,
    responses((status = 200, body = ErasurePreview), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ErasureScopeBody>,
) -> Result<Json<ErasurePreview>, Problem> {
    let scope = scope(&app, &caller, given)?;
    scope.check()?;
    included(&app, &scope).await.map(Json)
}

/// Request the erasure of a person's entries. It runs once two other people have approved it. Refused
/// where a legal hold includes an entry, unless the request leaves such entries in the log.
#[utoipa::path(post, path = "/api/v1/audit-logs/erasures", tag = "audit-logs", operation_id = "erasures_create", request_body = ErasureCreate,
    responses((status = 201, body = ErasureBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ErasureCreate>,
) -> Result<(StatusCode, Json<ErasureBody>), Problem> {
    let mut request = ErasureRequest {
        id: uuid::Uuid::now_v7().to_string(),
        scope: scope(&app, &caller, given.scope)?,
        reason: given.reason.trim().to_owned(),
        legal_basis: given.legal_basis.trim().to_owned(),
        salt: hex::encode(rand::random::<[u8; 16]>()),
        digest: String::new(),
        requested_by: signer(&caller),
        requested_at: app.now(),
        approvals: Vec::new(),
        status: ErasureStatus::Requested,
        rejection: None,
        outcome: ErasureOutcome::default(),
        version: 1,
    };
    request.check()?;
    if request.scope.is_about(&request.requested_by) {
        return Err(Problem::new(
            Code::Forbidden,
            sentence(ApprovalRefused::Subject),
        ));
    }
    let found = included(&app, &request.scope).await?;
    refuse_held(&app, &request.scope, &found).await?;
    request.digest = digest(&request);

    let size = serde_json::json!(request.scope.log_size);
    let entry = about(&caller, &events::ERASURE_CREATE, "create_erasure", &request)
        .with_metadata("log_size", reeve_audit::Json::from(size));
    app.change(entry, app.retention_store.erasure_insert(&request))
        .await?;
    Ok((StatusCode::CREATED, Json(body(&request, &caller))))
}

/// Approve a request. Its requester and the person it is about cannot. With the second approval it
/// runs within ten minutes.
#[utoipa::path(post, path = "/api/v1/audit-logs/erasures/{id}/approve", tag = "audit-logs", operation_id = "erasures_approve", params(("id" = String, Path)),
    responses((status = 200, body = ErasureBody), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn approve(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ErasureBody>, Problem> {
    let before = app.retention_store.erasure_get(&id).await?;
    let after = before
        .approved(signer(&caller), app.now())
        .map_err(|refused| match refused {
            ApprovalRefused::Closed | ApprovalRefused::Twice => {
                Problem::new(Code::Conflict, sentence(refused))
            }
            ApprovalRefused::Requester | ApprovalRefused::Subject => {
                Problem::new(Code::Forbidden, sentence(refused))
            }
        })?;
    let found = included(&app, &after.scope).await?;
    refuse_held(&app, &after.scope, &found).await?;

    let entry = about(&caller, &events::ERASURE_APPROVE, "approve_erasure", &after);
    app.change(entry, app.retention_store.erasure_update(&after))
        .await?;
    if after.status.is_due() {
        let erasures = app.erasures.clone();
        tokio::spawn(async move { erasures.run().await });
    }
    Ok(Json(body(&after, &caller)))
}

/// Reject a request for a reason; by its requester, withdraw it. A request that has its approvals can
/// no longer be stopped.
#[utoipa::path(post, path = "/api/v1/audit-logs/erasures/{id}/reject", tag = "audit-logs", operation_id = "erasures_reject", params(("id" = String, Path)),
    request_body = ErasureReject,
    responses((status = 200, body = ErasureBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn reject(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<ErasureReject>,
) -> Result<Json<ErasureBody>, Problem> {
    let reason = given.reason.trim();
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
        let message = format!("must have 1 to {LONGEST_REASON} characters");
        return Err(Problem::field("reason", FieldCode::MissingField, message));
    }

    let before = app.retention_store.erasure_get(&id).await?;
    let after = before
        .rejected(signer(&caller), app.now(), reason.to_owned())
        .ok_or_else(|| Problem::new(Code::Conflict, sentence(ApprovalRefused::Closed)))?;
    let entry = about(&caller, &events::ERASURE_REJECT, "reject_erasure", &after)
        .with_metadata("reason", reason);
    app.change(entry, app.retention_store.erasure_update(&after))
        .await?;
    Ok(Json(body(&after, &caller)))
}

fn scope(app: &App, caller: &Caller, given: ErasureScopeBody) -> Result<ErasureScope, Problem> {
    Ok(ErasureScope {
        actor_id: given.actor_id.trim().to_owned(),
        email: given.email.trim().to_owned(),
        query: given.query,
        start_time: instant("start_time", given.start_time)?,
        end_time: instant("end_time", given.end_time)?,
        log_size: app.trail(caller).end(),
        keep_held: given.keep_held,
    })
}

async fn included(app: &App, scope: &ErasureScope) -> Result<ErasurePreview, Problem> {
    let found = app.erasures.preview(scope).await;
    found.map_err(|obstacle| Problem::unavailable(obstacle.as_str()))
}

/// Refuses a request that one of the holds includes, naming them.
async fn refuse_held(
    app: &App,
    scope: &ErasureScope,
    found: &ErasurePreview,
) -> Result<(), Problem> {
    if found.held.is_empty() || scope.keep_held {
        return Ok(());
    }
    let holds = app.retention_store.hold_list().await?;
    let named = found.held.iter().map(|(id, entries)| {
        let case = holds.iter().find(|hold| hold.id == *id);
        let case = case.map_or("", |hold| hold.case.as_str());
        format!("{entries} entries under the legal hold {id} ({case})")
    });
    let named: Vec<String> = named.collect();
    let message = format!(
        "The request includes {}. Release the hold, narrow the request, or leave such entries in the log.",
        named.join(", ")
    );
    Err(Problem::new(Code::Conflict, message))
}

/// Entry about a request, which the digest alone describes.
fn about(caller: &Caller, kind: &EventKind, operation: &str, request: &ErasureRequest) -> Entry {
    let resource = ResourceRef::new("erasure_request", &request.id);
    log_entry::did(caller, kind, operation, resource)
        .with_metadata("digest", request.digest.as_str())
}

fn signer(caller: &Caller) -> ErasureSigner {
    ErasureSigner {
        user: caller.principal.user.0.clone(),
        email: caller.principal.email.clone(),
    }
}

fn body(request: &ErasureRequest, caller: &Caller) -> ErasureBody {
    let approved = request.approved(signer(caller), Timestamp::UNIX_EPOCH);
    ErasureBody::new(request, approved.is_ok())
}

/// The reason as a sentence.
fn sentence(refused: ApprovalRefused) -> String {
    let text = refused.to_string();
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
