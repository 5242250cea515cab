//! `reeve analyze costs`: a FOCUS bill's (CSV or Parquet) totals, anomalies and recommendations, as one JSON object.
//!
//! The judgement is `reeve_anomalies::charges`, which the agents use on what a connection brings. Amounts go out as the exact
//! decimals they are.

mod wire;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use reeve_anomalies::charges::{AnomalyLimits, judge};
use reeve_estate::charge::{Charge, focus};

use super::file::{Input, Sink};
use super::table::Table;
use crate::cli::CostsArgs;

/// Charges that a bill may have: they are judged in memory.
const MOST_CHARGES: usize = 5_000_000;

/// Judges a bill.
pub(super) fn run(args: &CostsArgs) -> Result<ExitCode> {
    let charges = bill(&args.file, MOST_CHARGES)?;
    if charges.iter().any(|charge| &*charge.currency == focus::NO_CURRENCY) {
        eprintln!("the bill names no currency (BillingCurrency): its amounts are listed under {}", focus::NO_CURRENCY);
    }
    let judgement = judge(&charges, &AnomalyLimits::default());
    drop(charges);
    let mut out = Sink::create(args.output.output.as_deref())?;
    serde_json::to_writer_pretty(&mut out, &wire::Bill::new(&judgement)).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.finish()?;
    for abstention in &judgement.abstentions {
        eprintln!("{} not judged: {}", abstention.check, abstention.reason);
    }
    Ok(ExitCode::SUCCESS)
}

/// The charges of a FOCUS file on disk, at most so many.
pub(crate) fn bill(path: &Path, most: usize) -> Result<Vec<Charge>> {
    if is_parquet(path) {
        return reeve_lake::read_bill(path, most).with_context(|| path.display().to_string());
    }
    read(Input::open(path)?, most)
}

/// Returns `true` if a file is named as Parquet.
pub(crate) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("parquet"))
}

/// The charges of a FOCUS file, at most so many.
fn read(input: Input, most: usize) -> Result<Vec<Charge>> {
    let table = Table::read(input)?;
    let name = &table.name;
    let (mut records, mut record) = (table.records(), ByteRecord::new());
    if records.next(&mut record)?.is_none() {
        bail!("{name} is empty; a bill has a header and a charge a row");
    }
    let header: Vec<String> = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
    let reader = focus::Reader::from_header(header.iter().map(String::as_str)).with_context(|| name.clone())?;
    let mut reader = reader.with_decimal_comma(table.decimal_comma());
    let mut charges = Vec::new();
    while let Some(line) = records.next(&mut record)? {
        if charges.len() == most {
            bail!("{name} has more than {most} charges; divide it by month");
        }
        if record.len() != header.len() {
            bail!("{name}: line {line} has {} columns, the header {}", record.len(), header.len());
        }
        if let Some(place) = record.iter().position(|cell| std::str::from_utf8(cell).is_err()) {
            bail!("{name}: line {line}, {}: it is not UTF-8; save it as UTF-8", header[place]);
        }
        let cell = |place: usize| record.get(place).and_then(|cell| std::str::from_utf8(cell).ok());
        charges.push(reader.charge(cell).with_context(|| format!("{name}: line {line}"))?);
    }
    if charges.is_empty() {
        bail!("{name} has a header and no charges below it; a bill has a charge a row");
    }
    Ok(charges)
}
