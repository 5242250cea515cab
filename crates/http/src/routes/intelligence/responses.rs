//! Answers of people to recommendations: apply, schedule, test, dismiss, snooze, give feedback.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::FieldCode;
use reeve_engine::{Execution, FeedbackInput};
use reeve_recommend::recommendation::RecommendationId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::bodies;
use crate::routes::intelligence::problems::{asking, problem};
use crate::time;
use crate::wire::recommendation::workflow::ApprovalBody;
use crate::wire::recommendation::{
    DismissBody, ExceptionRequestBody, ExecuteAnswer, ExecuteBody, FeedbackAnswer, FeedbackBody,
    RecommendationBody, ScheduleBody, SnoozeBody, TestBody, TrialBody,
};

/// Apply now. Answers at once: with the action that runs, or with the approval request that waits.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/execute", tag = "intelligence", params(("id" = String, Path)),
    request_body = ExecuteBody,
    responses((status = 202, body = ExecuteAnswer), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn execute(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ExecuteBody>,
) -> Result<(StatusCode, Json<ExecuteAnswer>), Problem> {
    let id = RecommendationId(id);
    let outcome = app
        .execution
        .execute(
            &id,
            body.plan_hash.as_deref(),
            body.comment.as_deref(),
            &asking(&caller),
        )
        .await
        .map_err(problem)?;

    let answer = match outcome {
        Execution::Started(action) => ExecuteAnswer {
            status: "executing".to_owned(),
            action_id: Some(action.id.0),
            approval_id: None,
            message: "Started. Follow the progress below.".to_owned(),
        },
        Execution::PendingApproval(approval) => ExecuteAnswer {
            status: "pending_approval".to_owned(),
            action_id: None,
            message: format!(
                "Waiting for approval by {}; it starts automatically after the last approval.",
                approval
                    .needed
                    .iter()
                    .map(|signature| signature.as_str())
                    .collect::<Vec<_>>()
                    .join(" and ")
            ),
            approval_id: Some(approval.id.0),
        },
    };

    Ok((StatusCode::ACCEPTED, Json(answer)))
}

/// Ask for an exception to the guardrail that blocks it: for its plan alone, once, with the
/// signatures that the plan's impact needs (a manager's at least).
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/exception", tag = "intelligence", params(("id" = String, Path)),
    request_body = ExceptionRequestBody,
    responses((status = 202, body = ApprovalBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn exception(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ExceptionRequestBody>,
) -> Result<(StatusCode, Json<ApprovalBody>), Problem> {
    let (id, asked) = (RecommendationId(id), asking(&caller));
    let approval = app
        .recommendations
        .exception_request(&id, &body.plan_hash, &body.reason, &asked)
        .await
        .map_err(problem)?;
    let found = app.agents.recommendation_get(&id).await?;

    Ok((
        StatusCode::ACCEPTED,
        Json(bodies::approval(&approval, &found.title, Vec::new())),
    ))
}

/// Execute at a set time.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/schedule", tag = "intelligence", params(("id" = String, Path)),
    request_body = ScheduleBody,
    responses((status = 200, body = RecommendationBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn schedule(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ScheduleBody>,
) -> Result<Json<RecommendationBody>, Problem> {
    let at = time::parse("at", &body.at)?;
    let id = RecommendationId(id);
    let found = app
        .recommendations
        .schedule(&id, at, body.comment.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::recommendation(&found)))
}

/// Try it where it cannot hurt: on a twin that a tag says is no production, or, without one, on a
/// simulated twin.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/test", tag = "intelligence", params(("id" = String, Path)),
    request_body = TestBody,
    responses((status = 202, body = TrialBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<TestBody>,
) -> Result<(StatusCode, Json<TrialBody>), Problem> {
    let (id, caller) = (RecommendationId(id), asking(&caller));
    let found = match body.on.as_deref() {
        None => app.execution.test(&id, &caller).await,
        Some("resource") => app.execution.test_on_resource(&id, &caller).await,
        Some("simulated") => app.execution.simulate(&id, &caller).await,
        Some(_) => {
            return Err(Problem::field(
                "on",
                FieldCode::InvalidValue,
                "must be one of resource, simulated",
            ));
        }
    };
    let trial = found.map_err(problem)?;

    Ok((
        StatusCode::ACCEPTED,
        Json(TrialBody {
            recommendation: bodies::recommendation(&trial.recommendation),
            simulated: trial.simulated,
        }),
    ))
}

/// Reject, with a reason.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/dismiss", tag = "intelligence", params(("id" = String, Path)),
    request_body = DismissBody,
    responses((status = 200, body = RecommendationBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn dismiss(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<DismissBody>,
) -> Result<Json<RecommendationBody>, Problem> {
    let found = app
        .recommendations
        .dismiss(&RecommendationId(id), &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::recommendation(&found)))
}

/// Hides a recommendation until a time.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/snooze", tag = "intelligence", params(("id" = String, Path)),
    request_body = SnoozeBody,
    responses((status = 200, body = RecommendationBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn snooze(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<SnoozeBody>,
) -> Result<Json<RecommendationBody>, Problem> {
    let until = time::parse("until", &body.until)?;
    let id = RecommendationId(id);
    let found = app
        .recommendations
        .snooze(&id, until, body.reason.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::recommendation(&found)))
}

/// Take back an answer: a snoozed, scheduled or waiting recommendation is open again.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/reopen", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = RecommendationBody), (status = 409, body = ProblemBody)))]
pub(super) async fn reopen(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RecommendationBody>, Problem> {
    let found = app
        .recommendations
        .reopen(&RecommendationId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::recommendation(&found)))
}

/// Tell how it went. `not_now` sets an open one aside, `not_applicable` closes it; the others of
/// its kind are ranked anew.
#[utoipa::path(post, path = "/api/v1/intelligence/recommendations/{id}/feedback", tag = "intelligence", params(("id" = String, Path)),
    request_body = FeedbackBody,
    responses((status = 201, body = FeedbackAnswer), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn feedback(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<FeedbackBody>,
) -> Result<(StatusCode, Json<FeedbackAnswer>), Problem> {
    let input = FeedbackInput {
        outcome: &body.outcome,
        rating: body.rating,
        comments: body.comments.as_deref(),
        until: time::parse_option("until", body.until.as_deref())?,
    };

    let stored = app
        .recommendations
        .feedback(&RecommendationId(id), input, &asking(&caller))
        .await
        .map_err(problem)?;

    let answer = FeedbackAnswer {
        id: stored.id,
        recommendation_id: stored.recommendation.0,
        outcome: stored.outcome.as_str().to_owned(),
        recorded_at: time::text(stored.at),
    };

    Ok((StatusCode::CREATED, Json(answer)))
}
