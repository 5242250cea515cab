//! Budgets: an amount for a period and a part of the bills, with thresholds that tell people in
//! time.
//!
//! Pure but for the port [`BudgetStore`]. A budget counts the effective cost of the charges in its
//! scope (what is billed, where a file does not say) in one currency; charges in other currencies
//! are named and never converted. Days are those of UTC, as in bills.

mod evaluate;
mod log_entry;
mod period;
mod port;

use jiff::Timestamp;
use reeve_estate::charge::{Amount, Charge};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

pub use evaluate::{BudgetStatus, evaluate};
pub use log_entry::alert_entry;
pub use period::{BudgetSpan, Period};
pub use port::{BudgetAlert, BudgetStore};

/// Budgets that can be stored at most.
pub const MOST_BUDGETS: u64 = 500;
/// Thresholds of a budget at most.
pub const MOST_THRESHOLDS: usize = 20;

/// Identifier of a budget.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BudgetId(pub String);

named!(
    /// Amount that a threshold is compared with.
    Basis {
        /// Charges of the period until now.
        Actual => "actual",
        /// Charges so far and what is expected of the rest of the period.
        Forecast => "forecast",
    }
);

/// Share of the amount at which people are notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BudgetThreshold {
    /// Percent of the budget's amount, 1 to 1000.
    pub percent: u32,
    /// Amount that the percentage is compared with.
    pub basis: Basis,
}

/// Charges that a budget counts. An empty list takes every value; a charge must match every list
/// that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BudgetScope {
    /// Providers by their name in bills, case-blind.
    pub providers: Vec<String>,
    /// Accounts: billing account, sub-account or its name, case-blind.
    pub accounts: Vec<String>,
    /// Services by their name in bills, case-blind.
    pub services: Vec<String>,
    /// Tags with their value, exactly.
    pub tags: Vec<(String, String)>,
}

impl BudgetScope {
    /// Returns `true` if the scope includes the charge.
    #[must_use]
    pub fn includes(&self, charge: &Charge) -> bool {
        let one_of = |names: &[String], values: &[Option<&str>]| {
            names.is_empty()
                || values
                    .iter()
                    .flatten()
                    .any(|value| names.iter().any(|name| same(name, value)))
        };

        let tags = || charge.tags.as_deref().unwrap_or_default();
        one_of(&self.providers, &[charge.provider.as_deref()])
            && one_of(
                &self.accounts,
                &[
                    charge.account.as_deref(),
                    charge.sub_account.as_deref(),
                    charge.sub_account_name.as_deref(),
                ],
            )
            && one_of(&self.services, &[charge.service.as_deref()])
            && self.tags.iter().all(|wanted| tags().contains(wanted))
    }
}

fn same(name: &str, value: &str) -> bool {
    name == value || name.to_lowercase() == value.to_lowercase()
}

/// A budget: an amount for each period, and the thresholds that cause alerts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    pub id: BudgetId,
    /// Unique among all budgets.
    pub name: String,
    /// Amount for one period; more than zero.
    pub amount: Amount,
    /// Currency of the amount, as bills write it (`USD`).
    pub currency: String,
    /// Length of a period.
    pub period: Period,
    /// Charges that count towards the budget.
    #[serde(flatten)]
    pub scope: BudgetScope,
    pub thresholds: Vec<BudgetThreshold>,
    /// Kinds of channels, or names or identifiers of single channels.
    pub channels: Vec<String>,
    /// Addresses that e-mail channels write to in place of their own receivers.
    pub recipients: Vec<String>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows with every change.
    pub version: u64,
}

impl Budget {
    /// Returns an alert for each threshold that a standing has reached. The store leaves out those
    /// that its period has already.
    #[must_use]
    pub fn alerts(&self, status: &BudgetStatus) -> Vec<BudgetAlert> {
        let alert = |(threshold, value)| BudgetAlert {
            id: uuid::Uuid::now_v7().to_string(),
            budget: self.id.clone(),
            budget_name: self.name.clone(),
            period_start: status.span.start,
            threshold,
            value,
            amount: self.amount,
            currency: self.currency.clone(),
            raised_at: status.evaluated_at,
        };
        self.reached(status).into_iter().map(alert).collect()
    }

    /// Returns the thresholds that a standing has reached, with what reached them.
    #[must_use]
    pub fn reached(&self, status: &BudgetStatus) -> Vec<(BudgetThreshold, Amount)> {
        let value = |basis: Basis| match basis {
            Basis::Actual => Some(status.spent),
            Basis::Forecast => status.forecast.as_ref().ok().copied(),
        };

        let reached = |threshold: &BudgetThreshold| {
            let found = value(threshold.basis)?;
            (found >= self.amount.share(i64::from(threshold.percent), 100))
                .then_some((*threshold, found))
        };

        self.thresholds.iter().filter_map(reached).collect()
    }
}
