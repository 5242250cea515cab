//! Budgets on the wire.

use reeve_anomalies::budget::{Basis, Budget, BudgetAlert, BudgetStatus, BudgetThreshold};
use reeve_estate::Amount;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{BudgetBasis, BudgetPeriod};

/// A share of a budget at which its receivers are told.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThresholdBody {
    /// Percent of the amount, 1 to 1000.
    #[schema(minimum = 1, maximum = 1000)]
    pub percent: u32,
    /// `actual` charges, or `forecast` of the whole period.
    #[schema(example = "actual")]
    #[schema(value_type = BudgetBasis)]
    pub basis: String,
}

/// A tag that charges must have.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetTag {
    pub name: String,
    pub value: String,
}

/// Charges that a budget counts; what is left out or empty takes all.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetScopeBody {
    /// Providers by their name in bills.
    pub providers: Vec<String>,
    /// Accounts, sub-accounts or their names.
    pub accounts: Vec<String>,
    /// Services by their name in bills.
    pub services: Vec<String>,
    pub tags: Vec<BudgetTag>,
}

/// A budget as it is sent.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSettings {
    /// Name that no other budget has.
    pub name: String,
    /// Amount for one period, in the currency's units; more than zero.
    pub amount: f64,
    /// Currency as bills write it; the workspace's unless given. Charges in others are not counted.
    pub currency: Option<String>,
    /// `month`, `quarter` or `year` of the calendar, in UTC.
    #[schema(example = "month")]
    pub period: BudgetPeriod,
    /// Charges that the budget counts.
    #[serde(default)]
    pub scope: BudgetScopeBody,
    /// Thresholds; 50, 80 and 100 percent of actual charges and 100 percent of the forecast unless
    /// given.
    pub thresholds: Option<Vec<ThresholdBody>>,
    /// Types of notification channels, or names of single channels.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Addresses that e-mail channels write to in place of their own receivers.
    #[serde(default)]
    pub recipients: Vec<String>,
    /// With a change: the version that was read.
    pub version: Option<u64>,
}

/// An amount of a day.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DayAmount {
    /// The day, of UTC.
    pub day: String,
    pub amount: f64,
}

/// Charges in a currency that a budget does not count.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CurrencyAmount {
    pub currency: String,
    pub amount: f64,
}

/// Standing of a budget in its period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StandingBody {
    /// First day of the period.
    pub period_start: String,
    /// First day after it.
    pub period_end: String,
    /// Charges of the period so far.
    pub spent: f64,
    /// Those in percent of the amount.
    pub spent_percent: f64,
    /// Charges expected of the whole period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<f64>,
    /// Those in percent of the amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast_percent: Option<f64>,
    /// Reason why there is no forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_forecast: Option<String>,
    /// The last day that bills fill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_until: Option<String>,
    /// Charges of each day that has some.
    pub days: Vec<DayAmount>,
    /// Charges expected of the days to come.
    pub ahead: Vec<DayAmount>,
    /// Charges in other currencies, which are not counted.
    pub not_counted: Vec<CurrencyAmount>,
    pub evaluated_at: String,
}

/// A budget with its settings and its standing in the period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BudgetBody {
    pub id: String,
    pub name: String,
    /// Amount for one period.
    pub amount: f64,
    pub currency: String,
    pub period: BudgetPeriod,
    /// Charges that the budget counts.
    pub scope: BudgetScopeBody,
    /// Thresholds in ascending order.
    pub thresholds: Vec<ThresholdBody>,
    pub channels: Vec<String>,
    /// Addresses that e-mail channels write to in place of their own receivers.
    pub recipients: Vec<String>,
    /// Standing; absent until bills have been read since its last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingBody>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows with every change.
    pub version: u64,
}

/// A threshold that was reached.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BudgetAlertBody {
    /// Identifier, also of the log's entry.
    pub id: String,
    pub budget_id: String,
    /// Its name at that time.
    pub budget_name: String,
    /// First day of the period.
    pub period_start: String,
    pub threshold: ThresholdBody,
    /// Charges or forecast that reached it.
    pub value: f64,
    pub amount: f64,
    /// Currency of both amounts, by ISO 4217.
    pub currency: String,
    pub raised_at: String,
}

/// An amount to the cent. The quotient of the exact amount is off by its last digit,
/// `23800.000000000004`; that of cents is not.
pub(super) fn cents(amount: Amount) -> f64 {
    (amount.as_f64() * 100.0).round() / 100.0
}

/// A share in percent, to a tenth.
fn percent(part: Amount, amount: Amount) -> f64 {
    let amount = amount.as_f64();
    if amount > 0.0 {
        (part.as_f64() / amount * 1_000.0).round() / 10.0
    } else {
        0.0
    }
}

impl ThresholdBody {
    fn new(threshold: BudgetThreshold) -> Self {
        ThresholdBody {
            percent: threshold.percent,
            basis: threshold.basis.as_str().to_owned(),
        }
    }

    /// Returns the threshold; `None` when it is none.
    pub(crate) fn parse(&self) -> Option<BudgetThreshold> {
        let basis = Basis::parse(&self.basis)?;
        (1..=1000)
            .contains(&self.percent)
            .then_some(BudgetThreshold {
                percent: self.percent,
                basis,
            })
    }
}

impl StandingBody {
    fn new(budget: &Budget, standing: &BudgetStatus) -> Self {
        let days = |days: &[(jiff::civil::Date, Amount)]| {
            days.iter()
                .map(|(day, amount)| DayAmount {
                    day: day.to_string(),
                    amount: cents(*amount),
                })
                .collect()
        };

        let forecast = standing.forecast.as_ref().ok().copied();
        StandingBody {
            period_start: standing.span.start.to_string(),
            period_end: standing.span.end.to_string(),
            spent: cents(standing.spent),
            spent_percent: percent(standing.spent, budget.amount),
            forecast: forecast.map(cents),
            forecast_percent: forecast.map(|forecast| percent(forecast, budget.amount)),
            no_forecast: standing.forecast.as_ref().err().map(ToString::to_string),
            data_until: standing.data_until.map(|day| day.to_string()),
            days: days(&standing.days),
            ahead: days(&standing.ahead),
            not_counted: standing
                .not_counted
                .iter()
                .map(|(currency, amount)| CurrencyAmount {
                    currency: currency.clone(),
                    amount: cents(*amount),
                })
                .collect(),
            evaluated_at: time::text(standing.evaluated_at),
        }
    }
}

impl BudgetBody {
    /// Returns the wire form of a budget with its standing.
    pub(crate) fn new(budget: &Budget, standing: Option<&BudgetStatus>) -> Self {
        let scope = &budget.scope;
        BudgetBody {
            id: budget.id.0.clone(),
            name: budget.name.clone(),
            amount: cents(budget.amount),
            currency: budget.currency.clone(),
            period: budget.period.into(),
            scope: BudgetScopeBody {
                providers: scope.providers.clone(),
                accounts: scope.accounts.clone(),
                services: scope.services.clone(),
                tags: scope
                    .tags
                    .iter()
                    .map(|(name, value)| BudgetTag {
                        name: name.clone(),
                        value: value.clone(),
                    })
                    .collect(),
            },
            thresholds: budget
                .thresholds
                .iter()
                .map(|threshold| ThresholdBody::new(*threshold))
                .collect(),
            channels: budget.channels.clone(),
            recipients: budget.recipients.clone(),
            standing: standing.map(|standing| StandingBody::new(budget, standing)),
            created_at: time::text(budget.created_at),
            updated_at: time::text(budget.updated_at),
            version: budget.version,
        }
    }
}

impl BudgetAlertBody {
    /// Returns the wire form of an alert.
    pub(crate) fn new(alert: &BudgetAlert) -> Self {
        BudgetAlertBody {
            id: alert.id.clone(),
            budget_id: alert.budget.0.clone(),
            budget_name: alert.budget_name.clone(),
            period_start: alert.period_start.to_string(),
            threshold: ThresholdBody::new(alert.threshold),
            value: cents(alert.value),
            amount: cents(alert.amount),
            currency: alert.currency.clone(),
            raised_at: time::text(alert.raised_at),
        }
    }
}
