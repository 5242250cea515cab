//! Saturation: how often the time to a full disk is foretold within a fifth, a day ahead, and whether the interval holds.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use reeve_learn::Point;
use reeve_learn::saturation::{Outlook, Question, Verdict, foretell};

use crate::chance::Chance;
use crate::data::Data;
use crate::leak::series::{self, Half};

mod fill;

use fill::{Disk, Shape};

const CASES: usize = 840;
const AHEAD: usize = 288;

/// Prints the part.
pub(crate) fn run(data: &Data) -> Result<()> {
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let (half, seed) = if choosing { (Half::Choosing, 23) } else { (Half::Reporting, 2_027) };
    let base = series::of_machines(data, half)?;
    let disks = disks(&base, seed);
    println!("{} disks that are full a day ahead, noise of {} real series (seed {seed}).\n", disks.len(), base.len());
    let started = Instant::now();
    let seen: Vec<Outlook> =
        disks.iter().map(|(_, disk)| foretell(&disk.history, &Question::disk(disk.capacity))).collect();
    let each = started.elapsed() / disks.len().max(1) as u32;
    println!("| method | within 20 % | within 50 % |\n|---|---|---|");
    let now = |disk: &Disk| disk.history.last().map_or(0, |(at, _)| *at);
    let ours: Vec<Option<f64>> =
        disks.iter().zip(&seen).map(|((_, disk), one)| one.median_ms.map(|at| (at - now(disk)) as f64)).collect();
    row("ours (median)", &disks, |index, _| ours[index]);
    row("the true growth without the noise", &disks, |_, disk| disk.by_growth_ms);
    row("line through everything", &disks, |_, disk| line(disk, usize::MAX));
    row("line through the last day", &disks, |_, disk| line(disk, 288));
    row("last slope (an hour)", &disks, |_, disk| line(disk, 12));
    by_shape(&disks, &seen, &ours);
    still(&base, seed);
    println!("\nEach series took {each:?}.");
    Ok(())
}

fn disks(base: &[Vec<Point>], seed: u64) -> Vec<(Shape, Disk)> {
    (0..CASES)
        .filter_map(|number| {
            let mut chance = Chance::new(seed, number as u64);
            let shape = Shape::ALL[number % Shape::ALL.len()];
            let window = series::window(&base[chance.below(base.len())], &mut chance);
            fill::disk(&window, shape, AHEAD, &mut chance).map(|disk| (shape, disk))
        })
        .collect()
}

fn near(foretold: Option<f64>, disk: &Disk, share: f64) -> bool {
    foretold.is_some_and(|ms| (ms - disk.full_after_ms).abs() <= share * disk.full_after_ms)
}

fn row(name: &str, disks: &[(Shape, Disk)], foretold: impl Fn(usize, &Disk) -> Option<f64>) {
    let share = |share: f64| {
        let hits =
            disks.iter().enumerate().filter(|(index, (_, disk))| near(foretold(*index, disk), disk, share)).count();
        100.0 * hits as f64 / disks.len().max(1) as f64
    };
    println!("| {name} | {:.1} % | {:.1} % |", share(0.2), share(0.5));
}

fn by_shape(disks: &[(Shape, Disk)], seen: &[Outlook], ours: &[Option<f64>]) {
    println!(
        "\n| shape | disks | within 20 % | knowing the growth | inside the 90 % interval | interval's width, median |\n|---|---|---|---|---|---|"
    );
    // Disks, hits, truths inside the interval, widths in hours, hits of who knows the growth.
    type Tally = (f64, f64, f64, Vec<f64>, f64);
    let mut shapes: BTreeMap<Option<Shape>, Tally> = BTreeMap::new();
    for (((shape, disk), one), foretold) in disks.iter().zip(seen).zip(ours) {
        let now = disk.history.last().map_or(0, |(at, _)| *at);
        let after = |at: Option<i64>, or: f64| at.map_or(or, |at| (at - now) as f64);
        let (low, high) = (after(one.earliest_ms, f64::MAX), after(one.latest_ms, f64::MAX));
        for key in [Some(*shape), None] {
            let entry = shapes.entry(key).or_default();
            entry.0 += 1.0;
            entry.1 += f64::from(near(*foretold, disk, 0.2));
            entry.2 += f64::from(low <= disk.full_after_ms && disk.full_after_ms <= high);
            entry.4 += f64::from(near(disk.by_growth_ms, disk, 0.2));
            entry.3.push((high - low) / 3_600_000.0);
        }
    }
    for (shape, (count, hits, inside, mut widths, known)) in shapes {
        widths.sort_by(f64::total_cmp);
        let name = shape.map_or("all".to_owned(), |shape| format!("{shape:?}"));
        let (hits, inside, known) = (100.0 * hits / count, 100.0 * inside / count, 100.0 * known / count);
        println!(
            "| {name} | {count} | {hits:.1} % | {known:.1} % | {inside:.1} % | {:.1} h |",
            widths[widths.len() / 2]
        );
    }
}

/// Series that do not grow, with a capacity a little above what they ever reached.
fn still(base: &[Vec<Point>], seed: u64) {
    let (mut alarms, mut count) = (0, 0);
    for number in 0..300 {
        let mut chance = Chance::new(seed + 1, number);
        let window = series::window(&base[chance.below(base.len())], &mut chance);
        let peak = window.iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
        let capacity = peak + chance.between(0.5, 3.0) * series::deviation(&window);
        let outlook = foretell(&window[..window.len() - AHEAD], &Question::disk(capacity));
        alarms += u32::from(outlook.verdict == Verdict::Foreseen);
        count += 1;
    }
    println!("\nOf {count} series that never reach their capacity, {alarms} were foretold to within a week.");
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
