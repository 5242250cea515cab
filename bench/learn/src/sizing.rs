//! Sizing: how often the demand of the next seven days passes the capacity that was advised, and
//! how much of it is left, beside percentiles of the same 28 days.
//!
//! Each history is scaled so that its highest demand is half of what there is: the limit of 100 %
//! helps nobody.

use anyhow::Result;
use reeve_learn::percentile;
use reeve_learn::sizing::needed;
use reeve_learn::{DAY_MS, Point, WEEK_MS};

use crate::data::Data;
use crate::forecast::series::{self, Series, Set};
use crate::goal::Goal;

/// Days of history that every method sees, and the fewest.
const HISTORY_DAYS: i64 = 396;
const LEAST_DAYS: i64 = 7;
/// Series that are longer are judged once a week, others every day.
const LONG_DAYS: i64 = 60;
/// Highest demand of a history, percent.
const SCALE: f64 = 50.0;
const METHODS: [&str; 5] = ["ours", "P95", "P99", "highest", "P90 + 15 %"];

/// Weeks passed and shares left, by method.
#[derive(Default, Clone)]
struct Tally {
    weeks: [f64; METHODS.len()],
    passed: [f64; METHODS.len()],
    left: [f64; METHODS.len()],
}

/// Measures the advice and prints its tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let mut cpu = series::cloudwatch(data)?;
    cpu.series.extend(series::others(data)?.series);
    cpu.series.retain(|series| series.name.contains("cpu"));
    cpu.name = "NAB, CPU";
    let mut load = series::ett(data)?;
    load.series.retain(|series| !series.name.ends_with("OT"));
    print(&cpu);
    print(&load);
    Ok(())
}

fn print(set: &Set) {
    let tallies: Vec<Tally> = set
        .series
        .iter()
        .map(judge)
        .filter(|tally| tally.weeks[0] > 0.0)
        .collect();
    let weeks: f64 = tallies.iter().map(|tally| tally.weeks[0]).sum();

    println!(
        "{}: {weeks} weeks of {} series; means over series.\n",
        set.name,
        tallies.len()
    );

    println!(
        "| method | weeks in which demand passes it | capacity left at the week's highest demand |\n|---|---|---|"
    );
    let mean = |of: &dyn Fn(&Tally) -> f64| {
        tallies.iter().map(of).sum::<f64>() / tallies.len().max(1) as f64 * 100.0
    };

    for (method, name) in METHODS.iter().enumerate() {
        let passed = mean(&|tally| tally.passed[method] / tally.weeks[method].max(1.0));
        let left = mean(&|tally| tally.left[method] / tally.weeks[method].max(1.0));
        println!("| {name} | {passed:.1} % | {left:.1} % |");
        if method == 0 {
            Goal::AtMost(5.0, 1.0).print(
                &format!("sizing, {}: weeks passed", set.name),
                passed,
                1,
                " %",
            );
            Goal::AtMost(35.0, 25.0).print(
                &format!("sizing, {}: capacity left", set.name),
                left,
                1,
                " %",
            );
        }
    }

    println!();
}

fn judge(series: &Series) -> Tally {
    let points: Vec<Point> = series
        .points()
        .into_iter()
        .map(|(at_ms, value)| (at_ms, value.max(0.0)))
        .collect();
    let mut tally = Tally::default();
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return tally;
    };
    let step = if last - first > LONG_DAYS * DAY_MS {
        WEEK_MS
    } else {
        DAY_MS
    };

    let mut now = first + LEAST_DAYS * DAY_MS;
    while now + WEEK_MS <= last + series.grid.step_ms {
        let within = |from: i64, until: i64| {
            let start = points.partition_point(|(at_ms, _)| *at_ms < from);
            let end = points.partition_point(|(at_ms, _)| *at_ms < until);
            &points[start..end]
        };
        week(
            &mut tally,
            within(now - HISTORY_DAYS * DAY_MS, now),
            within(now, now + WEEK_MS),
            now,
        );
        now += step;
    }

    tally
}

fn week(tally: &mut Tally, past: &[Point], next: &[Point], now_ms: i64) {
    let highest = |points: &[Point]| points.iter().map(|(_, value)| *value).reduce(f64::max);
    let (Some(peak), Some(demand)) = (highest(past).filter(|peak| *peak > 0.0), highest(next))
    else {
        return;
    };

    let scaled: Vec<Point> = past
        .iter()
        .map(|(at_ms, value)| (*at_ms, value / peak * SCALE))
        .collect();
    let Some(ours) = needed(&scaled, now_ms) else {
        return;
    };

    let month: Vec<f64> = scaled
        .iter()
        .filter(|(at_ms, _)| *at_ms >= now_ms - 28 * DAY_MS)
        .map(|(_, value)| *value)
        .collect();
    let of = |percent: f64| percentile(&month, percent).unwrap_or_default();
    let advised = [ours.percent, of(95.0), of(99.0), of(100.0), of(90.0) * 1.15];
    let demand = demand / peak * SCALE;

    for (method, capacity) in advised.into_iter().enumerate() {
        tally.weeks[method] += 1.0;
        // What rounding does is no outage.
        tally.passed[method] += f64::from(u8::from(demand > capacity * (1.0 + 1e-9)));
        tally.left[method] += if capacity > 0.0 {
            ((capacity - demand) / capacity).max(0.0)
        } else {
            0.0
        };
    }
}
