//! Reviews of the exceptions of a run: who looked at the entries, and with which result.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_reports::{LONGEST_COMMENT, ReportRun, Review, RunId, RunState};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::log_entry;
use crate::wire::report::{ReportReviewBody, ReportReviewCreate, ReportSummaryBody};

/// Record the review of an exception. Later runs of the report show it in the PDF and the CSV.
#[utoipa::path(post, path = "/api/v1/audit-logs/reports/runs/{id}/reviews", tag = "audit-logs",
    operation_id = "report_reviews_create", params(("id" = String, Path)), request_body = ReportReviewCreate,
    responses((status = 201, body = ReportReviewBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<ReportReviewCreate>,
) -> Result<(StatusCode, Json<ReportReviewBody>), Problem> {
    let run = app.reports.run_get(&RunId(id)).await?;
    if run.state != RunState::Succeeded {
        return Err(Problem::new(
            Code::Conflict,
            format!("The run has no findings: it is {}.", run.state.as_str()),
        ));
    }

    let comment = given.comment.trim();
    if comment.is_empty() || comment.chars().count() > LONGEST_COMMENT {
        return Err(Problem::field(
            "comment",
            FieldCode::InvalidValue,
            format!("must be 1 to {LONGEST_COMMENT} characters"),
        ));
    }

    let entries = found(&run, &given.question).ok_or_else(|| {
        Problem::field(
            "question",
            FieldCode::InvalidValue,
            "must be the id of an exception of the run",
        )
    })?;

    let review = Review {
        id: uuid::Uuid::now_v7().to_string(),
        report: run.report.clone(),
        run: run.id.clone(),
        question: given.question,
        entries,
        up_to: run.progress.end,
        comment: comment.to_owned(),
        user: caller.principal.user.0.clone(),
        user_email: caller.principal.email.clone(),
        created_at: app.now(),
    };

    let entry = log_entry::did(
        &caller,
        &events::REPORT,
        "report.review",
        ResourceRef::new("report_run", run.id.0.clone()),
    )
    .with_metadata("review", AuditJson::from(review.metadata(&run)));
    app.change(entry, app.reports.review_insert(&review))
        .await?;

    Ok((StatusCode::CREATED, Json(ReportReviewBody::new(&review))))
}

/// Returns the number of entries that an exception of the run has; `None` if it has no such
/// exception.
fn found(run: &ReportRun, question: &str) -> Option<u64> {
    let summary: ReportSummaryBody = serde_json::from_str(run.summary.as_deref()?).ok()?;
    let mut exceptions = summary
        .controls
        .iter()
        .flat_map(|control| &control.exceptions);
    exceptions
        .find(|exception| exception.id == question)
        .map(|exception| exception.found)
}
