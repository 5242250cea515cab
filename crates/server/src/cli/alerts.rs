//! `reeve audit alerts`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit alerts`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AlertsCommand {
    /// List the alert rules, and the built-in rules that are not in use.
    List(ListArgs),
    /// Print a rule, and the reason if it does not fire.
    Show(NamedArgs),
    /// Create rules from a JSON file (an object, or an array of objects).
    Create(FileArgs),
    /// Import SIGMA rules as drafts; unsupported parts are listed with their line.
    Import(AlertImportArgs),
    /// Enable a rule, or a built-in rule by its key.
    Enable(NamedArgs),
    /// Disable a rule.
    Disable(NamedArgs),
    /// Send a test message to every receiver of a rule.
    Test(NamedArgs),
    /// List fired alerts, newest first.
    Firings(FiringsArgs),
}

/// SIGMA rules out of files.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 all rules imported, 1 some rules rejected, 2 could not run.")]
pub(crate) struct AlertImportArgs {
    /// YAML files; - is stdin.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit alerts firings`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 alerts found, 1 no alerts, 2 could not run.")]
pub(crate) struct FiringsArgs {
    /// Only alerts of this rule (name or identifier).
    #[arg(long)]
    pub(crate) rule: Option<String>,
    /// Only alerts in this state: open, acknowledged, resolved.
    #[arg(long, value_parser = ["open", "acknowledged", "resolved"])]
    pub(crate) status: Option<String>,
    /// Maximum number of results.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
