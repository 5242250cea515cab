//! `reeve analyze forecast`: quantiles of a series' next steps, as `step,p05,p50,p95`.
//!
//! A step is as long as the file's own; step 1 follows the newest value. What was found in the
//! series (seasons, trend, level shifts, gaps) goes to stderr in words, and so does the part of a
//! series that is too old to be used.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_learn::forecast::{Effort, ForecastSettings, fit};
use reeve_learn::grid::{Grid, MONTH_MS};
use reeve_learn::{DAY_MS, HOUR_MS};

use super::file::FileSink;
use super::series::SeriesFile;
use crate::cli::ForecastArgs;

pub(super) fn run(args: &ForecastArgs) -> Result<ExitCode> {
    let series = SeriesFile::read(&args.series)?;
    let grid = Grid::new(&series.points()).with_context(|| series.name.clone())?;

    if grid.dropped > 0 {
        let from = jiff::Timestamp::from_millisecond(grid.start_ms)
            .map_or_else(|_| String::new(), |at| at.to_string());
        eprintln!(
            "{}: {} older values are not used: in steps of {}, a forecast looks back on {} steps, to {from}",
            series.name,
            grid.dropped,
            in_words(grid.step_ms),
            grid.values.len()
        );
    }

    let horizon = args.horizon as usize;
    let settings = ForecastSettings {
        horizon,
        effort: Effort::Thorough,
        ..ForecastSettings::default()
    };
    let model = fit(&grid, &settings).with_context(|| series.name.clone())?;
    let mut out = FileSink::create(args.output.output.as_deref())?;
    writeln!(out, "step,p05,p50,p95")?;
    for band in model.forecast(horizon) {
        writeln!(out, "{},{},{},{}", band.step, band.p05, band.p50, band.p95)?;
    }

    out.finish()?;
    eprintln!(
        "{}: steps of {}; {}",
        series.name,
        in_words(grid.step_ms),
        model.findings()
    );

    Ok(ExitCode::SUCCESS)
}

/// A step's length as people say it.
fn in_words(step_ms: i64) -> String {
    let units = [
        (MONTH_MS, "mon"),
        (DAY_MS, "d"),
        (HOUR_MS, "h"),
        (60_000, "min"),
        (1_000, "s"),
    ];

    let whole = units
        .into_iter()
        .find(|(unit_ms, _)| step_ms % unit_ms == 0);
    whole.map_or_else(
        || format!("{step_ms} ms"),
        |(unit_ms, unit)| format!("{} {unit}", step_ms / unit_ms),
    )
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn a_step_is_said_in_its_largest_whole_unit() {
        let check = |step_ms: i64, expected: &str| assert_eq!(in_words(step_ms), expected);
        check(300_000, "5 min");
        check(3_600_000, "1 h");
        check(86_400_000, "1 d");
        check(2_629_746_000, "1 mon");
        check(90_000, "90 s");
        check(1_500, "1500 ms");
    }
}
