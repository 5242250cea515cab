//! Findings of a run in progress: written a bounded number of resources at a time, so that a run
//! over a large estate takes no more memory than one over a small estate. A run that stops midway
//! leaves what it wrote; the next one finds it again.

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_estate::{ConnectionId, Resource, ResourceId, ResourceKind};
use reeve_recommend::agent::{Agent, MOST_PASSED_OVER, PassedOver, RunExtent, RunReport};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::judgement::open_facts::OutputKeeper;
use reeve_recommend::recommendation::RecommendationType;

use crate::automatic::policy::AutomaticCandidate;
use crate::finding::earlier_recommendations::Past;
use crate::finding::expiry::{Seen, refuted};
use crate::finding::judged::Judged;
use crate::finding::upsert::{Findings, Upserted};
use crate::run::calibration::{Calibration, ModelService};
use crate::run::evidence::RunEvidence;

/// Resources whose findings are written together. Plans and explanations of a thousand take some 20
/// MiB.
const WRITTEN_TOGETHER: usize = 1_000;

/// Services and stores that findings of runs are kept with.
#[derive(Clone, Copy)]
pub(crate) struct Keeping<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) models: &'a ModelService,
    pub(crate) outputs: &'a [Arc<dyn OutputKeeper>],
    /// `None` keeps no results of checks.
    pub(crate) evidence: Option<&'a dyn EvidenceStore>,
}

/// Findings of a run. Of what was written it holds identifiers and the facts that automatic
/// execution depends on.
pub(crate) struct RunFindings<'a> {
    agent: &'a Agent,
    keeping: Keeping<'a>,
    calibration: Option<Calibration>,
    past: Past,
    evidence: Option<RunEvidence<'a>>,
    /// Judged and not written yet.
    waiting: Vec<Judged>,
    seen: Seen,
    kept: Vec<AutomaticCandidate>,
    skipped: BTreeMap<String, u64>,
}

impl<'a> RunFindings<'a> {
    /// Begins with the confidence model that the agent has now.
    pub(crate) async fn begin(agent: &'a Agent, keeping: Keeping<'a>, extent: RunExtent) -> Self {
        RunFindings {
            agent,
            keeping,
            calibration: keeping.models.calibrator(agent).await,
            past: Past::default(),
            evidence: keeping
                .evidence
                .map(|store| RunEvidence::new(agent, store, &keeping.findings.records)),
            waiting: Vec::new(),
            seen: Seen::new(extent),
            kept: Vec::new(),
            skipped: BTreeMap::new(),
        }
    }

    /// Adds judged resources and writes the findings of all that wait once they are many. The
    /// report counts what was written.
    pub(crate) async fn add(
        &mut self,
        judged: impl IntoIterator<Item = Judged>,
        report: &mut RunReport,
    ) -> Result<(), EngineError> {
        for one in judged {
            self.waiting.push(one);
            if self.waiting.len() >= WRITTEN_TOGETHER {
                self.write(report).await?;
            }
        }
        Ok(())
    }

    /// Notes resources in scope of kinds that the run does not judge.
    pub(crate) fn pass_by<'r>(&mut self, resources: impl Iterator<Item = &'r Resource>) {
        let keys = resources.map(|one| (one.connection.clone(), one.id.clone()));
        self.seen.pass_by(keys);
    }

    /// Notes resources that a run over changes looked for, those that are gone among them: their
    /// findings end unless they are found again.
    pub(crate) fn look_at(&mut self, connection: &ConnectionId, resources: &[ResourceId]) {
        let looked_at = resources.iter().map(|id| (connection.clone(), id.clone()));
        self.seen.look_at(looked_at);
    }

    /// Writes the rest, and ends what the run did not find again. Returns the kept findings, and
    /// the number of resources and findings that led to nothing, by reason.
    pub(crate) async fn finish(
        mut self,
        report: &mut RunReport,
    ) -> Result<(Vec<AutomaticCandidate>, BTreeMap<String, u64>), EngineError> {
        self.write(report).await?;
        self.keeping
            .findings
            .expire_not_found(self.agent, &self.seen)
            .await?;
        if let Some(evidence) = self.evidence.take() {
            evidence.finish(&self.seen).await?;
        }
        Ok((self.kept, self.skipped))
    }

    async fn write(&mut self, report: &mut RunReport) -> Result<(), EngineError> {
        let mut judged = std::mem::take(&mut self.waiting);
        if judged.is_empty() {
            return Ok(());
        }

        let Keeping {
            findings, models, ..
        } = self.keeping;
        self.keep_outputs(&judged).await?;
        if let Some(evidence) = &mut self.evidence {
            evidence.keep(&judged).await?;
        }
        for one in judged
            .iter()
            .filter(|one| one.judgement.proposals.is_empty())
        {
            let Some(reason) = abstained(one) else {
                continue;
            };
            *self.skipped.entry(reason.to_owned()).or_default() += 1;
            pass_over(&mut report.passed_over, reason, &one.resource);
        }

        ModelService::calibrate(self.agent, self.calibration.as_ref(), &mut judged);
        let (found, before) = findings
            .upsert(self.agent, &mut judged, &mut self.past)
            .await?;
        let Upserted { kept, skipped } = found;
        models.note_trust(&kept, &judged).await?;
        report.recommendations += kept.len() as u64;
        self.kept.extend(kept.iter().map(AutomaticCandidate::from));
        skipped
            .into_iter()
            .for_each(|reason| *self.skipped.entry(reason.to_owned()).or_default() += 1);
        self.seen.find(kept.iter().map(|known| &known.id));
        self.seen
            .refuted
            .extend(refuted(self.agent, &judged, before.values()));
        self.seen.judge(
            judged
                .into_iter()
                .map(|one| (one.resource.connection, one.resource.id)),
        );

        Ok(())
    }

    /// Keeps what the judgements tell beside proposals.
    async fn keep_outputs(&self, judged: &[Judged]) -> Result<(), EngineError> {
        let judged_at = self.keeping.findings.records.clock.now();
        let outputs: Vec<_> = judged
            .iter()
            .map(|one| (&one.resource, &one.judgement.outputs))
            .collect();
        for keeper in self.keeping.outputs {
            keeper.keep(&self.agent.id, judged_at, &outputs).await?;
        }
        Ok(())
    }
}

/// Counts a resource without a finding, and names it if few have been named for that reason.
fn pass_over(passed_over: &mut Vec<PassedOver>, reason: &str, resource: &Resource) {
    let at = passed_over
        .iter()
        .position(|one| one.reason == reason)
        .unwrap_or_else(|| {
            passed_over.push(PassedOver {
                reason: reason.to_owned(),
                count: 0,
                resources: Vec::new(),
            });
            passed_over.len() - 1
        });
    let known = &mut passed_over[at];
    known.count += 1;

    // An account is judged with all its machines and has no page of its own.
    if resource.kind != ResourceKind::Account && known.resources.len() < MOST_PASSED_OVER {
        known
            .resources
            .push((resource.id.0.clone(), resource.name.clone()));
    }
}

/// Returns the abstention code to count for a resource. The code of the resize rule is preferred,
/// because it says most.
fn abstained(judged: &Judged) -> Option<&'static str> {
    let all = &judged.judgement.abstentions;
    let telling = all
        .iter()
        .find(|a| a.kind == Some(RecommendationType::RightSize));
    telling.or(all.first()).map(|abstention| abstention.code)
}
