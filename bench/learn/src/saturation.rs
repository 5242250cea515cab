//! Saturation: how often the time to a full disk is foretold within a fifth, a day ahead, and
//! whether the interval holds.

use std::time::{Duration, Instant};

use anyhow::Result;
use reeve_learn::Point;
use reeve_learn::saturation::{Outlook, OutlookVerdict, SaturationQuestion, forecast_saturation};

use crate::chance::Chance;
use crate::data::Data;
use crate::goal::Goal;
use crate::leak::series::{self, Half};

mod fill;

use fill::{Disk, Shape};

const CASES: usize = 840;
const AHEAD: usize = 288;

/// Function that cuts noise out of a file.
type Cut = fn(&[Point], &mut Chance) -> Vec<Point>;

/// Disks and what was said of each.
struct Seen {
    disks: Vec<(Shape, Disk)>,
    outlooks: Vec<Outlook>,
    each: Duration,
}

/// Measures the forecasts and prints their tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let (half, seed) = if choosing {
        (Half::Choosing, 23)
    } else {
        (Half::Reporting, 2_027)
    };

    let base = series::of_machines(data, half)?;
    let cuts: [(&str, Cut); 2] = [
        ("turned to a random end", series::turned),
        ("ending as the files do", series::window),
    ];
    let mut each = Duration::ZERO;

    for (name, cut) in cuts {
        let seen = see(&base, seed, cut);
        let count = seen.disks.len();
        println!(
            "{count} disks that are full a day ahead, noise of {} real series, {name} (seed {seed}).\n",
            base.len()
        );
        seen.methods();
        let within = share(&seen.disks, 0.2, |index, disk| {
            after(seen.outlooks[index].median_ms, disk)
        });
        Goal::AtLeast(80.0, 90.0).print(
            &format!("full disks, within 20 % a day ahead, noise {name}"),
            within,
            1,
            " %",
        );
        seen.by_shape();
        still(&base, seed, cut);
        each = each.max(seen.each);
    }

    println!("Each series took {each:?}.");
    Ok(())
}

fn see(base: &[Vec<Point>], seed: u64, cut: Cut) -> Seen {
    let disks: Vec<(Shape, Disk)> = (0..CASES)
        .filter_map(|number| {
            let mut chance = Chance::new(seed, number as u64);
            let shape = Shape::ALL[number % Shape::ALL.len()];
            let window = cut(&base[chance.below(base.len())], &mut chance);
            fill::disk(&window, shape, AHEAD, &mut chance).map(|disk| (shape, disk))
        })
        .collect();

    let started = Instant::now();
    let outlooks = disks
        .iter()
        .map(|(_, disk)| {
            forecast_saturation(&disk.history, &SaturationQuestion::disk(disk.capacity))
        })
        .collect();
    let each = started.elapsed() / disks.len().max(1) as u32;

    Seen {
        disks,
        outlooks,
        each,
    }
}

impl Seen {
    fn methods(&self) {
        println!("| method | within 20 % | within 50 % |\n|---|---|---|");
        let disks = &self.disks;
        row("ours (median)", disks, |index, disk| {
            after(self.outlooks[index].median_ms, disk)
        });
        row(
            "the true growth and the noise of past days, known apart",
            disks,
            |_, disk| disk.by_both_ms,
        );

        row(
            "the true growth as if there were no noise",
            disks,
            |_, disk| disk.by_growth_ms,
        );

        row("line through everything", disks, |_, disk| {
            line(disk, usize::MAX)
        });
        row("line through the last day", disks, |_, disk| {
            line(disk, 288)
        });
        row("last slope (an hour)", disks, |_, disk| line(disk, 12));
    }

    fn by_shape(&self) {
        println!(
            "\n| shape | disks | within 20 % | knowing growth and noise | inside the 90 % interval | full before it | interval's width, median |\n|---|---|---|---|---|---|---|"
        );
        for shape in Shape::ALL.map(Some).into_iter().chain([None]) {
            let all = self.disks.iter().zip(&self.outlooks);
            let own: Vec<(&Disk, &Outlook)> = all
                .filter(|((own, _), _)| shape.is_none_or(|shape| *own == shape))
                .map(|((_, disk), outlook)| (disk, outlook))
                .collect();
            let share = |holds: &dyn Fn(&Disk, &Outlook) -> bool| {
                100.0
                    * own
                        .iter()
                        .filter(|(disk, outlook)| holds(disk, outlook))
                        .count() as f64
                    / own.len() as f64
            };
            let low = |disk: &Disk, outlook: &Outlook| {
                after(outlook.earliest_ms, disk).unwrap_or(f64::MAX)
            };
            let high = |disk: &Disk, outlook: &Outlook| {
                after(outlook.latest_ms, disk).unwrap_or(f64::INFINITY)
            };
            let before = share(&|disk, outlook| disk.full_after_ms < low(disk, outlook));
            let behind = share(&|disk, outlook| disk.full_after_ms > high(disk, outlook));
            let mut widths: Vec<f64> = own
                .iter()
                .map(|(disk, outlook)| (high(disk, outlook) - low(disk, outlook)) / 3_600_000.0)
                .collect();
            widths.sort_by(f64::total_cmp);
            println!(
                "| {} | {} | {:.1} % | {:.1} % | {:.1} % | {before:.1} % | {} |",
                shape.map_or("all".to_owned(), |shape| format!("{shape:?}")),
                own.len(),
                share(&|disk, outlook| near(after(outlook.median_ms, disk), disk, 0.2)),
                share(&|disk, _| near(disk.by_both_ms, disk, 0.2)),
                100.0 - before - behind,
                widths
                    .get(widths.len() / 2)
                    .filter(|h| h.is_finite())
                    .map_or("open".to_owned(), |h| format!("{h:.1} h"))
            );
        }
    }
}

/// Milliseconds from the last point of a disk's history to a time.
fn after(at: Option<i64>, disk: &Disk) -> Option<f64> {
    let now = disk.history.last()?.0;
    at.map(|at| (at - now) as f64)
}

fn near(foretold: Option<f64>, disk: &Disk, share: f64) -> bool {
    foretold.is_some_and(|ms| (ms - disk.full_after_ms).abs() <= share * disk.full_after_ms)
}

fn row(name: &str, disks: &[(Shape, Disk)], foretold: impl Fn(usize, &Disk) -> Option<f64>) {
    println!(
        "| {name} | {:.1} % | {:.1} % |",
        share(disks, 0.2, &foretold),
        share(disks, 0.5, &foretold)
    );
}

/// Percent of disks whose time was foretold within a share of the wait.
fn share(
    disks: &[(Shape, Disk)],
    share: f64,
    foretold: impl Fn(usize, &Disk) -> Option<f64>,
) -> f64 {
    let hits = disks
        .iter()
        .enumerate()
        .filter(|(index, (_, disk))| near(foretold(*index, disk), disk, share))
        .count();
    100.0 * hits as f64 / disks.len().max(1) as f64
}

/// Series that do not grow, with a capacity a little above what they ever reached.
fn still(base: &[Vec<Point>], seed: u64, cut: Cut) {
    let (mut alarms, mut count) = (0, 0);
    for number in 0..300 {
        let mut chance = Chance::new(seed + 1, number);
        let window = cut(&base[chance.below(base.len())], &mut chance);
        let peak = window
            .iter()
            .map(|(_, value)| *value)
            .fold(f64::MIN, f64::max);
        let capacity = peak + chance.between(0.5, 3.0) * series::deviation(&window);
        let outlook = forecast_saturation(
            &window[..window.len() - AHEAD],
            &SaturationQuestion::disk(capacity),
        );
        alarms += u32::from(outlook.verdict == OutlookVerdict::Foreseen);
        count += 1;
    }

    println!(
        "\nOf {count} series that never reach their capacity, {alarms} were foretold to within a week.\n"
    );
}

/// The time at which a straight line through the last points reaches the capacity.
fn line(disk: &Disk, window: usize) -> Option<f64> {
    let points = &disk.history[disk.history.len().saturating_sub(window)..];
    let (n, last) = (points.len() as f64, points.last()?.0);
    let mean_x = points.iter().map(|(at, _)| (at - last) as f64).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, value)| value).sum::<f64>() / n;
    let (mut xx, mut xy) = (0.0, 0.0);
    for (at, value) in points {
        let x = (at - last) as f64 - mean_x;
        (xx, xy) = (xx + x * x, xy + x * (value - mean_y));
    }

    let rate = xy / xx;
    (rate > 0.0).then(|| mean_x + (disk.capacity - mean_y) / rate)
}
