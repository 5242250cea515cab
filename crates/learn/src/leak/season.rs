//! The daily profile of a series, taken out before a trend is sought.
//!
//! Each bucket's distance from the running median over one day is gathered by time of day, weekdays
//! and weekends apart once there are two weeks. The median of each group is the profile (the idea
//! of STL, Cleveland et al. 1990, with medians so that a restart or a burst does not bend it). A
//! ramp leaves the profile alone: the running median moves with it.

use super::buckets::{Buckets, median, running_median};
use crate::window::DAY_MS;

/// Days that must have been seen at a time of day before it has a profile.
const LEAST_DAYS: usize = 3;

/// The profile at each bucket, to be subtracted. Zero below three days.
pub(crate) fn profile(buckets: &Buckets) -> Vec<f64> {
    let per_day = buckets.per_day();
    if buckets.span_ms() < LEAST_DAYS as i64 * DAY_MS || per_day < 2 {
        return vec![0.0; buckets.len()];
    }

    let level = running_median(&buckets.values, per_day);
    let two_weeks = buckets.span_ms() >= 13 * DAY_MS;
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); 3 * per_day];
    let phase = |index: usize| buckets.slots[index].rem_euclid(per_day as i64) as usize;

    for index in 0..buckets.len() {
        let away = buckets.values[index] - level[index];
        groups[phase(index)].push(away);
        groups[per_day * (1 + usize::from(buckets.on_weekend(index))) + phase(index)].push(away);
    }

    let medians: Vec<Option<f64>> = groups
        .iter_mut()
        .map(|group| (group.len() >= LEAST_DAYS).then(|| median(group)))
        .collect();
    let at = |index: usize| {
        let own = medians[per_day * (1 + usize::from(buckets.on_weekend(index))) + phase(index)];
        let common = medians[phase(index)].unwrap_or(0.0);
        if two_weeks {
            own.unwrap_or(common)
        } else {
            common
        }
    };

    (0..buckets.len()).map(at).collect()
}
