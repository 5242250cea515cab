//! Storage of budgets, their status and their alerts.

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use reeve_estate::StoreError;
use reeve_estate::charge::Amount;
use serde::{Deserialize, Serialize};

use super::{Budget, BudgetId, BudgetStatus, BudgetThreshold};

/// A threshold that was reached in a period. There is one for each budget, period, threshold and
/// amount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetAlert {
    /// Identifier; the log's entry has it too.
    pub id: String,
    pub budget: BudgetId,
    /// Its name at that time.
    pub budget_name: String,
    /// First day of the period.
    pub period_start: Date,
    pub threshold: BudgetThreshold,
    /// Charges or forecast that reached it.
    pub value: Amount,
    /// Amount of the budget when the threshold was reached.
    pub amount: Amount,
    /// Currency of `value` and `amount`.
    pub currency: String,
    /// Time at which the threshold was found to be reached.
    pub raised_at: Timestamp,
}

/// Keeps budgets. Updates compare versions, as everywhere.
#[async_trait]
pub trait BudgetStore: Send + Sync {
    /// Adds a budget. A conflict when the name is taken, or there are `most` already.
    async fn budget_insert(&self, budget: &Budget, most: u64) -> Result<(), StoreError>;
    /// Replaces a budget; `version` is the stored one plus one. Its standing is forgotten.
    async fn budget_update(&self, budget: &Budget) -> Result<(), StoreError>;
    /// Removes a budget with its standing and its alerts.
    async fn budget_delete(&self, id: &BudgetId) -> Result<(), StoreError>;
    async fn budget_get(&self, id: &BudgetId) -> Result<Budget, StoreError>;
    /// All budgets, by name, each with its standing once it has been evaluated.
    async fn budget_list(&self) -> Result<Vec<(Budget, Option<BudgetStatus>)>, StoreError>;
    /// Keeps the standing of a version of a budget, and the alerts that follow from it, all or
    /// nothing. An alert of a period and threshold that has one is left out; nothing is kept when
    /// the budget is another version by now.
    async fn budget_evaluated(
        &self,
        budget: &Budget,
        status: &BudgetStatus,
        alerts: &[BudgetAlert],
    ) -> Result<(), StoreError>;
    /// The newest alerts of a budget, or of every one.
    async fn budget_alerts(
        &self,
        budget: Option<&BudgetId>,
        limit: u64,
    ) -> Result<Vec<BudgetAlert>, StoreError>;
    async fn budget_alert_get(&self, id: &str) -> Result<BudgetAlert, StoreError>;
    /// Alerts that the log does not tell of yet, oldest first.
    async fn budget_alerts_unrecorded(&self, limit: u64) -> Result<Vec<BudgetAlert>, StoreError>;
    /// Marks an alert as recorded in the log.
    async fn budget_alert_recorded(&self, id: &str) -> Result<(), StoreError>;
}
