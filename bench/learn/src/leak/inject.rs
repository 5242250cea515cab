//! Leaks put into real series, and things that look like leaks and are none.

use reeve_learn::Point;

use super::series::deviation;
use crate::chance::Chance;

/// Pattern injected into a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Grows to the end.
    LeakSteady,
    /// Growth that starts again after each of one to five restarts.
    LeakRestarted,
    /// Grows with the load: so much per unit of work done.
    LeakPerWork,
    /// Grows in steps: so much per job.
    LeakStaircase,
    /// The real series alone.
    Clean,
    /// A daily swing, less of it on weekends.
    CleanSeason,
    /// One lasting shift upwards.
    CleanShift,
    /// A rise that levels off.
    CleanWarmUp,
    /// A sawtooth of hours whose floors stay.
    CleanCollected,
}

impl Kind {
    /// All of them, as often as they are drawn.
    pub(crate) const DRAWN: [Kind; 12] = [
        Kind::LeakSteady,
        Kind::LeakSteady,
        Kind::LeakRestarted,
        Kind::LeakRestarted,
        Kind::LeakPerWork,
        Kind::LeakStaircase,
        Kind::Clean,
        Kind::Clean,
        Kind::CleanSeason,
        Kind::CleanShift,
        Kind::CleanWarmUp,
        Kind::CleanCollected,
    ];

    /// Returns `true` if the pattern is a leak.
    pub(crate) fn is_leak(self) -> bool {
        matches!(
            self,
            Kind::LeakSteady | Kind::LeakRestarted | Kind::LeakPerWork | Kind::LeakStaircase
        )
    }
}

/// Adds one kind to a series. Sizes are in standard deviations of the series itself: 1.5 to 10 over
/// the window for leaks, the same for what only looks like one.
pub(crate) fn into(base: &[Point], kind: Kind, chance: &mut Chance) -> Vec<Point> {
    let unit = deviation(base).max(1e-9) * chance.scale(1.5, 10.0);
    let count = base.len();
    let onset = if chance.happens(0.5) {
        0.0
    } else {
        chance.between(0.0, 0.4)
    };
    let climb = |index: usize| ((index as f64 / count as f64 - onset) / (1.0 - onset)).max(0.0);

    let added: Vec<f64> = match kind {
        Kind::LeakSteady => (0..count).map(climb).collect(),
        Kind::LeakRestarted => restarted(count, chance),
        Kind::LeakPerWork => per_work(base, onset),
        Kind::LeakStaircase => {
            let steps = chance.between(12.0, 60.0).floor();
            (0..count)
                .map(|index| (climb(index) * steps).floor() / steps)
                .collect()
        }
        Kind::Clean => vec![0.0; count],
        Kind::CleanSeason => season(base, chance),
        Kind::CleanShift => {
            let at = (chance.between(0.1, 0.9) * count as f64) as usize;
            (0..count).map(|index| f64::from(index >= at)).collect()
        }
        Kind::CleanWarmUp => {
            let constant = chance.between(0.3, 1.8) / 14.0 * count as f64;
            let at = if chance.happens(0.5) {
                0.0
            } else {
                chance.between(0.0, 0.4) * count as f64
            };
            (0..count)
                .map(|index| 1.0 - (-((index as f64 - at).max(0.0)) / constant).exp())
                .collect()
        }
        Kind::CleanCollected => {
            let length = chance.between(2.0, 12.0) * 12.0;
            collected(count, length, chance)
        }
    };

    base.iter()
        .zip(added)
        .map(|((at, value), more)| (*at, value + unit * more))
        .collect()
}

fn restarted(count: usize, chance: &mut Chance) -> Vec<f64> {
    let mut restarts: Vec<usize> = (0..1 + chance.below(5))
        .map(|_| chance.below(count))
        .collect();
    restarts.sort_unstable();
    let slope = (restarts.len() as f64 + 1.0).sqrt() / count as f64;
    let mut since = 0;

    (0..count)
        .map(|index| {
            since = if restarts.binary_search(&index).is_ok() {
                0
            } else {
                since + 1
            };
            since as f64 * slope
        })
        .collect()
}

fn per_work(base: &[Point], onset: f64) -> Vec<f64> {
    let from = (onset * base.len() as f64) as usize;
    let low = base
        .iter()
        .map(|(_, value)| *value)
        .fold(f64::MAX, f64::min)
        .min(0.0);
    let mut total = 0.0;
    let sums: Vec<f64> = base
        .iter()
        .enumerate()
        .map(|(index, (_, value))| {
            total += if index >= from { value - low } else { 0.0 };
            total
        })
        .collect();

    sums.iter().map(|sum| sum / total.max(1e-12)).collect()
}

fn season(base: &[Point], chance: &mut Chance) -> Vec<f64> {
    let (peak, weekend) = (chance.between(0.0, 24.0), chance.between(0.1, 1.0));
    base.iter()
        .map(|(at, _)| {
            let hour = at.rem_euclid(86_400_000) as f64 / 3_600_000.0;
            let swing = (1.0 + ((hour - peak) / 12.0 * std::f64::consts::PI).cos()) / 2.0;
            let off = (at.div_euclid(86_400_000) + 3).rem_euclid(7) >= 5;
            swing * if off { weekend } else { 1.0 }
        })
        .collect()
}

fn collected(count: usize, length: f64, chance: &mut Chance) -> Vec<f64> {
    let (mut height, mut this) = (0.0, length);
    (0..count)
        .map(|_| {
            height += 1.0 / length;
            if height * length >= this {
                (height, this) = (0.0, length * chance.between(0.7, 1.3));
            }
            height
        })
        .collect()
}
