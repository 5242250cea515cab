//! The port of what keeps exports, scheduled exports and destinations.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;

use crate::destination::{DestinationId, DestinationSecret, ExportDestination};
use crate::job::{Export, ExportId, ExportState};
use crate::recurring::{ScheduleId, ScheduledExport};

/// Filter of exports; the conditions are combined by "and".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportFilter {
    /// Bound to this user.
    pub user: Option<String>,
    pub state: Option<ExportState>,
    /// Scheduled export of the runs.
    pub schedule: Option<ScheduleId>,
    /// At most this many.
    pub limit: u64,
    /// After skipping this many.
    pub offset: u64,
}

/// Keeps exports, scheduled exports and destinations.
#[async_trait]
pub trait ExportStore: Send + Sync {
    /// Adds an export. One more than `most` that wait or run is a conflict.
    async fn export_insert(&self, export: &Export, most: u64) -> Result<(), AccessError>;
    /// Replaces an export whose stored version is one less; otherwise a conflict.
    async fn export_update(&self, export: &Export) -> Result<(), AccessError>;
    async fn export_get(&self, id: &ExportId) -> Result<Export, AccessError>;
    /// Returns exports, the latest first, and their number.
    async fn export_list(&self, filter: &ExportFilter) -> Result<(Vec<Export>, u64), AccessError>;
    /// Returns the export to work on: one that runs already, else the one that waits longest.
    async fn export_next(&self, skipped: &[ExportId]) -> Result<Option<Export>, AccessError>;
    /// Returns exports whose files may be removed.
    async fn export_expired(&self, now: Timestamp) -> Result<Vec<Export>, AccessError>;

    /// Adds a scheduled export. A name in use, and one more than `most`, are conflicts.
    async fn export_schedule_insert(
        &self,
        schedule: &ScheduledExport,
        most: u64,
    ) -> Result<(), AccessError>;
    /// Replaces a scheduled export whose stored version is one less; otherwise a conflict.
    async fn export_schedule_update(&self, schedule: &ScheduledExport) -> Result<(), AccessError>;
    /// Removes a scheduled export. Its exports stay.
    async fn export_schedule_delete(&self, id: &ScheduleId) -> Result<(), AccessError>;
    /// Returns a scheduled export.
    async fn export_schedule_get(&self, id: &ScheduleId) -> Result<ScheduledExport, AccessError>;
    /// Returns all scheduled exports by name.
    async fn export_schedule_list(&self) -> Result<Vec<ScheduledExport>, AccessError>;

    /// Adds a destination with its secret, which is sealed. A name in use, and one more than
    /// `most`, are conflicts.
    async fn destination_insert(
        &self,
        destination: &ExportDestination,
        secret: &DestinationSecret,
        most: u64,
    ) -> Result<(), AccessError>;
    /// Replaces a destination whose stored version is one less, and its secret if one is given;
    /// otherwise a conflict.
    async fn destination_update(
        &self,
        destination: &ExportDestination,
        secret: Option<&DestinationSecret>,
    ) -> Result<(), AccessError>;
    async fn destination_delete(&self, id: &DestinationId) -> Result<(), AccessError>;
    async fn destination_get(&self, id: &DestinationId) -> Result<ExportDestination, AccessError>;
    /// Returns the secret of a destination.
    async fn destination_secret(
        &self,
        id: &DestinationId,
    ) -> Result<DestinationSecret, AccessError>;
    /// Returns all destinations by name.
    async fn destination_list(&self) -> Result<Vec<ExportDestination>, AccessError>;
}
