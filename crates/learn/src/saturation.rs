//! Forecast of the time at which a resource is full: disks, connection pools, quotas, rates of
//! calls. The answer is a distribution of the time, given as its 5th, 50th and 95th percentile, and
//! the probability within a horizon; never a point alone.
//!
//! The series is brought to a few hundred buckets, freed of its daily profile, and its releases
//! (deletes, rotated logs) are glued so that growth can be measured across them. Several ways to
//! extrapolate (straight lines over short and long windows, lines with a kink, exponentials,
//! repeated periods) are backtested on the series' own past at the lead times that matter; each
//! counts as much as its past errors allow (`growth`), and past stretches lend their errors, peaks
//! and all, to the time at which it is full (`passage`). How likely a release comes first is
//! counted from past releases (`relief`).

use crate::leak::buckets::Buckets;
use crate::leak::{Release, SlopePerDay, breaks, season};
use crate::window::{DAY_MS, HOUR_MS, Point};

mod fit;
mod growth;
mod line;
mod mix;
mod outlook;
mod passage;
mod peak;
mod reason;
mod relief;
#[cfg(test)]
mod tests;

pub use outlook::{Outlook, OutlookVerdict};
pub use reason::SaturationReason;

/// Question about a series: its capacity, the horizon, and the least probability of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturationQuestion {
    /// The level at which it is full, in units of the series.
    pub capacity: f64,
    /// The time within which the probability is wanted.
    pub horizon_ms: i64,
    /// Probability within the horizon from which saturation counts as foreseen.
    pub least_probability: f64,
}

impl SaturationQuestion {
    /// A disk, a week ahead.
    #[must_use]
    pub const fn disk(capacity: f64) -> Self {
        SaturationQuestion {
            capacity,
            horizon_ms: 7 * DAY_MS,
            least_probability: 0.5,
        }
    }

    /// Connections of a database, two hours ahead.
    #[must_use]
    pub const fn connections(capacity: f64) -> Self {
        SaturationQuestion {
            capacity,
            horizon_ms: 2 * HOUR_MS,
            least_probability: 0.5,
        }
    }

    /// Calls against a rate limit, a quarter of an hour ahead.
    #[must_use]
    pub const fn call_rate(capacity: f64) -> Self {
        SaturationQuestion {
            capacity,
            horizon_ms: HOUR_MS / 4,
            least_probability: 0.5,
        }
    }
}

/// Buckets a series is brought to.
const MOST_BUCKETS: usize = 800;
/// Buckets below which nothing is forecast.
const LEAST_BUCKETS: usize = 32;
/// Quantile that represents a bucket: a disk is full at its peak, but a single point is not a
/// level.
const LEVEL: f64 = 75.0;
/// A bucket is at most this share of the horizon, as long as there is enough history.
const FINENESS: i64 = 16;
/// Time that the answer looks ahead, in horizons.
const LOOK_AHEAD: f64 = 4.0;
/// Steps in which the future is walked.
const STEPS: usize = 480;

/// Foretells when a series reaches its capacity. The series must be sorted by time; what is not
/// finite is left out. Abstains when there is too little to backtest on.
#[must_use]
pub fn forecast_saturation(points: &[Point], question: &SaturationQuestion) -> Outlook {
    if !question.capacity.is_finite() || question.horizon_ms <= 0 {
        return Outlook::abstained(SaturationReason::NoCapacity);
    }

    let Some(last) = points.iter().rev().find(|(_, value)| value.is_finite()) else {
        return Outlook::abstained(SaturationReason::TooFewPoints { points: 0 });
    };

    let from = last.0
        - question
            .horizon_ms
            .saturating_mul(MOST_BUCKETS as i64 / FINENESS);
    let recent = &points[points.partition_point(|(at, _)| *at < from)..];
    let Some(buckets) =
        Buckets::new(recent, MOST_BUCKETS, LEVEL).filter(|buckets| buckets.len() >= LEAST_BUCKETS)
    else {
        return Outlook::abstained(SaturationReason::TooFewPoints {
            points: recent.len() as u64,
        });
    };

    if buckets.coverage() < 0.4 {
        return Outlook::abstained(SaturationReason::Gaps {
            coverage: buckets.coverage(),
        });
    }

    if last.1 >= question.capacity {
        return Outlook::full(last.0);
    }

    look_ahead(&buckets, &peak::above(recent, &buckets), last.0, question)
}

/// `peaks` is how far above its level each bucket is held.
fn look_ahead(
    buckets: &Buckets,
    peaks: &[f64],
    now_ms: i64,
    question: &SaturationQuestion,
) -> Outlook {
    let profile = season::profile(buckets);
    let rest: Vec<f64> = buckets
        .values
        .iter()
        .zip(&profile)
        .map(|(value, usual)| value - usual)
        .collect();
    let cuts = breaks::find(&rest);
    let relief = relief::Relief::new(buckets, &rest, &cuts);

    let season = SeasonAhead::new(buckets, &profile);
    let total = question.horizon_ms as f64 * LOOK_AHEAD;
    let ahead: Vec<f64> = (1..=STEPS)
        .map(|step| total * (step as f64 / STEPS as f64).powi(2))
        .collect();
    let width = buckets.width_ms as f64;
    let steps: Vec<f64> = ahead.iter().map(|ms| ms / width).collect();

    // What the season leaves of the capacity.
    let room: Vec<f64> = ahead
        .iter()
        .map(|ms| question.capacity - season.at(now_ms + *ms as i64))
        .collect();
    let sums = fit::FitSums::new(buckets, &relief.glued);
    let backtested = |lead: f64| {
        let grown = growth::SaturationGrowth::backtested(buckets, &relief.glued, &sums, lead)?;
        let levels: Vec<f64> = grown
            .gains(&steps)
            .into_iter()
            .map(|gain| relief.level + gain)
            .collect();
        let full = room
            .iter()
            .zip(&levels)
            .position(|(room, level)| level >= room);
        Some((grown, levels, full.map_or(total / width, |at| steps[at])))
    };

    // The lead time that matters is the time to saturation itself, so the backtest is repeated at
    // what it foretold.
    let found = backtested(question.horizon_ms as f64 / width);
    let found = found
        .and_then(|(_, _, lead)| backtested(lead))
        .and_then(|(_, _, lead)| backtested(lead));
    let reached: Vec<f64> = relief
        .glued
        .iter()
        .zip(peaks)
        .map(|(level, peak)| level + peak)
        .collect();

    let found = found.and_then(|(grown, levels, _)| {
        Some((grown.paths(buckets, &reached, &sums)?, grown, levels))
    });
    let Some((paths, grown, levels)) = found else {
        return Outlook::abstained(SaturationReason::TooFewPoints {
            points: buckets.len() as u64,
        });
    };

    let missing: Vec<f64> = room
        .iter()
        .zip(&levels)
        .map(|(room, level)| room - level)
        .collect();
    let mut chances = paths.chances(&grown, &steps, &missing);
    for (at, chance) in chances.iter_mut().enumerate() {
        *chance = relief.chance(*chance, levels[at], steps[at], room[at]);
    }

    outlook::summarize(&ahead, chances, now_ms, question, &grown, &relief, width)
}

/// The daily profile, continued.
struct SeasonAhead {
    by_slot: Vec<f64>,
    width_ms: i64,
}

impl SeasonAhead {
    fn new(buckets: &Buckets, profile: &[f64]) -> Self {
        // A week of slots, so that weekdays and weekends keep what sets them apart.
        let week = 7 * buckets.per_day();
        let mut by_slot: Vec<Option<f64>> = vec![None; week];
        for (slot, usual) in buckets.slots.iter().zip(profile) {
            by_slot[slot.rem_euclid(week as i64) as usize] = Some(*usual);
        }

        let day = buckets.per_day();
        let known = by_slot.clone();
        let filled = (0..week).map(|index| {
            known[index]
                .or_else(|| (1..7).find_map(|back| known[(index + back * day) % week]))
                .unwrap_or(0.0)
        });

        SeasonAhead {
            by_slot: filled.collect(),
            width_ms: buckets.width_ms,
        }
    }

    fn at(&self, at_ms: i64) -> f64 {
        let slot = at_ms
            .div_euclid(self.width_ms)
            .rem_euclid(self.by_slot.len() as i64);
        self.by_slot[slot as usize]
    }
}
