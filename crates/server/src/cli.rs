//! The command line, as `docs/howto/command-line.md` describes it. Results go to stdout, everything else to stderr.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod alerts;
mod analyze;
mod audit;
mod backup;
mod budgets;
mod collection;
mod connections;
mod metrics;
mod reports;
mod target;

pub(crate) use alerts::{AlertImportArgs, AlertsCommand, FiringsArgs};
pub(crate) use analyze::{
    AlarmSensitivity, AnalyzeCommand, AnomaliesArgs, CostsArgs, EntriesArgs, EntriesFormat, ForecastArgs,
    InterruptionsArgs, SeriesArgs, SizingArgs,
};
pub(crate) use audit::{
    AuditCommand, ExportArgs, ExportFormat, ExportFraming, ExportOversize, ImportArgs, ImportFormat, Look, Period,
    SearchArgs, Span, TailArgs, Target,
};
pub(crate) use budgets::{BudgetAlertsArgs, BudgetsCommand};
pub(crate) use collection::{ListArgs, NamedArgs};
pub(crate) use connections::{ConnectionsCommand, PolicyArgs, PolicyCloud};
pub(crate) use metrics::{MetricPreviewArgs, MetricsCommand};
pub(crate) use reports::{DownloadReportArgs, ReportsCommand, RunReportArgs};
pub(crate) use target::ServiceTarget;

pub(crate) use backup::{BackupCommand, BackupCreateArgs, BackupRestoreArgs, BackupVerifyArgs};

/// Watches over a cloud estate and keeps its record.
#[derive(Debug, Parser)]
#[command(name = "reeve", version, about, long_about = None, propagate_version = true,
    after_help = "Exit codes: 0 done, 1 done in part or found wanting, 2 could not run.")]
pub(crate) struct Cli {
    /// Say more (-v) or much more (-vv) on stderr.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the dashboard and the interface. REEVE_ADMIN_TOKEN sets the first administrator's token.
    Serve(ServeArgs),
    /// Serve with a simulated estate that lives: three clouds, 30 days of history.
    Demo(DemoArgs),
    /// Work with the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Judge files of one's own as the agents judge the estate.
    #[command(subcommand)]
    Analyze(AnalyzeCommand),
    /// Take metrics of Prometheus servers over into a running service.
    #[command(subcommand)]
    Metrics(MetricsCommand),
    /// Watch spending against budgets of a running service.
    #[command(subcommand)]
    Budgets(BudgetsCommand),
    /// Back up a data directory with its state, restore and check backups.
    #[command(subcommand)]
    Backup(BackupCommand),
    /// Connections to clouds.
    #[command(subcommand)]
    Connections(ConnectionsCommand),
    /// Work with the log's signing key.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Print the description of the HTTP interface (OpenAPI 3.1).
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
    /// Replace the log's signing key: a new one takes over, signed over to by the old, which is destroyed.
    Rotate(RotateArgs),
}

/// `reeve keys rotate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RotateArgs {
    /// A data directory that no service has open.
    #[arg(long)]
    pub(crate) data_dir: PathBuf,
    /// The anchor's file, when it is not anchor/head in the data directory.
    #[arg(long)]
    pub(crate) anchor: Option<PathBuf>,
}

/// `reeve serve`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServeArgs {
    /// Configuration file (TOML). Unknown keys are refused.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Data directory.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long)]
    pub(crate) listen: Option<SocketAddr>,
}

/// `reeve demo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Data directory; reeve-demo in the user's data folder unless given. The demo continues where it was.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Seed of the simulated estate: the same seed gives the same estate.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Open the dashboard in a browser once it answers.
    #[arg(long)]
    pub(crate) open: bool,
}
