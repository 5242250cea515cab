//! Services that answer anomalies and predictions, and the prices that their answers cost.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use reeve_anomalies::{AnomalyPorts, AnomalyService};
use reeve_engine::ResponseService;
use reeve_estate::Catalogue;
use reeve_http::prices::PriceBook;
use reeve_lake::SampleLake;
use reeve_predict::{RulePorts, RuleService};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::ports::Clock;
use reeve_store::Store;
use reeve_trail::Trail;

use super::engine::EngineServices;
use crate::adapters::calendars::CalendarReader;
use crate::adapters::log_reader::TrailReader;
use crate::adapters::recorder::LedgerRecorder;
use crate::config::Config;

/// The price files of the store, in force in a catalogue of this service.
pub(super) async fn prices(store: &Arc<Store>) -> Result<Arc<PriceBook>> {
    let book = PriceBook::open(store.clone(), Arc::new(Catalogue::builtin().clone())).await;
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
    catalogue: &Arc<Catalogue>,
    trail: Trail,
) -> AnomalyService {
    AnomalyService::new(AnomalyPorts {
        anomalies: store.clone(),
        agents: store.clone(),
        estate: store.clone(),
        samples: samples.clone(),
        responses: engine.responses.clone(),
        chains: store.clone(),
        threats: store.clone(),
        identifier_key: store.identifier_key(),
        recorder: recorder.clone(),
        log: Arc::new(TrailReader(trail)),
        catalogue: catalogue.clone(),
        clock: clock.clone(),
    })
}

/// Predictive rules over the same ports as the engine.
pub(super) fn rule_service(
    config: &Config,
    store: &Arc<Store>,
    samples: &Arc<SampleLake>,
    responses: &Arc<ResponseService>,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
    (catalogue, agent_types): (&Arc<Catalogue>, AgentTypes),
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
