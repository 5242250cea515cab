//! `reeve analyze sizing`: the capacity that a machine needs for the next seven days, in percent of
//! its present size.
//!
//! The week begins at the newest measurement of the file. Confidence is that of the dimension that
//! is trusted least.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_learn::sizing::{AHEAD_DAYS, LEAST_DAYS, Needed, TWO_MONTHS_DAYS, needed};
use serde::Serialize;

use super::file::FileSink;
use super::series::SeriesFile;
use crate::cli::SizingArgs;

/// Columns that are judged, with the noun of their dimension.
const CPU: (&str, &str) = ("cpu_percent", "CPU");
const MEMORY: (&str, &str) = ("memory_percent", "Memory");
/// Values above this are no percentages of a present size.
const MOST: f64 = 10_000.0;

#[derive(Debug, Serialize)]
struct Answer {
    /// Percent of the present size.
    cpu_percent_needed: f64,
    /// Percent of the present size; `null` where memory was not measured.
    memory_percent_needed: Option<f64>,
    /// Confidence in percent, 0 to 100.
    confidence: f64,
    reasons: Vec<String>,
}

/// Judges a file and prints the result.
pub(super) fn run(args: &SizingArgs) -> Result<ExitCode> {
    let answer = answer(&args.file, args.only.as_deref())?;
    let mut sink = FileSink::create(args.output.output.as_deref())?;
    serde_json::to_writer_pretty(&mut sink, &answer).context("the answer could not be written")?;
    writeln!(sink)?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn answer(file: &Path, only: Option<&str>) -> Result<Answer> {
    let mut series = SeriesFile::read_columns(file, &[CPU.0, MEMORY.0], only)?.into_iter();
    let (Some(cpu), memory) = (series.next().flatten(), series.next().flatten()) else {
        bail!(
            "{}: the header names no column cpu_percent; it needs timestamp,cpu_percent[,memory_percent]",
            file.display()
        );
    };

    let cpu = judge(&cpu, CPU)?;
    let memory = memory.map(|memory| judge(&memory, MEMORY)).transpose()?;
    let mut reasons = reasons(CPU.1, &cpu);
    let mut confidence = cpu.confidence();

    match &memory {
        Some(memory) => {
            reasons.extend(self::reasons(MEMORY.1, memory));
            confidence = confidence.min(memory.confidence());
        }
        None => reasons
            .push("Memory was not measured: it may need more than a smaller size has".to_owned()),
    }

    Ok(Answer {
        cpu_percent_needed: rounded(cpu.percent),
        memory_percent_needed: memory.map(|memory| rounded(memory.percent)),
        confidence: rounded(confidence * 100.0),
        reasons,
    })
}

fn judge(series: &SeriesFile, (column, _): (&str, &str)) -> Result<Needed> {
    if let Some(row) = series.rows.iter().find(|row| {
        row.value
            .is_some_and(|value| !(0.0..=MOST).contains(&value))
    }) {
        bail!(
            "{}: line {}, {column}: {} is no percentage of a present size",
            series.name,
            row.line,
            row.text.trim()
        );
    }

    let points = series.points();
    let now_ms = points.last().map_or(0, |(at_ms, _)| at_ms + 1);
    needed(&points, now_ms).with_context(|| {
        format!("{}: {column} was measured on fewer than {LEAST_DAYS} days; that is too little to size by", series.name)
    })
}

fn reasons(name: &str, found: &Needed) -> Vec<String> {
    let Needed {
        percent,
        peak,
        room,
        days,
        held_out,
        cut_off,
        ..
    } = found;

    let mut reasons = vec![format!(
        "{name}: the highest demand of the last 35 days was {peak:.1} %, and {percent:.1} % leaves {:+.0} % of room",
        room * 100.0
    )];
    if *cut_off {
        reasons
            .push(format!("{name} was cut off at what there is, so the true demand is higher than what was measured"));
    }

    if !found.knows_months() {
        reasons.push(format!(
            "{name}: {days} days of history cannot have shown a monthly peak twice, which takes {TWO_MONTHS_DAYS}; the answer covers what came within them"
        ));
    }

    reasons.push(match held_out.windows {
        0 => format!("{name}: {days} days of history are too few to try the advice on; daily peaks say how much room it needs"),
        windows => format!(
            "{name}: advice made before each of the last {windows} periods of {AHEAD_DAYS} days would have held {} of them",
            held_out.held
        ),
    });

    reasons
}

/// One decimal, upwards where it is capacity that would be missing otherwise.
fn rounded(percent: f64) -> f64 {
    (percent * 10.0).ceil() / 10.0
}
