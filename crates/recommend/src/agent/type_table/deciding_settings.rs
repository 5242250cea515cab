//! Settings that decide what say of agent types. A value without one is
//! a description: nothing in this release follows from it.

use crate::agent::AgentType;

/// Settings by agent type and by path in the table. A setting is a field of the agent (`settings.`
/// for those of its type), or a resource of the interface with its field.
const DECIDED: &[(AgentType, &str, &[&str])] = &[
    (
        AgentType::COST_OPTIMIZER,
        "capabilities.analyze_utilization",
        &["settings.analyze_utilization.history"],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "capabilities.recommend_rightsizing",
        &["settings.recommend_rightsizing"],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "capabilities.auto_apply",
        &["mode", "auto_apply"],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "actions.downsize_underutilized",
        &[
            "settings.downsize_underutilized.cpu_below",
            "settings.downsize_underutilized.window",
        ],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "actions.upgrade_throttled",
        &[
            "settings.upgrade_throttled.cpu_above",
            "settings.upgrade_throttled.window",
        ],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "actions.suggest_reserved_instances",
        &["settings.suggest_reserved_instances.enabled"],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "actions.identify_idle_resources",
        &["settings.identify_idle_resources.window"],
    ),
    (
        AgentType::COST_OPTIMIZER,
        "settings.confidence_threshold",
        &["confidence_threshold"],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "actions.recommend_security_groups",
        &[
            "settings.recommend_security_groups.window",
            "settings.recommend_security_groups.observe",
        ],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "capabilities.remediation_suggestions",
        &[
            "settings.remediation_suggestions.priorities",
            "settings.remediation_suggestions.log_bucket",
            "settings.remediation_suggestions.log_group",
            "settings.remediation_suggestions.log_role",
            "settings.remediation_suggestions.allowed_sources",
            "settings.remediation_suggestions.trusted_accounts",
        ],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "settings.frameworks",
        &["settings.frameworks"],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "capabilities.drift_detection",
        &["intelligence/baselines#total"],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "capabilities.policy_enforcement",
        &["mode", "auto_apply"],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "actions.auto_remediate",
        &["mode", "auto_apply"],
    ),
    (
        AgentType::COMPLIANCE_INTELLIGENCE,
        "actions.alert_compliance_team",
        &["settings.alert.channels", "settings.alert.priorities"],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "capabilities.predictive_scaling",
        &[
            "settings.predictive_scaling.enabled",
            "settings.predictive_scaling.reactive_target",
            "intelligence/predictive-rules/traffic-pre-scale",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "capabilities.traffic_pattern_learning",
        &[
            "settings.traffic_pattern_learning.history",
            "settings.traffic_pattern_learning.least_days",
            "intelligence/traffic-intelligence#learn_patterns",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "capabilities.seasonal_adjustments",
        &[
            "settings.seasonal_adjustments.enabled",
            "intelligence/traffic-intelligence#seasonal_adjustments",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "actions.scale_before_traffic_spike",
        &[
            "settings.scale_before_traffic_spike.lead_time",
            "settings.scale_before_traffic_spike.forecast_only",
            "intelligence/traffic-intelligence#pre_scale",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "actions.scale_down_intelligently",
        &[
            "settings.scale_down_intelligently.enabled",
            "settings.scale_down_intelligently.no_sessions_for",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "actions.optimize_instance_types",
        &[
            "settings.optimize_instance_types.enabled",
            "settings.optimize_instance_types.better_by",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        "settings.metrics",
        &[
            "settings.metrics.response_time",
            "settings.metrics.error_rate",
            "settings.metrics.queue_depth",
            "settings.metrics.user_experience_score",
        ],
    ),
    (
        AgentType::DB_OPTIMIZER,
        "capabilities.read_replica_suggestions",
        &["intelligence/predictive-rules/database-connections-saturation"],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "capabilities.behavioral_analysis",
        &[
            "intelligence/anomaly-settings#security.behavioral_analysis",
            "settings.behavioral_analysis.resources",
        ],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "capabilities.threat_prediction",
        &[
            "settings.threat_prediction.enabled",
            "settings.threat_prediction.report_above",
        ],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "capabilities.anomaly_detection",
        &["intelligence/anomaly-settings#security.sensitivity"],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "actions.alert_suspicious_activity",
        &["intelligence/anomaly-settings#security.action"],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "actions.auto_quarantine",
        &[
            "intelligence/anomaly-settings#security.action",
            "mode",
            "auto_apply",
        ],
    ),
    (
        AgentType::SECURITY_INTELLIGENCE,
        "actions.identify_exposed_resources",
        &["settings.identify_exposed_resources"],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "capabilities.failure_prediction",
        &[
            "settings.failure_prediction.enabled",
            "settings.failure_prediction.certificate_expires_within",
        ],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "capabilities.capacity_forecasting",
        &[
            "settings.capacity_forecasting.history",
            "settings.capacity_forecasting.measured",
            "intelligence/predictive-rules/disk-space-full",
        ],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "actions.predict_disk_full",
        &[
            "settings.predict_disk_full.enabled",
            "settings.predict_disk_full.advance_warning",
            "settings.predict_disk_full.probability",
            "intelligence/predictive-rules/disk-space-full",
        ],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "actions.identify_memory_leaks",
        &["settings.identify_memory_leaks.enabled"],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "actions.suggest_maintenance_windows",
        &[
            "settings.suggest_maintenance_windows.enabled",
            "settings.suggest_maintenance_windows.hours",
        ],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        "actions.auto_remediate",
        &[
            "settings.auto_remediate.enabled",
            "settings.auto_remediate.left_out",
            "intelligence/runbooks#total",
            "mode",
            "auto_apply",
        ],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "capabilities.pattern_recognition",
        &[
            "settings.pattern_recognition.enabled",
            "settings.pattern_recognition.history",
        ],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "capabilities.resource_categorization",
        &[
            "settings.resource_categorization.enabled",
            "settings.resource_categorization.least_confidence",
        ],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "capabilities.optimization_opportunities",
        &["settings.optimization_opportunities.enabled"],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "actions.apply_best_practices",
        &[
            "settings.apply_best_practices.enabled",
            "settings.apply_best_practices.schedule_tag",
        ],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "actions.recommend_architectures",
        &["settings.recommend_architectures.enabled"],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "settings.classifications.production",
        &["settings.classifications.production.high_availability"],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "settings.classifications.development",
        &["settings.classifications.development.cost_optimized"],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "settings.classifications.batch",
        &["settings.classifications.batch.interruptible"],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        "settings.classifications.analytics",
        &["settings.classifications.analytics.burst_capable"],
    ),
];

/// Returns the settings that decide a value of the table; none for a description.
#[must_use]
pub fn decided_by(agent_type: AgentType, path: &str) -> &'static [&'static str] {
    let found = DECIDED
        .iter()
        .find(|(of, name, _)| *of == agent_type && *name == path);
    found.map_or(&[], |(_, _, settings)| settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::type_table::{AgentTypeInfo, agent_types};

    #[test]
    fn every_row_is_about_a_value_of_the_table() {
        let has = |info: &AgentTypeInfo, path: &str| {
            let (place, name) = path.split_once('.').unwrap_or_default();
            let values = match place {
                "capabilities" => info.capabilities,
                "actions" => info.actions,
                _ => info.settings,
            };
            values.iter().any(|(path, _)| *path == name)
        };
        for (agent_type, path, settings) in DECIDED {
            let info = agent_types()
                .iter()
                .find(|info| info.agent_type == *agent_type);
            assert!(
                info.is_some_and(|info| has(info, path)),
                "{agent_type} {path}"
            );
            assert!(!settings.is_empty(), "{agent_type} {path}");
        }
    }
}
