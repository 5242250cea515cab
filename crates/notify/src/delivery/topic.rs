//! Topics of notices, which channels and agents choose by.

use reeve_estate::named;

named!(
    /// Topic of a notice. Each has its timing in an agent's configuration, except approvals, which
    /// are always immediate.
    Topic {
        /// A recommendation was created.
        Recommendations => "recommendations",
        /// An action that ended.
        Actions => "actions_taken",
        Anomalies => "anomalies",
        /// A request for a signature, or a reminder of one.
        Approvals => "approvals",
        /// A firing of an alert rule. It goes to the channels that the rule names, at once.
        Alerts => "alerts",
        /// Reports that are ready, or that failed.
        Reports => "reports",
    }
);
