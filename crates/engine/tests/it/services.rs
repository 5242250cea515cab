//! The engine's services over the ports of a test.

use std::sync::Arc;

use reeve_engine::{
    AgentService, Approvals, AutomaticExecution, EmergencyPorts, EmergencyService, ExecutionPorts,
    ExecutionService, Findings, Fleets, GuardrailService, LogFacts, Machines, ModelService,
    RecommendationService, Records, ResponseService, RolloutService, RunPorts, RunService,
    Scheduler, ScopeService, ServiceLoads,
};
use reeve_estate::{EstateStore, PriceCatalogue, SampleStore};
use reeve_flows::FlowStore;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::models::ModelStore;
use reeve_recommend::ports::{AgentStore, ChargeReader, Clock, Clouds, LogReader, Recorder};
use reeve_recommend::rollout::RolloutStore;

use crate::change_runs::described::Descriptions;
use crate::change_runs::inspector::Inspections;

/// Ports of a test.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) agents: Arc<dyn AgentStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) samples: Arc<dyn SampleStore>,
    pub(crate) clouds: Arc<dyn Clouds>,
    pub(crate) recorder: Arc<dyn Recorder>,
    pub(crate) log: Arc<dyn LogReader>,
    pub(crate) charges: Arc<dyn ChargeReader>,
    pub(crate) flows: Arc<dyn FlowStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) models: Option<Arc<dyn ModelStore>>,
    pub(crate) rollouts: Option<Arc<dyn RolloutStore>>,
    /// Configurations of resources, and the results of checks about them.
    pub(crate) described: Option<Arc<Descriptions>>,
    pub(crate) agent_types: AgentTypes,
}

/// Services of the engine.
pub(crate) struct Services {
    pub(crate) agents: AgentService,
    pub(crate) emergencies: Arc<EmergencyService>,
    pub(crate) execution: Arc<ExecutionService>,
    pub(crate) guardrails: Arc<GuardrailService>,
    pub(crate) models: Arc<ModelService>,
    pub(crate) recommendations: Arc<RecommendationService>,
    pub(crate) responses: Arc<ResponseService>,
    pub(crate) rollouts: Arc<RolloutService>,
    pub(crate) runs: Arc<RunService>,
    pub(crate) scheduler: Scheduler,
    pub(crate) scopes: Arc<ScopeService>,
}

impl Services {
    /// Services over the ports, with every change of the product.
    pub(crate) fn new(ports: Ports) -> Arc<Services> {
        let Ports {
            agents,
            estate,
            samples,
            clouds,
            recorder,
            clock,
            models,
            rollouts,
            described,
            agent_types: types,
            ..
        } = ports;

        let catalogue = Arc::new(PriceCatalogue::builtin().clone());
        let records = Arc::new(Records::new(agents, recorder, Arc::clone(&clock)));
        let log = || Arc::clone(&records);
        let approvals = Arc::new(Approvals::new(log()));
        let findings = Arc::new(Findings::new(log()));
        let scopes = Arc::new(ScopeService::new(
            Arc::clone(&estate),
            Arc::clone(&samples),
            clock,
        ));

        let guardrails = Arc::new(GuardrailService::new(
            log(),
            Arc::clone(&estate),
            reeve_recommend::change::ChangeRegistry::builtin(),
        ));

        let acting = ExecutionPorts {
            estate: Arc::clone(&estate),
            samples: Arc::clone(&samples),
            charges: Arc::clone(&ports.charges),
            clouds,
            catalogue: Arc::clone(&catalogue),
            changes: reeve_recommend::change::ChangeRegistry::builtin(),
            flows: Arc::clone(&ports.flows),
        };

        let execution = ExecutionService::new(
            log(),
            Arc::clone(&guardrails),
            Arc::clone(&approvals),
            acting,
        );
        let execution = Arc::new(execution);
        let executing = || (Arc::clone(&guardrails), Arc::clone(&execution));
        let (limits, executes) = executing();

        let rollouts = Arc::new(RolloutService::new(log(), limits, executes, rollouts));
        let (limits, executes) = executing();
        let automatic = AutomaticExecution::new(
            log(),
            Arc::clone(&approvals),
            Arc::clone(&executes),
            Arc::clone(&rollouts),
        );
        let automatic = Arc::new(automatic);

        let recommendations = RecommendationService::new(
            log(),
            limits,
            Arc::clone(&approvals),
            executes,
            Arc::clone(&estate),
        );
        let recommendations = Arc::new(recommendations);

        let models = ModelService::new(
            log(),
            Arc::clone(&scopes),
            Arc::clone(&samples),
            Arc::clone(&catalogue),
            models,
        );
        let models = Arc::new(models);

        let (charges, read) = (ports.charges, ports.log);
        let fleet_samples = Arc::clone(&samples);
        let judging = RunPorts {
            samples,
            catalogue,
            agent_types: types.clone(),
            changes: reeve_recommend::change::ChangeRegistry::builtin(),
            charges,
            descriptions: described.clone().map(|described| described as _),
            fact_sources: vec![
                Arc::new(Fleets::new(Arc::clone(&scopes), Arc::clone(&fleet_samples))),
                Arc::new(ServiceLoads::new(
                    Arc::clone(&scopes),
                    Arc::clone(&fleet_samples),
                )),
                Arc::new(Machines::new(fleet_samples)),
                Arc::new(LogFacts::<Activity>::new(read)),
                Arc::new(Inspections),
            ],
            output_keepers: Vec::new(),
            evidence: described.map(|described| described as _),
        };

        let (found, own) = (Arc::clone(&findings), Arc::clone(&automatic));
        let runs = Arc::new(RunService::new(
            log(),
            Arc::clone(&scopes),
            Arc::clone(&models),
            found,
            own,
            judging,
        ));

        let (asked, answers) = (Arc::clone(&approvals), Arc::clone(&recommendations));
        let scheduler = Scheduler::new(
            log(),
            asked,
            answers,
            Arc::clone(&execution),
            Arc::clone(&rollouts),
        );

        let (limits, executes) = executing();
        let emergencies = EmergencyService::new(
            log(),
            EmergencyPorts {
                scopes: Arc::clone(&scopes),
                runs: Arc::clone(&runs),
                findings: Arc::clone(&findings),
                approvals,
                guardrails: limits,
                execution: Arc::clone(&executes),
                estate: Arc::clone(&estate),
                agent_types: types.clone(),
            },
        );
        let emergencies = Arc::new(emergencies);
        let responses = ResponseService::new(
            log(),
            Arc::clone(&scopes),
            findings,
            executes,
            automatic,
            Arc::clone(&emergencies),
        );

        Arc::new(Services {
            agents: AgentService::new(log(), Arc::clone(&scopes), Arc::clone(&runs), estate, types),
            emergencies,
            execution,
            guardrails,
            models,
            recommendations,
            responses: Arc::new(responses),
            rollouts,
            runs,
            scheduler,
            scopes,
        })
    }
}
