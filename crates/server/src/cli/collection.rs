//! Flags that commands on collections share: alert rules, reports, budgets.

use std::path::PathBuf;

use clap::Args;

use super::target::ServiceTarget;

/// A command on all of a collection.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A command on one of a collection.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamedArgs {
    /// Identifier or name; of ready alert rules their key.
    pub(crate) name: String,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A command that reads a JSON file.
#[derive(Debug, Clone, Args)]
pub(crate) struct FileArgs {
    /// The file; - is stdin.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
