//! `reeve connections`: its commands and their flags.

use clap::{Args, Subcommand, ValueEnum};

use super::collection::{ListArgs, NamedArgs};

/// `reeve connections`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConnectionsCommand {
    /// List connections with the result of their last sync.
    List(ListArgs),
    /// List the last sync of a connection per kind and region: resources read, denied or throttled,
    /// and the time of the last complete reading.
    #[command(
        after_help = "Exit codes: 0 everything was read completely, 1 something was not, 2 could not run."
    )]
    Readings(NamedArgs),
    /// Print the IAM policy that a connection needs: read permissions, and one statement per
    /// change.
    Policy(PolicyArgs),
}

/// `reeve connections policy`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyArgs {
    /// The cloud.
    pub(crate) cloud: PolicyCloud,
    /// Only read permissions, for an observe-only connection.
    #[arg(long)]
    pub(crate) observe_only: bool,
    /// Changes to allow, by name; default: all changes of the cloud.
    #[arg(long, value_delimiter = ',', conflicts_with = "observe_only")]
    pub(crate) changes: Vec<String>,
    /// Agent types whose changes to allow, by name; adds to --changes.
    #[arg(long, value_delimiter = ',', conflicts_with = "observe_only")]
    pub(crate) agents: Vec<String>,
}

/// Cloud of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyCloud {
    /// Amazon Web Services: an IAM policy.
    Aws,
}
