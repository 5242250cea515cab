//! Flags that commands on collections share: alert rules, reports, budgets.

use std::path::PathBuf;

use clap::Args;

use super::target::ServiceTarget;

/// A command on all of a collection.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A command on one of a collection.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedArgs {
    /// Name or identifier; the key for built-in alert rules.
    pub(crate) name: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A command that reads a JSON file.
#[derive(Debug, Clone, Args)]
pub(crate) struct FileArgs {
    /// JSON file; - reads stdin.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
