//! Classification of a resource's workload: production, development, batch or analytics, as a calibrated probability,
//! or an abstention when the data is thin or the answer unclear.
//!
//! The shape of the metrics (day and night, weekends, idleness, bursts, job-like on and off, how network and disk go with the
//! processor) and the words in tags are features of one regression per class. A tag is evidence, not the last word: what it is worth
//! was learnt on a simulated estate where tags are missing, wrong or in conflict. `Classifier::built_in` carries those
//! parameters; `Classifier::fit` learns an estate's own from labelled examples.

use crate::window::{DAY_MS, Point};

mod classifier;
mod shape;
mod tags;
#[cfg(test)]
mod tests;
mod weights;

pub use classifier::Classifier;
pub use shape::{Features, NAMES};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Serves people: must be there.
    Production,
    /// Used by those who build: idle at night and on weekends.
    Development,
    /// Runs jobs: on and off, interruptible.
    Batch,
    /// Answers heavy questions: bursts on much data.
    Analytics,
}

impl Class {
    /// All of them, in the order of probabilities.
    pub const ALL: [Class; 4] = [Class::Production, Class::Development, Class::Batch, Class::Analytics];
}

/// Metrics of a resource; a series that was not measured is empty. Each is sorted by time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Metrics<'a> {
    /// Processor use, 0 to 100.
    pub cpu: &'a [Point],
    /// Network traffic, any unit.
    pub network: &'a [Point],
    /// Disk traffic, the same unit as the network's.
    pub disk: &'a [Point],
}

/// Reason why a workload was not classified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Abstention {
    /// Less than a week was seen, or too little of it.
    ThinData {
        /// Days seen.
        days: f64,
    },
    /// No class is probable enough.
    Unclear,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// The class; `None` when abstained.
    pub class: Option<Class>,
    /// Reason why it was not classified.
    pub abstention: Option<Abstention>,
    /// Probability of each class in the order of `Class::ALL`; equal when the data is thin.
    pub probabilities: [f64; 4],
    /// Features that most support the likeliest class, with their weight on the logarithm of its odds, strongest
    /// first.
    pub evidence: Vec<(&'static str, f64)>,
    /// `true` if the tags support different classes.
    pub tags_conflict: bool,
}

/// Days that must have been seen: without a weekend there is no telling.
const LEAST_DAYS: f64 = 7.0;
/// Probability below which no class is named.
const CLEAR: f64 = 0.6;

/// Classifies a resource by its metrics and tags (key, value).
#[must_use]
pub fn classify(classifier: &Classifier, metrics: &Metrics<'_>, tags: &[(&str, &str)]) -> Classification {
    let votes = tags::votes(tags);
    let tags_conflict = votes.iter().filter(|vote| **vote > 0.0).count() > 1;
    let Some(features) = Features::of(metrics, tags) else {
        let days = match (metrics.cpu.first(), metrics.cpu.last()) {
            (Some(first), Some(last)) => (last.0 - first.0) as f64 / DAY_MS as f64,
            _ => 0.0,
        };
        return Classification {
            class: None,
            abstention: Some(Abstention::ThinData { days }),
            probabilities: [0.25; 4],
            evidence: Vec::new(),
            tags_conflict,
        };
    };
    let probabilities = classifier.probabilities(&features);
    let best = (0..4).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b])).unwrap_or(0);
    let clear = probabilities[best] >= CLEAR;
    Classification {
        class: clear.then(|| Class::ALL[best]),
        abstention: (!clear).then_some(Abstention::Unclear),
        probabilities,
        evidence: classifier.evidence(&features, best),
        tags_conflict,
    }
}
