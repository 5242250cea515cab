//! Scheduled exports: an export is made when its time has come, over what was recorded since the
//! last run that succeeded.

use crate::tasks::context::TaskContext;
use anyhow::Result;
use reeve_access::AccessError;
use reeve_exports::{
    Estimate, Export, ExportFilter, ExportId, ExportProgress, ExportState, ScheduledExport,
    Selection,
};

/// Exports that wait or run at most; a schedule waits for room.
const MOST: u64 = 100;

/// Makes exports of the schedules that are due.
pub(super) async fn start_due(context: &TaskContext) -> Result<()> {
    let now = context.now();
    for mut schedule in context.exports.export_schedule_list().await? {
        if schedule.next_run().is_none_or(|next| next > now) {
            continue;
        }
        match newest(context, &schedule).await? {
            Some(last) if !last.state.is_final() => continue,
            // A crash right after the end of a run leaves the schedule behind it; its entries are
            // not exported again.
            Some(last) if last.state == ExportState::Succeeded => {
                schedule.covered_to = schedule.covered_to.max(last.progress.end);
            }
            _ => {}
        }
        let export = run_of(context, &schedule);
        // The time moves first: a crash in between leaves out one run, whose entries the next one
        // covers.
        schedule.last_run_at = now;
        schedule.last_export = Some(export.id.clone());
        schedule.version += 1;
        match context.exports.export_schedule_update(&schedule).await {
            Ok(()) => {}
            Err(AccessError::Conflict(_) | AccessError::NotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
        match context.exports.export_insert(&export, MOST).await {
            Ok(()) => tracing::info!(
                schedule = schedule.name,
                export = export.id.0,
                "a scheduled export is due"
            ),
            Err(AccessError::Conflict(reason)) => {
                tracing::warn!(schedule = schedule.name, reason, "not exported now")
            }
            Err(error) => return Err(error.into()),
        }
    }

    Ok(())
}

/// The latest export of a schedule.
async fn newest(context: &TaskContext, schedule: &ScheduledExport) -> Result<Option<Export>> {
    let newest = ExportFilter {
        schedule: Some(schedule.id.clone()),
        limit: 1,
        ..ExportFilter::default()
    };
    let (found, _) = context.exports.export_list(&newest).await?;
    Ok(found.into_iter().next())
}

fn run_of(context: &TaskContext, schedule: &ScheduledExport) -> Export {
    let (now, id) = (context.now(), ExportId(uuid::Uuid::now_v7().to_string()));
    let end = context.log.size();
    Export {
        name: Export::name_of(&id, now),
        request_id: id.0.clone(),
        id,
        selection: Selection {
            format: schedule.format,
            options: schedule.options.clone(),
            query: schedule.query.clone(),
            start: None,
            end: None,
        },
        destination: schedule.destination.clone(),
        schedule: Some(schedule.id.clone()),
        from_sequence: schedule.covered_to,
        requester: schedule.owner.clone(),
        state: ExportState::Queued,
        estimate: Estimate {
            entries: end.saturating_sub(schedule.covered_to),
            bytes: 0,
        },
        progress: ExportProgress {
            position: schedule.covered_to,
            end,
            ..ExportProgress::default()
        },
        failure: None,
        files: Vec::new(),
        delivered_to: None,
        created_at: now,
        started_at: None,
        finished_at: None,
        expires_at: None,
        version: 1,
    }
}

/// Moves a schedule on to the end of a run that succeeded.
pub(super) async fn covered(context: &TaskContext, export: &Export) -> Result<()> {
    let Some(id) = &export.schedule else {
        return Ok(());
    };
    loop {
        let mut schedule = match context.exports.export_schedule_get(id).await {
            Ok(schedule) => schedule,
            Err(AccessError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if schedule.covered_to >= export.progress.end {
            return Ok(());
        }
        schedule.covered_to = export.progress.end;
        schedule.version += 1;
        match context.exports.export_schedule_update(&schedule).await {
            Ok(()) => return Ok(()),
            Err(AccessError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
