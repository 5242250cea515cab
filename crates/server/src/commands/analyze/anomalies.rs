//! `reeve analyze anomalies`: scores of a series, a row at a time.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::cli::AnomaliesArgs;

/// Runs it.
pub(super) fn run(_args: &AnomaliesArgs) -> Result<ExitCode> {
    bail!("analyze anomalies is not there yet")
}
