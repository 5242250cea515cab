//! `reeve analyze interruptions`: the chance of losing spot capacity within a horizon, or with
//! `--policy` the purchase that follows from it, a row at a time.
//!
//! Rows are judged from the earliest to the latest, each from itself and those before it alone, and
//! printed in the file's order. Where availability was not measured, or too little of the past is
//! known, the probability is blank; the purchase in force stays.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_learn::interruption::{Availability, Purchase, PurchasePolicy};

use super::file::FileSink;
use super::series::{SeriesFile, SeriesRow};
use crate::cli::InterruptionsArgs;

/// Judges a file and prints the result.
pub(super) fn run(args: &InterruptionsArgs) -> Result<ExitCode> {
    let file = SeriesFile::read(&args.series)?;
    if args.policy {
        let purchases = purchases(&file, args)?;
        let mut sink = FileSink::create(args.output.output.as_deref())?;
        write_purchases(&file, args, &purchases, &mut sink)
            .context("the purchases could not be written")?;
        sink.finish()?;
        return Ok(ExitCode::SUCCESS);
    }

    let horizon_ms = args
        .horizon
        .context("name a --horizon, or decide with --policy")?;
    let chances = chances(&file, horizon_ms)?;
    let mut sink = FileSink::create(args.output.output.as_deref())?;
    write(&file, &chances, &mut sink).context("the probabilities could not be written")?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a row's availability.
fn availability(file: &SeriesFile, row: &SeriesRow) -> Result<Option<bool>> {
    match row.value {
        None => Ok(None),
        Some(1.0) => Ok(Some(true)),
        Some(0.0) => Ok(Some(false)),
        Some(_) => bail!(
            "{}: line {}: {:?} is neither 1 (available) nor 0 (not available)",
            file.name,
            row.line,
            row.text.trim()
        ),
    }
}

/// A purchase a row, in the file's order.
fn purchases(file: &SeriesFile, args: &InterruptionsArgs) -> Result<Vec<Purchase>> {
    let mut policy = PurchasePolicy::new(args.switches_per_day as usize);
    file.judge(&file.in_time_order(), Purchase::Spot, |_, row| {
        let decided = policy.observe(row.at_ms, availability(file, row)?);
        // A minimum that fills the group leaves nothing to decide.
        Ok(if args.min_on_demand >= args.machines {
            Purchase::OnDemand
        } else {
            decided
        })
    })
}

fn write_purchases(
    file: &SeriesFile,
    args: &InterruptionsArgs,
    purchases: &[Purchase],
    sink: &mut impl Write,
) -> Result<()> {
    let group = args.machines > 1;
    let mut writer = csv::Writer::from_writer(sink);
    let header = ["timestamp", "purchase", "on_demand"];
    writer.write_record(header.iter().take(if group { 3 } else { 2 }))?;

    for (row, purchase) in file.rows.iter().zip(purchases) {
        let on_demand = match purchase {
            Purchase::Spot => args.min_on_demand.min(args.machines),
            Purchase::OnDemand => args.machines,
        };
        writer.write_field(&row.timestamp)?;
        writer.write_field(purchase.name())?;
        if group {
            writer.write_field(on_demand.to_string())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }

    writer.flush()?;
    Ok(())
}

/// A probability a row, in the file's order.
fn chances(file: &SeriesFile, horizon_ms: i64) -> Result<Vec<Option<f64>>> {
    let mut pool = Availability::new(horizon_ms);
    let chances = file.judge(&file.in_time_order(), None, |_, row| {
        Ok(pool.observe(row.at_ms, availability(file, row)?))
    })?;

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
