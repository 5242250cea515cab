//! Storage of rules, predictions and calendars.

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_recommend::predictive::{Outcome, Prediction, PredictiveRule};
use reeve_recommend::recommendation::origin::RuleId;

use super::calendar::{Calendar, CalendarId, Refresh};
use super::traffic::TrafficSettings;

/// Filter of predictions; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct PredictionFilter {
    pub rule: Option<RuleId>,
    pub resource: Option<String>,
    pub outcome: Option<Outcome>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of matches to skip.
    pub offset: u64,
}

/// Keeps rules, what they decided on, and calendars. Updates compare versions, as
/// [`AgentStore`](reeve_recommend::ports::AgentStore)'s do.
#[async_trait]
pub trait RuleStore: Send + Sync {
    /// Adds a rule; one of the same identifier is a conflict.
    async fn rule_insert(&self, rule: &PredictiveRule) -> Result<(), StoreError>;
    /// Replaces a rule; `version` is the stored one plus one.
    async fn rule_update(&self, rule: &PredictiveRule) -> Result<(), StoreError>;
    /// Keeps when a rule was evaluated and what came of it, whatever its version; a rule that is
    /// gone is left.
    async fn rule_evaluated(&self, rule: &PredictiveRule) -> Result<(), StoreError>;
    /// Removes a rule and its predictions.
    async fn rule_delete(&self, id: &RuleId) -> Result<(), StoreError>;
    async fn rule_get(&self, id: &RuleId) -> Result<PredictiveRule, StoreError>;
    /// Returns all rules, the oldest first.
    async fn rule_list(&self) -> Result<Vec<PredictiveRule>, StoreError>;

    /// Returns the settings of traffic intelligence; the defaults where nobody set them.
    async fn traffic_settings_get(&self) -> Result<TrafficSettings, StoreError>;
    /// Replaces them; `version` is the stored one plus one.
    async fn traffic_settings_put(&self, settings: &TrafficSettings) -> Result<(), StoreError>;

    /// Adds predictions of one rule, and forgets all but its newest `keep`.
    async fn prediction_insert(
        &self,
        rule: &RuleId,
        predictions: &[Prediction],
        keep: u64,
    ) -> Result<(), StoreError>;
    /// Predictions, newest first, and how many there are in all.
    async fn prediction_list(
        &self,
        filter: &PredictionFilter,
    ) -> Result<(Vec<Prediction>, u64), StoreError>;

    async fn calendar_insert(&self, calendar: &Calendar) -> Result<(), StoreError>;
    /// Replaces a calendar; `version` is the stored one plus one.
    async fn calendar_update(&self, calendar: &Calendar) -> Result<(), StoreError>;
    /// Keeps the state of a calendar's subscription, whatever its version; a calendar that is gone
    /// or imported is left.
    async fn calendar_refreshed(
        &self,
        id: &CalendarId,
        refresh: &Refresh,
    ) -> Result<(), StoreError>;
    async fn calendar_delete(&self, id: &CalendarId) -> Result<(), StoreError>;
    async fn calendar_get(&self, id: &CalendarId) -> Result<Calendar, StoreError>;
    /// Returns all calendars, the oldest first.
    async fn calendar_list(&self) -> Result<Vec<Calendar>, StoreError>;
}
