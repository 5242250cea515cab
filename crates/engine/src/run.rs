//! A run of an agent: load its scope, judge every resource, keep the findings, apply what it may.

pub(crate) mod calibration;
pub(crate) mod commitments;
pub(crate) mod descriptions;
pub(crate) mod evidence;
pub(crate) mod findings;
pub(crate) mod fleets;
pub(crate) mod load_history;
pub(crate) mod workloads;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::{ActionStatus as LogStatus, Entry, Json, ResourceRef};
use reeve_estate::charge::resource_key;
use reeve_estate::{
    Catalogue, Charge, ConnectionId, DescriptionStore, Document, Resource, ResourceId,
    ResourceKind, SampleStore, Series,
};
use reeve_recommend::agent::contract::{AgentDefinition, AgentTypes, Needs};
use reeve_recommend::agent::settings::Settings;
use reeve_recommend::agent::{Agent, AgentId, RunReport};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::Changes;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::judgement::portfolio::{Portfolio, Portfolios};
use reeve_recommend::judgement::workload::{Correction, WorkloadStore};
use reeve_recommend::judgement::{Facts, Fleet, Judgement, RelationIndex};
use reeve_recommend::models::LearnedModels;
use reeve_recommend::ports::{ChargeReader, LogReader};

use crate::agent::scope::{ScopeService, days_since, days_spanned};
use crate::automatic::AutomaticExecution;
use crate::finding::judged::Judged;
use crate::finding::upsert::Findings;
use crate::log_entry;
use crate::records::{Records, fresh_id};
use crate::run::calibration::ModelService;
use crate::run::commitments::Accounts;
use crate::run::findings::{Keeping, RunFindings};
use crate::run::fleets::Members;
use crate::run::load_history::{Key, key, own_changes};

/// Resources whose series are loaded and judged at a time: 30 days of ten metrics are 1.4 MB a
/// resource.
const CHUNK: usize = 64;

/// A resource with what it is judged by.
struct Case {
    resource: Resource,
    series: Vec<Series>,
    maxima: Vec<Series>,
    charges: Vec<Charge>,
    activity: Option<Activity>,
    document: Option<Document>,
    volumes: Vec<Resource>,
    fleet: Option<Fleet>,
    attachment_changed_at: Option<Timestamp>,
    unchanged_since: Option<Timestamp>,
    correction: Option<Correction>,
}

/// Inputs of a run's judgements.
struct Judging {
    definition: Arc<dyn AgentDefinition>,
    needs: Needs,
    settings: Settings,
    limits: Guardrails,
    /// Volumes by the machine they are attached to.
    volumes: HashMap<Key, Vec<Resource>>,
    /// Members of scaling groups.
    members: Members,
    /// Time at which Reeve last gave each resource another load.
    changed: HashMap<Key, Timestamp>,
    models: Arc<LearnedModels>,
    relations: Arc<RelationIndex>,
    /// Classes that people gave resources.
    corrections: HashMap<Key, Correction>,
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
    pub catalogue: Arc<Catalogue>,
    /// Agent types that this service runs.
    pub agent_types: AgentTypes,
    /// Changes that plans name.
    pub changes: Changes,
    pub charges: Arc<dyn ChargeReader>,
    /// The audit log, for the use of resources.
    pub log: Arc<dyn LogReader>,
    /// Configurations and relations; `None` gives judgements none.
    pub descriptions: Option<Arc<dyn DescriptionStore>>,
    /// Workloads and their corrections; `None` keeps no workloads.
    pub workloads: Option<Arc<dyn WorkloadStore>>,
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
        let agent = self.records.agents.agent_get(id).await?;
        if !self.running.lock().insert(id.clone()) {
            return Err(EngineError::Conflict(
                "a run of this agent is in progress".to_owned(),
            ));
        }

        let _running = Running(self, id.clone());
        let started_at = self.records.clock.now();
        let mut report = RunReport {
            run_id: fresh_id(),
            started_at,
            finished_at: started_at,
            resources_seen: 0,
            days_observed: 0,
            complete_since: agent.last_run.as_ref().and_then(|run| run.complete_since),
            recommendations: 0,
            applied: 0,
            skipped: Vec::new(),
            passed_over: Vec::new(),
            portfolios: Vec::new(),
            error: None,
        };

        self.records
            .record(vec![run_entry(&agent, &report, LogStatus::Pending, caller)])
            .await?;
        let outcome = self.run_over(&agent, &mut report).await;
        report.finished_at = self.records.clock.now();
        report.error = outcome.as_ref().err().map(ToString::to_string);
        let status = if outcome.is_ok() {
            LogStatus::Success
        } else {
            LogStatus::Failed
        };

        self.records
            .record(vec![run_entry(&agent, &report, status, caller)])
            .await?;
        self.keep_report(id, &report).await?;
        outcome.map(|()| report)
    }

    async fn run_over(&self, agent: &Agent, report: &mut RunReport) -> Result<(), EngineError> {
        let keeping = Keeping {
            findings: &self.findings,
            models: &self.models,
            workloads: self.ports.workloads.as_deref(),
            evidence: self.ports.evidence.as_deref(),
        };
        let mut found = RunFindings::begin(agent, keeping).await;

        match self.ports.agent_types.judging(agent.agent_type) {
            Some(definition) => {
                self.judge_scope(agent, definition, report, &mut found)
                    .await?
            }
            None => {
                let (scope, _) = self.scopes.scope_of(agent).await?;
                report.resources_seen = scope.len() as u64;
                report.days_observed = self.scopes.days_observed(agent).await?;
                let judged = scope.into_iter().map(|resource| Judged {
                    resource,
                    judgement: Judgement::default(),
                });
                found.add(judged, report).await?;
            }
        }

        let (kept, mut skipped) = found.finish(report).await?;
        self.automatic
            .apply_what_it_may(agent, kept, report, &mut skipped)
            .await?;
        report.skipped = skipped.into_iter().collect();

        Ok(())
    }

    /// Judges the resources of an agent's scope, a chunk at a time, and the commitments of their
    /// accounts in the end.
    async fn judge_scope(
        &self,
        agent: &Agent,
        definition: &Arc<dyn AgentDefinition>,
        report: &mut RunReport,
        found: &mut RunFindings<'_>,
    ) -> Result<(), EngineError> {
        let (scope, volumes) = self.scopes.scope_of(agent).await?;
        report.resources_seen = scope.len() as u64;
        let needs = definition.needs(&agent.settings);
        let judging = Judging {
            definition: Arc::clone(definition),
            models: Arc::new(self.models.learned(agent, &needs.models).await),
            settings: agent.settings.clone(),
            limits: self.records.agents.guardrails_get().await?,
            members: Members::load(&self.scopes, &needs, &scope).await?,
            volumes,
            changed: own_changes(&self.records, &self.ports.changes, needs.history_days).await?,
            relations: Arc::new(self.relations(&needs).await?),
            corrections: self.corrections().await?,
            needs,
        };

        let (mut portfolios, mut accounts) = (Portfolios::default(), Accounts::default());
        let mut scope = scope
            .into_iter()
            .filter(|r| judging.needs.kinds.is_empty() || judging.needs.kinds.contains(&r.kind))
            .peekable();

        while let Some(first) = scope.next() {
            let connection = first.connection.clone();
            let mut chunk = vec![first];
            while let Some(next) =
                scope.next_if(|next| chunk.len() < CHUNK && next.connection == connection)
            {
                chunk.push(next);
            }
            chunk.iter().for_each(|resource| accounts.add(resource));
            let (mut judged, days) = self.judge_chunk(&judging, &connection, chunk).await?;
            let uses = judged
                .iter_mut()
                .filter_map(|one: &mut Judged| one.judgement.hourly_use.take());
            uses.for_each(|machine| portfolios.add(machine));
            report.days_observed = report.days_observed.max(days);
            found.add(judged, report).await?;
        }

        if judging.needs.metrics.is_empty() {
            let since = *report.complete_since.get_or_insert(report.started_at);
            report.days_observed = days_since(since, report.started_at);
        }

        let simulated = portfolios.simulate();
        let limits = self.records.agents.guardrails_get().await?;
        found
            .add(
                commitments::judge(definition.as_ref(), accounts, &simulated, agent, &limits),
                report,
            )
            .await?;

        report.portfolios = simulated
            .into_iter()
            .map(|account| account.portfolio)
            .collect();
        Ok(())
    }

    /// Judges resources of one connection.
    async fn judge_chunk(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: Vec<Resource>,
    ) -> Result<(Vec<Judged>, u32), EngineError> {
        let now = self.records.clock.now();
        let start = now - SignedDuration::from_hours(24 * judging.needs.history_days);
        let ids: Vec<ResourceId> = chunk.iter().map(|resource| resource.id.clone()).collect();
        let series = self
            .ports
            .samples
            .sample_series(connection, &ids, &judging.needs.metrics, start, now)
            .await?;

        let days = series
            .iter()
            .map(|s| days_spanned(s, now))
            .max()
            .unwrap_or(0);

        let machines = self
            .machine_series(judging, connection, &chunk, (start, now))
            .await?;
        let mut by_resource = by_resource(series);
        let mut maxima = self
            .maxima(judging, connection, &chunk, (start, now))
            .await?;
        let charges = self.charges(judging.needs.charge_days, &ids, now).await?;
        let activity = self
            .activity(judging.needs.activity_days, &ids, now)
            .await?;
        let mut documents = self.documents(&judging.needs, &chunk).await?;
        let seen = self.scopes.seen_changes(connection, &chunk, start).await?;
        let mut fleets = self.fleets(judging, &chunk, (start, now)).await?;
        let work: Vec<Case> = chunk
            .into_iter()
            .map(|resource| Case {
                series: with_machine(
                    by_resource.remove(&resource.id).unwrap_or_default(),
                    &resource,
                    &machines,
                ),
                maxima: maxima.remove(&resource.id).unwrap_or_default(),
                charges: charges
                    .get(&resource_key(resource.id.as_str()))
                    .cloned()
                    .unwrap_or_default(),
                activity: activity.get(&resource.id).cloned(),
                document: documents.remove(&key(&resource)),
                volumes: volumes_beside(judging, &resource),
                fleet: fleets.remove(&resource.id),
                attachment_changed_at: seen.attachments.get(&resource.id).copied(),
                unchanged_since: seen
                    .loads
                    .get(&resource.id)
                    .max(judging.changed.get(&key(&resource)))
                    .copied(),
                correction: judging.corrections.get(&key(&resource)).cloned(),
                resource,
            })
            .collect();

        let (definition, settings) = (Arc::clone(&judging.definition), judging.settings.clone());
        let (catalogue, guardrails) = (Arc::clone(&self.ports.catalogue), judging.limits.clone());
        let (models, relations) = (Arc::clone(&judging.models), Arc::clone(&judging.relations));
        let judged = tokio::task::spawn_blocking(move || {
            work.into_iter()
                .map(|case| {
                    let judgement = definition.judge(&Facts {
                        resource: &case.resource,
                        series: &case.series,
                        maxima: &case.maxima,
                        charges: &case.charges,
                        activity: case.activity.as_ref(),
                        document: case.document.as_ref(),
                        relations: &relations,
                        volumes: &case.volumes,
                        fleet: case.fleet.as_ref(),
                        catalogue: &catalogue,
                        settings: &settings,
                        guardrails: &guardrails,
                        correction: case.correction.as_ref(),
                        models: &models,
                        attachment_changed_at: case.attachment_changed_at,
                        unchanged_since: case.unchanged_since,
                        now,
                    });
                    Judged::new(case.resource, judgement)
                })
                .collect::<Vec<_>>()
        });

        let judged = judged
            .await
            .map_err(|error| EngineError::Store(format!("judging stopped: {error}")))?;
        Ok((judged, days))
    }

    /// Charges of the resources, by the key that bills and the inventory have in common. What
    /// cannot be read ends the run, because a judgement would take it for a resource that costs
    /// nothing.
    async fn charges(
        &self,
        days: i64,
        ids: &[ResourceId],
        now: Timestamp,
    ) -> Result<HashMap<String, Vec<Charge>>, EngineError> {
        let mut found: HashMap<String, Vec<Charge>> = HashMap::new();
        if days > 0 {
            let start = now - SignedDuration::from_hours(24 * days);
            for charge in self.ports.charges.charges(ids, start, now).await? {
                let Some(resource) = charge.resource.as_deref().map(resource_key) else {
                    continue;
                };
                found.entry(resource).or_default().push(charge);
            }
        }

        Ok(found)
    }

    /// Activity of the resources. A log that cannot be read ends the run, because a judgement would
    /// take the resources for unused.
    async fn activity(
        &self,
        days: i64,
        ids: &[ResourceId],
        now: Timestamp,
    ) -> Result<HashMap<ResourceId, Activity>, EngineError> {
        let mut found = HashMap::new();
        if days > 0 {
            for id in ids {
                let read = Activity::read(self.ports.log.as_ref(), id, days, now).await;
                found.insert(
                    id.clone(),
                    read.map_err(|error| EngineError::Store(error.to_string()))?,
                );
            }
        }

        Ok(found)
    }

    /// Series of the machines that the volumes among the resources are attached to, where the agent
    /// type needs them.
    async fn machine_series(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: &[Resource],
        (start, now): (Timestamp, Timestamp),
    ) -> Result<HashMap<ResourceId, Vec<Series>>, EngineError> {
        let metrics = &judging.needs.machine_metrics;
        let volumes = chunk
            .iter()
            .filter(|resource| resource.kind == ResourceKind::Volume && !metrics.is_empty());
        let machines: BTreeSet<ResourceId> = volumes
            .flat_map(|volume| volume.attached_to.first().cloned())
            .collect();
        if machines.is_empty() {
            return Ok(HashMap::new());
        }

        let ids: Vec<ResourceId> = machines.into_iter().collect();
        Ok(by_resource(
            self.ports
                .samples
                .sample_series(connection, &ids, metrics, start, now)
                .await?,
        ))
    }

    /// Daily maxima of resources before the history of their series, by resource. Kinds without the
    /// metrics, such as volumes, are not asked for: a file of each day of a year would be read.
    async fn maxima(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: &[Resource],
        (until, now): (Timestamp, Timestamp),
    ) -> Result<HashMap<ResourceId, Vec<Series>>, EngineError> {
        let (metrics, days) = (&judging.needs.maxima, judging.needs.maxima_days);
        let has_them = |kind: ResourceKind| kind.metrics().iter().any(|own| metrics.contains(own));
        let ids: Vec<ResourceId> = chunk
            .iter()
            .filter(|resource| has_them(resource.kind))
            .map(|resource| resource.id.clone())
            .collect();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }

        let from = now - SignedDuration::from_hours(24 * days);
        let samples = &self.ports.samples;
        let found = samples.sample_maxima(connection, &ids, metrics, from, until);
        Ok(by_resource(found.await?))
    }

    /// Members of the groups among the resources, where the agent type needs them.
    async fn fleets(
        &self,
        judging: &Judging,
        chunk: &[Resource],
        time: (Timestamp, Timestamp),
    ) -> Result<HashMap<ResourceId, Fleet>, EngineError> {
        let mut found = HashMap::new();
        for group in chunk
            .iter()
            .filter(|resource| resource.kind == ResourceKind::ScalingGroup)
        {
            let samples = self.ports.samples.as_ref();
            let fleet = judging
                .members
                .fleet(group, samples, &judging.needs.metrics, time)
                .await?;
            found.extend(fleet.map(|fleet| (group.id.clone(), fleet)));
        }

        Ok(found)
    }

    /// Configurations of the resources, where the agent type needs them.
    async fn documents(
        &self,
        needs: &Needs,
        chunk: &[Resource],
    ) -> Result<HashMap<Key, Document>, EngineError> {
        let described: Vec<Resource> = chunk
            .iter()
            .filter(|resource| needs.documents.contains(&resource.kind))
            .cloned()
            .collect();

        match self
            .ports
            .descriptions
            .as_ref()
            .filter(|_| !described.is_empty())
        {
            Some(store) => descriptions::documents(&**store, &described).await,
            None => Ok(HashMap::new()),
        }
    }

    /// Relations of the resources of some kinds, across the estate.
    async fn relations(&self, needs: &Needs) -> Result<RelationIndex, EngineError> {
        let kinds = &needs.related;
        match self
            .ports
            .descriptions
            .as_ref()
            .filter(|_| !kinds.is_empty())
        {
            Some(store) => {
                let resources = self.scopes.of_kinds(kinds).await?;
                let with_documents: Vec<Resource> = resources
                    .iter()
                    .filter(|resource| needs.related_documents.contains(&resource.kind))
                    .cloned()
                    .collect();
                let mut index = descriptions::relations(&**store, resources, kinds).await?;
                for some in with_documents.chunks(descriptions::AT_ONCE) {
                    for ((connection, id), document) in
                        descriptions::documents(&**store, some).await?
                    {
                        index.add_document(connection, id, document);
                    }
                }
                Ok(index)
            }
            None => Ok(RelationIndex::default()),
        }
    }

    /// Classes that people gave resources, by resource.
    async fn corrections(&self) -> Result<HashMap<Key, Correction>, EngineError> {
        let Some(workloads) = &self.ports.workloads else {
            return Ok(HashMap::new());
        };

        let all = workloads.correction_list().await?;
        Ok(all
            .into_iter()
            .map(|one| ((one.connection.clone(), one.resource.clone()), one))
            .collect())
    }

    /// Keeps the report with the agent, whatever was configured in between.
    async fn keep_report(&self, id: &AgentId, report: &RunReport) -> Result<(), EngineError> {
        for _ in 0..5 {
            let agent = self.records.agents.agent_get(id).await?;
            let next = Agent {
                last_run: Some(report.clone()),
                version: agent.version + 1,
                ..agent
            };
            match self.records.agents.agent_update(&next).await {
                Err(reeve_estate::StoreError::Conflict(_)) => {}
                other => return Ok(other?),
            }
        }
        Err(EngineError::Conflict(
            "another user is changing the agent".to_owned(),
        ))
    }
}

fn by_resource(series: Vec<Series>) -> HashMap<ResourceId, Vec<Series>> {
    let mut found: HashMap<ResourceId, Vec<Series>> = HashMap::new();
    for one in series {
        found.entry(one.resource.clone()).or_default().push(one);
    }
    found
}

/// The machine that a volume is attached to; any other resource itself.
fn machine_of(resource: &Resource) -> &ResourceId {
    let machine = resource
        .attached_to
        .first()
        .filter(|_| resource.kind == ResourceKind::Volume);
    machine.unwrap_or(&resource.id)
}

/// The volumes attached to a resource; of a volume those of its machine.
fn volumes_beside(judging: &Judging, resource: &Resource) -> Vec<Resource> {
    let machine = (resource.connection.clone(), machine_of(resource).clone());
    judging.volumes.get(&machine).cloned().unwrap_or_default()
}

/// The series of a resource, with those of its machine if it is a volume.
fn with_machine(
    mut series: Vec<Series>,
    resource: &Resource,
    machines: &HashMap<ResourceId, Vec<Series>>,
) -> Vec<Series> {
    if resource.kind == ResourceKind::Volume {
        series.extend(
            machines
                .get(machine_of(resource))
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    series
}

/// The safe level of a portfolio, as the entry of a run shows it.
fn commitment(portfolio: &Portfolio) -> Json {
    Json::object([
        ("provider", Json::from(portfolio.family.provider.as_str())),
        ("account", Json::from(portfolio.family.account.as_str())),
        ("hourly_usd", Json::from(portfolio.safe.hourly)),
        (
            "savings_monthly",
            Json::from(portfolio.saving_monthly(&portfolio.safe).usd_cents()),
        ),
    ])
}

fn run_entry(agent: &Agent, report: &RunReport, status: LogStatus, caller: &Caller) -> Entry {
    let entry = log_entry::entry(log_entry::RUN, "agent.run", status, caller)
        .on(ResourceRef::new("agent", agent.id.0.clone()))
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("agent_type", agent.agent_type.as_str())
        .with_metadata("run_id", report.run_id.clone())
        .with_metadata("mode", agent.mode.as_str());

    if status == LogStatus::Pending {
        return entry;
    }

    let skipped = Json::object(
        report
            .skipped
            .iter()
            .map(|(reason, count)| (reason.clone(), *count)),
    );

    let entry = entry.after(Json::object([
        ("resources_seen", Json::from(report.resources_seen)),
        ("days_observed", Json::from(report.days_observed)),
        ("recommendations", Json::from(report.recommendations)),
        ("applied", Json::from(report.applied)),
        ("skipped", skipped),
        (
            "commitments",
            Json::from(report.portfolios.iter().map(commitment).collect::<Vec<_>>()),
        ),
    ]));

    match &report.error {
        Some(error) => entry.with_metadata("error", error.clone()),
        None => entry,
    }
}

impl RunService {
    /// Returns `true` while a run of the agent is in progress.
    #[must_use]
    pub fn is_running(&self, agent: &AgentId) -> bool {
        self.running.lock().contains(agent)
    }
}
