//! `reeve metrics`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve metrics`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum MetricsCommand {
    /// List Prometheus servers with the samples received from each.
    List(ListArgs),
    /// Print a source with its rules.
    Show(NamedArgs),
    /// Create sources from a JSON file (an object, or an array of objects). The token to push with
    /// is shown once.
    Create(FileArgs),
    /// Delete a source. Its samples are kept.
    Delete(NamedArgs),
    /// Query a source now.
    Sync(NamedArgs),
    /// Show the resource of each series of a source, and the reason for series without one.
    Preview(MetricPreviewArgs),
}

/// `reeve metrics preview`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 series match resources, 1 no series matches, 2 could not run."
)]
pub(crate) struct MetricPreviewArgs {
    /// Identifier or name of the source.
    pub(crate) name: String,
    /// JSON file with rules to try instead of the stored ones (an array); - reads stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
