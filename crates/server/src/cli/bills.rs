//! `reeve bills`: its commands.

use clap::Subcommand;

use super::collection::{FileArgs, ListArgs, NamedArgs};

/// `reeve bills`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BillsCommand {
    /// List S3 buckets with bills, with the bills read from each.
    List(ListArgs),
    /// Print a bill source with the result of its last read.
    Show(NamedArgs),
    /// Create bill sources from a JSON file (an object, or an array of objects).
    Create(FileArgs),
    /// Delete a bill source and the bills that were read from it. The bucket stays as it is.
    Delete(NamedArgs),
    /// Read a bucket now.
    Sync(NamedArgs),
}
