//! `reeve audit sources`: its commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit sources`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LogSourcesCommand {
    /// List the sources with their health.
    List(ListArgs),
    /// Print a source as JSON.
    Show(NamedArgs),
    /// Add a source from a JSON file with name, kind and what the kind needs. Prints the token, once.
    Create(CreateSourceArgs),
    /// Read a sample as a source would: entries, reasons, what is left over. Nothing is written.
    Test(TestSourceArgs),
    /// Refuse what a source sends until it is resumed.
    Pause(NamedArgs),
    /// Take again what a source sends.
    Resume(NamedArgs),
    /// Make a new token; the one before opens nothing any more.
    RotateToken(NamedArgs),
    /// List the events that could not become entries.
    Quarantine(NamedArgs),
    /// Try the events in quarantine again, all or one.
    Retry(RetryArgs),
    /// Remove a source with its quarantine; its entries stay.
    Remove(NamedArgs),
}

/// `reeve audit sources create`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CreateSourceArgs {
    /// JSON file; - reads stdin.
    #[arg(short, long)]
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit sources test`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TestSourceArgs {
    /// Name of the source.
    pub(crate) name: String,
    /// File with a body as the source sends it; - reads stdin.
    pub(crate) sample: PathBuf,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit sources retry`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RetryArgs {
    /// Name of the source.
    pub(crate) name: String,
    /// Identifier of one event; without it all are tried.
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
