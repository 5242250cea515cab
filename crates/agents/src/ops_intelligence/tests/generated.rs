//! Precision and recall of `predict_disk_full` on generated weeks. The seven days after the judgement,
//! which no judgement sees, decide what is right. The figures are those of
//! docs/agents/ops_intelligence.md.

use reeve_learn::trend::Trend;

use super::*;

/// Disks that are judged.
const DISKS: u64 = 400;
/// First seed: those below were looked at when the rule was written.
const FIRST: u64 = 100_002;
/// Days of history.
const DAYS: i64 = 28;
/// Days to come that decide.
const AHEAD: f64 = 7.0;

/// Deterministic values from 0 up to 1 (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// Use of one disk, percent, by days from the judgement; negative before it.
type Level = Box<dyn Fn(f64) -> f64>;

fn disk(seed: u64) -> Level {
    let mut chance = Chance(seed * 7_919 + 17);
    let (level, rate) = (chance.between(45.0, 96.0), chance.between(0.3, 6.0));
    let (swing, rough) = (chance.between(0.0, 1.5), chance.between(0.05, 0.6));
    let since = chance.between(2.0, 9.0);
    let season = move |day: f64| swing * (day * std::f64::consts::TAU).sin();

    let shape: Level = match seed % 6 {
        0 | 1 => Box::new(move |day| level + rate * day),
        // It began to grow some days ago.
        2 => Box::new(move |day| level + rate * (day + since).max(0.0) - rate * since),
        // It has stopped.
        3 => Box::new(move |day| level + rate * (day + since).min(0.0)),
        // Cleaned up at irregular times, before it is full.
        4 => {
            let mut cleaned = vec![-60.0];
            while cleaned.last().copied().unwrap_or(0.0) < AHEAD + 1.0 {
                cleaned.push(cleaned.last().unwrap() + chance.between(1.5, 5.0));
            }
            let floor = chance.between(20.0, 45.0);
            Box::new(move |day| {
                let last = cleaned.iter().rev().find(|at| **at <= day);
                floor + 10.0 * (day - last.copied().unwrap_or(day))
            })
        }
        // One copy of a day, which ended in the last hours or is about to.
        _ => {
            let ends = chance.between(-3.0, 0.3);
            let height = (97.0 - level * 0.6) * 0.8;
            Box::new(move |day| level * 0.6 + height * (day - ends + 1.0).clamp(0.0, 1.0))
        }
    };

    Box::new(move |day| {
        let mut noise = Chance(((day + 100.0) * 48.0).round() as u64 * 31 + seed);
        (shape(day) + season(day) + noise.between(-rough, rough)).clamp(0.5, 100.0)
    })
}

/// True and false warnings, and disks that were missed.
#[derive(Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Tally {
    fn count(&mut self, warned: bool, full: bool) {
        match (warned, full) {
            (true, true) => self.right += 1,
            (true, false) => self.wrong += 1,
            (false, true) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }
}

#[test]
fn warnings_on_generated_weeks_are_right_more_often_than_those_of_a_line() {
    let (mut ours, mut line) = (Tally::default(), Tally::default());
    for seed in FIRST..FIRST + DISKS {
        let level = disk(seed);
        if level(-1.0 / 48.0) >= 100.0 {
            continue;
        }
        let full = (1..=(AHEAD * 48.0) as i64).any(|step| level(step as f64 / 48.0) >= 100.0);

        let case = Case::volume().used(DAYS, |back| level(-back));
        ours.count(!case.judge().proposals.is_empty(), full);

        let points: Vec<(i64, f64)> = case.of_machine[0]
            .points
            .iter()
            .map(|(at, value)| (at.as_millisecond(), *value))
            .collect();
        let newest = points.last().map_or(0.0, |(_, value)| *value);
        let growth = Trend::fit(&points, 95.0).map_or(0.0, |trend| trend.growth_in(AHEAD));
        line.count(newest + growth >= 100.0, full);
    }

    println!(
        "ours: precision {:.3}, recall {:.3} ({ours:?}); line: precision {:.3}, recall {:.3} ({line:?})",
        ours.precision(),
        ours.recall(),
        line.precision(),
        line.recall()
    );
    assert!(ours.right + ours.missed >= 50, "{ours:?}");
    assert!(ours.precision() > line.precision(), "{ours:?} {line:?}");
    assert!(ours.precision() >= 0.85, "{ours:?}");
    assert!(ours.recall() >= 0.7, "{ours:?}");
}
