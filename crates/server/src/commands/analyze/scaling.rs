//! `reeve analyze scaling`: units that a group wants at each moment, ahead of its load.
//!
//! Rows are judged from the earliest to the latest, each from itself and those before it alone, and
//! printed in the file's order.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_learn::scaling::{ScalingPolicy, ScalingSettings, Sessions, Wanted};
use reeve_learn::window::median_step_ms;

use super::file::FileSink;
use super::series::SeriesFile;
use crate::cli::ScalingArgs;

/// Columns that are judged.
const LOAD: &str = "load";
const SESSIONS: &str = "sessions";
/// Rows that the distance of rows is read from. The policy predicts only after more rows than
/// these, so no decision depends on a later row.
const FIRST_ROWS: usize = 50;
/// Distance of rows where there is one only.
const USUAL_STEP_MS: i64 = 300_000;

/// Judges a file and prints the result.
pub(super) fn run(args: &ScalingArgs) -> Result<ExitCode> {
    let mut series =
        SeriesFile::read_columns(&args.file, &[LOAD, SESSIONS], args.only.as_deref())?.into_iter();
    let (Some(load), sessions) = (series.next().flatten(), series.next().flatten()) else {
        bail!(
            "{}: the header names no column load; it needs timestamp,load[,sessions]",
            args.file.display()
        );
    };

    refuse_negative(&load, LOAD)?;
    if let Some(sessions) = &sessions {
        refuse_negative(sessions, SESSIONS)?;
    }

    let wanted = wanted(&load, sessions.as_ref(), args)?;
    let mut sink = FileSink::create(args.output.output.as_deref())?;
    write(&load, &wanted, &mut sink).context("the units could not be written")?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_negative(series: &SeriesFile, column: &str) -> Result<()> {
    let negative = |value: f64| value < 0.0;
    match series
        .rows
        .iter()
        .find(|row| row.value.is_some_and(negative))
    {
        Some(row) => bail!(
            "{}: line {}, column {column}: {} is negative",
            series.name,
            row.line,
            row.text.trim()
        ),
        None => Ok(()),
    }
}

/// Units a row, in the file's order.
fn wanted(
    load: &SeriesFile,
    sessions: Option<&SeriesFile>,
    args: &ScalingArgs,
) -> Result<Vec<Option<Wanted>>> {
    let order = load.in_time_order();
    let mut policy = ScalingPolicy::new(ScalingSettings {
        unit: args.unit,
        lead_ms: args.lead,
        least: args.min,
        step_ms: step_ms(load, &order),
        seasonal: true,
    });

    load.judge(&order, None, |place, row| {
        // Both columns are of the same rows.
        let active = sessions.map(|sessions| sessions.rows.get(place).and_then(|row| row.value));
        let active = match active {
            None => Sessions::NotCounted,
            Some(None) => Sessions::Unknown,
            Some(Some(count)) => Sessions::Active(count),
        };
        Ok(Some(policy.observe(row.at_ms, row.value, active)))
    })
}

/// Median distance of the first rows.
fn step_ms(series: &SeriesFile, order: &[usize]) -> i64 {
    let times = order
        .iter()
        .take(FIRST_ROWS)
        .filter_map(|place| series.rows.get(*place).map(|row| row.at_ms));
    median_step_ms(times).unwrap_or(USUAL_STEP_MS)
}

fn write(file: &SeriesFile, wanted: &[Option<Wanted>], sink: &mut impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(["timestamp", "units", "reason"])?;

    for (row, wanted) in file.rows.iter().zip(wanted) {
        if let Some(wanted) = wanted {
            let units = wanted.units.to_string();
            writer.write_record([row.timestamp.as_str(), &units, wanted.reason.name()])?;
        }
    }

    writer.flush()?;
    Ok(())
}
