//! Reports that are due, and runs whose time has come.

use crate::tasks::context::TaskContext;
use anyhow::Result;
use jiff::SignedDuration;
use reeve_access::AccessError;
use reeve_reports::{ReportDefinition, ReportRun, RunId};

/// Time that runs and their files are kept: past the next yearly audit.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);
/// Runs removed at once.
const REMOVED: u64 = 100;

/// Adds a run of each report that is due. What was missed while the service was down runs once.
pub(super) async fn begin_due(context: &TaskContext) -> Result<()> {
    let now = context.now();
    for report in context.reports.report_due(now).await? {
        let next_run_at = report
            .schedule
            .as_ref()
            .and_then(|schedule| schedule.next(now));
        let moved = ReportDefinition {
            next_run_at,
            version: report.version + 1,
            ..report
        };
        let run = ReportRun::scheduled(&moved, RunId(uuid::Uuid::now_v7().to_string()), now);
        match context.reports.run_insert(&run, Some(&moved)).await {
            // Another process was faster, or the report was changed or removed.
            Err(AccessError::Conflict(_) | AccessError::NotFound { .. }) => {}
            other => other?,
        }
    }

    Ok(())
}

/// Removes runs that ended long ago, and their files.
pub(super) async fn forget_old(context: &TaskContext) -> Result<()> {
    let now = context.now();
    let before = now.saturating_sub(KEPT).unwrap_or(now);

    for run in context.reports.run_ended_before(before, REMOVED).await? {
        super::files::remove(context, &run.id).await?;
        match context.reports.run_delete(&run.id).await {
            Err(AccessError::NotFound { .. }) => {}
            other => other?,
        }
    }

    Ok(())
}
