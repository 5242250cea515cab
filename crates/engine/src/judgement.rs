//! Judgements that runs make, by agent type. They are handed in: the engine knows none of them.

use reeve_estate::Metric;
use reeve_recommend::{AgentType, Facts, Judgement};

/// A pure judgement of one resource.
pub type Judge = fn(&Facts<'_>) -> Judgement;

/// The judgement of an agent type, with the metrics that it reads.
#[derive(Clone, Copy)]
pub struct Judging {
    /// Judges one resource.
    pub judge: Judge,
    /// Metrics whose series are loaded for it.
    pub metrics: &'static [Metric],
}

/// Finds the judgement of an agent type; `None` for types whose findings come from anomalies and predictive rules.
pub type Judges = fn(AgentType) -> Option<Judging>;
