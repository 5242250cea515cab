//! Services that background tasks run on: the ports of their records, and what works on them. No
//! task knows the HTTP interface.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_access::{AccessStore, ValueListStore, WorkspaceStore};
use reeve_alerts::AlertStore;
use reeve_anomalies::budget::BudgetStore;
use reeve_anomalies::threat::ThreatStore;
use reeve_anomalies::{AnomalyService, AnomalyStore};
use reeve_controls::LiveCatalogue;
use reeve_engine::models::Registry;
use reeve_engine::{ModelService, RunService, Scheduler};
use reeve_estate::{EstateStore, SampleStore};
use reeve_exports::{Carrier, ExportStore};
use reeve_incidents::IncidentService;
use reeve_intake::SourceIntake;
use reeve_notify::delivery::Dispatcher;
use reeve_notify::sources::Sources;
use reeve_predict::RuleService;
use reeve_recommend::agent::Agent;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::models::ModelStore;
use reeve_recommend::ports::AgentStore;
use reeve_reports::{ConfigurationReader, ReportStore};
use reeve_siem::AlertIntake;
use reeve_sources::MetricSourceStore;
use reeve_streams::StreamStore;
use reeve_trail::{Journal, Log};

use crate::adapters::bills::Bills;
use crate::adapters::streams::StreamReceivers;

/// Settings of background tasks.
#[derive(Debug, Clone)]
pub(crate) struct TaskSettings {
    /// Time between two runs of an agent without a schedule.
    pub(crate) agents_every: SignedDuration,
    /// Runs of agents that go side by side.
    pub(crate) agents_at_once: usize,
    /// Folder with the files of exports, one folder an export.
    pub(crate) exports_dir: PathBuf,
    /// Bytes of one export at most.
    pub(crate) export_limit_bytes: u64,
    /// Folder with the files of reports, one folder a run.
    pub(crate) reports_dir: PathBuf,
    /// Set where the clouds are simulated for a demonstration.
    pub(crate) is_demo: bool,
    /// Days of metric samples that are kept unless the workspace says otherwise.
    pub(crate) samples_days: u32,
}

/// Services of the background tasks.
pub(crate) struct TaskContext {
    pub(crate) settings: TaskSettings,
    /// Entries about what tasks do, and the time.
    pub(crate) journal: Arc<Journal>,
    /// The log, written and read with the rights of those who requested something.
    pub(crate) log: Log,
    pub(crate) access: Arc<dyn AccessStore>,
    pub(crate) agents: Arc<dyn AgentStore>,
    pub(crate) alerts: Arc<dyn AlertStore>,
    pub(crate) anomalies: Arc<dyn AnomalyStore>,
    /// Bills, as agents read them.
    pub(crate) bills: Arc<Bills>,
    pub(crate) budgets: Arc<dyn BudgetStore>,
    /// Checks and frameworks in force.
    pub(crate) checks: Arc<LiveCatalogue>,
    /// Results of checks, as reports read them.
    pub(crate) configurations: Arc<dyn ConfigurationReader>,
    pub(crate) estate: Arc<dyn EstateStore>,
    /// Judgements of exposure and privileges.
    pub(crate) evidence: Arc<dyn EvidenceStore>,
    pub(crate) exports: Arc<dyn ExportStore>,
    /// Lists of values that queries compare with.
    pub(crate) lists: Arc<dyn ValueListStore>,
    pub(crate) metric_sources: Arc<dyn MetricSourceStore>,
    pub(crate) models: Arc<dyn ModelStore>,
    pub(crate) reports: Arc<dyn ReportStore>,
    pub(crate) samples: Arc<dyn SampleStore>,
    /// Streams out.
    pub(crate) streams: Arc<dyn StreamStore>,
    /// Receivers of streams.
    pub(crate) stream_receivers: Arc<StreamReceivers>,
    pub(crate) threats: Arc<dyn ThreatStore>,
    pub(crate) workspace: Arc<dyn WorkspaceStore>,
    pub(crate) carrier: Arc<dyn Carrier>,
    pub(crate) anomaly_service: Arc<AnomalyService>,
    pub(crate) incident_service: Arc<IncidentService>,
    /// Alerts of other tools.
    pub(crate) alert_intake: Arc<AlertIntake>,
    /// Sources of entries.
    pub(crate) source_intake: Arc<SourceIntake>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) model_service: Arc<ModelService>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) runs: Arc<RunService>,
    /// Work that waits for a time.
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) rule_service: Arc<RuleService>,
    /// Records of what others are told.
    pub(crate) sources: Sources,
}

impl TaskContext {
    /// Returns the present time, in whole milliseconds.
    pub(crate) fn now(&self) -> Timestamp {
        self.journal.now()
    }

    /// Returns the time of an agent's next full run; not before now.
    pub(crate) fn next_run(&self, agent: &Agent) -> Option<Timestamp> {
        self.runs
            .next_run(agent, self.settings.agents_every)
            .map(|next| next.max(self.now()))
    }
}
