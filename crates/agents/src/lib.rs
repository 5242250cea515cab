//! Agent types: one folder each, pure judgement from facts to proposals, and the models that they
//! learn. [`registry`] has one row each.

mod anomaly_answer;
mod changes;
pub mod compliance_intelligence;
mod confidence;
mod configuration_fact;
pub mod cost_optimizer;
pub mod db_optimizer;
mod discounts;
mod group_document;
mod listed;
mod load;
pub mod models;
pub mod ops_intelligence;
pub mod performance_optimizer;
mod predictive_answer;
mod retrospect;
pub mod security_intelligence;
mod settings;
pub mod spot_optimizer;
pub mod storage_optimizer;
pub mod workload_classifier;

use std::sync::Arc;

use reeve_recommend::agent::contract::{AgentDefinition, AgentTypes};

pub use changes::changes;

/// The nine agent types, in the order of `docs/requirements.md`.
#[must_use]
pub fn registry() -> AgentTypes {
    AgentTypes::new(rows())
}

/// The rows of the registry, for a service that has further types.
#[must_use]
pub fn rows() -> Vec<Arc<dyn AgentDefinition>> {
    vec![
        Arc::new(cost_optimizer::CostOptimizer),
        Arc::new(spot_optimizer::SpotOptimizer),
        Arc::new(performance_optimizer::PerformanceOptimizer),
        Arc::new(db_optimizer::DbOptimizer),
        Arc::new(security_intelligence::SecurityIntelligence),
        Arc::new(compliance_intelligence::ComplianceIntelligence::default()),
        Arc::new(ops_intelligence::OpsIntelligence),
        Arc::new(workload_classifier::WorkloadClassifier),
        Arc::new(storage_optimizer::StorageOptimizer),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_specification_is_there_once_and_those_with_findings_can_be_configured() {
        let types = registry();
        let documented: Vec<&str> = reeve_recommend::agent::type_table::agent_types()
            .iter()
            .map(|info| info.agent_type.as_str())
            .collect();
        assert_eq!(types.names(), documented);

        let expected = [
            "cost_optimizer",
            "spot_optimizer",
            "performance_optimizer",
            "db_optimizer",
            "security_intelligence",
            "compliance_intelligence",
            "ops_intelligence",
            "workload_classifier",
            "storage_optimizer",
        ];

        assert_eq!(types.available(), expected);
    }
}
