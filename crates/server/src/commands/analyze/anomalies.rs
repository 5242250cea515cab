//! `reeve analyze anomalies`: scores of a series, a row at a time.
//!
//! Rows are judged from the earliest to the latest, each from those before it alone, and printed in the file's order with the
//! text they came with. A row without a value is a gap and scores 0.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_learn::anomaly::Detector;

use super::file::Sink;
use super::series::SeriesFile;
use crate::cli::AnomaliesArgs;

/// Runs it.
pub(super) fn run(args: &AnomaliesArgs) -> Result<ExitCode> {
    let file = SeriesFile::read(&args.series)?;
    let scores = scores(&file);
    let mut sink = Sink::create(args.output.output.as_deref())?;
    write(&file, &scores, &mut sink).context("the scores could not be written")?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A score a row, in the file's order.
fn scores(file: &SeriesFile) -> Vec<f64> {
    let mut detector = Detector::new();
    let mut scores = vec![0.0; file.rows.len()];
    for place in file.in_time_order() {
        if let (Some(row), Some(score)) = (file.rows.get(place), scores.get_mut(place)) {
            *score = detector.observe(row.at_ms, row.value.unwrap_or(f64::NAN)).score;
        }
    }
    scores
}

fn write(file: &SeriesFile, scores: &[f64], sink: &mut impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(["timestamp", "value", "anomaly_score"])?;
    for (row, score) in file.rows.iter().zip(scores) {
        writer.write_record([&row.timestamp, &row.text, &format!("{score:.6}")])?;
    }
    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn printed(rows: &[(&str, &str, i64, Option<f64>)]) -> String {
        let rows = rows.iter().enumerate().map(|(line, (timestamp, text, at_ms, value))| super::super::series::Row {
            line: line as u64 + 2,
            timestamp: (*timestamp).to_owned(),
            text: (*text).to_owned(),
            at_ms: *at_ms,
            value: *value,
        });
        let file = SeriesFile { name: "a.csv".to_owned(), rows: rows.collect() };
        let mut out = Vec::new();
        write(&file, &scores(&file), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_come_out_in_order_with_their_text_and_a_score() {
        let out = printed(&[
            ("2026-01-01 00:05:00", " 2.50", 300_000, Some(2.5)),
            ("2026-01-01 00:00:00", "1e0", 0, Some(1.0)),
            ("2026-01-01 00:00:00", "NaN", 0, None),
            ("2026-01-01 00:10:00", "", 600_000, None),
        ]);
        let expect = "timestamp,value,anomaly_score\n2026-01-01 00:05:00, 2.50,0.000000\n2026-01-01 00:00:00,1e0,0.000000\n\
                      2026-01-01 00:00:00,NaN,0.000000\n2026-01-01 00:10:00,,0.000000\n";
        assert_eq!(out, expect);
        assert_eq!(printed(&[]), "timestamp,value,anomaly_score\n");
    }

    #[test]
    fn a_row_out_of_order_is_judged_in_its_time() {
        let name: Vec<String> = (0..600).map(|row| row.to_string()).collect();
        let value = |row: usize| if row == 500 { 90.0 } else { (row % 7) as f64 };
        let mut rows: Vec<_> = name
            .iter()
            .enumerate()
            .map(|(row, name)| (name.as_str(), "v", row as i64 * 300_000, Some(value(row))))
            .collect();
        let alarmed = |out: &str| -> Vec<String> {
            let rows = out.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
            rows.filter(|row| row[2].parse::<f64>().unwrap() >= 0.5).map(|row| row[0].to_owned()).collect()
        };
        assert_eq!(alarmed(&printed(&rows)), ["500"]);
        rows.reverse();
        assert_eq!(alarmed(&printed(&rows)), ["500"]);
    }
}
