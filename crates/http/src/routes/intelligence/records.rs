//! Records as the interface gives them, for whoever tells others of them.

use reeve_anomalies::Anomaly;
use reeve_recommend::{Action, Recommendation};
use serde_json::Value;

use super::bodies;
use crate::wire::anomaly::AnomalyBody;

/// A recommendation, as `GET intelligence/recommendations/{id}` answers.
#[must_use]
pub fn recommendation_record(of: &Recommendation) -> Value {
    // A body of text and numbers is always JSON.
    serde_json::to_value(bodies::recommendation(of)).unwrap_or_default()
}

/// An action, as `GET intelligence/actions/{id}` answers.
#[must_use]
pub fn action_record(action: &Action, of: &Recommendation) -> Value {
    serde_json::to_value(bodies::action(action, of)).unwrap_or_default()
}

/// An anomaly, as `GET intelligence/anomalies/{id}` answers.
#[must_use]
pub fn anomaly_record(of: &Anomaly) -> Value {
    serde_json::to_value(AnomalyBody::from(of)).unwrap_or_default()
}
