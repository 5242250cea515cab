//! `reeve analyze forecast`: quantiles of a series' next steps.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::cli::ForecastArgs;

/// Runs it.
pub(super) fn run(_args: &ForecastArgs) -> Result<ExitCode> {
    bail!("analyze forecast is not there yet")
}
