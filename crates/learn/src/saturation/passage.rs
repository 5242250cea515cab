//! First time at which a level reaches a capacity, from complete paths of past errors.
//!
//! A disk is full at the first moment at which growth, season and noise together reach its
//! capacity, and that is sooner than their middle does where noise or growth come in bursts. So
//! each past origin lends its whole path of errors, bucket by bucket, to the forecast of today (a
//! bootstrap of residual paths), and the first passage of each is read off. Bursts, skew and errors
//! that last are in the paths as they were; nothing is assumed of their distribution.

use super::fit::FitSums;
use super::growth::SaturationGrowth;
use super::mix::Mix;
use crate::leak::buckets::Buckets;

/// Origins that lend a path where too few days were seen to take them by time of day.
const ORIGINS: usize = 32;
/// Otherwise each past day lends paths from this many origins on each side of the time of day that
/// is now,
const EACH_SIDE: i64 = 2;
/// this part of a day apart,
const APART: i64 = 16;
/// unless they were fewer than this.
const LEAST_ORIGINS: usize = 16;
/// Length of a path, in leads: noise decides after the middle's own time too.
const LEADS: f64 = 2.0;
/// Buckets of the longest path.
const LONGEST: usize = 96;
/// Half-life of a path's weight, as a share of the series.
const HALF_LIFE: f64 = 0.6;
/// Width by which each path represents its neighbours, in errors of its lead. A few dozen paths
/// alone have no tails.
const NEAR: f64 = 0.6;

/// Past errors of a weighted mean of candidates.
#[derive(Debug)]
pub(super) struct Paths {
    /// Each with its weight: the error after one bucket, two, and so on.
    paths: Vec<(f64, Vec<f64>)>,
    length: usize,
}

impl Paths {
    /// Builds the paths from the peaks of each bucket of a glued series, from bucket `first` on.
    /// `None` if it is too short.
    pub(super) fn new(
        buckets: &Buckets,
        reached: &[f64],
        sums: &FitSums<'_>,
        weights: &[f64],
        lead: f64,
        first: usize,
    ) -> Option<Paths> {
        let n = reached.len();
        let length = ((lead * LEADS).ceil() as usize)
            .clamp(2, LONGEST)
            .min(n / 3);
        let end = *buckets.slots.last()?;
        let whole = buckets
            .slots
            .partition_point(|slot| slot + length as i64 <= end);
        let last = whole.checked_sub(1).filter(|last| *last > first)?;
        let path = |origin: usize| {
            let mut mix = Mix::new(weights, sums.candidates(origin));
            let seen = mix.seen();
            let since = |target: usize| (buckets.slots[target] - buckets.slots[origin]) as f64;
            let mut error = |target: usize| {
                reached[target]
                    - sums.smooth[origin]
                    - mix.gain(|line| line.gain(since(target), &sums.smooth))
            };
            let (mut target, mut known) = (origin, 0.0);
            let one = (1..=length).map(|step| {
                // What was not measured repeats the error before it.
                while target + 1 < n && since(target + 1) <= step as f64 {
                    target += 1;
                    known = error(target);
                }
                known
            });
            let age = (n - 1 - origin) as f64 / n as f64;
            (seen * 0.5f64.powf(age / HALF_LIFE), one.collect())
        };

        let paths = origins(buckets, first, last)
            .into_iter()
            .map(path)
            .collect();
        Some(Paths { paths, length })
    }

    /// The chance that the capacity was reached by each time, `steps` buckets from now, ascending,
    /// when `missing` is what the expected level lacks there.
    pub(super) fn chances(
        &self,
        growth: &SaturationGrowth<'_>,
        steps: &[f64],
        missing: &[f64],
    ) -> Vec<f64> {
        let errors: Vec<f64> = steps
            .iter()
            .map(|steps| growth.error(*steps).max(1e-12))
            .collect();
        let longest = growth.error(self.length as f64).max(1e-12);
        let total: f64 = self.paths.iter().map(|(weight, _)| weight).sum();
        let mut found = vec![0.0; steps.len()];

        for (weight, path) in &self.paths {
            let mut most = 0.0f64;
            for (at, found) in found.iter_mut().enumerate() {
                // Beyond its end a path stays where it ended, in units of the error.
                let beyond = if steps[at] > self.length as f64 {
                    errors[at] / longest
                } else {
                    1.0
                };
                let away = (missing[at] - beyond * between(path, steps[at])) / (NEAR * errors[at]);
                // The logistic function for the normal one, which it meets within 0.01.
                most = most.max(1.0 / (1.0 + (1.702 * away).clamp(-60.0, 60.0).exp()));
                *found += weight / total * most;
            }
        }

        found
    }
}

/// Returns the starts of the paths, from bucket `first` to `last`: around the present time of day
/// on past days, or evenly spaced.
fn origins(buckets: &Buckets, first: usize, last: usize) -> Vec<usize> {
    let (day, now) = (buckets.per_day() as i64, buckets.slots[buckets.len() - 1]);
    let days = (now - buckets.slots[first]) / day + 1;
    let around = (1..=days)
        .flat_map(|back| (-EACH_SIDE..=EACH_SIDE).map(move |side| back * day + side * day / APART));
    let at = around.filter_map(|back| {
        buckets
            .slots
            .partition_point(|slot| *slot <= now - back)
            .checked_sub(1)
    });

    let same_time: Vec<usize> = at
        .filter(|origin| (first..=last).contains(origin))
        .collect();
    if same_time.len() >= LEAST_ORIGINS {
        return same_time;
    }

    (0..ORIGINS)
        .map(|number| first + (last - first) * number / (ORIGINS - 1))
        .collect()
}

/// A path between two of its buckets; it starts at no error.
fn between(path: &[f64], steps: f64) -> f64 {
    let (index, share) = (steps.floor() as usize, steps.fract());
    let error_at = |index: usize| {
        index
            .checked_sub(1)
            .map_or(0.0, |at| path[at.min(path.len() - 1)])
    };
    error_at(index) * (1.0 - share) + error_at(index + 1) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_hours(count: i64) -> Buckets {
        Buckets {
            width_ms: 1_800_000,
            slots: (0..count).collect(),
            values: vec![0.0; count as usize],
        }
    }

    #[test]
    fn paths_begin_at_this_time_of_day_where_days_were_seen() {
        let two_weeks = half_hours(14 * 48 - 7);
        let (first, last) = (160, 560);
        let found = origins(&two_weeks, first, last);
        assert!(found.len() >= (last - first) / 48 * 5, "{}", found.len());

        for origin in found {
            let away = (two_weeks.len() - 1 - origin) % 48;
            assert!(
                (first..=last).contains(&origin) && away.min(48 - away) <= 6,
                "{origin}"
            );
        }
    }

    #[test]
    fn paths_begin_evenly_where_days_are_too_few() {
        let found = origins(&half_hours(96), 24, 64);
        assert_eq!(
            (found.len(), found[0], found[ORIGINS - 1]),
            (ORIGINS, 24, 64)
        );
        assert!(found.windows(2).all(|pair| pair[1] - pair[0] <= 2));
    }
}
