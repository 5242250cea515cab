//! Measures a full run of `compliance_intelligence`, and the run after a sync that found one changed
//! resource.
//!
//! `cargo bench -p reeve-bench --bench change_runs -- [RESOURCES]` (10,000). The state store is SQLite
//! in a temporary folder; the resources have the documents of the samples of AWS, each kind as often
//! as it has samples, and every fortieth of them is a network that the following ones are in. Entries
//! go nowhere: what the log takes to record them is not in the figures.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

#[path = "../src/estate/records.rs"]
#[allow(dead_code, reason = "a part of them is used here")]
mod records;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Entry, Obstacle};
use reeve_controls::ControlCatalogue as Controls;
use reeve_engine::{
    Approvals, AutomaticExecution, ExecutionPorts, ExecutionService, Findings, GuardrailService,
    ModelService, Records, RolloutService, RunPorts, RunService, ScopeService,
};
use reeve_estate::{
    Act, Charge, Connection, ConnectionId, Described, DescriptionReading, DescriptionStore,
    Document, EstateStore, PriceCatalogue, Provider, ReadOutcome, Relation, RelationKind, Resource,
    ResourceId, ResourceKind, StoreError,
};
use reeve_lake::SampleLake;
use reeve_recommend::agent::{AgentId, AgentType, RunReport};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::ports::{AgentStore, ChargeReader, Clock, Clouds, RecordError, Recorder};
use reeve_store::{Store, Vault};
use serde_json::Value;

/// Descriptions that a write of a sync has.
const WRITTEN: usize = 100;
/// Resources between two networks.
const NETWORKS_APART: usize = 40;

/// Ports that nothing stands behind.
struct Nothing;

#[async_trait]
impl Recorder for Nothing {
    async fn record(&self, _: Vec<Entry>) -> Result<(), RecordError> {
        Ok(())
    }
    async fn record_once(&self, _: Entry) -> Result<(), RecordError> {
        Ok(())
    }
}

#[async_trait]
impl ChargeReader for Nothing {
    async fn charges(
        &self,
        _: &[ResourceId],
        _: Timestamp,
        _: Timestamp,
    ) -> Result<Vec<Charge>, StoreError> {
        Ok(Vec::new())
    }
    async fn billed_until(&self, _: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }
}

#[async_trait]
impl Clouds for Nothing {
    async fn actor(&self, _: &ConnectionId) -> Result<(Connection, Arc<dyn Act>), Obstacle> {
        Err("there is no cloud".to_owned().into())
    }
}

#[async_trait]
impl Clock for Nothing {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
    async fn sleep(&self, duration: std::time::Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// An estate in a store, with the agent that watches it.
struct Estate {
    store: Arc<Store>,
    connection: ConnectionId,
    /// Kinds and documents of the samples of checks.
    documents: Vec<(ResourceKind, Value)>,
}

impl Estate {
    fn id(number: usize) -> String {
        format!("resource-{number:06}")
    }

    /// The resource of a number; `mark` makes another version of its document.
    fn described(&self, number: usize, mark: u64) -> Result<Described> {
        let (mut kind, mut document) = self.documents[number % self.documents.len()].clone();
        if number.is_multiple_of(NETWORKS_APART) {
            let network = ResourceKind::named("network").context("no kind network")?;
            let of_kind = self.documents.iter().find(|(kind, _)| *kind == network);
            (kind, document) = of_kind.cloned().context("no sample of a network")?;
        }
        if let Value::Object(members) = &mut document {
            members.insert(
                "BenchmarkMark".to_owned(),
                format!("{number}-{mark}").into(),
            );
        }

        let id = ResourceId::new(Self::id(number));
        let now = Timestamp::now();
        let resource = Resource {
            kind,
            ..records::resource(self.connection.clone(), id, now)
        };
        let network = Self::id(number / NETWORKS_APART * NETWORKS_APART);
        let is_in = Relation::to(RelationKind::LocatedIn, network);
        Ok(Described {
            relations: if number.is_multiple_of(NETWORKS_APART) {
                Vec::new()
            } else {
                vec![is_in]
            },
            document: Document::new(document),
            resource,
        })
    }

    async fn put(&self, numbers: &[usize], mark: u64) -> Result<()> {
        let described: Vec<Described> = numbers
            .iter()
            .map(|number| self.described(*number, mark))
            .collect::<Result<_>>()?;
        for one in &described {
            // The inventory writes these kinds.
            if ResourceKind::SPECIFIED.contains(&one.resource.kind) {
                self.store.resource_put(&one.resource).await?;
            }
        }
        self.store
            .description_put(&self.connection, &described, Timestamp::now())
            .await?;
        Ok(())
    }

    async fn fill(&self, resources: usize) -> Result<()> {
        let now = Timestamp::now();
        let connection = records::connection(self.connection.0.clone(), now);
        self.store.connection_insert(&connection).await?;
        let numbers: Vec<usize> = (0..resources).collect();
        for some in numbers.chunks(WRITTEN) {
            self.put(some, 0).await?;
        }

        for kind in Controls::builtin().kinds_of(Provider::Aws) {
            let reading = DescriptionReading {
                kind,
                region: String::new(),
                outcome: ReadOutcome::Complete,
                permission: String::new(),
                seen: 0,
                message: String::new(),
                begun_at: now,
                read_at: now,
                complete_at: Some(now),
            };
            self.store.reading_put(&self.connection, &reading).await?;
        }
        Ok(())
    }
}

/// Joins the services that a run needs.
async fn runs(store: &Arc<Store>, folder: &std::path::Path) -> Result<RunService> {
    let nothing = Arc::new(Nothing);
    let samples = Arc::new(SampleLake::open(folder).await?);
    let catalogue = Arc::new(PriceCatalogue::builtin().clone());
    let changes = ChangeRegistry::builtin();
    let records = Arc::new(Records::new(
        store.clone(),
        nothing.clone(),
        nothing.clone(),
    ));
    let scopes = Arc::new(ScopeService::new(
        store.clone(),
        samples.clone(),
        nothing.clone(),
    ));
    let guardrails = Arc::new(GuardrailService::new(
        records.clone(),
        store.clone(),
        changes.clone(),
    ));
    let approvals = Arc::new(Approvals::new(records.clone()));
    let acting = ExecutionPorts {
        estate: store.clone(),
        samples: samples.clone(),
        charges: nothing.clone(),
        clouds: nothing.clone(),
        catalogue: catalogue.clone(),
        changes: changes.clone(),
        flows: store.clone(),
    };
    let execution = Arc::new(ExecutionService::new(
        records.clone(),
        guardrails.clone(),
        approvals.clone(),
        acting,
    ));
    let rollouts = Arc::new(RolloutService::new(
        records.clone(),
        guardrails,
        execution.clone(),
        Some(store.clone()),
    ));
    let automatic = AutomaticExecution::new(records.clone(), approvals, execution, rollouts);
    let models = ModelService::new(
        records.clone(),
        scopes.clone(),
        samples.clone(),
        catalogue.clone(),
        Some(store.clone()),
    );
    let ports = RunPorts {
        samples,
        catalogue,
        agent_types: reeve_agents::registry(),
        changes,
        charges: nothing,
        descriptions: Some(store.clone()),
        fact_sources: Vec::new(),
        output_keepers: Vec::new(),
        evidence: Some(store.clone()),
    };

    Ok(RunService::new(
        records.clone(),
        scopes,
        Arc::new(models),
        Arc::new(Findings::new(records)),
        Arc::new(automatic),
        ports,
    ))
}

fn told(what: &str, began: Instant, report: &RunReport) {
    println!(
        "{what}: {} resources judged, {} recommendations, {:.3} s",
        report.resources_judged.unwrap_or_default(),
        report.recommendations,
        began.elapsed().as_secs_f64()
    );
}

#[tokio::main]
async fn main() -> Result<()> {
    let given = std::env::args().find_map(|text| text.replace('_', "").parse::<usize>().ok());
    let resources = given.unwrap_or(10_000);
    let folder = tempfile::tempdir()?;
    let vault = Vault::load_or_create(&folder.path().join("secrets.key"))?;
    let url = format!("sqlite://{}", folder.path().join("reeve.db").display());
    let store = Arc::new(Store::open(&url, vault).await?);

    let samples = Controls::builtin().checks();
    let samples = samples.filter(|check| check.provider == Provider::Aws);
    let documents = samples
        .flat_map(|check| check.samples.iter().map(|sample| (check.kind, sample)))
        .map(|(kind, sample)| Ok((kind, serde_json::from_str(&sample.document)?)))
        .collect::<Result<_>>()?;
    let estate = Estate {
        store: store.clone(),
        connection: ConnectionId("c-00".to_owned()),
        documents,
    };
    estate.fill(resources).await?;
    let agent = AgentId("agent".to_owned());
    let agent_type = AgentType::COMPLIANCE_INTELLIGENCE;
    store
        .agent_insert(&records::agent(
            agent.0.clone(),
            agent_type,
            Timestamp::now(),
        ))
        .await?;
    let runs = runs(&store, folder.path()).await?;
    let by = Caller::system();

    println!("{resources} resources described");
    for what in ["first full run", "full run without changes"] {
        let began = Instant::now();
        told(what, began, &runs.agent_run(&agent, &by).await?);
    }

    let middle = resources / 2 / NETWORKS_APART * NETWORKS_APART;
    let changed = [("a resource", middle + 1), ("a network", middle)];
    for (what, number) in changed {
        for mark in 1..=3 {
            estate.put(&[number], mark).await?;
            let began = Instant::now();
            let apart = SignedDuration::from_mins(15);
            let report = runs.agent_run_over_changes(&agent, apart, &by).await?;
            let report = report.context("nothing changed")?;
            told(&format!("run after {what} changed"), began, &report);
        }
    }
    let began = Instant::now();
    let apart = SignedDuration::from_mins(15);
    let none = runs.agent_run_over_changes(&agent, apart, &by).await?;
    println!(
        "look without changes: {} run, {:.4} s",
        u64::from(none.is_some()),
        began.elapsed().as_secs_f64()
    );
    Ok(())
}
