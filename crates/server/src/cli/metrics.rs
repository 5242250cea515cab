//! `reeve metrics`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve metrics`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum MetricsCommand {
    /// List the Prometheus servers, and what arrived from each.
    List(ListArgs),
    /// Print a source with its rules.
    Show(NamedArgs),
    /// Add the sources of a file: one JSON object, or an array of them. The answer has the token to push with, this once.
    Create(FileArgs),
    /// Remove a source. Its samples stay.
    Delete(NamedArgs),
    /// Query a source now.
    Sync(NamedArgs),
    /// Show which series of a source belong to which resources, and why the others do not.
    Preview(MetricPreviewArgs),
}

/// `reeve metrics preview`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 series belong to resources, 1 none does, 2 could not run.")]
pub(crate) struct MetricPreviewArgs {
    /// Identifier or name of the source.
    pub(crate) name: String,
    /// Rules to try in place of the stored ones: a JSON array; - is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
