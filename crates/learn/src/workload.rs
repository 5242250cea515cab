//! Workloads: the classes of work, the shape of a resource's metrics as evidence for them, and the
//! words that name them.
//!
//! The shape (day and night, weekends, idleness, bursts, jobs that are on or off, how network and
//! disk go with the processor) is a set of figures, and a table ([`properties`]) says what each
//! speaks for. Nothing is decided here: whoever judges adds what names and tags say, and abstains
//! where that is too little.

use serde::{Deserialize, Serialize};

use crate::window::Point;

mod shape;
mod table;
mod tags;
#[cfg(test)]
mod tests;

pub use shape::Features;
pub use table::{Property, probabilities, properties, scores};
pub use tags::{class_of_word, is_purpose_key, words};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadClass {
    /// Serves people: must be there.
    Production,
    /// Used by those who build: idle at night and on weekends.
    Development,
    /// Runs jobs: on and off, interruptible.
    Batch,
    /// Answers heavy questions: bursts on much data.
    Analytics,
}

impl WorkloadClass {
    /// All of them, in the order of probabilities.
    pub const ALL: [WorkloadClass; 4] = [
        WorkloadClass::Production,
        WorkloadClass::Development,
        WorkloadClass::Batch,
        WorkloadClass::Analytics,
    ];

    /// Returns the name on the wire and in stores.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            WorkloadClass::Production => "production",
            WorkloadClass::Development => "development",
            WorkloadClass::Batch => "batch",
            WorkloadClass::Analytics => "analytics",
        }
    }

    /// Returns the class of a name; `None` for any other text.
    #[must_use]
    pub fn parse(name: &str) -> Option<WorkloadClass> {
        WorkloadClass::ALL
            .into_iter()
            .find(|class| class.as_str() == name)
    }
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

/// Days that must have been seen: without a weekend there is no telling.
const LEAST_DAYS: f64 = 7.0;
