//! Releases: deletes, rotated logs, closed connections. They are glued away to measure growth, and
//! counted to say how likely one comes before the capacity is reached.

use crate::leak::Release;
use crate::leak::breaks::Break;
use crate::leak::buckets::{Buckets, median, spread};
use crate::leak::tail::student_upper;

/// Number of past stretches that random releases count for, shared among the releases seen.
const RANDOM: f64 = 4.0;

/// Effect of the releases so far.
#[derive(Debug)]
pub(super) struct Relief {
    /// Series without its breaks: the accumulated growth.
    pub(super) glued: Vec<f64>,
    /// The level now, the season taken out.
    pub(super) level: f64,
    /// The releases, oldest first.
    pub(super) releases: Vec<Release>,
    lengths: Vec<f64>,
    peaks: Vec<(f64, f64)>,
    age: f64,
    end: f64,
}

impl Relief {
    /// Separates the breaks of a series without season.
    pub(super) fn new(buckets: &Buckets, rest: &[f64], cuts: &[Break]) -> Relief {
        let mut glued = rest.to_vec();
        for cut in cuts {
            let step = rest[cut.index] - rest[cut.index - 1];
            glued[cut.index..]
                .iter_mut()
                .for_each(|value| *value -= step);
        }

        let falls: Vec<&Break> = cuts.iter().filter(|cut| cut.size < 0.0).collect();
        let slot = |index: usize| buckets.slots[index] as f64;
        let starts = std::iter::once(0).chain(falls.iter().map(|cut| cut.index));
        let lengths = starts
            .zip(&falls)
            .map(|(start, cut)| slot(cut.index) - slot(start))
            .collect();
        let peaks = falls
            .iter()
            .map(|cut| (slot(cut.index), rest[cut.index - 1]))
            .collect();
        let last = rest.len() - 1;

        // Not across a break: what was released a moment ago is gone.
        let recent = cuts
            .last()
            .map_or(0, |cut| cut.index)
            .max(last.saturating_sub(2));
        Relief {
            glued,
            level: median(&mut rest[recent..].to_vec()),
            releases: falls
                .iter()
                .map(|cut| Release {
                    at_ms: buckets.at_ms(cut.index),
                    size: -cut.size,
                })
                .collect(),
            lengths,
            peaks,
            age: slot(last) - falls.last().map_or(slot(0), |cut| slot(cut.index)),
            end: slot(last),
        }
    }

    /// The chance of saturation by a time, given the chance without releases.
    pub(super) fn chance(&self, without: f64, level: f64, steps: f64, capacity: f64) -> f64 {
        let unrelieved = self.unrelieved(level, steps);
        unrelieved * without + (1.0 - unrelieved) * self.peak_reaches(steps, capacity).min(without)
    }

    /// The chance that no release comes first: counted among past stretches as old, or as full, as
    /// this one, whichever releases keep to more closely. To them comes what releases at random
    /// times, as often as these, would do; it weighs much beside one release and little beside
    /// many: a clean-up seen once or twice is no law.
    fn unrelieved(&self, level: f64, steps: f64) -> f64 {
        if self.lengths.is_empty() {
            return 1.0;
        }

        let peaks: Vec<f64> = self.peaks.iter().map(|(_, peak)| *peak).collect();
        let seen = self.lengths.len() as f64;
        let rate = seen / (self.lengths.iter().sum::<f64>() + self.age).max(1.0);
        let count = |past: &[f64], now: f64, then: f64| {
            let beyond = |bound: f64| past.iter().filter(|one| **one > bound).count() as f64;
            let random = RANDOM / seen;
            (beyond(then) + random * (-rate * steps).exp()) / (beyond(now) + random)
        };

        let sizes: Vec<f64> = self.releases.iter().map(|release| release.size).collect();
        let by_level = spread(&peaks) / median(&mut sizes.clone()).max(f64::MIN_POSITIVE);
        let by_age =
            spread(&self.lengths) / median(&mut self.lengths.clone()).max(f64::MIN_POSITIVE);

        if by_level < by_age {
            count(&peaks, self.level, level)
        } else {
            count(&self.lengths, self.age, self.age + steps)
        }
    }

    /// The chance that a later stretch peaks above the capacity, from the line through past peaks.
    fn peak_reaches(&self, steps: f64, capacity: f64) -> f64 {
        let n = self.peaks.len() as f64;
        if n < 3.0 {
            return 0.0;
        }

        let (mean_x, mean_y) = self
            .peaks
            .iter()
            .fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / n, sum.1 + y / n));
        let xx: f64 = self.peaks.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let xy: f64 = self
            .peaks
            .iter()
            .map(|(x, y)| (x - mean_x) * (y - mean_y))
            .sum();
        let rate = if xx > 0.0 { xy / xx } else { 0.0 };
        let square: f64 = self
            .peaks
            .iter()
            .map(|(x, y)| (y - mean_y - rate * (x - mean_x)).powi(2))
            .sum();
        let away = self.end + steps - mean_x;
        let error = (square / (n - 2.0) * (1.0 + 1.0 / n + away * away / xx.max(1e-9)))
            .sqrt()
            .max(1e-12);

        student_upper((capacity - mean_y - rate * away) / error, n - 2.0)
    }
}
