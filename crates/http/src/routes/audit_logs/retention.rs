//! Retention of the log: policies with a preview of their effect, and runs that delete what has
//! expired. Changes are recorded in the log before and after they are made, and take effect at
//! once.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_retention::{PolicySet, PolicyVersion, RetentionStoreError};

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::log_entry;
use crate::wire::log::retention::{
    RetentionBody, RetentionPolicyBody, RetentionPreview, RetentionPreviewBody, RetentionPut,
    RetentionRunBody, course,
};

impl From<RetentionStoreError> for Problem {
    fn from(error: RetentionStoreError) -> Self {
        match error {
            RetentionStoreError::NotFound { what, id } => Problem::not_found(what, &id),
            RetentionStoreError::Conflict(message) => Problem::new(Code::Conflict, message),
            RetentionStoreError::Backend(message) => Problem::internal(message),
        }
    }
}

/// The retention policies in force, the course of the sealed entries under them, and the newest
/// run.
#[utoipa::path(get, path = "/api/v1/audit-logs/retention", tag = "audit-logs",
    responses((status = 200, body = RetentionBody)))]
pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Json<RetentionBody>, Problem> {
    let policies = app.retention_store.retention_get().await?;
    let under = app.retention.course(&policies.set).await;
    let under = under.map_err(Problem::internal)?;
    let tiers = app.retention.tiers(&policies.set).await;
    let tiers = tiers.map_err(Problem::internal)?;
    let last_run = app.retention.last_run();
    Ok(Json(RetentionBody::new(
        &policies, &under, &tiers, last_run,
    )))
}

/// Replace the retention policies. Entries whose period has passed under the new ones are invisible
/// at once, and deleted by the next run unless a legal hold keeps them.
#[utoipa::path(put, path = "/api/v1/audit-logs/retention", tag = "audit-logs", request_body = RetentionPut,
    responses((status = 200, body = RetentionBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RetentionPut>,
) -> Result<Json<RetentionBody>, Problem> {
    let changes = app.retention.changes();
    let changing = changes.lock().await;
    let before = app.retention_store.retention_get().await?;
    same_version("retention policies", before.set.version, body.version)?;
    let after = PolicyVersion {
        set: policies(before.set.version + 1, body.policies)?,
        changed_by: caller.principal.email.clone(),
        changed_at: Some(app.now()),
    };

    let entry = log_entry::did(
        &caller,
        &events::RETENTION_MODIFY,
        "modify_retention",
        ResourceRef::new("retention", "policies"),
    )
    .before(record(&before.set))
    .after(record(&after.set));
    app.change(entry, app.retention_store.retention_put(&after))
        .await?;
    drop(changing);

    app.retention.apply().await.map_err(Problem::internal)?;
    get(State(app)).await
}

/// Show what policies would do, without saving them: by policy, the extent of each tier, what is
/// deleted at once, and what is deleted next.
#[utoipa::path(post, path = "/api/v1/audit-logs/retention/preview", tag = "audit-logs", request_body = RetentionPreview,
    responses((status = 200, body = RetentionPreviewBody), (status = 422, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    Body(body): Body<RetentionPreview>,
) -> Result<Json<RetentionPreviewBody>, Problem> {
    let stored = app.retention_store.retention_get().await?.set;
    let tried = policies(stored.version + 1, body.policies)?;
    let before = app.retention.course(&stored).await;
    let after = app.retention.course(&tried).await;
    Ok(Json(RetentionPreviewBody {
        before: course(&before.map_err(Problem::internal)?),
        after: course(&after.map_err(Problem::internal)?),
    }))
}

/// Delete what has expired, and move what is due in a farther tier, now instead of waiting for the next run.
#[utoipa::path(post, path = "/api/v1/audit-logs/retention/run", tag = "audit-logs",
    responses((status = 200, body = RetentionRunBody), (status = 503, body = ProblemBody)))]
pub(super) async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<RetentionRunBody>, Problem> {
    let entry = log_entry::did(
        &caller,
        &events::RETENTION_RUN,
        "run_retention",
        ResourceRef::new("retention", "policies"),
    );
    app.record(entry).await?;
    let run = app.retention.run().await;
    let run = run.map_err(|obstacle| Problem::unavailable(obstacle.as_str()))?;
    Ok(Json(run.into()))
}

/// Checks policies that someone sent.
fn policies(version: u64, given: Vec<RetentionPolicyBody>) -> Result<PolicySet, Problem> {
    let set = PolicySet {
        version,
        policies: given.into_iter().map(Into::into).collect(),
    };
    set.check()
        .map_err(|error| Problem::field(error.field, FieldCode::InvalidValue, error.message))?;
    Ok(set)
}

/// The policies as they stand in the log.
fn record(policies: &PolicySet) -> AuditJson {
    AuditJson::from(serde_json::to_value(policies).unwrap_or_default())
}
