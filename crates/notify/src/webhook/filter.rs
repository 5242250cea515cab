//! Filters: `priority=high`, `type=security`, `impact=medium`; joined by commas all must hold.
//!
//! A filter is checked against its event when it is set, so that one which can never match is
//! refused rather than silent.

use reeve_recommend::agent::Impact;
use reeve_recommend::recommendation::{CATEGORIES, Priority, RecommendationType};

use super::subscription::WebhookEvent;

/// Classes of anomalies (requirements ).
const CLASSES: [&str; 4] = ["cost", "performance", "security", "operational"];
/// Severities that alert filters accept, worst first.
const SEVERITIES: [&str; 5] = ["critical", "high", "medium", "low", "info"];
const ALERT_CLASSES: [&str; 5] = [
    "failed_authentication",
    "privilege_escalation",
    "suspicious_activity",
    "policy_violation",
    "resource_tampering",
];
/// Priorities of budget alerts: high from 100 percent of the amount.
const BUDGET_PRIORITIES: [&str; 2] = ["high", "medium"];
/// Bases of budget alerts.
const BUDGET_BASES: [&str; 2] = ["actual", "forecast"];
/// Longest text of a filter, bytes.
const LONGEST: usize = 256;

/// Reason why a filter is refused, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

/// Properties of an event that filters match. A key may have several values: a recommendation's
/// type is both `encryption` and `security`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Priority, or an anomaly's severity.
    pub priority: Option<String>,
    /// Type and category, or an anomaly's class.
    pub types: Vec<String>,
    pub impact: Option<String>,
}

/// Conditions that must all hold. None is everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WebhookFilter {
    conditions: Vec<(String, String)>,
}

impl WebhookFilter {
    /// Reads a filter of an event.
    ///
    /// # Errors
    /// The filter has an invalid part; the error names it and the valid form.
    pub fn parse(text: &str, event: WebhookEvent) -> Result<WebhookFilter, FilterError> {
        let mut filter = WebhookFilter::default();
        if text.len() > LONGEST {
            return Err(FilterError(format!("must have at most {LONGEST} bytes")));
        }
        if text.trim().is_empty() {
            return Ok(filter);
        }

        for part in text.split(',') {
            let (key, value) = part
                .split_once('=')
                .map(|(key, value)| {
                    (
                        key.trim().to_ascii_lowercase(),
                        value.trim().to_ascii_lowercase().replace([' ', '-'], "_"),
                    )
                })
                .ok_or_else(|| {
                    FilterError(format!(
                        "{:?} is not key=value, such as priority=high",
                        part.trim()
                    ))
                })?;
            let allowed = values(&key, event)?;
            if !allowed.contains(&value.as_str()) {
                return Err(FilterError(format!(
                    "{key}={value}: {key} is one of {}",
                    allowed.join(", ")
                )));
            }
            if filter.conditions.iter().any(|(other, _)| *other == key) {
                return Err(FilterError(format!(
                    "{key} occurs twice; all conditions must be satisfied, so give it once"
                )));
            }
            filter.conditions.push((key, value));
        }

        Ok(filter)
    }

    /// Returns `true` if the filter includes an event with these properties.
    #[must_use]
    pub fn matches(&self, facts: &Facts) -> bool {
        self.conditions
            .iter()
            .all(|(key, value)| match key.as_str() {
                "priority" => facts.priority.as_ref() == Some(value),
                "impact" => facts.impact.as_ref() == Some(value),
                _ => facts.types.contains(value),
            })
    }
}

impl std::fmt::Display for WebhookFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (key, value)) in self.conditions.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// The values a key may have for an event.
fn values(key: &str, event: WebhookEvent) -> Result<Vec<&'static str>, FilterError> {
    let anomaly = event == WebhookEvent::AnomalyDetected;
    let alert = event == WebhookEvent::AlertFired;
    let budget = event == WebhookEvent::BudgetAlert;
    let incident = matches!(
        event,
        WebhookEvent::IncidentResponse | WebhookEvent::IncidentChanged
    );

    match key {
        "priority" if budget => Ok(BUDGET_PRIORITIES.to_vec()),
        "type" if budget => Ok(BUDGET_BASES.to_vec()),
        "impact" if budget => Err(FilterError(
            "budget_alert has no impact; filter by type or priority".into(),
        )),
        "type" | "impact" if incident => Err(FilterError(format!(
            "{} has no {key}; filter by priority",
            event.as_str()
        ))),
        "priority" if alert => Ok(SEVERITIES.to_vec()),
        "type" if alert => Ok(ALERT_CLASSES.to_vec()),
        "impact" if alert => Err(FilterError(
            "alert_fired has no impact; filter by type or priority".into(),
        )),
        "priority" => Ok(Priority::ALL.iter().map(|p| p.as_str()).collect()),
        "type" if anomaly => Ok(CLASSES.to_vec()),
        "type" => Ok(CATEGORIES
            .into_iter()
            .chain(RecommendationType::ALL.iter().map(|t| t.as_str()))
            .collect()),
        "impact" if anomaly => Err(FilterError(
            "anomaly_detected has no impact; filter by type or priority".into(),
        )),
        "impact" => Ok(Impact::ALL.iter().map(|i| i.as_str()).collect()),
        _ => Err(FilterError(format!(
            "{key:?} is not one of priority, type, impact"
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn facts() -> Facts {
        Facts {
            priority: Some("high".into()),
            types: vec!["encryption".into(), "security".into()],
            impact: Some("medium".into()),
        }
    }

    #[test]
    fn what_matches() {
        let event = WebhookEvent::RecommendationReady;
        let cases = [
            ("", true),
            ("priority=high", true),
            ("priority=critical", false),
            (" Priority = HIGH ", true),
            ("type=security", true),
            ("type=encryption", true),
            ("type=cost", false),
            ("impact=medium", true),
            ("impact=high", false),
            ("priority=high,type=security,impact=medium", true),
            ("priority=high, type=cost", false),
        ];

        for (text, expected) in cases {
            let filter = WebhookFilter::parse(text, event).unwrap();
            assert_eq!(filter.matches(&facts()), expected, "{text}");
            assert_eq!(
                WebhookFilter::parse(&filter.to_string(), event).unwrap(),
                filter,
                "{text} reads back"
            );
        }

        // What an event does not have is not matched.
        let security =
            WebhookFilter::parse("type=security", WebhookEvent::AnomalyDetected).unwrap();
        assert!(!security.matches(&Facts::default()));
    }

    #[test]
    fn what_is_refused() {
        use WebhookEvent::{ActionCompleted, AnomalyDetected, BudgetAlert, RecommendationReady};

        let cases = [
            ("high", RecommendationReady, "is not key=value"),
            ("priority=high,", RecommendationReady, "is not key=value"),
            ("region=eu", RecommendationReady, "priority, type, impact"),
            (
                "priority=urgent",
                RecommendationReady,
                "critical, high, medium, low",
            ),
            (
                "priority=high,priority=low",
                RecommendationReady,
                "occurs twice",
            ),
            ("type=operational", ActionCompleted, "type is one of"),
            ("impact=high", AnomalyDetected, "has no impact"),
            ("impact=high", BudgetAlert, "has no impact"),
            ("type=cost", BudgetAlert, "actual, forecast"),
            (
                "type=encryption",
                AnomalyDetected,
                "cost, performance, security, operational",
            ),
        ];

        for (text, event, expected) in cases {
            let error = WebhookFilter::parse(text, event).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }

        assert!(WebhookFilter::parse(&"x".repeat(LONGEST + 1), RecommendationReady).is_err());
    }
}
