//! `reeve analyze`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use reeve_estate::TimeSpan;

/// `reeve analyze`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AnalyzeCommand {
    /// Score each row of a series by how unusual it is, from the rows before it alone.
    Anomalies(AnomaliesArgs),
    /// Forecast a series, with an interval that holds nine times in ten.
    Forecast(ForecastArgs),
    /// Judge a bill (FOCUS): totals, anomalies, recommendations.
    Costs(CostsArgs),
    /// Score audit records by how unusual they are for their principal.
    Entries(EntriesArgs),
    /// Say for each row how likely spot capacity is lost within a horizon, from the rows before it alone.
    Interruptions(InterruptionsArgs),
    /// Say how much capacity a machine needs for the next seven days.
    Sizing(SizingArgs),
}

/// File for the result.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Output {
    /// Write to this file in place of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A file of one series.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SeriesArgs {
    /// CSV with a timestamp and a value a row; .gz is read too, - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The column of times, when its name does not tell.
    #[arg(long, value_name = "NAME")]
    pub(crate) time_column: Option<String>,
    /// The column of values, when its name does not tell.
    #[arg(long, value_name = "NAME")]
    pub(crate) value_column: Option<String>,
    /// The series to take from a file of several: rows whose column NAME holds VALUE.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) only: Option<String>,
}

/// Sensitivity of alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlarmSensitivity {
    /// Only what is very strange.
    Low,
    /// Limit beyond which a value is anomalous.
    Medium,
    /// Whatever is probably no chance.
    High,
}

/// `reeve analyze anomalies`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints timestamp,value,anomaly_score,alarm a row: 0 to 1, blank where a row is not judged; 1 where an alarm is given.\nExit codes: 0 done, 2 could not run."
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
#[command(after_help = "Prints step,p05,p50,p95 a step.\nExit codes: 0 done, 2 could not run.")]
pub(crate) struct ForecastArgs {
    /// The series.
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Steps ahead; a step is as long as the series' own.
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
    /// A FOCUS file (1.0 and later) as CSV; .gz is read too, - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// File for the judgement.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Records that can be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntriesFormat {
    /// AWS CloudTrail: log files, arrays, or a record a line.
    Cloudtrail,
    /// Reeve's own entries, one a line.
    Jsonl,
}

/// `reeve analyze entries`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints a JSON object a line: event_id, score (0 to 1), reasons.\nExit codes: 0 done, 1 some records could not be read, 2 could not run."
)]
pub(crate) struct EntriesArgs {
    /// Files; .gz is read too, - is stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files; recognised from the records unless given.
    #[arg(long, value_enum)]
    pub(crate) format: Option<EntriesFormat>,
    /// File for the scores.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze interruptions`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints timestamp,probability a row; the probability is blank where too little is known.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct InterruptionsArgs {
    /// The series: 1 where capacity was available, 0 where it was not.
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Time ahead in which a loss counts, such as 10m, 1h or 1d; 90 days at most.
    #[arg(long, value_name = "TIME", value_parser = horizon_ms)]
    pub(crate) horizon: i64,
    /// File for the probabilities.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// `reeve analyze sizing`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Prints one JSON object: cpu_percent_needed and memory_percent_needed (of the present size; null where not measured), confidence (0 to 100), reasons.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct SizingArgs {
    /// CSV with timestamp,cpu_percent[,memory_percent], in percent of the present size; .gz is read too, - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// File for the answer.
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Milliseconds of a horizon.
fn horizon_ms(text: &str) -> Result<i64, String> {
    let span: Option<TimeSpan> = text.parse().ok();
    let seconds = span.and_then(|span| i64::try_from(span.seconds()).ok());
    let within = seconds.filter(|seconds| (1..=90 * 86_400).contains(seconds));
    within.map(|seconds| seconds * 1_000).ok_or_else(|| "write a time such as 30s, 10m, 1h or 1d, up to 90d".to_owned())
}
