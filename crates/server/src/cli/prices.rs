//! `reeve prices`: its commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::collection::ListArgs;
use super::target::ServiceTarget;

/// `reeve prices`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum PricesCommand {
    /// List the price tables in force with source, date and age. Of a cloud and kind the earlier
    /// one goes before the later one.
    Show(ListArgs),
    /// Import a price file: CSV with a head, as it is or compressed with zstd. It is in force at
    /// once.
    Import(ImportPricesArgs),
    /// Remove an imported price file; the bundled prices are in force again.
    Remove(RemovePricesArgs),
}

/// `reeve prices import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportPricesArgs {
    /// Price file; - reads stdin.
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve prices remove`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RemovePricesArgs {
    /// Cloud of the file.
    #[arg(value_parser = ["aws", "azure", "gcp"])]
    pub(crate) provider: String,
    /// Kind of the file.
    #[arg(value_parser = ["machines", "databases", "units"])]
    pub(crate) kind: String,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
