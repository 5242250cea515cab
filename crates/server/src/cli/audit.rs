//! `reeve audit`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Subcommand, ValueEnum};

use super::alerts::AlertsCommand;
use super::lists::ListsCommand;
use super::log_sources::LogSourcesCommand;
use super::reports::ReportsCommand;
use super::retention::{ErasuresCommand, HoldsCommand, RestoresCommand, RetentionCommand};
use super::streams::StreamsCommand;
use super::target::ServiceTarget;

/// `reeve audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Import entries from files, folders (recursively), .gz files, or - for stdin.
    Import(ImportArgs),
    /// Search the log, newest first; or count entries with --by and --histogram.
    Search(SearchArgs),
    /// Print the newest entries and follow new ones until Ctrl-C.
    Tail(TailArgs),
    /// Export entries to a file, oldest first.
    Export(ExportArgs),
    /// Manage alert rules, and list fired alerts.
    #[command(subcommand)]
    Alerts(AlertsCommand),
    /// Lists of values that queries compare with: known addresses, important people.
    #[command(subcommand)]
    Lists(ListsCommand),
    /// Manage and run reports.
    #[command(subcommand)]
    Reports(ReportsCommand),
    /// Show, change and preview the retention policies of the log.
    #[command(subcommand)]
    Retention(RetentionCommand),
    /// Legal holds: entries that are not deleted while a case is open.
    #[command(subcommand)]
    Holds(HoldsCommand),
    /// Erasures: requests to delete a person's entries, and their approvals.
    #[command(subcommand)]
    Erasures(ErasuresCommand),
    /// Restores: entries of the cold tier that can be searched for some days.
    #[command(subcommand)]
    Restores(RestoresCommand),
    /// Sources of entries: other systems that push events, or whose files are read.
    #[command(subcommand)]
    Sources(LogSourcesCommand),
    /// Manage streams of entries to other platforms.
    #[command(subcommand)]
    Streams(StreamsCommand),
}

/// Formats that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// AWS CloudTrail: log files, arrays, or one record per line.
    Cloudtrail,
    /// Reeve's own entries, one per line.
    Jsonl,
}

/// Place of the log: a data directory, or a running service.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Target {
    /// Data directory that no service is using. Takes precedence over --url.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Open a data directory of a version that signed neither its manifest nor its anchor; the log
    /// records it.
    #[arg(long, requires = "data_dir")]
    pub(crate) accept_unsigned: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve audit import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportArgs {
    /// Format of the files.
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) format: ImportFormat,
    /// Place of the log.
    #[command(flatten)]
    pub(crate) target: Target,
    /// Files and folders; - is stdin.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

/// A period of `timestamp`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Period {
    /// Start time: 2026-11-20, 2026-11-20T10:30, RFC 3339, -24h, now-7d, today, yesterday.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// End time, inclusive; a day, month or hour includes all of it.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
}

/// Form of entries in a terminal.
#[derive(Debug, Clone, Args)]
pub(crate) struct Look {
    /// Print one JSON object per line instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Read and print times in this machine's time zone instead of UTC.
    #[arg(long)]
    pub(crate) local: bool,
    /// Colour; auto is on in a terminal unless NO_COLOR is set.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
}

/// Length of the spans of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Span {
    /// Chosen by the length of the period.
    Auto,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Weeks, from Monday on.
    Week,
    /// Calendar months.
    Month,
}

/// `reeve audit search`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 entries found, 1 no entries found, 2 could not run.")]
pub(crate) struct SearchArgs {
    /// Query (docs/query-language.md); default: all entries.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// Period of the entries.
    #[command(flatten)]
    pub(crate) period: Period,
    /// Maximum number of entries, or of values with --by.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Print all entries.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Column to sort by (timestamp, severity, actor.email), `-` before it for the greatest first;
    /// default: the newest by sequence.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, conflicts_with_all = ["by", "histogram"])]
    pub(crate) sort: Option<reeve_audit::query::Sort>,
    /// Count the values of a field (event_type, user, resource.tags.env) instead of printing
    /// entries; `day>user` counts users by day; repeatable.
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Vec<String>,
    /// Count entries over time.
    #[arg(long, value_enum, value_name = "SPAN", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    pub(crate) histogram: Option<Span>,
    /// Form of the output.
    #[command(flatten)]
    pub(crate) look: Look,
    /// Place of the log.
    #[command(flatten)]
    pub(crate) target: Target,
}

/// `reeve audit tail`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 ended by Ctrl-C, a closed pipe or --no-follow, 2 could not run."
)]
pub(crate) struct TailArgs {
    /// Query (docs/query-language.md); default: all entries.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// Number of existing entries to print first.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) lines: u32,
    /// Exit after the existing entries.
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Form of the output.
    #[command(flatten)]
    pub(crate) look: Look,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// Formats that can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object per line, as the API returns it.
    Json,
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// Syslog messages (RFC 5424) with structured data.
    Syslog,
    /// ArcSight Common Event Format 0.
    Cef,
    /// Parquet files; only from a running service.
    Parquet,
}

impl ExportFormat {
    /// Name in the interface.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Syslog => "syslog",
            Self::Cef => "cef",
            Self::Parquet => "parquet",
        }
    }
}

/// Separator between syslog messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFraming {
    /// A newline after each.
    Newline,
    /// Its length before each.
    OctetCounting,
}

/// Treatment of a syslog or CEF record that is longer than --max-bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportOversize {
    /// Shorten the record: drop changes, custom metadata and the ends of long texts, and list what
    /// was dropped.
    Reduce,
    /// Skip the record and report it on stderr; the exit code is then 1.
    Skip,
}

/// `reeve audit export`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 complete, 1 without the records that were too large, 2 could not run or was interrupted; \
    --resume continues."
)]
pub(crate) struct ExportArgs {
    /// Format of the entries (docs/formats/export.md).
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) format: ExportFormat,
    /// Period of the entries.
    #[command(flatten)]
    pub(crate) period: Period,
    /// Query of the entries, in the query language.
    #[arg(long, value_name = "QUERY", default_value = "")]
    pub(crate) query: String,
    /// Output file; .gz is compressed, - writes to stdout. An existing folder receives all files of
    /// the export, with manifest and proof.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Destination that the service also uploads the files to (name or identifier).
    #[arg(long, value_name = "NAME")]
    pub(crate) destination: Option<String>,
    /// Continue an interrupted export of the same entries to the same file.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Read times without an offset in this machine's time zone instead of UTC.
    #[arg(long)]
    pub(crate) local: bool,
    /// CSV: do not escape values that a spreadsheet could run as a formula or a terminal as a
    /// command.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Default form of CSV without --raw; accepted for scripts that were written when it had to be
    /// requested.
    #[arg(long, hide = true, conflicts_with = "raw")]
    pub(crate) no_formulas: bool,
    /// Syslog: separator between messages.
    #[arg(long, value_enum, default_value = "newline")]
    pub(crate) framing: ExportFraming,
    /// Syslog: HOSTNAME of the messages.
    #[arg(long, value_name = "NAME", default_value = "-")]
    pub(crate) hostname: String,
    /// Syslog and CEF: maximum size of a record in bytes; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 8192)]
    pub(crate) max_bytes: usize,
    /// Syslog and CEF: treatment of larger records.
    #[arg(long, value_enum, default_value = "reduce")]
    pub(crate) oversize: ExportOversize,
    /// Place of the log.
    #[command(flatten)]
    pub(crate) target: Target,
}
