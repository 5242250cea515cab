//! `reeve serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use reeve_recommend::{AgentTypes, Changes};
use tokio_util::sync::CancellationToken;

use crate::adapters::clouds::CloudRegistry;
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::service::{Service, stop_on_signal};

/// Settings of a service that is started in the process that asks for it.
#[derive(Clone)]
pub struct Startup {
    /// Configuration file in the form that `reeve serve --config` reads. `REEVE_` variables are not read.
    pub config: PathBuf,
    /// Changes that plans may name.
    pub changes: Changes,
    /// Agent types that the service runs.
    pub agent_types: AgentTypes,
    /// Token of the first administrator; without one it is made up and printed.
    pub admin_token: Option<String>,
    /// Ends the service when it is cancelled.
    pub stop: CancellationToken,
}

/// Serves until it is told to stop; `bound` is called with the address once it can be reached.
///
/// # Errors
/// When the configuration, the data directory or the address cannot be used.
pub async fn serve(startup: Startup, bound: impl FnOnce(SocketAddr)) -> Result<()> {
    let config = Config::from_file(&startup.config)?;
    let service = Service::open(config, CloudRegistry::real(), startup.changes, startup.agent_types, false).await?;
    super::first_administrator(&service, startup.admin_token).await?;
    let (listener, address) = service.bind().await?;
    bound(address);
    service.serve(listener, startup.stop).await
}

/// Serves until it is told to stop.
pub(crate) async fn run(args: &ServeArgs) -> Result<()> {
    let config = Config::load(args)?;
    let (changes, agent_types) = (Changes::builtin(), reeve_agents::registry());
    let service = Service::open(config, CloudRegistry::real(), changes, agent_types, false).await?;
    super::first_administrator(&service, super::token_from_environment()).await?;
    let (listener, address) = service.bind().await?;
    let mut out = std::io::stdout();
    writeln!(out, "Dashboard: http://{address}")?;
    writeln!(out, "Interface: http://{address}/api/openapi.json")?;
    writeln!(out, "Data:      {}", service.config.data_dir.display())?;
    out.flush()?;
    service.serve(listener, stop_on_signal()).await
}
