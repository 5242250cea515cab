//! `reeve analyze anomalies`: scores and alarms of a series, a row at a time.
//!
//! Rows are judged from the earliest to the latest, each from those before it alone, and printed in
//! the file's order with the text they came with. A row that is not judged, because its value is
//! missing or too little is known yet, has a blank score.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_learn::anomaly::{Detector, Sensitivity};

use super::file::FileSink;
use super::series::SeriesFile;
use crate::cli::{AlarmSensitivity, AnomaliesArgs};

pub(super) fn run(args: &AnomaliesArgs) -> Result<ExitCode> {
    let file = SeriesFile::read(&args.series)?;
    let sensitivity = match args.sensitivity {
        AlarmSensitivity::Low => Sensitivity::Low,
        AlarmSensitivity::Medium => Sensitivity::Medium,
        AlarmSensitivity::High => Sensitivity::High,
    };
    let judged = judge(&file, sensitivity)?;

    if judged.iter().all(|(score, _)| score.is_none()) {
        bail!(
            "{}: {} rows are too few to judge any of them",
            file.name,
            file.rows.len()
        );
    }

    let mut sink = FileSink::create(args.output.output.as_deref())?;
    write(&file, &judged, &mut sink).context("the scores could not be written")?;
    sink.finish()?;

    Ok(ExitCode::SUCCESS)
}

/// The score of a row that is judged, and whether an alarm is given there.
type Judged = (Option<f64>, bool);

/// Judgement of each row, in the file's order.
fn judge(file: &SeriesFile, sensitivity: Sensitivity) -> Result<Vec<Judged>> {
    let mut detector = Detector::with_sensitivity(sensitivity);
    file.judge(&file.in_time_order(), (None, false), |_, row| {
        let judged = detector.observe(row.at_ms, row.value.unwrap_or(f64::NAN));
        Ok((judged.judged.then_some(judged.score), judged.alarm))
    })
}

fn write(file: &SeriesFile, judged: &[Judged], sink: &mut impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(["timestamp", "value", "anomaly_score", "alarm"])?;

    for (row, (score, alarm)) in file.rows.iter().zip(judged) {
        let score = score.map_or_else(String::new, |score| format!("{score:.6}"));
        writer.write_record([
            row.timestamp.as_str(),
            &row.text,
            &score,
            if *alarm { "1" } else { "0" },
        ])?;
    }

    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn printed(rows: &[(&str, &str, i64, Option<f64>)]) -> String {
        let rows = rows
            .iter()
            .enumerate()
            .map(
                |(line, (timestamp, text, at_ms, value))| super::super::series::SeriesRow {
                    line: line as u64 + 2,
                    timestamp: (*timestamp).to_owned(),
                    text: (*text).to_owned(),
                    at_ms: *at_ms,
                    value: *value,
                },
            );

        let file = SeriesFile {
            name: "a.csv".to_owned(),
            rows: rows.collect(),
        };
        let mut out = Vec::new();
        let judged = judge(&file, Sensitivity::Medium).unwrap();
        write(&file, &judged, &mut out).unwrap();

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

        let expect = "timestamp,value,anomaly_score,alarm\n2026-01-01 00:05:00, 2.50,,0\n2026-01-01 00:00:00,1e0,,0\n\
                      2026-01-01 00:00:00,NaN,,0\n2026-01-01 00:10:00,,,0\n";
        assert_eq!(out, expect);
        assert_eq!(printed(&[]), "timestamp,value,anomaly_score,alarm\n");
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
            let rows = out
                .lines()
                .skip(1)
                .map(|line| line.split(',').collect::<Vec<_>>());
            rows.filter(|row| row[3] == "1")
                .map(|row| row[0].to_owned())
                .collect()
        };
        assert_eq!(alarmed(&printed(&rows)), ["500"]);

        rows.reverse();
        assert_eq!(alarmed(&printed(&rows)), ["500"]);
    }
}
