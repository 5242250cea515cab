//! Settings of `ops_intelligence`.

use super::dependencies::DEPENDENCY_MAPPING;
use super::runbook::{ENABLED, LEFT_OUT};
use crate::settings::settings;

settings! {
    history_days: days = "capacity_forecasting.history", 30, (14.0, 90.0),
        "Days of samples that a judgement looks at";
    measured_days: days = "capacity_forecasting.measured", 7, (3.0, 60.0),
        "Days that must have been measured before anything is forecast";
    disk_full: flag = "predict_disk_full.enabled", true, (0.0, 0.0),
        "Whether volumes, databases and machines are judged by when their storage is full";
    warn_days: days = "predict_disk_full.advance_warning", 7, (1.0, 30.0),
        "Days ahead within which storage must be forecast to be full";
    least_probability: percent = "predict_disk_full.probability", 50.0, (30.0, 95.0),
        "Probability of being full within these days from which a finding is made";
    enlarge_percent: percent = "predict_disk_full.enlarge_by", 25.0, (10.0, 100.0),
        "Share by which the proposed storage exceeds the present one";
    leaks: flag = "identify_memory_leaks.enabled", true, (0.0, 0.0),
        "Whether the memory of machines and databases is searched for leaks";
    failures: flag = "failure_prediction.enabled", true, (0.0, 0.0),
        "Whether failures that are about to happen are found: certificates, maintenance, replicas, quotas";
    certificate_days: days = "failure_prediction.certificate_expires_within", 30, (1.0, 90.0),
        "Days before its end from which a certificate in use is found";
    /// Seconds.
    replica_lag: count = "failure_prediction.replica_lag", 300, (10.0, 86_400.0),
        "Seconds that a read replica may be behind for half an hour, before it is found";
    target_changes: count = "failure_prediction.target_changes", 4, (2.0, 96.0),
        "Changes between healthy and unhealthy in a day from which a target of a load balancer is found";
    quota_used: percent = "failure_prediction.quota_used", 80.0, (50.0, 100.0),
        "Share of a quota in use from which it is found";
    windows: flag = "suggest_maintenance_windows.enabled", true, (0.0, 0.0),
        "Whether findings that need a restart name the time of the week with the least load";
    window_hours: count = "suggest_maintenance_windows.hours", 2, (1.0, 8.0),
        "Length of the named time, hours";
    ..DEPENDENCY_MAPPING, ENABLED, LEFT_OUT;
}
