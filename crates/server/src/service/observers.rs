//! Services that take over what others measured and charged: syncs of connections, metric sources,
//! and buckets with bills.

use std::sync::Arc;

use anyhow::Result;
use reeve_http::prices::PriceBook;
use reeve_intake::SourceIntake;
use reeve_lake::SampleLake;
use reeve_recommend::ports::LogReader;
use reeve_store::Store;

use crate::adapters::bill_sources::BillPuller;
use crate::adapters::clouds::CloudRegistry;
use crate::adapters::database_loads::DatabaseSampler;
use crate::adapters::flows::FlowReader;
use crate::adapters::log_sources::LogSourceReader;
use crate::adapters::metrics::{MetricPorts, MetricTaker};
use crate::adapters::recorder::LedgerRecorder;
use crate::adapters::running::Running;
use crate::adapters::spot::SpotReader;
use crate::adapters::spot_markets::MarketReader;
use crate::adapters::syncer::ConnectionSyncer;
use crate::config::Config;
use crate::service::engine::EngineServices;

/// Services that observe the estate.
pub(crate) struct Observers {
    pub(crate) syncer: Arc<ConnectionSyncer>,
    /// Metrics from outside the clouds.
    pub(crate) metrics: Arc<MetricTaker>,
    /// Reading buckets with bills.
    pub(crate) bills: Arc<BillPuller>,
    /// Sampling the load of databases.
    pub(crate) databases: Arc<DatabaseSampler>,
    /// Reading on in the flow logs of connections.
    pub(crate) flows: Arc<FlowReader>,
    /// Reading of the queues of spot notices.
    pub(crate) spot: Arc<SpotReader>,
    /// Reading of spot prices and placement scores.
    pub(crate) markets: Arc<MarketReader>,
    /// Reading of the queues of sources of entries.
    pub(crate) log_sources: Arc<LogSourceReader>,
    pub(crate) prices: Arc<PriceBook>,
}

impl Observers {
    /// Joins the services with the stores and the clouds.
    ///
    /// # Errors
    /// The configured networks are none.
    pub(super) fn new(
        config: &Config,
        store: &Arc<Store>,
        samples: &Arc<SampleLake>,
        clouds: Arc<CloudRegistry>,
        engine: &EngineServices,
        (recorder, log): (Arc<LedgerRecorder>, Arc<dyn LogReader>),
        (prices, source_intake): (Arc<PriceBook>, Arc<SourceIntake>),
    ) -> Result<Observers> {
        let ports = MetricPorts {
            sources: store.clone(),
            estate: store.clone(),
            descriptions: store.clone(),
            samples: samples.clone(),
            recorder: recorder.clone(),
        };
        let metrics = Arc::new(MetricTaker::new(ports, config.outbound.policy()?));

        let bills = Arc::new(BillPuller {
            sources: store.clone(),
            estate: store.clone(),
            clouds: clouds.clone(),
            recorder: recorder.clone(),
            folder: config.data_dir.join("charges"),
            running: Running::default(),
        });

        let databases = Arc::new(DatabaseSampler {
            loads: store.clone(),
            estate: store.clone(),
            clouds: clouds.clone(),
            running: Running::default(),
            totals: Default::default(),
        });

        let flows = Arc::new(FlowReader {
            flows: store.clone(),
            descriptions: store.clone(),
            clouds: clouds.clone(),
            folder: config.data_dir.join("flow-logs"),
            running: Running::default(),
        });

        let spot = Arc::new(SpotReader {
            spots: store.clone(),
            estate: store.clone(),
            clouds: clouds.clone(),
            recorder: recorder.clone(),
            running: Running::default(),
        });

        let log_sources = Arc::new(LogSourceReader {
            intake: source_intake,
            estate: store.clone(),
            clouds: clouds.clone(),
            running: Running::default(),
        });

        let markets = Arc::new(MarketReader {
            spots: store.clone(),
            estate: store.clone(),
            clouds: clouds.clone(),
            running: Running::default(),
        });

        let syncer = ConnectionSyncer::new(
            store.clone(),
            samples.clone(),
            clouds,
            recorder,
            store.clone(),
            log,
            engine.drift.clone(),
        );

        Ok(Observers {
            syncer: Arc::new(syncer),
            metrics,
            bills,
            databases,
            flows,
            spot,
            markets,
            log_sources,
            prices,
        })
    }
}
