//! Memory of interruptions at a moment: the frequency and the recency of interruptions in each
//! pool.
//!
//! Rates are shrunk from pool to family to estate to a prior (gamma and Poisson, three events'
//! worth of belief at each level). Recency is a sum of exponentials over past interruptions, the
//! intensity of a self-exciting process (Hawkes 1971).

use std::collections::BTreeMap;

use crate::window::{DAY_MS, HOUR_MS};

/// Interruptions per instance and day believed in before anything was seen: about 7 % a month, the
/// middle of the frequencies that clouds publish for their pools.
pub(super) const PRIOR_PER_DAY: f64 = 0.002_4;
/// Events that the level above is worth.
const BELIEF: f64 = 3.0;
/// Decay times of recent interruptions, in milliseconds.
const FORGET_MS: [f64; 2] = [HOUR_MS as f64, DAY_MS as f64];

#[derive(Debug, Clone, Default, PartialEq)]
struct Count {
    events: f64,
    days: f64,
}

impl Count {
    fn rate(&self, above: f64) -> f64 {
        (self.events + BELIEF) / (self.days + BELIEF / above)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Recent {
    sums: [f64; 2],
    at_ms: i64,
}

impl Recent {
    fn at(&self, at_ms: i64) -> [f64; 2] {
        let passed = (at_ms - self.at_ms).max(0) as f64;
        std::array::from_fn(|index| self.sums[index] * (-passed / FORGET_MS[index]).exp())
    }

    fn add(&mut self, at_ms: i64) {
        self.sums = self.at(at_ms).map(|sum| sum + 1.0);
        self.at_ms = at_ms;
    }
}

/// The memory of an estate.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Memory {
    pools: BTreeMap<String, (Count, Recent)>,
    families: BTreeMap<String, Count>,
    estate: (Count, Recent),
}

/// State of a pool's memory at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recollection {
    /// Interruptions per instance and day, shrunk.
    pub(super) per_day: f64,
    /// Recent interruptions in the pool, forgotten within an hour and within a day.
    pub(super) pool: [f64; 2],
    /// Recency in the whole estate.
    pub(super) estate: [f64; 2],
    /// Interruptions ever seen in the pool.
    pub(super) events: f64,
}

impl Memory {
    /// An instance of a pool ran for some days.
    pub(super) fn ran(&mut self, pool: &str, family: &str, days: f64) {
        self.pools.entry(pool.to_owned()).or_default().0.days += days;
        self.families.entry(family.to_owned()).or_default().days += days;
        self.estate.0.days += days;
    }

    /// An instance of a pool was interrupted. Interruptions must come in order of time.
    pub(super) fn interrupted(&mut self, pool: &str, family: &str, at_ms: i64) {
        let entry = self.pools.entry(pool.to_owned()).or_default();
        entry.0.events += 1.0;
        entry.1.add(at_ms);
        self.families.entry(family.to_owned()).or_default().events += 1.0;
        self.estate.0.events += 1.0;
        self.estate.1.add(at_ms);
    }

    /// Returns the state of a pool at a time not before the last interruption.
    pub(super) fn recall(&self, pool: &str, family: &str, at_ms: i64) -> Recollection {
        let estate = self.estate.0.rate(PRIOR_PER_DAY);
        let family = self
            .families
            .get(family)
            .map_or(estate, |count| count.rate(estate));
        let known = self.pools.get(pool);

        Recollection {
            per_day: known.map_or(family, |(count, _)| count.rate(family)),
            pool: known.map_or([0.0; 2], |(_, recent)| recent.at(at_ms)),
            estate: self.estate.1.at(at_ms),
            events: known.map_or(0.0, |(count, _)| count.events),
        }
    }
}
