//! Ports: the store of sources and alerts, and the call that closes an alert at its sender.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::TokenHash;
use reeve_audit::Obstacle;
use reeve_estate::StoreError;
use reeve_incidents::IncidentId;

use crate::alert::{AlertStatus, InboundAlert, InboundAlertId};
use crate::callback::CallbackRequest;
use crate::source::{AlertSource, AlertSourceId, SourceState};
use crate::weight::TrackRecord;

/// Sources of alerts, with their tokens and the credentials of their callbacks.
#[async_trait]
pub trait AlertSourceStore: Send + Sync {
    /// Adds a source with the hash of its token.
    async fn alert_source_insert(
        &self,
        source: &AlertSource,
        token: &TokenHash,
        credentials: Option<&str>,
    ) -> Result<(), StoreError>;
    /// Replaces a source whose stored version is one less. A token that is not given stays;
    /// `credentials` are replaced where they are given, by none where the inner value is `None`.
    async fn alert_source_update(
        &self,
        source: &AlertSource,
        token: Option<&TokenHash>,
        credentials: Option<Option<&str>>,
    ) -> Result<(), StoreError>;
    /// Removes a source with its alerts.
    async fn alert_source_delete(&self, id: &AlertSourceId) -> Result<(), StoreError>;
    async fn alert_source_get(&self, id: &AlertSourceId) -> Result<AlertSource, StoreError>;
    /// Returns all sources, oldest first.
    async fn alert_source_list(&self) -> Result<Vec<AlertSource>, StoreError>;
    /// Returns the source whose token has this hash.
    async fn alert_source_by_token(
        &self,
        token: &TokenHash,
    ) -> Result<Option<AlertSource>, StoreError>;
    /// Returns the credentials of the callback; `None` if it has none.
    async fn alert_source_credentials(
        &self,
        id: &AlertSourceId,
    ) -> Result<Option<String>, StoreError>;
    async fn alert_source_state(&self, id: &AlertSourceId) -> Result<SourceState, StoreError>;
    async fn alert_source_state_put(
        &self,
        id: &AlertSourceId,
        state: &SourceState,
    ) -> Result<(), StoreError>;
}

/// Filter of alerts; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct InboundAlertFilter {
    pub source: Option<AlertSourceId>,
    pub status: Option<AlertStatus>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of matches to skip.
    pub offset: u64,
}

/// Alerts of a source by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceCounts {
    pub alerts: u64,
    pub open: u64,
    pub record: TrackRecord,
    /// Arrival of the newest alert.
    pub last_alert_at: Option<Timestamp>,
}

/// Alerts of other tools. Updates compare versions.
#[async_trait]
pub trait InboundAlertStore: Send + Sync {
    /// Adds an alert with the sender's identifiers. One that another alert of the source has is a
    /// conflict.
    async fn inbound_alert_insert(&self, alert: &InboundAlert) -> Result<(), StoreError>;
    /// Replaces an alert; `version` is the stored one plus one.
    async fn inbound_alert_update(&self, alert: &InboundAlert) -> Result<(), StoreError>;
    async fn inbound_alert_get(&self, id: &InboundAlertId) -> Result<InboundAlert, StoreError>;
    /// Returns the alert that has an identifier of the sender.
    async fn inbound_alert_by_sender(
        &self,
        source: &AlertSourceId,
        sender_id: &str,
    ) -> Result<Option<InboundAlert>, StoreError>;
    /// Returns the newest open alert of a cause with a report at or after a time.
    async fn inbound_alert_of_cause(
        &self,
        source: &AlertSourceId,
        cause: &str,
        since: Timestamp,
    ) -> Result<Option<InboundAlert>, StoreError>;
    /// Alerts by their last report, newest first, and how many there are in all.
    async fn inbound_alert_list(
        &self,
        filter: &InboundAlertFilter,
    ) -> Result<(Vec<InboundAlert>, u64), StoreError>;
    /// Alerts whose closing at the sender is due, the longest due first.
    async fn inbound_alert_callbacks(
        &self,
        now: Timestamp,
        limit: u64,
    ) -> Result<Vec<InboundAlert>, StoreError>;
    /// Returns open alerts that are members of closed incidents, each with its incident.
    async fn inbound_alert_of_closed(
        &self,
        limit: u64,
    ) -> Result<Vec<(InboundAlert, IncidentId)>, StoreError>;
    /// Returns open alerts of a source whose last report lies at or before a time, the oldest first.
    /// Those of incidents that are worked on are left out.
    async fn inbound_alert_expired(
        &self,
        source: &AlertSourceId,
        before: Timestamp,
        limit: u64,
    ) -> Result<Vec<InboundAlert>, StoreError>;
    async fn inbound_alert_counts(
        &self,
        source: &AlertSourceId,
    ) -> Result<SourceCounts, StoreError>;
}

/// Calls that close alerts at their senders, over the guarded client.
#[async_trait]
pub trait AlertCaller: Send + Sync {
    /// Judges an address that a person gives.
    ///
    /// # Errors
    /// The address may not be called.
    fn check(&self, url: &str) -> Result<(), Obstacle>;
    /// Closes an alert at its sender.
    ///
    /// # Errors
    /// The sender did not answer, or answered with another status than 2xx.
    async fn call(&self, request: &CallbackRequest) -> Result<(), Obstacle>;
}
