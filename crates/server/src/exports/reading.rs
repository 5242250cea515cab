//! The entries of an export, stretch by stretch, as its requester may see them.

use reeve_access::{ListError, Principal, with_lists};
use reeve_exports::{Export, FailureCode};
use reeve_ledger::{Stretch, TrailError};
use reeve_trail::Scan;

use super::{Stop, failed};
use crate::tasks::context::TaskContext;

/// Entries of a stretch at most.
const ENTRIES: usize = 4000;
/// Canonical bytes of a stretch at most.
const BYTES: usize = 8 << 20;

/// Reads the entries of an export.
pub(super) struct ExportReading(Scan);

impl ExportReading {
    /// Begins where the export continues. The one place where an export reads the log.
    pub(super) async fn new(
        context: &TaskContext,
        export: &Export,
        principal: &Principal,
    ) -> Result<ExportReading, Stop> {
        let query = export
            .selection
            .predicate(export.created_at)
            .map_err(|error| {
                failed(
                    FailureCode::Internal,
                    format!("The query can no longer be read: {}.", error.message),
                )
            })?;

        let query = with_lists(context.lists.as_ref(), &query).await.map_err(|error| match error {
            ListError::Unknown(_) => {
                failed(FailureCode::Internal, format!("The query can no longer be asked: {error}."))
            }
            ListError::Store(error) => {
                tracing::error!(%error, "the lists of an export's query could not be read");
                failed(
                    FailureCode::Internal,
                    "The lists of the query could not be read; the service's log has the cause.",
                )
            }
        })?;

        let trail = context.log.trail_of(principal);
        let complete = trail.complete(&query, export.created_at).await;
        complete.map_err(unreadable)?;
        let range = export.progress.position..export.progress.end;
        let scan = trail.scan(query, range, export.created_at);
        Ok(ExportReading(scan.with_stretches_of(ENTRIES, BYTES)))
    }

    /// Reads the next stretch; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Stretch>, Stop> {
        self.0.next().await.map_err(unreadable)
    }
}

fn unreadable(error: TrailError) -> Stop {
    match error {
        TrailError::Damaged(message) => failed(
            FailureCode::LogDamaged,
            format!("A part of the log that the export needs cannot be trusted: {message}."),
        ),
        TrailError::TooCostly { limit_s } => {
            let message = format!(
                "A search of the export was stopped after {limit_s} s. Narrow the period, or name the field of each word."
            );
            failed(FailureCode::QueryTooCostly, message)
        }
        TrailError::Away(message) | TrailError::Archived(message) => {
            failed(FailureCode::LogAway, message)
        }
        TrailError::Invalid(message) | TrailError::Backend(message) => {
            tracing::error!(%message, "an export could not read the log");
            failed(
                FailureCode::Internal,
                "The log could not be read; the service's log has the cause.",
            )
        }
    }
}
