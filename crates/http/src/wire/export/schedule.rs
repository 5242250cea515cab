//! Scheduled exports.

use reeve_exports::ScheduledExport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::export::{ExportOptionsBody, ExportRequesterBody};
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::ExportFormat;

/// A scheduled export. Each run covers what was recorded since the last run that succeeded, no
/// entry twice.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportScheduleBody {
    pub id: String,
    pub name: String,
    pub format: ExportFormat,
    /// Choices of the format.
    pub options: ExportOptionsBody,
    /// Query; empty for every entry.
    pub query: String,
    /// Cron pattern of five fields.
    pub schedule: String,
    /// IANA time zone of the pattern.
    pub time_zone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_id: Option<String>,
    /// Set when it runs.
    pub enabled: bool,
    /// Person whose rights it runs with.
    pub owner: ExportRequesterBody,
    /// First sequence that the next run covers.
    pub next_sequence: u64,
    /// Time of the next run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<String>,
    /// Export of the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_export_id: Option<String>,
    /// Time it was made.
    pub created_at: String,
    /// Grows with every change.
    pub version: u64,
}

/// A new scheduled export. It covers what is recorded from then on, with the rights of who makes
/// it.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportScheduleCreate {
    /// Name, 1 to 100 characters, unique.
    pub name: String,
    /// `json`, `csv`, `syslog`, `cef` or `parquet`.
    #[schema(value_type = enumeration::ExportFormat)]
    pub format: String,
    /// Choices of the format.
    #[serde(default)]
    pub options: ExportOptionsBody,
    /// Query; left out, every entry.
    #[serde(default)]
    pub query: String,
    /// Cron pattern of five fields such as `0 3 * * *`.
    pub schedule: String,
    /// IANA time zone; the workspace's unless given, and UTC where that has none.
    pub time_zone: Option<String>,
    /// Identifier or name of a destination.
    pub destination: Option<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
}

/// A change of a scheduled export; what is left out stays. It runs with the rights of who changed
/// it last.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportSchedulePatch {
    /// The version that was read; left out, the newest is changed.
    pub version: Option<u64>,
    pub name: Option<String>,
    pub format: Option<String>,
    /// Choices of the format.
    pub options: Option<ExportOptionsBody>,
    pub query: Option<String>,
    /// Cron pattern of five fields.
    pub schedule: Option<String>,
    /// Name of an IANA time zone.
    pub time_zone: Option<String>,
    /// Destination; the empty text is none.
    pub destination: Option<String>,
    /// Switches it on or off.
    pub enabled: Option<bool>,
}

impl ExportScheduleBody {
    pub(crate) fn new(schedule: &ScheduledExport) -> Self {
        ExportScheduleBody {
            id: schedule.id.0.clone(),
            name: schedule.name.clone(),
            format: schedule.format.into(),
            options: ExportOptionsBody::new(&schedule.options),
            query: schedule.query.clone(),
            schedule: schedule.schedule.pattern.clone(),
            time_zone: schedule.schedule.time_zone.clone(),
            destination_id: schedule.destination.as_ref().map(|id| id.0.clone()),
            enabled: schedule.enabled,
            owner: ExportRequesterBody {
                id: schedule.owner.user.0.clone(),
                email: schedule.owner.email.clone(),
            },
            next_sequence: schedule.covered_to,
            next_run_at: schedule.next_run().map(time::text),
            last_export_id: schedule.last_export.as_ref().map(|id| id.0.clone()),
            created_at: time::text(schedule.created_at),
            version: schedule.version,
        }
    }
}
