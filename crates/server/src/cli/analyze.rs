//! `reeve analyze`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use reeve_audit::Obstacle;
use reeve_estate::{DataSize, TimeSpan};
use reeve_learn::interruption::SWITCHES_PER_DAY;

/// `reeve analyze`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AnalyzeCommand {
    /// Detect anomalies in a time series; each row is scored from earlier rows only.
    Anomalies(AnomaliesArgs),
    /// Forecast a time series with 90 % intervals.
    Forecast(ForecastArgs),
    /// Analyze a bill (FOCUS): totals, anomalies, recommendations.
    Costs(CostsArgs),
    /// Detect unusual activity in audit records.
    Entries(EntriesArgs),
    /// Predict spot interruptions within a horizon, or decide between spot and on demand.
    Interruptions(InterruptionsArgs),
    /// Recommend the capacity that a machine needs for the next seven days.
    Sizing(SizingArgs),
    /// Rank the probable causes of an incident.
    Causes(CausesArgs),
    /// Scale a group ahead of its load: the units wanted at each moment.
    Scaling(ScalingArgs),
    /// Check configurations of cloud resources against the checks of compliance controls.
    Compliance(ComplianceArgs),
    /// Say what the internet, other accounts and the organization can reach or read, step by step.
    Exposures(ExposuresArgs),
    /// List what principals of an AWS account can reach with their permissions, or decide requests.
    Access(AccessArgs),
    /// Analyze a database: indexes, parameters, statements and health; it is only read.
    Database(DatabaseArgs),
}

/// `reeve analyze database`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object: engine, version, database, advice (area, rule, object, title, severity, statements, undo, cost before and after, reasons), unjudged (rule, reason, remedy). Progress and a summary go to stderr. Nothing is written to the database, and no advice is applied.\nThe user needs no rights to write: pg_monitor and pg_read_all_data for PostgreSQL; SELECT, PROCESS and REPLICATION CLIENT for MariaDB and MySQL.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct DatabaseArgs {
    /// postgres://user:password@host:5432/name or mysql://user:password@host:3306/name; - reads it
    /// from stdin, where no list of processes shows the password.
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Memory of the database's machine, such as 16GiB: no server says it, and parameters of
    /// memory are judged with it alone.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<DataSize>,
    /// Storage that all new indexes may take together.
    #[arg(long, value_name = "SIZE", default_value = "10GiB")]
    pub(crate) index_budget: DataSize,
    /// Days without a scan before an index is called unused.
    #[arg(long, value_name = "DAYS", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) unused_days: u32,
    /// Print the JSON alone: no progress and no summary on stderr.
    #[arg(long)]
    pub(crate) json: bool,
    /// File for the advice.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// File for the result.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Output {
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A file of one series.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SeriesArgs {
    /// CSV file with a timestamp and a value per row; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Column of timestamps, unless it is recognized by its name.
    #[arg(long, value_name = "NAME")]
    pub(crate) time_column: Option<String>,
    /// Column of values, unless it is recognized by its name.
    #[arg(long, value_name = "NAME")]
    pub(crate) value_column: Option<String>,
    /// For a file with several series: use only rows whose column NAME is VALUE.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) only: Option<String>,
}

/// Sensitivity of alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlarmSensitivity {
    /// Only very unusual values.
    Low,
    /// A balance of missed and false alarms.
    Medium,
    /// Everything that is unlikely to be chance.
    High,
}

/// `reeve analyze anomalies`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints timestamp,value,anomaly_score,alarm per row. anomaly_score is 0 to 1, or empty without enough history; alarm is 1 for an anomaly.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct AnomaliesArgs {
    /// The series.
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Sensitivity of the alarm.
    #[arg(long, value_enum, default_value_t = AlarmSensitivity::Medium)]
    pub(crate) sensitivity: AlarmSensitivity,
    /// File for the scores.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze forecast`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one row per step: step,p05,p50,p95.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct ForecastArgs {
    /// The series.
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Number of steps to forecast, each as long as a step of the series.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) horizon: u32,
    /// File for the forecast.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze costs`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object: totals, anomalies, recommendations.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct CostsArgs {
    /// FOCUS file (1.0 or later) as CSV or Parquet (.parquet); .csv.gz is supported, - reads CSV
    /// from stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// File for the judgement.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Records that can be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntriesFormat {
    /// AWS CloudTrail: log files, arrays, or one record per line.
    Cloudtrail,
    /// Reeve's own entries, one per line.
    Jsonl,
}

/// `reeve analyze entries`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object per line: event_id, score (0 to 1), reasons.\nExit codes: 0 done, 1 some records could not be read, 2 none could be judged or could not run."
)]
pub(crate) struct EntriesArgs {
    /// Files; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files; detected by default.
    #[arg(long, value_enum)]
    pub(crate) format: Option<EntriesFormat>,
    /// File for the scores.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze interruptions`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "With --horizon, prints timestamp,probability per row; probability is empty without enough history. With --policy, prints timestamp,purchase per row: spot or on_demand, from that row until the next.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct InterruptionsArgs {
    /// The series: 1 where capacity was available, 0 where it was not.
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Horizon of the prediction, such as 10m, 1h or 1d; at most 90 days.
    #[arg(long, value_name = "TIME", value_parser = span_ms, required_unless_present = "policy")]
    pub(crate) horizon: Option<i64>,
    /// Decide what to buy, instead of predicting interruptions.
    #[arg(long, conflicts_with = "horizon")]
    pub(crate) policy: bool,
    /// Machines of the group that are always on demand.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "policy")]
    pub(crate) min_on_demand: u32,
    /// Machines of the group. With more than one, the last column is the number on demand.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "policy", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) machines: u32,
    /// Switches in a day beyond which nothing returns to spot.
    #[arg(long, value_name = "N", default_value_t = SWITCHES_PER_DAY as u32, requires = "policy", value_parser = clap::value_parser!(u32).range(2..=1_440))]
    pub(crate) switches_per_day: u32,
    /// File for the result.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze sizing`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object: cpu_percent_needed and memory_percent_needed (percent of the current size; null if not measured), confidence (0 to 100), reasons.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct SizingArgs {
    /// CSV with timestamp,cpu_percent[,memory_percent], in percent of the current size; .gz is
    /// supported, - reads stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// For a file with several machines: use only rows whose column NAME is VALUE.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) only: Option<String>,
    /// File for the answer.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze scaling`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints timestamp,units,reason per row: the units wanted at that moment, from that row and earlier ones.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct ScalingArgs {
    /// CSV with timestamp,load[,sessions]; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Load that one unit serves, in the unit of the file.
    #[arg(long, value_name = "C", value_parser = positive)]
    pub(crate) unit: f64,
    /// Time from asking for a unit until it serves.
    #[arg(long, value_name = "TIME", value_parser = span_ms, default_value = "15m")]
    pub(crate) lead: i64,
    /// Fewest units.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub(crate) min: u64,
    /// For a file with several groups: use only rows whose column NAME is VALUE.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) only: Option<String>,
    /// File for the units.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze causes`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object per line: node, score (0 to 1), grade (confirmed, likely, inconclusive), reasons; best first. Nothing is printed where no node deviates.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct CausesArgs {
    /// Folder with metrics.csv (timestamp,node,metric,value), edges.csv (caller,callee; may be
    /// missing) and incident.json (start, node, and optionally metric and end).
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// File for the causes.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze compliance`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON line per check and resource: check, resource, result (pass, fail, unknown, not_applicable), why, values.\nExit codes: 0 done, 1 an element could not be read, or a check failed with --fail, 2 could not run."
)]
pub(crate) struct ComplianceArgs {
    /// JSON files with configurations: one, a list, or one a line, as a cloud prints them or with
    /// kind, id and configuration; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Folder with checks and frameworks of your own, beside those of Reeve.
    #[arg(long, value_name = "DIR")]
    pub(crate) controls: Option<PathBuf>,
    /// Use only the checks of this framework, such as soc2 or cis_aws.
    #[arg(long, value_name = "NAME")]
    pub(crate) framework: Option<String>,
    /// Print failures and what is unknown only.
    #[arg(long)]
    pub(crate) failed: bool,
    /// End with exit code 1 if a check failed.
    #[arg(long)]
    pub(crate) fail: bool,
    /// Time that ages are counted to; default now.
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<jiff::Timestamp>,
    /// File for the results.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze exposures`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON line per resource of AWS and outsider: resource, kind, account, reachable_from (internet, account:ID, organization, unknown, none), grade (direct, load_balancer, indirect), access, path, stopped_by.\nWith --choke-points one line per setting, best first: setting, resource, edge, closes, matters.\nExit codes: 0 done, 1 an element could not be read, or a resource is exposed with --fail, 2 could not run."
)]
pub(crate) struct ExposuresArgs {
    /// JSON files with configurations: one, a list, or one a line, as AWS prints them or with kind,
    /// id and configuration; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Account that the resources belong to, where the files do not say.
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
    /// Print what is exposed or unknown only.
    #[arg(long)]
    pub(crate) exposed: bool,
    /// Print the settings whose closing cuts the most paths.
    #[arg(long, conflicts_with = "exposed")]
    pub(crate) choke_points: bool,
    /// End with exit code 1 if a resource is exposed.
    #[arg(long)]
    pub(crate) fail: bool,
    /// File for the results.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze access`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON line per principal and target: principal, reaches (admin, or the ARN of what is gained), grade (certain, possible, blocked), path, blocked_by. With --requests: request, decision (allow, explicit_deny, implicit_deny, unknown), why.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct AccessArgs {
    /// JSON files: account authorization details, and optionally policies of resources, of the
    /// organization, and workloads with their role; .gz is supported, - reads stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Decide the requests of this file instead: principal, action, resource, context.
    #[arg(long, value_name = "FILE")]
    pub(crate) requests: Option<PathBuf>,
    /// List administrators too, with an empty path.
    #[arg(long, conflicts_with = "requests")]
    pub(crate) admins: bool,
    /// File for the results.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, Obstacle> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "write a number above zero, such as 100 or 2.5".into())
}

/// Milliseconds of a span of time, from a second to ninety days.
fn span_ms(text: &str) -> Result<i64, Obstacle> {
    let span: Option<TimeSpan> = text.parse().ok();
    let seconds = span.and_then(|span| i64::try_from(span.seconds()).ok());
    let within = seconds.filter(|seconds| (1..=90 * 86_400).contains(seconds));
    within
        .map(|seconds| seconds * 1_000)
        .ok_or_else(|| "write a time such as 30s, 10m, 1h or 1d, up to 90d".into())
}
