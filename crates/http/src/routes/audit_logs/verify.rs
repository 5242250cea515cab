//! Verifying the running log in the background. It only reads; appends go on meanwhile.
//!
//! For an answer that does not rest on this service, run `reeve-verify` elsewhere, with a key kept
//! apart.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::UserId;
use reeve_audit::Obstacle;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Entry, Json as AuditJson, ResourceRef, Severity, events,
};
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::verification::{Job, JobState, Verified};
use crate::wire::log::verification::{FaultBody, VerificationBody, VerifiedBody};
use crate::{log_entry, time};

/// Verify the whole log in the background. One runs at a time: while it does, this answers with
/// that one.
#[utoipa::path(post, path = "/api/v1/audit-logs/verify", tag = "audit-logs",
    responses((status = 202, body = VerificationBody), (status = 503, body = ProblemBody)))]
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<(StatusCode, Json<VerificationBody>), Problem> {
    let job = match app.verifications.begin(&caller.user, app.now()) {
        Ok(job) => job,
        Err(running) => return Ok((StatusCode::ACCEPTED, Json(body(running)))),
    };
    if let Err(problem) = app
        .record(entry(&caller, "begin_verification", &job.id))
        .await
    {
        app.verifications.end(
            &job.id,
            Err(Obstacle::of("it could not be recorded")),
            app.now(),
        );
        return Err(problem);
    }

    let id = job.id.clone();
    tokio::spawn(async move {
        let outcome = app.verifier.verify().await;
        let ended = with_outcome(entry(&caller, "end_verification", &id), &outcome);
        app.self_checks.verified(&outcome);
        app.verifications.end(&id, outcome, app.now());
        if let Err(problem) = app.record(ended).await {
            tracing::warn!(status = %problem.status(), "the end of a verification was not recorded");
        }
    });

    Ok((StatusCode::ACCEPTED, Json(body(job))))
}

/// A verification of late, and what it found.
#[utoipa::path(get, path = "/api/v1/audit-logs/verify/{id}", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = VerificationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<VerificationBody>, Problem> {
    let job = app
        .verifications
        .get(&id)
        .ok_or_else(|| Problem::not_found("verification", &id))?;
    Ok(Json(body(job)))
}

impl App {
    /// Verifies the log on the service's own account and records the result like that of a
    /// verification that somebody asked for; `None` while another one runs.
    pub async fn verify_by_itself(&self) -> Option<Result<Verified, Obstacle>> {
        let job = self
            .verifications
            .begin(&UserId("system".to_owned()), self.now())
            .ok()?;
        let outcome = self.verifier.verify().await;
        let entry = Entry::for_event(&events::AUDIT_VERIFY)
            .by(Actor::system())
            .on(ResourceRef::new("audit_log", "audit-logs"))
            .with_action(
                "end_verification",
                ActionStatus::Success,
                ActionMethod::Scheduled,
            )
            .with_metadata("verification", AuditJson::from(json!(job.id)));

        self.journal
            .record_outcome(with_outcome(entry, &outcome))
            .await;
        self.self_checks.verified(&outcome);
        self.verifications.end(&job.id, outcome.clone(), self.now());

        Some(outcome)
    }
}

fn entry(caller: &Caller, operation: &str, id: &str) -> Entry {
    log_entry::did(
        caller,
        &events::AUDIT_VERIFY,
        operation,
        ResourceRef::new("audit_log", "audit-logs"),
    )
    .with_metadata("verification", AuditJson::from(json!(id)))
}

/// Adds severity, status and result of a verification to its entry.
fn with_outcome(entry: Entry, outcome: &Result<Verified, Obstacle>) -> Entry {
    let mut entry = match outcome {
        Ok(found) if found.findings_total == 0 => entry,
        Ok(_) => entry.with_severity(Severity::Critical),
        Err(_) => entry.with_severity(Severity::Medium),
    };

    if outcome.is_err() {
        entry.action.status = Some(ActionStatus::Failed);
    }

    let result = match outcome {
        Ok(found) => {
            json!({ "checked": found.size, "intact": found.intact, "expired": found.expired, "missing": found.missing,
            "findings": found.findings_total, "root": found.root })
        }
        Err(obstacle) => json!({ "error": obstacle.as_str() }),
    };

    entry.with_metadata("result", AuditJson::from(result))
}

fn body(job: Job) -> VerificationBody {
    let (status, result, error) = match job.state {
        JobState::Running => ("running", None, None),
        JobState::Done(found) => ("done", Some(verified(*found)), None),
        JobState::Failed(message) => ("failed", None, Some(message)),
    };
    VerificationBody {
        id: job.id,
        status: status.to_owned(),
        started_by: job.by.0,
        started_at: time::text(job.started_at),
        finished_at: job.finished_at.map(time::text),
        result,
        error,
    }
}

fn verified(found: Verified) -> VerifiedBody {
    VerifiedBody {
        holds: found.findings_total == 0,
        checked: found.size,
        intact: found.intact,
        expired: found.expired,
        elsewhere: found.elsewhere,
        missing: found.missing,
        missing_ranges: found
            .missing_ranges
            .into_iter()
            .map(|(first, last)| [first, last])
            .collect(),
        root: found.root,
        segments: found.segments,
        checkpoints: found.checkpoints,
        findings_total: found.findings_total,
        findings: found
            .findings
            .into_iter()
            .map(|fault| FaultBody {
                file: fault.file,
                first_sequence: fault.sequences.map(|(first, _)| first),
                last_sequence: fault.sequences.map(|(_, last)| last),
                what: fault.what,
            })
            .collect(),
        notes: found.notes,
        not_checked: found.not_checked,
    }
}
