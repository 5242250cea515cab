//! Runs reports, one at a time, begins those that are due by schedule, and removes runs whose time
//! has come.
//!
//! A run is begun from the start again when the process that had it is gone: its files are written
//! beside their place and moved there whole, and its period and checkpoint are taken anew. While it
//! runs it is touched every two seconds, so that another process can tell.

mod configuration;
mod coverage;
mod files;
mod schedule;
mod work;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use jiff::{SignedDuration, Timestamp};
use reeve_access::{AccessError, AuditScope, Authenticator, Permission, UserId};
use reeve_audit::EventId;
use reeve_reports::{ReportRun, RunState, document, run_entry};
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::exports::{finish, record};
use crate::service::Service;
use crate::tasks::context::TaskContext;
use work::{Done, ReportWork};

/// Time between two looks for work.
const BEAT: Duration = Duration::from_millis(500);
/// Time between two touches of a run, with which it is asked whether it is cancelled.
const TOUCH: Duration = Duration::from_secs(2);
/// A run that was not touched for so long has lost its process.
const STALE: SignedDuration = SignedDuration::from_secs(30);
/// Time after which every process that lives has touched its run.
const SETTLED: SignedDuration = SignedDuration::from_secs(5);

/// State of the task between two beats.
struct Runner {
    context: Arc<TaskContext>,
    ledger: reeve_ledger::Ledger,
    /// Every entry, for those that the service itself has written.
    trail: Trail,
    began_at: Timestamp,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let context = service.tasks.clone();
    let (ledger, trail) = (service.ledger.clone(), service.trail.clone());
    let runner = Arc::new(Runner {
        began_at: context.now(),
        ledger,
        trail,
        context,
    });

    let ending = stop.clone();
    super::every(tracker, stop, BEAT, move || {
        let (runner, ending) = (runner.clone(), ending.clone());
        async move {
            if let Err(error) = runner.beat(&ending).await {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "reports were not run; it is tried again"
                );
            }
        }
    });
}

/// End of a run.
enum Ending {
    Done(Box<Done>),
    Failed(String),
    Cancelled,
    /// The service stops: the run is resumed again.
    Stopped,
}

impl Runner {
    async fn beat(&self, stop: &CancellationToken) -> Result<()> {
        schedule::begin_due(&self.context).await?;
        while let Some(run) = self.context.reports.run_next(self.stale()).await? {
            if stop.is_cancelled() {
                return Ok(());
            }
            self.take(run, stop).await?;
        }
        schedule::forget_old(&self.context).await
    }

    /// The moment before which a touch means that nobody has the run: after a restart the runs of
    /// the process before are known at once.
    fn stale(&self) -> Timestamp {
        let now = self.context.now();
        let old = now.saturating_sub(STALE).unwrap_or(now);
        let settled = now.duration_since(self.began_at) > SETTLED;
        if settled { old.max(self.began_at) } else { old }
    }

    /// Takes a run, unless another process was faster, and sees it to its end.
    async fn take(&self, run: ReportRun, stop: &CancellationToken) -> Result<()> {
        let now = self.context.now();
        let mut run = ReportRun {
            state: RunState::Running,
            started_at: Some(now),
            touched_at: now,
            progress: Default::default(),
            version: run.version + 1,
            ..run
        };

        match self.context.reports.run_update(&run).await {
            Err(AccessError::Conflict(_)) => return Ok(()),
            other => other?,
        }

        let ending = self.follow(&mut run, stop).await?;
        self.end(run, ending).await
    }

    /// Works on a run while touching it.
    async fn follow(&self, run: &mut ReportRun, stop: &CancellationToken) -> Result<Ending> {
        if run.cancelling {
            return Ok(Ending::Cancelled);
        }

        let user = UserId(run.user.clone());
        let authenticator =
            Authenticator::new(&*self.context.access, self.context.now().as_millisecond());
        let standing = authenticator
            .of_earlier_request(&user, run.token.as_deref())
            .await?;
        let Some(principal) = standing.filter(|principal| principal.may(Permission::AuditReports))
        else {
            let reason = format!(
                "{} no longer has the permission audit.reports",
                run.user_email
            );
            return Ok(Ending::Failed(reason));
        };

        // Every reader of reports may download it, so it is made of what all of them may see; a
        // run within a scope is read by those whose own scope includes it.
        if !principal.may(Permission::AuditViewAll) {
            let reason = format!(
                "{} may not see every entry: it needs the permission audit.view_all",
                run.user_email
            );
            return Ok(Ending::Failed(reason));
        }
        if let Some(ending) = self.narrow(run, principal.scope.as_deref()).await? {
            return Ok(ending);
        }

        let work = ReportWork::new(
            &self.context,
            &self.ledger,
            &self.trail,
            run.clone(),
            &principal,
        );
        let progress = work.progress();
        let mut working = std::pin::pin!(work.run());
        let mut tick = tokio::time::interval(TOUCH);

        loop {
            tokio::select! {
                result = &mut working => return Ok(match result {
                    Ok(done) => Ending::Done(Box::new(done)),
                    Err(error) => Ending::Failed(format!("{error:#}")),
                }),
                () = stop.cancelled() => return Ok(Ending::Stopped),
                _ = tick.tick() => {
                    run.progress = progress.read();
                    if !self.touch(run).await? {
                        return Ok(Ending::Cancelled);
                    }
                }
            }
        }
    }

    /// Narrows a run to the scope of its user, and keeps it so before an entry is read. Returns the
    /// end of a run that has nothing in the scope, or that was cancelled.
    async fn narrow(
        &self,
        run: &mut ReportRun,
        scope: Option<&AuditScope>,
    ) -> Result<Option<Ending>> {
        loop {
            let narrowed = match run.clone().within(scope) {
                Ok(narrowed) => narrowed,
                Err(outside) => return Ok(Some(Ending::Failed(outside.to_string()))),
            };
            if narrowed == *run {
                return Ok(None);
            }

            // A conflict reads the run again as it was before, so it is looked at once more.
            *run = narrowed;
            if !self.touch(run).await? {
                return Ok(Some(Ending::Cancelled));
            }
        }
    }

    /// Keeps the progress of a run; `false` when it is to be cancelled.
    async fn touch(&self, run: &mut ReportRun) -> Result<bool> {
        let (progress, now) = (run.progress, self.context.now());
        loop {
            let touched = ReportRun {
                progress,
                touched_at: now,
                version: run.version + 1,
                ..run.clone()
            };
            match self.context.reports.run_update(&touched).await {
                Ok(()) => {
                    *run = touched;
                    return Ok(true);
                }
                Err(AccessError::Conflict(_)) => {
                    *run = self.context.reports.run_get(&run.id).await?
                }
                Err(error) => return Err(error.into()),
            }
            if run.cancelling {
                return Ok(false);
            }
        }
    }

    /// Records a run that succeeded with the hashes of its files, and writes the manifest with the
    /// proof of that entry. Returns the manifest's length.
    async fn attest(&self, run: &ReportRun) -> Result<u64> {
        // The identifier follows from the files: recording the same files again adds no entry, and
        // a run that was begun anew after a crash has other files and an entry of its own.
        let hash = &run.files.json.sha256;
        let id = format!("report-{}-{}", run.id.0, hash.get(..16).unwrap_or(hash));
        let log = record::ExportLog {
            journal: &self.context.journal,
            trail: &self.trail,
        };
        let id = record::append(log, run_entry(run).with_id(EventId::derived(&id)?)).await?;
        let stored = self.trail.by_event_id(id.as_str()).await?;
        let stored = stored.context("the entry of a report is not in the log that took it")?;
        let evidence = finish::evidence(&self.ledger, &stored).await?;
        let (checkpoint, entry_proof) =
            (evidence.checkpoint.as_str(), evidence.entry_proof.as_str());
        let evidence = document::LogEvidence {
            checkpoint,
            entry_proof,
            log_key: &evidence.log_key,
        };

        files::write_manifest(&self.context, &run.id, document::manifest(run, evidence)).await
    }

    async fn end(&self, run: ReportRun, ending: Ending) -> Result<()> {
        let now = self.context.now();
        let mut ended = ReportRun {
            ended_at: Some(now),
            touched_at: now,
            version: run.version + 1,
            ..run
        };

        match ending {
            Ending::Done(done) => {
                ended.state = RunState::Succeeded;
                ended.progress = done.progress;
                ended.files = done.files;
                ended.summary = Some(done.summary);
            }
            Ending::Failed(reason) => (ended.state, ended.error) = (RunState::Failed, Some(reason)),
            Ending::Cancelled => ended.state = RunState::Cancelled,
            Ending::Stopped => (ended.state, ended.ended_at) = (RunState::Queued, None),
        }

        // Recorded first: what the log does not have did not come out of it.
        if ended.state == RunState::Succeeded {
            ended.files.manifest_bytes = self.attest(&ended).await?;
        } else if ended.state.is_ended() {
            self.context
                .journal
                .record_or_keep(run_entry(&ended))
                .await?;
        }

        if ended.state != RunState::Succeeded {
            files::remove(&self.context, &ended.id).await?;
        }

        loop {
            match self.context.reports.run_update(&ended).await {
                // Somebody asked to cancel it when it had ended.
                Err(AccessError::Conflict(_)) => {
                    ended.version = self.context.reports.run_get(&ended.id).await?.version + 1;
                }
                other => return Ok(other?),
            }
        }
    }
}
