//! Spot pools of which nothing is known but when they had capacity: recorded fleets and generated
//! ones, with controls beside.
//!
//! A fleet's count of nodes gives a series for each of some sizes: available where at least so many
//! nodes are there. Groups are fleets; the weights of the model were chosen on the first group of
//! each kind, and the others are only reported.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};
use reeve_learn::interruption::Availability;

use super::HOUR_MS;
use super::skill::Forecasts;
use crate::chance::Chance;
use crate::data::Data;

/// Steps of a series that a horizon takes.
const HORIZONS: [usize; 2] = [6, 12];
/// Shares of the sorted counts at which a size is taken.
const SIZES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];
/// Losses below which a series says nothing.
const LEAST_LOSSES: usize = 4;
/// Horizons over which the controls wait, as the model does.
const LEAST_HORIZONS: usize = 10;

/// Availability of a pool at equal steps.
pub(crate) struct Series {
    pub(crate) group: String,
    pub(crate) step_ms: i64,
    pub(crate) available: Vec<bool>,
}

/// Chances by the model and the controls.
#[derive(Default)]
struct Group {
    ours: Forecasts,
    logistic: Forecasts,
    rate: Forecasts,
}

/// Prints a row for each group.
pub(super) fn run(data: &Data) -> Result<()> {
    println!("### Pools of which only availability is known\n");
    println!(
        "| group | cases | lost | said | AUC | AUC, logistic | AUC, rate | Brier | Brier, logistic | Brier, rate | ECE | ECE, logistic | calmest fifth said | lost |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();

    for series in recorded(data)?.iter().chain(&generated(11..15)) {
        let group = groups.entry(series.group.clone()).or_default();
        HORIZONS
            .iter()
            .for_each(|horizon| judge(series, *horizon, group));
    }

    for (
        name,
        Group {
            ours,
            logistic,
            rate,
        },
    ) in &groups
    {
        let (calm_said, calm_lost) = ours.calmest_fifth();
        println!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.4} | {:.4} | {:.4} | {:.3} | {:.3} | {calm_said:.3} | {calm_lost:.3} |",
            ours.len(),
            ours.mean(|_, was| was),
            ours.mean(|said, _| said),
            ours.order(),
            logistic.order(),
            rate.order(),
            ours.brier(),
            logistic.brier(),
            rate.brier(),
            ours.calibration_error(),
            logistic.calibration_error(),
        );
    }

    println!();
    Ok(())
}

fn judge(series: &Series, horizon: usize, group: &mut Group) {
    let up = &series.available;
    let mut pool = Availability::new(horizon as i64 * series.step_ms);
    let mut control = Plain::default();
    let lost = |at: usize| {
        up[at..=at + horizon]
            .windows(2)
            .any(|pair| pair[0] && !pair[1])
    };

    for at in 0..up.len().saturating_sub(horizon) {
        let said = pool.observe(at as i64 * series.step_ms, Some(up[at]));
        let features = control.features(up, at);
        // What happened within the horizon of a moment is known a horizon later.
        if let Some(before) = at.checked_sub(horizon).filter(|before| up[*before]) {
            let then = Plain::default().caught_up(up, before);
            control.learn(then, lost(before), horizon);
        }
        if let Some(said) = said.filter(|_| up[at] && control.seen >= LEAST_HORIZONS * horizon) {
            let happened = lost(at);
            group.ours.add(said, happened);
            group.logistic.add(control.chance(features), happened);
            group
                .rate
                .add((control.lost + 0.5) / (control.seen as f64 + 1.0), happened);
        }
    }
}

/// Control: a logistic regression on the age of the state and on the share of the last day that was
/// available.
#[derive(Default)]
struct Plain {
    weights: [f64; 3],
    since: usize,
    seen: usize,
    lost: f64,
    examples: Vec<([f64; 3], bool)>,
}

impl Plain {
    fn caught_up(&mut self, up: &[bool], at: usize) -> [f64; 3] {
        self.since = (0..at)
            .rev()
            .take_while(|before| up[*before] == up[at])
            .last()
            .unwrap_or(at);
        self.features(up, at)
    }

    fn features(&mut self, up: &[bool], at: usize) -> [f64; 3] {
        if at > 0 && up[at] != up[at - 1] {
            self.since = at;
        }
        let window = &up[at.saturating_sub(144)..=at];
        let share = window.iter().filter(|one| **one).count() as f64 / window.len() as f64;
        [1.0, ((at - self.since.min(at)) as f64 / 6.0).ln_1p(), share]
    }

    fn learn(&mut self, features: [f64; 3], lost: bool, horizon: usize) {
        self.seen += 1;
        self.lost += f64::from(lost);
        self.examples.push((features, lost));
        if self.seen.is_multiple_of(horizon) {
            self.fit();
        }
    }

    /// Newton's steps with a weak prior at zero.
    fn fit(&mut self) {
        for _ in 0..4 {
            let (mut gradient, mut curve) =
                (self.weights.map(|weight| -weight / 9.0), [[0.0; 3]; 3]);
            (0..3).for_each(|at| curve[at][at] = 1.0 / 9.0);
            for (x, lost) in &self.examples {
                let chance = self.chance(*x);
                for row in 0..3 {
                    gradient[row] += (f64::from(*lost) - chance) * x[row];
                    (0..3).for_each(|column| {
                        curve[row][column] += chance * (1.0 - chance) * x[row] * x[column]
                    });
                }
            }
            let step = solve(curve, gradient);
            self.weights
                .iter_mut()
                .zip(step)
                .for_each(|(weight, step)| *weight += step.clamp(-2.0, 2.0));
        }
    }

    fn chance(&self, features: [f64; 3]) -> f64 {
        1.0 / (1.0
            + (-self
                .weights
                .iter()
                .zip(features)
                .map(|(w, x)| w * x)
                .sum::<f64>())
            .exp())
    }
}

/// Solves a symmetric positive system by Cramer's rule.
fn solve(a: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let det = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = det(a);

    std::array::from_fn(|column| {
        let mut replaced = a;
        (0..3).for_each(|row| replaced[row][column] = b[row]);
        det(replaced) / whole
    })
}

/// Recorded fleets: `parcae-p3trace.csv` by node, `bamboo-*.csv` by count. The short excerpts of
/// Parcae are of the same day and left out.
pub(crate) fn recorded(data: &Data) -> Result<Vec<Series>> {
    let mut all = Vec::new();
    for path in data.csv_files("spot")? {
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let (step_ms, counts) = if name.starts_with("parcae") {
            (60_000, counts(&changes_of_nodes(&text), 60_000))
        } else {
            (300_000, counts(&absolute(&text), 300_000))
        };
        all.extend(sizes(&name, step_ms, &counts));
    }

    Ok(all)
}

/// Times and counts of nodes out of lines such as `780000,add,node30`.
fn changes_of_nodes(text: &str) -> Vec<(i64, i64)> {
    let mut nodes = 0;
    let mut found = Vec::new();

    for line in text.lines() {
        let mut cells = line.split(',');
        let Some(at) = cells.next().and_then(|cell| cell.parse().ok()) else {
            continue;
        };
        nodes += match cells.next() {
            Some("add") => 1,
            Some("remove") => -1,
            _ => 0,
        };
        found.push((at, nodes));
    }

    found
}

/// Times and counts out of lines such as `21529,4`: seconds, or hours where the times have
/// fractions.
fn absolute(text: &str) -> Vec<(i64, i64)> {
    let unit = if text.contains('.') {
        HOUR_MS as f64
    } else {
        1_000.0
    };

    let cells = |line: &str| {
        line.split_once(',')
            .map(|(at, count)| (at.to_owned(), count.to_owned()))
    };
    let rows = text.lines().filter_map(cells);

    rows.filter_map(|(at, count)| {
        Some((
            (at.parse::<f64>().ok()? * unit) as i64,
            count.trim().parse().ok()?,
        ))
    })
    .collect()
}

/// The count at equal steps, from the first node on.
fn counts(changes: &[(i64, i64)], step_ms: i64) -> Vec<i64> {
    let end = changes.last().map_or(0, |(at, _)| *at);
    let at = |time: i64| {
        changes[..changes.partition_point(|(at, _)| *at <= time)]
            .last()
            .map_or(0, |(_, count)| *count)
    };

    (0..=end / step_ms)
        .map(|step| at(step * step_ms))
        .skip_while(|count| *count == 0)
        .collect()
}

fn sizes(name: &str, step_ms: i64, counts: &[i64]) -> Vec<Series> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let at = |share: f64| sorted[(share * (sorted.len().max(1) - 1) as f64) as usize];
    let mut levels: Vec<i64> = if counts.len() < 150 {
        Vec::new()
    } else {
        SIZES.iter().flat_map(|q| [at(*q), at(*q) + 1]).collect()
    };
    levels.dedup();

    let series = levels.into_iter().map(|level| Series {
        group: name.to_owned(),
        step_ms,
        available: counts.iter().map(|count| *count >= level).collect(),
    });

    series
        .filter(|one| {
            one.available
                .windows(2)
                .filter(|pair| pair[0] && !pair[1])
                .count()
                >= LEAST_LOSSES
        })
        .collect()
}

/// Thirty days of ten minutes each: calm and stormy days in turn, capacity going with a chance of
/// their own a step.
pub(crate) fn generated(seeds: std::ops::Range<u64>) -> Vec<Series> {
    let worlds = [
        ("calm and stormy", [0.002, 0.08], 1.0),
        ("one hazard", [0.02, 0.02], 1.0),
        ("violent storms", [0.0005, 0.2], 1.0),
        ("always in danger", [0.05, 0.3], 1.0),
    ];

    worlds_of(&worlds, seeds, 50)
}

/// Pools whose capacity is lost once in two days, and pools with a stormy day in ten as well: most
/// pools that a cloud offers.
pub(crate) fn ordinary(seeds: std::ops::Range<u64>) -> Vec<Series> {
    let worlds = [
        ("a loss in two days", [0.0035, 0.0035], 1.0),
        (
            "a loss in two days, a stormy day in ten",
            [0.0035, 0.1],
            9.0,
        ),
        ("a loss in ten days", [0.0007, 0.0007], 1.0),
    ];

    worlds_of(&worlds, seeds, 60)
}

/// A world: its name, the chances of a loss a step in calm and in storm, and calm days to a stormy
/// one.
type World<'a> = (&'a str, [f64; 2], f64);

fn worlds_of(worlds: &[World<'_>], seeds: std::ops::Range<u64>, stream: u64) -> Vec<Series> {
    let mut all = Vec::new();
    for seed in seeds {
        for (world, (name, chances, calm_days)) in worlds.iter().enumerate() {
            let mut chance = Chance::new(seed, stream + world as u64);
            let (mut up, mut stormy) = (true, false);
            let step = |_| {
                let days = if stormy { 1.0 } else { *calm_days };
                stormy ^= chance.happens(1.0 / (144.0 * days));
                up = if up {
                    !chance.happens(chances[usize::from(stormy)])
                } else {
                    chance.happens(0.1)
                };
                up
            };
            let available = (0..30 * 144).map(step).collect();
            all.push(Series {
                group: format!("generated, {name}"),
                step_ms: 600_000,
                available,
            });
        }
    }

    all
}
