//! Records as the interface gives them, for whoever tells others of them.

use reeve_anomalies::Anomaly;
use reeve_incidents::Incident;
use reeve_recommend::action::Action;
use reeve_recommend::recommendation::Recommendation;
use serde_json::Value;

use crate::routes::intelligence::bodies;
use crate::wire::anomaly::AnomalyBody;
use crate::wire::incident::IncidentSummaryBody;

/// A recommendation, as `GET intelligence/recommendations/{id}` answers.
#[must_use]
pub fn recommendation_record(recommendation: &Recommendation) -> Value {
    // A body of text and numbers is always JSON.
    serde_json::to_value(bodies::recommendation(recommendation)).unwrap_or_default()
}

/// An action, as `GET intelligence/actions/{id}` answers.
#[must_use]
pub fn action_record(action: &Action, recommendation: &Recommendation) -> Value {
    serde_json::to_value(bodies::action(action, recommendation)).unwrap_or_default()
}

/// An incident, as `GET intelligence/incidents` lists it.
#[must_use]
pub fn incident_record(incident: &Incident) -> Value {
    serde_json::to_value(IncidentSummaryBody::from(incident)).unwrap_or_default()
}

/// An anomaly, as `GET intelligence/anomalies/{id}` answers.
#[must_use]
pub fn anomaly_record(anomaly: &Anomaly) -> Value {
    serde_json::to_value(AnomalyBody::from(anomaly)).unwrap_or_default()
}
