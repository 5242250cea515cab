//! The command line, as `docs/howto/command-line.md` describes it. Results go to stdout, everything
//! else to stderr.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod alerts;
mod analyze;
mod audit;
mod backup;
mod bills;
mod budgets;
mod collection;
mod connections;
mod controls;
mod lists;
mod log_sources;
mod metrics;
mod prices;
mod reports;
mod retention;
mod streams;
mod target;

pub(crate) use alerts::{AlertImportArgs, AlertsCommand, FiringsArgs};
pub(crate) use analyze::{
    AccessArgs, AlarmSensitivity, AnalyzeCommand, AnomaliesArgs, CausesArgs, ComplianceArgs,
    CostsArgs, DatabaseArgs, EntriesArgs, EntriesFormat, ExposuresArgs, ForecastArgs,
    InterruptionsArgs, ScalingArgs, SeriesArgs, SizingArgs,
};
pub(crate) use audit::{
    AuditCommand, ExportArgs, ExportFormat, ExportFraming, ExportOversize, ImportArgs,
    ImportFormat, Look, Period, SearchArgs, Span, TailArgs, Target,
};
pub(crate) use bills::BillsCommand;
pub(crate) use budgets::{BudgetAlertsArgs, BudgetsCommand};
pub(crate) use collection::{ListArgs, NamedArgs};
pub(crate) use connections::{ConnectionsCommand, PolicyArgs, PolicyCloud};
pub(crate) use controls::{ControlsCommand, TestControlsArgs};
pub(crate) use lists::{ImportListArgs, ListsCommand};
pub(crate) use log_sources::{CreateSourceArgs, LogSourcesCommand, RetryArgs, TestSourceArgs};
pub(crate) use metrics::{MetricPreviewArgs, MetricsCommand};
pub(crate) use prices::PricesCommand;
pub(crate) use reports::{DownloadReportArgs, ReportsCommand, RunReportArgs};
pub(crate) use retention::{ErasuresCommand, HoldsCommand, RestoresCommand, RetentionCommand};
pub(crate) use streams::{ReplayArgs, StreamsCommand};
pub(crate) use target::ServiceTarget;

pub(crate) use backup::{
    BackupCommand, BackupCreateArgs, BackupRestoreArgs, BackupTombstonesArgs, BackupVerifyArgs,
};

/// Optimizes cloud accounts within guardrails, and keeps a signed audit log of every change.
#[derive(Debug, Parser)]
#[command(name = "reeve", version, about, long_about = None, propagate_version = true,
    after_help = "Exit codes: 0 success, 1 partial success or problems found, 2 could not run.")]
pub(crate) struct Cli {
    /// Log more (-v) or much more (-vv) to stderr.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the service: dashboard and HTTP API. REEVE_ADMIN_TOKEN sets the first administrator's
    /// token.
    Serve(ServeArgs),
    /// Start the service with simulated cloud accounts: three clouds, 30 days of history.
    Demo(DemoArgs),
    /// Import, search, follow and export the audit log; alert rules, reports, retention and legal holds.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Analyze files (metrics, bills, audit records) with the models that the agents use.
    #[command(subcommand)]
    Analyze(AnalyzeCommand),
    /// Import metrics of Prometheus servers into a running service.
    #[command(subcommand)]
    Metrics(MetricsCommand),
    /// Manage the S3 buckets that a running service reads bills from.
    #[command(subcommand)]
    Bills(BillsCommand),
    /// Show the list prices that a running service computes with, and import newer ones.
    #[command(subcommand)]
    Prices(PricesCommand),
    /// Manage budgets of a running service.
    #[command(subcommand)]
    Budgets(BudgetsCommand),
    /// Create, restore and verify backups.
    #[command(subcommand)]
    Backup(BackupCommand),
    /// List connections to clouds, and print the policies that they need.
    #[command(subcommand)]
    Connections(ConnectionsCommand),
    /// Test checks and frameworks of your own.
    #[command(subcommand)]
    Controls(ControlsCommand),
    /// Manage the signing key of the audit log.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Print the OpenAPI 3.1 document of the HTTP API.
    Openapi,
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `reeve keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Replace the signing key: the old key signs the new one and is then destroyed.
    Rotate(RotateArgs),
}

/// `reeve keys rotate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RotateArgs {
    /// Data directory; no service may be using it.
    #[arg(long)]
    pub(crate) data_dir: PathBuf,
    /// Anchor file, unless it is anchor/head in the data directory.
    #[arg(long)]
    pub(crate) anchor: Option<PathBuf>,
}

/// `reeve serve`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServeArgs {
    /// Configuration file (TOML). Unknown keys are rejected.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Data directory.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long)]
    pub(crate) listen: Option<SocketAddr>,
    /// Start once over a log of a version that signed neither its manifest nor its anchor; the log
    /// records it.
    #[arg(long)]
    pub(crate) accept_unsigned: bool,
}

/// `reeve demo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Data directory; default: reeve-demo in the user's data folder. An existing demo continues.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Start once over a log of a version that signed neither its manifest nor its anchor; the log
    /// records it.
    #[arg(long)]
    pub(crate) accept_unsigned: bool,
    /// Seed of the simulated estate: the same seed gives the same estate.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Open the dashboard in a browser when it is ready.
    #[arg(long)]
    pub(crate) open: bool,
}
