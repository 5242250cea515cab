//! `reeve audit lists`: its commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::{ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit lists`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ListsCommand {
    /// List the lists that queries can compare with, as in actor.ip_address:@NAME.
    Show(ListArgs),
    /// Print the values of a list, one a line.
    Values(NamedArgs),
    /// Add a list, or replace its values, from a file with an address, a network or a text a line;
    /// `#` begins a comment.
    Import(ImportListArgs),
    /// Remove a list.
    Remove(NamedArgs),
}

/// `reeve audit lists import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportListArgs {
    /// Name of the list: letters, digits, `_`, `-` and `.`.
    pub(crate) name: String,
    /// File with the values; - reads stdin.
    pub(crate) file: PathBuf,
    /// Purpose of the list; the present one stays unless given.
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
