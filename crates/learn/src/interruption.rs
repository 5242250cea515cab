//! The risk that a spot instance is interrupted within ten minutes, an hour and a day.
//!
//! A discrete-time hazard: for each horizon a logistic regression on what is known at the moment:
//! how often pool, family and estate interrupted (shrunk towards each other), how recently
//! (interruptions cluster in time), how old the instance is, how available its pool is, and its
//! price, which is believed to matter little (`logistic` holds each coefficient to a prior).
//! Without history the prior alone answers, with a wide interval. Everything is learnt from the
//! past of each moment alone.
//!
//! `spot_optimizer` reads [`InterruptionModel`], learned from notices and the inventory; nothing in the service
//! collects the signals of pools yet. It is measured by `reeve-bench-learn interruption`.
//! `reeve analyze interruptions` reads [`Availability`], which answers the same of one pool of which
//! nothing is known but when it had capacity, and [`PurchasePolicy`], which decides from it what to
//! buy; `spot_optimizer` asks the policy for the way back.

use crate::window::{DAY_MS, HOUR_MS};

mod availability;
mod examples;
mod features;
pub(crate) mod logistic;
mod memory;
mod purchase;
#[cfg(test)]
mod tests;

pub use availability::Availability;
use features::{NAMES, beliefs, features};
use logistic::{Logistic, probability};
use memory::Memory;
pub use purchase::{Purchase, PurchasePolicy, SPOT_PRICE, SWITCHES_PER_DAY};

/// End of an instance's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptionEnding {
    /// The cloud took it back.
    Interrupted,
    /// Stopped by its owner: no evidence beyond its end.
    Stopped,
    /// Still running when the history was read.
    Running,
}

/// The life of one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Lifetime {
    /// Capacity pool: instance type and zone.
    pub pool: String,
    /// Family of instance types.
    pub family: String,
    /// Start of the instance (milliseconds since the epoch).
    pub start_ms: i64,
    /// End of the instance, or the time at which the history was read.
    pub end_ms: i64,
    /// Kind of the end.
    pub ending: InterruptionEnding,
}

/// Signal of a pool at a time. Values that were not measured are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptionSignal {
    /// Capacity pool: instance type and zone.
    pub pool: String,
    /// Time of the signal (milliseconds since the epoch).
    pub at_ms: i64,
    /// Availability, 0 (none) to 1 (plenty): a placement score or a pool's depth on that scale.
    pub availability: Option<f64>,
    /// Spot price over on-demand price.
    pub price_ratio: Option<f64>,
}

/// The past of an estate: at most the last ninety days are requested.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Lives of spot instances.
    pub lifetimes: Vec<Lifetime>,
    /// Signals of pools, oldest first.
    pub signals: Vec<InterruptionSignal>,
}

/// An instance whose risk is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Capacity pool: instance type and zone.
    pub pool: String,
    /// Family of instance types.
    pub family: String,
    /// Time since it started.
    pub age_ms: i64,
    /// Availability of its pool now, 0 to 1.
    pub availability: Option<f64>,
    /// Spot price over on-demand price now.
    pub price_ratio: Option<f64>,
}

/// A probability with its 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Probability from 0 to 1.
    pub value: f64,
    /// Its 5th percentile.
    pub low: f64,
    /// Its 95th percentile.
    pub high: f64,
}

/// The risk of one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    pub ten_minutes: Chance,
    pub hour: Chance,
    pub day: Chance,
    /// Features that move the hour's risk most away from that of an unknown instance: names and
    /// factors on the odds, strongest first.
    pub factors: Vec<(&'static str, f64)>,
    /// `true` if the risk rests on the prior: fewer than five interruptions were seen in the
    /// estate.
    pub cold_start: bool,
}

/// The horizons, in milliseconds.
pub const HORIZONS_MS: [i64; 3] = [HOUR_MS / 6, HOUR_MS, DAY_MS];
/// Interruptions below which the answer rests on the prior.
const COLD: usize = 5;

/// A model of an estate's interruptions.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptionModel {
    horizons: [Logistic; 3],
    memory: Memory,
    interruptions: usize,
}

impl InterruptionModel {
    /// Learns from a history; an empty one leaves the prior.
    #[must_use]
    pub fn fit(history: &History) -> InterruptionModel {
        let (memory, sets) = examples::gather(history);
        let horizons = [0, 1, 2].map(|index| {
            let set = sets.get(index).map_or(&[][..], Vec::as_slice);
            Logistic::fit(set, &beliefs())
        });
        let interruptions = history
            .lifetimes
            .iter()
            .filter(|life| life.ending == InterruptionEnding::Interrupted)
            .count();

        InterruptionModel {
            horizons,
            memory,
            interruptions,
        }
    }

    /// Takes note of an interruption after the history: the next risks rise at once, without a new
    /// fit. Interruptions must come in order of time.
    pub fn note_interruption(&mut self, pool: &str, family: &str, at_ms: i64) {
        self.memory.interrupted(pool, family, at_ms);
        self.interruptions += 1;
    }

    /// Takes note that instances of a pool ran without interruption, in instance days, after the
    /// history.
    pub fn note_running(&mut self, pool: &str, family: &str, instance_days: f64) {
        self.memory.ran(pool, family, instance_days.max(0.0));
    }

    /// The risk of an instance at a time.
    #[must_use]
    pub fn risk(&self, instance: &Instance, now_ms: i64) -> Risk {
        let known = self.memory.recall(&instance.pool, &instance.family, now_ms);
        let chance = |index: usize| {
            let features = features(instance, &known, HORIZONS_MS[index]);
            let (logit, deviation) = self.horizons[index].logit(&features);
            // A pool's own rate is uncertain, too: as much as so few events leave it.
            let deviation = (deviation.powi(2) + 1.0 / (known.events + 3.0)).sqrt();
            let reach = 1.645 * deviation;
            Chance {
                value: probability(logit),
                low: probability(logit - reach),
                high: probability(logit + reach),
            }
        };
        let (ten_minutes, hour, day) = (chance(0), chance(1), chance(2));

        Risk {
            // A longer horizon contains the shorter ones.
            hour: Chance {
                value: hour.value.max(ten_minutes.value),
                ..hour
            },
            day: Chance {
                value: day.value.max(hour.value).max(ten_minutes.value),
                ..day
            },
            ten_minutes,
            factors: self.factors(instance, now_ms),
            cold_start: self.interruptions < COLD,
        }
    }

    fn factors(&self, instance: &Instance, now_ms: i64) -> Vec<(&'static str, f64)> {
        let known = self.memory.recall(&instance.pool, &instance.family, now_ms);
        let own = features(instance, &known, HORIZONS_MS[1]);
        let plain = features::unknown(HORIZONS_MS[1]);
        let model = &self.horizons[1];
        let mut found: Vec<(&'static str, f64)> = NAMES
            .iter()
            .zip(&model.coefficients)
            .zip(own.iter().zip(&plain))
            .map(|((name, coefficient), (own, plain))| (*name, (coefficient * (own - plain)).exp()))
            .filter(|(_, factor)| factor.ln().abs() > 0.05)
            .collect();
        found.sort_by(|a, b| b.1.ln().abs().total_cmp(&a.1.ln().abs()).then(a.0.cmp(b.0)));

        found
    }
}
