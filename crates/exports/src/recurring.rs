//! Scheduled exports: the same export again and again, each run over what was recorded since the
//! last run that succeeded.

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use crate::destination::DestinationId;
use crate::format::{ExportFormat, FormatOptions};
use crate::job::{ExportId, Requester};

/// Identifier of a scheduled export, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScheduleId(pub String);

/// Most characters of a name.
const MAX_NAME: usize = 100;

/// An export that is repeated by a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduledExport {
    /// Identifier of the scheduled export.
    pub id: ScheduleId,
    /// Unique among all scheduled exports.
    pub name: String,
    /// Format of its exports.
    pub format: ExportFormat,
    /// Choices of the format.
    pub options: FormatOptions,
    /// Query as written; empty for every entry.
    pub query: String,
    /// Times it runs at.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Destination of the files; `None` to keep them for download only.
    pub destination: Option<DestinationId>,
    /// Set when it runs.
    pub enabled: bool,
    /// Person whose rights it runs with.
    pub owner: Requester,
    /// Next sequence to export: the end of the last run that succeeded, so that no entry is left
    /// out or exported twice.
    pub covered_to: u64,
    /// Time of the last run, or of making it.
    pub last_run_at: Timestamp,
    /// Export of the last run.
    pub last_export: Option<ExportId>,
    /// Time it was made.
    pub created_at: Timestamp,
    /// Grows by one with each change.
    pub version: u64,
}

impl ScheduledExport {
    /// Returns the time of the next run; `None` while it is disabled.
    #[must_use]
    pub fn next_run(&self) -> Option<Timestamp> {
        self.enabled
            .then(|| self.schedule.next(self.last_run_at))
            .flatten()
    }

    /// Checks a name.
    ///
    /// # Errors
    /// The field with its reason.
    pub fn check_name(name: &str) -> Result<String, FieldError> {
        let name = name.trim();
        let sound = !name.is_empty()
            && name.chars().count() <= MAX_NAME
            && !name.contains(char::is_control);
        let message = format!("must have 1 to {MAX_NAME} characters on one line");

        if sound {
            Ok(name.to_owned())
        } else {
            Err(FieldError::new("name", FieldCode::InvalidValue, message))
        }
    }
}
