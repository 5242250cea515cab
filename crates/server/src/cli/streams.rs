//! `reeve audit streams`: its commands and their flags.

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit streams`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum StreamsCommand {
    /// List streams with health and lag.
    List(ListArgs),
    /// Print a stream, its status and its dead letters.
    Show(NamedArgs),
    /// Create streams from a JSON file (an object, or an array of objects).
    Create(FileArgs),
    /// Send a test entry to the receiver of a stream.
    #[command(
        after_help = "Exit codes: 0 the receiver took the entry, 1 it did not, 2 could not run."
    )]
    Test(NamedArgs),
    /// Pause a stream. It keeps its position.
    Pause(NamedArgs),
    /// Resume a stream where it stands.
    Resume(NamedArgs),
    /// Send again from a sequence.
    Replay(ReplayArgs),
}

/// `reeve audit streams replay`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Identifier or name of the stream.
    pub(crate) name: String,
    /// First sequence to send; 0 is the first entry of the log.
    #[arg(long)]
    pub(crate) from: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
