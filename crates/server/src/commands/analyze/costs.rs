//! `reeve analyze costs`: a bill's totals, anomalies and recommendations.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::cli::CostsArgs;

/// Runs it.
pub(super) fn run(_args: &CostsArgs) -> Result<ExitCode> {
    bail!("analyze costs is not there yet")
}
