//! A series on an even grid: a few hundred buckets, each a low quantile or the median of the points
//! in it.
//!
//! Buckets keep the cost of everything that follows independent of how finely a series was sampled.
//! Their width divides a day, so that the time of day is a whole number of buckets. What was not
//! measured has no bucket; it is never filled.

use crate::quantile::percentile_of_sorted;
use crate::window::{DAY_MS, Point};

/// Widths that divide a day, in minutes.
const WIDTHS_MIN: [i64; 15] = [
    1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1_440,
];

/// A series on an even grid.
#[derive(Debug, Clone)]
pub(crate) struct Buckets {
    /// Width of a bucket in milliseconds.
    pub(crate) width_ms: i64,
    /// Number of each bucket: its start divided by the width.
    pub(crate) slots: Vec<i64>,
    /// Value of each bucket.
    pub(crate) values: Vec<f64>,
}

impl Buckets {
    /// At most about `most` buckets of the finite points, each their percentile `p`. `None` below
    /// three points. The series must be sorted by time.
    pub(crate) fn new(points: &[Point], most: usize, p: f64) -> Option<Buckets> {
        let first = points.iter().find(|(_, value)| value.is_finite())?.0;
        let last = points.iter().rev().find(|(_, value)| value.is_finite())?.0;
        let mut steps: Vec<i64> = points
            .windows(2)
            .map(|pair| pair[1].0 - pair[0].0)
            .filter(|step| *step > 0)
            .collect();

        if steps.len() < 2 {
            return None;
        }

        let middle = steps.len() / 2;
        let step = *steps.select_nth_unstable(middle).1;
        let least = step.max((last - first) / most.max(1) as i64);
        let width_ms = WIDTHS_MIN
            .iter()
            .map(|minutes| minutes * 60_000)
            .find(|width| *width >= least)
            .unwrap_or(DAY_MS);

        Some(Self::with_width(points, width_ms, p))
    }

    /// Buckets of a given width.
    pub(crate) fn with_width(points: &[Point], width_ms: i64, p: f64) -> Buckets {
        let mut buckets = Buckets {
            width_ms,
            slots: Vec::new(),
            values: Vec::new(),
        };
        let mut inside: Vec<f64> = Vec::new();
        let mut open = None;

        for (at, value) in points.iter().filter(|(_, value)| value.is_finite()) {
            let slot = at.div_euclid(width_ms);
            if open != Some(slot) {
                buckets.close(open, &mut inside, p);
                open = Some(slot);
            }
            inside.push(*value);
        }

        buckets.close(open, &mut inside, p);
        buckets
    }

    fn close(&mut self, slot: Option<i64>, inside: &mut Vec<f64>, p: f64) {
        inside.sort_by(f64::total_cmp);
        if let (Some(slot), Some(value)) = (slot, percentile_of_sorted(inside, p)) {
            self.slots.push(slot);
            self.values.push(value);
        }
        inside.clear();
    }

    /// Returns the number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the start of a bucket.
    pub(crate) fn at_ms(&self, index: usize) -> i64 {
        self.slots.get(index).copied().unwrap_or(0) * self.width_ms
    }

    /// Milliseconds from the first bucket's start to the last one's end.
    pub(crate) fn span_ms(&self) -> i64 {
        match (self.slots.first(), self.slots.last()) {
            (Some(first), Some(last)) => (last - first + 1) * self.width_ms,
            _ => 0,
        }
    }

    /// Share of the grid that was measured, 0 to 1.
    pub(crate) fn coverage(&self) -> f64 {
        let periods = self.span_ms() / self.width_ms.max(1);
        if periods > 0 {
            self.len() as f64 / periods as f64
        } else {
            0.0
        }
    }

    /// Buckets in a day.
    pub(crate) fn per_day(&self) -> usize {
        (DAY_MS / self.width_ms.max(1)).max(1) as usize
    }

    /// Returns `true` if a bucket is on a Saturday or Sunday (UTC).
    pub(crate) fn on_weekend(&self, index: usize) -> bool {
        // The epoch was a Thursday.
        (self.at_ms(index).div_euclid(DAY_MS) + 3).rem_euclid(7) >= 5
    }

    /// Days since the first bucket, per bucket.
    pub(crate) fn days(&self) -> Vec<f64> {
        let first = self.slots.first().copied().unwrap_or(0);
        self.slots
            .iter()
            .map(|slot| (slot - first) as f64 * self.width_ms as f64 / DAY_MS as f64)
            .collect()
    }
}

/// The median of values; zero of none. Reorders them.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }

    let (middle, even) = (values.len() / 2, values.len().is_multiple_of(2));
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);

    if even {
        (below.iter().copied().fold(f64::MIN, f64::max) + *upper) / 2.0
    } else {
        *upper
    }
}

/// The median distance from the median, scaled to the standard deviation of a normal distribution.
pub(crate) fn spread(values: &[f64]) -> f64 {
    let mut copy = values.to_vec();
    let centre = median(&mut copy);
    copy.iter_mut()
        .for_each(|value| *value = (*value - centre).abs());
    1.4826 * median(&mut copy)
}

/// The running median over `width` neighbours; at the ends the window is moved inwards, not cut.
pub(crate) fn running_median(values: &[f64], width: usize) -> Vec<f64> {
    let width = width.clamp(1, values.len().max(1));
    let mut window = Vec::with_capacity(width);
    (0..values.len())
        .map(|index| {
            let start = index.saturating_sub(width / 2).min(values.len() - width);
            window.clear();
            window.extend_from_slice(&values[start..start + width]);
            median(&mut window)
        })
        .collect()
}
