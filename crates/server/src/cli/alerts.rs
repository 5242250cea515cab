//! `reeve audit alerts`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit alerts`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AlertsCommand {
    /// List the alert rules, and the ready rules that are not in use.
    List(ListArgs),
    /// Print a rule and why it does not fire, if it does not.
    Show(NamedArgs),
    /// Add the rules of a file: one JSON object, or an array of them.
    Create(FileArgs),
    /// Import SIGMA rules as drafts, and name what is not supported by line.
    Import(AlertImportArgs),
    /// Enable a rule, or a ready rule by its key.
    Enable(NamedArgs),
    /// Disable a rule.
    Disable(NamedArgs),
    /// Send a test message to every receiver of a rule.
    Test(NamedArgs),
    /// List firings, the latest first.
    Firings(FiringsArgs),
}

/// SIGMA rules out of files.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 every rule was imported, 1 some were not, 2 could not run.")]
pub(crate) struct AlertImportArgs {
    /// YAML files; - is stdin.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The answers as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit alerts firings`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 there are firings, 1 there are none, 2 could not run.")]
pub(crate) struct FiringsArgs {
    /// Of the rule of this identifier or name.
    #[arg(long)]
    pub(crate) rule: Option<String>,
    /// In this state: open, acknowledged, resolved.
    #[arg(long, value_parser = ["open", "acknowledged", "resolved"])]
    pub(crate) status: Option<String>,
    /// At most this many.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
