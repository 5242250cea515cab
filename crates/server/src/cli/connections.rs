//! `reeve connections`: its commands and their flags.

use clap::{Args, Subcommand, ValueEnum};

use super::collection::{ListArgs, NamedArgs};

/// `reeve connections`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConnectionsCommand {
    /// List the connections of a running service, and how their last syncs ended.
    List(ListArgs),
    /// List what the last sync of a connection read of each kind and region, what was denied or throttled, and when it was
    /// last read completely.
    #[command(after_help = "Exit codes: 0 everything was read completely, 1 something was not, 2 could not run.")]
    Readings(NamedArgs),
    /// Print the policy that a connection's key or role needs: reading, and one statement for each change.
    Policy(PolicyArgs),
}

/// `reeve connections policy`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyArgs {
    /// The cloud.
    pub(crate) cloud: PolicyCloud,
    /// Reading alone, for a connection that may not act.
    #[arg(long)]
    pub(crate) observe_only: bool,
    /// Changes to allow, by name; all that the cloud offers unless given.
    #[arg(long, value_delimiter = ',', conflicts_with = "observe_only")]
    pub(crate) changes: Vec<String>,
    /// Agent types whose changes to allow, by name; together with --changes both are.
    #[arg(long, value_delimiter = ',', conflicts_with = "observe_only")]
    pub(crate) agents: Vec<String>,
}

/// Cloud of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyCloud {
    /// Amazon Web Services: an IAM policy.
    Aws,
}
