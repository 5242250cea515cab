//! Services that answer anomalies and predictions, and the prices that their answers cost.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use reeve_anomalies::{AnomalyPorts, AnomalyService};
use reeve_audit::Draft;
use reeve_connect_outbound::OutboundPolicy;
use reeve_dependencies::{MapPorts, MapReader};
use reeve_engine::ResponseService;
use reeve_estate::PriceCatalogue;
use reeve_http::prices::PriceBook;
use reeve_incidents::{IncidentPorts, IncidentService};
use reeve_intake::{EntryAppender, SourceIntake};
use reeve_lake::SampleLake;
use reeve_ledger::{AppendError, Receipt};
use reeve_predict::{RulePorts, RuleService};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::ports::Clock;
use reeve_siem::{AlertIntake, InboundAlertMembers, IntakePorts};
use reeve_store::Store;
use reeve_trail::{Log, Trail};

use super::engine::EngineServices;
use crate::adapters::calendars::CalendarReader;
use crate::adapters::containment::{EngineContainment, Firings};
use crate::adapters::log_reader::TrailReader;
use crate::adapters::recorder::LedgerRecorder;
use crate::adapters::security_tools::{CallbackSender, FeedReader};
use crate::config::Config;

/// The price files of the store, in force in a catalogue of this service.
pub(super) async fn prices(store: &Arc<Store>) -> Result<Arc<PriceBook>> {
    let book = PriceBook::open(store.clone(), Arc::new(PriceCatalogue::builtin().clone())).await;
    Ok(Arc::new(
        book.context("the imported prices could not be read")?,
    ))
}

/// Service that answers anomalies, with the log to read about their causes.
pub(super) fn anomaly_service(
    store: &Arc<Store>,
    samples: &Arc<SampleLake>,
    engine: &EngineServices,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
    (catalogue, agent_types, policy): (&Arc<PriceCatalogue>, AgentTypes, OutboundPolicy),
    trail: Trail,
) -> AnomalyService {
    AnomalyService::new(AnomalyPorts {
        anomalies: store.clone(),
        agents: store.clone(),
        estate: store.clone(),
        samples: samples.clone(),
        descriptions: store.clone(),
        maps: MapReader::new(MapPorts {
            descriptions: store.clone(),
            flows: store.clone(),
            samples: samples.clone(),
        }),
        responses: engine.responses.clone(),
        chains: store.clone(),
        threats: store.clone(),
        feed_reader: Arc::new(FeedReader::new(policy)),
        identifier_key: store.identifier_key(),
        recorder: recorder.clone(),
        log: Arc::new(TrailReader(trail)),
        catalogue: catalogue.clone(),
        agent_types,
        clock: clock.clone(),
    })
}

/// Service that keeps incidents, over the engine that playbooks act through.
pub(super) fn incident_service(
    store: &Arc<Store>,
    engine: &EngineServices,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
) -> Arc<IncidentService> {
    Arc::new(IncidentService::new(IncidentPorts {
        incidents: store.clone(),
        anomalies: store.clone(),
        agents: store.clone(),
        estate: store.clone(),
        descriptions: store.clone(),
        responses: engine.responses.clone(),
        containment: Arc::new(EngineContainment(engine.execution.clone())),
        sources: vec![
            Arc::new(Firings(store.clone())),
            Arc::new(InboundAlertMembers::new(store.clone(), store.clone())),
        ],
        recorder: recorder.clone(),
        clock: clock.clone(),
    }))
}

/// Service that takes alerts of other tools in.
pub(super) fn alert_intake(
    config: &Config,
    store: &Arc<Store>,
    incidents: &Arc<IncidentService>,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<AlertIntake>> {
    Ok(Arc::new(AlertIntake::new(IntakePorts {
        sources: store.clone(),
        alerts: store.clone(),
        incidents: incidents.clone(),
        incident_store: store.clone(),
        estate: store.clone(),
        caller: Arc::new(CallbackSender::new(config.outbound.policy()?)),
        recorder: recorder.clone(),
        clock: clock.clone(),
    })))
}

/// The log, as sources append to it.
struct OpenLog(Log);

#[async_trait]
impl EntryAppender for OpenLog {
    async fn append(&self, drafts: Vec<Draft>) -> Result<Vec<Receipt>, AppendError> {
        self.0.append(drafts).await
    }
}

/// Service that takes the events of sources in.
pub(super) fn source_intake(
    store: &Arc<Store>,
    log: &Log,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
) -> Arc<SourceIntake> {
    Arc::new(SourceIntake::new(reeve_intake::IntakePorts {
        sources: store.clone(),
        log: Arc::new(OpenLog(log.clone())),
        recorder: recorder.clone(),
        clock: clock.clone(),
    }))
}

/// Predictive rules over the same ports as the engine.
pub(super) fn rule_service(
    config: &Config,
    store: &Arc<Store>,
    samples: &Arc<SampleLake>,
    responses: &Arc<ResponseService>,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
    (catalogue, agent_types): (&Arc<PriceCatalogue>, AgentTypes),
) -> Result<Arc<RuleService>> {
    Ok(Arc::new(RuleService::new(RulePorts {
        rules: store.clone(),
        estate: store.clone(),
        samples: samples.clone(),
        responses: responses.clone(),
        recorder: recorder.clone(),
        clock: clock.clone(),
        catalogue: catalogue.clone(),
        agent_types,
        calendar_fetch: Arc::new(CalendarReader::new(config.outbound.policy()?)),
    })))
}
