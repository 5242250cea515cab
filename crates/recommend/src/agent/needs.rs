//! Facts that an agent type's judgements require, and times of its runs.

use reeve_estate::{Metric, ResourceKind};

use crate::agent::cadence::Cadence;
use crate::judgement::open_facts::FactNeed;

/// Facts that a judgement requires.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// Kinds of resources that are judged; empty for all.
    pub kinds: Vec<ResourceKind>,
    /// Times of the runs, and what they judge. A run over changes does not load the volumes that are
    /// attached to a resource.
    pub cadence: Cadence,
    /// Metrics whose series are loaded.
    pub metrics: Vec<Metric>,
    /// Days of history that are loaded.
    pub history_days: i64,
    /// Metrics whose daily maxima are loaded for the time before the history.
    pub maxima: Vec<Metric>,
    /// Days that history and maxima cover together.
    pub maxima_days: i64,
    /// Days of charges that are loaded; 0 for none.
    pub charge_days: i64,
    /// Kinds whose resources and relations are loaded across the estate; none where a judgement
    /// looks at one resource alone.
    pub related: Vec<ResourceKind>,
    /// Kinds among the related ones whose configurations are loaded with them.
    pub related_documents: Vec<ResourceKind>,
    /// Kinds among the judged ones whose judgement reads the related resources. A run over changes
    /// judges a resource of these kinds again when a resource on either side of its relations
    /// changed.
    pub looks_around: Vec<ResourceKind>,
    /// Open facts that the judgement reads
    /// ([`Facts::get`](crate::judgement::Facts::get)).
    pub facts: Vec<FactNeed>,
    /// Kinds whose configuration documents are loaded.
    pub documents: Vec<ResourceKind>,
    /// Names of the learned models that the judgement reads.
    pub models: Vec<&'static str>,
}
