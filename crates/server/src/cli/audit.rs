//! `reeve audit`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Subcommand, ValueEnum};

use super::alerts::AlertsCommand;
use super::reports::ReportsCommand;
use super::target::ServiceTarget;

/// `reeve audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Import entries from files, folders (walked), .gz, or - for stdin.
    Import(ImportArgs),
    /// Search the log and print what is found, newest first; or count with --by and --histogram.
    Search(SearchArgs),
    /// Print the newest entries, then those that arrive, until Ctrl-C.
    Tail(TailArgs),
    /// Write entries into a file, oldest first.
    Export(ExportArgs),
    /// Alert rules and firings of a running service.
    #[command(subcommand)]
    Alerts(AlertsCommand),
    /// Reports and their runs of a running service.
    #[command(subcommand)]
    Reports(ReportsCommand),
}

/// Formats that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// AWS CloudTrail: log files, arrays, or a record a line.
    Cloudtrail,
    /// Reeve's own entries, one a line.
    Jsonl,
}

/// Place of the log: a data directory, or a running service.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Target {
    /// A data directory that no service has open. It goes before --url.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
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
    /// From this time on: 2026-11-20, 2026-11-20T10:30, RFC 3339, -24h, now-7d, today, yesterday.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Up to this time, itself included; a day, month or hour is taken whole.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
}

/// Form of entries in a terminal.
#[derive(Debug, Clone, Args)]
pub(crate) struct Look {
    /// One JSON object a line in place of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Times of this machine's zone in place of UTC, read and written.
    #[arg(long)]
    pub(crate) local: bool,
    /// Colour; auto is on in a terminal unless NO_COLOR is set.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
}

/// Length of the spans of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Span {
    /// As fits the period.
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
#[command(after_help = "Exit codes: 0 something was found, 1 nothing was found, 2 could not run.")]
pub(crate) struct SearchArgs {
    /// In the query language (docs/query-language.md); everything unless given.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// Period of the entries.
    #[command(flatten)]
    pub(crate) period: Period,
    /// At most this many entries, or values of --by.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Every entry there is.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Count the values of a field (event_type, user, resource.tags.env) in place of entries; may be given again.
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
#[command(after_help = "Exit codes: 0 ended by Ctrl-C, a closed pipe or --no-follow, 2 could not run.")]
pub(crate) struct TailArgs {
    /// In the query language (docs/query-language.md); everything unless given.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// The newest so many first.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) lines: u32,
    /// End after those.
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
    /// One JSON object a line, as the interface shows it.
    Json,
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// Syslog messages (RFC 5424) with structured data.
    Syslog,
    /// ArcSight Common Event Format 0.
    Cef,
    /// Parquet files; from a running service alone.
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
    /// It leaves out changes, open metadata and ends of long texts, and names what it left out.
    Reduce,
    /// It is left out and told on stderr; the exit code then is 1.
    Skip,
}

/// `reeve audit export`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 all of it, 1 without the records that were too long, 2 could not run or was interrupted; \
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
    /// The file; .gz is compressed, - is stdout. A folder that exists gets all files of the export, with manifest and proof.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Destination that the service carries the files to as well, by name or identifier.
    #[arg(long, value_name = "NAME")]
    pub(crate) destination: Option<String>,
    /// Go on with an export of the same entries to the same file that was interrupted.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Take times without an offset as this machine's in place of UTC.
    #[arg(long)]
    pub(crate) local: bool,
    /// CSV: values as they are, also those that a spreadsheet takes for a formula or a terminal for a command.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Default form of CSV without --raw; accepted for scripts that were written when it had to be requested.
    #[arg(long, hide = true, conflicts_with = "raw")]
    pub(crate) no_formulas: bool,
    /// Syslog: what stands between messages.
    #[arg(long, value_enum, default_value = "newline")]
    pub(crate) framing: ExportFraming,
    /// Syslog: HOSTNAME of the messages.
    #[arg(long, value_name = "NAME", default_value = "-")]
    pub(crate) hostname: String,
    /// Syslog and CEF: how long a record may be; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 8192)]
    pub(crate) max_bytes: usize,
    /// Syslog and CEF: what becomes of a longer one.
    #[arg(long, value_enum, default_value = "reduce")]
    pub(crate) oversize: ExportOversize,
    /// Place of the log.
    #[command(flatten)]
    pub(crate) target: Target,
}
