//! A run of an agent: load what it judges, judge each resource, keep the findings, apply what it
//! may.
//!
//! A full run judges the whole scope (`run/full.rs`). Agents whose judgements depend on
//! configurations alone also have runs over changes (`run/changes.rs`).

pub(crate) mod caches;
pub(crate) mod calibration;
mod changes;
pub(crate) mod corrections;
pub(crate) mod descriptions;
mod entry;
mod estate;
pub(crate) mod evidence;
pub(crate) mod findings;
pub(crate) mod fleets;
pub(crate) mod flows;
mod full;
pub(crate) mod judging;
pub(crate) mod load_history;
pub(crate) mod log_facts;
pub(crate) mod machines;
mod neighbourhood;
pub(crate) mod objectives;
pub(crate) mod regions;
pub(crate) mod service_loads;
pub(crate) mod spot_markets;
pub(crate) mod spots;
pub(crate) mod targets;
pub(crate) mod workloads;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::{ActionStatus as LogStatus, Json};
use reeve_estate::{DescriptionStore, PriceCatalogue, SampleStore, StoreError};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::{Agent, AgentId, Cadence, RunExtent, RunReport};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::judgement::open_facts::{FactSource, OutputKeeper};
use reeve_recommend::ports::ChargeReader;

use crate::agent::scope::ScopeService;
use crate::automatic::AutomaticExecution;
use crate::finding::judged::Judged;
use crate::finding::upsert::Findings;
use crate::records::{Records, fresh_id};
use crate::run::calibration::ModelService;
use crate::run::changes::Changed;
use crate::run::entry::run_entry;
use crate::run::findings::{Keeping, RunFindings};

/// Resources whose series are loaded and judged at a time: 30 days of ten metrics are 1.4 MB a
/// resource.
const CHUNK: usize = 64;

/// Resources that a run judges.
enum Work {
    /// The whole scope.
    Full,
    /// Resources that changed, and those that depend on them.
    Changes(Changed),
}

/// Takes the agent out of the running ones when the run ends, however it ends.
struct Running<'a>(&'a RunService, AgentId);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.lock().remove(&self.1);
    }
}

/// Ports of the [`RunService`]: what judgements are made of.
pub struct RunPorts {
    pub samples: Arc<dyn SampleStore>,
    pub catalogue: Arc<PriceCatalogue>,
    /// Agent types that this service runs.
    pub agent_types: AgentTypes,
    /// Changes that plans name.
    pub changes: ChangeRegistry,
    pub charges: Arc<dyn ChargeReader>,
    /// Configurations and relations; `None` gives judgements none.
    pub descriptions: Option<Arc<dyn DescriptionStore>>,
    /// Sources of open facts.
    pub fact_sources: Vec<Arc<dyn FactSource>>,
    /// Keepers of what judgements tell beside proposals, one for each type of output.
    pub output_keepers: Vec<Arc<dyn OutputKeeper>>,
    /// Results of checks; `None` keeps none.
    pub evidence: Option<Arc<dyn EvidenceStore>>,
}

/// Runs agents over their scopes.
pub struct RunService {
    records: Arc<Records>,
    scopes: Arc<ScopeService>,
    models: Arc<ModelService>,
    findings: Arc<Findings>,
    automatic: Arc<AutomaticExecution>,
    ports: RunPorts,
    /// Agents whose run is under way.
    running: Mutex<BTreeSet<AgentId>>,
}

impl RunService {
    /// Creates the service over the services that a run uses, and its ports.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        models: Arc<ModelService>,
        findings: Arc<Findings>,
        automatic: Arc<AutomaticExecution>,
        ports: RunPorts,
    ) -> Self {
        RunService {
            records,
            scopes,
            models,
            findings,
            automatic,
            ports,
            running: Mutex::new(BTreeSet::new()),
        }
    }

    /// Runs an agent once over its scope and waits for the findings; what it applies continues in
    /// the background.
    ///
    /// # Errors
    /// A conflict while a run of the agent is under way; the store's and the log's failures.
    pub async fn agent_run(&self, id: &AgentId, caller: &Caller) -> Result<RunReport, EngineError> {
        let (agent, _running) = self.begin(id).await?;
        self.run_recorded(&agent, Work::Full, caller).await
    }

    /// Runs an agent over what changed since its last run, as agents of its type do after a sync.
    /// `None` if nothing changed, the type has no such runs, or a full run is due before.
    ///
    /// It becomes a full run where too much changed, or where kinds were read completely that were
    /// not before, provided that the last full run is at least `full_apart` ago.
    ///
    /// # Errors
    /// A conflict while a run of the agent is under way; the store's and the log's failures.
    pub async fn agent_run_over_changes(
        &self,
        id: &AgentId,
        full_apart: SignedDuration,
        caller: &Caller,
    ) -> Result<Option<RunReport>, EngineError> {
        let (agent, _running) = self.begin(id).await?;
        let Some(work) = self.work_after_sync(&agent, full_apart).await? else {
            return Ok(None);
        };
        self.run_recorded(&agent, work, caller).await.map(Some)
    }

    /// Marks an agent as running.
    async fn begin(&self, id: &AgentId) -> Result<(Agent, Running<'_>), EngineError> {
        if !self.running.lock().insert(id.clone()) {
            return Err(EngineError::Conflict(
                "a run of this agent is in progress".to_owned(),
            ));
        }
        let running = Running(self, id.clone());
        Ok((self.records.agents.agent_get(id).await?, running))
    }

    /// Runs an agent between two entries, and keeps the report.
    async fn run_recorded(
        &self,
        agent: &Agent,
        work: Work,
        caller: &Caller,
    ) -> Result<RunReport, EngineError> {
        let extent = match work {
            Work::Full => RunExtent::Full,
            Work::Changes(_) => RunExtent::Changes,
        };
        let last = agent.last_run.as_ref();
        let mut report = RunReport {
            complete_since: last.and_then(|run| run.complete_since),
            position: agent.position().cloned(),
            ..RunReport::begun(fresh_id(), extent, self.records.clock.now())
        };

        self.records
            .record(vec![run_entry(
                agent,
                &report,
                Vec::new(),
                LogStatus::Pending,
                caller,
            )])
            .await?;
        let mut recorded = Vec::new();
        let outcome = self.run_over(agent, work, &mut report, &mut recorded).await;
        report.finished_at = self.records.clock.now();
        report.error = outcome.as_ref().err().map(ToString::to_string);
        let status = if outcome.is_ok() {
            LogStatus::Success
        } else {
            LogStatus::Failed
        };

        self.records
            .record(vec![run_entry(agent, &report, recorded, status, caller)])
            .await?;
        self.keep_report(&agent.id, &report).await?;
        outcome.map(|()| report)
    }

    async fn run_over(
        &self,
        agent: &Agent,
        work: Work,
        report: &mut RunReport,
        recorded: &mut Vec<(&'static str, Json)>,
    ) -> Result<(), EngineError> {
        let keeping = Keeping {
            findings: &self.findings,
            models: &self.models,
            outputs: &self.ports.output_keepers,
            evidence: self.ports.evidence.as_deref(),
        };
        let mut found = RunFindings::begin(agent, keeping, report.extent).await;

        // Before anything is read: what changes meanwhile is judged by the next run over changes.
        let position = match &work {
            Work::Full => self.position(agent).await?,
            Work::Changes(changed) => Some(changed.position.clone()),
        };
        match (self.ports.agent_types.judging(agent.agent_type), &work) {
            (Some(definition), Work::Full) => {
                *recorded = self
                    .judge_scope(agent, definition, report, &mut found)
                    .await?;
            }
            (Some(definition), Work::Changes(changed)) => {
                self.judge_changes(agent, definition, changed, report, &mut found)
                    .await?;
            }
            (None, _) => {
                let (scope, _) = self.scopes.scope_of(agent).await?;
                report.resources_seen = scope.len() as u64;
                report.days_observed = self.scopes.days_observed(agent).await?;
                let judged = scope
                    .into_iter()
                    .map(|resource| Judged::new(resource, Judgement::default()));
                found.add(judged, report).await?;
            }
        }

        let (kept, mut skipped) = found.finish(report).await?;
        self.automatic
            .apply_what_it_may(agent, kept, report, &mut skipped)
            .await?;
        report.skipped = skipped.into_iter().collect();
        report.position = position;

        Ok(())
    }

    /// Keeps the report with the agent, whatever was configured in between.
    async fn keep_report(&self, id: &AgentId, report: &RunReport) -> Result<(), EngineError> {
        for _ in 0..5 {
            let agent = self.records.agents.agent_get(id).await?;
            let version = agent.version + 1;
            let next = match report.extent {
                RunExtent::Full => Agent {
                    last_run: Some(report.clone()),
                    last_change_run: None,
                    version,
                    ..agent
                },
                RunExtent::Changes => Agent {
                    last_change_run: Some(report.clone()),
                    version,
                    ..agent
                },
            };
            match self.records.agents.agent_update(&next).await {
                Err(StoreError::Conflict(_)) => {}
                other => return Ok(other?),
            }
        }
        Err(EngineError::Conflict(
            "another user is changing the agent".to_owned(),
        ))
    }
}

impl RunService {
    /// Returns `true` while a run of the agent is in progress.
    #[must_use]
    pub fn is_running(&self, agent: &AgentId) -> bool {
        self.running.lock().contains(agent)
    }

    /// Returns the time of an agent's next full run; `interval` is the time between two runs of an
    /// agent without a schedule.
    #[must_use]
    pub fn next_run(&self, agent: &Agent, interval: SignedDuration) -> Option<Timestamp> {
        self.ports.agent_types.next_run(agent, interval)
    }

    /// Returns `true` if the agent runs over changes after a sync.
    #[must_use]
    pub fn follows_syncs(&self, agent: &Agent) -> bool {
        self.ports.agent_types.cadence(agent) == Cadence::Changes
    }
}
