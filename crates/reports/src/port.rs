//! The port through which reports and their runs are kept.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;

use crate::definition::{ReportDefinition, ReportId};
use crate::review::Review;
use crate::run::{ReportRun, RunId};

/// Filter of runs; the conditions are combined by "and".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFilter {
    /// Report of the runs.
    pub report: Option<ReportId>,
    /// Kind of report: `compliance` or `custom`.
    pub kind: Option<String>,
    /// At most this many.
    pub limit: u64,
    /// After skipping this many.
    pub offset: u64,
}

/// Keeps reports and runs. Updates compare versions: a record that has changed since it was read is
/// a conflict.
#[async_trait]
pub trait ReportStore: Send + Sync {
    /// Adds a report; a taken name is a conflict, and so is a report beyond `most`.
    async fn report_insert(&self, report: &ReportDefinition, most: u64) -> Result<(), AccessError>;
    /// Replaces a report of the version before.
    async fn report_update(&self, report: &ReportDefinition) -> Result<(), AccessError>;
    /// Removes a report. Its runs stay.
    async fn report_delete(&self, id: &ReportId) -> Result<(), AccessError>;
    async fn report_get(&self, id: &ReportId) -> Result<ReportDefinition, AccessError>;
    /// Every report, by name.
    async fn report_list(&self) -> Result<Vec<ReportDefinition>, AccessError>;
    /// Reports whose schedule is due at a moment.
    async fn report_due(&self, now: Timestamp) -> Result<Vec<ReportDefinition>, AccessError>;
    /// Adds a run, and moves the report's schedule on in the same step when `report` is given.
    async fn run_insert(
        &self,
        run: &ReportRun,
        report: Option<&ReportDefinition>,
    ) -> Result<(), AccessError>;
    /// Replaces a run of the version before.
    async fn run_update(&self, run: &ReportRun) -> Result<(), AccessError>;
    async fn run_get(&self, id: &RunId) -> Result<ReportRun, AccessError>;
    /// Runs, the latest first, and how many there are in all.
    async fn run_list(&self, filter: &RunFilter) -> Result<(Vec<ReportRun>, u64), AccessError>;
    /// The oldest run that is queued, or that is running and was not touched since `stale`.
    async fn run_next(&self, stale: Timestamp) -> Result<Option<ReportRun>, AccessError>;
    /// Runs that ended before a moment, the oldest first.
    async fn run_ended_before(
        &self,
        before: Timestamp,
        limit: u64,
    ) -> Result<Vec<ReportRun>, AccessError>;
    /// Adds a review of an exception.
    async fn review_insert(&self, review: &Review) -> Result<(), AccessError>;
    /// Reviews of a report's exceptions, the latest first, at most `limit`.
    async fn review_list(&self, report: &ReportId, limit: u64) -> Result<Vec<Review>, AccessError>;
    async fn run_delete(&self, id: &RunId) -> Result<(), AccessError>;
}
