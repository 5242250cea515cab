//! `reeve analyze interruptions`: the chance of losing spot capacity within a horizon, a row at a
//! time.
//!
//! Rows are judged from the earliest to the latest, each from those before it alone, and printed in
//! the file's order. Where availability was not measured, or too little of the past is known, the
//! probability is blank.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_learn::interruption::Availability;

use super::file::Sink;
use super::series::SeriesFile;
use crate::cli::InterruptionsArgs;

/// Judges a file and prints the result.
pub(super) fn run(args: &InterruptionsArgs) -> Result<ExitCode> {
    let file = SeriesFile::read(&args.series)?;
    let chances = chances(&file, args.horizon)?;
    let mut sink = Sink::create(args.output.output.as_deref())?;
    write(&file, &chances, &mut sink).context("the probabilities could not be written")?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A probability a row, in the file's order.
fn chances(file: &SeriesFile, horizon_ms: i64) -> Result<Vec<Option<f64>>> {
    let mut pool = Availability::new(horizon_ms);
    let mut chances = vec![None; file.rows.len()];

    for place in file.in_time_order() {
        let (Some(row), Some(chance)) = (file.rows.get(place), chances.get_mut(place)) else {
            continue;
        };
        let available = match row.value {
            None => None,
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            Some(_) => bail!(
                "{}: line {}: {:?} is neither 1 (available) nor 0 (not available)",
                file.name,
                row.line,
                row.text.trim()
            ),
        };
        *chance = pool.observe(row.at_ms, available);
    }

    if chances.iter().all(Option::is_none) {
        bail!(
            "{}: {} rows are too few to say anything: ten horizons must be over first; give a longer past or a shorter --horizon",
            file.name,
            file.rows.len()
        );
    }

    Ok(chances)
}

fn write(file: &SeriesFile, chances: &[Option<f64>], sink: &mut impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(["timestamp", "probability"])?;

    for (row, chance) in file.rows.iter().zip(chances) {
        writer.write_record([
            &row.timestamp,
            &chance.map_or_else(String::new, |chance| format!("{chance:.6}")),
        ])?;
    }

    writer.flush()?;
    Ok(())
}
