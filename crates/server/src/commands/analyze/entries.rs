//! `reeve analyze entries`: scores of audit records.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::cli::EntriesArgs;

/// Runs it.
pub(super) fn run(_args: &EntriesArgs) -> Result<ExitCode> {
    bail!("analyze entries is not there yet")
}
