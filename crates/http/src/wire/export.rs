//! Exports, scheduled exports and destinations on the wire. Secrets go in and never come out.

mod destination;
mod schedule;

use reeve_exports::{Draft, Export, ExportState, FileRole, FormatOptions};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{
    ExportFailureCode, ExportFileRole, ExportFormat, ExportStatus,
};

pub use destination::{
    ExportDestinationBody, ExportDestinationCreate, ExportDestinationPatch,
    ExportDestinationTestBody,
};
pub use schedule::{ExportScheduleBody, ExportScheduleCreate, ExportSchedulePatch};

/// Choices of a format. Those of other formats are ignored.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportOptionsBody {
    /// CSV: values as they are, without the apostrophe before what a spreadsheet takes for a
    /// formula.
    #[serde(default)]
    pub raw: bool,
    /// Syslog: `newline` (default) or `octet_counting`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framing: Option<String>,
    /// Syslog: HOSTNAME of the header; `-` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Syslog and CEF: longest record, bytes, 512 to 67108864; 8192 unless given, 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Syslog and CEF: `reduce` (default) or `skip` longer records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversize: Option<String>,
}

impl ExportOptionsBody {
    pub(crate) fn new(options: &FormatOptions) -> Self {
        let FormatOptions {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        } = options.clone();
        ExportOptionsBody {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        }
    }

    pub(crate) fn into_options(self) -> FormatOptions {
        let ExportOptionsBody {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        } = self;
        FormatOptions {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        }
    }
}

/// A request for an export.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// `json`, `csv`, `syslog`, `cef` or `parquet`.
    #[schema(value_type = enumeration::ExportFormat)]
    pub format: String,
    /// First instant: RFC 3339, or relative such as `now-24h`. Left out, the beginning of the log.
    pub start_time: Option<String>,
    /// End, itself excluded. Left out, the present end of the log.
    pub end_time: Option<String>,
    /// Query in the query language. Left out, every entry.
    pub query: Option<String>,
    /// Identifier or name of a destination that the files are carried to. They can be downloaded in
    /// any case.
    pub destination: Option<String>,
    /// Choices of the format.
    #[serde(default)]
    pub options: ExportOptionsBody,
}

impl ExportRequest {
    pub(crate) fn draft(&self) -> Draft {
        Draft {
            format: self.format.clone(),
            start_time: self.start_time.clone(),
            end_time: self.end_time.clone(),
            query: self.query.clone(),
            options: self.options.clone().into_options(),
        }
    }
}

/// Filters of exports, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ExportListParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
    /// In this state: `queued`, `running`, `succeeded`, `failed`, `cancelled`.
    pub state: Option<String>,
    /// Runs of this scheduled export.
    pub schedule_id: Option<String>,
}

/// File of an export to download.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ExportDownloadParams {
    /// Name of one of the export's files. Left out, its entries; an export with several files of
    /// entries needs it.
    pub file: Option<String>,
}

/// Expected size of an export.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportEstimateBody {
    /// Number of entries that match.
    pub entries: u64,
    /// Expected size of the file, bytes.
    pub bytes: u64,
    /// Most bytes of one export.
    pub limit_bytes: u64,
    /// Returns `true` if the export may start.
    pub fits: bool,
    /// Narrower period that fits, if this one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrower: Option<ExportPeriodBody>,
}

/// A period that fits into one export, with its expected size.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportPeriodBody {
    /// First instant of the period.
    pub start_time: String,
    /// End, itself excluded; absent for the present end of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// Number of entries that match.
    pub entries: u64,
    /// Expected size of the file, bytes.
    pub bytes: u64,
}

/// A file of an export.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportFileBody {
    pub name: String,
    pub role: ExportFileRole,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
}

/// Reason why an export failed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportFailureBody {
    pub code: ExportFailureCode,
    /// Message for people: the cause and the remedy.
    pub message: String,
}

/// Person an export is bound to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportRequesterBody {
    pub id: String,
    pub email: String,
}

/// An export with its progress and its files.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportBody {
    pub id: String,
    pub status: ExportStatus,
    pub format: ExportFormat,
    /// Choices of the format.
    pub options: ExportOptionsBody,
    /// Query; empty for every entry.
    pub query: String,
    /// First instant of the period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    /// End of the period, itself excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_id: Option<String>,
    /// Scheduled export that it is a run of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<String>,
    /// Person it is bound to: it reads what this person may see when it runs.
    pub requested_by: ExportRequesterBody,
    /// Entries expected at the time of the request.
    pub estimated_entries: u64,
    /// Bytes expected at the time of the request.
    pub estimated_bytes: u64,
    /// Number of entries written so far.
    pub entries: u64,
    /// Number of bytes written so far.
    pub bytes: u64,
    /// Share that is done, 0 to 100.
    pub percent: f64,
    /// Records that leave out a part of their entry for their length, and say so.
    pub reduced: u64,
    /// Entries that were left out for their length.
    pub skipped: u64,
    /// Files, once they are complete and until they are removed.
    pub files: Vec<ExportFileBody>,
    /// Address of the files at the destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_to: Option<String>,
    /// Reason, once it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<ExportFailureBody>,
    /// Time of the request.
    pub created_at: String,
    /// Start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// End of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Time from which the files are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

impl ExportBody {
    /// An export as people see it.
    #[must_use]
    pub fn new(export: &Export) -> Self {
        let (selection, progress) = (&export.selection, &export.progress);
        let there = export.state == ExportState::Succeeded || export.failure.is_some();
        let files = export
            .files
            .iter()
            .filter(|_| there && export.expires_at.is_some());

        ExportBody {
            id: export.id.0.clone(),
            status: export.state.into(),
            format: selection.format.into(),
            options: ExportOptionsBody::new(&selection.options),
            query: selection.query.clone(),
            start_time: selection.start.map(time::text),
            end_time: selection.end.map(time::text),
            destination_id: export.destination.as_ref().map(|id| id.0.clone()),
            schedule_id: export.schedule.as_ref().map(|id| id.0.clone()),
            requested_by: ExportRequesterBody {
                id: export.requester.user.0.clone(),
                email: export.requester.email.clone(),
            },
            estimated_entries: export.estimate.entries,
            estimated_bytes: export.estimate.bytes,
            entries: progress.entries,
            bytes: progress.bytes,
            percent: export.percent(),
            reduced: progress.reduced,
            skipped: progress.skipped,
            files: files
                .map(|file| ExportFileBody {
                    name: file.name.clone(),
                    role: file.role.into(),
                    bytes: file.bytes,
                    sha256: file.sha256.clone(),
                    entries: (file.role == FileRole::Entries).then_some(file.entries),
                })
                .collect(),
            delivered_to: export.delivered_to.clone(),
            failure: export.failure.as_ref().map(|failure| ExportFailureBody {
                code: failure.code.into(),
                message: failure.message.clone(),
            }),
            created_at: time::text(export.created_at),
            started_at: export.started_at.map(time::text),
            finished_at: export.finished_at.map(time::text),
            expires_at: export.expires_at.map(time::text),
        }
    }
}
