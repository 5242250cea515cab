//! A subscription.

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use super::filter::WebhookFilter;

/// A subscription's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WebhookId(pub String);

named!(
    /// Event that can be subscribed to; the first three are requirements.
    WebhookEvent {
        /// An agent made a recommendation.
        RecommendationReady => "recommendation_ready",
        /// An anomaly was found.
        AnomalyDetected => "anomaly_detected",
        /// An action succeeded, was rolled back or failed.
        ActionCompleted => "action_completed",
        /// An alert rule fired.
        AlertFired => "alert_fired",
        /// A budget reached one of its thresholds.
        BudgetAlert => "budget_alert",
        /// A playbook sent an incident.
        IncidentResponse => "incident_response",
        /// An incident was opened, changed or closed.
        IncidentChanged => "incident_changed",
    }
);

named!(
    /// Format of the messages of a webhook.
    WebhookFormat {
        /// The record as the HTTP interface answers it, with the event's type and time.
        Json => "json",
        /// An OCSF finding, for each change of the record until its end. Records that are no
        /// security findings are not sent.
        Ocsf => "ocsf",
    }
);

impl WebhookEvent {
    /// Returns `true` if records of the event may be security findings, which OCSF has classes for.
    #[must_use]
    pub const fn has_findings(self) -> bool {
        matches!(
            self,
            WebhookEvent::RecommendationReady
                | WebhookEvent::AnomalyDetected
                | WebhookEvent::AlertFired
                | WebhookEvent::IncidentChanged
        )
    }
}

/// One event that goes to one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    /// Name given by a user; may be empty.
    pub name: String,
    pub event: WebhookEvent,
    pub format: WebhookFormat,
    /// Address that events are posted to.
    pub url: String,
    /// Filter of the events.
    pub filter: WebhookFilter,
    /// `false` stops all messages.
    pub enabled: bool,
    /// Reason why Reeve disabled it.
    pub disabled_reason: Option<String>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}
