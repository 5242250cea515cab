//! `reeve connections`: its commands and their flags.

use clap::{Args, Subcommand, ValueEnum};

/// `reeve connections`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConnectionsCommand {
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
}

/// Cloud of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyCloud {
    /// Amazon Web Services: an IAM policy.
    Aws,
}
