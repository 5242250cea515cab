//! The engine's services, joined over their ports.

use std::sync::Arc;

use reeve_engine::models::{Registry, RegistrySettings};
use reeve_engine::{
    AgentService, Approvals, AutomaticExecution, Caches, Corrections, DriftPorts, DriftService,
    EmergencyPorts, EmergencyService, ExecutionPorts, ExecutionService, Findings, Fleets, Flows,
    GuardrailService, LogFacts, Machines, ModelService, ObjectiveService, Objectives,
    RecommendationService, Records, Regions, ResponseService, RolloutService, RunPorts, RunService,
    RunbookPorts, RunbookService, Runbooks, Scheduler, ScopeService, ServiceLoads, SpotMarkets,
    Spots, Targets, WorkloadService, Workloads,
};
use reeve_estate::{DescriptionStore, EstateStore, PriceCatalogue, SampleStore};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::evidence::EvidenceStore;
use reeve_recommend::judgement::open_facts::FactSource;
use reeve_recommend::judgement::past_calls::PastCalls;
use reeve_recommend::judgement::workload::WorkloadStore;
use reeve_recommend::ports::{ChargeReader, Clock, LogReader, Recorder};
use reeve_store::Store;

use crate::adapters::clouds::CloudRegistry;
use crate::adapters::databases::DatabaseReadings;

/// Adapters that the engine's services are made of.
pub(super) struct EnginePorts {
    /// Agents' records, inventory, models and rollouts.
    pub(super) store: Arc<Store>,
    pub(super) samples: Arc<dyn SampleStore>,
    pub(super) clouds: Arc<CloudRegistry>,
    pub(super) catalogue: Arc<PriceCatalogue>,
    pub(super) recorder: Arc<dyn Recorder>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) changes: ChangeRegistry,
    pub(super) agent_types: AgentTypes,
    pub(super) charges: Arc<dyn ChargeReader>,
    pub(super) log: Arc<dyn LogReader>,
}

/// Services of the engine that requests, background tasks, anomalies and predictive rules use.
pub(crate) struct EngineServices {
    pub(crate) agents: Arc<AgentService>,
    pub(crate) drift: Arc<DriftService>,
    pub(crate) emergencies: Arc<EmergencyService>,
    pub(crate) execution: Arc<ExecutionService>,
    pub(crate) guardrails: Arc<GuardrailService>,
    pub(crate) models: Arc<ModelService>,
    pub(crate) objectives: Arc<ObjectiveService>,
    pub(crate) recommendations: Arc<RecommendationService>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) responses: Arc<ResponseService>,
    pub(crate) rollouts: Arc<RolloutService>,
    pub(crate) runbooks: Arc<RunbookService>,
    pub(crate) runs: Arc<RunService>,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) scopes: Arc<ScopeService>,
    pub(crate) workloads: Arc<WorkloadService>,
}

/// Creates the services, each over the ports and the services that it asks.
pub(super) fn engine(ports: EnginePorts) -> EngineServices {
    let EnginePorts {
        store,
        samples,
        clouds,
        catalogue,
        recorder,
        clock,
        changes,
        agent_types,
        charges,
        log,
    } = ports;

    let estate: Arc<dyn EstateStore> = store.clone();
    let workloads: Arc<dyn WorkloadStore> = store.clone();
    let evidence: Arc<dyn EvidenceStore> = store.clone();
    let descriptions: Arc<dyn DescriptionStore> = store.clone();
    let (models, settings) = (agent_types.clone(), RegistrySettings::default());
    let registry = Arc::new(Registry::new(
        store.clone(),
        recorder.clone(),
        clock.clone(),
        models,
        settings,
    ));

    let records = Arc::new(Records::new(store.clone(), recorder, clock.clone()));
    let approvals = Arc::new(Approvals::new(records.clone()));
    let findings = Arc::new(Findings::new(records.clone()));
    let scopes = Arc::new(ScopeService::new(estate.clone(), samples.clone(), clock));
    let guardrails = Arc::new(GuardrailService::new(
        records.clone(),
        estate.clone(),
        changes.clone(),
    ));

    let databases = Arc::new(DatabaseReadings::new(estate.clone(), clouds.clone()));
    let acting = ExecutionPorts {
        estate: estate.clone(),
        charges: charges.clone(),
        samples: samples.clone(),
        clouds,
        catalogue: catalogue.clone(),
        changes: changes.clone(),
        flows: store.clone(),
    };

    let execution = ExecutionService::new(
        records.clone(),
        guardrails.clone(),
        approvals.clone(),
        acting,
    );

    let shared = Shared {
        records,
        approvals,
        findings,
        scopes,
        guardrails,
        execution: Arc::new(execution),
        estate,
    };

    let drift = DriftPorts {
        drifts: store.clone(),
        descriptions: descriptions.clone(),
        estate: shared.estate.clone(),
        log: log.clone(),
    };
    let objectives = Arc::new(ObjectiveService::new(
        store.clone(),
        shared.records.clone(),
        shared.scopes.clone(),
        samples.clone(),
    ));
    let runbooks = RunbookPorts {
        runbooks: store.clone(),
        scopes: shared.scopes.clone(),
        samples: samples.clone(),
        descriptions: descriptions.clone(),
        log: log.clone(),
    };
    let fact_sources: Vec<Arc<dyn FactSource>> = vec![
        Arc::new(Runbooks::new(runbooks.clone())),
        Arc::new(Objectives::new(objectives.clone())),
        Arc::new(Fleets::new(shared.scopes.clone(), samples.clone())),
        Arc::new(Corrections::new(workloads.clone())),
        Arc::new(Machines::new(samples.clone())),
        Arc::new(Regions::new(store.clone())),
        Arc::new(ServiceLoads::new(shared.scopes.clone(), samples.clone())),
        Arc::new(Targets::new(shared.scopes.clone(), descriptions.clone())),
        Arc::new(Caches::new(
            shared.scopes.clone(),
            descriptions.clone(),
            samples.clone(),
        )),
        Arc::new(LogFacts::<Activity>::new(log.clone())),
        Arc::new(LogFacts::<PastCalls>::new(log)),
        Arc::new(Flows::new(store.clone())),
        Arc::new(Spots::new(shared.scopes.clone(), store.clone())),
        Arc::new(SpotMarkets::new(store.clone())),
        databases,
    ];
    let descriptions = Some(descriptions);
    let judging = RunPorts {
        samples,
        catalogue,
        agent_types,
        changes,
        charges,
        descriptions,
        fact_sources,
        output_keepers: vec![Arc::new(Workloads::new(workloads))],
        evidence: Some(evidence),
    };

    shared.join(store, registry, judging, (drift, objectives, runbooks))
}

/// Services that several others ask.
struct Shared {
    records: Arc<Records>,
    approvals: Arc<Approvals>,
    findings: Arc<Findings>,
    scopes: Arc<ScopeService>,
    guardrails: Arc<GuardrailService>,
    execution: Arc<ExecutionService>,
    estate: Arc<dyn EstateStore>,
}

impl Shared {
    fn join(
        self,
        store: Arc<Store>,
        registry: Arc<Registry>,
        judging: RunPorts,
        (drift, objectives, runbooks): (DriftPorts, Arc<ObjectiveService>, RunbookPorts),
    ) -> EngineServices {
        let Shared {
            records,
            approvals,
            findings,
            scopes,
            guardrails,
            execution,
            estate,
        } = self;

        let (samples, catalogue) = (judging.samples.clone(), judging.catalogue.clone());
        let agent_types = judging.agent_types.clone();
        let workloads = Arc::new(WorkloadService::new(
            records.clone(),
            estate.clone(),
            store.clone(),
            registry.clone(),
        ));

        let (acts, limits, asks) = (
            || execution.clone(),
            || guardrails.clone(),
            || approvals.clone(),
        );
        let own = || records.clone();
        let rollouts = Arc::new(RolloutService::new(
            own(),
            limits(),
            acts(),
            Some(store.clone()),
        ));

        let automatic = Arc::new(AutomaticExecution::new(
            own(),
            asks(),
            acts(),
            rollouts.clone(),
        ));

        let models = ModelService::new(
            own(),
            scopes.clone(),
            samples,
            catalogue,
            Some(store.clone()),
        )
        .with_material(vec![Arc::new(Corrections::new(store))]);
        let models = Arc::new(models);

        let runs = RunService::new(
            own(),
            scopes.clone(),
            models.clone(),
            findings.clone(),
            automatic.clone(),
            judging,
        );
        let runs = Arc::new(runs);

        let recommendations =
            RecommendationService::new(own(), limits(), asks(), acts(), estate.clone());
        let recommendations = Arc::new(recommendations);
        let scheduler = Scheduler::new(
            own(),
            asks(),
            recommendations.clone(),
            acts(),
            rollouts.clone(),
        );

        let emergencies = EmergencyService::new(
            own(),
            EmergencyPorts {
                scopes: scopes.clone(),
                runs: runs.clone(),
                findings: findings.clone(),
                approvals: asks(),
                guardrails: limits(),
                execution: acts(),
                estate: estate.clone(),
                agent_types: agent_types.clone(),
            },
        );
        let emergencies = Arc::new(emergencies);
        let responses = ResponseService::new(
            own(),
            scopes.clone(),
            findings,
            acts(),
            automatic,
            emergencies.clone(),
        );

        let drift = DriftService::new(own(), drift);
        let runbooks = RunbookService::new(own(), runbooks);
        EngineServices {
            drift: Arc::new(drift),
            agents: Arc::new(AgentService::new(
                own(),
                scopes.clone(),
                runs.clone(),
                estate,
                agent_types,
            )),
            emergencies,
            execution: acts(),
            guardrails: limits(),
            models,
            objectives,
            recommendations,
            registry,
            responses: Arc::new(responses),
            rollouts,
            runbooks: Arc::new(runbooks),
            runs,
            scheduler: Arc::new(scheduler),
            scopes,
            workloads,
        }
    }
}
