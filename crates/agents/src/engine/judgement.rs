//! The judgement of an agent type over the resources of its scope.

use crate::agent::AgentType;
use crate::cost::{self, Facts, Judgement};

/// A pure judgement of one resource.
pub(super) type Judge = fn(&Facts<'_>) -> Judgement;

/// The judgement that a run of an agent type makes; `None` for types whose findings come from anomalies and predictive rules.
pub(super) const fn of(agent_type: AgentType) -> Option<Judge> {
    match agent_type {
        AgentType::CostOptimizer => Some(cost::judge),
        AgentType::SpotOptimizer
        | AgentType::PerformanceOptimizer
        | AgentType::DbOptimizer
        | AgentType::SecurityIntelligence
        | AgentType::ComplianceIntelligence
        | AgentType::OpsIntelligence
        | AgentType::WorkloadClassifier
        | AgentType::StorageOptimizer => None,
    }
}
