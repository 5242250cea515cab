//! `reeve serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use reeve_estate::{KindReader, Kinds, Metric, MetricRow};
use reeve_notify::notification::ChannelStore as _;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::change::ChangeRegistry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::active::{self, ActiveLock, Turn};
use crate::adapters::clouds::CloudRegistry;
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::connections::ConnectionBounds;
use crate::private;
use crate::service::{Service, bind, stop_on_signal};

/// Settings of a service that is started in the process that requires it.
#[derive(Clone)]
pub struct Startup {
    /// Configuration file in the form that `reeve serve --config` reads. `REEVE_` variables are not
    /// read.
    pub config: PathBuf,
    /// Changes that plans may name.
    pub changes: ChangeRegistry,
    /// Agent types that the service runs.
    pub agent_types: AgentTypes,
    /// Kinds of resources that are worded.
    pub kinds: Kinds,
    /// Rows that the table of metrics gets beside its own; metric sources may map series to them.
    pub metrics: Vec<MetricRow>,
    /// Readers of further kinds.
    pub readers: Vec<Arc<dyn KindReader>>,
    /// Token of the first administrator; without one it is made up and printed.
    pub admin_token: Option<String>,
    /// Ends the service when it is cancelled.
    pub stop: CancellationToken,
}

/// Serves until it is told to stop; `bound` is called with the address once it can be reached.
/// While another server uses the data directory this one is its standby.
///
/// # Errors
/// The configuration, the data directory or the address cannot be used.
pub async fn serve(startup: Startup, bound: impl FnOnce(SocketAddr)) -> Result<()> {
    let config = Config::from_file(&startup.config)?;
    start(config, startup, |address, _| {
        bound(address);
        Ok(())
    })
    .await
}

/// Serves until it is told to stop.
pub(crate) async fn run(args: &ServeArgs) -> Result<()> {
    let config = Config::load(args)?;
    let startup = Startup {
        config: PathBuf::new(),
        changes: ChangeRegistry::builtin(),
        agent_types: reeve_agents::registry(),
        kinds: Kinds::builtin().clone(),
        metrics: Vec::new(),
        readers: Vec::new(),
        admin_token: super::token_from_environment(),
        stop: stop_on_signal(),
    };

    let data_dir = config.data_dir.clone();
    start(config, startup, |address, role| {
        let mut out = std::io::stdout();
        writeln!(out, "Dashboard: http://{address}")?;
        writeln!(out, "Interface: http://{address}/api/openapi.json")?;
        writeln!(out, "Data:      {}", data_dir.display())?;
        if role == Role::Standby {
            writeln!(out, "Standby:   another server uses this data directory; requests go to it until it is gone")?;
        }
        Ok(out.flush()?)
    })
    .await
}

/// Part that a server plays when it can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Active,
    Standby,
}

/// Becomes active, at once or once the server that is active is gone, and serves.
async fn start(
    config: Config,
    startup: Startup,
    reachable: impl FnOnce(SocketAddr, Role) -> Result<()>,
) -> Result<()> {
    private::make(&config.data_dir)?;
    open_files(config.max_connections);
    active::check_file_system(&config)?;
    let lock = match ActiveLock::take(&config.data_dir)? {
        Turn::Active(lock) => lock,
        Turn::Held(_) => return stand_by(config, startup, reachable).await,
    };
    let stop = startup.stop.clone();
    let service = open(lock, config, startup).await?;
    let listener = bind(&service.config).await?;
    reachable(listener.local_addr()?, Role::Active)?;

    service.serve(listener, stop).await
}

/// Files beside the connections: segments and indexes being read, databases, calls to clouds.
const OTHER_FILES: u64 = 1_000;

/// Raises the limit of open files as far as the system allows. Many systems begin with 1,024, fewer
/// than the connections that are allowed by default, and an append that finds no file descriptor is
/// a fault of the log.
fn open_files(connections: usize) {
    let wanted = u64::try_from(connections)
        .unwrap_or(u64::MAX)
        .saturating_add(OTHER_FILES);
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < wanted => tracing::warn!(
            limit,
            wanted,
            "few files may be open at once: raise the process's limit (LimitNOFILE, ulimit -n) or lower max_connections"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files could not be raised"),
    }
}

/// Forwards requests until the active server is gone, then takes over on the same address.
async fn stand_by(
    config: Config,
    startup: Startup,
    reachable: impl FnOnce(SocketAddr, Role) -> Result<()>,
) -> Result<()> {
    // Connections that arrive in between wait on the listener that stays open.
    let listener = bind(&config).await?.into_std()?;
    let forwarding = TcpListener::from_std(listener.try_clone()?)?;
    reachable(listener.local_addr()?, Role::Standby)?;
    let stop = startup.stop.clone();

    // A standby publishes no metrics of its own.
    let bounds = ConnectionBounds::new(
        config.max_connections,
        config.trusted_proxies.clone(),
        Arc::default(),
    );

    let Some((lock, cause)) = active::wait(&config.data_dir, forwarding, bounds, &stop).await?
    else {
        return Ok(());
    };

    let service = open(lock, config, startup).await?;
    service.record_takeover(cause).await;
    service.serve(TcpListener::from_std(listener)?, stop).await
}

async fn open(lock: ActiveLock, config: Config, startup: Startup) -> Result<Service> {
    let Startup {
        changes,
        agent_types,
        kinds,
        metrics,
        readers,
        admin_token,
        ..
    } = startup;

    for row in metrics {
        Metric::register(row)?;
    }
    let clouds = CloudRegistry::real().with_readers(readers);
    let service =
        Service::open_as(lock, config, clouds, changes, agent_types, kinds, false).await?;
    super::first_rules(&service).await?;
    super::first_administrator(&service, admin_token).await?;
    warn_without_links(&service).await;

    Ok(service)
}

/// Warns of messages without links: channels exist, and neither the configuration nor an
/// administrator names the public address.
async fn warn_without_links(service: &Service) {
    let workspace = service.tasks.workspace.workspace_get().await;
    let is_known = service.config.public_url().is_some()
        || workspace.is_ok_and(|found| found.public_url.is_some());
    let channels = service
        .store
        .channel_list()
        .await
        .map_or(0, |channels| channels.len());

    if !is_known && channels > 0 {
        tracing::warn!(
            channels,
            "notifications have no links: set public_url in the configuration, or the public address under Settings, Workspace"
        );
    }
}
