//! The service: opens what is kept, joins the rooms, serves, and closes in order.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use jiff::SignedDuration;
use reeve_access::{PublicUrl, TokenHash};
use reeve_agents::compliance_intelligence::ComplianceIntelligence;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, ResourceRef, events};
use reeve_connect_notify::People;
use reeve_connect_webhook::Sender;
use reeve_estate::{ConnectionId, Kinds, PriceCatalogue, SampleStore as _};
use reeve_exports::Carrier;
use reeve_http::app::{App, AppSettings, Ports};
use reeve_http::identify::TrustedProxies;
use reeve_lake::{EntrySegments, SampleLake};
use reeve_ledger::Ledger;
use reeve_notify::delivery::Dispatcher;
use reeve_notify::notification::Notifier;
use reeve_notify::sources::Sources;
use reeve_notify::webhook::WebhookSender;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::ports::Clock;
use reeve_sources::{MetricSource, MetricSourceStore as _};
use reeve_store::Store;
use reeve_trail::{Journal, Trail};
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::active::{ActiveLease, ActiveLock, Fenced, TakeoverCause, Turn};
use crate::adapters::attachments::Attachments;
use crate::adapters::backups::RunningBackups;
use crate::adapters::bill_sources::BackgroundBills;
use crate::adapters::bills::Bills;
use crate::adapters::carrier::Carriers;
use crate::adapters::clock::SystemClock;
use crate::adapters::clouds::CloudRegistry;
use crate::adapters::configurations::Configurations;
use crate::adapters::lake_catalogue::LogTables;
use crate::adapters::log_reader::TrailReader;
use crate::adapters::metrics::MetricGate;
use crate::adapters::own_checks::OwnChecks;
use crate::adapters::record_forms::HttpForms;
use crate::adapters::recorder::LedgerRecorder;
use crate::adapters::retention::LogRetention;
use crate::adapters::streams::StreamReceivers;
use crate::adapters::syncer::Background;
use crate::adapters::typesetter::PdfTypesetter;
use crate::adapters::verifier::DirectoryVerifier;
use crate::config::Config;
use crate::tasks::context::{TaskContext, TaskSettings};
use crate::{connections, private, syslog, tasks};
use engine::{EnginePorts, EngineServices, engine};
use observers::Observers;
use responses::{
    alert_intake, anomaly_service, incident_service, prices, rule_service, source_intake,
};

pub(crate) use opening::{OpenedLog, open_log, open_restored, open_store, with_lists_of};

mod engine;
mod observers;
mod opening;
mod responses;
mod unsigned;

/// Time after a stop at which requests under way are aborted. Service managers wait ten seconds or
/// more before they kill; each step of an end has its time, so that one that hangs does not take
/// that of the others.
const LAST_REQUESTS: Duration = Duration::from_millis(1500);
/// Time after a stop at which background work is left: it is taken up at the next start.
const LAST_TASKS: Duration = Duration::from_secs(3);
/// Time after a stop at which an orderly close is given up. A seal that is under way is repeated by
/// the next start.
const LAST_CLOSE: Duration = Duration::from_secs(4);

/// Connections of programs that read metrics.
const MONITORS: usize = 100;

/// Everything that runs, joined.
pub(crate) struct Service {
    /// State of the HTTP interface.
    pub(crate) app: Arc<App>,
    /// Services of the background tasks.
    pub(crate) tasks: Arc<TaskContext>,
    /// Services of the engine.
    pub(crate) engine: EngineServices,
    /// The log, for the tasks that seal, sign and publish it.
    pub(crate) ledger: Ledger,
    /// Every entry of the log, for the tasks that follow it.
    pub(crate) trail: Trail,
    pub(crate) store: Arc<Store>,
    pub(crate) samples: Arc<SampleLake>,
    pub(crate) segments: Arc<EntrySegments>,
    /// Services that observe the estate.
    pub(crate) observers: Observers,
    /// People's own checks, beside those of Reeve.
    pub(crate) own_checks: Arc<OwnChecks>,
    pub(crate) config: Config,
    /// Lease of the state store.
    pub(crate) lease: ActiveLease,
    /// Lock on the data directory; it is let go last.
    pub(crate) lock: ActiveLock,
}

impl Service {
    /// Opens everything in a data directory that no other server uses.
    pub(crate) async fn open(
        config: Config,
        clouds: CloudRegistry,
        changes: ChangeRegistry,
        agent_types: AgentTypes,
        kinds: Kinds,
        demo: bool,
    ) -> Result<Service> {
        private::make(&config.data_dir)?;
        match ActiveLock::take(&config.data_dir)? {
            Turn::Active(lock) => {
                Service::open_as(lock, config, clouds, changes, agent_types, kinds, demo).await
            }
            Turn::Held(_) => anyhow::bail!(
                "another server uses {}: stop it first",
                config.data_dir.display()
            ),
        }
    }

    /// Opens everything in a data directory as its active server.
    pub(crate) async fn open_as(
        lock: ActiveLock,
        config: Config,
        clouds: CloudRegistry,
        changes: ChangeRegistry,
        agent_types: AgentTypes,
        kinds: Kinds,
        demo: bool,
    ) -> Result<Service> {
        let (store, log, lease) = opening::open_held(&config, &lock).await?;
        let (samples, prices) = (samples(&config, &store).await?, prices(&store).await?);
        let catalogue = prices.catalogue();
        let clouds = opened(clouds, &store, &config, catalogue, &lease)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let log_of_callers = log.of_callers();
        let journal = journal(&log_of_callers, clock.clone());
        let recorder = Arc::new(LedgerRecorder::new(log.ledger.clone(), journal.clone()));
        let trail = log.trail();
        let reader = Arc::new(TrailReader(trail.clone()));
        let (own_checks, agent_types) = checking(&config, &agent_types).await?;
        let bills = Arc::new(Bills::new(config.data_dir.join("charges")));
        let engine = engine(EnginePorts {
            store: store.clone(),
            samples: samples.clone(),
            clouds: clouds.clone(),
            catalogue: catalogue.clone(),
            recorder: recorder.clone(),
            clock: clock.clone(),
            changes,
            agent_types: agent_types.clone(),
            charges: bills.clone(),
            log: reader.clone(),
        });

        let anomaly_service = anomaly_service(
            &store,
            &samples,
            &engine,
            &recorder,
            &clock,
            (catalogue, agent_types.clone(), config.outbound.policy()?),
            trail.clone(),
        );

        let incidents = incident_service(&store, &engine, &recorder, &clock);
        let tasks = Arc::new(TaskContext {
            settings: task_settings(&config, demo),
            journal,
            source_intake: source_intake(&store, &log_of_callers, &recorder, &clock),
            log: log_of_callers,
            access: store.clone(),
            agents: store.clone(),
            alerts: store.clone(),
            anomalies: store.clone(),
            bills,
            budgets: store.clone(),
            configurations: configurations(&store, &own_checks),
            checks: own_checks.live().clone(),
            estate: store.clone(),
            evidence: store.clone(),
            exports: store.clone(),
            lists: store.clone(),
            metric_sources: store.clone(),
            models: store.clone(),
            reports: store.clone(),
            samples: samples.clone(),
            streams: store.clone(),
            stream_receivers: stream_receivers(&config, &lease, trail.clone())?,
            threats: store.clone(),
            workspace: store.clone(),
            carrier: carrier(&config, &lease)?,
            anomaly_service: Arc::new(anomaly_service),
            alert_intake: alert_intake(&config, &store, &incidents, &recorder, &clock)?,
            incident_service: incidents,
            dispatcher: dispatcher(&config, &lease, &store, &recorder, &clock)?,
            rule_service: rule_service(
                &config,
                &store,
                &samples,
                &engine.responses,
                &recorder,
                &clock,
                (catalogue, agent_types),
            )?,
            model_service: engine.models.clone(),
            registry: engine.registry.clone(),
            runs: engine.runs.clone(),
            scheduler: engine.scheduler.clone(),
            sources: sources(&store, config.public_url(), trail.clone()),
        });

        let observers = Observers::new(
            &config,
            &store,
            &samples,
            clouds,
            &engine,
            (recorder, reader),
            (prices, tasks.source_intake.clone()),
        )?;
        let ports = ports(
            &tasks,
            &engine,
            &store,
            &config,
            (&log, &trail),
            &observers,
            clock,
        );

        let ports = Ports {
            kinds: Arc::new(kinds),
            ..ports
        };
        let app = Arc::new(App::new(ports, settings(&config, &lock, demo)));

        Ok(Service {
            app,
            tasks,
            engine,
            ledger: log.ledger,
            trail,
            store,
            samples,
            segments: log.segments,
            observers,
            own_checks,
            config,
            lease,
            lock,
        })
    }

    /// Serves until the token is cancelled, then closes in order: no more requests, no more tasks,
    /// the log last.
    pub(crate) async fn serve(
        mut self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> Result<()> {
        self.lock.publish(reachable_at(&self.config, &listener)?)?;
        self.engine
            .execution
            .resume()
            .await
            .context("interrupted actions could not be taken up again")?;

        self.tasks
            .journal
            .record_outcome(lifecycle(&events::START, "start"))
            .await;
        let tasks = tasks::start(&self, &stop).await;
        let (stopping, streams) = (stop.clone(), self.app.streams.clone());
        let bounds = connections::ConnectionBounds::new(
            self.config.max_connections,
            self.config.trusted_proxies.clone(),
            self.app.connections.clone(),
        );

        if let Some(address) = self.config.metrics_listen {
            let listener = TcpListener::bind(address).await;
            let listener =
                listener.with_context(|| format!("cannot listen for metrics on {address}"))?;
            let bounds = connections::ConnectionBounds::new(MONITORS, Vec::new(), Arc::default());
            let router = reeve_http::router::metrics_router(self.app.clone());
            tasks.spawn(connections::serve(listener, router, bounds, stop.clone()));
        }

        for section in &self.config.syslog {
            syslog::start(section, &self.tasks.source_intake, &tasks, &stop).await?;
        }

        let serving = connections::serve(
            listener,
            reeve_http::router(self.app.clone()),
            bounds,
            stop.clone(),
        );

        tasks.spawn(async move {
            stopping.cancelled().await;
            // They would never end by themselves.
            streams.close();
        });
        // A client that never ends its request would hold up the end for as long as it likes.
        let begun = std::sync::OnceLock::new();
        let patience = async {
            stop.cancelled().await;
            tokio::time::sleep_until(*begun.get_or_init(Instant::now) + LAST_REQUESTS).await;
        };
        tokio::select! {
            () = serving => {}
            () = patience => tracing::warn!("some requests did not end in time and were aborted"),
        }
        let stopped = || *begun.get_or_init(Instant::now);
        stop.cancel();
        tasks.close();
        if timeout_at(stopped() + LAST_TASKS, tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                "some background work did not stop in time; it is taken up at the next start"
            );
        }

        if timeout_at(stopped() + LAST_CLOSE, self.close())
            .await
            .is_err()
        {
            tracing::warn!(
                "the log could not be closed in time; the next start finds it as after a crash"
            );
        }

        Ok(())
    }

    /// Records the end, and closes what is open, the log before the state store.
    async fn close(&self) {
        self.app.record_tallies(true).await;
        self.tasks
            .journal
            .record_outcome(lifecycle(&events::STOP, "stop"))
            .await;
        self.ledger.close().await;
        self.lease.release().await;
        self.store.close().await;
    }

    /// Records that this server was a standby, and why it is active now.
    pub(crate) async fn record_takeover(&self, cause: TakeoverCause) {
        let entry = Entry::for_event(&events::TAKEOVER)
            .by(Actor::system())
            .on(ResourceRef::new("reeve", "service"))
            .with_action("take_over", ActionStatus::Success, ActionMethod::System)
            .with_metadata("cause", cause.as_str())
            .with_metadata("epoch", self.lease.epoch())
            .with_metadata(
                "previous_instance",
                self.lock.previous_instance().unwrap_or_default(),
            );
        self.tasks.journal.record_outcome(entry).await;
    }
}

/// Reads people's own checks, and lets the agents that check compliance judge by them too.
async fn checking(config: &Config, types: &AgentTypes) -> Result<(Arc<OwnChecks>, AgentTypes)> {
    let config = config.clone();
    let own = tokio::task::spawn_blocking(move || OwnChecks::open(&config)).await?;
    let row = ComplianceIntelligence::new(own.live().clone());
    Ok((Arc::new(own), types.with_row(Arc::new(row))))
}

async fn samples(config: &Config, store: &Store) -> Result<Arc<SampleLake>> {
    let samples = SampleLake::open(&config.data_dir)
        .await
        .context("the sample table could not be opened")?;
    let sources = store
        .metric_source_list()
        .await
        .context("the metric sources could not be read")?;
    let senders: Vec<ConnectionId> = sources.iter().map(MetricSource::connection).collect();
    samples.sample_sources(&senders);

    Ok(Arc::new(samples))
}

fn journal(log: &reeve_trail::Log, clock: Arc<dyn Clock>) -> Arc<Journal> {
    Arc::new(Journal::new(log.clone(), move || clock.now()))
}

fn retention(
    log: &opening::OpenedLog,
    trail: &Trail,
    store: &Arc<Store>,
    clock: &Arc<dyn Clock>,
) -> Arc<LogRetention> {
    Arc::new(LogRetention::new(
        log.ledger.clone(),
        (log.segments.clone(), log.tables.clone()),
        trail.clone(),
        store.clone(),
        clock.clone(),
    ))
}

/// Binds the configured address.
pub(crate) async fn bind(config: &Config) -> Result<TcpListener> {
    TcpListener::bind(config.listen).await.with_context(|| {
        format!(
            "cannot listen on {}: the address may be in use; choose another with --listen",
            config.listen
        )
    })
}

/// Address for standby servers: the configured one, else the one listened on, as a server on the
/// same machine reaches it.
fn reachable_at(config: &Config, listener: &TcpListener) -> Result<String> {
    if let Some(url) = &config.internal_url {
        return Ok(url.trim_end_matches('/').to_owned());
    }

    let mut address = listener.local_addr()?;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        });
    }

    Ok(format!("http://{address}"))
}

/// Entry about the service's own start or end.
fn lifecycle(kind: &EventKind, operation: &str) -> Entry {
    Entry::for_event(kind)
        .by(Actor::system())
        .on(ResourceRef::new("reeve", "service"))
        .with_action(operation, ActionStatus::Success, ActionMethod::System)
        .with_metadata("version", env!("CARGO_PKG_VERSION"))
}

/// Ports of the HTTP interface: the services of the tasks, and those that requests alone need.
fn ports(
    tasks: &TaskContext,
    engine: &EngineServices,
    store: &Arc<Store>,
    config: &Config,
    (log, trail): (&opening::OpenedLog, &Trail),
    observers: &Observers,
    clock: Arc<dyn Clock>,
) -> Ports {
    let retention = retention(log, trail, store, &clock);
    Ports {
        ledger: tasks.log.clone(),
        journal: tasks.journal.clone(),
        access: tasks.access.clone(),
        saved_searches: store.clone(),
        lists: store.clone(),
        erasures: retention.clone(),
        retention,
        retention_store: store.clone(),
        alerts: tasks.alerts.clone(),
        exports: tasks.exports.clone(),
        carrier: tasks.carrier.clone(),
        backups: Arc::new(RunningBackups::new(config, &log.ledger, store)),
        workspace: tasks.workspace.clone(),
        budgets: tasks.budgets.clone(),
        spending: tasks.bills.clone(),
        log_streams: tasks.streams.clone(),
        stream_sender: tasks.stream_receivers.clone(),
        reports: tasks.reports.clone(),
        verifier: Arc::new(DirectoryVerifier {
            data_dir: config.data_dir.clone(),
            anchor: config.anchor.clone(),
            tiers: config.tiers.folders(),
        }),
        lake_catalogue: Arc::new(LogTables {
            ledger: log.ledger.clone(),
            tables: log.tables.clone(),
        }),
        estate: tasks.estate.clone(),
        descriptions: store.clone(),
        kinds: Arc::default(),
        checks: tasks.checks.clone(),
        prices: observers.prices.clone(),
        bill_sources: store.clone(),
        bill_syncer: Arc::new(BackgroundBills(observers.bills.clone())),
        metric_sources: tasks.metric_sources.clone(),
        metric_intake: Arc::new(MetricGate(observers.metrics.clone())),
        samples: tasks.samples.clone(),
        agent_service: engine.agents.clone(),
        execution: engine.execution.clone(),
        guardrails: engine.guardrails.clone(),
        recommendations: engine.recommendations.clone(),
        rollouts: engine.rollouts.clone(),
        emergencies: engine.emergencies.clone(),
        runs: engine.runs.clone(),
        scopes: engine.scopes.clone(),
        workloads: engine.workloads.clone(),
        workload_store: store.clone(),
        agents: tasks.agents.clone(),
        anomalies: tasks.anomalies.clone(),
        threats: tasks.threats.clone(),
        anomaly_service: tasks.anomaly_service.clone(),
        incidents: store.clone(),
        incident_service: tasks.incident_service.clone(),
        typesetter: Arc::new(PdfTypesetter {
            ledger: log.ledger.clone(),
            is_demo: tasks.settings.is_demo,
        }),
        alert_intake: tasks.alert_intake.clone(),
        source_intake: tasks.source_intake.clone(),
        models: store.clone(),
        evidence: store.clone(),
        database_loads: store.clone(),
        flows: store.clone(),
        spots: store.clone(),
        objectives: store.clone(),
        objective_service: engine.objectives.clone(),
        maps: tasks.anomaly_service.maps().clone(),
        drifts: store.clone(),
        drift_service: engine.drift.clone(),
        runbooks: engine.runbooks.clone(),
        registry: tasks.registry.clone(),
        rules: store.clone(),
        rule_service: tasks.rule_service.clone(),
        dispatcher: tasks.dispatcher.clone(),
        syncer: Arc::new(Background(observers.syncer.clone())),
        clock,
    }
}

/// Clouds with the prices in force, which call nothing once the lease is lost.
fn opened(
    clouds: CloudRegistry,
    store: &Arc<Store>,
    config: &Config,
    catalogue: &Arc<PriceCatalogue>,
    lease: &ActiveLease,
) -> Result<Arc<CloudRegistry>> {
    let clouds = clouds.over(store.clone(), config.outbound.policy()?);
    let clouds = clouds.with_catalogue(catalogue.clone());
    Ok(Arc::new(clouds.with_deadline(lease.deadline())))
}

/// Results of checks, as reports read them.
fn configurations(store: &Arc<Store>, own_checks: &OwnChecks) -> Arc<Configurations> {
    Arc::new(Configurations {
        evidence: store.clone(),
        agents: store.clone(),
        checks: own_checks.live().clone(),
    })
}

/// Settings of the background tasks.
fn task_settings(config: &Config, demo: bool) -> TaskSettings {
    TaskSettings {
        agents_every: SignedDuration::from_secs(
            i64::try_from(config.agents_every_s).unwrap_or(i64::MAX),
        ),
        agents_at_once: config.agents_at_once,
        exports_dir: config.data_dir.join("exports"),
        export_limit_bytes: config.export_limit_bytes,
        reports_dir: config.data_dir.join("reports"),
        is_demo: demo,
        samples_days: config.samples_days,
    }
}

/// Records of what others are told.
fn sources(store: &Arc<Store>, public_url: Option<PublicUrl>, trail: Trail) -> Sources {
    Sources {
        agents: store.clone(),
        estate: store.clone(),
        anomalies: store.clone(),
        incidents: store.clone(),
        alerts: store.clone(),
        budgets: store.clone(),
        reports: store.clone(),
        workspace: store.clone(),
        public_url,
        forms: Arc::new(HttpForms),
        entries: Arc::new(TrailReader(trail)),
    }
}

/// Settings of the HTTP interface.
fn settings(config: &Config, lock: &ActiveLock, demo: bool) -> AppSettings {
    AppSettings {
        demo,
        secure_cookies: config.secure_cookies,
        max_body_bytes: config.max_body_bytes,
        bodies_limit_bytes: config.bodies_limit_bytes,
        agents_every_s: config.agents_every_s,
        trusted_proxies: TrustedProxies {
            addresses: config.trusted_proxies.clone(),
            standby_key: Some(TokenHash::from_secret(lock.forward_key())),
        },
        exports_dir: config.data_dir.join("exports"),
        export_limit_bytes: config.export_limit_bytes,
        samples_days: config.samples_days,
        reports_dir: config.data_dir.join("reports"),
        public_url: config.public_url(),
        aws_reads: reeve_connect_aws::reads(),
        metrics_token: config.metrics_token.as_deref().map(TokenHash::from_secret),
        search_limit: Duration::from_secs(config.search_limit_s),
        ..AppSettings::default()
    }
}

/// Carrier of exports to their destinations.
fn carrier(config: &Config, lease: &ActiveLease) -> Result<Arc<dyn Carrier>> {
    let (folder, ambient_buckets) = (config.export_folder.clone(), config.ambient_buckets.clone());
    let carriers = Carriers {
        folder,
        policy: config.outbound.policy()?,
        ambient_buckets,
    };

    Ok(Arc::new(Fenced::<dyn Carrier>::new(
        lease.deadline(),
        Arc::new(carriers),
    )))
}

/// Receivers of streams, which read the whole log.
fn stream_receivers(
    config: &Config,
    lease: &ActiveLease,
    trail: Trail,
) -> Result<Arc<StreamReceivers>> {
    Ok(Arc::new(StreamReceivers {
        policy: config.outbound.policy()?,
        ambient_buckets: config.ambient_buckets.clone(),
        deadline: lease.deadline().clone(),
        trail,
    }))
}

/// Dispatcher of webhooks and notification channels, over the guarded client.
fn dispatcher(
    config: &Config,
    lease: &ActiveLease,
    store: &Arc<Store>,
    recorder: &Arc<LedgerRecorder>,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<Dispatcher>> {
    let policy = config.outbound.policy()?;
    let attachments = Attachments {
        reports_dir: config.data_dir.join("reports"),
        limit_bytes: config.mail_attachment_limit_bytes,
    };
    Ok(Arc::new(Dispatcher {
        deliveries: store.clone(),
        workspace: store.clone(),
        webhooks: store.clone(),
        channels: store.clone(),
        sender: Arc::new(Fenced::<dyn WebhookSender>::new(
            lease.deadline(),
            Arc::new(Sender::new(policy.clone())),
        )),
        notifier: Arc::new(Fenced::<dyn Notifier>::new(
            lease.deadline(),
            Arc::new(People::new(policy).with_attachments(Arc::new(attachments))),
        )),
        recorder: recorder.clone(),
        clock: clock.clone(),
    }))
}

/// Cancelled by Ctrl-C or SIGTERM.
pub(crate) fn stop_on_signal() -> CancellationToken {
    let token = CancellationToken::new();
    let stop = token.clone();
    tokio::spawn(async move {
        let interrupt = tokio::signal::ctrl_c();
        let terminate = async {
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(mut signal) => {
                    signal.recv().await;
                }
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! { _ = interrupt => {}, () = terminate => {} }
        stop.cancel();
    });

    token
}

#[cfg(test)]
mod made_up;
