//! An export as a document with columns beside it.

use jiff::Timestamp;
use reeve_exports::{
    DestinationId, Estimate, Export, ExportFailure, ExportFile, ExportFormat, ExportId,
    ExportProgress, ExportState, FormatOptions, Requester, ScheduleId, Selection,
};
use serde::{Deserialize, Serialize};

use super::{RowError, named};

/// An export, all but what has a column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportRow {
    name: String,
    format: ExportFormat,
    options: FormatOptions,
    query: String,
    start_time: Option<Timestamp>,
    end_time: Option<Timestamp>,
    destination: Option<DestinationId>,
    from_sequence: u64,
    requester: Requester,
    request_id: String,
    estimate_entries: u64,
    estimate_bytes: u64,
    progress: ExportProgress,
    failure: Option<ExportFailure>,
    files: Vec<ExportFile>,
    delivered_to: Option<String>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
}

/// Columns of an export.
pub(crate) struct ExportColumns {
    pub(crate) id: String,
    pub(crate) schedule: Option<String>,
    pub(crate) state: String,
    pub(crate) created_at_ms: i64,
    pub(crate) expires_at_ms: Option<i64>,
    pub(crate) version: u64,
}

impl From<&Export> for ExportRow {
    fn from(export: &Export) -> Self {
        let selection = &export.selection;
        ExportRow {
            name: export.name.clone(),
            format: selection.format,
            options: selection.options.clone(),
            query: selection.query.clone(),
            start_time: selection.start,
            end_time: selection.end,
            destination: export.destination.clone(),
            from_sequence: export.from_sequence,
            requester: export.requester.clone(),
            request_id: export.request_id.clone(),
            estimate_entries: export.estimate.entries,
            estimate_bytes: export.estimate.bytes,
            progress: export.progress,
            failure: export.failure.clone(),
            files: export.files.clone(),
            delivered_to: export.delivered_to.clone(),
            started_at: export.started_at,
            finished_at: export.finished_at,
        }
    }
}

fn at_ms(ms: i64) -> Result<Timestamp, RowError> {
    Timestamp::from_millisecond(ms).map_err(|_| RowError::Time(ms.to_string()))
}

impl ExportRow {
    pub(crate) fn into_export(self, columns: ExportColumns) -> Result<Export, RowError> {
        Ok(Export {
            id: ExportId(columns.id),
            name: self.name,
            selection: Selection {
                format: self.format,
                options: self.options,
                query: self.query,
                start: self.start_time,
                end: self.end_time,
            },
            destination: self.destination,
            schedule: columns.schedule.map(ScheduleId),
            from_sequence: self.from_sequence,
            requester: self.requester,
            request_id: self.request_id,
            state: named("state", &columns.state, ExportState::parse)?,
            estimate: Estimate {
                entries: self.estimate_entries,
                bytes: self.estimate_bytes,
            },
            progress: self.progress,
            failure: self.failure,
            files: self.files,
            delivered_to: self.delivered_to,
            created_at: at_ms(columns.created_at_ms)?,
            started_at: self.started_at,
            finished_at: self.finished_at,
            expires_at: columns.expires_at_ms.map(at_ms).transpose()?,
            version: columns.version,
        })
    }
}
