//! `reeve analyze costs`: a FOCUS bill's (CSV or Parquet) totals, anomalies and recommendations, as
//! one JSON object.
//!
//! The judgement is `reeve_anomalies::charges`, which the agents use on what a connection brings.
//! Amounts go out as the exact decimals they are.

mod wire;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use reeve_anomalies::charges::{AnomalyLimits, judge};
use reeve_estate::charge::{Charge, focus};

use super::file::{FileSink, Input};
use super::table::AnalyzeTable;
use crate::cli::CostsArgs;

/// Charges that a bill may have: they are judged in memory.
const MOST_CHARGES: usize = 5_000_000;

/// Judges the charges of a bill and prints the result.
pub(super) fn run(args: &CostsArgs) -> Result<ExitCode> {
    let charges = bill(&args.file, MOST_CHARGES)?;
    if charges
        .iter()
        .any(|charge| &*charge.currency == focus::NO_CURRENCY)
    {
        eprintln!(
            "the bill names no currency (BillingCurrency): its amounts are listed under {}",
            focus::NO_CURRENCY
        );
    }

    let judgement = judge(&charges, &AnomalyLimits::default());
    drop(charges);
    let mut out = FileSink::create(args.output.output.as_deref())?;
    serde_json::to_writer_pretty(&mut out, &wire::CostBill::new(&judgement))
        .map_err(std::io::Error::from)?;
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

/// Returns `true` unless the amounts of a file show by their shape that they have a decimal point.
/// A spreadsheet may divide columns by semicolons and keep points: `12.5` was refused there, and
/// `1.234` read as a thousand.
fn has_decimal_commas(table: &AnalyzeTable, reader: &focus::FocusReader) -> Result<bool> {
    let (mut records, mut record) = (table.records(), ByteRecord::new());
    records.next(&mut record)?;
    let mut first_point = None;

    while let Some(line) = records.next(&mut record)? {
        let amounts = record
            .iter()
            .enumerate()
            .filter(|(place, _)| reader.is_amount(*place));
        for text in amounts.filter_map(|(_, cell)| std::str::from_utf8(cell).ok()) {
            match focus::decimal_mark(text.trim()) {
                Some(',') => match &first_point {
                    None => return Ok(true),
                    Some((at, point)) => bail!(
                        "{}: lines {at} and {line} have {point:?} and {text:?}: write all amounts with a decimal comma or all with a point",
                        table.name
                    ),
                },
                Some(_) if first_point.is_none() => first_point = Some((line, text.to_owned())),
                _ => {}
            }
        }
    }

    Ok(first_point.is_none())
}

/// Returns `true` if a file is named as Parquet.
pub(crate) fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| suffix.eq_ignore_ascii_case("parquet"))
}

/// The charges of a FOCUS file, at most so many.
fn read(input: Input, most: usize) -> Result<Vec<Charge>> {
    let table = AnalyzeTable::read(input)?;
    let name = &table.name;
    let (mut records, mut record) = (table.records(), ByteRecord::new());
    if records.next(&mut record)?.is_none() {
        bail!("{name} is empty; a bill has a header and a charge a row");
    }

    let header: Vec<String> = record
        .iter()
        .map(|cell| String::from_utf8_lossy(cell).into_owned())
        .collect();
    let reader = focus::FocusReader::from_header(header.iter().map(String::as_str))
        .with_context(|| name.clone())?;
    let decimal_comma = table.divided_by_semicolons() && has_decimal_commas(&table, &reader)?;
    let mut reader = reader.with_decimal_comma(decimal_comma);
    let mut charges = Vec::new();

    while let Some(line) = records.next(&mut record)? {
        if charges.len() == most {
            bail!("{name} has more than {most} charges; divide it by month");
        }
        if record.len() != header.len() {
            bail!(
                "{name}: line {line} has {} columns, the header {}",
                record.len(),
                header.len()
            );
        }
        if let Some(place) = record
            .iter()
            .position(|cell| std::str::from_utf8(cell).is_err())
        {
            bail!(
                "{name}: line {line}, {}: it is not UTF-8; save it as UTF-8",
                header[place]
            );
        }
        let cell = |place: usize| {
            record
                .get(place)
                .and_then(|cell| std::str::from_utf8(cell).ok())
        };
        charges.push(
            reader
                .charge(cell)
                .with_context(|| format!("{name}: line {line}"))?,
        );
    }

    if charges.is_empty() {
        bail!("{name} has a header and no charges below it; a bill has a charge a row");
    }

    Ok(charges)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn billed(text: &'static str) -> Result<Vec<String>> {
        let charges = read(Input::from_bytes("bill.csv", text.as_bytes()), 100)?;
        Ok(charges
            .iter()
            .map(|charge| charge.billed.to_string())
            .collect())
    }

    #[test]
    fn semicolons_with_points_or_commas() {
        let points = "BilledCost;ChargePeriodStart\n12.5;2026-11-01\n1.234;2026-11-02\n";
        assert_eq!(billed(points).unwrap(), ["12.5", "1.234"]);

        let commas = "BilledCost;ChargePeriodStart\n12,5;2026-11-01\n1.234;2026-11-02\n";
        assert_eq!(billed(commas).unwrap(), ["12.5", "1234"]);

        let late = "BilledCost;ChargePeriodStart\n1.234;2026-11-01\n0.25;2026-11-02\n";
        assert_eq!(billed(late).unwrap(), ["1.234", "0.25"]);

        let both = "BilledCost;ChargePeriodStart\n12.5;2026-11-01\n1,5;2026-11-02\n";
        let said = billed(both).unwrap_err().to_string();
        assert!(said.contains("lines 2 and 3"), "{said}");
    }

    #[test]
    fn a_column_that_occurs_twice_is_refused() {
        let twice = "BilledCost,ChargePeriodStart,Billed Cost\n1,2026-11-01,2\n";
        let said = format!("{:#}", billed(twice).unwrap_err());
        assert!(
            said.contains("BilledCost twice, as columns 1 and 3"),
            "{said}"
        );
    }

    #[test]
    fn binary_content_is_refused_without_being_shown() {
        for bytes in [
            b"PAR1\x15\x04\x1b[31m".as_slice(),
            b"PK\x03\x04\x14".as_slice(),
            b"a,b\n1\x00,2".as_slice(),
        ] {
            let said = format!(
                "{:#}",
                read(Input::from_bytes("bill.csv", bytes), 1).unwrap_err()
            );
            assert!(
                said.contains("bill.csv is not text") && !said.chars().any(char::is_control),
                "{said}"
            );
        }
    }
}
