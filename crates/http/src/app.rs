//! State that handlers share: ports, settings, and the counts of attempts and calls.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::http::Method;
use jiff::{SignedDuration, Timestamp};
use reeve_access::{
    AccessStore, Principal, PublicUrl, SavedSearchStore, TokenHash, ValueListStore, Workspace,
    WorkspaceStore,
};
use reeve_alerts::AlertStore;
use reeve_anomalies::budget::BudgetStore;
use reeve_anomalies::charges::SpendingReader;
use reeve_anomalies::threat::ThreatStore;
use reeve_anomalies::{AnomalyService, AnomalyStore};
use reeve_audit::Obstacle;
use reeve_audit::{Entry, FieldCode};
use reeve_controls::LiveCatalogue;
use reeve_dependencies::MapReader;
use reeve_engine::models::Registry;
use reeve_engine::{
    AgentService, DriftService, EmergencyService, ExecutionService, GuardrailService,
    ObjectiveService, RecommendationService, RolloutService, RunService, RunbookService,
    ScopeService, WorkloadService,
};
use reeve_estate::{
    Connection, ConnectionId, DatabaseLoadStore, DescriptionStore, EstateStore, Kinds,
    ObserveError, SampleStore,
};
use reeve_exports::{Carrier, ExportStore};
use reeve_flows::FlowStore;
use reeve_incidents::{IncidentService, IncidentStore};
use reeve_intake::SourceIntake;
use reeve_ledger::AppendError;
use reeve_notify::delivery::Dispatcher;
use reeve_predict::{RuleService, RuleStore};
use reeve_recommend::agent::Agent;
use reeve_recommend::drift::DriftStore;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::judgement::spot::SpotStore;
use reeve_recommend::judgement::workload::WorkloadStore;
use reeve_recommend::models::ModelStore;
use reeve_recommend::objective::ObjectiveStore;
use reeve_recommend::ports::{AgentStore, Clock};
use reeve_reports::ReportStore;
use reeve_retention::RetentionStore;
use reeve_siem::AlertIntake;
use reeve_sources::{BillSource, BillSourceStore, MetricSourceStore};
use reeve_streams::{StreamSender, StreamStore};
use reeve_trail::{Journal, JournalError, Log, Tallies, Trail};
use tokio::sync::Semaphore;

use crate::api_calls::ApiCalls;
use crate::attempts::Attempts;
use crate::backups::Backups;
use crate::body_budget::BodyBudget;
use crate::connection_counts::ConnectionCounts;
use crate::erasures::Erasures;
use crate::error::{Code, FieldProblem, Problem};
use crate::estate_searches::EstateSearches;
use crate::extract::Caller;
use crate::identify::{KnownTokens, TrustedProxies, Watched};
use crate::incident_report::Typesetter;
use crate::lake_catalogue::LakeCatalogue;
use crate::metric_intake::MetricIntake;
use crate::password_workers::PasswordWorkers;
use crate::prices::PriceBook;
use crate::retention::Retention;
use crate::self_checks::SelfChecks;
use crate::streams::Streams;
use crate::verification::{Jobs, Verifier};
use crate::wire::form::enumeration::Name;

/// Refused attempts from one network within this time are one entry, after the first.
const REFUSALS: SignedDuration = SignedDuration::from_mins(1);

/// Reads of a page that asks again and again within this time are one entry, after the first.
const POLLS: SignedDuration = SignedDuration::from_mins(10);

/// Previews of alert rules at once: half of the workers that searches have on a small machine.
const PREVIEWS: usize = 2;

/// Settings of the HTTP face.
#[derive(Debug, Clone)]
pub struct AppSettings {
    /// `true` for the demo.
    pub demo: bool,
    /// `true` if cookies are marked `Secure` (behind TLS).
    pub secure_cookies: bool,
    /// Length of a session, seconds.
    pub session_s: i64,
    pub max_body_bytes: usize,
    /// Most bytes of bodies held in memory at once, over all connections.
    pub bodies_limit_bytes: usize,
    /// Seconds between runs of an agent.
    pub agents_every_s: u64,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// Folder with the files of exports, one folder an export.
    pub exports_dir: PathBuf,
    /// Most bytes of one export.
    pub export_limit_bytes: u64,
    /// Days of metric samples that are kept unless the workspace says otherwise.
    pub samples_days: u32,
    /// Folder with the files of reports, one folder a run.
    pub reports_dir: PathBuf,
    /// Address at which people reach Reeve, where the configuration names one.
    pub public_url: Option<PublicUrl>,
    /// Permissions with which the syncs of an AWS account read.
    pub aws_reads: Vec<&'static str>,
    /// Token with which metrics may be read; API tokens with `audit.verify` may in any case.
    pub metrics_token: Option<TokenHash>,
    /// Longest duration of a query over resources and their configurations.
    pub search_limit: Duration,
}

impl Default for AppSettings {
    fn default() -> Self {
        AppSettings {
            demo: false,
            secure_cookies: false,
            session_s: 12 * 3600,
            max_body_bytes: 32 * 1024 * 1024,
            bodies_limit_bytes: 256 * 1024 * 1024,
            agents_every_s: 900,
            trusted_proxies: TrustedProxies::default(),
            exports_dir: PathBuf::from("exports"),
            export_limit_bytes: reeve_exports::LIMIT_BYTES,
            samples_days: 400,
            reports_dir: PathBuf::from("reports"),
            public_url: None,
            aws_reads: Vec::new(),
            metrics_token: None,
            search_limit: Duration::from_secs(10),
        }
    }
}

impl AppSettings {
    /// Returns the address at which people reach Reeve: the configuration's, else the one that an
    /// administrator has set.
    #[must_use]
    pub fn public_url<'a>(&'a self, workspace: &'a Workspace) -> Option<&'a PublicUrl> {
        self.public_url.as_ref().or(workspace.public_url.as_ref())
    }
}

/// Testing and syncing connections; the server adapts the clouds to it.
#[async_trait]
pub trait Syncer: Send + Sync {
    /// Proves the credentials; the account's identifier.
    async fn test(&self, connection: &Connection) -> Result<String, ObserveError>;
    /// Judges the endpoint that somebody gives a connection; the error says what is wrong with it.
    ///
    /// # Errors
    /// The address may not be reached.
    fn check_endpoint(&self, url: &str) -> Result<(), Obstacle>;
    /// Begins a sync in the background; `false` when one is running already.
    async fn sync(&self, connection: &ConnectionId, by: &str) -> bool;
}

/// Reading buckets with bills.
pub trait BillSyncer: Send + Sync {
    /// Begins to read a bucket in the background; `false` when that is going on already.
    fn sync(&self, source: &BillSource, by: &str) -> bool;
}

/// State that handlers share: the ports, by name, and the counts that the HTTP interface keeps for
/// itself.
///
/// No entry comes out of it without a caller:
///
/// ```compile_fail,E0599
/// fn everybodys(app: &reeve_http::App) -> reeve_ledger::Tail {
///     app.ledger.tail()
/// }
/// ```
pub struct App {
    ports: Ports,
    pub settings: AppSettings,
    /// Limits of queries over resources and their configurations.
    pub(crate) estate_searches: EstateSearches,
    /// Attempts to sign in.
    pub sign_ins: Attempts,
    /// Threads that compute password hashes.
    pub(crate) passwords: PasswordWorkers,
    /// Room for the bodies of requests.
    pub(crate) bodies: BodyBudget,
    pub connections: Arc<ConnectionCounts>,
    /// Previews of alert rules that may run at once.
    pub(crate) previews: Semaphore,
    /// Streams that stay open.
    pub streams: Streams,
    pub verifications: Jobs,
    /// Results of the service's checks of itself.
    pub self_checks: SelfChecks,
    /// Principals of tokens that were used a moment ago.
    pub(crate) tokens: KnownTokens,
    /// Reads that pages repeat.
    polls: Tallies,
    /// Attempts that were refused before anybody was known.
    refusals: Tallies,
    /// Calls of API clients.
    pub(crate) api_calls: ApiCalls,
}

impl Deref for App {
    type Target = Ports;
    fn deref(&self) -> &Ports {
        &self.ports
    }
}

/// The ports an [`App`] is made of.
pub struct Ports {
    /// The log: written, proved, and read only through [`App::trail`].
    pub ledger: Log,
    /// Entries about Reeve's own acts.
    pub journal: Arc<Journal>,
    /// Users, teams, tokens, sessions.
    pub access: Arc<dyn AccessStore>,
    pub verifier: Arc<dyn Verifier>,
    /// Tables of the log for other engines.
    pub lake_catalogue: Arc<dyn LakeCatalogue>,
    /// Backups of the running service.
    pub backups: Arc<dyn Backups>,
    /// Searches that people keep.
    pub saved_searches: Arc<dyn SavedSearchStore>,
    /// Lists of values that queries compare with.
    pub lists: Arc<dyn ValueListStore>,
    /// Retention policies and legal holds.
    pub retention_store: Arc<dyn RetentionStore>,
    /// Retention of the running log.
    pub retention: Arc<dyn Retention>,
    /// Erasures in the running log.
    pub erasures: Arc<dyn Erasures>,
    /// Settings of the workspace.
    pub workspace: Arc<dyn WorkspaceStore>,
    /// Budgets and how they stand.
    pub budgets: Arc<dyn BudgetStore>,
    pub spending: Arc<dyn SpendingReader>,
    /// Alert rules and firings.
    pub alerts: Arc<dyn AlertStore>,
    /// Exports, scheduled exports and destinations.
    pub exports: Arc<dyn ExportStore>,
    /// Carrying files of exports to destinations.
    pub carrier: Arc<dyn Carrier>,
    /// Streams out, with their secrets, states and dead letters.
    pub log_streams: Arc<dyn StreamStore>,
    /// What people ask of receivers of streams.
    pub stream_sender: Arc<dyn StreamSender>,
    /// Reports and their runs.
    pub reports: Arc<dyn ReportStore>,
    pub estate: Arc<dyn EstateStore>,
    /// Configurations, versions and relations of resources.
    pub descriptions: Arc<dyn DescriptionStore>,
    /// Wording of the kinds of resources.
    pub kinds: Arc<Kinds>,
    /// Loads of databases and their statements.
    pub database_loads: Arc<dyn DatabaseLoadStore>,
    /// Network flows and the flow logs that they come from.
    pub flows: Arc<dyn FlowStore>,
    /// Notices about spot capacity, and the queues that they come from.
    pub spots: Arc<dyn SpotStore>,
    /// Objectives of services, and how each stands.
    pub objectives: Arc<dyn ObjectiveStore>,
    /// Measuring objectives.
    pub objective_service: Arc<ObjectiveService>,
    /// Reader of dependency maps.
    pub maps: MapReader,
    pub bill_sources: Arc<dyn BillSourceStore>,
    /// Reading buckets with bills.
    pub bill_syncer: Arc<dyn BillSyncer>,
    /// Imported price files, and the catalogue that they are in force in.
    pub prices: Arc<PriceBook>,
    pub metric_sources: Arc<dyn MetricSourceStore>,
    pub metric_intake: Arc<dyn MetricIntake>,
    pub samples: Arc<dyn SampleStore>,
    pub agent_service: Arc<AgentService>,
    /// Executing, testing and rolling back plans.
    pub execution: Arc<ExecutionService>,
    /// Guardrails, and whether they allow an execution.
    pub guardrails: Arc<GuardrailService>,
    pub recommendations: Arc<RecommendationService>,
    pub rollouts: Arc<RolloutService>,
    /// Events that cannot wait, and standing approvals.
    pub emergencies: Arc<EmergencyService>,
    pub runs: Arc<RunService>,
    /// Names that scopes may have.
    pub scopes: Arc<ScopeService>,
    pub workloads: Arc<WorkloadService>,
    pub workload_store: Arc<dyn WorkloadStore>,
    pub agents: Arc<dyn AgentStore>,
    pub anomalies: Arc<dyn AnomalyStore>,
    pub threats: Arc<dyn ThreatStore>,
    pub anomaly_service: Arc<AnomalyService>,
    pub incidents: Arc<dyn IncidentStore>,
    pub incident_service: Arc<IncidentService>,
    /// Typesetting of reports about incidents.
    pub typesetter: Arc<dyn Typesetter>,
    /// Alerts of other tools.
    pub alert_intake: Arc<AlertIntake>,
    /// Sources of entries.
    pub source_intake: Arc<SourceIntake>,
    /// Models of the agents.
    pub models: Arc<dyn ModelStore>,
    /// Checks and frameworks in force.
    pub checks: Arc<LiveCatalogue>,
    /// Results of checks.
    pub evidence: Arc<dyn EvidenceStore>,
    /// Runbooks with their outcomes and breakers.
    pub runbooks: Arc<RunbookService>,
    /// Baselines and drifts.
    pub drifts: Arc<dyn DriftStore>,
    pub drift_service: Arc<DriftService>,
    pub registry: Arc<Registry>,
    /// Predictive rules, predictions and calendars.
    pub rules: Arc<dyn RuleStore>,
    /// Keeping and evaluating those.
    pub rule_service: Arc<RuleService>,
    /// Telling others: webhooks and notification channels.
    pub dispatcher: Arc<Dispatcher>,
    /// Testing and syncing connections.
    pub syncer: Arc<dyn Syncer>,
    pub clock: Arc<dyn Clock>,
}

impl App {
    /// Puts the ports together.
    #[must_use]
    pub fn new(ports: Ports, settings: AppSettings) -> Self {
        let (access, changes) = Watched::over(ports.access);
        App {
            ports: Ports { access, ..ports },
            estate_searches: EstateSearches::new(settings.search_limit),
            bodies: BodyBudget::new(settings.bodies_limit_bytes),
            passwords: PasswordWorkers::default(),
            connections: Arc::default(),
            previews: Semaphore::new(PREVIEWS),
            settings,
            sign_ins: Attempts::default(),
            streams: Streams::default(),
            verifications: Jobs::default(),
            self_checks: SelfChecks::default(),
            tokens: KnownTokens::new(changes),
            refusals: Tallies::new("attempts", REFUSALS),
            polls: Tallies::new("reads", POLLS),
            api_calls: ApiCalls::default(),
        }
    }

    /// The entries of the log that a principal may see.
    #[must_use]
    pub fn trail(&self, principal: &Principal) -> Trail {
        self.ledger.trail_of(principal)
    }

    /// Returns the present time, in whole milliseconds.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.journal.now()
    }

    /// Returns the time of an agent's next full run.
    #[must_use]
    pub fn next_run(&self, agent: &Agent) -> Option<Timestamp> {
        let every = i64::try_from(self.settings.agents_every_s).unwrap_or(i64::MAX);
        self.runs
            .next_run(agent, SignedDuration::from_secs(every))
            .map(|next| next.max(self.now()))
    }

    /// Records a change before it is made. A change that cannot be recorded is not made.
    ///
    /// # Errors
    /// A problem that says why the log did not take it.
    pub async fn record(&self, entry: Entry) -> Result<(), Problem> {
        self.journal
            .record(entry)
            .await
            .map_err(|error| match error {
                JournalError::Unsound(errors) => Problem::internal(errors),
                JournalError::Append(error) => append_problem(&error),
                JournalError::Read(error) => Problem::internal(error),
            })
    }

    /// Records that the log was read. While the log cannot be written the record waits in bounded
    /// memory; once that is full, reading is refused.
    ///
    /// # Errors
    /// A problem once neither the log nor the memory has room.
    pub async fn record_reading(&self, entry: Entry) -> Result<(), Problem> {
        self.journal
            .record_or_keep(entry)
            .await
            .map_err(|error| append_problem(&error))
    }

    /// Records a read that pages repeat by themselves: the first at once, further ones of the same
    /// caller and content with their number.
    ///
    /// # Errors
    /// As [`App::record_reading`].
    pub(crate) async fn record_poll(&self, caller: &Caller, entry: Entry) -> Result<(), Problem> {
        let content = entry
            .metadata
            .extra
            .get("request")
            .map(ToString::to_string)
            .unwrap_or_default();

        let operation = entry.action.operation.as_deref().unwrap_or_default();
        let kind = format!("{} {operation} {content}", caller.principal.user.0);
        match self.polls.note(kind, entry, self.now()) {
            Some(entry) => self.record_reading(entry).await,
            None => Ok(()),
        }
    }

    /// Records that somebody was refused.
    pub async fn denied(&self, caller: &Caller, method: &Method, path: &str, needed: &str) {
        let entry = crate::log_entry::denied(caller, method.as_str(), path, needed);
        if let Err(problem) = self.record_reading(entry).await {
            tracing::warn!(status = %problem.status(), "a refusal was not recorded");
        }
    }

    /// Records an attempt that was refused before anybody was known, at most twice a window and
    /// network however many there are.
    pub(crate) async fn refused(&self, kind: String, entry: Entry) {
        if let Some(entry) = self.refusals.note(kind, entry, self.now()) {
            self.journal.record_outcome(entry).await;
        }
    }

    /// Records what was counted in windows that are over, or in every window when the service
    /// stops.
    pub async fn record_tallies(&self, every: bool) {
        let now = self.now();
        let mut entries = self.api_calls.ended(now, every);

        for tallies in [&self.refusals, &self.polls] {
            entries.extend(if every {
                tallies.all()
            } else {
                tallies.ended(now)
            });
        }

        for entry in entries {
            self.journal.record_outcome(entry).await;
        }

        self.journal.record_failures(every).await;
    }
}

/// Returns the problem that the caller reads when the log did not take an entry.
#[must_use]
pub fn append_problem(error: &AppendError) -> Problem {
    match error {
        AppendError::Busy { retry_after_s } => Problem::new(
            Code::TooManyRequests,
            "The log's queue is full; nothing was written. Send the batch again later.",
        )
        .retry_after(*retry_after_s),
        AppendError::TooLarge { .. } => Problem::new(Code::BodyTooLarge, format!("Nothing was written: {error}.")),
        AppendError::Conflict { index, event_id } => Problem::new(
            Code::EventIdConflict,
            format!(
                "Entry {index}: event_id {event_id} is already in the log with other content; nothing was written."
            ),
        )
        .with_errors(vec![FieldProblem {
            field: "event_id".to_owned(),
            code: Name(FieldCode::EventIdConflict),
            message: "is taken by another entry".to_owned(),
            index: Some(*index as u64),
        }]),
        AppendError::Storage { full_disk: true, .. } => Problem::new(
            Code::DiskFull,
            "The disk of the log is full; nothing was written. Free some space and send the batch again.",
        ),
        AppendError::Storage { message, .. } => {
            tracing::error!(%message, "the log could not be written");
            Problem::new(
                Code::LedgerUnavailable,
                "The log cannot be written right now; nothing was written. The service's log has the cause.",
            )
        }
        AppendError::Fenced(fenced) => {
            tracing::error!(reason = fenced.reason, "nothing is written");
            Problem::new(
                Code::NoActiveServer,
                "This server may have been replaced by another one; nothing was written. Send it again.",
            )
            .retry_after(2)
        }
        AppendError::Closed => {
            Problem::new(Code::LedgerUnavailable, "The service is stopping; nothing was written.").retry_after(5)
        }
    }
}
