//! The work of a run: reads the log up to a checkpoint, evaluates, proves what it cites, and writes
//! the files.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, anyhow};
use reeve_access::{Principal, named_lists};
use reeve_ledger::{Ledger, StoredEntry, TreeHashes};
use reeve_reports::document::{self, Heading, Proven, SummaryDetail};
use reeve_reports::{
    MOST_CITED, ReportConfiguration, ReportEvaluation, ReportPlan, ReportRun, RunFiles, RunProgress,
};
use reeve_reports_pdf::{PdfReport, typeset};
use reeve_tlog::{Checkpoint, MultiProver};
use reeve_trail::Trail;

use super::configuration::{self, Recorded};
use super::coverage::{Surroundings, Trails};
use super::files::{self, Heads, Spool};
use crate::adapters::typesetter::{lines, read_checkpoint};
use crate::tasks::context::TaskContext;

/// Entries of a stretch.
const ENTRIES: usize = 500;
/// Canonical bytes of a stretch.
const BYTES: usize = 8 << 20;

/// Progress of a run, read while it works.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<[AtomicU64; 3]>);

impl Shared {
    pub(super) fn read(&self) -> RunProgress {
        let [position, end, entries] =
            [0, 1, 2].map(|at: usize| self.0[at].load(Ordering::Relaxed));
        RunProgress {
            position,
            end,
            entries,
        }
    }

    fn write(&self, progress: RunProgress) {
        for (at, value) in [progress.position, progress.end, progress.entries]
            .into_iter()
            .enumerate()
        {
            self.0[at].store(value, Ordering::Relaxed);
        }
    }
}

/// Result of a run.
pub(super) struct Done {
    pub(super) progress: RunProgress,
    pub(super) files: RunFiles,
    pub(super) summary: String,
}

/// A run, ready to be worked on.
pub(super) struct ReportWork {
    run: ReportRun,
    /// Entries that the user of the run may see.
    trail: Trail,
    /// Every entry, for statements about the log as a whole.
    whole: Trail,
    ledger: Ledger,
    context: Arc<TaskContext>,
    shared: Shared,
}

/// State that is carried from stretch to stretch.
struct State {
    evaluation: ReportEvaluation,
    prover: MultiProver<TreeHashes>,
    spool: Spool,
    /// Places of the entries that recorded listed results of checks.
    recorded: BTreeSet<u64>,
}

impl ReportWork {
    pub(super) fn new(
        context: &Arc<TaskContext>,
        ledger: &Ledger,
        whole: &Trail,
        run: ReportRun,
        principal: &Principal,
    ) -> ReportWork {
        let trail = context.log.trail_of(principal);
        ReportWork {
            run,
            trail,
            whole: whole.clone(),
            ledger: ledger.clone(),
            context: context.clone(),
            shared: Shared::default(),
        }
    }

    pub(super) fn progress(&self) -> Shared {
        self.shared.clone()
    }

    pub(super) async fn run(self) -> Result<Done> {
        let plan = ReportPlan::new(&self.run.request, self.run.created_at)?;
        let lists = named_lists(self.context.lists.as_ref(), plan.list_names()).await?;
        let plan = plan.with_lists(lists)?;
        let configuration =
            configuration::gather(&self.context, &self.trail, &self.run, &plan).await?;

        // After the results were read: what recorded them is before the checkpoint.
        let note = self.ledger.checkpoint();
        let checkpoint = read_checkpoint(&note)?;
        let query = plan.query();
        let mut recorded = Recorded::new(&self.trail, configuration.as_ref());
        let mut state = State {
            evaluation: ReportEvaluation::new(plan, MOST_CITED),
            prover: self.ledger.multi_prover(checkpoint.size),
            spool: Spool::new(files::folder(&self.context, &self.run.id))?,
            recorded: configuration
                .as_ref()
                .map(ReportConfiguration::sequences)
                .unwrap_or_default(),
        };

        let mut progress = RunProgress {
            position: 0,
            end: checkpoint.size,
            entries: 0,
        };
        self.shared.write(progress);
        let complete = self.trail.complete(&query, self.run.created_at).await;
        complete.context("the report would not be complete")?;
        let scan = self
            .trail
            .scan(query, 0..checkpoint.size, self.run.created_at);
        let mut scan = scan.with_stretches_of(ENTRIES, BYTES);

        while let Some(stretch) = scan.next().await.context("the log could not be read")? {
            progress.position = stretch.to;
            progress.entries += stretch.entries.len() as u64;
            let mut entries = stretch.entries;
            while let Some(part) = recorded.next(&mut entries, stretch.to).await? {
                state = blocking(move || state.take(&part)).await?;
            }
            self.shared.write(progress);
        }
        while let Some(part) = recorded.next(&mut Vec::new(), checkpoint.size).await? {
            state = blocking(move || state.take(&part)).await?;
        }

        let period = self.run.request.period.resolve(self.run.created_at);
        let trails = Trails {
            seen: &self.trail,
            whole: &self.whole,
        };
        let surroundings =
            Surroundings::gather(&self.context, trails, &self.run, period, configuration).await?;
        let (run, now) = (self.run, self.context.now());

        blocking(move || state.finish(&run, surroundings, &note, &checkpoint, now)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| anyhow!("the work on a report ended: {error}"))?
}

impl State {
    fn take(mut self, entries: &[Arc<StoredEntry>]) -> Result<State> {
        let mut hashes = Vec::new();
        for stored in entries {
            let answered =
                self.evaluation
                    .observe(stored.sequence, stored.recorded_at, &stored.entry);
            let records_results = self.recorded.contains(&stored.sequence);
            if answered.is_empty() && !records_results {
                continue;
            }
            hashes.clear();
            let emitted = self
                .prover
                .leaf(stored.sequence, |hash| hashes.push(hash.to_string()));
            emitted.context("an entry could not be proved")?;
            let (sequence, salt, canonical) =
                (stored.sequence, &stored.salt, stored.canonical.as_slice());
            let proven = Proven {
                sequence,
                salt,
                canonical,
                hashes: &hashes,
                records_results,
            };
            self.spool
                .add(&proven, &stored.entry, self.evaluation.plan(), &answered)?;
        }

        Ok(self)
    }

    fn finish(
        self,
        run: &ReportRun,
        surroundings: Surroundings,
        note: &str,
        checkpoint: &Checkpoint,
        now: jiff::Timestamp,
    ) -> Result<Done> {
        let State {
            evaluation,
            prover,
            spool,
            ..
        } = self;
        let mut hashes = Vec::new();
        prover
            .finish(|hash| hashes.push(hash.to_string()))
            .context("the entries could not be proved")?;
        let Surroundings {
            organization,
            is_demo,
            expected,
            ..
        } = &surroundings;

        let (organization, is_demo) = (organization.clone(), *is_demo);
        let (plan, mut findings) = evaluation.finish(expected);
        surroundings.complete(&mut findings);
        let heading = Heading {
            run_id: run.id.0.clone(),
            name: run.report_name.clone(),
            organization,
            is_demo,
            manifest_name: run.file_name("manifest.json"),
            generated_by: run.user_email.clone(),
            scope: run.scope.clone(),
            asked_at: run.created_at,
            generated_at: now,
        };

        let (request, plan, findings) = (&run.request, &plan, &findings);
        let pdf = typeset(&PdfReport {
            heading: &heading,
            request,
            plan,
            findings,
            checkpoint: &lines(checkpoint),
        })?;

        let full = document::summary(request, plan, findings, SummaryDetail::Full);
        let files = spool.finish(&Heads {
            heading: &heading,
            checkpoint: note,
            summary: &full,
            plan,
            findings,
            pdf: &pdf,
            hashes: &hashes,
        })?;

        let summary = document::summary(request, plan, findings, SummaryDetail::Brief).to_string();
        let progress = RunProgress {
            position: checkpoint.size,
            end: checkpoint.size,
            entries: findings.entries,
        };

        Ok(Done {
            progress,
            files,
            summary,
        })
    }
}
