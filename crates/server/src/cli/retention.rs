//! `reeve audit retention` and `reeve audit holds`: their commands and flags.

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit retention`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RetentionCommand {
    /// Show the retention policies, and how much of the log is in which tier.
    Show(ListArgs),
    /// Replace the policies by those of a JSON file: {"policies": [...]}.
    Set(FileArgs),
    /// Show what the policies of a JSON file would do, without saving them.
    Preview(FileArgs),
    /// Delete what has expired now.
    Run(ListArgs),
}

/// `reeve audit holds`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum HoldsCommand {
    /// List the legal holds, those in force first.
    List(ListArgs),
    /// Show a legal hold.
    Show(NamedArgs),
    /// Place a legal hold from a JSON file.
    Create(FileArgs),
    /// Release a legal hold.
    Release(ReleaseArgs),
}

/// End of a legal hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReleaseArgs {
    /// Identifier of the hold.
    pub(crate) id: String,
    /// Reason, which the log records.
    #[arg(long)]
    pub(crate) reason: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
