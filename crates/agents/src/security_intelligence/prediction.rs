//! Settings of behavior analysis and of the prediction of attack steps, which the watch over the log
//! reads.

use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};

/// Setting that switches the behavior of resources on.
pub(super) const RESOURCES: AgentSetting = AgentSetting {
    path: "behavioral_analysis.resources",
    description: "Who acts on each bucket, key, secret, function, role and database is learned beside the behavior of principals, and a new caller or a new call is an anomaly",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
    choices: &[],
};

/// Setting that switches the prediction on.
pub(super) const PREDICTED: AgentSetting = AgentSetting {
    path: "threat_prediction.enabled",
    description: "Attack chains are followed over principals, and the next likely step is predicted",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
    choices: &[],
};

/// Setting of the probability of a next step from which on a chain is reported.
pub(super) const THRESHOLD: AgentSetting = AgentSetting {
    path: "threat_prediction.report_above",
    description: "Probability of a next step from which on an attack chain is recorded in the log and notified",
    default: SettingValue::Percent(10.0),
    range: (5.0, 99.0),
    choices: &[],
};

/// Returns the probability of a next step from which on an agent reports a chain, 0 to 1; `None`
/// for an agent that predicts none.
#[must_use]
pub fn report_above(settings: &AgentSettings) -> Option<f64> {
    let is_on = settings.get(&PREDICTED) == SettingValue::Flag(true);
    is_on.then(|| settings.percent(&THRESHOLD) / 100.0)
}

/// Returns `true` if an agent learns the behavior of resources.
#[must_use]
pub fn analyzes_resources(settings: &AgentSettings) -> bool {
    settings.get(&RESOURCES) == SettingValue::Flag(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(path: &str, value: SettingValue) -> AgentSettings {
        AgentSettings([(path.to_owned(), value)].into())
    }

    #[test]
    fn prediction_has_a_threshold_unless_it_is_off() {
        assert_eq!(report_above(&AgentSettings::default()), Some(0.1));
        let off = settings(PREDICTED.path, SettingValue::Flag(false));
        assert_eq!(report_above(&off), None);
        let high = settings(THRESHOLD.path, SettingValue::Percent(30.0));
        assert_eq!(report_above(&high), Some(0.3));
    }

    #[test]
    fn resources_are_analyzed_unless_it_is_off() {
        assert!(analyzes_resources(&AgentSettings::default()));
        let off = settings(RESOURCES.path, SettingValue::Flag(false));
        assert!(!analyzes_resources(&off));
    }
}
