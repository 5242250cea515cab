//! A reading of a database for a judgement.

use crate::observation::Observation;
use crate::trial::IndexTrial;

/// Reading of a database, or the reason why nothing was read.
#[derive(Debug, Clone, PartialEq)]
pub enum DatabaseReading {
    Read {
        observation: Box<Observation>,
        trials: Vec<IndexTrial>,
    },
    /// The reason, as a clause for people.
    Failed(String),
}
