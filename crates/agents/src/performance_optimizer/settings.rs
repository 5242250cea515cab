//! Settings of `performance_optimizer`.

use crate::settings::settings;

settings! {
    predictive: flag = "predictive_scaling.enabled", true, (0.0, 0.0),
        "Whether the load of scaling groups is predicted";
    /// Percent.
    reactive_target: percent = "predictive_scaling.reactive_target", 70.0, (30.0, 95.0),
        "Use of the members that a group's own rule tracks; a prediction has to be better than this rule on the group's own past";
    history_days: days = "traffic_pattern_learning.history", 28, (14.0, 90.0),
        "Days of load from which patterns are learned and on which a prediction is tried";
    least_days: days = "traffic_pattern_learning.least_days", 14, (7.0, 60.0),
        "Days that must have been measured before anything is predicted";
    seasonal: flag = "seasonal_adjustments.enabled", true, (0.0, 0.0),
        "Whether the same time a day and a week ago, and the forecast with seasons, take part in the prediction";
    lead_minutes: minutes = "scale_before_traffic_spike.lead_time", 15, (5.0, 120.0),
        "Time before a rise by which members are added, at least; longer where the group's own warm-up is longer";
    forecast_only: flag = "scale_before_traffic_spike.forecast_only", true, (0.0, 0.0),
        "Whether only the members that would have been added are reported, without a change";
    requests_per_member: count = "scale_before_traffic_spike.requests_per_member", 0, (0.0, 1_000_000.0),
        "Requests a second that one member serves; 0 to measure it by the CPU of the members";
    /// Percent.
    member_full: percent = "scale_before_traffic_spike.member_full_at", 80.0, (40.0, 95.0),
        "CPU at which a member is full, where its requests are measured";
    scale_down: flag = "scale_down_intelligently.enabled", true, (0.0, 0.0),
        "Whether members are named that a group no longer needs";
    quiet_minutes: minutes = "scale_down_intelligently.no_sessions_for", 15, (5.0, 240.0),
        "Time without an active session after which a member is idle";
    types: flag = "optimize_instance_types.enabled", true, (0.0, 0.0),
        "Whether instance types that do the same work are compared by work for each dollar";
    /// Percent.
    better_by: percent = "optimize_instance_types.better_by", 10.0, (5.0, 100.0),
        "Work for each dollar that another type must do more";
    caching: flag = "caching_strategy.enabled", true, (0.0, 0.0),
        "Whether a cache is advised before databases that mostly read";
    /// Percent.
    read_share: percent = "caching_strategy.read_share", 80.0, (50.0, 99.0),
        "Share of reads among the operations of a database from which a cache is advised";
    /// Percent.
    hit_rate: percent = "caching_strategy.hit_rate", 80.0, (20.0, 99.0),
        "Hit rate that a cache has to reach on one day of a week at least";
    /// Milliseconds; 0 for none.
    response_time_ms: count = "metrics.response_time", 0, (0.0, 600_000.0),
        "Objective of load balancers: milliseconds within which they answer on average; 0 for none";
    /// Percent; 0 for none.
    error_rate: percent = "metrics.error_rate", 0.0, (0.0, 50.0),
        "Objective of load balancers: share of requests that may fail; 0% for none";
    /// Messages; 0 for none.
    queue_depth: count = "metrics.queue_depth", 0, (0.0, 100_000_000.0),
        "Objective of queues: messages that may wait; 0 for none";
    /// Percent; 0 for none.
    user_experience: percent = "metrics.user_experience_score", 0.0, (0.0, 100.0),
        "Objective of load balancers and machines: Apdex score that users have at least; 0% for none";
    window_days: days = "metrics.window", 28, (1.0, 90.0),
        "Days over which an objective is kept";
    /// Percent.
    target: percent = "metrics.target", 99.0, (50.0, 99.99),
        "Share of the time in which an objective has to be met; the rest is its error budget";
}
