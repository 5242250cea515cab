//! Reports that are due, and runs whose time has come.

use anyhow::Result;
use jiff::SignedDuration;
use reeve_access::AccessError;
use reeve_http::App;
use reeve_reports::{ReportDefinition, Run, RunFiles, RunId, RunProgress, RunState};

/// How long runs and their files are kept: past the next yearly audit.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);
/// Runs removed at once.
const REMOVED: u64 = 100;

/// Adds a run of each report that is due. What was missed while the service was down runs once.
pub(super) async fn begin_due(app: &App) -> Result<()> {
    let now = app.now();
    for report in app.reports.report_due(now).await? {
        let next_run_at = report.schedule.as_ref().and_then(|schedule| schedule.next(now));
        let moved = ReportDefinition { next_run_at, version: report.version + 1, ..report };
        let run = Run {
            id: RunId(uuid::Uuid::now_v7().to_string()),
            report: moved.id.clone(),
            report_name: moved.name.clone(),
            request: moved.request.clone(),
            state: RunState::Queued,
            progress: RunProgress::default(),
            error: None,
            summary: None,
            files: RunFiles::default(),
            user: moved.owner.clone(),
            user_email: moved.owner_email.clone(),
            token: moved.owner_token.clone(),
            scheduled: true,
            cancelling: false,
            channels: moved.channels.clone(),
            recipients: moved.recipients.clone(),
            created_at: now,
            started_at: None,
            touched_at: now,
            ended_at: None,
            version: 1,
        };
        match app.reports.run_insert(&run, Some(&moved)).await {
            // Another process was faster, or the report was changed or removed.
            Err(AccessError::Conflict(_) | AccessError::NotFound { .. }) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes runs that ended long ago, and their files.
pub(super) async fn forget_old(app: &App) -> Result<()> {
    let now = app.now();
    let before = now.saturating_sub(KEPT).unwrap_or(now);
    for run in app.reports.run_ended_before(before, REMOVED).await? {
        super::files::remove(app, &run.id).await?;
        match app.reports.run_delete(&run.id).await {
            Err(AccessError::NotFound { .. }) => {}
            other => other?,
        }
    }
    Ok(())
}
