//! Settings of `spot_optimizer`.

use reeve_recommend::agent::settings::{AgentSetting, SettingValue};

use crate::settings::settings;

/// Setting: switches of a machine between spot and on-demand capacity a day.
pub(super) const SWITCHES: AgentSetting = AgentSetting {
    path: "auto_fallback.switches_per_day",
    description: "Switches of a pool within 24 hours from which nothing returns to spot capacity; capacity that is lost is replaced all the same",
    default: SettingValue::Count(2),
    range: (1.0, 20.0),
    choices: &[],
};

settings! {
    /// Notices are answered, and the learned hazard weighs pools.
    /// Notices are answered.
    predict: flag = "predict_interruptions.enabled", true, (0.0, 0.0),
        "Whether notices of interruptions are answered and pools are weighed by their learned hazard; otherwise by price alone";
    /// Highest share of a group that may be lost at once, percent.
    lost_at_once: percent = "predict_interruptions.lost_at_once", 50.0, (10.0, 100.0),
        "Highest share of a group that the loss of one pool, an instance type in a zone, may take at once";
    /// The workload class decides.
    classes: flag = "workload_classification.enabled", true, (0.0, 0.0),
        "Whether only groups of a known class are eligible, production with half of its machines at most; otherwise the configuration alone decides";
    /// A machine that is taken back is replaced.
    falls_back: flag = "auto_fallback.on_demand", true, (0.0, 0.0),
        "Whether a machine that is taken back is replaced by an on-demand one; otherwise its notice is a finding to apply manually";
    /// Groups on demand are judged.
    eligible: flag = "recommend_spot_eligible.enabled", true, (0.0, 0.0),
        "Whether groups that can move to spot capacity are recommended";
    /// Longest start of a member, minutes.
    start_minutes: count = "recommend_spot_eligible.start_minutes", 10, (1.0, 60.0),
        "Longest time in minutes that a member may take to serve, by the group's warm-up or grace period";
    /// Machines of a group that stay on demand at least.
    base: count = "recommend_spot_eligible.min_on_demand", 1, (0.0, 100.0),
        "On-demand machines that each group keeps at least";
    /// Groups on spot capacity are judged.
    diversify: flag = "diversify_instance_types.enabled", true, (0.0, 0.0),
        "Whether groups on spot capacity with too few instance types are recommended to have more";
    /// Instance types of a group at least.
    types: count = "diversify_instance_types.types", 4, (2.0, 20.0),
        "Instance types that a group on spot capacity has at least";
    /// Placement score that each zone of a group needs at least.
    least_score: count = "diversify_instance_types.min_placement_score", 3, (1.0, 10.0),
        "Placement score from 1 to 10 that each zone of a group needs at least before it is moved to spot capacity";
    /// A saving is claimed.
    savings: flag = "predict_savings.enabled", true, (0.0, 0.0),
        "Whether a saving is claimed, after the cost of interruptions and with its interval";
    /// Days of interruptions that the hazard is learned from.
    history_days: days = "learning.interruption_history", 90, (14.0, 90.0),
        "Days of the estate's own interruptions that the hazard is learned from";
    /// The shape of the metrics takes part in the class.
    patterns: flag = "learning.workload_patterns", true, (0.0, 0.0),
        "Whether the shape of the metrics takes part in the workload class; otherwise tags and names alone";
    ..SWITCHES;
}
