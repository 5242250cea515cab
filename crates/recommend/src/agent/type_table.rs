//! The nine agent types with their capabilities and actions, as requirements have
//! them.

mod deciding_settings;

use reeve_estate::named;

use self::TableValue::{Flag, List, Text};
use crate::agent::AgentType;

pub use deciding_settings::decided_by;

/// Description of an agent type, as requirements give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTypeInfo {
    pub agent_type: AgentType,
    pub description: &'static str,
    /// Capabilities: name and value.
    pub capabilities: &'static [(&'static str, TableValue)],
    /// Actions: name and value.
    pub actions: &'static [(&'static str, TableValue)],
    /// Further settings of the table (learning, metrics, integration, frameworks, classifications):
    /// path (`learning.interruption_history`) and value.
    pub settings: &'static [(&'static str, TableValue)],
    /// Source of its findings in this release; `None` for a type that cannot be configured yet.
    pub findings: Option<FindingSource>,
}

/// Value of a capability or action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableValue {
    /// A flag, `true` or `false`.
    Flag(bool),
    /// A text as the requirement spells it, such as `30d_historical`.
    Text(&'static str),
    /// Several texts, in order.
    List(&'static [&'static str]),
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

/// The description of one of the nine types.
///
/// # Panics
/// The type is none of the nine.
#[must_use]
pub fn documented(agent_type: AgentType) -> &'static AgentTypeInfo {
    let found = TYPES.iter().find(|info| info.agent_type == agent_type);
    found.unwrap_or_else(|| panic!("no description of agent type {agent_type}"))
}

/// The nine types, in the order of `docs/requirements.md`.
#[must_use]
pub const fn agent_types() -> &'static [AgentTypeInfo] {
    TYPES
}

const TYPES: &[AgentTypeInfo] = &[
    AgentTypeInfo {
        agent_type: AgentType::COST_OPTIMIZER,
        description: "Finds oversized, throttled and idle resources and steady usage worth a commitment, and applies changes within the guardrails.",
        capabilities: &[
            ("analyze_utilization", Text("30d_historical")),
            ("recommend_rightsizing", Flag(true)),
            ("auto_apply", Text("safe_mode")),
        ],
        actions: &[
            ("downsize_underutilized", Text("CPU below 20% for 14 days")),
            ("upgrade_throttled", Text("CPU above 90% for 3 days")),
            ("suggest_reserved_instances", Text("consistent usage")),
            ("identify_idle_resources", Text("0% utilization for 7 days")),
        ],
        settings: &[("confidence_threshold", Text("85%"))],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::SPOT_OPTIMIZER,
        description: "Moves interruptible workloads to spot capacity, and back before an interruption.",
        capabilities: &[
            ("predict_interruptions", Flag(true)),
            ("auto_fallback", Text("on_demand")),
            ("workload_classification", Flag(true)),
        ],
        actions: &[
            ("recommend_spot_eligible", Flag(true)),
            ("diversify_instance_types", Flag(true)),
            ("predict_savings", Flag(true)),
        ],
        settings: &[
            ("learning.interruption_history", Text("90d")),
            ("learning.workload_patterns", Flag(true)),
        ],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::PERFORMANCE_OPTIMIZER,
        description: "Adds capacity before load that returns, names idle members and the type that does most for a dollar, and watches objectives and their error budgets.",
        capabilities: &[
            ("predictive_scaling", Flag(true)),
            ("traffic_pattern_learning", Flag(true)),
            ("seasonal_adjustments", Flag(true)),
        ],
        actions: &[
            ("scale_before_traffic_spike", Text("15m_lead_time")),
            ("scale_down_intelligently", Text("no_active_sessions")),
            ("optimize_instance_types", Text("performance_per_cost")),
        ],
        settings: &[(
            "metrics",
            List(&[
                "response_time",
                "error_rate",
                "queue_depth",
                "user_experience_score",
            ]),
        )],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::DB_OPTIMIZER,
        description: "Judges indexes, parameters, statements and health of databases, and holds read replicas that predictive rules and anomalies ask for.",
        capabilities: &[
            ("query_pattern_analysis", Flag(true)),
            ("index_recommendations", Flag(true)),
            ("parameter_tuning", Flag(true)),
            ("read_replica_suggestions", Flag(true)),
        ],
        actions: &[
            ("create_missing_indexes", Text("auto_approve")),
            ("remove_unused_indexes", Text("safe_mode")),
            ("adjust_buffer_pool", Flag(true)),
            (
                "suggest_read_replicas",
                Text("above 1000 queries per second"),
            ),
        ],
        settings: &[],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::SECURITY_INTELLIGENCE,
        description: "Finds what the internet reaches and the settings that close it, and holds the isolation of machines that security anomalies ask for.",
        capabilities: &[
            ("behavioral_analysis", Text("user_and_resource")),
            ("anomaly_detection", Flag(true)),
            ("threat_prediction", Flag(true)),
        ],
        actions: &[
            ("alert_suspicious_activity", Text("high_confidence")),
            ("auto_quarantine", Text("critical_threats")),
            ("recommend_security_groups", Text("least_privilege")),
            ("identify_exposed_resources", Text("public_access")),
        ],
        settings: &[
            ("integration.siem", Text("bidirectional")),
            ("integration.incident_response", Text("automated")),
        ],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::COMPLIANCE_INTELLIGENCE,
        description: "Watches for drift from policy and gathers evidence.",
        capabilities: &[
            ("drift_detection", Flag(true)),
            ("policy_enforcement", Flag(true)),
            ("remediation_suggestions", Flag(true)),
        ],
        actions: &[
            ("auto_remediate", Text("low_risk_violations")),
            ("alert_compliance_team", Text("high_risk")),
            ("generate_evidence", Text("continuous")),
        ],
        settings: &[(
            "frameworks",
            List(&["SOC 2", "ISO 27001", "HIPAA", "PCI DSS"]),
        )],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::OPS_INTELLIGENCE,
        description: "Finds storage that is about to be full, memory leaks, scheduled events, failing status checks and certificates about to expire, and holds what predictive rules and anomalies ask for.",
        capabilities: &[
            ("failure_prediction", Flag(true)),
            ("capacity_forecasting", Flag(true)),
            ("dependency_mapping", Flag(true)),
        ],
        actions: &[
            ("predict_disk_full", Text("7d_advance_warning")),
            ("identify_memory_leaks", Text("pattern_recognition")),
            ("suggest_maintenance_windows", Text("low_impact_times")),
            ("auto_remediate", Text("known_issues")),
        ],
        settings: &[],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::WORKLOAD_CLASSIFIER,
        description: "Classifies resources as production, development, batch or analytics, and recommends what suits each.",
        capabilities: &[
            ("pattern_recognition", Flag(true)),
            ("resource_categorization", Flag(true)),
            ("optimization_opportunities", Flag(true)),
        ],
        actions: &[
            ("apply_best_practices", Text("by_workload_type")),
            ("recommend_architectures", Flag(true)),
        ],
        settings: &[
            ("classifications.production", Text("high_availability")),
            ("classifications.development", Text("cost_optimized")),
            ("classifications.batch", Text("interruptible")),
            ("classifications.analytics", Text("burst_capable")),
        ],
        findings: Some(FindingSource::Runs),
    },
    AgentTypeInfo {
        agent_type: AgentType::STORAGE_OPTIMIZER,
        description: "Finds volumes with a type or performance that they do not need, and changes them while they are in use.",
        capabilities: &[],
        actions: &[],
        settings: &[],
        findings: Some(FindingSource::Runs),
    },
];
