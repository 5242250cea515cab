//! Running exports: one at a time, gone on with after a crash, with the rights that the requester
//! has when it runs.
//!
//! The store is never ahead of the disk: files are made durable before their progress is kept. An
//! export that is cancelled is noticed by the version of its row, which every kept progress
//! compares.

mod attempts;
mod files;
pub(crate) mod finish;
mod reading;
pub(crate) mod record;
mod recurring;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use jiff::SignedDuration;
use reeve_access::{AccessError, Authenticator, Permission, Principal};
use reeve_exports::{Export, ExportFailure, ExportState, FailureCode};
use reeve_ledger::Ledger;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;

use crate::service::Service;
use crate::tasks::context::TaskContext;

use attempts::ExportAttempts;
pub(crate) use files::integrity;
use files::{ExportFiles, WriteError};
use reading::ExportReading;

/// Time between two writes of progress.
const NOTED: Duration = Duration::from_secs(1);

/// Runs exports one after another.
pub(crate) struct ExportRunner {
    context: Arc<TaskContext>,
    ledger: Ledger,
    /// Every entry, for those that the service itself has written.
    trail: Trail,
    /// Time that files are kept after the end.
    keep: SignedDuration,
    attempts: ExportAttempts,
}

/// Reason why an export does not continue.
enum Stop {
    /// The service ends; the export continues at the next start.
    Service,
    /// A person cancelled it.
    Cancelled,
    Failed(ExportFailure),
    /// The state store cannot be reached; it is tried again.
    Later(anyhow::Error),
}

fn failed(code: FailureCode, message: impl Into<String>) -> Stop {
    Stop::Failed(ExportFailure {
        code,
        message: message.into(),
    })
}

impl From<AccessError> for Stop {
    fn from(error: AccessError) -> Self {
        Stop::Later(error.into())
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            let message =
                "The disk that exports are written to is full. Free some space and export again.";
            return failed(FailureCode::DiskFull, message);
        }

        tracing::error!(%error, "an export could not be written");
        failed(
            FailureCode::Internal,
            "The files could not be written; the service's log has the cause.",
        )
    }
}

impl ExportRunner {
    pub(crate) fn new(service: &Service) -> ExportRunner {
        let keep_days = service.config.export_keep_days;
        let (context, ledger, trail) = (
            service.tasks.clone(),
            service.ledger.clone(),
            service.trail.clone(),
        );

        ExportRunner {
            context,
            ledger,
            trail,
            attempts: ExportAttempts::default(),
            keep: SignedDuration::from_hours(i64::from(keep_days) * 24),
        }
    }

    /// Starts scheduled exports that are due, runs all exports that wait, and removes files whose
    /// time has come.
    pub(crate) async fn beat(&self, stop: &CancellationToken) -> Result<()> {
        recurring::start_due(&self.context).await?;
        while !stop.is_cancelled()
            && let Some(mut export) = self
                .context
                .exports
                .export_next(&self.attempts.waiting(self.context.now()))
                .await?
        {
            let outcome = self.work(&mut export, stop).await;
            if !matches!(outcome, Err(Stop::Later(_))) {
                self.attempts.forget(&export.id);
            }
            match outcome {
                Ok(()) => {
                    tracing::info!(
                        export = export.id.0,
                        entries = export.progress.entries,
                        "an export is complete"
                    )
                }
                Err(Stop::Service) => return Ok(()),
                Err(Stop::Later(error)) => {
                    let attempts = self.attempts.note(&export.id, self.context.now());
                    let error = format!("{error:#}");
                    tracing::warn!(
                        export = export.id.0,
                        attempts,
                        error,
                        "an export could not continue; the others do"
                    );
                }
                Err(Stop::Cancelled) => self.remove(&export).await,
                Err(Stop::Failed(failure)) => self.fail(&export, failure).await?,
            }
        }

        self.sweep().await
    }

    fn log(&self) -> record::ExportLog<'_> {
        record::ExportLog {
            journal: &self.context.journal,
            trail: &self.trail,
        }
    }

    fn folder(&self, export: &Export) -> PathBuf {
        self.context.settings.exports_dir.join(&export.id.0)
    }

    async fn work(&self, export: &mut Export, stop: &CancellationToken) -> Result<(), Stop> {
        let principal = self.principal(export).await?;
        if export.state == ExportState::Queued {
            export.state = ExportState::Running;
            export.started_at = Some(self.context.now());
            if export.progress.end == 0 {
                export.progress.end = self.context.log.size();
            }
            export.progress.position = export.from_sequence;
            self.keep(export).await?;
        }

        if export.finished_at.is_none() {
            self.write(export, &principal, stop).await?;
        }

        self.finish(export).await
    }

    /// Rights that the requester has now.
    async fn principal(&self, export: &Export) -> Result<Principal, Stop> {
        let (user, token) = (&export.requester.user, export.requester.token.as_deref());
        let authenticator =
            Authenticator::new(&*self.context.access, self.context.now().as_millisecond());
        let standing = authenticator.of_earlier_request(user, token).await?;
        let missing = |what: &str| {
            failed(
                FailureCode::PermissionMissing,
                format!("{} {what}.", export.requester.email),
            )
        };

        let principal =
            standing.ok_or_else(|| missing("or the token of the request is no longer active"))?;
        if principal.may(Permission::AuditExport) {
            Ok(principal)
        } else {
            Err(missing("no longer has the permission audit.export"))
        }
    }

    /// Writes entries up to the end that was set at the start.
    async fn write(
        &self,
        export: &mut Export,
        principal: &Principal,
        stop: &CancellationToken,
    ) -> Result<(), Stop> {
        let limit = self.context.settings.export_limit_bytes;
        let mut files = ExportFiles::open(&self.folder(export), export, limit).await?;
        export.progress = files.progress();
        let mut reading = ExportReading::new(&self.context, export, principal).await?;
        let mut ahead = reading.next().await?;
        let mut noted = Instant::now();

        while let Some(stretch) = ahead.take() {
            if stop.is_cancelled() {
                return Err(Stop::Service);
            }
            // The next entries are read while these are written: one core each.
            let (next, written) = tokio::join!(reading.next(), files.write(stretch));
            files = written.map_err(|error| outgrown(export, limit, error))?;
            ahead = next?;
            if noted.elapsed() > NOTED {
                files = files.settle().await?;
                export.progress = files.progress();
                self.keep(export).await?;
                noted = Instant::now();
            }
        }

        export.progress = files.finish().await?;
        Ok(())
    }

    /// Keeps what changed of an export.
    async fn keep(&self, export: &mut Export) -> Result<(), Stop> {
        export.version += 1;
        match self.context.exports.export_update(export).await {
            Ok(()) => Ok(()),
            Err(AccessError::Conflict(_)) => {
                match self.context.exports.export_get(&export.id).await?.state {
                    ExportState::Cancelled => Err(Stop::Cancelled),
                    _ => Err(Stop::Later(anyhow::anyhow!(
                        "export {} was changed by another process",
                        export.id.0
                    ))),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn fail(&self, export: &Export, failure: ExportFailure) -> Result<()> {
        tracing::warn!(
            export = export.id.0,
            code = failure.code.as_str(),
            reason = failure.message,
            "an export failed"
        );

        let mut stored = self.context.exports.export_get(&export.id).await?;
        if stored.state.is_final() {
            return Ok(());
        }

        let now = self.context.now();
        // A result that only did not reach its destination can still be downloaded.
        let has_files = failure.code == FailureCode::DestinationUnreachable;

        if !has_files {
            self.remove(export).await;
            stored.files.clear();
            stored.finished_at = None;
        }

        stored.state = ExportState::Failed;
        stored.progress = export.progress;
        stored.finished_at = stored.finished_at.or(Some(now));
        stored.expires_at = has_files.then(|| now + self.keep);
        stored.failure = Some(failure);
        stored.version += 1;
        record::failed(self.log(), &stored)
            .await
            .context("the failure of an export could not be recorded")?;

        match self.context.exports.export_update(&stored).await {
            Ok(()) | Err(AccessError::Conflict(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes files of exports whose time has come.
    async fn sweep(&self) -> Result<()> {
        for mut export in self
            .context
            .exports
            .export_expired(self.context.now())
            .await?
        {
            self.remove(&export).await;
            export.expires_at = None;
            export.version += 1;
            match self.context.exports.export_update(&export).await {
                Ok(()) | Err(AccessError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }

        Ok(())
    }

    async fn remove(&self, export: &Export) {
        let folder = self.folder(export);
        match tokio::fs::remove_dir_all(&folder).await {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "files of an export were not removed")
            }
        }
    }
}

/// The reason in words, with the time up to which the entries fitted.
fn outgrown(export: &Export, limit: u64, error: WriteError) -> Stop {
    match error {
        WriteError::Io(error) => error.into(),
        WriteError::Limit { at } => {
            let at = reeve_audit::format_instant(at);
            let start = export
                .selection
                .start
                .map_or("the beginning".to_owned(), reeve_audit::format_instant);
            let message = format!(
                "The export outgrew the limit of {limit} bytes. The entries from {start} to about {at} fit into one export: \
                 export that period, and then the rest from {at} on."
            );
            failed(FailureCode::TooLarge, message)
        }
    }
}
