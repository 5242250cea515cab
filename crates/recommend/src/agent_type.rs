//! The nine agent types of the specification with their capabilities and actions, as its table has them.

use reeve_estate::named;

use crate::agent::AgentType;

/// What the specification says of an agent type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTypeInfo {
    /// The type.
    pub agent_type: AgentType,
    /// One sentence.
    pub description: &'static str,
    /// Capabilities: name and value.
    pub capabilities: &'static [(&'static str, &'static str)],
    /// Actions: name and value.
    pub actions: &'static [(&'static str, &'static str)],
    /// Further settings of the table (learning, metrics, integration, frameworks, classifications): name and value.
    pub settings: &'static [(&'static str, &'static str)],
    /// Source of its findings in this release; `None` for a type that cannot be configured yet.
    pub findings: Option<FindingSource>,
}

named!(
    /// Source of an agent type's findings.
    FindingSource {
        /// Its runs judge every resource in scope.
        Runs => "runs",
        /// Security anomalies; it owns the isolation of machines.
        Anomalies => "anomalies",
        /// Predictive rules that name its type; it owns what they foresee.
        PredictiveRules => "predictive_rules",
    }
);

/// The description of a type of the specification.
///
/// # Panics
/// When the specification has no such type.
#[must_use]
pub fn documented(agent_type: AgentType) -> &'static AgentTypeInfo {
    let found = TYPES.iter().find(|info| info.agent_type == agent_type);
    found.unwrap_or_else(|| panic!("the specification has no agent type {agent_type}"))
}

/// The nine types, in the specification's order.
#[must_use]
pub const fn agent_types() -> &'static [AgentTypeInfo] {
    TYPES
}

const TYPES: &[AgentTypeInfo] = &[
    AgentTypeInfo {
        agent_type: AgentType::COST_OPTIMIZER,
        description: "Finds what is too large, throttled, idle or worth a commitment, and changes it within the guardrails.",
        capabilities: &[
            ("analyze_utilization", "30d_historical"),
            ("recommend_rightsizing", "true"),
            ("auto_apply", "safe_mode"),
        ],
        actions: &[
            ("downsize_underutilized", "CPU below 20% for 14 days"),
            ("upgrade_throttled", "CPU above 90% for 3 days"),
            ("suggest_reserved_instances", "consistent usage"),
            ("identify_idle_resources", "0% utilization for 7 days"),
        ],
        settings: &[("confidence_threshold", "85%")],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::SPOT_OPTIMIZER,
        description: "Moves what can be interrupted to spot capacity, and back before it hurts.",
        capabilities: &[
            ("predict_interruptions", "true"),
            ("auto_fallback", "on_demand"),
            ("workload_classification", "true"),
        ],
        actions: &[
            ("recommend_spot_eligible", "true"),
            ("diversify_instance_types", "true"),
            ("predict_savings", "true"),
        ],
        settings: &[("learning.interruption_history", "90d"), ("learning.workload_patterns", "true")],
        findings: None,
    },
    AgentTypeInfo {
        agent_type: AgentType::PERFORMANCE_OPTIMIZER,
        description: "Scales ahead of traffic and chooses sizes by performance per cost.",
        capabilities: &[
            ("predictive_scaling", "true"),
            ("traffic_pattern_learning", "true"),
            ("seasonal_adjustments", "true"),
        ],
        actions: &[
            ("scale_before_traffic_spike", "15m_lead_time"),
            ("scale_down_intelligently", "no_active_sessions"),
            ("optimize_instance_types", "performance_per_cost"),
        ],
        settings: &[("metrics", "response_time, error_rate, queue_depth, user_experience_score")],
        findings: Some(FindingSource::PredictiveRules),
    },
    AgentTypeInfo {
        agent_type: AgentType::DB_OPTIMIZER,
        description: "Reads query statistics and advises on indexes, parameters and replicas.",
        capabilities: &[
            ("query_pattern_analysis", "true"),
            ("index_recommendations", "true"),
            ("parameter_tuning", "true"),
            ("read_replica_suggestions", "true"),
        ],
        actions: &[
            ("create_missing_indexes", "auto_approve"),
            ("remove_unused_indexes", "safe_mode"),
            ("adjust_buffer_pool", "true"),
            ("suggest_read_replicas", "above 1000 queries per second"),
        ],
        settings: &[],
        findings: Some(FindingSource::PredictiveRules),
    },
    AgentTypeInfo {
        agent_type: AgentType::SECURITY_INTELLIGENCE,
        description: "Learns how users and resources behave and points at what does not fit.",
        capabilities: &[
            ("behavioral_analysis", "user_and_resource"),
            ("anomaly_detection", "true"),
            ("threat_prediction", "true"),
        ],
        actions: &[
            ("alert_suspicious_activity", "high_confidence"),
            ("auto_quarantine", "critical_threats"),
            ("recommend_security_groups", "least_privilege"),
            ("identify_exposed_resources", "public_access"),
        ],
        settings: &[("integration.siem", "bidirectional"), ("integration.incident_response", "automated")],
        findings: Some(FindingSource::Anomalies),
    },
    AgentTypeInfo {
        agent_type: AgentType::COMPLIANCE_INTELLIGENCE,
        description: "Watches for drift from policy and gathers evidence.",
        capabilities: &[
            ("drift_detection", "true"),
            ("policy_enforcement", "true"),
            ("remediation_suggestions", "true"),
        ],
        actions: &[
            ("auto_remediate", "low_risk_violations"),
            ("alert_compliance_team", "high_risk"),
            ("generate_evidence", "continuous"),
        ],
        settings: &[("frameworks", "SOC 2, ISO 27001, HIPAA, PCI DSS")],
        findings: None,
    },
    AgentTypeInfo {
        agent_type: AgentType::OPS_INTELLIGENCE,
        description: "Predicts failures and shortages before they happen.",
        capabilities: &[
            ("failure_prediction", "true"),
            ("capacity_forecasting", "true"),
            ("dependency_mapping", "true"),
        ],
        actions: &[
            ("predict_disk_full", "7d_advance_warning"),
            ("identify_memory_leaks", "pattern_recognition"),
            ("suggest_maintenance_windows", "low_impact_times"),
            ("auto_remediate", "known_issues"),
        ],
        settings: &[],
        findings: Some(FindingSource::PredictiveRules),
    },
    AgentTypeInfo {
        agent_type: AgentType::WORKLOAD_CLASSIFIER,
        description: "Tells production from development, batch and analytics, and advises by kind.",
        capabilities: &[
            ("pattern_recognition", "true"),
            ("resource_categorization", "true"),
            ("optimization_opportunities", "true"),
        ],
        actions: &[("apply_best_practices", "by_workload_type"), ("recommend_architectures", "true")],
        settings: &[
            ("classifications.production", "high_availability"),
            ("classifications.development", "cost_optimized"),
            ("classifications.batch", "interruptible"),
            ("classifications.analytics", "burst_capable"),
        ],
        findings: None,
    },
    AgentTypeInfo {
        agent_type: AgentType::STORAGE_OPTIMIZER,
        description: "Finds cheaper storage for what is seldom read. The specification lists no capabilities for it.",
        capabilities: &[],
        actions: &[],
        settings: &[],
        findings: None,
    },
];
