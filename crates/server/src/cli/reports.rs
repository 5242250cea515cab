//! `reeve audit reports`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve audit reports`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ReportsCommand {
    /// List reports and the available compliance frameworks.
    List(ListArgs),
    /// Print a report and its latest runs.
    Show(NamedArgs),
    /// Create reports from a JSON file (an object, or an array of objects).
    Create(FileArgs),
    /// Run a report and wait for the result.
    Run(RunReportArgs),
    /// Download the result of a run, or of the latest run of a report.
    Download(DownloadReportArgs),
}

/// `reeve audit reports run`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 the run succeeded, 1 it failed or was cancelled, 2 could not run."
)]
pub(crate) struct RunReportArgs {
    /// Identifier or name of the report.
    pub(crate) report: String,
    /// Print the run without waiting for the result.
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// Format of a file of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Typeset, for people.
    Pdf,
    /// A table.
    Csv,
    /// Every cited entry with its proof, for `reeve-verify`.
    Json,
    /// Manifest that proves the other three; it names them as the dashboard saves them.
    Manifest,
}

impl ReportFormat {
    /// Name in requests.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ReportFormat::Pdf => "pdf",
            ReportFormat::Csv => "csv",
            ReportFormat::Json => "json",
            ReportFormat::Manifest => "manifest",
        }
    }
}

/// `reeve audit reports download`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DownloadReportArgs {
    /// Identifier of a run, or identifier or name of a report.
    pub(crate) run: String,
    /// Format.
    #[arg(long, value_enum, ignore_case = true, default_value_t = ReportFormat::Pdf)]
    pub(crate) format: ReportFormat,
    /// Output file; - writes to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
