//! All of it learnt from, and the rows of the benchmark.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use jiff::Timestamp;
use reeve_engine::sweep::{Learnt, Sweep, sweep};
use reeve_estate::{Metric, SampleScan as _};
use reeve_lake::SampleLake;
use reeve_learn::Window;

use crate::estate::{DAYS, START_S};

/// Target duration in seconds.
const SECONDS: f64 = 60.0;
const AIM_SECONDS: f64 = 20.0;
const GIB: f64 = 2.0;

/// Counts of the run, so that nothing can be left out unseen.
#[derive(Debug, Default)]
struct Tally {
    series: usize,
    samples: usize,
    figures: usize,
    weekly: usize,
    forecasts: usize,
    unusual: usize,
    /// Sum of the forecasts' medians: the same on every run.
    medians: f64,
}

impl Tally {
    fn add(&mut self, learnt: &[Learnt]) {
        for one in learnt {
            self.series += 1;
            self.samples += one.points;
            self.figures += usize::from(one.summary.is_some());
            let strength = one.week.as_ref().and_then(|week| week.strength);
            self.weekly += usize::from(strength.is_some_and(|strength| strength > 0.5));
            self.forecasts += usize::from(one.forecast.is_ok());
            self.unusual += one.unusual.len();
            self.medians += one
                .forecast
                .iter()
                .flatten()
                .map(|band| band.p50)
                .sum::<f64>();
        }
    }
}

/// Learns from the stored samples and prints the benchmark's rows.
pub(crate) async fn run(dir: &Path) -> anyhow::Result<()> {
    let lake = SampleLake::open(dir).await?;
    let began = Instant::now();
    let (start, end) = (
        Timestamp::from_second(START_S)?,
        Timestamp::from_second(START_S + DAYS * 86_400)?,
    );
    let scan = Arc::new(
        lake.scan(
            &[Metric::CpuUtilization, Metric::MemoryUtilization],
            start,
            end,
        )
        .await?,
    );
    let bands = scan.bands();

    let window = Window {
        start_ms: start.as_millisecond(),
        end_ms: end.as_millisecond(),
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Sweep {
        window,
        ahead_ms: 86_400_000,
        workers,
    };
    let mut tally = Tally::default();
    sweep(Arc::clone(&scan) as Arc<_>, plan, |learnt| {
        tally.add(&learnt)
    })
    .await?;
    let took = began.elapsed().as_secs_f64();

    // What reading alone takes: the same pass with nothing learnt.
    let began = Instant::now();
    let mut read = 0;

    for band in 0..bands {
        read += scan
            .band(band)
            .await?
            .iter()
            .map(|track| track.points.len())
            .sum::<usize>();
    }

    let reading = began.elapsed().as_secs_f64();
    anyhow::ensure!(
        read == tally.samples,
        "{read} samples were read, {} learnt from",
        tally.samples
    );
    let gib = peak_gib()?;
    let verdict = |reach: bool, aim: bool| match (aim, reach) {
        (true, _) => "aim",
        (false, true) => "reached",
        (false, false) => "**missed**",
    };

    println!("| what | measured |");
    println!("|---|---|");
    println!(
        "| {} series, {} samples: from the lake to figures, week, a day's forecast and scores | {took:.1} s |",
        tally.series, tally.samples
    );
    println!("| memory of that, at its peak | {gib:.2} GiB |");
    println!("| control: reading alone, one band after the other | {reading:.1} s |");

    // Gathered by `bench/learn/run`.
    let (time, memory) = (
        verdict(took <= SECONDS, took <= AIM_SECONDS),
        verdict(gib <= GIB, false),
    );
    println!(
        "goal | speed: {} samples | {SECONDS} s | {AIM_SECONDS} s | {took:.1} s | {time} |",
        tally.samples
    );
    println!("goal | memory of that | {GIB} GiB | | {gib:.2} GiB | {memory} |");
    println!(
        "\n{workers} workers, {bands} bands; figures of {}, a weekly shape in {}, forecasts of {}, {} unusual points, medians {:.6e}; {} forecasts refused.",
        tally.figures,
        tally.weekly,
        tally.forecasts,
        tally.unusual,
        tally.medians,
        tally.series - tally.forecasts
    );

    Ok(())
}

/// The most memory this process has had.
fn peak_gib() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no VmHWM in /proc/self/status")?;
    let kib: f64 = line.split_whitespace().next().unwrap_or("").parse()?;
    Ok(kib / f64::from(1 << 20))
}
