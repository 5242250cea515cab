//! `reeve audit retention`, `reeve audit holds`, `reeve audit erasures` and `reeve audit restores`:
//! their commands and flags.

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit retention`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RetentionCommand {
    /// Show the retention policies, and how much of the log is in which tier.
    Show(ListArgs),
    /// Replace the policies by those of a JSON file: {"policies": [...]}.
    Set(FileArgs),
    /// Show what the policies of a JSON file would do, without saving them.
    Preview(FileArgs),
    /// Delete what has expired, and move what is due in a farther tier, now.
    Run(ListArgs),
}

/// `reeve audit holds`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum HoldsCommand {
    /// List the legal holds, those in force first.
    List(ListArgs),
    /// Show a legal hold.
    Show(NamedArgs),
    /// Place a legal hold from a JSON file.
    Create(FileArgs),
    /// Release a legal hold.
    Release(ReleaseArgs),
}

/// `reeve audit restores`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RestoresCommand {
    /// List the restores, those in force first.
    List(ListArgs),
    /// Show a restore with its progress.
    Show(RestoreArgs),
    /// Ask for the entries of a period that lie in the cold tier.
    Create(RestoreCreateArgs),
    /// End a restore.
    End(RestoreArgs),
}

/// A restore.
#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreArgs {
    /// Identifier of the restore.
    pub(crate) id: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A new restore.
#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreCreateArgs {
    /// First time that is asked for, such as 2026-01-01T00:00:00Z.
    #[arg(long)]
    pub(crate) start: String,
    /// Last time that is asked for.
    #[arg(long)]
    pub(crate) end: String,
    /// Days for which the entries can be searched once all are there.
    #[arg(long, default_value_t = 7)]
    pub(crate) days: u32,
    /// Reason, which the log records.
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit erasures`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ErasuresCommand {
    /// List the requests to erase a person's entries, the newest first.
    List(ListArgs),
    /// Show a request.
    Show(NamedArgs),
    /// Request an erasure from a JSON file: {"scope": {...}, "reason": "...", "legal_basis": "..."}.
    Create(FileArgs),
    /// Approve a request. Its requester cannot.
    Approve(NamedArgs),
    /// Reject a request, or withdraw one's own.
    Reject(ReleaseArgs),
}

/// End of a legal hold, or of a request for erasure.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReleaseArgs {
    /// Identifier of the hold or request.
    pub(crate) id: String,
    /// Reason, which the log records.
    #[arg(long)]
    pub(crate) reason: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
