//! Leaks: F1 on leaks injected, seeded, into real series, beside detectors that know less.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use reeve_learn::Point;
use reeve_learn::leak::{LeakSettings, LeakVerdict, judge};

use crate::chance::Chance;
use crate::data::Data;
use crate::goal::Goal;

mod inject;
mod naive;
pub(crate) mod series;

use inject::Kind;
use series::Half;

const CASES: usize = 1_200;

struct Case {
    kind: Kind,
    points: Vec<Point>,
    coin: bool,
}

#[derive(Default)]
struct Score {
    hit: f64,
    missed: f64,
    false_alarm: f64,
    quiet: f64,
}

impl Score {
    fn count(&mut self, is: bool, said: bool) {
        match (is, said) {
            (true, true) => self.hit += 1.0,
            (true, false) => self.missed += 1.0,
            (false, true) => self.false_alarm += 1.0,
            (false, false) => self.quiet += 1.0,
        }
    }

    fn f1(&self) -> f64 {
        2.0 * self.hit / (2.0 * self.hit + self.false_alarm + self.missed).max(1.0)
    }

    fn row(&self, name: &str) {
        let precision = self.hit / (self.hit + self.false_alarm).max(1.0);
        let recall = self.hit / (self.hit + self.missed).max(1.0);
        println!(
            "| {name} | {:.3} | {precision:.3} | {recall:.3} |",
            self.f1()
        );
    }
}

/// Prints the part. The half of the files that choices were made on is shown only when
/// `REEVE_BENCH_CHOOSING` is set.
pub(crate) fn run(data: &Data) -> Result<()> {
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let (half, seed) = if choosing {
        (Half::Choosing, 11)
    } else {
        (Half::Reporting, 2_026)
    };

    let base = series::of_machines(data, half)?;
    println!(
        "{CASES} windows of 14 days cut from {} real series (seed {seed}); half of them leak.\n",
        base.len()
    );
    let cases = cases(&base, seed);
    let started = Instant::now();
    let judged: Vec<_> = cases
        .iter()
        .map(|case| judge(&case.points, &[], &LeakSettings::default()))
        .collect();
    let each = started.elapsed() / CASES as u32;
    println!("| detector | F1 | precision | recall |\n|---|---|---|---|");
    let says: Vec<bool> = judged
        .iter()
        .map(|one| one.verdict == LeakVerdict::Leak)
        .collect();
    let ours = score(&cases, |index, _| says[index]);
    ours.row("ours");
    Goal::AtLeast(0.90, 0.97).print("leaks: F1", ours.f1(), 3, "");
    score(&cases, |_, _| true).row("always a leak");
    score(&cases, |_, case| case.coin).row("a coin");
    score(&cases, |_, case| naive::slope_test(&case.points))
        .row("slope of least squares, p < 0.01");
    score(&cases, |_, case| naive::kendall_of_days(&case.points))
        .row("Mann-Kendall on daily means, p < 0.01");
    score(&cases, |_, case| naive::ends_higher(&case.points)).row("last day 10 % above the first");
    println!("\n| injected | judged a leak | no leak | abstained |\n|---|---|---|---|");
    let mut kinds: BTreeMap<Kind, [u32; 3]> = BTreeMap::new();
    for (case, one) in cases.iter().zip(&judged) {
        kinds.entry(case.kind).or_default()[one.verdict as usize] += 1;
    }

    for (kind, [leak, none, abstained]) in kinds {
        println!("| {kind:?} | {leak} | {none} | {abstained} |");
    }

    println!("\nEach series of {} points took {each:?}.", series::WINDOW);
    Ok(())
}

fn cases(base: &[Vec<Point>], seed: u64) -> Vec<Case> {
    (0..CASES)
        .map(|number| {
            let mut chance = Chance::new(seed, number as u64);
            let kind = Kind::DRAWN[number % Kind::DRAWN.len()];
            let window = series::window(&base[chance.below(base.len())], &mut chance);
            Case {
                kind,
                points: inject::into(&window, kind, &mut chance),
                coin: chance.happens(0.5),
            }
        })
        .collect()
}

fn score(cases: &[Case], mut says: impl FnMut(usize, &Case) -> bool) -> Score {
    let mut score = Score::default();
    for (index, case) in cases.iter().enumerate() {
        score.count(case.kind.is_leak(), says(index, case));
    }
    score
}
