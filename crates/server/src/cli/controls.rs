//! `reeve controls`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `reeve controls`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ControlsCommand {
    /// Test checks against the samples beside them.
    Test(TestControlsArgs),
}

/// `reeve controls test`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 every file can be read and every sample holds, 1 something does not, 2 could not run."
)]
pub(crate) struct TestControlsArgs {
    /// Folder with checks/<cloud>/<service>/<name>.toml and controls/<name>.toml.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
