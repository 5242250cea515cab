//! The command line, as `docs/howto/command-line.md` describes it. Results go to stdout, everything else to stderr.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Watches over a cloud estate and keeps its record.
#[derive(Debug, Parser)]
#[command(name = "reeve", version, about, long_about = None, propagate_version = true,
    after_help = "Exit codes: 0 done, 1 done in part or found wanting, 2 could not run.")]
pub(crate) struct Cli {
    /// Say more (-v) or much more (-vv) on stderr.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the dashboard and the interface. REEVE_ADMIN_TOKEN sets the first administrator's token.
    Serve(ServeArgs),
    /// Serve with a simulated estate that lives: three clouds, 30 days of history.
    Demo(DemoArgs),
    /// Work with the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Print the description of the HTTP interface (OpenAPI 3.1).
    Openapi,
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `reeve serve`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServeArgs {
    /// Configuration file (TOML). Unknown keys are refused.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Where everything is kept.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long)]
    pub(crate) listen: Option<SocketAddr>,
}

/// `reeve demo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Where everything is kept; reeve-demo in the user's data folder unless given. The demo goes on where it was.
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

/// `reeve audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Import entries from files, folders (walked), .gz, or - for stdin.
    Import(ImportArgs),
    /// Search the log and print what is found, newest first.
    Search(SearchArgs),
}

/// Formats that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// AWS CloudTrail: log files, arrays, or a record a line.
    Cloudtrail,
    /// Reeve's own entries, one a line.
    Jsonl,
}

/// Where the log is: a data directory, or a running service.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Target {
    /// A data directory that no service has open.
    #[arg(long, conflicts_with_all = ["url", "token"])]
    pub(crate) data_dir: Option<PathBuf>,
    /// A running service.
    #[arg(long, env = "REEVE_URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// An API token for it.
    #[arg(long, env = "REEVE_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

/// `reeve audit import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportArgs {
    /// What the files hold.
    #[arg(long, value_enum)]
    pub(crate) format: ImportFormat,
    /// Where the log is.
    #[command(flatten)]
    pub(crate) target: Target,
    /// Files and folders; - is stdin.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

/// `reeve audit search`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs {
    /// In the query language (docs/query-language.md).
    pub(crate) query: String,
    /// From this time on (RFC 3339).
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// Before this time.
    #[arg(long)]
    pub(crate) to: Option<String>,
    /// At most this many.
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// One JSON object a line in place of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the log is.
    #[command(flatten)]
    pub(crate) target: Target,
}
