//! `reeve serve`.

use std::io::Write as _;

use anyhow::Result;
use reeve_recommend::Changes;

use crate::adapters::clouds::CloudRegistry;
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::service::{Service, stop_on_signal};

/// Serves until it is told to stop.
pub(crate) async fn run(args: &ServeArgs) -> Result<()> {
    let config = Config::load(args)?;
    let service = Service::open(config, CloudRegistry::real(), Changes::builtin(), false).await?;
    super::first_administrator(&service).await?;
    let (listener, address) = service.bind().await?;
    let mut out = std::io::stdout();
    writeln!(out, "Dashboard: http://{address}")?;
    writeln!(out, "Interface: http://{address}/api/openapi.json")?;
    writeln!(out, "Data:      {}", service.config.data_dir.display())?;
    out.flush()?;
    service.serve(listener, stop_on_signal()).await
}
